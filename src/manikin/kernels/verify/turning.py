"""Axes turned about their third, and rotations of vectors, of which joints are made; for poses and for lanes."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import select
from manikin.kernels.verify.algebra import by_quaternion


@kernel(exact=True)
def turned(m, c, s):
    """Axes m turned about their own third, by cosine and sine."""
    return (
        c * m[0] + s * m[1],
        c * m[1] - s * m[0],
        m[2],
        c * m[3] + s * m[4],
        c * m[4] - s * m[3],
        m[5],
        c * m[6] + s * m[7],
        c * m[7] - s * m[6],
        m[8],
    )


@kernel(exact=True)
def half_length(x, y, z):
    """Half the length of a vector of coordinates, which are no larger than those of a pose."""
    return 0.5 * math.sqrt(x * x + y * y + z * z)


@kernel(exact=True)
def by_half(x, y, z, half, cosine, sine):
    """The rotation of a rotation vector, from half its length and that one's cosine and sine."""
    f = select(half > 5e-5, 0.5 * sine / half, 0.5 - half * half / 12.0)
    return by_quaternion(cosine, f * x, f * y, f * z)
