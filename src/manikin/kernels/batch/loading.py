"""A problem, a figure or a further start into a lane."""

from __future__ import annotations

from manikin.kernels.batch.layout import SITE_NUMBERS
from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import PART
from manikin.kernels.memory.state import DONE, REFUSED, TIDY
from manikin.kernels.memory.targets import T_GIVEN, T_GOALS, view_slots, write_target
from manikin.kernels.memory.views import integers_at, view1
from manikin.kernels.pose.limits import is_tidy
from manikin.kernels.pose.place import is_finite
from manikin.kernels.search.begin import note_fixed
from manikin.kernels.search.seeds import drawn, inner_share


@kernel
def load_figure(alone, bounds, F, f):
    """The numbers of figure f where scalar code reads them."""
    tree, parts, space, _, _ = alone
    row = F[f]
    at = 0
    for i in range(tree.placement.shape[0]):
        for c in range(12):
            tree.placement[i, c] = row[at]
            at += 1
    for k in range(tree.offset.shape[0]):
        tree.offset[k] = row[at]
        at += 1
    n = space.lower.shape[0]
    for j in range(n):
        space.lower[j] = row[at + j]
        space.upper[j] = row[at + n + j]
    at += 2 * n
    v = bounds.lower.shape[0]
    for i in range(v):
        bounds.lower[i] = row[at + i]
        bounds.upper[i] = row[at + v + i]
        bounds.true_lower[i] = row[at + 2 * v + i]
        bounds.true_upper[i] = row[at + 3 * v + i]
        bounds.low[i] = row[at + 4 * v + i]
        bounds.width[i] = row[at + 5 * v + i]
    at += 6 * v
    for t in range(parts.kind.shape[0]):
        for c in range(SITE_NUMBERS):
            parts.parameters[t, c] = row[at]
            at += 1


@kernel
def share_figure(tree, bounds, own, lane):
    """Bounds and placements, as scalar code reads them, into a lane."""
    for i in range(bounds.lower.shape[0]):
        own.lower[i, lane] = bounds.lower[i]
        own.upper[i, lane] = bounds.upper[i]
        own.true_lower[i, lane] = bounds.true_lower[i]
        own.true_upper[i, lane] = bounds.true_upper[i]
        own.low[i, lane] = bounds.low[i]
        own.width[i, lane] = bounds.width[i]
    for i in range(tree.placement.shape[0]):
        for c in range(12):
            own.placement[12 * i + c, lane] = tree.placement[i, c]


@kernel
def share_parts(parts, own, lane):
    """The numbers of the parts into a lane."""
    for t in range(parts.kind.shape[0]):
        for c in range(PART):
            own.parameters[PART * t + c, lane] = parts.parameters[t, c]


@kernel
def _take_targets(TT, numbers):
    """Write a problem's targets, (goals, 16); False where one of them cannot be taken."""
    slots = view_slots(TT)
    goals = TT[T_GOALS]
    given = integers_at(TT[T_GIVEN], goals)
    for goal in range(goals):
        if given[goal] != 0:
            row = view1(numbers[goal], 0, numbers.shape[1])
            if not write_target(slots, goal, row, False) or not write_target(slots, goal, row, True):
                return False
    return True


@kernel
def load_problem(alone, own, TT, numbers, q, x, lane):
    """A problem into a lane: targets, start, axis values that do not vary. DONE, or why not."""
    tree, parts, space, sweep, drives = alone
    if not _take_targets(TT, numbers):
        return REFUSED
    if not is_finite(q):
        return REFUSED
    if not is_tidy(space, q):
        return TIDY
    share_parts(parts, own, lane)
    for j in range(q.shape[0]):
        sweep.q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    note_fixed(tree, space, sweep, drives)
    for k in range(drives.fixed.shape[0]):
        own.fixed[k, lane] = drives.fixed[k]
    for i in range(x.shape[0]):
        x[i, lane] = sweep.q[space.variable[i]]
    return DONE


@kernel
def load_seed(own, bounds, start, variable, attempt, x, lane):
    """Start number ``attempt`` (from 1) of a lane's problem: the middle of the ranges, then the sequence."""
    number = attempt - 2
    for i in range(x.shape[0]):
        u = 0.5
        share = 1.0
        if number >= 0:
            u = bounds.shift[i] + (number + 1) * bounds.alpha[i]
            share = inner_share(number)
        value = drawn(u, share, own.low[i, lane], own.width[i, lane], start[variable[i]])
        x[i, lane] = min(max(value, own.true_lower[i, lane]), own.true_upper[i, lane])
