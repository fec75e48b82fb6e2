"""Characters written again keep what a figure has no word for, and look forward whatever their file says of axes."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.formats.test_gltf import Peer, glb, pieces, scene

import manikin as mk
from manikin import formats
from manikin.formats.axes import Y_UP
from manikin.formats.posed import segment_frames
from manikin.references import References

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c626001000000050001a5f645400000000049454e44ae426082"
)
KEPT = ("meshes", "materials", "textures", "images", "samplers", "skins", "nodes", "extensionsUsed")


def character(folder: Path, *, turned: bool = False, keyed: bool = False) -> Path:
    """A small person of boxes: texture coordinates, an image beside the file, a morph target, a scaled armature, a node
    with a matrix; its skin's joints are hips, legs and arms. turned: looking back. keyed: a clip that keys a knee's
    translation."""
    half = 0.5**0.5
    nodes = [
        {"name": "armature", "scale": [0.01] * 3, "rotation": [0, int(turned), 0, int(not turned)], "children": [1]},
        {"name": "Hips", "translation": [0, 95, 0], "children": [2, 5, 8]},
        {"name": "LeftUpLeg", "translation": [10, 0, 0], "children": [3]},
        {"name": "LeftLeg", "translation": [0, -42, 0], "children": [4]},
        {"name": "LeftFoot", "translation": [0, -42, 0]},
        {"name": "RightUpLeg", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -10, 0, 0, 1], "children": [6]},
        {"name": "RightLeg", "translation": [0, -42, 0], "rotation": [half, 0, 0, half], "children": [7]},
        {"name": "RightFoot", "translation": [0, 0, 42]},
        {"name": "Spine", "translation": [0, 40, 0]},
        {"name": "body", "mesh": 0, "skin": 0},
    ]  # fmt: skip
    corners = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (0.0, 1.4) for z in (-0.1, 0.1)], np.float32)
    triangles = np.array([0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7], np.uint16)
    arrays = {
        "POSITION": corners, "TEXCOORD_0": corners[:, :2].copy(), "target": 0.1 * corners,
        "JOINTS_0": np.tile(np.array([0, 1, 2, 3], np.uint8), (8, 1)), "WEIGHTS_0": np.full((8, 4), 0.25, np.float32),
        "indices": triangles, "times": np.array([0.0, 1.0], np.float32),
        "slide": np.array([[0, -42, 0], [0, -45, 1]], np.float32),
    }  # fmt: skip
    binary, views, accessors, number = b"", [], [], {}
    for name, array in arrays.items():
        binary += b"\0" * (-len(binary) % 4)
        number[name] = len(accessors)
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": array.nbytes})
        wide = 1 if array.ndim == 1 else array.shape[1]
        entry = {
            "bufferView": len(views) - 1,
            "count": len(array),
            "type": {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}[wide],
        }
        entry["componentType"] = {"float32": 5126, "uint16": 5123, "uint8": 5121}[array.dtype.name]
        if name in ("POSITION", "target", "times"):
            entry |= {
                "min": np.atleast_1d(array.min(axis=0)).tolist(),
                "max": np.atleast_1d(array.max(axis=0)).tolist(),
            }
        accessors.append(entry)
        binary += array.tobytes()
    attributes = {name: number[name] for name in ("POSITION", "TEXCOORD_0", "JOINTS_0", "WEIGHTS_0")}
    primitive = {
        "attributes": attributes,
        "indices": number["indices"],
        "material": 0,
        "targets": [{"POSITION": number["target"]}],
    }
    document = scene(
        nodes=nodes,
        meshes=[{"name": "body", "primitives": [primitive], "weights": [0.5]}],
        skins=[{"joints": list(range(1, 9))}],
        materials=[{"name": "cloth", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "alphaMode": "MASK"}],
        textures=[{"source": 0, "sampler": 0}],
        samplers=[{"wrapS": 33071}],
        images=[{"uri": "cloth%20one.png"}],
        extensionsUsed=["KHR_materials_unlit"],
        bufferViews=views,
        accessors=accessors,
        buffers=[{"byteLength": len(binary)}],
    )  # fmt: skip
    document["scenes"] = [{"nodes": [0, 9]}]
    if keyed:
        sampler = {"input": number["times"], "output": number["slide"]}
        channel = {"sampler": 0, "target": {"node": 3, "path": "translation"}}
        document["animations"] = [{"name": "stretch", "samplers": [sampler], "channels": [channel]}]
    (folder / "cloth one.png").write_bytes(PNG)
    path = folder / "someone.glb"
    path.write_bytes(glb(document, binary))
    return path


def bent(figure: mk.Figure) -> mk.Motion:
    """Three keys of a squat that also turns and goes up."""
    q = np.tile(figure.rest, (3, 1))
    names = [name for name in figure.dofs if "Leg" in name and name.endswith(("swing_1", "swing_2", "twist"))]
    places = [figure.index(name) for name in names]
    q[1:, places] += np.random.default_rng(4).uniform(-0.6, 0.6, (2, len(places)))
    q[1:, :6] += [[0.1, 0.2, -0.1, 0.1, 0.3, 0.5], [0.2, 0.3, 0.2, -0.3, 0.2, 0.9]]
    return mk.Motion(figure, [0.0, 0.05, 0.1], q, name="squat")


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_character_keeps_skin_texture_material_image_and_morph_target_under_a_new_clip(tmp_path, suffix):
    path = character(tmp_path)
    figure = mk.load(path)
    clip = bent(figure)
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / f"new{suffix}"
    notes = mk.save(clip, out)
    assert not any(note.kind == "left out" for note in notes if note.where in ("surfaces", "image 0"))
    before, _ = pieces(path.read_bytes())
    after = pieces(out.read_bytes())[0] if suffix == ".glb" else json.loads(out.read_text())
    for key in KEPT:
        if key not in ("images", "nodes"):
            assert after[key] == before[key], key
    assert after["images"][0]["mimeType"] == "image/png" and "uri" not in after["images"][0]
    doc = formats.gltf.container.Document(out, References(out, None))
    image = doc._view(after["images"][0]["bufferView"], "image")[0]
    assert image == PNG
    coordinates = doc.accessor(
        after["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"], ("VEC2",), "uv"
    )
    assert (
        np.ptp(coordinates[:, 0]) == pytest.approx(0.4)
        and len(after["meshes"][0]["primitives"][0]["targets"]) == 1
    )
    again = formats.read(out)
    assert [c.name for c in again.clips] == ["squat"] and again.figure.name == figure.name
    old, new = segment_frames(figure, clip.q), segment_frames(again.figure, again.clips[0].q)
    for name, frames in old.items():
        np.testing.assert_allclose(new[name], frames, atol=2e-6)


def test_what_is_written_moves_as_pygltflibs_matrices_say(tmp_path):
    path = character(tmp_path)
    figure = mk.load(path)
    clip = bent(figure)
    mk.save(clip, tmp_path / "new.glb")
    peer, frames = Peer(tmp_path / "new.glb"), segment_frames(figure, clip.q)
    for t, time in enumerate(clip.times):
        world = peer.world(0, time)
        for name in frames:
            np.testing.assert_allclose(
                frames[name][t, :3, 3], Y_UP @ world[name][:3, 3], atol=2e-6, err_msg=name
            )


@pytest.mark.parametrize("name", ["RiggedFigure", "RobotExpressive"])
def test_a_real_character_keeps_its_surfaces_under_a_retargeted_walk(data_file, tmp_path, name):
    path = data_file(f"gltf/{name}.glb")
    walk = mk.load_motion(data_file("bvh/cmu_78_11.bvh"), unit="cmu")
    motion = mk.retarget(walk.trim(float(walk.times[1])), mk.load(path))
    mk.save(motion, tmp_path / "walk.glb")
    before, after = pieces(path.read_bytes())[0], pieces((tmp_path / "walk.glb").read_bytes())[0]
    for key in KEPT:
        if key != "nodes":
            assert after.get(key) == before.get(key), key
    assert len(after["animations"]) == 1
    again = formats.read(tmp_path / "walk.glb")
    old, new = segment_frames(motion.figure, motion.q), segment_frames(again.figure, again.clips[0].q)
    for segment in old:
        np.testing.assert_allclose(new[segment][:, :3, 3], old[segment][:, :3, 3], atol=2e-5)


def test_a_figure_changed_beyond_its_file_is_written_by_itself_and_that_is_said(tmp_path):
    figure = mk.load(character(tmp_path))
    held = figure.with_held("box", at="Spine", size=(0.1, 0.1, 0.1), mass=1.0)
    notes = mk.save(held, tmp_path / "held.glb")
    assert any("morph targets are not kept" in note.text for note in notes)
    ranged = figure.with_limits({figure.dofs[6]: (-1.0, 1.0)})
    assert not any("morph" in note.text for note in mk.save(ranged, tmp_path / "ranged.glb"))
    assert "targets" in pieces((tmp_path / "ranged.glb").read_bytes())[0]["meshes"][0]["primitives"][0]
    mk.save(figure, tmp_path / "plain.glb", original=False)
    assert "images" not in pieces((tmp_path / "plain.glb").read_bytes())[0]


def test_a_character_that_looks_back_is_turned_forward_and_stays_so(tmp_path):
    contents = formats.read(character(tmp_path, turned=True))
    assert any("looks backwards" in note.text for note in contents.notes)
    pose = contents.figure.pose()
    assert (pose.position("LeftUpLeg") - pose.position("RightUpLeg"))[1] == pytest.approx(0.2)
    clip = bent(contents.figure)
    mk.save(clip, tmp_path / "again.glb")
    again = formats.read(tmp_path / "again.glb")
    frames, same = segment_frames(contents.figure, clip.q), segment_frames(again.figure, again.clips[0].q)
    for name in frames:
        np.testing.assert_allclose(same[name], frames[name], atol=2e-6)
    assert not any("looks" in note.text for note in formats.read(character(tmp_path)).notes)


def test_a_bone_that_a_clip_stretches_goes_no_farther_in_a_solve(tmp_path):
    contents = formats.read(character(tmp_path, keyed=True))
    figure = contents.figure
    slides = [name for name in figure.dofs[6:] if figure.dof(name).unit == "m"]
    assert len(slides) == 3
    clip = contents.clips[0].q[:, [figure.index(name) for name in slides]]
    assert np.abs(clip[1] - clip[0]).max() == pytest.approx(0.03, abs=1e-6)
    far = figure.pose().position("LeftFoot") + [0.3, 0.3, -1.0]
    found = mk.solve(figure, [mk.Pin("Hips"), mk.Position("LeftFoot", far)])
    length = np.linalg.norm(found.pose.position("LeftLeg") - found.pose.position("LeftUpLeg"))
    assert length < 0.42 + 0.0317
