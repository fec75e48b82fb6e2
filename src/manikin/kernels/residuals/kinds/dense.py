"""Sums of coordinates: g = A (q − origin). Least energies.

Index: coordinates of the columns of A. Parameters: the origin of each, then the rows of A.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.residuals.coordinate_rows import no_wrench
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import ON_COORDINATES


@kernel
def _measure(M, sweep, t):
    no_wrench(M, t)
    link = M.link[t]
    m = M.links[t]
    o = M.offset[t]
    for i in range(M.count[t]):
        value = 0.0
        for j in range(m):
            value += M.parameters[o + m + i * m + j] * (sweep.q[M.index[link + j]] - M.parameters[o + j])
        M.value[M.first[t] + i] = value


@kernel
def _row(M, _q, t, i, row):
    link = M.link[t]
    m = M.links[t]
    o = M.offset[t]
    for j in range(m):
        row[M.index[link + j]] += M.parameters[o + m + i * m + j]


KIND = Kind(_measure, lambda part, _at: [part.numbers], attach=ON_COORDINATES, row=_row)
