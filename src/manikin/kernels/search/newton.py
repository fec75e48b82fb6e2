"""Newton's steps inside the ranges, with exact second derivatives: what `lm` turns into where it is slow.

Where goals cannot be met, the residual's own curvature matters and Gauss' approximation of it crawls. Here

    (H + λ) d = −g   over the coordinates that no range holds,   H = ∇²P (`curvature`)

λ being raised until the matrix is positive definite. Everything is in coordinates scaled by the root of the metric.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import (
    IDENTITY,
)
from manikin.kernels.memory.state import DONE, EVALUATIONS, ITERATIONS, MET, POTENTIAL, STATUS, STOPPED
from manikin.kernels.projection.active_set import X
from manikin.kernels.projection.escape import reduce_hessian
from manikin.kernels.projection.solve import LONGEST_VECTOR, OPTION_GRADIENT, finish, recharted
from manikin.kernels.rows.curvature import curvature
from manikin.kernels.rows.potentials import total_weight
from manikin.kernels.search.damped import FLAT, SPENT, begin_at, enter, evaluate_rows, wrap
from manikin.kernels.search.layout import exchanged, view_places
from manikin.kernels.search.problem import view_problem
from manikin.kernels.search.rows import lay_rows
from manikin.kernels.search.step import next_damping, slope_and_held

_PASSES = 8
# λ at first, of the largest entry of H, and the least that it is raised to.
_FIRST_DAMPING = 1e-4
_LEAST_RAISE = 1e-3


@kernel
def _solve_positive(hessian, free, damping, right, factor, x):
    """x = (hessian + damping)⁻¹ right over the free coordinates; False where the matrix is not positive definite."""
    n = free.shape[0]
    for a in range(n):
        row = factor[a]
        if free[a] < 0.5:
            for b in range(a):
                row[b] = 0.0
            row[a] = 1.0
            x[a] = 0.0
            continue
        s = hessian[a, a] + damping
        least = 1e-10 * (abs(hessian[a, a]) + damping)
        t = right[a]
        for b in range(a):
            f = 0.0
            if free[b] > 0.5:
                f = hessian[a, b]
                other = factor[b]
                for c in range(b):
                    f -= row[c] * other[c]
                f *= other[b]
            row[b] = f
            s -= f * f
            t -= f * x[b]
        if not s > least:
            return False
        row[a] = 1.0 / math.sqrt(s)
        x[a] = t * row[a]
    for a in range(n - 1, -1, -1):
        if free[a] < 0.5:
            continue
        s = x[a] * factor[a, a]
        x[a] = s
        row = factor[a]
        for c in range(a):
            x[c] -= row[c] * s
    return True


@kernel
def _newton_step(hessian, work, scale, lower, upper, damping):
    """STEP (scaled) and X_NEW inside the ranges; False where the damped matrix is not positive definite."""
    n = work.x.shape[0]
    for i in range(n):
        work.step[i] = 0.0
    for _ in range(_PASSES):
        for a in range(n):
            s = -2.0 * work.slope[a]
            row = hessian[a]
            for b in range(n):
                s -= row[b] * work.step[b] * (1.0 - work.free[b])
            work.wish[a] = s
        if not _solve_positive(hessian, work.free, damping, work.wish, work.lower, work.solved):
            return False
        again = False
        for i in range(n):
            if work.free[i] < 0.5:
                continue
            step = work.solved[i] * scale[i]
            y = work.x[i] + step
            if y < lower[i] or y > upper[i]:
                again = True
                work.free[i] = 0.0
                step = min(max(y, lower[i]), upper[i]) - work.x[i]
            work.step[i] = step / scale[i]
        if not again:
            break
    for i in range(n):
        y = work.x[i] + work.step[i] * scale[i]
        work.x_new[i] = min(max(y, lower[i]), upper[i])
    return True


@kernel
def _promised(hessian, work):
    """Fall of P that the quadratic model promises for STEP, and the longest entry of the step."""
    n = work.x.shape[0]
    fall = 0.0
    longest = 0.0
    for a in range(n):
        s = 2.0 * work.slope[a]
        row = hessian[a]
        for b in range(n):
            s += 0.5 * row[b] * work.step[b]
        fall -= s * work.step[a]
        longest = max(longest, abs(work.step[a]))
    return fall, longest


@kernel
def _second_derivatives(identity, tree, parts, space, sweep, bounds, work, by_value, hessian):
    """H at X, scaled, into ``hessian``; returns its largest entry."""
    curvature(tree, parts, sweep, by_value)
    reduce_hessian(tree, space.variable, identity, by_value, sweep.by_dof, hessian)
    largest = 1e-12
    n = work.x.shape[0]
    for a in range(n):
        for b in range(n):
            hessian[a, b] *= bounds.scale[a] * bounds.scale[b]
            largest = max(largest, abs(hessian[a, b]))
    return largest


@kernel(entry=True)
def newton(S, R, W, N, V, q, variables, out, budget):
    """Go on from q with these variables; the end replaces q; ``out`` as of `solve.solve`.

    Returns DONE when every goal may stop, FLAT where there is no slope, or no step that helps, else SPENT.
    """
    tree, parts, space, sweep, method, ties, bounds, work = view_problem(S, R, W, N, V)
    hessian = method.curve[0]
    st = method.state
    enter(tree, space, sweep, ties, q)
    begin_at(space, sweep, bounds, work.x, variables)
    places = view_places(N, V, sweep)
    rows = lay_rows(parts, ties, work.blocks)
    weight = total_weight(parts)
    potential, met = evaluate_rows(tree, parts, ties, places, work.x, work.e, work.jacobian)
    iterations = 0
    evaluations = 1
    damping = 0.0
    factor = 2.0
    small = 0
    largest = 1.0
    anew = True
    task = SPENT
    while True:
        if met > 0.5:
            task = DONE
            break
        slope = slope_and_held(rows, work, bounds.lower, bounds.upper)
        if 2.0 * slope <= space.option[OPTION_GRADIENT] * (weight + potential) or small >= 3:
            task = FLAT
            break
        if iterations >= budget:
            break
        if anew:
            for k in range(sweep.values.shape[0]):
                sweep.values[k] = places.values[k]
            largest = _second_derivatives(
                S[IDENTITY] != 0, tree, parts, space, sweep, bounds, work, method.hessian, hessian
            )
            anew = False
        if iterations == 0:
            damping = _FIRST_DAMPING * largest
        iterations += 1
        if not _newton_step(hessian, work, bounds.scale, bounds.lower, bounds.upper, damping):
            damping = max(4.0 * damping, _LEAST_RAISE * largest)
            continue
        predicted, longest = _promised(hessian, work)
        wrap(bounds, work.x_new)
        new, new_met = evaluate_rows(tree, parts, ties, places, work.x_new, work.e_new, work.jacobian_new)
        evaluations += 1
        fell = potential - new
        accepted = fell > 0.0 and predicted > 0.0
        damping, factor = next_damping(accepted, fell / predicted, 1.0, damping, factor)
        damping = max(damping, 1e-12 * largest)
        if accepted:
            small = small + 1 if fell <= 1e-13 * potential else 0
            potential = new
            met = new_met
            anew = True
            work = exchanged(work)
            if recharted(space, work.x, LONGEST_VECTOR):
                potential, met = evaluate_rows(tree, parts, ties, places, work.x, work.e, work.jacobian)
        elif longest < 1e-13 or damping > 1e9 * largest:
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
