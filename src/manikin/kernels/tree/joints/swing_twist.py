"""A ball joint: exp[(s₀, s₁, 0)] · Rz(s₂), a swing and after it a twist about the limb."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.exponential import add_curvature
from manikin.kernels.math.rotation import turn_about_z, turn_by_vector
from manikin.kernels.tree.motion import Motion


@kernel
def _place(values, k, frames, spins, i):
    zero = values[k] - values[k]
    turn_by_vector(frames, spins, i, values[k], values[k + 1], zero, False)
    for r in range(3):
        spins[i, 6 + r] = frames[i, 3 * r + 2]
    turn_about_z(frames, i, values[k + 2])


@kernel
def _curvature(values, k, force, moment, hessian):
    """The moment as the frame before the twist sees it."""
    s, c = sincos(values[k + 2])
    x, y, z = moment
    add_curvature(values[k], values[k + 1], 0.0, (c * x - s * y, s * x + c * y, z), 2, k, hessian)


MOTION = Motion(3, _place, curvature=_curvature)
