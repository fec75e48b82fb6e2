"""Searches over plain goals among linear rows from seeds, one after the other."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.state import DONE
from manikin.kernels.memory.views import integers_at, reals_at
from manikin.kernels.pose.limits import X, nearest_feasible
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.kernels.residuals.potentials import miss_parts, total_weight
from manikin.kernels.search.begin import bring_in, note_fixed, write_counts, write_end
from manikin.kernels.search.evaluate import ENOUGH, evaluate
from manikin.kernels.search.layout import T_G, T_H, view_parts
from manikin.kernels.search.opened import enter_limits, open_poses, open_rows
from manikin.kernels.search.search import search
from manikin.kernels.search.seeds import (
    END_ITERATIONS,
    END_POTENTIAL,
    END_TASK,
    END_X,
    OF_POINTS,
    drawn,
    inside,
)
from manikin.kernels.search.state import EVALUATIONS, FLAT, GOES_ON, POTENTIAL, STEPS


@kernel
def _seed(s, g, start, given, index):
    """Seed number ``index`` into X, given, or the lowest of some points, moved to the nearest point of all ranges and
    rows; False where there is none.
    """
    work = s.work
    bounds = s.bounds
    n = work.x.shape[0]
    number = index - given.shape[0]
    if number < 0:
        for i in range(n):
            work.x[i] = inside(bounds, i, given[index, i])
    else:
        lowest = math.inf
        for other in range(OF_POINTS):
            k = OF_POINTS * number + 1 + other
            for i in range(n):
                u = bounds.shift[i] + k * bounds.alpha[i]
                near = start[s.space.variable[i]]
                work.x_new[i] = inside(bounds, i, drawn(u, 1.0, bounds.low[i], bounds.width[i], near))
            potential, _, _ = evaluate(s, g, work.x_new, work.e_new, ENOUGH)
            if other == 0 or potential < lowest:
                lowest = potential
                for i in range(n):
                    work.x[i] = work.x_new[i]
    x = g.method.vector[X]
    for i in range(n):
        x[i] = work.x[i]
    possible = nearest_feasible(g.method, g.method.metric, g.method.curve[1])
    for i in range(n):
        work.x[i] = inside(bounds, i, x[i])
    return possible


@kernel(entry="i8[:], f8[:], f8[:], f8[:,:], i8, f8[:,:], i8, i8 -> i8")
def poses_from_seeds_among_rows(T, q, out, given, first, ends, budget, patience):
    """Search from seed number ``first`` and those after it, a row of ``ends`` each, until one meets all goals: its row,
    or −1. ``q`` is where the coordinates that do not vary are, and is replaced by the result, with ``out``.
    """
    s, parts, sweep = open_poses(T)
    g = open_rows(T, sweep)
    st = s.work.state
    G = integers_at(T[T_G], T[T_G + 1])
    bring_in(q, s.space, view_parts(G, reals_at(T[T_H], T[T_H + 1])), sweep)
    note_fixed(s.tree, s.space, sweep, s.drives)
    n = s.work.x.shape[0]
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    weight = total_weight(parts)
    steps = 0.0
    evaluations = 0.0
    for row in range(ends.shape[0]):
        for i in range(n):
            s.work.x[i] = q[s.space.variable[i]]
            sweep.q[s.space.variable[i]] = s.work.x[i]
        enter_limits(s, g, 0.0, False)
        evaluations += OF_POINTS if first + row >= given.shape[0] else 0.0
        end = ends[row]
        if not _seed(s, g, q, given, first + row):
            end[END_POTENTIAL] = math.inf
            end[END_TASK] = FLAT
            end[END_ITERATIONS] = 0.0
            continue
        st[GOES_ON] = 0.0
        task = search(s, g, weight, budget, patience, math.inf, 1.0)
        steps += st[STEPS]
        evaluations += st[EVALUATIONS]
        end[END_POTENTIAL] = st[POTENTIAL]
        end[END_TASK] = task
        end[END_ITERATIONS] = st[STEPS]
        for i in range(n):
            end[END_X + i] = s.work.x[i]
        if task == DONE:
            st[STEPS] = steps
            st[EVALUATIONS] = evaluations
            reached = miss_parts(parts, sweep.frames, sweep.errors)
            for t in range(sweep.errors.shape[0]):
                out[OUT_ERRORS + t] = sweep.errors[t]
            write_end(s, sweep, s.work.x, q)
            write_counts(st, task, reached, out)
            return row
    return -1
