"""Coordinates with a scale: g = scale (qⱼ − origin). Postures, limits that are kept off.

Parameters a row: coordinate j, scale, origin.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.residuals.coordinate_rows import no_wrench, scaled_coordinate
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import ON_COORDINATES


@kernel
def _measure(M, sweep, t):
    no_wrench(M, t)
    for i in range(M.count[t]):
        M.value[M.first[t] + i] = scaled_coordinate(M, sweep.q, M.offset[t], i)


@kernel
def _row(M, _q, t, i, row):
    at = M.offset[t] + 3 * i
    row[int(M.parameters[at])] += M.parameters[at + 1]


KIND = Kind(_measure, lambda part, _at: [part.numbers], attach=ON_COORDINATES, row=_row)
