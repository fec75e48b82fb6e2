"""The descent: one level of goals as low as it gets, with everything above it held.

Minimise P = Σ w ρ² over the measures that are asked for, ρ how far each is outside its range, while those of higher
levels keep to theirs, within the figure's ranges, cones and linear rows. A step is lowest in the model

    ½ ‖√w (ρ + J d)‖² + ½ λ ‖d‖² (+ ½ dᵀS d)    such that   N d = 0 (what holds),   d fixed on the ends of ranges

and is then brought back to what is held, by the same N: every point that the descent stands on is feasible, so it may
stop anywhere. What holds is found by `holding`, the reduced system solved by `newton`. A dead zone that the step would
leave joins the objective. When two steps in a row each gain under 30 %, S, the second derivatives of the Lagrangian
(`second`), is added. Where no slope is left, it tells whether the point is the lowest around, or leads off a saddle.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import (
    KEPT,
    gather_held,
    go,
    linear_value,
    look_at,
    measure_at,
    outside,
    restore,
    worst_held,
)
from manikin.kernels.levels.holding import (
    EQUAL,
    drop_by_model,
    find_multipliers,
    hold_broken,
    let_go,
    note_forces,
    orthonormalise,
    step_back,
    touch,
    way_to_end,
)
from manikin.kernels.levels.layout import (
    AT_END,
    COUNT,
    EVALUATIONS,
    FIXED,
    FREE,
    GROWTH,
    ITERATIONS,
    LAMBDA,
    LOWER,
    NEWTON,
    POTENTIAL,
    SCALE,
    SLOW,
    SMALL,
    STATIONARITY,
    STATUS,
    UPPER,
    WAS_FREE,
    X_NEW,
    D,
    E,
    X,
    view_descent,
)
from manikin.kernels.levels.model import build_model, joined, level_weights, reconsider
from manikin.kernels.levels.newton import downhill, factorise, reduce, solve
from manikin.kernels.levels.second import second_derivatives
from manikin.kernels.memory.layout import (
    IDENTITY,
    OPTION_GRADIENT,
    view_space,
    view_sweep,
    view_tree,
    view_work,
)
from manikin.kernels.memory.state import MET, STATIONARY, STOPPED
from manikin.kernels.pose.limits import ROW_LOWER, ROW_UPPER, gather_rows
from manikin.kernels.pose.place import LONGEST_VECTOR, recharted, unwound
from manikin.kernels.residuals.layout import view_measures
from manikin.kernels.search.damping import next_damping

# λ to begin with, of the mean weight; with second derivatives, of the largest curvature, and the least that raises it.
_NEAR_DAMPING, _FIRST_DAMPING = 0.03, 0.3
_NEWTON_DAMPING, _LEAST_RAISE, _LEAST_DAMPING, _MOST_DAMPING = 1e-4, 1e-3, 1e-12, 1e9
# What is held is changed and a step solved anew, at most.
_PASSES, _CHANGES = 16, 10
# Ways back to what is held, by the step's own normals: at most; what is exact; what a way that stops may leave.
_RETURNS, _EXACT = 10, 1e-12
# A gain is slow above this share of P; second derivatives come after so many.
_SLOW, _SLOWS = 0.7, 2.0
# A gain below this share of P is rounding; after so many there is nothing left to gain.
_SMALL, _SMALLS = 1e-14, 3.0
_LONGEST = 1.0
# A curvature below this share of the weights leads downhill; the lengths that are tried along it, to both sides.
_DOWNHILL = 1e-7
_LENGTHS = 6


@kernel
def judge_level(M, w, level):
    """P of all that is asked for, P of this level, and whether each of its measures is near enough to stop; residuals
    into ``residual``."""
    total = 0.0
    own = 0.0
    met = True
    for r in range(M.value.shape[0]):
        weight = w.asked[r]
        if weight == 0.0:
            continue
        rho = outside(M.value[r], M.lower[r], M.upper[r])
        w.residual[r] = rho
        total += weight * rho * rho
        if M.level[r] == level:
            own += weight * rho * rho
            met = met and abs(rho) <= w.stop[r]
    return total, own, met


@kernel
def _begin(space, sweep, work, M, w, q, level, again):
    v = w.vector
    for j in range(q.shape[0]):
        sweep.q[j] = q[j]
        w.variable_of[j] = -1.0
    for i in range(space.variable.shape[0]):
        j = space.variable[i]
        w.variable_of[j] = i
        v[LOWER, i] = space.lower[j]
        v[UPPER, i] = space.upper[j]
        v[SCALE, i] = math.sqrt(space.metric[j])
        v[X, i] = q[j]
        v[AT_END, i] = 0.0
    gather_rows(space, sweep.q, work)
    st = w.state
    st[STATUS] = STOPPED
    st[ITERATIONS] = 0.0
    st[EVALUATIONS] = 0.0
    if again == 0.0:
        st[LAMBDA] = -1.0
        st[GROWTH] = 2.0
        st[SLOW] = 0.0
        st[NEWTON] = 0.0
        st[SMALL] = 0.0
    for r in range(w.force.shape[0]):
        w.force[r] = 0.0
        w.forced[r] = 0.0
        weight = M.weight[r] if M.weight[r] > 0.0 else 0.0
        share = 1.0 if M.level[r] == level else w.heavy[r] if M.level[r] < level else 0.0
        w.asked[r] = weight * share


@kernel
def _look_back(work, M, w):
    """How far each row is from its ends at X_NEW: (the largest miss, whether a row is broken that was not held)."""
    worst = 0.0
    others = False
    for c in range(int(w.state[COUNT])):
        r = int(w.owner[c])
        if r >= 0:
            value = M.value[r]
            low = w.held_lower[r]
            high = w.held_upper[r]
        else:
            value = linear_value(work, -1 - r, w.vector[X_NEW])
            low = work.row[ROW_LOWER, -1 - r]
            high = work.row[ROW_UPPER, -1 - r]
        w.low[c] = low - value
        w.high[c] = high - value
        off = outside(value, low, high)
        if w.on[c] == 0.0:
            others = others or abs(off) > _EXACT
        elif w.on[c] != EQUAL:
            off = way_to_end(w, c)
        worst = max(worst, abs(off))
    return worst, others


@kernel
def _arrive(is_identity, tree, space, work, M, sweep, w, level, share):
    """X_NEW, a share of D from X and brought back to what is held; whether it is there (measures are those of it)."""
    v = w.vector
    go(w, v[X], v[D], share, v[X_NEW])
    last = math.inf
    changed = False
    for _ in range(_RETURNS):
        measure_at(is_identity, tree, space, M, sweep, w, v[X_NEW])
        worst, others = _look_back(work, M, w)
        if others and not changed:
            changed = True
            last = math.inf
        if worst <= _EXACT or not worst < 0.9 * last:
            if worst_held(work, M, w, level, v[X_NEW]) <= KEPT:
                return True
            break
        last = worst
        step_back(w, changed)
        go(w, v[X_NEW], v[E], 1.0, v[X_NEW])
    go(w, v[X], v[D], share, v[X_NEW])
    return restore(is_identity, tree, space, work, M, sweep, w, level)


@kernel
def _hold(w, flat):
    """What holds X, without what pulls: (the largest free slope, whether something was let go)."""
    touch(w)
    orthonormalise(w)
    left = find_multipliers(w)
    if not let_go(w, flat):
        return left, False
    orthonormalise(w)
    left = find_multipliers(w)
    return left, True


@kernel
def _find_step(M, w, total, largest, newton):
    """The step D from the set of now; returns how far the model of half of P falls."""
    st = w.state
    fall = 0.0
    for k in range(_PASSES):
        reduce(w, largest)
        while factorise(w, st[LAMBDA]) >= 0:
            st[LAMBDA] = max(4.0 * st[LAMBDA], _LEAST_RAISE * largest)
            if not st[LAMBDA] < math.inf:
                return -1.0
            reduce(w, largest)
        fall = solve(w)
        broken = hold_broken(w)
        zones = reconsider(M, w)
        if not broken and not zones:
            if k >= _CHANGES or not drop_by_model(w, st[LAMBDA]):
                break
            broken = True
        if zones:
            build_model(M, w, newton)
        if broken:
            orthonormalise(w)
    return fall


@kernel
def _save_set(w):
    v = w.vector
    for i in range(v.shape[1]):
        v[WAS_FREE, i] = v[FREE, i]
    for c in range(int(w.state[COUNT])):
        w.on_then[c] = w.on[c]


@kernel
def _bring_back_set(w):
    v = w.vector
    for i in range(v.shape[1]):
        v[FREE, i] = v[WAS_FREE, i]
        v[FIXED, i] = 0.0
    for c in range(int(w.state[COUNT])):
        w.on[c] = w.on_then[c]
    orthonormalise(w)


@kernel
def _share(w):
    """How much of the step D to go, at most `_LONGEST`, and its longest entry."""
    longest = 0.0
    for i in range(w.vector.shape[1]):
        longest = max(longest, abs(w.vector[D, i]))
    return min(1.0, _LONGEST / longest) if longest > 0.0 else 1.0, longest


@kernel
def _take(space, w):
    v = w.vector
    for i in range(v.shape[1]):
        v[X, i] = v[X_NEW, i]
    recharted(space, v[X], LONGEST_VECTOR)


@kernel
def _leave(is_identity, tree, space, work, M, sweep, w, level, row, potential):
    """Leave a saddle by the direction of the pivot that failed; False where no point along it is lower."""
    downhill(w, row)
    _save_set(w)
    for k in range(_LENGTHS):
        length = 0.5 if k < 2 else 0.1 if k < 4 else 0.02
        share = length if k % 2 == 0 else -length
        look_at(is_identity, tree, space, M, sweep, w, w.vector[X])
        gather_held(work, M, w, level, w.vector[X])
        _bring_back_set(w)
        w.state[ITERATIONS] += 1.0
        if _arrive(is_identity, tree, space, work, M, sweep, w, level, share):
            reached, _, _ = judge_level(M, w, level)
            if reached < potential * (1.0 - 1e-6) - 1e-16:
                _take(space, w)
                return True
    return False


@kernel
def _one_step(is_identity, tree, space, work, M, sweep, w, level, potential, total, largest, budget):
    """Steps from X, each with more damping, until one is lower; False where none is."""
    st = w.state
    newton = st[NEWTON] != 0.0
    _save_set(w)
    while st[ITERATIONS] < budget:
        fall = _find_step(M, w, total, largest, newton) - joined(M, w)
        if not fall > 0.0:
            fall = 0.0
        share, longest = _share(w)
        st[ITERATIONS] += 1.0
        kept = _arrive(is_identity, tree, space, work, M, sweep, w, level, share)
        reached, _, _ = judge_level(M, w, level)
        gain = potential - reached
        accepted = kept and gain > 0.0
        ratio = 0.5 * gain / fall if fall > 0.0 else 0.0
        st[LAMBDA], st[GROWTH] = next_damping(accepted, ratio, 1.0, st[LAMBDA], st[GROWTH])
        st[LAMBDA] = max(st[LAMBDA], _LEAST_DAMPING * largest)
        if accepted:
            st[SMALL] = st[SMALL] + 1.0 if gain <= _SMALL * potential else 0.0
            st[SLOW] = st[SLOW] + 1.0 if reached > _SLOW * potential else 0.0
            _take(space, w)
            return True
        if longest < 1e-12 or st[LAMBDA] > _MOST_DAMPING * largest or 0.0 < fall <= 1e-15 * potential:
            return False
        for r in range(M.value.shape[0]):
            w.forced[r] = 0.0
        look_at(is_identity, tree, space, M, sweep, w, w.vector[X])
        judge_level(M, w, level)
        gather_held(work, M, w, level, w.vector[X])
        build_model(M, w, newton)
        _bring_back_set(w)
    return False


@kernel
def _descend(is_identity, tree, space, work, M, sweep, w, level, budget):
    v = w.vector
    st = w.state
    while True:
        look_at(is_identity, tree, space, M, sweep, w, v[X])
        potential, own, met = judge_level(M, w, level)
        st[POTENTIAL] = own
        if met:
            st[STATUS] = MET
            return
        if st[ITERATIONS] >= budget:
            return
        total, mean = level_weights(M, level)
        for r in range(M.value.shape[0]):
            w.forced[r] = 0.0
        gather_held(work, M, w, level, v[X])
        build_model(M, w, False)
        # Hard goals are followed to where only rounding is left.
        flat = 0.5 * space.option[OPTION_GRADIENT] * (1.0 if level > 0 else 1e-5) * (total + own)
        left, released = _hold(w, flat)
        note_forces(w)
        st[STATIONARITY] = 2.0 * left
        ended = (left <= flat and not released) or st[SMALL] >= _SMALLS
        if st[NEWTON] == 0.0 and st[SLOW] >= _SLOWS:
            st[NEWTON] = 1.0
            st[LAMBDA] = -1.0
        newton = ended or st[NEWTON] != 0.0
        if newton:
            second_derivatives(is_identity, tree, space, M, sweep, w, level, work.hessian, w.slopes)
        largest = build_model(M, w, newton)
        if ended:
            reduce(w, largest)
            row = factorise(w, _DOWNHILL * total)
            flat_enough = left <= 100.0 * flat or st[SMALL] == 0.0
            if row >= 0 and _leave(is_identity, tree, space, work, M, sweep, w, level, row, potential):
                st[SMALL] = 0.0
                st[LAMBDA] = -1.0
                st[NEWTON] = 1.0
                continue
            st[STATUS] = STATIONARY if flat_enough else STOPPED
            return
        if st[LAMBDA] < 0.0:
            st[GROWTH] = 2.0
            first = min(max(potential / total, _NEAR_DAMPING), _FIRST_DAMPING) * mean
            st[LAMBDA] = _NEWTON_DAMPING * largest if newton else first
        taken = _one_step(
            is_identity, tree, space, work, M, sweep, w, level, potential, total, largest, budget
        )
        if not taken and st[ITERATIONS] < budget:
            st[SMALL] = _SMALLS


@kernel(entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], i8[:], f8[:], i8")
def survey(S, R, W, MS, MR, MW, DS, DW, level):
    """Slopes of the measures and second derivatives of the Lagrangian where the last descent ended."""
    tree = view_tree(S, R, W)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    M = view_measures(MS, MR, MW)
    w = view_descent(DS, DW)
    is_identity = S[IDENTITY] != 0
    look_at(is_identity, tree, space, M, sweep, w, w.vector[X])
    judge_level(M, w, level)
    second_derivatives(is_identity, tree, space, M, sweep, w, level, view_work(S, W).hessian, w.slopes)


@kernel(entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], i8, i8, f8 -> f8")
def descend(S, R, W, MS, MR, MW, DS, DW, q, level, budget, again):
    """Descend from the coordinates q, which the result replaces, on one level; returns the status.

    again: whether this goes on where the last call, of the same level, stopped.
    """
    tree = view_tree(S, R, W)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    work = view_work(S, W)
    M = view_measures(MS, MR, MW)
    w = view_descent(DS, DW)
    is_identity = S[IDENTITY] != 0
    _begin(space, sweep, work, M, w, q, level, again)
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
    w.state[POTENTIAL] = judge_level(M, w, level)[1]
    return w.state[STATUS]
