"""The search over goals of every kind, from one start or along a path."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import IDENTITY
from manikin.kernels.memory.path import CONTINUES, FRESH, ON_PATH, T_BUDGET
from manikin.kernels.memory.state import DONE, REFUSED, REPAIR, TIDY
from manikin.kernels.memory.views import integers_at, reals_at
from manikin.kernels.pose.limits import is_tidy
from manikin.kernels.pose.place import is_finite
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.kernels.residuals.miss import part_miss
from manikin.kernels.search.begin import (
    anchor,
    begin_at,
    bring_in,
    laid_out,
    lay_residuals,
    note_fixed,
    open_block,
    write_counts,
    write_end,
)
from manikin.kernels.search.layout import PULL_TO_START, PULL_TO_THE_END, SECONDS, T_G, T_H, T_S, view_parts
from manikin.kernels.search.opened import enter_limits, open_rows, open_search
from manikin.kernels.search.paths import along_path
from manikin.kernels.search.pull import stand
from manikin.kernels.search.rows import measure_rows
from manikin.kernels.search.search import search
from manikin.kernels.search.state import GOES_ON, HARD, POTENTIAL, SLOW


@kernel
def _report(M, parts, limits, last, out):
    """The miss of each part that is reported on; whether all that count are reached."""
    reached = True
    for t in range(M.kind.shape[0]):
        first = M.first[t]
        miss = 0.0
        on = M.count[t] > 0 and M.level[first] < last
        if on:
            miss = part_miss(M, t)
            if M.weight[first] > 0.0:
                reached = reached and miss <= limits.allowed[t]
        if parts.tell[t] >= 0:
            out[OUT_ERRORS + parts.tell[t]] = miss
    return reached


@kernel
def _lead(s, g, given, run):
    """Where the pull leads, of what depends on the start that was given."""
    bounds = s.bounds
    space = s.space
    stand(space, given, run == FRESH, s.work.x, bounds)
    if run != ON_PATH and g.limits.option[PULL_TO_START] != 0.0:
        for i in range(s.work.x.shape[0]):
            j = space.variable[i]
            bounds.pull_low[i] = min(max(given[j], space.lower[j]), space.upper[j])
            bounds.pull_high[i] = bounds.pull_low[i]


@kernel
def search_from(T, start, given, block, patience, far, run):
    """Search from the coordinates ``start``; ``block`` receives ``out`` (as of `pose.report`, a miss a part), the end,
    and the start. Returns DONE when every goal is met; SLOW, FLAT or SPENT; or what of a start cannot be accepted.

    given: the start that was given, which may be another; run: as of `memory.path`.
    """
    s, sweep = open_search(T)
    g = open_rows(T, sweep)
    parts = view_parts(integers_at(T[T_G], T[T_G + 1]), reals_at(T[T_H], T[T_H + 1]))
    M = g.M
    out, q = open_block(start, block)
    if not is_finite(q):
        return REFUSED
    if run == FRESH:
        is_identity = integers_at(T[T_S], T[T_S + 1])[IDENTITY] != 0
        anchor(is_identity, s.tree, s.space, sweep, M, parts, given)
    bring_in(q, s.space, parts, sweep)
    note_fixed(s.tree, s.space, sweep, s.drives)
    begin_at(s.space, sweep, s.work.x)
    _lead(s, g, given, run)
    if not is_tidy(s.space, sweep.q):
        return TIDY
    if not enter_limits(s, g, g.limits.option[SECONDS], run >= CONTINUES):
        return REPAIR
    residuals = lay_residuals(M, s.strips, g.limits, g.scalars, g.last, g.hard_weight)
    st = s.work.state
    st[GOES_ON] = 1.0 if run >= CONTINUES else 0.0
    arrived = 1.0 if g.limits.option[PULL_TO_THE_END] == 0.0 else 0.0
    s = laid_out(s, residuals, 3 * residuals)
    task = search(s, g, 0.0, T[T_BUDGET], patience, far, arrived)
    measure_rows(g, True)
    write_end(s, sweep, s.work.x, q)
    reached = _report(M, parts, g.limits, g.last, out)
    st[POTENTIAL] -= g.hard_weight * st[HARD]
    write_counts(st, task, reached and task == DONE, out)
    return SLOW if task == DONE and not reached else task


_along = along_path(search_from)


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def general(T, start, block, patience, far):
    """`search_from` ``start``, or along a path."""
    return _along(T, start, block, patience, far)
