"""Where a search begins: the start in its ranges, what follows it, and which rows are residuals; and how it ends."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.state import DONE, MET, STOPPED
from manikin.kernels.memory.views import view1
from manikin.kernels.pose.place import place, recharted, unwound
from manikin.kernels.pose.report import (
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
)
from manikin.kernels.residuals.dispatch import mean_start
from manikin.kernels.residuals.errors import (
    AXES,
    AXIS_WEIGHTS,
    PLANE,
    SITE,
    SITE_AXES,
    STOP,
    TARGET,
    TARGET_AXES,
    WEIGHT,
)
from manikin.kernels.residuals.frames import OWN, SITE_PLACE, SITE_TURN
from manikin.kernels.search.layout import NUMBERS, Search, Strips
from manikin.kernels.search.residuals import AXIS
from manikin.kernels.search.state import EVALUATIONS, POTENTIAL, STEPS
from manikin.kernels.tree.sweep import drive


@kernel
def open_block(start, block):
    """The parts of a block, ``out``, the end and the start, the last two set to the start and the first to zero."""
    n = start.shape[0]
    first = block.shape[0] - 2 * n
    out = view1(block, 0, first)
    q = view1(block, first, n)
    begun = view1(block, first + n, n)
    for i in range(first):
        out[i] = 0.0
    for j in range(n):
        q[j] = start[j]
        begun[j] = start[j]
    return out, q


@kernel
def bring_in(q, space, parts, sweep):
    """Coordinates into their ranges, idle ones to where the pull leads."""
    for j in range(q.shape[0]):
        sweep.q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for k in range(parts.idle.shape[0]):
        j = parts.idle[k]
        sweep.q[j] = min(max(sweep.q[j], parts.idle_low[k]), parts.idle_high[k])


@kernel
def note_fixed(tree, space, sweep, drives):
    """What the coordinates that do not vary make of the axis values."""
    for j in range(sweep.q.shape[0]):
        sweep.by_dof[j] = sweep.q[j]
    for i in range(space.variable.shape[0]):
        sweep.by_dof[space.variable[i]] = 0.0
    drive(tree.offset, tree.drive_axis, tree.drive_dof, tree.drive_coefficient, sweep.by_dof, drives.fixed)


@kernel
def begin_at(space, sweep, x):
    """The variables of the coordinates in ``sweep.q``."""
    for i in range(x.shape[0]):
        x[i] = sweep.q[space.variable[i]]


@kernel
def write_end(s, sweep, x, q):
    """The end: rotation vectors short, whole turns out, counted from the start, which q is."""
    recharted(s.space, x, math.pi)
    unwound(s.space, x, q)
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    for i in range(x.shape[0]):
        q[s.space.variable[i]] = x[i]


@kernel
def write_counts(st, task, reached, out):
    """What a search tells besides misses; DONE only where all is reached."""
    out[OUT_POTENTIAL] = st[POTENTIAL]
    out[OUT_STATUS] = MET if task == DONE else STOPPED
    out[OUT_ITERATIONS] = st[STEPS]
    out[OUT_EVALUATIONS] = st[EVALUATIONS]
    out[OUT_REACHED] = 1.0 if reached else 0.0


@kernel
def anchor(is_identity, tree, space, sweep, M, parts, start):
    """Let the rows that keep something mean where this start has it."""
    follows = 0
    for t in range(M.kind.shape[0]):
        follows += parts.follows[t]
    if follows == 0:
        return
    bring_in(start, space, parts, sweep)
    place(is_identity, tree, sweep)
    for t in range(M.kind.shape[0]):
        if parts.follows[t] != 0:
            mean_start(M, sweep.frames, t)


@kernel
def laid_out(s, residuals, rows):
    """The search with so many residuals, and rows of theirs."""
    return Search(s.tree, s.space, s.drives, s.chains, s.strips, s.bounds, s.place, s.work, residuals, rows)


@kernel
def _put_strip(strips, a, k, kind, begin, weight, stop):
    """Strip a is residual k of those that may be: its kind, the first of its group, weight, square to stop at."""
    strips.kind[a] = kind
    strips.motion[a] = strips.of_motion[k]
    strips.chain[a] = strips.of_chain[k]
    strips.begin[a] = begin
    strips.root[a] = math.sqrt(weight)
    strips.stop[a] = stop
    strips.hard[a] = 0.0


@kernel
def _lay_axes(strips, a, k, t, begin, p):
    """The strips of AXES: one where all are minded alike, of weight w a (2 sin θ/2)², else one for each; how many."""
    a0 = p[t, AXIS_WEIGHTS]
    a1 = p[t, AXIS_WEIGHTS + 1]
    a2 = p[t, AXIS_WEIGHTS + 2]
    weight = p[t, WEIGHT]
    if a0 == a1 and a0 == a2:
        strips.part[a] = t
        _put_strip(strips, a, k, AXES, begin, 2.0 * weight * a0, p[t, STOP] / (2.0 * a0))
        return 1
    count = 0
    for c in range(3):
        count += 1 if p[t, AXIS_WEIGHTS + c] > 0.0 else 0
    own = 0
    for c in range(3):
        share = p[t, AXIS_WEIGHTS + c]
        if share > 0.0:
            strips.part[a + own] = t
            _put_strip(strips, a + own, k, AXIS + c, begin, weight * share, p[t, STOP] / (share * count))
            own += 1
    return own


@kernel
def lay_parts(parts, strips):
    """Lay out the strips of plain parts that are switched on at present: how many, and rows that are no zeros."""
    p = parts.parameters
    count = 0
    rows = 0
    begin = 0
    group = -1
    for k in range(strips.of_part.shape[0]):
        t = strips.of_part[k]
        if p[t, WEIGHT] == 0.0:
            continue
        if strips.of_group[k] != group:
            group = strips.of_group[k]
            begin = count
        kind = parts.kind[t]
        own = 1
        if kind == AXES:
            own = _lay_axes(strips, count, k, t, begin, p)
        else:
            strips.part[count] = t
            _put_strip(strips, count, k, kind, begin, p[t, WEIGHT], p[t, STOP])
        count += own
        rows += 1 if kind == PLANE else 3 * own
    return count, rows


@kernel
def with_numbers(strips, parameters):
    """The strips, with the numbers of their residuals elsewhere."""
    return Strips(
        strips.of_part,
        strips.of_kind,
        strips.of_motion,
        strips.of_chain,
        strips.of_group,
        strips.kind,
        strips.motion,
        strips.chain,
        strips.part,
        strips.begin,
        strips.root,
        strips.stop,
        strips.hard,
        parameters,
    )


@kernel
def _is_residual(M, t, last):
    """Whether the rows of part t are one residual of three: at one point, of one weight."""
    first = M.first[t]
    if M.count[t] != 3 or M.base[t] != 0 or M.level[first] >= last or M.level[first] < 0:
        return False
    alike = M.weight[first] != 0.0
    for r in range(first, first + 3):
        alike = alike and M.lower[r] == 0.0 and M.upper[r] == 0.0 and M.weight[r] == M.weight[first]
    return alike


@kernel
def _write_numbers(M, t, kind, row):
    """The numbers of a residual from those of its part."""
    o = M.offset[t]
    p = M.parameters
    for c in range(3):
        row[SITE + c] = p[o + SITE_PLACE + c]
        row[TARGET + c] = p[o + OWN + c]
        for k in range(3):
            row[SITE_AXES + 3 * k + c] = p[o + SITE_TURN + 3 * c + k]
            row[TARGET_AXES + 3 * k + c] = 0.0
    if kind == AXES:
        for c in range(3):
            for k in range(3):
                row[TARGET_AXES + 3 * k + c] = p[o + OWN + 3 * c + k]


@kernel
def lay_residuals(M, strips, limits, scalars, last, hard_weight):
    """Lay out the strips of the parts that are residuals at present: how many. The other parts are ``alone``."""
    alone = 0
    for t in range(M.kind.shape[0]):
        first = M.first[t]
        on = M.count[t] > 0 and M.level[first] < last and M.weight[first] != 0.0
        scalars.alone[t] = 1.0 if on else 0.0
        alone += 1 if on else 0
    count = 0
    begin = 0
    group = -1
    for k in range(strips.of_part.shape[0]):
        t = strips.of_part[k]
        if scalars.alone[t] == 0.0 or not _is_residual(M, t, last):
            continue
        if strips.of_group[k] != group:
            group = strips.of_group[k]
            begin = count
        first = M.first[t]
        hard = M.level[first] == 0
        strips.part[count] = k
        stop = 3.0 * limits.stop[first] * limits.stop[first]
        weight = hard_weight if hard else M.weight[first]
        _put_strip(strips, count, k, strips.of_kind[k], begin, weight, stop)
        strips.hard[count] = 1.0 if hard else 0.0
        _write_numbers(M, t, strips.of_kind[k], strips.number[k])
        scalars.alone[t] = 0.0
        alone -= 1
        count += 1
    scalars.alone_count[0] = alone
    return count


assert TARGET_AXES + 9 <= NUMBERS
