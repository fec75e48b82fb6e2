"""Residual rows and their Jacobian: the least-squares face of the terms.

The potential is the sum of the squares of the rows. POINT and LINE and AIM give three rows, PLANE one, AXES nine.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.rows.curvature import fill_columns
from manikin.kernels.rows.terms import (
    _NO_DIRECTION,
    AIM,
    AXES,
    AXIS_WEIGHTS,
    LINE,
    PLANE,
    TARGET,
    TARGET_AXES,
    WEIGHT,
    point_error,
    site_axis,
    site_point,
)


@kernel
def row_count(kind):
    """How many rows a term of this kind has."""
    if kind == PLANE:
        return 1
    return 9 if kind == AXES else 3


@kernel
def _point_rows(kind, parameters, t, r0, r1, r2, columns, count, first, residual, jacobian):
    w = math.sqrt(parameters[t, WEIGHT])
    n0 = parameters[t, TARGET_AXES]
    n1 = parameters[t, TARGET_AXES + 1]
    n2 = parameters[t, TARGET_AXES + 2]
    e0, e1, e2 = point_error(kind, parameters, t, r0, r1, r2)
    if kind == PLANE:
        residual[first] = w * (e0 * n0 + e1 * n1 + e2 * n2)
    else:
        residual[first] = w * e0
        residual[first + 1] = w * e1
        residual[first + 2] = w * e2
    for c in range(count):
        column = columns[c]
        k = int(column[0])
        y0 = w * column[1]
        y1 = w * column[2]
        y2 = w * column[3]
        along = y0 * n0 + y1 * n1 + y2 * n2
        if kind == PLANE:
            jacobian[first, k] = along
            continue
        if kind == LINE:
            y0 -= along * n0
            y1 -= along * n1
            y2 -= along * n2
        jacobian[first, k] = y0
        jacobian[first + 1, k] = y1
        jacobian[first + 2, k] = y2


@kernel
def _aim_rows(parameters, t, r0, r1, r2, v0, v1, v2, columns, count, first, residual, jacobian):
    w = math.sqrt(parameters[t, WEIGHT])
    d0 = parameters[t, TARGET] - r0
    d1 = parameters[t, TARGET + 1] - r1
    d2 = parameters[t, TARGET + 2] - r2
    square = d0 * d0 + d1 * d1 + d2 * d2
    if square < _NO_DIRECTION:
        residual[first] = w * math.sqrt(2.0)
        return
    inverse = 1.0 / math.sqrt(square)
    d0 *= inverse
    d1 *= inverse
    d2 *= inverse
    residual[first] = w * (v0 - d0)
    residual[first + 1] = w * (v1 - d1)
    residual[first + 2] = w * (v2 - d2)
    for c in range(count):
        column = columns[c]
        k = int(column[0])
        along = column[1] * d0 + column[2] * d1 + column[3] * d2
        jacobian[first, k] = w * (column[4] + inverse * (column[1] - along * d0))
        jacobian[first + 1, k] = w * (column[5] + inverse * (column[2] - along * d1))
        jacobian[first + 2, k] = w * (column[6] + inverse * (column[3] - along * d2))


@kernel
def term_rows(tree, terms, sweep, residual, jacobian):
    """Fill the residual and its derivatives by the axis values (rows × K), one term after the other."""
    parameters = terms.parameters
    for r in range(jacobian.shape[0]):
        residual[r] = 0.0
        for k in range(jacobian.shape[1]):
            jacobian[r, k] = 0.0
    first = 0
    for t in range(terms.kind.shape[0]):
        kind = terms.kind[t]
        i = terms.motion[t]
        r0, r1, r2 = site_point(sweep.frames, i, parameters, t)
        if kind == AXES:
            for a in range(3):
                v0, v1, v2 = site_axis(sweep.frames, i, parameters, t, a)
                w = math.sqrt(parameters[t, WEIGHT] * parameters[t, AXIS_WEIGHTS + a])
                residual[first] = w * (v0 - parameters[t, TARGET_AXES + 3 * a])
                residual[first + 1] = w * (v1 - parameters[t, TARGET_AXES + 3 * a + 1])
                residual[first + 2] = w * (v2 - parameters[t, TARGET_AXES + 3 * a + 2])
                count = fill_columns(
                    tree, sweep.frames, sweep.spins, i, r0, r1, r2, v0, v1, v2, sweep.columns
                )
                for c in range(count):
                    column = sweep.columns[c]
                    for b in range(3):
                        jacobian[first + b, int(column[0])] = w * column[4 + b]
                first += 3
            continue
        v0, v1, v2 = site_axis(sweep.frames, i, parameters, t, 0)
        count = fill_columns(tree, sweep.frames, sweep.spins, i, r0, r1, r2, v0, v1, v2, sweep.columns)
        if kind == AIM:
            _aim_rows(parameters, t, r0, r1, r2, v0, v1, v2, sweep.columns, count, first, residual, jacobian)
        else:
            _point_rows(kind, parameters, t, r0, r1, r2, sweep.columns, count, first, residual, jacobian)
        first += row_count(kind)
    return first
