"""Robots and other figures from files, where they are installed; a hinge arm of our own where they are not."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np

import manikin as mk
from manikin.errors import ManikinError

_FILES = {
    "panda": ("panda_description/urdf/panda.urdf", "fixed"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "free"),
}
_SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
_OWN = Path(__file__).resolve().parents[1] / "data" / "slider_arm.urdf"


@cache
def _loaded(name: str) -> mk.Figure:
    """A robot by name, or the arm that is always there."""
    try:
        if name == "cmu":
            return mk.load(_SHARED / "mjcf" / "humanoid_CMU.xml")
        data = metadata.distribution("example-robot-data")
        folder = Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots")))
        return mk.load(folder / _FILES[name][0], base=_FILES[name][1])
    except (metadata.PackageNotFoundError, ManikinError):
        return mk.load(_OWN)


def robot(rng: np.random.Generator) -> tuple[str, mk.Figure]:
    """One of them, and its name."""
    name = str(rng.choice(["panda", "panda", "ur5", "ur5", "talos", "cmu"]))
    return name, _loaded(name)
