from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FormatError
from manikin.figure import Figure, Segment, Shape
from manikin.pictures import picture
from manikin.pictures.meshes import corner_normals, load_mesh
from manikin.pictures.surface import simple

from .support import SIZE, pixels, robot

CUBE = """o cube
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 3 4 8
f 3 8 7
f 1 5 8
f 1 8 4
f 2 3 7
f 2 7 6
"""


@pytest.fixture
def cube(tmp_path):
    path = tmp_path / "cube.obj"
    path.write_text(CUBE)
    return path


def meshed(path) -> Figure:
    return Figure(
        "meshed", [Segment("base", shapes=(Shape("mesh", (), None, str(path), (0.2, 0.2, 0.4)),))], []
    )


def test_a_mesh_is_read_and_scaled(cube):
    found = load_mesh(str(cube), (2.0, 1.0, 0.5))
    assert len(found) == 12
    assert np.ptp(found.corners.reshape(-1, 3), axis=0) == pytest.approx([2.0, 1.0, 0.5])


def test_a_mesh_changed_on_disk_is_read_again(cube):
    assert len(load_mesh(str(cube), (1.0, 1.0, 1.0))) == 12
    cube.write_text("\n".join(CUBE.splitlines()[:-2]) + "\n")
    assert len(load_mesh(str(cube), (1.0, 1.0, 1.0))) == 10


def test_sharp_edges_stay_sharp(cube):
    normals = load_mesh(str(cube), (1.0, 1.0, 1.0)).normals
    assert np.abs(normals).max(axis=-1) == pytest.approx(1.0, abs=1e-5)


def test_a_round_mesh_gets_the_normals_of_its_roundness():
    ball = simple("sphere", (2.0,))
    found = corner_normals(ball.corners.astype(float))
    assert np.einsum("nci,nci->nc", found, ball.normals).min() > 0.995


def test_a_missing_mesh_is_named_with_what_to_do(tmp_path):
    with pytest.raises(FormatError, match=r'nowhere\.stl: mesh not found.*meshes="skip"'):
        picture(meshed(tmp_path / "nowhere.stl"), size=SIZE)


def test_a_broken_mesh_is_named(tmp_path):
    (tmp_path / "broken.stl").write_bytes(b"\x00" * 100)
    with pytest.raises(FormatError, match=r"broken\.stl: the mesh"):
        picture(meshed(tmp_path / "broken.stl"), size=SIZE)


def test_an_unknown_kind_of_mesh_is_named(tmp_path):
    (tmp_path / "part.blend").write_bytes(b"BLENDER")
    with pytest.raises(FormatError, match=r"part\.blend: unknown kind of mesh"):
        picture(meshed(tmp_path / "part.blend"), size=SIZE)


def test_missing_meshes_can_be_drawn_as_bones(tmp_path):
    array = pixels(picture(meshed(tmp_path / "nowhere.stl"), size=SIZE, meshes="skip"))
    assert (array[..., 0] - array[..., 2] > 0.15).mean() > 0.02  # wood


def test_a_mesh_is_drawn(cube):
    array = pixels(picture(meshed(cube), size=SIZE))
    assert array[80, 80].min() < 0.85


@pytest.mark.parametrize("path", ["panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf"])
def test_robots_are_drawn_with_their_meshes_and_colours(path):
    array = pixels(picture(robot(path), size=(240, 240), quality="draft"))
    dark = array.max(axis=-1) < 0.35
    assert 0.002 < dark.mean() < 0.5  # both have black covers, which the files' colours say
