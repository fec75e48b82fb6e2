"""A site's axes turned against others: g = 2 vec q, q the unit quaternion of TᵀR, q₀ ≥ 0.

Parameters: the site's frame (12), the target axes T by rows (9). Σ g² is (2 sin ½θ)² for the angle θ between the
frames: smooth, with rows of full rank for all θ < 180°.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import applied
from manikin.kernels.residuals.errors import AXES
from manikin.kernels.residuals.frames import (
    OWN,
    all_near,
    error_turn,
    out_of,
    relative_turn,
    set_moment,
    site_numbers,
    unit_quaternion,
)
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import CHORD


@kernel
def _measure(M, sweep, t):
    """With η = Tᵀdω: d(2 vec q) = w η + η × v, so row i has the moment T (w eᵢ + v × eᵢ)."""
    b = M.base[t]
    first = M.first[t]
    error, axes = error_turn(sweep.frames, M.motion[t], b, M.parameters, M.offset[t])
    w, v = unit_quaternion(error)
    M.value[first] = 2.0 * v[0]
    M.value[first + 1] = 2.0 * v[1]
    M.value[first + 2] = 2.0 * v[2]
    set_moment(M.wrench, first, out_of(sweep.frames, b, applied(axes, (w, v[2], -v[1]))))
    set_moment(M.wrench, first + 1, out_of(sweep.frames, b, applied(axes, (-v[2], w, v[0]))))
    set_moment(M.wrench, first + 2, out_of(sweep.frames, b, applied(axes, (v[1], -v[0], w))))
    all_near(M, t)


@kernel
def _mean_start(M, frames, t):
    o = M.offset[t]
    turned = relative_turn(frames, M.motion[t], M.base[t], M.parameters, o)
    for c in range(9):
        M.parameters[o + OWN + c] = turned[c]


KIND = Kind(
    _measure,
    lambda part, at: site_numbers(at, (at.turn @ part.turn).ravel()),
    miss=CHORD,
    mean_start=_mean_start,
    targets={"turn": OWN},
    strip=AXES,
)
