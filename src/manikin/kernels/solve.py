"""A whole solve in one call: the start, the conversation with the method, the result.

``out``: potential, status, iterations, evaluations, reached, then the miss of each term.
"""

from __future__ import annotations

import math

from manikin.kernels.active_set import G_NEW, LOWER, SCALE, UPPER, X_NEW, G, X
from manikin.kernels.curvature import curvature
from manikin.kernels.escape import leave, reduce_hessian
from manikin.kernels.feasible import gather_rows, nearest_feasible, worst_violation
from manikin.kernels.jit import kernel
from manikin.kernels.layout import IDENTITY, view_space, view_sweep, view_terms, view_tree, view_work
from manikin.kernels.projection import (
    BUDGET,
    CURVE,
    DONE,
    EVALUATE,
    EVALUATIONS,
    GRADIENT_TOLERANCE,
    ITERATIONS,
    POTENTIAL,
    STATUS,
    advance,
    begin,
    go_on,
    restart,
)
from manikin.kernels.terms import miss_terms, push_terms
from manikin.kernels.tree import backward, drive, forward

# Entries of out.
OUT_POTENTIAL, OUT_STATUS, OUT_ITERATIONS, OUT_EVALUATIONS, OUT_REACHED, OUT_ERRORS = range(6)
# Further statuses, besides those of the method: no point satisfies the linear constraints.
INFEASIBLE = 3
# Options, in Space.option.
OPTION_GRADIENT = 0

_FEASIBLE = 1e-11


@kernel
def place(identity, tree, sweep):
    """Frames of the coordinates in ``sweep.q``."""
    if identity:
        forward(tree.parent, tree.kind, tree.axis, tree.placement, sweep.q, sweep.trig, sweep.frames, sweep.spins)
    else:
        drive(tree.offset, tree.drive_axis, tree.drive_dof, tree.drive_coefficient, sweep.q, sweep.values)
        forward(
            tree.parent, tree.kind, tree.axis, tree.placement, sweep.values, sweep.trig, sweep.frames, sweep.spins
        )


@kernel
def collect(identity, tree, variable, sweep, gradient):
    """Gradient by the variables from the wrenches in ``sweep``."""
    backward(tree.parent, tree.kind, tree.axis, sweep.frames, sweep.spins, sweep.wrenches, sweep.slopes)
    slopes = sweep.slopes
    if not identity:
        by_dof = sweep.columns.reshape(sweep.columns.size)[: sweep.q.shape[0]]
        by_dof[:] = 0.0
        for t in range(tree.drive_axis.shape[0]):
            by_dof[tree.drive_dof[t]] += tree.drive_coefficient[t] * slopes[tree.drive_axis[t]]
        slopes = by_dof
    for i in range(variable.shape[0]):
        gradient[i] = slopes[variable[i]]


@kernel
def evaluate(identity, tree, terms, variable, sweep, x, gradient):
    """Potential, whether every term is met, and (into ``gradient``) its slope, at the variables x."""
    for i in range(variable.shape[0]):
        sweep.q[variable[i]] = x[i]
    place(identity, tree, sweep)
    potential, met = push_terms(terms, sweep.frames, sweep.wrenches)
    collect(identity, tree, variable, sweep, gradient)
    return potential, met


@kernel
def start(space, sweep, work, q):
    """Bring q into the constraints, as near as can be; False when they contradict each other."""
    n = space.variable.shape[0]
    v = work.vector
    for j in range(q.shape[0]):
        sweep.q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for i in range(n):
        j = space.variable[i]
        v[LOWER, i] = space.lower[j]
        v[UPPER, i] = space.upper[j]
        v[SCALE, i] = space.metric[j]
        v[X, i] = sweep.q[j]
    if space.row.shape[0] == 0:
        return True
    if not gather_rows(space, sweep.q, work):
        return False
    if worst_violation(work)[0] <= _FEASIBLE:
        return True
    for i in range(n):
        v[X, i] = q[space.variable[i]]
    feasible = nearest_feasible(work, work.curve[0], work.curve[1])
    for i in range(n):
        v[X, i] = min(max(v[X, i], v[LOWER, i]), v[UPPER, i])
    return feasible


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


