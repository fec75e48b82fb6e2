"""A turn about z."""

from __future__ import annotations

import numpy as np

from manikin.figure import transforms
from manikin.figure.joints.kind import JointKind

KIND = JointKind(
    "rotate",
    units=("rad",),
    motion=lambda values: transforms.rotation(transforms.turn_z(values[0])),
    twists=lambda values: np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]),
    inverse=("rotate", True, 1.0),
    word="R",
    turns=True,
    stays=True,
)
