"""A problem, a figure or a further start into a lane."""

from __future__ import annotations

import math

from manikin.kernels.batch.layout import SITE_NUMBERS
from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import PART
from manikin.kernels.memory.state import DONE, REFUSED, TIDY
from manikin.kernels.memory.targets import T_GIVEN, T_GOALS, view_slots, write_target
from manikin.kernels.memory.views import integers_at, view1
from manikin.kernels.pose.limits import is_tidy
from manikin.kernels.pose.place import is_finite
from manikin.kernels.search.damped import enter
from manikin.kernels.search.lanes import FITTED, INNER


@kernel
def load_figure(tree, parts, space, bounds, F, f):
    """The numbers of figure f where scalar code reads them."""
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
def share_bounds(bounds, batch, lane):
    """The scalar bounds into a lane."""
    for i in range(bounds.lower.shape[0]):
        batch.lower_of[i, lane] = bounds.lower[i]
        batch.upper_of[i, lane] = bounds.upper[i]
        batch.true_lower_of[i, lane] = bounds.true_lower[i]
        batch.true_upper_of[i, lane] = bounds.true_upper[i]
        batch.low_of[i, lane] = bounds.low[i]
        batch.width_of[i, lane] = bounds.width[i]


@kernel
def share_placement(tree, batch, lane):
    """The scalar placements into a lane."""
    for i in range(tree.placement.shape[0]):
        for c in range(12):
            batch.placement_of[12 * i + c, lane] = tree.placement[i, c]


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
def load_problem(alone, batch, TT, numbers, q, x, lane):
    """A problem into a lane: targets, start, axis values that do not vary. DONE, or why not."""
    tree, parts, space, sweep, ties = alone
    if not _take_targets(TT, numbers):
        return REFUSED
    if not is_finite(q):
        return REFUSED
    if not is_tidy(space, q):
        return TIDY
    for t in range(parts.kind.shape[0]):
        for c in range(PART):
            batch.parameters_of[PART * t + c, lane] = parts.parameters[t, c]
    enter(tree, space, sweep, ties, q)
    for k in range(ties.fixed.shape[0]):
        batch.fixed_of[k, lane] = ties.fixed[k]
    for i in range(x.shape[0]):
        x[i, lane] = sweep.q[space.variable[i]]
    return DONE


@kernel
def load_seed(batch, bounds, start, variable, attempt, x, lane):
    """Start number ``attempt`` (from 1) of a lane's problem: the middle of the ranges, then the sequence."""
    number = attempt - 2
    share = INNER if number < FITTED and number % 2 == 0 else 1.0
    for i in range(x.shape[0]):
        low = batch.low_of[i, lane]
        limited = low > -math.inf
        u = 0.5
        if number >= 0:
            u = bounds.shift[i] + (number + 1) * bounds.alpha[i]
            u -= math.floor(u)
            if limited:
                u = 0.5 + share * (u - 0.5)
        if not limited:
            low = start[variable[i]] - 0.5 * batch.width_of[i, lane]
        value = low + u * batch.width_of[i, lane]
        x[i, lane] = min(max(value, batch.true_lower_of[i, lane]), batch.true_upper_of[i, lane])
