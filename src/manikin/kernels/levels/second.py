"""Second derivatives of the Lagrangian, by differences of its gradient: two sweeps a variable."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.levels.layout import EVALUATIONS, SLOPE_NEW, X_NEW, X
from manikin.kernels.projection.solve import collect, place
from manikin.kernels.rows.measures import measure_all, push_measures
from manikin.kernels.rows.values import CONE, cone_curvature

_DIFFERENCE = 1e-5


@kernel
def _lagrangian_slope(is_identity, tree, space, M, sweep, w, x, slope):
    for i in range(x.shape[0]):
        sweep.q[space.variable[i]] = x[i]
    place(is_identity, tree, sweep)
    measure_all(tree, M, sweep)
    push_measures(tree, M, sweep, w.force, sweep.wrenches)
    collect(is_identity, tree, space.variable, sweep, slope)
    w.state[EVALUATIONS] += 1.0


@kernel
def second_derivatives(is_identity, tree, space, M, sweep, w, level):
    """Σ f ∇²g over the measures (forces of the held ones in ``force``) and cones, into ``second``, at X."""
    v = w.vector
    n = v.shape[1]
    for r in range(M.value.shape[0]):
        if M.level[r] == level and M.weight[r] > 0.0:
            w.force[r] = M.weight[r] * w.residual[r]
        elif M.level[r] > level or M.weight[r] <= 0.0:
            w.force[r] = 0.0
    for i in range(n):
        v[X_NEW, i] = v[X, i]
    for i in range(n):
        row = w.second[i]
        for side in range(2):
            sign = 1.0 - 2.0 * side
            v[X_NEW, i] = v[X, i] + sign * _DIFFERENCE
            _lagrangian_slope(is_identity, tree, space, M, sweep, w, v[X_NEW], v[SLOPE_NEW])
            for j in range(n):
                row[j] = sign * v[SLOPE_NEW, j] + (row[j] if side else 0.0)
        v[X_NEW, i] = v[X, i]
        for j in range(n):
            row[j] *= 0.5 / _DIFFERENCE
    for i in range(n):
        for j in range(i):
            mean = 0.5 * (w.second[i, j] + w.second[j, i])
            w.second[i, j] = mean
            w.second[j, i] = mean
    for t in range(M.kind.shape[0]):
        if M.kind[t] == CONE:
            p = M.parameters
            o = M.offset[t]
            j = int(w.variable_of[int(p[o])])
            k = int(w.variable_of[int(p[o + 1])])
            force = w.force[M.first[t]]
            s1 = v[X, j] if j >= 0 else sweep.q[int(p[o])]
            s2 = v[X, k] if k >= 0 else sweep.q[int(p[o + 1])]
            first, mixed, last = cone_curvature(p, o, s1, s2)
            if j >= 0:
                w.second[j, j] += force * first
            if k >= 0:
                w.second[k, k] += force * last
            if j >= 0 and k >= 0:
                w.second[j, k] += force * mixed
                w.second[k, j] += force * mixed
