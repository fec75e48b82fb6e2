"""A ball joint: R = exp([s₀, s₁, 0]) · Rz(s₂), a swing and after it a twist about z.

With J the left Jacobian of exp, in the frame after the motion the turns by s₀ and s₁ are Rz(−s₂) J(−s), that by s₂ is
z.
"""

from __future__ import annotations

import numpy as np

from manikin.figure import transforms
from manikin.figure.joints.kind import JointKind


def _motion(values: np.ndarray) -> np.ndarray:
    swing = transforms.exp([values[0], values[1], 0.0])
    return transforms.rotation(swing @ transforms.turn_z(values[2]))


def _twists(values: np.ndarray) -> np.ndarray:
    turns = transforms.turn_z(-values[2]) @ transforms.left_jacobian(np.array([-values[0], -values[1], 0.0]))
    turns[:, 2] = [0.0, 0.0, 1.0]
    return np.hstack([np.zeros((3, 3)), turns.T])


def labels(letters: tuple[str, str, str]) -> tuple[str, ...]:
    """The two axes of the swing by their letters or numbers, and the twist."""
    return f"swing_{letters[0] or 1}", f"swing_{letters[1] or 2}", "twist"


KIND = JointKind(
    "swing_twist",
    units=("rad",) * 3,
    motion=_motion,
    twists=_twists,
    inverse=("twist_swing", False, -1.0),
    word="ball",
    labels=labels,
    vector=2,
    swings=True,
    stays=True,
)
