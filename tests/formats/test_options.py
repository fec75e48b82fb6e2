"""Options that a kind of file does not have are refused by name, before anything is read or written."""

from __future__ import annotations

from pathlib import Path

import pytest

import manikin as mk


@pytest.fixture
def robot() -> mk.Figure:
    return mk.Figure("robot", ["a", "b"], [mk.Joint.revolute("j", "a", "b")])


@pytest.mark.parametrize("suffix", ["urdf", "bvh", "npz", "fig"])
def test_an_option_that_a_writer_does_not_have_is_refused(
    robot: mk.Figure, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"robot.{suffix}"
    with pytest.raises(mk.FormatError, match=rf"robot\.{suffix}: unknown option 'look'"):
        mk.save(robot, path, look="skin")
    assert not path.exists()


@pytest.mark.parametrize("suffix", ["urdf", "bvh", "npz", "fig", "glb"])
def test_an_option_that_a_reader_does_not_have_is_refused(
    robot: mk.Figure, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"robot.{suffix}"
    mk.save(robot, path)
    with pytest.raises(mk.FormatError, match=rf"robot\.{suffix}: unknown option 'colour'"):
        mk.load(path, colour="red")
    assert mk.load(path).n >= 1


def test_a_misspelt_option_is_told_the_nearest(robot: mk.Figure, tmp_path: Path) -> None:
    with pytest.raises(mk.FormatError, match="did you mean 'unit'"):
        mk.save(robot, tmp_path / "robot.bvh", units="m")
    mk.save(robot, tmp_path / "robot.urdf")
    with pytest.raises(mk.FormatError, match="did you mean 'packages'"):
        mk.load(tmp_path / "robot.urdf", package={})
    with pytest.raises(mk.FormatError, match="unknown option 'notes'"):
        mk.load(tmp_path / "robot.urdf", notes=None)
