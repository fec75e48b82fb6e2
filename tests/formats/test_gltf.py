from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import manikin as mk
from manikin import formats
from manikin.errors import FormatError
from manikin.formats.axes import Y_UP, Y_UP_BACKWARDS
from manikin.formats.contents import Contents
from manikin.formats.gltf.vrm import REQUIRED
from manikin.formats.posed import segment_frames
from manikin.motion.motion import Motion

SAMPLES = ("RiggedFigure", "RobotExpressive")


def pieces(data: bytes) -> tuple[dict, bytes]:
    """The JSON and the binary chunk of a GLB."""
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def glb(document: dict, binary: bytes = b"") -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class Peer:
    """World matrices of a glTF file by pygltflib's own objects: T·R·S down the tree, animations by SciPy's Slerp."""

    def __init__(self, path: Path) -> None:
        pygltflib = pytest.importorskip("pygltflib")
        self.gltf = pygltflib.GLTF2().load(str(path))
        self.blob = self.gltf.binary_blob()

    def numbers(self, number: int) -> np.ndarray:
        accessor = self.gltf.accessors[number]
        assert accessor.componentType == 5126
        view = self.gltf.bufferViews[accessor.bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor.type]
        begin = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        stride = view.byteStride or 4 * width
        rows = [
            struct.unpack_from(f"<{width}f", self.blob, begin + k * stride) for k in range(accessor.count)
        ]
        return np.array(rows, dtype=np.float64)

    def locals(self, animation: int | None, time: float) -> list[np.ndarray]:
        parts = [
            [
                np.array(node.translation or [0, 0, 0], dtype=float),
                np.array(node.rotation or [0, 0, 0, 1], dtype=float),
                np.array(node.scale or [1, 1, 1], dtype=float),
            ]
            for node in self.gltf.nodes
        ]
        if animation is not None:
            chosen = self.gltf.animations[animation]
            for channel in chosen.channels:
                sampler = chosen.samplers[channel.sampler]
                place = {"translation": 0, "rotation": 1, "scale": 2}.get(channel.target.path)
                if place is None:
                    continue
                times, keys = self.numbers(sampler.input)[:, 0], self.numbers(sampler.output)
                now = np.clip(time, times[0], times[-1])
                if place == 1 and len(times) > 1:
                    value = Slerp(times, Rotation.from_quat(keys))(now).as_quat()
                else:
                    value = np.array([np.interp(now, times, column) for column in keys.T])
                parts[channel.target.node][place] = value
        matrices = []
        for node, (t, q, s) in zip(self.gltf.nodes, parts, strict=True):
            matrix = np.eye(4)
            if node.matrix:
                matrix = np.array(node.matrix).reshape(4, 4).T
            else:
                matrix[:3, :3] = Rotation.from_quat(q).as_matrix() * s
                matrix[:3, 3] = t
            matrices.append(matrix)
        return matrices

    def world(self, animation: int | None = None, time: float = 0.0) -> dict[str, np.ndarray]:
        """The matrices of the nodes by name; of several of one name, that of the joint."""
        local = self.locals(animation, time)
        joints = {joint for skin in self.gltf.skins or [] for joint in skin.joints}
        found: dict[str, np.ndarray] = {}
        waiting = [(k, np.eye(4)) for k in self.gltf.scenes[self.gltf.scene or 0].nodes]
        while waiting:
            k, above = waiting.pop()
            matrix = above @ local[k]
            if k in joints or self.gltf.nodes[k].name not in found:
                found[self.gltf.nodes[k].name] = matrix
            waiting += [(child, matrix) for child in self.gltf.nodes[k].children or []]
        return found


