"""The conversation with the method one sentence at a time, for potentials that Python computes.

`begin_by_hand`, then while the task is EVALUATE: `push` (frames, compiled parts), add what Python knows to the
wrenches, `tell`; CURVE: fill ``work.curve[0]``, `look_by_hand`,
`resume_by_hand`; DONE: `push` once more, `finish_by_hand`.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import IDENTITY, view_parts, view_space, view_sweep, view_tree, view_work
from manikin.kernels.memory.state import EVALUATE, POTENTIAL, TASK
from manikin.kernels.projection.active_set import G_NEW, X_NEW, X
from manikin.kernels.projection.escape import is_saddle
from manikin.kernels.projection.projection import advance, begin, restart
from manikin.kernels.projection.solve import (
    LONGEST_VECTOR,
    REFUSED,
    REPAIR,
    TIDY,
    collect,
    configure,
    finish,
    is_finite,
    is_tidy,
    place,
    recharted,
    reply,
    return_to,
    start,
)
from manikin.kernels.rows.potentials import push_parts, total_weight


@kernel(entry=True)
def begin_by_hand(S, R, W, q, budget, weight):
    """Set the search up at q; returns the first task. ``weight``: of the potentials that Python computes."""
    space = view_space(S, R)
    work = view_work(S, W)
    configure(space, work, budget, total_weight(view_parts(S, R)) + weight)
    if not is_finite(q):
        return REFUSED
    feasible = start(space, view_sweep(S, W), work, q)
    task = begin(work)
    if not is_tidy(space, q):
        return TIDY
    return task if feasible else REPAIR


@kernel(entry=True)
def push(S, R, W, current):
    """Frames at the proposed (or the current) point and the wrenches of the compiled parts: (potential, met)."""
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    if current:
        return_to(work)
    for i in range(space.variable.shape[0]):
        sweep.q[space.variable[i]] = work.vector[X_NEW, i]
    place(S[IDENTITY] != 0, view_tree(S, R), sweep)
    return push_parts(view_parts(S, R), sweep.frames, sweep.wrenches)


@kernel(entry=True)
def tell(S, R, W, potential, met):
    """Give the method the potential and, from the wrenches, the gradient; returns the next task."""
    space = view_space(S, R)
    work = view_work(S, W)
    collect(S[IDENTITY] != 0, view_tree(S, R), space.variable, view_sweep(S, W), work.vector[G_NEW])
    task = reply(work, advance(work, potential, met))
    if task == EVALUATE and recharted(space, work.vector[X], LONGEST_VECTOR):
        task = restart(work)
    return task


@kernel(entry=True)
def gradient_by_hand(S, R, W):
    """The gradient, from the wrenches, into G_NEW."""
    space = view_space(S, R)
    work = view_work(S, W)
    collect(S[IDENTITY] != 0, view_tree(S, R), space.variable, view_sweep(S, W), work.vector[G_NEW])


@kernel(entry=True)
def look_by_hand(S, W):
    """Answer CURVE from the second derivatives in ``work.curve[0]``: True when some are negative."""
    return is_saddle(view_work(S, W))


@kernel(entry=True)
def resume_by_hand(S, W):
    """The task that `repair` or `depart` left."""
    work = view_work(S, W)
    return reply(work, int(work.state[TASK]))


@kernel(entry=True)
def finish_by_hand(S, R, W, q, out, potential):
    """Write the result, whose frames are in the workspace."""
    work = view_work(S, W)
    work.state[POTENTIAL] = potential
    finish(view_parts(S, R), view_space(S, R), view_sweep(S, W), work, q, out)
