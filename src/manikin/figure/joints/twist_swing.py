"""A ball joint seen from its child: R = Rz(s₂) · exp([s₀, s₁, 0]).

With J the left Jacobian of exp, in the frame after the motion the turns by s₀ and s₁ are J(−s), that by s₂ is
exp(−s) z.
"""

from __future__ import annotations

import numpy as np

from manikin.figure import transforms
from manikin.figure.joints.kind import JointKind
from manikin.figure.joints.swing_twist import labels


def _motion(values: np.ndarray) -> np.ndarray:
    swing = transforms.exp([values[0], values[1], 0.0])
    return transforms.rotation(transforms.turn_z(values[2]) @ swing)


def _twists(values: np.ndarray) -> np.ndarray:
    back = np.array([-values[0], -values[1], 0.0])
    turns = transforms.left_jacobian(back)
    turns[:, 2] = transforms.exp(back)[:, 2]
    return np.hstack([np.zeros((3, 3)), turns.T])


KIND = JointKind(
    "twist_swing",
    units=("rad",) * 3,
    motion=_motion,
    twists=_twists,
    inverse=("swing_twist", False, -1.0),
    labels=labels,
    vector=2,
    swings=True,
    stays=True,
)
