"""The rotation of a free root: R = exp(s).

With J the left Jacobian of exp, in the frame after the motion the turns by the values are the columns of J(−s).
"""

from __future__ import annotations

import numpy as np

from manikin.figure import transforms
from manikin.figure.joints.kind import JointKind

KIND = JointKind(
    "rotation_vector",
    units=("rad",) * 3,
    motion=lambda values: transforms.rotation(transforms.exp(values)),
    twists=lambda values: np.hstack([np.zeros((3, 3)), transforms.left_jacobian(-np.asarray(values)).T]),
    inverse=("rotation_vector", False, -1.0),
    labels=lambda letters: ("rx", "ry", "rz"),
    vector=3,
    stays=True,
)
