"""A whole solve: the start, the conversation with the method, the result.

``out``: potential, status, iterations, evaluations, reached, then the miss of each part.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import IDENTITY, view_parts, view_space, view_sweep, view_tree, view_work
from manikin.kernels.memory.state import (
    BUDGET,
    CURVE,
    DELTA_1,
    DELTA_2,
    DONE,
    EVALUATE,
    EVALUATIONS,
    GRADIENT_TOLERANCE,
    ITERATIONS,
    MET,
    NEXT,
    POTENTIAL,
    PROPOSE,
    STATUS,
    TASK,
    UNIT,
    UPDATE,
)
from manikin.kernels.projection.active_set import G_NEW, LOWER, SCALE, UPPER, X_NEW, X
from manikin.kernels.projection.escape import is_saddle, reduce_hessian, set_out
from manikin.kernels.projection.feasible import gather_rows, nearest_feasible, worst_violation
from manikin.kernels.projection.projection import advance, begin, next_direction, propose, restart
from manikin.kernels.rows.curvature import curvature
from manikin.kernels.rows.potentials import miss_parts, push_parts, total_weight
from manikin.kernels.tree.sweep import backward, drive, forward

# Entries of out.
OUT_POTENTIAL, OUT_STATUS, OUT_ITERATIONS, OUT_EVALUATIONS, OUT_REACHED, OUT_ERRORS = range(6)
# A further status: no point satisfies the linear constraints. Further tasks: see `repair`; a start that is
# not finite; a start that breaks a row which has nothing to do with the goals.
INFEASIBLE = 3
REPAIR = 5
REFUSED = 6
TIDY = 7
# Options, in Space.option.
OPTION_GRADIENT, OPTION_DELTA_1, OPTION_DELTA_2, OPTION_UPDATE = range(4)
# The two conditions of the line search (26), unless the options say otherwise: Powell's.
POWELL = (1e-4, 0.5)

_FEASIBLE = 1e-11
# A rotation vector longer than this is replaced by a shorter one of the same rotation during a search.
LONGEST_VECTOR = 1.5 * math.pi


@kernel(inline=True)
def place(identity, tree, sweep):
    """Frames of the coordinates in ``sweep.q``."""
    if identity:
        for k in range(sweep.q.shape[0]):
            sweep.values[k] = sweep.q[k]
    else:
        drive(tree.offset, tree.drive_axis, tree.drive_dof, tree.drive_coefficient, sweep.q, sweep.values)
    forward(
        tree.parent, tree.kind, tree.axis, tree.placement, sweep.values, sweep.trig, sweep.frames, sweep.spins
    )


@kernel(inline=True)
def collect(identity, tree, variable, sweep, gradient):
    """Gradient by the variables from the wrenches in ``sweep``."""
    backward(tree.parent, tree.kind, tree.axis, sweep.frames, sweep.spins, sweep.wrenches, sweep.slopes)
    if identity:
        for i in range(variable.shape[0]):
            gradient[i] = sweep.slopes[variable[i]]
        return
    by_dof = sweep.by_dof
    for j in range(by_dof.shape[0]):
        by_dof[j] = 0.0
    for t in range(tree.drive_axis.shape[0]):
        by_dof[tree.drive_dof[t]] += tree.drive_coefficient[t] * sweep.slopes[tree.drive_axis[t]]
    for i in range(variable.shape[0]):
        gradient[i] = by_dof[variable[i]]


@kernel(inline=True)
def evaluate(identity, tree, parts, variable, sweep, x, gradient):
    """Potential, whether every part is met, and (into ``gradient``) its slope, at the variables x."""
    for i in range(variable.shape[0]):
        sweep.q[variable[i]] = x[i]
    place(identity, tree, sweep)
    potential, met = push_parts(parts, sweep.frames, sweep.wrenches)
    collect(identity, tree, variable, sweep, gradient)
    return potential, met


@kernel
def is_finite(q):
    """Whether every coordinate is a number, and not so large that its angle is rounding."""
    largest = 0.0
    for j in range(q.shape[0]):
        if not abs(q[j]) < 1e9:
            largest = math.inf
    return largest == 0.0


@kernel
def is_tidy(space, q):
    """Whether the rows that no variable is in, or no goal is concerned with, hold at q within the ranges."""
    for r in range(space.aside.shape[0]):
        value = 0.0
        for j in range(q.shape[0]):
            value += space.aside[r, j] * min(max(q[j], space.lower[j]), space.upper[j])
        if value < space.aside_lower[r] - _FEASIBLE or value > space.aside_upper[r] + _FEASIBLE:
            return False
    return True


@kernel
def start(space, sweep, work, q):
    """Bring q into the ranges and set the search up there; False when a linear row is still broken."""
    v = work.vector
    for j in range(q.shape[0]):
        sweep.q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for i in range(space.variable.shape[0]):
        j = space.variable[i]
        v[LOWER, i] = space.lower[j]
        v[UPPER, i] = space.upper[j]
        v[SCALE, i] = space.metric[j]
        v[X, i] = sweep.q[j]
    if space.row.shape[0] == 0:
        return True
    return gather_rows(space, sweep.q, work) and worst_violation(work)[0] <= _FEASIBLE


@kernel
def configure(space, work, budget, weight):
    """Write what a search is told into its state: options that are 0 are the report's own."""
    st = work.state
    delta_1 = space.option[OPTION_DELTA_1]
    delta_2 = space.option[OPTION_DELTA_2]
    st[BUDGET] = budget
    st[UNIT] = weight
    st[GRADIENT_TOLERANCE] = space.option[OPTION_GRADIENT]
    st[DELTA_1] = delta_1 if delta_1 > 0.0 else POWELL[0]
    st[DELTA_2] = delta_2 if delta_2 > 0.0 else POWELL[1]
    st[UPDATE] = space.option[OPTION_UPDATE]


