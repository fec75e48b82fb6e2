"""Measures of the coordinates themselves: postures, limits that are kept off, cones of ball joints, least efforts.

Their derivatives are by coordinates, not by axis values: `coordinate_rows`.

LINEAR  parameters a row: coordinate j, scale, origin                   g = scale (qⱼ − origin)
DENSE   index: coordinates of the columns; parameters: origin of each, then the rows of A
        g = A (q − origin)
SHARE   parameters: p, then as LINEAR                                   gᵢ = xᵢ (\\|xᵢ\\| / ‖x‖ₚ)^(p/2 − 1), xᵢ
as in LINEAR
CONE    parameters: coordinates j k, centre (2), radii (2)              g = (σ₁/a)² + (σ₂/b)², σ the swing (qⱼ, qₖ)
as the centre sees it (`kernels.math.swing`)

Σ gᵢ² of SHARE is ‖x‖ₚ², which for a large p is nearly the square of the largest \\|xᵢ\\|.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.swing import seen_swing
from manikin.kernels.residuals.layout import ON_COORDINATES

LINEAR, DENSE, SHARE, CONE = 13, 14, 15, 16

_TINY = 1e-100
# Radians.
_DIFFERENCE = 1e-5


@kernel
def _linear(M, q, o, i):
    p = M.parameters
    return p[o + 3 * i + 1] * (q[int(p[o + 3 * i])] - p[o + 3 * i + 2])


@kernel
def _norm(M, q, o, count):
    """(‖x‖ₚ, largest \\|xᵢ\\|) of a SHARE part."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(_linear(M, q, o + 1, i)))
    if largest < _TINY:
        return 0.0, 0.0
    total = 0.0
    for i in range(count):
        total += (abs(_linear(M, q, o + 1, i)) / largest) ** M.parameters[o]
    return largest * total ** (1.0 / M.parameters[o]), largest


@kernel
def _dense(M, q, t, i):
    link = M.link[t]
    m = M.links[t]
    o = M.offset[t]
    value = 0.0
    for j in range(m):
        value += M.parameters[o + m + i * m + j] * (q[M.index[link + j]] - M.parameters[o + j])
    return value


@kernel
def _cone(p, o, s1, s2):
    """(g, ∂g/∂qⱼ, ∂g/∂qₖ) of a CONE with the swing (s1, s2)."""
    x, y, x1, x2, y1, y2 = seen_swing(p[o + 2], p[o + 3], s1, s2)
    a = 1.0 / (p[o + 4] * p[o + 4])
    b = 1.0 / (p[o + 5] * p[o + 5])
    return x * x * a + y * y * b, 2.0 * (x * a * x1 + y * b * y1), 2.0 * (x * a * x2 + y * b * y2)


@kernel
def cone_curvature(p, o, s1, s2):
    """(∂²g/∂qⱼ², ∂²g/∂qⱼ∂qₖ, ∂²g/∂qₖ²) of a CONE: exact about zero, else by differences of its gradient."""
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
def measure_values(M, q, t):
    """Values of part t, of one of the kinds above."""
    kind = M.kind[t]
    o = M.offset[t]
    first = M.first[t]
    norm = 0.0
    if kind == SHARE:
        norm = _norm(M, q, o, M.count[t])[0]
    for i in range(M.count[t]):
        row = first + i
        M.near[row] = 1.0
        for c in range(6):
            M.wrench[row, c] = 0.0
        if kind == LINEAR:
            M.value[row] = _linear(M, q, o, i)
        elif kind == DENSE:
            M.value[row] = _dense(M, q, t, i)
        elif kind == SHARE:
            x = _linear(M, q, o + 1, i)
            M.value[row] = x * (abs(x) / norm) ** (0.5 * M.parameters[o] - 1.0) if norm > 0.0 else 0.0
        else:
            p = M.parameters
            M.value[row] = _cone(p, o, q[int(p[o])], q[int(p[o + 1])])[0]


@kernel
def _share_row(M, q, t, i, row):
    """Gradient of gᵢ = xᵢ\\|xᵢ\\|ᵐ N⁻ᵐ, m = p/2 − 1: by xᵢ directly, and by all through N; at x = 0, that of xᵢ."""
    p = M.parameters
    o = M.offset[t]
    norm, largest = _norm(M, q, o, M.count[t])
    if largest == 0.0:
        row[int(p[o + 1 + 3 * i])] += p[o + 1 + 3 * i + 1]
        return
    m = 0.5 * p[o] - 1.0
    x = _linear(M, q, o + 1, i)
    weight = (abs(x) / norm) ** m
    row[int(p[o + 1 + 3 * i])] += (1.0 + m) * weight * p[o + 1 + 3 * i + 1]
    for k in range(M.count[t]):
        y = _linear(M, q, o + 1, k)
        by = math.copysign((abs(y) / norm) ** (p[o] - 1.0), y)
        row[int(p[o + 1 + 3 * k])] -= m * x / norm * weight * by * p[o + 1 + 3 * k + 1]


@kernel
def coordinate_row(M, q, t, i, row):
    """Derivatives of row i of part t by the coordinates, into ``row``."""
    kind = M.kind[t]
    p = M.parameters
    o = M.offset[t]
    for j in range(row.shape[0]):
        row[j] = 0.0
    if kind == LINEAR:
        row[int(p[o + 3 * i])] += p[o + 3 * i + 1]
    elif kind == DENSE:
        link = M.link[t]
        m = M.links[t]
        for j in range(m):
            row[M.index[link + j]] += p[o + m + i * m + j]
    elif kind == SHARE:
        _share_row(M, q, t, i, row)
    else:
        _, first, second = _cone(p, o, q[int(p[o])], q[int(p[o + 1])])
        row[int(p[o])] += first
        row[int(p[o + 1])] += second


@kernel
def coordinate_rows(M, sweep, jacobian):
    """Derivatives by the coordinates (rows × n) of the rows of the kinds above; other rows are left as they are."""
    for t in range(M.kind.shape[0]):
        if M.attach[t] != ON_COORDINATES:
            continue
        for i in range(M.count[t]):
            row = jacobian[M.first[t] + i]
            if M.weight[M.first[t] + i] != 0.0:
                coordinate_row(M, sweep.q, t, i, row)
            else:
                for j in range(row.shape[0]):
                    row[j] = 0.0
