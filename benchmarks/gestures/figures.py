"""Whose gestures they are: the human, three characters and a robot."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import manikin as mk
from manikin.studio.model.document import Document, fresh
from manikin.studio.model.source import Source

DATA = Path(__file__).parents[3] / "shared" / "data" / "gltf"
G1 = "cmeel.prefix/share/example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf"


def written(folder: Path) -> Path:
    """The human figure as a VRM character with a skin, as another program would read it."""
    path = folder / "written.vrm"
    mk.save(mk.human(), path, look="skin")
    return path


def characters(folder: Path) -> list[Path]:
    """A VRM file, and two of glTF: three.js's RobotExpressive (CC0) and Khronos's RiggedFigure (CC BY 4.0)."""
    return [written(folder), DATA / "RobotExpressive.glb", DATA / "RiggedFigure.glb"]


def robot() -> Path | None:
    """Unitree's G1 of the package example-robot-data; None where it is not installed."""
    try:
        found = Path(str(distribution("example-robot-data").locate_file(G1)))
    except PackageNotFoundError:
        return None
    return found if found.is_file() else None


def document(path: Path | None) -> Document:
    """A person as the studio opens a file, or the human."""
    return fresh(Source() if path is None else Source.of_file(path))