@kernel
def recharted(space, x, longest):
    """Replace rotation vectors longer than this by the shortest of the same rotation; True when one was."""
    changed = False
    for c in range(space.charts.shape[0]):
        first = space.charts[c, 0]
        size = space.charts[c, 1]
        square = 0.0
        for i in range(first, first + size):
            square += x[i] * x[i]
        if square > longest * longest:
            length = math.sqrt(square)
            turns = math.floor(length / (2.0 * math.pi) + 0.5)
            for i in range(first, first + size):
                x[i] *= 1.0 - turns * 2.0 * math.pi / length
            changed = turns != 0
    return changed


@kernel
def unwound(space, x, q):
    """Take whole turns out of the coordinates that have them, so that they end nearest to where they began."""
    for i in range(x.shape[0]):
        if space.periodic[i] == 0:
            continue
        j = space.variable[i]
        turns = math.floor((x[i] - q[j]) / (2.0 * math.pi) + 0.5)
        if turns != 0:
            y = x[i] - turns * 2.0 * math.pi
            if space.lower[j] <= y <= space.upper[j]:
                x[i] = y


@kernel(inline=True)
def reply(work, task):
    """Settle what the method can do by itself: a new direction, a new proposal."""
    if task == NEXT:
        task = next_direction(work)
    if task == PROPOSE:
        propose(work)
        task = EVALUATE
    return task


@kernel(inline=True)
def return_to(work):
    """Propose the current point itself."""
    v = work.vector
    for i in range(v.shape[1]):
        v[X_NEW, i] = v[X, i]


@kernel(inline=True)
def converse(identity, tree, parts, space, sweep, work, task):
    """Answer the method until it is done, with the frames those of the result, or wants what is rarely wanted."""
    v = work.vector
    while True:
        potential, met = evaluate(identity, tree, parts, space.variable, sweep, v[X_NEW], v[G_NEW])
        if task == DONE:
            work.state[POTENTIAL] = potential
            return DONE
        task = reply(work, advance(work, potential, met))
        if task == CURVE:
            return CURVE
        if task == DONE:
            if work.state[STATUS] == MET:
                return DONE
            return_to(work)
        elif recharted(space, v[X], LONGEST_VECTOR):
            task = restart(work)


@kernel(inline=True)
def finish(parts, space, sweep, work, q, out):
    """Write the result to q and out, the misses measured anew."""
    write_end(space, sweep, work, q, out, miss_parts(parts, sweep.frames, sweep.errors))


