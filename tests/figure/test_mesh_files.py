"""Files of meshes: what they refer to follows the rule of all files, and nothing that is damaged does harm."""

from __future__ import annotations

import os

import pytest
from tests.opened import foreign, opened

import manikin as mk
from manikin.errors import FormatError, GoalError
from manikin.figure import Shape, mesh_files
from manikin.figure.mesh_files import read_mesh

pytest.importorskip("trimesh")
OBJ = "mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n"


@pytest.mark.parametrize("written", ["../secret.mtl", "{secret}", "link.mtl", "~/secret.mtl"])
def test_what_a_mesh_refers_to_outside_its_folder_is_not_opened(written, tmp_path):
    secret = tmp_path / "secret.mtl"
    secret.write_text("newmtl m\nKd 1 0 0\n")
    folder = tmp_path / "meshes"
    folder.mkdir()
    (folder / "link.mtl").symlink_to(secret)
    mesh = folder / "part.obj"
    mesh.write_text(OBJ.format(library=written.format(secret=secret)))
    read_mesh(mesh)  # what is loaded for the first time counts for none
    with opened() as paths:
        assert [len(part.faces) for part in read_mesh(mesh)] == [1]
    assert foreign(paths, folder) == []


def test_textures_of_the_package_that_a_mesh_lies_in_may_be_used(tmp_path):
    package = tmp_path / "lamp"
    (package / "meshes").mkdir(parents=True)
    (package / "materials").mkdir()
    (package / "materials" / "m.mtl").write_text("newmtl m\nKd 1 0 0\n")
    mesh = package / "meshes" / "part.obj"
    mesh.write_text(OBJ.format(library="../materials/m.mtl"))

    def red() -> bool:
        (one,) = read_mesh(mesh)
        return list(one.visual.material.main_color[:3]) == [255, 0, 0]

    assert not red()
    (package / "package.xml").write_text("<package/>")
    assert red()


def test_only_kinds_of_meshes_are_read_whatever_trimesh_knows(tmp_path):
    for name in ("part.zip", "part.3mf", '{"a": 1}', "~/part.stl", "part"):
        with pytest.raises(FormatError):
            read_mesh(tmp_path / name)
    (tmp_path / "part.zip").write_bytes(b"PK")
    body = mk.Figure("f", [mk.Segment("a", shapes=[Shape("mesh", mesh=str(tmp_path / "part.zip"))])], [])
    with pytest.raises(GoalError, match="unknown kind of mesh"):
        mk.solve(body, [mk.Outside("a", mk.Ball([0, 0, 0], 1.0))])


def test_pipes_large_files_and_entities_are_refused(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.stl")
    with pytest.raises(FormatError, match="pipe or a device"):
        read_mesh(tmp_path / "pipe.stl")
    (tmp_path / "part.dae").write_text(
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><COLLADA>&b;</COLLADA>'
    )
    with pytest.raises(FormatError, match="declares entities"):
        read_mesh(tmp_path / "part.dae")
    monkeypatch.setattr(mesh_files, "MOST_BYTES", 1 << 20)
    (tmp_path / "large.stl").write_bytes(b"\1" * ((1 << 20) + 1))
    with pytest.raises(FormatError, match="too large"):
        read_mesh(tmp_path / "large.stl")


@pytest.mark.parametrize("suffix", mesh_files.KINDS)
def test_a_broken_mesh_is_refused_in_words(suffix, tmp_path):
    path = tmp_path / f"part{suffix}"
    path.write_bytes(b"not a mesh at all {")
    with pytest.raises(FormatError, match="part"):
        read_mesh(path)
