"""Coordinates whose norm is that of the largest: gᵢ = xᵢ (\\|xᵢ\\| / ‖x‖ₚ)^(p/2 − 1), xᵢ = scale (qⱼ − origin).

Σ gᵢ² is ‖x‖ₚ², which for a large p is nearly the square of the largest \\|xᵢ\\|. Least times.

Parameters: p, then of each row coordinate j, scale, origin.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.residuals.coordinate_rows import no_wrench, scaled_coordinate
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import ON_COORDINATES

_TINY = 1e-100


@kernel
def _norm(M, q, o, count):
    """(‖x‖ₚ, largest \\|xᵢ\\|) of the part."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(scaled_coordinate(M, q, o + 1, i)))
    if largest < _TINY:
        return 0.0, 0.0
    total = 0.0
    for i in range(count):
        total += (abs(scaled_coordinate(M, q, o + 1, i)) / largest) ** M.parameters[o]
    return largest * total ** (1.0 / M.parameters[o]), largest


@kernel
def _measure(M, sweep, t):
    no_wrench(M, t)
    o = M.offset[t]
    norm = _norm(M, sweep.q, o, M.count[t])[0]
    for i in range(M.count[t]):
        x = scaled_coordinate(M, sweep.q, o + 1, i)
        value = x * (abs(x) / norm) ** (0.5 * M.parameters[o] - 1.0) if norm > 0.0 else 0.0
        M.value[M.first[t] + i] = value


@kernel
def _row(M, q, t, i, row):
    """Gradient of gᵢ = xᵢ\\|xᵢ\\|ᵐ N⁻ᵐ, m = p/2 − 1: by xᵢ directly, and by all through N; at x = 0, that of xᵢ."""
    p = M.parameters
    o = M.offset[t]
    norm, largest = _norm(M, q, o, M.count[t])
    if largest == 0.0:
        row[int(p[o + 1 + 3 * i])] += p[o + 1 + 3 * i + 1]
        return
    m = 0.5 * p[o] - 1.0
    x = scaled_coordinate(M, q, o + 1, i)
    weight = (abs(x) / norm) ** m
    row[int(p[o + 1 + 3 * i])] += (1.0 + m) * weight * p[o + 1 + 3 * i + 1]
    for k in range(M.count[t]):
        y = scaled_coordinate(M, q, o + 1, k)
        by = math.copysign((abs(y) / norm) ** (p[o] - 1.0), y)
        row[int(p[o + 1 + 3 * k])] -= m * x / norm * weight * by * p[o + 1 + 3 * k + 1]


KIND = Kind(_measure, lambda part, _at: [part.numbers], attach=ON_COORDINATES, row=_row)
