"""Which way is up: rotations from a file's axes to the world's, which are x forward, y left, z up.

A matrix C has the images of the file's axes as its columns: a point p of the file is C p in the world.
"""

from __future__ import annotations

import numpy as np

from manikin.errors import FormatError
from manikin.figure.checks import frozen

#: y up, facing z: glTF, VRM 1, BVH by custom, Peabody.
Y_UP = frozen([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
#: y up, facing −z: VRM 0.
Y_UP_BACKWARDS = frozen([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
#: z up, facing x: the world's own; URDF, MJCF.
Z_UP = frozen(np.eye(3))

_UP = {"y": Y_UP, "z": Z_UP}

#: Names for units of length, in metres.
UNITS = {
    "m": 1.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
    "inch": 0.0254,
    "foot": 0.3048,
    "cmu": 0.0254 / 0.45,  # the CMU motion capture database
}


def axes_of(up: str, where: str) -> np.ndarray:
    """The 3×3 of the axis that the file calls up."""
    if up not in _UP:
        raise FormatError(f"{where}: up must be 'y' or 'z', got {up!r}")
    return _UP[up]


def metres(unit: str | float, where: str) -> float:
    """Metres in one unit of a file, from a name or a number."""
    if isinstance(unit, str):
        if unit not in UNITS:
            raise FormatError(
                f"{where}: unknown unit {unit!r}; expected one of {', '.join(UNITS)}, or a number of metres"
            )
        return UNITS[unit]
    try:
        value = float(unit)
    except (TypeError, ValueError):
        raise FormatError(f"{where}: the unit must be a name or a number of metres, got {unit!r}") from None
    if not 0.0 < value < float("inf"):
        raise FormatError(f"{where}: the unit must be above 0 metres, got {value}")
    return value


def rotated(matrix: np.ndarray) -> np.ndarray:
    """The 4×4 of a 3×3."""
    result = np.eye(4)
    result[:3, :3] = matrix
    return result
