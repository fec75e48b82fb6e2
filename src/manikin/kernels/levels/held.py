"""What a level of the descent must keep, the measures of higher levels and linear rows; and the way back to it.

A measure of a higher level keeps to its held range. One of a level that was missed is not held: it takes part in the
objective with a large weight (ASKED), since its rows are dependent where it cannot be met.

Slopes and steps are by scaled coordinates: x = scale · u, scale² the metric.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.holding import hold_equalities, step_back
from manikin.kernels.levels.layout import (
    COUNT,
    EVALUATIONS,
    LOWER,
    SCALE,
    UPPER,
    X_NEW,
    E,
)
from manikin.kernels.pose.limits import ROW_LOWER, ROW_UPPER
from manikin.kernels.pose.place import place
from manikin.kernels.residuals.layout import ON_COORDINATES
from manikin.kernels.residuals.measures import coordinate_rows, measure_all, measure_jacobian

# What is held is brought back to the first of these (metres, radians), so that the potential is not lost in what is
# missing, and to the second at least, a hundred times finer than what is promised.
_EXACT = 1e-12
KEPT = 1e-10
# A constraint with more room than this is left out of a step; the way back minds it if need be.
REACH = 0.25
_SHORTEST_NORMAL = 1e-9
_MOST_STEPS = 15
_LONGEST_WAY = 1.0


@kernel
def outside(value, lower, upper):
    """Signed distance outside a range; 0 inside."""
    if value > upper:
        return value - upper
    if value < lower:
        return value - lower
    return 0.0


@kernel
def _stand(space, sweep, is_identity, tree, x):
    for i in range(space.variable.shape[0]):
        sweep.q[space.variable[i]] = x[i]
    place(is_identity, tree, sweep)


@kernel
def measure_at(is_identity, tree, space, M, sweep, w, x):
    """Values of all measures at the variables x."""
    _stand(space, sweep, is_identity, tree, x)
    measure_all(tree, M, sweep)
    w.state[EVALUATIONS] += 1.0


@kernel
def _by_variables(is_identity, tree, space, w, source, row):
    """A row by axis values as one by variables."""
    if is_identity:
        for i in range(row.shape[0]):
            row[i] = source[space.variable[i]]
        return
    for i in range(row.shape[0]):
        row[i] = 0.0
    for t in range(tree.drive_axis.shape[0]):
        i = int(w.variable_of[tree.drive_dof[t]])
        if i >= 0:
            row[i] += tree.drive_coefficient[t] * source[tree.drive_axis[t]]


@kernel
def look_at(is_identity, tree, space, M, sweep, w, x):
    """Values of all measures at x, and their slopes by the scaled variables (of those that are near)."""
    _stand(space, sweep, is_identity, tree, x)
    measure_jacobian(tree, M, sweep, w.by_value)
    coordinate_rows(M, sweep, w.by_coordinate)
    w.state[EVALUATIONS] += 1.0
    for t in range(M.kind.shape[0]):
        by_coordinate = M.attach[t] == ON_COORDINATES
        for r in range(M.first[t], M.first[t] + M.count[t]):
            if M.near[r] == 0.0 or M.weight[r] == 0.0:
                continue
            if by_coordinate:
                for i in range(space.variable.shape[0]):
                    w.by_variable[r, i] = w.by_coordinate[r, space.variable[i]]
            else:
                _by_variables(is_identity, tree, space, w, w.by_value[r], w.by_variable[r])
            for i in range(space.variable.shape[0]):
                w.by_variable[r, i] *= w.vector[SCALE, i]


@kernel
def is_held(M, w, level, r):
    """Whether measure r holds this level."""
    return M.level[r] < level and M.weight[r] > 0.0 and w.asked[r] == 0.0


@kernel
def worst_held(work, M, w, level, x):
    """Largest amount by which something held is left at x."""
    worst = 0.0
    for r in range(M.value.shape[0]):
        if is_held(M, w, level, r):
            worst = max(worst, abs(outside(M.value[r], w.held_lower[r], w.held_upper[r])))
    for k in range(work.rows.shape[0]):
        value = linear_value(work, k, x)
        worst = max(worst, abs(outside(value, work.row[ROW_LOWER, k], work.row[ROW_UPPER, k])))
    return worst


@kernel
def linear_value(work, k, x):
    """The value of linear row k."""
    value = 0.0
    row = work.rows[k]
    for i in range(x.shape[0]):
        value += row[i] * x[i]
    return value


@kernel
def gather_held(work, M, w, level, x):
    """The constraints of a step from x, as rows of A."""
    n = w.A.shape[1]
    count = 0
    for t in range(M.kind.shape[0]):
        for r in range(M.first[t], M.first[t] + M.count[t]):
            if M.near[r] == 0.0 or not is_held(M, w, level, r):
                continue
            low = w.held_lower[r] - M.value[r]
            high = w.held_upper[r] - M.value[r]
            if low < -REACH and high > REACH:
                continue
            source = w.by_variable[r]
            row = w.A[count]
            square = 0.0
            for i in range(n):
                row[i] = source[i]
                square += row[i] * row[i]
            if square < _SHORTEST_NORMAL * _SHORTEST_NORMAL:
                continue
            w.low[count] = low
            w.high[count] = high
            w.owner[count] = r
            w.support[count] = t if M.polygon[t] != 0 else -1.0
            count += 1
    for k in range(work.rows.shape[0]):
        source = work.rows[k]
        row = w.A[count]
        value = linear_value(work, k, x)
        for i in range(n):
            row[i] = source[i] * w.vector[SCALE, i]
        w.low[count] = work.row[ROW_LOWER, k] - value
        w.high[count] = work.row[ROW_UPPER, k] - value
        w.owner[count] = -1.0 - k
        w.support[count] = -1.0
        if w.low[count] > -math.inf or w.high[count] < math.inf:
            count += 1
    w.state[COUNT] = count


@kernel
def go(w, x, d, share, to):
    """to = x + share · d, never beyond a range by rounding."""
    v = w.vector
    for i in range(v.shape[1]):
        to[i] = min(max(x[i] + share * d[i] * v[SCALE, i], v[LOWER, i]), v[UPPER, i])


@kernel
def restore(is_identity, tree, space, work, M, sweep, w, level):
    """Bring X_NEW back to what is held from anywhere, each step the shortest by the slopes there; True when it is there
    (measures are those of it)."""
    v = w.vector
    last = math.inf
    way = 0.0
    for _ in range(_MOST_STEPS):
        look_at(is_identity, tree, space, M, sweep, w, v[X_NEW])
        worst = worst_held(work, M, w, level, v[X_NEW])
        if worst <= _EXACT:
            return True
        if not worst < 0.9 * last or way > _LONGEST_WAY:
            return worst <= KEPT
        last = worst
        gather_held(work, M, w, level, v[X_NEW])
        hold_equalities(w)
        step_back(w, True)
        longest = 0.0
        for i in range(v.shape[1]):
            longest = max(longest, abs(v[E, i]))
        way += longest
        go(w, v[X_NEW], v[E], 1.0, v[X_NEW])
    return False
