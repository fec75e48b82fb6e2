"""A kind of joints that the package does not have: a screw, which slides as it turns.

`test_kinds` loads it in a process of its own, before any kernel was compiled without it.
"""

from __future__ import annotations

import numpy as np

from manikin.figure import transforms
from manikin.figure.joints.kind import JointKind
from manikin.figure.joints.register import register
from manikin.kernels.jit import kernel
from manikin.kernels.math.rotation import turn_about_z
from manikin.kernels.tree.motion import Motion
from manikin.kernels.verify.joint import Joint
from manikin.kernels.verify.turning import turned

#: Metres a radian.
PITCH = 0.05


@kernel
def _place(values, k, frames, spins, i):
    for r in range(3):
        frames[i, 9 + r] += PITCH * values[k] * frames[i, 3 * r + 2]
    turn_about_z(frames, i, values[k])


@kernel
def _twist(frames, spins, i, c):
    x = frames[i, 2]
    y = frames[i, 5]
    z = frames[i, 8]
    return PITCH * x, PITCH * y, PITCH * z, x, y, z


@kernel(exact=True)
def _move(W, k, a, s, c, s2, c2, turn, place):
    v = PITCH * W[k]
    place = (place[0] + v * turn[2], place[1] + v * turn[5], place[2] + v * turn[8])
    return turned(turn, c, s), place


def _matrix(values: np.ndarray) -> np.ndarray:
    result = transforms.rotation(transforms.turn_z(values[0]))
    result[2, 3] = PITCH * values[0]
    return result


register(
    JointKind(
        "screw",
        units=("rad",),
        motion=_matrix,
        twists=lambda values: np.array([[0.0, 0.0, PITCH, 0.0, 0.0, 1.0]]),
        inverse=("screw", True, 1.0),
        word="screw",
    ),
    Motion(1, _place, _twist),
    Joint(_move),
)
