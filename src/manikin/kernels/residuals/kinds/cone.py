"""A ball joint's swing within an ellipse: g = (σ₁/a)² + (σ₂/b)², σ the swing as the ellipse's centre sees it.

Parameters: coordinates j k of the swing, centre (2), radii (2). See `kernels.math.swing`.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.swing import seen_swing
from manikin.kernels.residuals.coordinate_rows import no_wrench
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import ON_COORDINATES

# Radians.
_DIFFERENCE = 1e-5


@kernel
def _cone(p, o, s1, s2):
    """(g, ∂g/∂qⱼ, ∂g/∂qₖ) of a cone with the swing (s1, s2)."""
    x, y, x1, x2, y1, y2 = seen_swing(p[o + 2], p[o + 3], s1, s2)
    a = 1.0 / (p[o + 4] * p[o + 4])
    b = 1.0 / (p[o + 5] * p[o + 5])
    return x * x * a + y * y * b, 2.0 * (x * a * x1 + y * b * y1), 2.0 * (x * a * x2 + y * b * y2)


@kernel
def _curvature_by_swing(p, o, s1, s2):
    """(∂²g/∂qⱼ², ∂²g/∂qⱼ∂qₖ, ∂²g/∂qₖ²) of a cone: exact about zero, else by differences of its gradient."""
    if p[o + 2] == 0.0 and p[o + 3] == 0.0:
        return 2.0 / (p[o + 4] * p[o + 4]), 0.0, 2.0 / (p[o + 5] * p[o + 5])
    _, right, upper = _cone(p, o, s1 + _DIFFERENCE, s2)
    _, left, lower = _cone(p, o, s1 - _DIFFERENCE, s2)
    _, high, above = _cone(p, o, s1, s2 + _DIFFERENCE)
    _, low, below = _cone(p, o, s1, s2 - _DIFFERENCE)
    half = 0.5 / _DIFFERENCE
    mixed = 0.5 * half * (upper - lower + high - low)
    return half * (right - left), mixed, half * (above - below)


@kernel
def _measure(M, sweep, t):
    no_wrench(M, t)
    p = M.parameters
    o = M.offset[t]
    for r in range(M.first[t], M.first[t] + M.count[t]):
        M.value[r] = _cone(p, o, sweep.q[int(p[o])], sweep.q[int(p[o + 1])])[0]


@kernel
def _row(M, q, t, _i, row):
    p = M.parameters
    o = M.offset[t]
    _, first, second = _cone(p, o, q[int(p[o])], q[int(p[o + 1])])
    row[int(p[o])] += first
    row[int(p[o + 1])] += second


@kernel
def _curvature(M, q, t, force, variable_of, second):
    p = M.parameters
    o = M.offset[t]
    j = int(variable_of[int(p[o])])
    k = int(variable_of[int(p[o + 1])])
    f = force[M.first[t]]
    first, mixed, last = _curvature_by_swing(p, o, q[int(p[o])], q[int(p[o + 1])])
    if j >= 0:
        second[j, j] += f * first
    if k >= 0:
        second[k, k] += f * last
    if j >= 0 and k >= 0:
        second[j, k] += f * mixed
        second[k, j] += f * mixed


KIND = Kind(_measure, lambda part, _at: [part.numbers], attach=ON_COORDINATES, row=_row, curvature=_curvature)
