"""A search that begins at a closed form: six hinges that bring their site to its place (`six_axis_solve`)."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import view_parts
from manikin.kernels.memory.path import CONTINUES
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.memory.state import DONE
from manikin.kernels.memory.views import integers_at, reals_at, view1
from manikin.kernels.pose.limits import is_tidy
from manikin.kernels.pose.place import is_finite
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.kernels.residuals.errors import STOP, TARGET, TARGET_AXES, WEIGHT
from manikin.kernels.residuals.potentials import miss_parts
from manikin.kernels.search.begin import begin_at, bring_in, note_fixed, open_block, write_counts, write_end
from manikin.kernels.search.evaluate import place_at
from manikin.kernels.search.layout import T_G, T_H, T_R, T_S, T_SIX, view_parts as view_own
from manikin.kernels.search.opened import open_poses
from manikin.kernels.search.paths import along_path
from manikin.kernels.search.poses import search_among_ranges
from manikin.kernels.search.state import EVALUATIONS, FAR, MET, POTENTIAL, SLOW, STEPS
from manikin.kernels.six_axis.solve import MISS, nearest

# How many times the square at which a part stops is almost near enough.
_ALMOST = 16.0
# What a search ends with where every goal is met, and it began at the closed form.
BY_SIX = -1


@kernel
def _place_nearest(T, q, checked):
    """Whether the closed form has a solution inside the limits; the nearest to q is then in q.

    checked: as of `nearest`.
    """
    spec = reals_at(T[T_SIX], T[T_SIX + 1])
    limits = reals_at(T[T_SIX + 2], 12)
    places = integers_at(T[T_SIX + 4], 6)
    near = stack1(6)
    for j in range(6):
        near[j] = q[places[j]]
        if not abs(near[j]) < math.inf:
            return False
    S = integers_at(T[T_S], T[T_S + 1])
    R = reals_at(T[T_R], T[T_R + 1])
    parameters = view_parts(S, R).parameters
    target = stack2(4, 4)
    for i in range(3):
        target[i, 3] = parameters[0, TARGET + i]
        target[3, i] = 0.0
        for k in range(3):
            target[i, k] = parameters[1, TARGET_AXES + 3 * k + i]
    target[3, 3] = 1.0
    best = stack1(6)
    if nearest(spec, target, near, view1(limits, 0, 6), view1(limits, 6, 6), best, checked) == 0:
        return False
    for j in range(6):
        q[places[j]] = best[j]
    return True


@kernel
def _may_stop(parts, errors):
    """Whether every part that counts may be near enough to stop at, or is almost."""
    near = True
    for t in range(parts.kind.shape[0]):
        if parts.parameters[t, WEIGHT] > 0.0:
            near = near and errors[t] * errors[t] <= _ALMOST * parts.parameters[t, STOP]
    return near


@kernel
def _arrive(T, start, block, run):
    """Whether the solution nearest to the start meets every goal as it comes, and the start does not; the block tells.

    What this leaves open, a search says: a start that is met as it is, a solution that has to be mended.
    """
    out, q = open_block(start, block)
    s, parts, sweep = open_poses(T)
    if not is_finite(q) or not is_tidy(s.space, q):
        return False
    x = s.work.x
    st = s.work.state
    own = view_own(integers_at(T[T_G], T[T_G + 1]), reals_at(T[T_H], T[T_H + 1]))
    bring_in(q, s.space, own, sweep)
    note_fixed(s.tree, s.space, sweep, s.drives)
    if st[MET] < 0.5 or run < CONTINUES:  # else frames are as the last search left them
        begin_at(s.space, sweep, x)
        place_at(s, x, None)
    miss_parts(parts, sweep.frames, sweep.errors)
    if _may_stop(parts, sweep.errors) or not _place_nearest(T, q, False):
        return False
    for i in range(x.shape[0]):
        x[i] = q[s.space.variable[i]]
    place_at(s, x, None)
    st[MET] = 0.0
    reached = miss_parts(parts, sweep.frames, sweep.errors)
    potential = 0.0
    for t in range(parts.kind.shape[0]):
        miss = sweep.errors[t]
        if not (reached and miss <= MISS):
            return False
        potential += parts.parameters[t, WEIGHT] * miss * miss
        out[OUT_ERRORS + t] = miss
    st[POTENTIAL] = potential
    st[MET] = 1.0
    st[STEPS] = 0.0
    st[EVALUATIONS] = 2.0
    write_end(s, sweep, x, q)
    write_counts(st, DONE, reached, out)
    return True


@kernel
def _from_nearest(T, start, given, block, patience, far, run):
    if far == 0.0 and _arrive(T, start, block, run):
        return BY_SIX
    task = search_among_ranges(T, start, given, block, patience, far, run)
    if task != FAR and task != SLOW:
        return task
    _, q = open_block(start, block)
    if _place_nearest(T, q, True) and (
        search_among_ranges(T, q, given, block, patience, math.inf, run) == DONE
    ):
        n = start.shape[0]
        begun = view1(block, block.shape[0] - n, n)
        for j in range(n):  # the solution was where it began
            begun[j] = start[j]
        return BY_SIX
    if task == FAR:
        far = math.inf
    return search_among_ranges(T, start, given, block, patience, far, run)


_along = along_path(_from_nearest)


@kernel(entry="i8[:], f8[:], f8[:], i8, f8 -> i8")
def six_axis_first(T, start, block, patience, far):
    """`poses`, but where that is FAR or SLOW from the solution nearest to the start: BY_SIX if this meets every goal.

    The problem's first two parts are those of a Placement of the site that hangs on the six hinges (`SixHinges`), whose
    numbers are at the end of the table.
    """
    return _along(T, start, block, patience, far)
