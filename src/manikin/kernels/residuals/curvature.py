"""Second derivatives of the potential by the axis values, exact.

∂²P/∂i∂j = (∂x/∂i)ᵀ ∇²P (∂x/∂j) + ∇P · ∂²x/∂i∂j, where x is what a part sees of its site: position r, axes v.

The second part needs only sums over subtrees. With f the slope by r (or by an axis v), for a motion i that carries
a motion j,

    f · ∂²r/∂i∂j = uᵢ · zⱼ,    zⱼ = (D − tr D) uⱼ,  D = Σ (r − pⱼ) fᵀ + Σ v f_vᵀ     (j turns)
                               zⱼ = uⱼ × Σ f                                        (j slides)

and it is zero when i slides: O(motions · depth). Inside a block of three coordinates the axes themselves move with the
coordinates, which adds τ · ∂uₐ/∂s_b, τ the moment about the block's centre.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.rotation import exp_coefficients
from manikin.kernels.math.vector import cross
from manikin.kernels.tree.sweep import ROTATE, ROTATION_VECTOR, SLIDE, SWING_TWIST


@kernel
def axis_vector(kind, frames, spins, i, c):
    """World axis of coordinate c of motion i."""
    if kind[i] <= SLIDE:
        return frames[i, 2], frames[i, 5], frames[i, 8]
    return spins[i, 3 * c], spins[i, 3 * c + 1], spins[i, 3 * c + 2]


@kernel
def fill_columns(tree, frames, spins, i, r, v, columns):
    """∂r/∂value and ∂v/∂value for every value on the way from motion i to the root; returns how many.

    Column layout: value index, ∂r (3), ∂v (3), and six numbers left for the caller.
    """
    count = 0
    while i > 0:
        size = 1 if tree.kind[i] <= SLIDE else 3
        for c in range(size):
            u = axis_vector(tree.kind, frames, spins, i, c)
            dr = u
            dv = (0.0, 0.0, 0.0)
            if tree.kind[i] != SLIDE:
                dr = cross(u, (r[0] - frames[i, 9], r[1] - frames[i, 10], r[2] - frames[i, 11]))
                dv = cross(u, v)
            column = columns[count]
            column[0] = tree.axis[i] + c
            for n in range(3):
                column[1 + n] = dr[n]
                column[4 + n] = dv[n]
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
def _carried_slope(kind, frames, tensors, j, u0, u1, u2):
    """The vector zⱼ for an axis u of motion j."""
    f0 = tensors[j, 0]
    f1 = tensors[j, 1]
    f2 = tensors[j, 2]
    if kind[j] == SLIDE:
        return u1 * f2 - u2 * f1, u2 * f0 - u0 * f2, u0 * f1 - u1 * f0
    p0 = frames[j, 9]
    p1 = frames[j, 10]
    p2 = frames[j, 11]
    fu = f0 * u0 + f1 * u1 + f2 * u2
    trace = tensors[j, 3] + tensors[j, 7] + tensors[j, 11] - (p0 * f0 + p1 * f1 + p2 * f2)
    return (
        tensors[j, 3] * u0 + tensors[j, 4] * u1 + tensors[j, 5] * u2 - p0 * fu - u0 * trace,
        tensors[j, 6] * u0 + tensors[j, 7] * u1 + tensors[j, 8] * u2 - p1 * fu - u1 * trace,
        tensors[j, 9] * u0 + tensors[j, 10] * u1 + tensors[j, 11] * u2 - p2 * fu - u2 * trace,
    )


@kernel
def _jacobian_slopes(w0, w1, w2):
    """(dB/dθ)/θ and (dC/dθ)/θ of the coefficients B, C of `exp_coefficients`, by series where θ is small."""
    t2 = w0 * w0 + w1 * w1 + w2 * w2
    a, b, c = exp_coefficients(w0, w1, w2)
    if t2 < 0.04:
        db = -(1.0 - t2 / 15.0 * (1.0 - t2 * 3.0 / 112.0 * (1.0 - t2 * 2.0 / 135.0))) / 12.0
        dc = -(1.0 - t2 / 21.0 * (1.0 - t2 * 3.0 / 144.0 * (1.0 - t2 * 2.0 / 165.0))) / 60.0
        return db, dc
    return (a - 2.0 * b) / t2, (b - 3.0 * c) / t2


@kernel
def _turned_by_vector(w0, w1, w2, x0, x1, x2):
    """exp[w] x."""
    a, b, _ = exp_coefficients(w0, w1, w2)
    c0 = w1 * x2 - w2 * x1
    c1 = w2 * x0 - w0 * x2
    c2 = w0 * x1 - w1 * x0
    return (
        x0 + a * c0 + b * (w1 * c2 - w2 * c1),
        x1 + a * c1 + b * (w2 * c0 - w0 * c2),
        x2 + a * c2 + b * (w0 * c1 - w1 * c0),
    )


@kernel
def _vector_curvature(w, t, a, b):
    """t · ∂(J e_a)/∂w_b, J the left Jacobian I + B[w] + C[w]² of exp[w] and t a fixed vector.

    B and C as in `exp_coefficients`; (t × w) · e and the like are expanded by components.
    """
    _, big_b, big_c = exp_coefficients(w[0], w[1], w[2])
    db, dc = _jacobian_slopes(w[0], w[1], w[2])
    tw = t[0] * w[0] + t[1] * w[1] + t[2] * w[2]
    w2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    t_cross_w = (t[1] * w[2] - t[2] * w[1], t[2] * w[0] - t[0] * w[2], t[0] * w[1] - t[1] * w[0])
    # t·(w×e_a) = (t×w)_a ;  t·(w×(w×e_a)) = (t·w) w_a − t_a w².
    first = db * w[b] * t_cross_w[a] + dc * w[b] * (tw * w[a] - t[a] * w2)
    # t·(e_b×e_a) = (t×e_b)_a: ± the remaining component of t.
    e_cross = 0.0
    if a != b:
        sign = 1.0 if (b + 1) % 3 == a else -1.0
        e_cross = sign * t[3 - a - b]
    same = 1.0 if a == b else 0.0
    return first + big_b * e_cross + big_c * (t[b] * w[a] + tw * same - 2.0 * t[a] * w[b])


@kernel
def block_curvature(tree, values, frames, tensors, j, hessian):
    """Add τ · ∂uₐ/∂s_b for the vector coordinates of block j."""
    k = tree.axis[j]
    f0 = tensors[j, 0]
    f1 = tensors[j, 1]
    f2 = tensors[j, 2]
    # Moment about the block's centre: the antisymmetric part of D.
    t0 = tensors[j, 8] - tensors[j, 10] - (frames[j, 10] * f2 - frames[j, 11] * f1)
    t1 = tensors[j, 9] - tensors[j, 5] - (frames[j, 11] * f0 - frames[j, 9] * f2)
    t2 = tensors[j, 4] - tensors[j, 6] - (frames[j, 9] * f1 - frames[j, 10] * f0)
    # Seen in the frame just before the vector's rotation.
    x0 = frames[j, 0] * t0 + frames[j, 3] * t1 + frames[j, 6] * t2
    x1 = frames[j, 1] * t0 + frames[j, 4] * t1 + frames[j, 7] * t2
    x2 = frames[j, 2] * t0 + frames[j, 5] * t1 + frames[j, 8] * t2
    size = 3
    w2 = values[k + 2]
    if tree.kind[j] != ROTATION_VECTOR:
        size = 2
        w2 = 0.0
    if tree.kind[j] == SWING_TWIST:
        s, c = sincos(values[k + 2])
        x0, x1 = c * x0 - s * x1, s * x0 + c * x1
    w = (values[k], values[k + 1], w2)
    t = _turned_by_vector(w[0], w[1], w[2], x0, x1, x2)
    for a in range(size):
        for b in range(a + 1):
            extra = _vector_curvature(w, t, b, a)  # ∂u_b/∂s_a, b ≤ a: b carries a
            hessian[k + a, k + b] += extra
            if a != b:
                hessian[k + b, k + a] += extra


@kernel
def add_carried(tree, frames, spins, tensors, j, hessian):
    """Second part of the sum for motion j against itself and everything that carries it."""
    size = 1 if tree.kind[j] <= SLIDE else 3
    k = tree.axis[j]
    # In a twist–swing block the twist carries the swing; otherwise coordinates carry those after them.
    twist_first = size == 3 and tree.kind[j] != SWING_TWIST and tree.kind[j] != ROTATION_VECTOR
    for b in range(size):
        u0, u1, u2 = axis_vector(tree.kind, frames, spins, j, b)
        z0, z1, z2 = _carried_slope(tree.kind, frames, tensors, j, u0, u1, u2)
        for a in range(size):
            carries = a <= b
            if twist_first and (a == 2 or b == 2):
                carries = a == 2
            if tree.kind[j] != SLIDE and carries:
                w0, w1, w2 = axis_vector(tree.kind, frames, spins, j, a)
                value = w0 * z0 + w1 * z1 + w2 * z2
                hessian[k + a, k + b] += value
                if a != b:
                    hessian[k + b, k + a] += value
        i = tree.parent[j]
        while i > 0:
            if tree.kind[i] != SLIDE:
                for a in range(1 if tree.kind[i] == ROTATE else 3):
                    w0, w1, w2 = axis_vector(tree.kind, frames, spins, i, a)
                    value = w0 * z0 + w1 * z1 + w2 * z2
                    hessian[tree.axis[i] + a, k + b] += value
                    hessian[k + b, tree.axis[i] + a] += value
            i = tree.parent[i]
