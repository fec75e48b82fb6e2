"""Second derivatives of the potential by the axis values, exact.

∂²P/∂i∂j = (∂x/∂i)ᵀ ∇²P (∂x/∂j) + ∇P · ∂²x/∂i∂j, where x is what a term sees of its site: position r, axes v.

The second part needs only sums over subtrees. With f the slope by r (or by an axis v), for a motion i that carries
a motion j,

    f · ∂²r/∂i∂j = uᵢ · zⱼ,    zⱼ = (D − tr D) uⱼ,  D = Σ (r − pⱼ) fᵀ + Σ v f_vᵀ     (j turns)
                               zⱼ = uⱼ × Σ f                                        (j slides)

and it is zero when i slides: O(motions · depth). Inside a block of three coordinates the axes themselves move with the
coordinates, which adds τ · ∂uₐ/∂s_b, τ the moment about the block's centre.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.rotation import exp_coefficients
from manikin.kernels.rows.terms import (
    _NO_DIRECTION,
    AIM,
    AXES,
    AXIS_WEIGHTS,
    LINE,
    PLANE,
    TARGET,
    TARGET_AXES,
    WEIGHT,
    point_error,
    site_axis,
    site_point,
)
from manikin.kernels.tree.sweep import ROTATE, ROTATION_VECTOR, SLIDE, SWING_TWIST


@kernel
def axis_vector(kind, frames, spins, i, c):
    """World axis of coordinate c of motion i."""
    if kind[i] <= SLIDE:
        return frames[i, 2], frames[i, 5], frames[i, 8]
    return spins[i, 3 * c], spins[i, 3 * c + 1], spins[i, 3 * c + 2]


@kernel
def fill_columns(tree, frames, spins, i, r0, r1, r2, v0, v1, v2, columns):
    """∂r/∂value and ∂v/∂value for every value on the way from motion i to the root; returns how many.

    Column layout: value index, ∂r (3), ∂v (3), and six numbers left for the caller.
    """
    count = 0
    while i > 0:
        size = 1 if tree.kind[i] <= SLIDE else 3
        for c in range(size):
            u0, u1, u2 = axis_vector(tree.kind, frames, spins, i, c)
            column = columns[count]
            column[0] = tree.axis[i] + c
            if tree.kind[i] == SLIDE:
                column[1] = u0
                column[2] = u1
                column[3] = u2
                column[4] = 0.0
                column[5] = 0.0
                column[6] = 0.0
            else:
                d0 = r0 - frames[i, 9]
                d1 = r1 - frames[i, 10]
                d2 = r2 - frames[i, 11]
                column[1] = u1 * d2 - u2 * d1
                column[2] = u2 * d0 - u0 * d2
                column[3] = u0 * d1 - u1 * d0
                column[4] = u1 * v2 - u2 * v1
                column[5] = u2 * v0 - u0 * v2
                column[6] = u0 * v1 - u1 * v0
            count += 1
        i = tree.parent[i]
    return count


@kernel
def _add_tensor(tensors, i, x0, x1, x2, f0, f1, f2):
    """Add x fᵀ to the tensor of motion i."""
    tensors[i, 3] += x0 * f0
    tensors[i, 4] += x0 * f1
    tensors[i, 5] += x0 * f2
    tensors[i, 6] += x1 * f0
    tensors[i, 7] += x1 * f1
    tensors[i, 8] += x1 * f2
    tensors[i, 9] += x2 * f0
    tensors[i, 10] += x2 * f1
    tensors[i, 11] += x2 * f2


@kernel
def _add_force(tensors, i, f0, f1, f2):
    tensors[i, 0] += f0
    tensors[i, 1] += f1
    tensors[i, 2] += f2


@kernel
def _point_curvature(kind, parameters, t, columns, count):
    """A ∂r of each column, A = ∇²P by r: 2w I, 2w (I − ννᵀ) or 2w ννᵀ."""
    w = 2.0 * parameters[t, WEIGHT]
    n0 = parameters[t, TARGET_AXES]
    n1 = parameters[t, TARGET_AXES + 1]
    n2 = parameters[t, TARGET_AXES + 2]
    for a in range(count):
        column = columns[a]
        y0 = column[1]
        y1 = column[2]
        y2 = column[3]
        along = y0 * n0 + y1 * n1 + y2 * n2
        if kind == LINE:
            y0 -= along * n0
            y1 -= along * n1
            y2 -= along * n2
        elif kind == PLANE:
            y0 = along * n0
            y1 = along * n1
            y2 = along * n2
        column[7] = w * y0
        column[8] = w * y1
        column[9] = w * y2
        column[10] = 0.0
        column[11] = 0.0
        column[12] = 0.0


@kernel
def _aim_curvature(w, d0, d1, d2, distance, v0, v1, v2, columns, count):
    """A ∂r + C ∂v and C ∂r of each column of an AIM term; d is the unit direction to the target.

    P = 2w (1 − d·v): A = 2w ((v·d) (I − 3ddᵀ) + vdᵀ + dvᵀ)/δ² and C = 2w (I − ddᵀ)/δ, δ the distance.
    """
    along = d0 * v0 + d1 * v1 + d2 * v2
    rr = 2.0 * w / (distance * distance)
    rv = 2.0 * w / distance
    for a in range(count):
        column = columns[a]
        x0 = column[1]
        x1 = column[2]
        x2 = column[3]
        xd = x0 * d0 + x1 * d1 + x2 * d2
        xv = x0 * v0 + x1 * v1 + x2 * v2
        onto = xv - 3.0 * along * xd
        z0 = column[4]
        z1 = column[5]
        z2 = column[6]
        zd = z0 * d0 + z1 * d1 + z2 * d2
        column[7] = rr * (along * x0 + onto * d0 + xd * v0) + rv * (z0 - zd * d0)
        column[8] = rr * (along * x1 + onto * d1 + xd * v1) + rv * (z1 - zd * d1)
        column[9] = rr * (along * x2 + onto * d2 + xd * v2) + rv * (z2 - zd * d2)
        column[10] = rv * (x0 - xd * d0)
        column[11] = rv * (x1 - xd * d1)
        column[12] = rv * (x2 - xd * d2)


@kernel
def _add_products(columns, count, hessian):
    """hessian += Σ (∂r)ᵀ(A ∂r + C ∂v) + (∂v)ᵀ(C ∂r) over all pairs of columns."""
    for a in range(count):
        ca = columns[a]
        ka = int(ca[0])
        for b in range(count):
            cb = columns[b]
            kb = int(cb[0])
            hessian[ka, kb] += (
                cb[1] * ca[7]
                + cb[2] * ca[8]
                + cb[3] * ca[9]
                + cb[4] * ca[10]
                + cb[5] * ca[11]
                + cb[6] * ca[12]
            )


@kernel
def _term_curvature(tree, terms, t, frames, spins, columns, tensors, hessian):
    """First part of the sum for one term, and its slopes into the tensors of its motion."""
    parameters = terms.parameters
    kind = terms.kind[t]
    i = terms.motion[t]
    w = parameters[t, WEIGHT]
    if kind == AXES:
        for k in range(3):
            f = -2.0 * w * parameters[t, AXIS_WEIGHTS + k]
            v0, v1, v2 = site_axis(frames, i, parameters, t, k)
            g = TARGET_AXES + 3 * k
            _add_tensor(
                tensors,
                i,
                v0,
                v1,
                v2,
                f * parameters[t, g],
                f * parameters[t, g + 1],
                f * parameters[t, g + 2],
            )
        return
    r0, r1, r2 = site_point(frames, i, parameters, t)
    if kind != AIM:
        count = fill_columns(tree, frames, spins, i, r0, r1, r2, 0.0, 0.0, 0.0, columns)
        e0, e1, e2 = point_error(kind, parameters, t, r0, r1, r2)
        f0 = 2.0 * w * e0
        f1 = 2.0 * w * e1
        f2 = 2.0 * w * e2
        _point_curvature(kind, parameters, t, columns, count)
    else:
        v0, v1, v2 = site_axis(frames, i, parameters, t, 0)
        d0 = parameters[t, TARGET] - r0
        d1 = parameters[t, TARGET + 1] - r1
        d2 = parameters[t, TARGET + 2] - r2
        square = d0 * d0 + d1 * d1 + d2 * d2
        if square < _NO_DIRECTION:
            return
        distance = math.sqrt(square)
        d0 /= distance
        d1 /= distance
        d2 /= distance
        along = d0 * v0 + d1 * v1 + d2 * v2
        f = 2.0 * w / distance
        f0 = f * (v0 - along * d0)
        f1 = f * (v1 - along * d1)
        f2 = f * (v2 - along * d2)
        _add_tensor(tensors, i, v0, v1, v2, -2.0 * w * d0, -2.0 * w * d1, -2.0 * w * d2)
        count = fill_columns(tree, frames, spins, i, r0, r1, r2, v0, v1, v2, columns)
        _aim_curvature(w, d0, d1, d2, distance, v0, v1, v2, columns, count)
    _add_force(tensors, i, f0, f1, f2)
    _add_tensor(tensors, i, r0, r1, r2, f0, f1, f2)
    _add_products(columns, count, hessian)


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
def _block_curvature(tree, values, frames, tensors, j, hessian):
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
def _add_carried(tree, frames, spins, tensors, j, hessian):
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


@kernel
def curvature(tree, terms, sweep, hessian):
    """Fill ``hessian`` (K × K) with the second derivatives of the potential by the axis values.

    The frames in ``sweep`` must be those of its values.
    """
    tensors = sweep.tensors
    for k in range(hessian.shape[0]):
        for j in range(hessian.shape[1]):
            hessian[k, j] = 0.0
    for i in range(tensors.shape[0]):
        for c in range(12):
            tensors[i, c] = 0.0
    for t in range(terms.kind.shape[0]):
        if terms.parameters[t, WEIGHT] > 0.0:
            _term_curvature(tree, terms, t, sweep.frames, sweep.spins, sweep.columns, tensors, hessian)
    for j in range(tree.parent.shape[0] - 1, 0, -1):
        _add_carried(tree, sweep.frames, sweep.spins, tensors, j, hessian)
        if tree.kind[j] > SLIDE:
            _block_curvature(tree, sweep.values, sweep.frames, tensors, j, hessian)
        i = tree.parent[j]
        for c in range(12):
            tensors[i, c] += tensors[j, c]
