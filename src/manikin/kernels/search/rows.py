"""Single rows: numbers of the pose with a range, low ≤ g ≤ high, soft or hard, each with one row of derivatives.

Linear rows, and rows of goals that are no residual of three (`residuals`): distances, balance, cones, coordinates.
Their values and wrenches are those of `residuals.measures`; here is what a step makes of them. Listed are the linear
ones and then those of goals that matter to this step; each is

    ASKED  a soft row outside its range, or a hard one far outside: a damped row of the system, as a residual is
    HELD   a hard row outside, or one that was found to hold the step: a row without damping, g + a·d = its end
    NEAR   inside, with so little room that the step has to mind it: held once the step would break it

The derivative of g is a wrench (f, m) on a motion and its opposite on another; by an axis value of the twist (v, ω), v
the velocity that it gives the world's origin, it is f·v + m·ω.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import outside
from manikin.kernels.pose.limits import (
    EQUAL,
    ROW_BEGIN,
    ROW_END,
    ROW_LOWER,
    ROW_SIDE,
    ROW_UPPER,
    row_value,
)
from manikin.kernels.residuals.dispatch import measure_part
from manikin.kernels.residuals.layout import ON_COORDINATES, ON_MASS, ON_MOTIONS
from manikin.kernels.residuals.mass import find_columns
from manikin.kernels.residuals.measures import coordinate_row, measure_shared
from manikin.kernels.search.system import NO_PIVOT, multiply_dense
from manikin.kernels.tree.curves import through_curves
from manikin.kernels.tree.twists import along_twist, find_twists

ASKED, NEAR, HELD = 1.0, 2.0, 3.0
HARD = 0
#: A hard row that is farther outside than this is asked for like a soft one.
FAR = 0.1
#: A row with more room than this does not hold a step.
ROOM = 0.15
# Cones are promised ten times finer than hard goals.
_CONES_STOP = 3e-10
# A row held last stays so where it is no farther from its end.
_ON_END = 1e-3
# Squares of derivatives below this are none: nothing moves the row.
_UNMOVED = 1e-18


@kernel
def measure_rows(g, everything):
    """Values and wrenches of the rows that are switched on and asked for, at the frames of now; of ``everything``, or
    of those that are no residuals.
    """
    M = g.M
    measure_shared(M, g.sweep)
    for t in range(M.kind.shape[0]):
        first = M.first[t]
        if M.count[t] == 0 or M.level[first] >= g.last or M.weight[first] == 0.0:
            continue
        if everything or g.scalars.alone[t] != 0.0:
            measure_part(M, g.sweep, t)


@kernel
def judge_rows(g, share, hard_stop):
    """(Σ w ρ² of soft rows, Σ ρ² of hard ones, whether each is near enough): soft ones to ``share`` of their stop."""
    M = g.M
    soft = 0.0
    hard = 0.0
    met = 1.0
    for t in range(M.kind.shape[0]):
        if g.scalars.alone[t] == 0.0:
            continue
        for r in range(M.first[t], M.first[t] + M.count[t]):
            w = M.weight[r]
            if w == 0.0 or M.level[r] >= g.last:
                continue
            rho = outside(M.value[r], M.lower[r], M.upper[r])
            if rho == 0.0:
                continue
            if M.level[r] <= HARD:
                hard += rho * rho
                if abs(rho) > (hard_stop if M.level[r] == HARD else min(hard_stop, _CONES_STOP)):
                    met = 0.0
            else:
                soft += w * rho * rho
                if abs(rho) > share * g.limits.stop[r]:
                    met = 0.0
    return soft, hard, met


@kernel
def wanted_weight(g):
    """Sum of the weights of the soft rows that want something, and of one hard row."""
    M = g.M
    total = 0.0
    for r in range(M.value.shape[0]):
        wants = M.lower[r] == M.upper[r] or outside(M.value[r], M.lower[r], M.upper[r]) != 0.0
        if wants and HARD < M.level[r] < g.last:
            total += M.weight[r]
    return max(total, 1e-300) + g.hard_weight


@kernel
def _add_motion(tree, drives, twist, i, w, row):
    """Add what the wrench w does through motion i."""
    for v in range(tree.axis[i], tree.axis[i] + tree.size[i]):
        f = along_twist(twist, v, w)
        for d in range(drives.first[v], drives.first[v + 1]):
            row[drives.which[d]] += f * drives.scaled[d]


@kernel
def _six(wrench, at, sign):
    return (
        sign * wrench[at],
        sign * wrench[at + 1],
        sign * wrench[at + 2],
        sign * wrench[at + 3],
        sign * wrench[at + 4],
        sign * wrench[at + 5],
    )


@kernel
def _add_between(tree, drives, twist, a, b, wrench, at, row):
    """The wrench on motion a and its opposite on b: both walks end where they meet."""
    w = _six(wrench, at, 1.0)
    o = _six(wrench, at, -1.0)
    while a != b:
        if a > b:
            _add_motion(tree, drives, twist, a, w, row)
            a = tree.parent[a]
        else:
            _add_motion(tree, drives, twist, b, o, row)
            b = tree.parent[b]


@kernel
def _add_center(M, drives, w, row):
    """What the force w on the centre of mass does."""
    for v in range(M.columns.shape[0]):
        f = w[0] * M.columns[v, 0] + w[1] * M.columns[v, 1] + w[2] * M.columns[v, 2]
        for d in range(drives.first[v], drives.first[v + 1]):
            row[drives.which[d]] += f * drives.scaled[d]


@kernel
def add_coordinates(s, g, t, r, factor, row):
    """Add the derivative of a row of coordinates, times a factor."""
    sweep = g.sweep
    coordinate_row(g.M, sweep.q, t, r - g.M.first[t], sweep.by_dof)
    for j in range(sweep.by_dof.shape[0]):
        i = s.drives.variable_of[j]
        if i >= 0:
            row[i] += factor * sweep.by_dof[j] * s.bounds.scale[i]


@kernel
def _derivative(s, g, t, r, row):
    """The derivative of row r of part t by the scaled variables; returns its square."""
    M = g.M
    tree = s.tree
    twist = g.sweep.twist
    for i in range(row.shape[0]):
        row[i] = 0.0
    attach = M.attach[t]
    if attach == ON_COORDINATES:
        add_coordinates(s, g, t, r, 1.0, row)
    elif attach == ON_MASS:
        _add_center(M, s.drives, M.wrench[r], row)
    elif attach == ON_MOTIONS:
        _add_between(tree, s.drives, twist, M.motion[t], M.base[t], M.wrench[r], 0, row)
    extra = M.more[t]
    if extra >= 0:
        slots = M.extra[extra + r - M.first[t]]
        for k in range(slots.shape[0]):
            if slots[k, 0] != 0.0:
                _add_between(tree, s.drives, twist, int(slots[k, 0]), 0, slots[k], 1, row)
    square = 0.0
    for i in range(row.shape[0]):
        square += row[i] * row[i]
    return square


@kernel
def list_linear(s, g):
    """List the linear rows by the scaled variables, once for a search; `gather_rows` has found them."""
    scalars = g.scalars
    n = s.work.x.shape[0]
    for k in range(g.method.rows.shape[0]):
        source = g.method.rows[k]
        row = scalars.derivative[k]
        for i in range(n):
            row[i] = 0.0
        begin = int(g.method.row[ROW_BEGIN, k])
        past = int(g.method.row[ROW_END, k])
        for i in range(begin, past):
            row[i] = source[i] * s.bounds.scale[i]
        scalars.begin[k] = begin
        scalars.past[k] = past
        scalars.row[k] = -1.0
        scalars.factor[k] = 1.0
        scalars.support[k] = 0.0


@kernel
def _side(value, low, high, held):
    """On which end a row is to be held to begin with: 0 for none."""
    if low == high:
        return EQUAL
    if value < low or (held < 0.0 and value < low + _ON_END):
        return -1.0
    if value > high or (held > 0.0 and value > high - _ON_END):
        return 1.0
    return 0.0


@kernel
def _take_linear(s, g):
    """How far the linear rows are from their ends at x, and which of them are held to begin with."""
    scalars = g.scalars
    for k in range(g.method.rows.shape[0]):
        value = row_value(g.method, k, s.work.x)
        low = g.method.row[ROW_LOWER, k]
        high = g.method.row[ROW_UPPER, k]
        side = EQUAL if g.method.row[ROW_SIDE, k] == EQUAL else _side(value, low, high, scalars.held[k])
        scalars.state[k] = HELD if side != 0.0 else NEAR
        scalars.side[k] = side
        scalars.low[k] = low - value
        scalars.high[k] = high - value
        scalars.place[k] = -1.0


@kernel
def _list_row(s, g, t, r, k):
    """Row r of part t as number k of those listed; False where it does not matter to this step."""
    M = g.M
    scalars = g.scalars
    low = M.lower[r]
    high = M.upper[r]
    value = M.value[r]
    rho = outside(value, low, high)
    soft = M.level[r] > HARD
    state = NEAR
    if low == high or rho != 0.0:
        state = ASKED if soft or abs(rho) > FAR else HELD
    elif not (value < low + ROOM or value > high - ROOM):
        return False
    if _derivative(s, g, t, r, scalars.derivative[k]) < _UNMOVED:
        return False
    side = _side(value, low, high, scalars.held[g.method.rows.shape[0] + r])
    if state == NEAR and side != 0.0:
        state = HELD
    scalars.row[k] = r
    scalars.state[k] = state
    scalars.side[k] = 0.0 if state == ASKED else side
    scalars.factor[k] = math.sqrt(M.weight[r] if soft else g.hard_weight) if state == ASKED else 1.0
    scalars.low[k] = low - value
    scalars.high[k] = high - value
    scalars.begin[k] = 0.0
    scalars.past[k] = s.work.x.shape[0]
    scalars.place[k] = -1.0
    scalars.support[k] = 1.0 + t if M.polygon[t] != 0 else 0.0
    return True


@kernel
def list_rows(s, g):
    """List the rows that matter to a step from x, with their derivatives: how many; −1 where there are too many."""
    M = g.M
    scalars = g.scalars
    _take_linear(s, g)
    count = g.method.rows.shape[0]
    if scalars.alone_count[0] == 0.0:
        return count
    twist = g.sweep.twist
    find_twists(s.tree, g.sweep.frames, g.sweep.spins, (0.0, 0.0, 0.0), twist)
    if M.mass_motion.shape[0] > 0:
        find_columns(s.tree, M, g.sweep)
        through_curves(s.tree.curves, M.columns)
    through_curves(s.tree.curves, twist)
    for t in range(M.kind.shape[0]):
        if scalars.alone[t] == 0.0:
            continue
        first = count
        for r in range(M.first[t], M.first[t] + M.count[t]):
            if M.weight[r] == 0.0 or M.level[r] >= g.last or M.near[r] == 0.0:
                continue
            if count == scalars.row.shape[0]:
                return -1
            if _list_row(s, g, t, r, count):
                count += 1
        if M.polygon[t] != 0:
            _keep_deepest(g, first, count)
    return count


@kernel
def _keep_deepest(g, first, count):
    """Of the edges of one support that are left and were not held last, begin with the one that is left most."""
    scalars = g.scalars
    linear = g.method.rows.shape[0]
    worst = -1
    deepest = 0.0
    for k in range(first, count):
        if scalars.state[k] != HELD or scalars.held[linear + int(scalars.row[k])] != 0.0:
            continue
        depth = abs(outside(0.0, scalars.low[k], scalars.high[k]))
        other = k
        if worst < 0 or depth > deepest:
            other = worst
            worst = k
            deepest = depth
        if other >= 0:
            scalars.state[other] = NEAR
            scalars.side[other] = 0.0


@kernel
def update_room(s, g, count):
    """How far the listed rows are from their ends now."""
    scalars = g.scalars
    for k in range(count):
        r = int(scalars.row[k])
        if r < 0:
            value = row_value(g.method, k, s.work.x)
            scalars.low[k] = g.method.row[ROW_LOWER, k] - value
            scalars.high[k] = g.method.row[ROW_UPPER, k] - value
        else:
            scalars.low[k] = g.M.lower[r] - g.M.value[r]
            scalars.high[k] = g.M.upper[r] - g.M.value[r]


@kernel
def to_meet(scalars, k):
    """What is left of a row of the system: of one asked for, how far it is outside; of a held one, from its end."""
    if scalars.state[k] == ASKED:
        return scalars.factor[k] * outside(0.0, scalars.low[k], scalars.high[k])
    return -(scalars.low[k] if scalars.side[k] < 0.0 else scalars.high[k])


@kernel
def along(scalars, k, d):
    """a·d of listed row k."""
    value = 0.0
    row = scalars.derivative[k]
    for i in range(int(scalars.begin[k]), int(scalars.past[k])):
        value += row[i] * d[i]
    return value


@kernel
def enter_rows(s, g, count, size, used, damping):
    """Bring the rows that are asked for or held, and not there, into the system: strips, rows of those behind the
    residuals that are used, and the first strip that changed; −1 strips where there is no room.
    """
    scalars = g.scalars
    work = s.work
    n = work.x.shape[0]
    changed = size
    for k in range(count):
        if scalars.place[k] >= 0.0 or scalars.state[k] == NEAR:
            continue
        p = 3 * s.residuals + used
        a = p // 3
        c = p - 3 * a
        if c == 0:
            if a == work.jacobian.shape[0]:
                return -1, used, changed
            size = a + 1
            for i in range(n):
                work.jacobian[a, i, 0] = 0.0
                work.jacobian[a, i, 1] = 0.0
                work.jacobian[a, i, 2] = 0.0
            for j in range(3):
                scalars.listed[p + j] = -1.0
                scalars.damping[p + j] = 1.0
                scalars.least[p + j] = NO_PIVOT
                work.e[p + j] = 0.0
        changed = min(changed, a)
        factor = scalars.factor[k]
        row = scalars.derivative[k]
        for i in range(int(scalars.begin[k]), int(scalars.past[k])):
            work.jacobian[a, i, c] = factor * row[i]
        scalars.listed[p] = k
        scalars.place[k] = p
        scalars.damping[p] = damping if scalars.state[k] == ASKED else 0.0
        work.e[p] = to_meet(scalars, k)
        used += 1
    for a in range(changed, size):
        multiply_dense(s, a)
        for j in range(3):
            scalars.whole[3 * a + j] = work.tiles[a, a, 4 * j]
    return size, used, changed


@kernel
def note_held(g, count):
    """Remember on which end each row was held."""
    scalars = g.scalars
    linear = g.method.rows.shape[0]
    for k in range(linear, scalars.held.shape[0]):
        scalars.held[k] = 0.0
    for k in range(count):
        r = int(scalars.row[k])
        scalars.held[k if r < 0 else linear + r] = scalars.side[k] if scalars.state[k] == HELD else 0.0
