"""The rotation of a free root: exp[(s₀, s₁, s₂)]."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.exponential import add_curvature
from manikin.kernels.math.rotation import turn_by_vector
from manikin.kernels.tree.motion import Motion


@kernel
def _place(values, k, frames, spins, i):
    turn_by_vector(frames, spins, i, values[k], values[k + 1], values[k + 2], True)


@kernel
def _curvature(values, k, force, moment, hessian):
    add_curvature(values[k], values[k + 1], values[k + 2], moment, 3, k, hessian)


MOTION = Motion(3, _place, curvature=_curvature)
