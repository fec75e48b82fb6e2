"""Derivatives by the variables from those by the axis values."""

from __future__ import annotations

from manikin.kernels.jit import kernel


@kernel
def reduce_hessian(tree, variable, identity, by_value, place, reduced):
    """Second derivatives by the variables from those by the axis values: Dᵀ (·) D.

    ``place`` is scratch of one number a degree of freedom: where in the variables it is, or −1.
    """
    n = variable.shape[0]
    if identity:
        for i in range(n):
            for j in range(n):
                reduced[i, j] = by_value[variable[i], variable[j]]
        return
    for k in range(place.shape[0]):
        place[k] = -1.0
    for i in range(n):
        place[variable[i]] = i
        for j in range(n):
            reduced[i, j] = 0.0
    for s in range(tree.drive_axis.shape[0]):
        i = int(place[tree.drive_dof[s]])
        if i < 0:
            continue
        for t in range(tree.drive_axis.shape[0]):
            j = int(place[tree.drive_dof[t]])
            if j >= 0:
                product = tree.drive_coefficient[s] * tree.drive_coefficient[t]
                reduced[i, j] += product * by_value[tree.drive_axis[s], tree.drive_axis[t]]
