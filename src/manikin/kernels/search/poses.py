"""The search over plain goals (points, lines, planes, rotations, aims, all soft), among ranges, or linear rows too."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.path import CONTINUES, FRESH, T_BUDGET
from manikin.kernels.memory.state import DONE, REFUSED, REPAIR, TIDY
from manikin.kernels.memory.views import integers_at, reals_at
from manikin.kernels.pose.limits import is_tidy
from manikin.kernels.pose.place import is_finite
from manikin.kernels.pose.report import OUT_ERRORS, OUT_EVALUATIONS
from manikin.kernels.residuals.potentials import miss_parts, total_weight
from manikin.kernels.search.begin import (
    begin_at,
    bring_in,
    note_fixed,
    open_block,
    write_counts,
    write_end,
)
from manikin.kernels.search.layout import SECONDS, T_G, T_H, view_limits, view_parts
from manikin.kernels.search.opened import enter_limits, open_poses, open_rows
from manikin.kernels.search.paths import along_path
from manikin.kernels.search.pull import stand
from manikin.kernels.search.ranges import limit_speed
from manikin.kernels.search.search import search
from manikin.kernels.search.state import FAR, GOES_ON


@kernel
def _search(T, start, given, block, patience, far, run, among):
    """Search from the coordinates ``start``; ``block`` receives ``out`` (as of `pose.report`, a miss a part), the end,
    and the start. among: None where there are no linear rows.

    Returns DONE when every goal is met; SLOW, FLAT or SPENT; FAR, with the start and its misses; or what of a start
    cannot be accepted.
    """
    out, q = open_block(start, block)
    s, parts, sweep = open_poses(T)
    if not is_finite(q):
        return REFUSED
    G = integers_at(T[T_G], T[T_G + 1])
    H = reals_at(T[T_H], T[T_H + 1])
    bring_in(q, s.space, view_parts(G, H), sweep)
    note_fixed(s.tree, s.space, sweep, s.drives)
    begin_at(s.space, sweep, s.work.x)
    stand(s.space, given, run == FRESH, s.work.x, s.bounds)
    if not is_tidy(s.space, q):
        return TIDY
    seconds = view_limits(G, H).option[SECONDS]
    weight = total_weight(parts)
    st = s.work.state
    if among is None:
        limit_speed(s.bounds, s.work.x, seconds)
        task = search(s, None, weight, T[T_BUDGET], patience, far, 1.0)
    if among is not None:
        g = open_rows(T, sweep)
        st[GOES_ON] = 1.0 if run >= CONTINUES else 0.0
        if not enter_limits(s, g, seconds, run >= CONTINUES):
            return REPAIR
        task = search(s, g, weight, T[T_BUDGET], patience, far, 1.0)
    reached = miss_parts(parts, sweep.frames, sweep.errors)
    for t in range(sweep.errors.shape[0]):
        out[OUT_ERRORS + t] = sweep.errors[t]
    if task == FAR:
        out[OUT_EVALUATIONS] = 1.0
        return task
    write_end(s, sweep, s.work.x, q)
    write_counts(st, task, reached, out)
    return DONE if reached else task


@kernel
def search_among_ranges(T, start, given, block, patience, far, run):
    """Among ranges alone."""
    return _search(T, start, given, block, patience, far, run, None)


@kernel
def _search_among_rows(T, start, given, block, patience, far, run):
    return _search(T, start, given, block, patience, far, run, 1)


_along_ranges, _along_rows = along_path(search_among_ranges), along_path(_search_among_rows)


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def poses(T, start, block, patience, far):
    """Search over plain goals from ``start``, or along a path."""
    return _along_ranges(T, start, block, patience, far)


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def poses_among_rows(T, start, block, patience, far):
    """The same with linear rows; a start may break one by no more than rounding."""
    return _along_rows(T, start, block, patience, far)
