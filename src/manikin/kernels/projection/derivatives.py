"""The potential and its derivatives at a pose, for Python: gradient, second derivatives."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import IDENTITY, view_parts, view_space, view_sweep, view_tree, view_work
from manikin.kernels.projection.active_set import X_NEW
from manikin.kernels.projection.solve import evaluate, place
from manikin.kernels.rows.curvature import curvature


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
    return evaluate(S[IDENTITY] != 0, tree, view_parts(S, R), space.variable, sweep, x, gradient)[0]


@kernel(entry=True)
def hessian_by_values(S, R, W, q):
    """Second derivatives of the potential by the axis values at the coordinates q, into ``work.hessian``."""
    tree = view_tree(S, R)
    sweep = view_sweep(S, W)
    for j in range(q.shape[0]):
        sweep.q[j] = q[j]
    place(S[IDENTITY] != 0, tree, sweep)
    curvature(tree, view_parts(S, R), sweep, view_work(S, W).hessian)