@kernel
def answer_curve(identity, tree, terms, space, sweep, work):
    """Second derivatives at X, by the variables, into ``work.curve[0]``."""
    v = work.vector
    evaluate(identity, tree, terms, space.variable, sweep, v[X], v[G])
    if identity:
        for k in range(sweep.values.shape[0]):
            sweep.values[k] = sweep.q[k]
    curvature(tree, terms, sweep, work.hessian)
    place_of = sweep.columns.reshape(sweep.columns.size)[: sweep.q.shape[0]]
    reduce_hessian(tree, space.variable, identity, work.hessian, place_of, work.curve[0])


@kernel
def _converse(identity, tree, terms, space, sweep, work, task):
    """Answer the method until it is done."""
    v = work.vector
    while task != DONE:
        if task == EVALUATE:
            potential, met = evaluate(identity, tree, terms, space.variable, sweep, v[X_NEW], v[G_NEW])
            task = advance(work, potential, met)
            if task == EVALUATE and recharted(space, v[X], 1.5 * math.pi):
                task = restart(work)
        elif task == CURVE:
            answer_curve(identity, tree, terms, space, sweep, work)
            task = leave(work)


@kernel
def finish(identity, tree, terms, space, sweep, work, q, out):
    """Write the result to q and out, the misses measured anew."""
    x = work.vector[X]
    recharted(space, x, math.pi)
    unwound(space, x, q)
    for i in range(space.variable.shape[0]):
        sweep.q[space.variable[i]] = x[i]
    for j in range(q.shape[0]):
        q[j] = sweep.q[j]
    place(identity, tree, sweep)
    reached = miss_terms(terms, sweep.frames, sweep.errors)
    out[OUT_POTENTIAL] = work.state[POTENTIAL]
    out[OUT_STATUS] = work.state[STATUS]
    out[OUT_ITERATIONS] = work.state[ITERATIONS]
    out[OUT_EVALUATIONS] = work.state[EVALUATIONS]
    out[OUT_REACHED] = 1.0 if reached else 0.0
    for t in range(sweep.errors.shape[0]):
        out[OUT_ERRORS + t] = sweep.errors[t]


@kernel(entry=True)
def solve(S, R, W, q, out, budget, resume):
    """Solve from the coordinates q, which the result replaces, in at most ``budget`` iterations.

    ``resume`` goes on where the last call on this workspace stopped for its budget.
    """
    identity = S[IDENTITY] != 0
    tree = view_tree(S, R)
    terms = view_terms(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    work.state[BUDGET] = budget
    work.state[GRADIENT_TOLERANCE] = space.option[OPTION_GRADIENT]
    if resume:
        _converse(identity, tree, terms, space, sweep, work, go_on(work))
    elif start(space, sweep, work, q):
        _converse(identity, tree, terms, space, sweep, work, begin(work))
    else:
        begin(work)
        work.state[STATUS] = INFEASIBLE
        work.state[POTENTIAL], _ = evaluate(
            identity, tree, terms, space.variable, sweep, work.vector[X], work.vector[G]
        )
    finish(identity, tree, terms, space, sweep, work, q, out)


@kernel(entry=True)
def slope(S, R, W, q, gradient):
    """Potential and its gradient by the variables at the coordinates q."""
    tree = view_tree(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    x = view_work(S, W).vector[X_NEW]
    for j in range(q.shape[0]):
        sweep.q[j] = q[j]
    for i in range(x.shape[0]):
        x[i] = q[space.variable[i]]
    return evaluate(S[IDENTITY] != 0, tree, view_terms(S, R), space.variable, sweep, x, gradient)[0]
