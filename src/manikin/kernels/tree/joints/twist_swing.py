"""A ball joint seen from its child: Rz(s₂) · exp[(s₀, s₁, 0)]."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.exponential import add_curvature
from manikin.kernels.math.rotation import turn_about_z, turn_by_vector
from manikin.kernels.tree.motion import Motion


@kernel
def _place(values, k, frames, spins, i):
    zero = values[k] - values[k]
    for r in range(3):
        spins[i, 6 + r] = frames[i, 3 * r + 2]
    turn_about_z(frames, i, values[k + 2])
    turn_by_vector(frames, spins, i, values[k], values[k + 1], zero, False)


@kernel
def _curvature(values, k, force, moment, hessian):
    add_curvature(values[k], values[k + 1], 0.0, moment, 2, k, hessian)


MOTION = Motion(3, _place, curvature=_curvature, last_first=True)