@kernel(inline=True)
def write_end(space, sweep, work, q, out, reached):
    """Write the result to q and out, the misses as they have been measured, and whether they count as reached."""
    x = work.vector[X]
    recharted(space, x, math.pi)
    unwound(space, x, q)
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    for i in range(space.variable.shape[0]):
        q[space.variable[i]] = x[i]
    out[OUT_POTENTIAL] = work.state[POTENTIAL]
    out[OUT_STATUS] = work.state[STATUS]
    out[OUT_ITERATIONS] = work.state[ITERATIONS]
    out[OUT_EVALUATIONS] = work.state[EVALUATIONS]
    out[OUT_REACHED] = 1.0 if reached and work.state[STATUS] != INFEASIBLE else 0.0
    for t in range(sweep.errors.shape[0]):
        out[OUT_ERRORS + t] = sweep.errors[t]


@kernel(entry=True)
def solve(S, R, W, q, out, budget, fresh):
    """Solve from the coordinates q, which the result replaces, in at most ``budget`` iterations.

    Returns DONE, or a task for one of the entries below, after which it is called again with ``fresh`` false: the
    search then goes on where it was. (What is rarely needed is compiled apart, when it is needed.) After DONE with the
    status STOPPED, a call with a larger budget goes on too.
    """
    tree = view_tree(S, R)
    parts = view_parts(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    st = work.state
    configure(space, work, budget, total_weight(parts))
    task = int(st[TASK])
    if fresh:
        if not is_finite(q):
            return REFUSED
        feasible = start(space, sweep, work, q)
        task = begin(work)
        if not is_tidy(space, q):
            return TIDY
        if not feasible:
            return REPAIR
    task = reply(work, task)
    if task == DONE:
        return_to(work)
    task = converse(S[IDENTITY] != 0, tree, parts, space, sweep, work, task)
    st[TASK] = NEXT
    if task == DONE:
        finish(parts, space, sweep, work, q, out)
    return task


@kernel(entry=True)
def bring_in(S, R, W, q):
    """Move q to the nearest point in the ranges and linear rows: DONE where it kept the rows, REPAIR where it did not,
    INFEASIBLE where there is no such point, TIDY where rows are broken that no variable is in; REFUSED.
    """
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    v = work.vector
    if not is_finite(q):
        return REFUSED
    keeps = start(space, sweep, work, q)
    if not is_tidy(space, q):
        return TIDY
    possible = keeps or (
        gather_rows(space, sweep.q, work) and nearest_feasible(work, work.curve[0], work.curve[1])
    )
    if not possible:
        return INFEASIBLE
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    for i in range(space.variable.shape[0]):
        q[space.variable[i]] = min(max(v[X, i], v[LOWER, i]), v[UPPER, i])
    return DONE if keeps else REPAIR


@kernel(entry=True)
def repair(S, R, W, q):
    """Answer REPAIR: go to the nearest point of q that satisfies the constraints, or find that there is none."""
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    v = work.vector
    possible = gather_rows(space, sweep.q, work)
    if possible:
        for i in range(v.shape[1]):
            v[X, i] = q[space.variable[i]]
        possible = nearest_feasible(work, work.curve[0], work.curve[1])
        for i in range(v.shape[1]):
            v[X, i] = min(max(v[X, i], v[LOWER, i]), v[UPPER, i])
    work.state[TASK] = begin(work)
    if not possible:
        work.state[TASK] = DONE
        work.state[STATUS] = INFEASIBLE
    return possible


@kernel(entry=True)
def give_up(S, W):
    """Answer TIDY when it cannot be done: the constraints contradict each other."""
    work = view_work(S, W)
    work.state[TASK] = DONE
    work.state[STATUS] = INFEASIBLE


@kernel(entry=True)
def look_around(S, R, W):
    """Answer CURVE: second derivatives at X; True when some are negative, and the search may `depart`."""
    tree = view_tree(S, R)
    parts = view_parts(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    v = work.vector
    identity = S[IDENTITY] != 0
    for i in range(v.shape[1]):
        sweep.q[space.variable[i]] = v[X, i]
    place(identity, tree, sweep)
    curvature(tree, parts, sweep, work.hessian)
    reduce_hessian(tree, space.variable, identity, work.hessian, sweep.by_dof, work.curve[0])
    return is_saddle(work)


@kernel(entry=True)
def depart(S, W, curvature):
    """Leave a saddle along STEP, a direction of this (negative) curvature."""
    set_out(view_work(S, W), curvature)
