"""What a file refers to lies below its folder, or below one that the user gave, and is a regular file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from test_fuzz import character
from tests.opened import foreign, opened

import manikin as mk
from manikin import formats
from manikin.errors import FormatError
from manikin.files import read_bytes
from manikin.formats.opensim import read_osim
from manikin.formats.opensim.scale import scale
from manikin.formats.opensim.setup import read_scale_setup
from manikin.formats.scene import read_scene
from manikin.pictures import picture
from manikin.references import References

SEGMENTS = '<robot name="r"><link name="a"><visual><geometry>{}</geometry></visual></link></robot>'
MJCF = "<mujoco><worldbody><body><joint/><geom size='1'/>{}</body></worldbody></mujoco>"
SETUP = (
    "<OpenSimDocument><ScaleTool name='s'><ModelScaler><scaling_order>measurements</scaling_order>"
    "<marker_file>{}</marker_file></ModelScaler></ScaleTool></OpenSimDocument>"
)
PART = "<mujocoinclude><body name='secret'><joint name='j2'/><geom size='1'/></body></mujocoinclude>"


@pytest.fixture(name="folder")
def own_folder(tmp_path: Path) -> Path:
    """A folder for the file; beside it lie a secret and a folder that the user may give."""
    for name in ("own", "own/sub", "given"):
        (tmp_path / name).mkdir()
    return tmp_path / "own"


def ways_out(folder: Path, name: str) -> list[str]:
    """References that lead to a file outside: up, absolute, by a link to it, by a link to its folder."""
    outside = folder.parent / "given" / name
    (folder / f"link_{name}").symlink_to(outside)
    (folder / "linked").symlink_to(outside.parent)
    up = f"../given/{name}"
    return [up, f"sub/../{up}", str(outside), f"link_{name}", f"linked/{name}"]


def refused(call, folder: Path, *words: str) -> None:
    """The call ends in a FormatError with these words, and nothing outside the folder is opened."""
    with opened() as paths, pytest.raises(FormatError) as error:
        call()
    assert foreign(paths, folder) == []
    for word in words:
        assert word in str(error.value), error.value


def test_an_mjcf_include_stays_below_the_file(folder):
    pytest.importorskip("mujoco")
    (folder.parent / "given" / "part.xml").write_text(PART)
    for written in ways_out(folder, "part.xml"):
        path = folder / "robot.xml"
        path.write_text(MJCF.format(f"\n<include file='{written}'/>"))
        refused(lambda path=path: mk.load(path), folder, "robot.xml:2: <include>", written)
        assert "secret" in mk.load(path, within=[folder.parent / "given"]).segments
    (folder / "sub" / "part.xml").write_text(PART)
    path.write_text(MJCF.format("<include file='sub/part.xml'/>"))
    assert "secret" in mk.load(path).segments


def test_a_pipe_is_not_waited_for(folder):
    pytest.importorskip("mujoco")
    os.mkfifo(folder / "pipe.xml")
    path = folder / "robot.xml"
    path.write_text(MJCF.format("<include file='pipe.xml'/>"))
    refused(lambda: mk.load(path), folder, "<include>", "'pipe.xml' is not a regular file")
    for suffix in formats._ROOMS:
        os.mkfifo(folder / f"figure{suffix}")
        refused(
            lambda suffix=suffix: mk.load(folder / f"figure{suffix}"), folder, f"figure{suffix}", "a pipe"
        )
    for suffix in (".trc", ".csv", ".c3d"):
        os.mkfifo(folder / f"markers{suffix}")
        refused(lambda suffix=suffix: mk.markers.Markers.load(folder / f"markers{suffix}"), folder, "a pipe")


def test_a_gltf_buffer_stays_below_the_file(folder):
    mk.save(character(), folder / "someone.glb")
    mk.save(character(), folder / "someone.gltf")
    document = json.loads((folder / "someone.gltf").read_text())
    import base64

    data = base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    (folder.parent / "given" / "data.bin").write_bytes(data)
    for written in ways_out(folder, "data.bin"):
        document["buffers"][0]["uri"] = written
        (folder / "out.gltf").write_text(json.dumps(document))
        refused(lambda: mk.load(folder / "out.gltf"), folder, "out.gltf: buffer 0", written)
        assert mk.load(folder / "out.gltf", within=[folder.parent / "given"]).n
    (folder / "sub" / "data.bin").write_bytes(data)
    document["buffers"][0]["uri"] = "sub/data.bin"
    (folder / "out.gltf").write_text(json.dumps(document))
    assert mk.load(folder / "out.gltf").n
    os.mkfifo(folder / "pipe.bin")
    document["buffers"][0]["uri"] = "pipe.bin"
    (folder / "out.gltf").write_text(json.dumps(document))
    refused(lambda: mk.load(folder / "out.gltf"), folder, "buffer 0", "not a regular file")


def test_the_figure_of_a_scene_stays_below_the_scene(folder):
    (folder.parent / "given" / "arm.urdf").write_text(SEGMENTS.format('<box size="1 1 1"/>'))
    for written in ways_out(folder, "arm.urdf"):
        (folder / "scene.toml").write_text(f'figure = "{written}"\n')
        refused(lambda: read_scene(folder / "scene.toml"), folder, "scene.toml: figure", written)
        assert read_scene(folder / "scene.toml", within=[folder.parent / "given"]).figure.name == "r"


def test_what_the_figure_of_a_scene_refers_to_may_lie_below_the_scene(folder):
    (folder / "mesh.stl").write_bytes(b"solid")
    (folder / "sub" / "arm.urdf").write_text(SEGMENTS.format('<mesh filename="../mesh.stl"/>'))
    (folder / "scene.toml").write_text('figure = "sub/arm.urdf"\n')
    mesh = read_scene(folder / "scene.toml").figure.segments["a"].shapes[0].mesh
    assert Path(mesh).resolve() == folder / "mesh.stl"
    assert mk.load(folder / "sub" / "arm.urdf").segments["a"].shapes[0].mesh == "outside://../mesh.stl"


def test_a_package_is_one_that_was_given_or_that_the_file_lies_in(folder, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    (folder.parent / "given" / "a.stl").write_bytes(b"solid")
    path = folder / "sub" / "robot.urdf"
    for package in ("given", "own", folder.parent.name, "tmp"):
        within = "a.stl" if package == "given" else os.path.relpath(folder.parent / "given" / "a.stl", "/")
        path.write_text(SEGMENTS.format(f'<mesh filename="package://{package}/{within}"/>'))
        assert mk.load(path).segments["a"].shapes[0].mesh.startswith("package://")
    path.write_text(SEGMENTS.format('<mesh filename="package://given/a.stl"/>'))
    given = str(folder.parent / "given" / "a.stl")
    assert mk.load(path, packages={"given": folder.parent / "given"}).segments["a"].shapes[0].mesh == given
    assert mk.load(path, within=[folder.parent]).segments["a"].shapes[0].mesh == given
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(folder.parent))
    assert mk.load(path).segments["a"].shapes[0].mesh == given
    assert mk.load(path, within=[]).segments["a"].shapes[0].mesh == "package://given/a.stl"


@pytest.mark.parametrize("suffix", [".urdf", ".npz", ".fig", ".xml"])
def test_a_mesh_outside_is_marked_and_not_opened(folder, suffix):
    if suffix == ".xml":
        pytest.importorskip("mujoco")
    box = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1", "f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (folder.parent / "given" / "a.obj").write_text("\n".join(box))
    for written in ways_out(folder, "a.obj"):
        path = folder / f"robot{suffix}"
        if suffix == ".urdf":
            path.write_text(SEGMENTS.format(f'<mesh filename="{written}"/>'))
        elif suffix == ".npz":
            shape = mk.Shape("mesh", mesh=written)
            mk.save(mk.Figure("r", [mk.Segment("a", shapes=(shape,))], []), path)
        elif suffix == ".fig":
            path.write_text(
                f'figure r {{ segment a {{ psurf = "{written}"; site s->location = trans(0, 0, 0); }} root = a.s; }}'
            )
        else:
            path.write_text(
                f"<mujoco><asset><mesh name='m' file='{written}'/></asset><worldbody><body name='a'>"
                "<joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
            )
        with opened() as paths:
            found = mk.load(path)
        assert foreign(paths, folder) == []
        assert [shape.mesh for shape in found.segments["a"].shapes] == [f"outside://{written}"]
        with opened() as paths, pytest.raises(FormatError):
            picture(found.pose(), folder / "a.png")
        assert not [each for each in paths if each.resolve().parent == folder.parent / "given"]
        inside = mk.load(path, within=[folder.parent / "given"])
        assert Path(inside.segments["a"].shapes[0].mesh).resolve() == folder.parent / "given" / "a.obj"


def test_the_files_of_an_opensim_setup_stay_below_it(folder):
    secret = folder.parent / "given" / "walk.trc"
    secret.write_text("secret")
    model = read_osim(Path(__file__).parent / "osim" / "data" / "every_joint.osim")
    for written in ways_out(folder, "walk.trc"):
        (folder / "setup.xml").write_text(SETUP.format(written))
        setup = read_scale_setup(folder / "setup.xml")
        refused(lambda setup=setup: scale(model, setup), folder, "<marker_file>", "walk.trc")
        given = read_scale_setup(folder / "setup.xml", within=[folder.parent / "given"])
        with pytest.raises(FormatError, match="Frame#"):
            scale(model, given)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole, which takes no space
    with pytest.raises(FormatError, match="too large to be a C3D file: over 2048 MB"):
        read_bytes(path, "C3D")


@pytest.mark.parametrize("written", ["", "a" * 5000, "a\0b", "loop", ".", "sub"])
def test_strange_references_are_refused_in_words(folder, written):
    (folder / "loop").symlink_to(folder / "loop")
    with pytest.raises(FormatError, match="here"):
        References(folder / "x.urdf").path(written, "here")


def test_within_must_be_folders():
    with pytest.raises(FormatError, match="within= must be folders"):
        References("x.urdf", [3])  # type: ignore[list-item]


def test_equal_rules_are_equal(folder):
    assert References(folder / "a", [folder]) == References(folder / "b", [str(folder)])
    assert References(folder / "a") != References(folder / "a", [])
    assert np.unique([hash(References(folder / "a", ())) for _ in range(3)]).size == 1
