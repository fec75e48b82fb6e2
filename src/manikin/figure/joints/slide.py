"""A slide along z."""

from __future__ import annotations

import numpy as np

from manikin.figure import transforms
from manikin.figure.joints.kind import JointKind

KIND = JointKind(
    "slide",
    units=("m",),
    motion=lambda values: transforms.translation([0.0, 0.0, values[0]]),
    twists=lambda values: np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]),
    inverse=("slide", True, 1.0),
    word="T",
    slides=True,
)
