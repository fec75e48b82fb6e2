"""The potential of plain goals and its slope by the variables."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import IDENTITY, view_parts, view_space, view_sweep, view_tree, view_work
from manikin.kernels.pose.limits import X
from manikin.kernels.pose.place import place
from manikin.kernels.residuals.potentials import push_parts
from manikin.kernels.tree.sweep import find_slopes


@kernel(inline=True)
def collect(identity, tree, variable, sweep, gradient):
    """Gradient by the variables from the wrenches in ``sweep``."""
    find_slopes(tree, sweep)
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


@kernel(entry="i8[:], f8[:], f8[:], f8[:], f8[:] -> f8")
def slope(S, R, W, q, gradient):
    """Potential and its gradient by the variables at the coordinates q."""
    tree = view_tree(S, R, W)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    x = view_work(S, W).vector[X]
    for j in range(q.shape[0]):
        sweep.q[j] = q[j]
    for i in range(x.shape[0]):
        x[i] = q[space.variable[i]]
    return evaluate(S[IDENTITY] != 0, tree, view_parts(S, R), space.variable, sweep, x, gradient)[0]
