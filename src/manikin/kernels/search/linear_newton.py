"""Newton's steps of `lm_newton` among linear rows, each by `linear_newton_step`."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import (
    IDENTITY,
)
from manikin.kernels.memory.state import DONE, EVALUATIONS, ITERATIONS, MET, POTENTIAL, STATUS, STOPPED
from manikin.kernels.projection.active_set import X
from manikin.kernels.projection.solve import LONGEST_VECTOR, OPTION_GRADIENT, REPAIR, finish, recharted
from manikin.kernels.rows.potentials import total_weight
from manikin.kernels.search.damped import FLAT, SPENT, begin_at, enter, evaluate_rows, wrap
from manikin.kernels.search.layout import exchanged, view_places
from manikin.kernels.search.linear import enter_rows
from manikin.kernels.search.linear_layout import view_linear
from manikin.kernels.search.linear_newton_step import newton_step
from manikin.kernels.search.linear_step import bring_back, take_room
from manikin.kernels.search.newton import _promised, _second_derivatives
from manikin.kernels.search.problem import view_problem
from manikin.kernels.search.rows import lay_rows
from manikin.kernels.search.step import next_damping, slope_and_held

# λ at first, of the largest entry of H.
_FIRST_DAMPING = 1e-4


@kernel(entry=True)
def newton_linear(S, R, W, N, V, P, q, variables, out, budget):
    """Go on from q with these variables; the end replaces q; ``out`` as of `solve.solve`.

    Returns DONE when every goal may stop, FLAT where there is no slope, or no step that helps, REPAIR where the start
    breaks a row, else SPENT.
    """
    tree, parts, space, sweep, method, ties, bounds, work = view_problem(S, R, W, N, V)
    linear = view_linear(S, N, P)
    st = method.state
    enter(tree, space, sweep, ties, q)
    begin_at(space, sweep, bounds, work.x, variables)
    if not enter_rows(space, sweep, method, bounds, work, linear):
        return REPAIR
    places = view_places(N, V, sweep)
    rows = lay_rows(parts, ties, work.blocks)
    weight = total_weight(parts)
    potential, met = evaluate_rows(tree, parts, ties, places, work.x, work.e, work.jacobian)
    iterations = 0
    evaluations = 1
    damping = 0.0
    growth = 2.0
    small = 0
    largest = 1.0
    anew = True
    task = SPENT
    while True:
        if met > 0.5:
            task = DONE
            break
        if small >= 3:
            task = FLAT
            break
        if iterations >= budget:
            break
        if anew:
            slope_and_held(rows, work, bounds.lower, bounds.upper)
            for k in range(sweep.values.shape[0]):
                sweep.values[k] = places.values[k]
            largest = _second_derivatives(
                S[IDENTITY] != 0,
                tree,
                parts,
                space,
                sweep,
                bounds,
                work,
                method.hessian,
                method.curve[0],
            )
            anew = False
        if iterations == 0:
            damping = _FIRST_DAMPING * largest
        iterations += 1
        take_room(method, bounds, work, linear, linear.rows.shape[0])
        found, left, damping = newton_step(method, work, linear, damping, largest)
        if found and 2.0 * left <= space.option[OPTION_GRADIENT] * (weight + potential):
            task = FLAT
            break
        longest = bring_back(method, bounds, work)
        predicted, _ = _promised(method.curve[0], work)
        accepted = False
        fell = 0.0
        new = potential
        new_met = 0.0
        if found:
            wrap(bounds, work.x_new)
            new, new_met = evaluate_rows(tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new)
            evaluations += 1
            fell = potential - new
            accepted = fell > 0.0 and predicted > 0.0
        gain = fell / predicted if accepted else 0.0
        damping, growth = next_damping(accepted, gain, 1.0, damping, growth)
        damping = max(damping, 1e-12 * largest)
        if accepted:
            small = small + 1 if fell <= 1e-13 * potential else 0
            potential = new
            met = new_met
            anew = True
            work = exchanged(work)
            if recharted(space, work.x, LONGEST_VECTOR):
                potential, met = evaluate_rows(tree, parts, ties, places, work.x, work.e, work.jacobian)
        elif (found and longest < 1e-13) or damping > 1e9 * largest:
            task = FLAT
            break
    evaluate_rows(tree, parts, ties, places, work.x, work.e_new, work.jacobian_new)
    for i in range(work.x.shape[0]):
        method.vector[X, i] = work.x[i]
    st[POTENTIAL] = potential
    st[STATUS] = MET if task == DONE else STOPPED
    st[ITERATIONS] = iterations
    st[EVALUATIONS] = evaluations
    finish(parts, space, sweep, method, q, out)
    return task
