"""The descent: one level of goals as low as it gets, with everything above it held.

Minimise P = Σ w ρ² over the measures of one level, ρ how far each is outside its range, while those of higher
levels keep to theirs, within the figure's ranges, cones and linear rows. A step solves

    min ½ ‖√w (ρ + J d)‖² + ½ λ dᵀKd (+ ½ dᵀS d)    such that   held rows, linear rows and ranges hold at d

(K the stiffness, λ the damping of Levenberg and Marquardt), and is then brought back to what is held: every point
that the descent stands on is feasible, so it may stop anywhere. A dead zone that the step would leave joins the
objective. When two steps in a row each gain under 30 %, S, the second derivatives of the rows weighted by residuals and
multipliers, is added (`second`): the step is then Newton's on the Lagrangian.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import gather_held, go, look_at, measure_at, outside, restore, room
from manikin.kernels.levels.layout import (
    AT_END,
    COUNT,
    D_LOWER,
    D_UPPER,
    EVALUATIONS,
    HELD,
    ITERATIONS,
    LAMBDA,
    LOWER,
    NEWTON,
    POTENTIAL,
    SEEN,
    SLOPE,
    SLOW,
    STATIONARITY,
    STATUS,
    UPPER,
    X_NEW,
    B,
    D,
    X,
    view_descent,
    view_program,
)
from manikin.kernels.levels.model import build_model, joined, level_weights, part_held, reconsider
from manikin.kernels.levels.second import second_derivatives
from manikin.kernels.math.quadratic import SOLVED, factor, minimise
from manikin.kernels.memory.layout import IDENTITY, view_space, view_sweep, view_tree, view_work
from manikin.kernels.memory.state import MET, STATIONARY, STOPPED
from manikin.kernels.projection.feasible import gather_rows
from manikin.kernels.projection.solve import LONGEST_VECTOR, OPTION_GRADIENT, recharted, unwound
from manikin.kernels.rows.layout import view_measures

_LEAST_DAMPING, _FIRST_DAMPING, _MOST_DAMPING = 1e-12, 0.3, 1e10
_NEAR_DAMPING = 0.03
_SLOW = 0.7
# So many steps that together gain less than this share are enough: kinks can hold a descent without end.
_PATIENCE, _PROGRESS = 30, 1e-6
_MOST_ROUNDS = 4
# Raises of the damping, each fivefold, from 1e-8 of the mean weight to 1e33: no curvature is larger but one that is no
# number, where weights or lengths are out of all proportion.
_MOST_RAISES = 60


@kernel
def judge_level(M, w, level):
    """Potential of a level, and whether each of its measures is near enough to stop; residuals into ``residual``."""
    potential = 0.0
    met = True
    for r in range(M.value.shape[0]):
        if M.level[r] == level and M.weight[r] > 0.0:
            rho = outside(M.value[r], M.lower[r], M.upper[r])
            w.residual[r] = rho
            potential += M.weight[r] * rho * rho
            met = met and abs(rho) <= w.stop[r]
    return potential, met


@kernel
def _multipliers(w, count):
    """Slope of the Lagrangian at X, B − Nᵀu, into SLOPE; the forces of what is held into ``force``; returns the
    largest entry of the first and dᵀ times it."""
    v = w.vector
    n = v.shape[1]
    qp = view_program(w)
    for r in range(w.force.shape[0]):
        w.force[r] = 0.0
    for r in range(w.linear.shape[0]):
        w.linear[r] = 0.0
    for i in range(n):
        v[SLOPE, i] = v[B, i]
        v[AT_END, i] = 0.0
    for p in range(count):
        which = int(qp.held[p])
        u = qp.multiplier[p] * qp.side[p]
        if which < n:
            v[AT_END, which] = u if u != 0.0 else 1e-300
            v[SLOPE, which] -= u
            continue
        row = w.A[which - n]
        owner = int(w.owner[which - n])
        if owner >= 0:
            w.force[owner] = -u
        else:
            w.linear[-1 - owner] = u
        for i in range(n):
            v[SLOPE, i] -= u * row[i]
    largest = 0.0
    along = 0.0
    for i in range(n):
        largest = max(largest, abs(v[SLOPE, i]))
        along += v[SLOPE, i] * v[D, i]
    return largest, along


@kernel
def _find_step(space, work, M, w, level, mean):
    """The step D; returns how many constraints hold it, or −1."""
    v = w.vector
    st = w.state
    qp = view_program(w)
    count = gather_held(work, M, w, level, v[X])
    room(w, v[X])
    st[COUNT] = count
    for r in range(M.value.shape[0]):
        w.forced[r] = 0.0
    held = -1
    for _ in range(_MOST_ROUNDS):
        definite = False
        for _raise in range(_MOST_RAISES):
            build_model(space, M, w, level, st[LAMBDA] * mean, st[NEWTON] != 0.0)
            if st[NEWTON] != 0.0:
                part_held(w, count, mean)
            definite = factor(w.hessian, w.turned)
            if definite:
                break
            st[LAMBDA] = max(5.0 * st[LAMBDA], 1e-8)
        if not definite:
            return -1
        status, held = minimise(qp, v[B], w.A, w.low, w.high, count, v[D_LOWER], v[D_UPPER], v[D], 1e-13)
        if status != SOLVED:
            return -1
        if not reconsider(M, w, level):
            break
    return held


@kernel
def _begin(space, sweep, work, w, q):
    v = w.vector
    for j in range(q.shape[0]):
        sweep.q[j] = q[j]
        w.variable_of[j] = -1.0
    for i in range(space.variable.shape[0]):
        j = space.variable[i]
        w.variable_of[j] = i
        v[LOWER, i] = space.lower[j]
        v[UPPER, i] = space.upper[j]
        v[X, i] = q[j]
    gather_rows(space, sweep.q, work)
    st = w.state
    st[STATUS] = STOPPED
    st[ITERATIONS] = 0.0
    st[EVALUATIONS] = 0.0
    st[LAMBDA] = -1.0
    st[SLOW] = 0.0
    st[HELD] = 0.0
    for r in range(w.force.shape[0]):
        w.force[r] = 0.0
    for i in range(v.shape[1]):
        v[AT_END, i] = 0.0


@kernel
def _descend(is_identity, tree, space, work, M, sweep, w, level, budget):
    v = w.vector
    st = w.state
    while st[ITERATIONS] < budget:
        look_at(is_identity, tree, space, M, sweep, w, v[X])
        potential, met = judge_level(M, w, level)
        total, mean = level_weights(M, level)
        st[POTENTIAL] = potential
        if met:
            st[STATUS] = MET
            return
        if st[ITERATIONS] % _PATIENCE == 0.0:
            if st[ITERATIONS] > 0.0 and potential > (1.0 - _PROGRESS) * st[SEEN]:
                near = 100.0 * space.option[OPTION_GRADIENT] * (total + potential)
                if level > 0 and st[STATIONARITY] <= near:
                    st[STATUS] = STATIONARY
                return
            st[SEEN] = potential
        if st[LAMBDA] < 0.0:
            st[LAMBDA] = min(max(potential / total, _NEAR_DAMPING), _FIRST_DAMPING)
        if st[NEWTON] != 0.0:
            second_derivatives(is_identity, tree, space, M, sweep, w, level, work.hessian, w.slopes)
        held = _find_step(space, work, M, w, level, mean)
        if held < 0:
            return
        st[HELD] = held
        largest, along = _multipliers(w, held)
        # The model, of ½P, falls by −bᵀd − ½ dᵀHd, and SLOPE = −H d; dead zones that joined began at no cost.
        fall = 0.5 * along - joined(M, w, level)
        for i in range(v.shape[1]):
            fall -= v[B, i] * v[D, i]
        st[STATIONARITY] = 2.0 * largest
        # Hard goals are followed to where only rounding is left.
        flat = space.option[OPTION_GRADIENT] * (1.0 if level > 0 else 1e-5)
        if 2.0 * largest <= flat * (total + potential):
            st[STATUS] = STATIONARY
            return
        st[ITERATIONS] += 1.0
        go(w, v[X], v[D], v[X_NEW])
        kept = restore(is_identity, tree, space, work, M, sweep, w, level)
        reached, _ = judge_level(M, w, level)
        gain = potential - reached
        if kept and gain > 0.0 and gain > 1e-4 * fall:
            for i in range(v.shape[1]):
                v[X, i] = v[X_NEW, i]
            if gain > 1.5 * fall or reached < 0.1 * potential:
                st[LAMBDA] = max(0.1 * st[LAMBDA], _LEAST_DAMPING)
            elif gain > 0.5 * fall:
                st[LAMBDA] = max(0.4 * st[LAMBDA], _LEAST_DAMPING)
            st[SLOW] = st[SLOW] + 1.0 if reached > _SLOW * potential else 0.0
            if st[SLOW] >= 2.0:
                st[NEWTON] = 1.0
            recharted(space, v[X], LONGEST_VECTOR)
        else:
            st[LAMBDA] = 5.0 * max(st[LAMBDA], 1e-9)
            if st[LAMBDA] > _MOST_DAMPING or fall <= 1e-15 * potential:
                # Nothing but rounding is left to gain, or no step can be brought back.
                st[STATUS] = STATIONARY
                return


@kernel(entry=True)
def survey(S, R, W, MS, MR, MW, DS, DW, level):
    """Slopes of the measures and second derivatives of the Lagrangian where the last descent ended."""
    tree = view_tree(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    M = view_measures(MS, MR, MW)
    w = view_descent(DS, DW)
    is_identity = S[IDENTITY] != 0
    look_at(is_identity, tree, space, M, sweep, w, w.vector[X])
    judge_level(M, w, level)
    second_derivatives(is_identity, tree, space, M, sweep, w, level, view_work(S, W).hessian, w.slopes)


@kernel(entry=True)
def descend(S, R, W, MS, MR, MW, DS, DW, q, level, budget, newton):
    """Descend from the coordinates q, which the result replaces, on one level; returns the status."""
    tree = view_tree(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    M = view_measures(MS, MR, MW)
    w = view_descent(DS, DW)
    is_identity = S[IDENTITY] != 0
    _begin(space, sweep, work, w, q)
    w.state[NEWTON] = newton
    v = w.vector
    for i in range(v.shape[1]):
        v[X_NEW, i] = v[X, i]
    if restore(is_identity, tree, space, work, M, sweep, w, level):
        for i in range(v.shape[1]):
            v[X, i] = v[X_NEW, i]
        _descend(is_identity, tree, space, work, M, sweep, w, level, budget)
    x = v[X]
    recharted(space, x, math.pi)
    unwound(space, x, q)
    for i in range(x.shape[0]):
        q[space.variable[i]] = x[i]
    measure_at(is_identity, tree, space, M, sweep, w, x)
    w.state[POTENTIAL] = judge_level(M, w, level)[0]
    return w.state[STATUS]