def test_a_node_stands_where_pygltflibs_matrices_have_it(data_file):
    for name in SAMPLES:
        path = data_file(f"gltf/{name}.glb")
        contents = formats.read(path)
        world = Peer(path).world()
        for segment, frame in contents.figure.pose().matrices().items():
            np.testing.assert_allclose(frame[:3, 3], Y_UP @ world[segment][:3, 3], atol=1e-6, err_msg=segment)
            axes = world[segment][:3, :3] / np.linalg.norm(world[segment][:3, :3], axis=0)
            # a scale of 1.00002 along one axis, in RobotExpressive's thighs, makes the shins' axes no right angles
            np.testing.assert_allclose(
                frame[:3, :3], Y_UP @ axes, atol=1e-6 if name == "RiggedFigure" else 2e-5
            )


@pytest.mark.parametrize(("name", "tolerance"), [("RiggedFigure", 1e-6), ("RobotExpressive", 1e-5)])
def test_a_clip_moves_every_node_as_pygltflibs_matrices_do(data_file, name, tolerance):
    # RobotExpressive is 4.4 m tall, and its thighs are scaled by 1.00002 along one axis: 1e-5 is a tenth of that.
    path = data_file(f"gltf/{name}.glb")
    contents, peer = formats.read(path), Peer(path)
    for number, clip in enumerate(contents.clips):
        frames = segment_frames(clip.figure, clip.q)
        for t in {0, len(clip.times) // 2, len(clip.times) - 1}:
            world = peer.world(number, clip.times[t])
            for segment in frames:
                place = Y_UP @ world[segment][:3, 3]
                np.testing.assert_allclose(frames[segment][t, :3, 3], place, atol=tolerance, err_msg=segment)


def test_a_skin_follows_its_skeleton_as_the_formula_says(data_file):
    path = data_file("gltf/RiggedFigure.glb")
    contents, peer = formats.read(path), Peer(path)
    skin, clip = contents.skins[0], contents.clips[0]
    world = peer.world(0, clip.times[-1])
    document = peer.gltf
    primitive = document.meshes[0].primitives[0]
    vertices = peer.numbers(primitive.attributes.POSITION)
    weights = peer.numbers(primitive.attributes.WEIGHTS_0)
    accessor = document.accessors[document.skins[0].inverseBindMatrices]
    view = document.bufferViews[accessor.bufferView]
    begin = (view.byteOffset or 0) + (accessor.byteOffset or 0)
    inverse = np.frombuffer(peer.blob, np.float32, 16 * accessor.count, begin).reshape(-1, 4, 4).astype(float)
    names = [document.nodes[k].name for k in document.skins[0].joints]
    moved = [world[name] @ matrix.T for name, matrix in zip(names, inverse, strict=True)]
    whole = np.column_stack([vertices, np.ones(len(vertices))])
    found = skin.posed(clip.figure.pose(clip.q[-1]))
    for v in range(0, len(vertices), 7):
        blend = sum(
            weights[v, k] * moved[int(joint)] @ whole[v]
            for k, joint in enumerate(skin.joints[v])
            if weights[v, k] > 0
        )
        np.testing.assert_allclose(found[v], Y_UP @ blend[:3] / weights[v].sum(), atol=2e-6)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_skeleton_skin_and_clips_written_and_read_again_are_the_same(data_file, tmp_path, name, suffix):
    first = formats.read(data_file(f"gltf/{name}.glb"))
    mk.save(first, tmp_path / f"again{suffix}")
    again = formats.read(tmp_path / f"again{suffix}")
    assert again.figure.name == name and again.figure.dofs == first.figure.dofs
    assert set(again.figure.sites) == set(first.figure.sites)
    assert [clip.name for clip in again.clips] == [clip.name for clip in first.clips]
    for before, after in zip(first.clips, again.clips, strict=True):
        np.testing.assert_allclose(after.times, before.times, atol=1e-6)
        old, new = segment_frames(first.figure, before.q), segment_frames(again.figure, after.q)
        for segment in old:
            np.testing.assert_allclose(new[segment], old[segment], atol=5e-7)
    for before, after in zip(first.skins, again.skins, strict=True):
        place = after.posed(again.figure.pose())
        np.testing.assert_allclose(place, before.posed(first.figure.pose()), atol=5e-7)
        assert after.color == pytest.approx(before.color)


@pytest.fixture
def files(tmp_path, data_file):
    """Files of every kind that we write: a clip from BVH, a skinned character, the human, a robot, a VRM."""
    body = mk.human()
    wave = body.pose().q + np.outer([0.0, 0.3, 0.6], np.eye(body.n)[body.index("left_elbow")])
    lamp = mk.Figure(
        "lamp", ["a", "b"], [mk.Joint.revolute("j", "a", "b", "x", placement=(0, 0, 1), lower=-20, upper=20)]
    )
    written = {
        "walk.glb": formats.read(data_file("bvh/cmu_78_11.bvh"), unit="cmu"),
        "robot.glb": formats.read(data_file("gltf/RobotExpressive.glb")),
        "body.gltf": Motion(body, [0.0, 0.5, 1.0], wave, name="wave"),
        "body.vrm": Contents(body, (Motion(body, [0.0, 0.5, 1.0], wave, name="wave"),)),
        "lamp.glb": Motion(lamp, [-1.0, 0.0, 2.0], [[0.0], [3.0], [9.0]]),
        "still.glb": lamp,
    }
    for name, what in written.items():
        mk.save(what, tmp_path / name)
    return [tmp_path / name for name in written]


def test_what_is_written_pygltflib_reads_with_the_same_matrices(files, data_file):
    path = files[0]
    clip = mk.load_motion(data_file("bvh/cmu_78_11.bvh"), unit="cmu")
    frames, peer = segment_frames(clip.figure, clip.q), Peer(path)
    for t in (0, 1, 20, len(clip.times) - 1):
        world = peer.world(0, clip.times[t])
        for segment in frames:
            np.testing.assert_allclose(frames[segment][t, :3, 3], Y_UP @ world[segment][:3, 3], atol=1e-6)


def test_the_validator_finds_no_error(files):
    module = _validator()
    script = (
        f"const v=require({json.dumps(module)}),fs=require('fs');(async()=>{{const found=[];"
        "for(const f of process.argv.slice(1)){"
        "const r=await v.validateBytes(new Uint8Array(fs.readFileSync(f)),{maxIssues:50});"
        "found.push([r.issues.numErrors,r.issues.numWarnings,r.issues.messages])}"
        "console.log(JSON.stringify(found))})()"
    )
    done = subprocess.run(
        ["node", "-e", script, *map(str, files)], capture_output=True, text=True, check=True
    )
    for path, (errors, warnings, messages) in zip(files, json.loads(done.stdout), strict=True):
        assert (errors, warnings) == (0, 0), f"{path.name}: {messages}"


def _validator() -> str:
    """Where npm has put gltf-validator, beside the repository or for all; skips where it has not."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed; gltf-validator runs on it")
    root = Path(__file__).parents[2]
    script = "console.log(require.resolve('gltf-validator',{paths:process.argv.slice(1)}))"
    places = [str(root), str(root / "node_modules")]
    shared = (
        subprocess.run(["npm", "root", "-g"], capture_output=True, text=True) if shutil.which("npm") else None
    )
    places += [shared.stdout.strip()] if shared is not None and shared.returncode == 0 else []
    found = subprocess.run(["node", "-e", script, *places], capture_output=True, text=True)
    if found.returncode:
        pytest.skip("gltf-validator is not installed: npm install --no-save gltf-validator")
    return found.stdout.strip()


def test_a_hinge_that_turns_further_than_half_a_turn_gets_keys_between(files):
    clip = mk.load_motion(files[4])
    assert clip.times[0] == 0.0 and len(clip.times) > 3
    turned = segment_frames(clip.figure, clip.q)["b"][:, :3, :3]
    angles = [Rotation.from_matrix(turned[0].T @ matrix).as_rotvec()[0] for matrix in turned]
    assert np.unwrap(angles)[-1] == pytest.approx(9.0, abs=1e-5)


def test_keys_are_added_at_a_rate_and_viewers_ways_are_told(tmp_path):
    figure = mk.Figure("f", ["a", "b"], [mk.Joint("j", "a", "b", "R(z)", lower=-5, upper=5)])
    clip = mk.Motion(figure, [0.0, 0.5, 1.0], [[0.0], [1.0], [0.0]], name="nod")
    notes = mk.save(clip, tmp_path / "nod.glb")
    assert (
        any("rate=" in note.text for note in notes) and len(mk.load_motion(tmp_path / "nod.glb").times) == 3
    )
    mk.save(clip, tmp_path / "nod.glb", rate=50)
    again = mk.load_motion(tmp_path / "nod.glb")
    assert len(again.times) == 51
    turned = segment_frames(again.figure, again.q)["b"][:, :3, :3]
    expected = segment_frames(figure, clip.values(again.times))["b"][:, :3, :3]
    np.testing.assert_allclose(turned, expected, atol=1e-6)


def scene(**nodes_and_more) -> dict:
    return {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], **nodes_and_more}


def test_scales_go_into_the_offsets_of_what_is_below(tmp_path):
    nodes = [
        {
            "name": "armature",
            "scale": [0.01, 0.01, 0.01],
            "rotation": [-(0.5**0.5), 0, 0, 0.5**0.5],
            "children": [1],
        },
        {"name": "hips", "translation": [0, 0, 90], "children": [2, 3]},
        {"name": "leg", "translation": [10, 0, -20], "scale": [2, 2, 2], "children": [4]},
        {"name": "arm", "translation": [0, 0, 50]},
        {"name": "foot", "translation": [0, 0, -20]},
    ]
    (tmp_path / "scaled.glb").write_bytes(glb(scene(nodes=nodes, skins=[{"joints": [1, 2, 3, 4]}])))
    figure = mk.load(tmp_path / "scaled.glb")
    assert (figure.root, figure.base) == ("hips", "free")
    pose = figure.pose()
    np.testing.assert_allclose(pose.position("hips"), Y_UP @ [0, 0.9, 0], atol=1e-15)
    np.testing.assert_allclose(pose.position("foot"), Y_UP @ [0.1, 0.9 - 0.2 - 0.4, 0], atol=1e-15)


def test_still_nodes_are_sites_and_meshes_on_them_go_with_their_segment(tmp_path):
    nodes = [
        {"name": "hips", "children": [1]},
        {"name": "head", "translation": [0, 0.5, 0], "children": [2]},
        {"name": "hat", "translation": [0, 0.2, 0]},
    ]
    (tmp_path / "hat.glb").write_bytes(glb(scene(nodes=nodes, skins=[{"joints": [0, 1]}])))
    figure = mk.load(tmp_path / "hat.glb")
    assert list(figure.segments) == ["hips", "head"]
    assert figure.site("hat").segment == "head"


@pytest.mark.parametrize("version", [0, 1])
def test_a_vrm_tells_which_segment_is_which_bone_and_faces_forward(tmp_path, version):
    nodes = [
        {"name": "J_Hips", "translation": [0, 1, 0], "children": [1]},
        {"name": "J_Head", "translation": [0, 0.6, 0.1]},
    ]
    bones = {"hips": 0, "head": 1}
    if version:
        human = {"VRMC_vrm": {"humanoid": {"humanBones": {bone: {"node": k} for bone, k in bones.items()}}}}
    else:
        human = {
            "VRM": {"humanoid": {"humanBones": [{"bone": bone, "node": k} for bone, k in bones.items()]}}
        }
    (tmp_path / "someone.vrm").write_bytes(glb(scene(nodes=nodes, extensions=human)))
    contents = formats.read(tmp_path / "someone.vrm")
    assert dict(contents.humanoid) == {"hips": "J_Hips", "head": "J_Head"}
    axes = Y_UP if version else Y_UP_BACKWARDS
    np.testing.assert_allclose(contents.figure.pose().position("head"), axes @ [0, 1.6, 0.1], atol=1e-15)


def test_the_human_as_vrm_has_its_bones(files):
    contents = formats.read(files[3])
    assert contents.humanoid["hips"] == "pelvis" and contents.humanoid["leftLowerArm"] == "left_forearm"
    assert len(contents.clips) == 1
    with pytest.raises(FormatError, match="a VRM needs the segments of 'hips'"):
        mk.save(mk.Figure("f", ["a"], []), files[3].parent / "none.vrm")
    assert not (files[3].parent / "none.vrm").exists()


@pytest.mark.parametrize("options", [{"fingers": False}, {"spine": "bend"}])
def test_a_human_with_fewer_bones_is_a_vrm_of_those_it_has(tmp_path, options):
    body = mk.human(**options)
    mk.save(body, tmp_path / "body.vrm")
    bones = formats.read(tmp_path / "body.vrm").humanoid
    assert set(REQUIRED) <= set(bones) and set(bones.values()) <= set(body.segments)
    assert ("leftIndexDistal" in bones) == ("fingers" not in options)


def test_cubic_curves_and_steps_are_sampled_and_told(tmp_path):
    times, zero = [0.0, 1.0], [0.0, 0.0, 0.0]
    cubic = [zero, zero, [3.0, 0, 0], [3.0, 0, 0], [1.0, 0, 0], zero]  # in-tangent, value, out-tangent
    binary = struct.pack("<2f", *times) + struct.pack("<18f", *np.ravel(cubic))
    document = scene(
        nodes=[{"name": "a", "children": [1]}, {"name": "b"}],
        skins=[{"joints": [0, 1]}],
        buffers=[{"byteLength": len(binary)}],
        bufferViews=[{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 72}],
        accessors=[
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": 6, "type": "VEC3"},
        ],
        animations=[
            {
                "samplers": [{"input": 0, "output": 1, "interpolation": "CUBICSPLINE"}],
                "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}],
            }
        ],
    )
    (tmp_path / "cubic.glb").write_bytes(glb(document, binary))
    contents = formats.read(tmp_path / "cubic.glb")
    clip = contents.clips[0]
    s = clip.times
    expected = (s**3 - 2 * s**2 + s) * 3 + (-2 * s**3 + 3 * s**2) * 1 + (s**3 - s**2) * 3
    np.testing.assert_allclose(clip.q[:, clip.figure.index("b_x")], expected, atol=1e-6)
    assert len(clip.times) > 50 and any("cubic" in note.text for note in contents.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(asset={"version": "1.0"}), "only glTF 2.0"),
        (lambda d: d.update(asset=3), "asset: expected an object"),
        (lambda d: d["nodes"][0].update(children=[99]), "99 is not the number of one of"),
        (lambda d: d["nodes"][2].update(children=[2]), "two parents|own ancestor"),
        (lambda d: d["nodes"][2].update(rotation=[0, 0, 0, 0]), "no quaternion"),
        (lambda d: d["nodes"][2].update(translation=[0, 1e999, 0]), "expected 3 finite numbers"),
        (lambda d: d["accessors"][0].update(count=10**12), "are not in"),
        (lambda d: d["accessors"][0].update(componentType=7), "unknown componentType"),
        (lambda d: d["bufferViews"][0].update(byteOffset=10**9), "ends at"),
        (lambda d: d["buffers"][0].update(byteLength=10**9), "bytes are promised"),
        (lambda d: d["buffers"][0].update(uri="http://example.org/x.bin"), "nothing is fetched"),
        (lambda d: d["buffers"][0].update(uri="../../etc/passwd"), "not in the file's folder"),
        (lambda d: d.update(nodes=[], scenes=[], animations=[], skins=[], meshes=[]), "it has no nodes"),
    ],
)
def test_a_broken_file_is_refused_and_told_where(data_file, tmp_path, change, message):
    document, binary = pieces(data_file("gltf/RiggedFigure.glb").read_bytes())
    change(document)
    (tmp_path / "broken.glb").write_bytes(glb(document, binary))
    with pytest.raises(FormatError, match=message):
        formats.read(tmp_path / "broken.glb")
