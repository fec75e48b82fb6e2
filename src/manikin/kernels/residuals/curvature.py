"""Second derivatives of the potential by the axis values, exact.

∂²P/∂i∂j = (∂x/∂i)ᵀ ∇²P (∂x/∂j) + ∇P · ∂²x/∂i∂j, where x is what a part sees of its site: position r, axes v.

The second part needs only sums over subtrees. With f the slope by r (or by an axis v), for a motion i that carries
a motion j, their twists (v, ω) about the world's origin,

    f · ∂²r/∂i∂j = ωᵢ · zⱼ,    zⱼ = (D − tr D) ωⱼ + vⱼ × Σ f,  D = Σ r fᵀ + Σ v f_vᵀ

in O(motions · depth). A joint of several coordinates adds how their twists change with each other.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.tree.dispatch import add_own, last_first


@kernel
def fill_columns(tree, twist, i, r, columns):
    """∂r/∂value of the point r for every value on the way from motion i to the root; returns how many.

    Column layout: value index, ∂r (3).
    """
    count = 0
    while i > 0:
        for k in range(tree.axis[i], tree.axis[i] + tree.size[i]):
            t = twist[k]
            column = columns[count]
            column[0] = k
            column[1] = t[0] + t[4] * r[2] - t[5] * r[1]
            column[2] = t[1] + t[5] * r[0] - t[3] * r[2]
            column[3] = t[2] + t[3] * r[1] - t[4] * r[0]
            count += 1
        i = tree.parent[i]
    return count


@kernel
def add_tensor(tensors, i, x, f):
    """Add x fᵀ to the tensor of motion i."""
    for a in range(3):
        for b in range(3):
            tensors[i, 3 + 3 * a + b] += x[a] * f[b]


@kernel
def add_force(tensors, i, r, f):
    """Add the force f at r to the tensor of motion i."""
    for c in range(3):
        tensors[i, c] += f[c]
    add_tensor(tensors, i, r, f)


@kernel
def _carried_slope(tensors, j, t):
    """The vector zⱼ of motion j for the twist t of one of its values."""
    f0 = tensors[j, 0]
    f1 = tensors[j, 1]
    f2 = tensors[j, 2]
    u0 = t[3]
    u1 = t[4]
    u2 = t[5]
    trace = tensors[j, 3] + tensors[j, 7] + tensors[j, 11]
    return (
        tensors[j, 3] * u0 + tensors[j, 4] * u1 + tensors[j, 5] * u2 - u0 * trace + t[1] * f2 - t[2] * f1,
        tensors[j, 6] * u0 + tensors[j, 7] * u1 + tensors[j, 8] * u2 - u1 * trace + t[2] * f0 - t[0] * f2,
        tensors[j, 9] * u0 + tensors[j, 10] * u1 + tensors[j, 11] * u2 - u2 * trace + t[0] * f1 - t[1] * f0,
    )


@kernel
def wrench_of(tensors, j):
    """Force and moment about the origin of all that hangs on motion j."""
    t = tensors[j]
    return t[0], t[1], t[2], t[8] - t[10], t[9] - t[5], t[4] - t[6]


@kernel
def _seen_from(frames, j, x, y, z):
    """A vector of the world along the axes of motion j."""
    return (
        frames[j, 0] * x + frames[j, 3] * y + frames[j, 6] * z,
        frames[j, 1] * x + frames[j, 4] * y + frames[j, 7] * z,
        frames[j, 2] * x + frames[j, 5] * y + frames[j, 8] * z,
    )


@kernel
def _add_own(tree, values, frames, tensors, j, hessian):
    """What the twists of motion j change with its own values, beyond that they carry each other."""
    f0, f1, f2, m0, m1, m2 = wrench_of(tensors, j)
    m0 -= frames[j, 10] * f2 - frames[j, 11] * f1
    m1 -= frames[j, 11] * f0 - frames[j, 9] * f2
    m2 -= frames[j, 9] * f1 - frames[j, 10] * f0
    force = _seen_from(frames, j, f0, f1, f2)
    moment = _seen_from(frames, j, m0, m1, m2)
    add_own(tree.kind[j], values, tree.axis[j], force, moment, hessian)


@kernel
def add_carried(tree, sweep, j, hessian):
    """Second part of the sum for motion j against itself and everything that carries it."""
    tensors = sweep.tensors
    size = tree.size[j]
    k = tree.axis[j]
    reversed_ = last_first(tree.kind[j])
    for b in range(size):
        z0, z1, z2 = _carried_slope(tensors, j, sweep.twist[k + b])
        for a in range(size):
            carries = a <= b
            if reversed_ and (a == 2 or b == 2):
                carries = a == 2
            if carries:
                w = sweep.twist[k + a]
                value = w[3] * z0 + w[4] * z1 + w[5] * z2
                hessian[k + a, k + b] += value
                if a != b:
                    hessian[k + b, k + a] += value
        i = tree.parent[j]
        while i > 0:
            for n in range(tree.axis[i], tree.axis[i] + tree.size[i]):
                w = sweep.twist[n]
                value = w[3] * z0 + w[4] * z1 + w[5] * z2
                hessian[n, k + b] += value
                hessian[k + b, n] += value
            i = tree.parent[i]
    _add_own(tree, sweep.values, sweep.frames, tensors, j, hessian)
