"""The normal equations of points and orientations on a tree, without their Jacobian.

    P(q) = Σ w ‖p − x‖² + Σ w θ² + Σ w (q − t)²

over the points p with their measured places x, the angles θ that sensors' frames are off, and the pull of each
variable.
With ½P as an energy and w as masses, JᵀWJ is the mass matrix of the tree: with c_i = (v_i, ω_i) the velocity at the
world's origin and the angular velocity that axis value i gives,

    (JᵀWJ)_ij = v_i · f_j + ω_i · n_j,   f_j = w v_j + ω_j × h,   n_j = h × v_j + G ω_j

for i above j, over the weight w, h = Σ w p and G = Σ w (p² − p pᵀ) + Σ w of the sensors of all that j carries: sums
over subtrees. The second derivatives of the points add z_j to n_j,

    z_j = (M − tr M) ω_j + v_j × Σ f,   M = Σ p fᵀ,   f = w (p − x),

which makes it Newton's method. Within a block of three coordinates this leaves out what is multiplied by the moment on
the block, which is 0 where a free block stands at the minimum. Sensors have no such term.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.tree.curves import through_curves
from manikin.kernels.tree.twists import find_twists


@kernel
def rotation_log(R, scale, out):
    """Rotation vector of the 3×3 in nine numbers, times ``scale``."""
    x = R[7] - R[5]
    y = R[2] - R[6]
    z = R[3] - R[1]
    s = 0.5 * math.sqrt(x * x + y * y + z * z)
    c = 0.5 * (R[0] + R[4] + R[8] - 1.0)
    angle = math.atan2(s, c)
    if s > 1e-7:
        f = 0.5 * angle / s * scale
        out[0] = f * x
        out[1] = f * y
        out[2] = f * z
        return angle
    if c > 0.0:
        out[0] = 0.5 * scale * x
        out[1] = 0.5 * scale * y
        out[2] = 0.5 * scale * z
        return angle
    # Half a turn: the axis is the longest column of R + 1.
    k = 0
    if R[4] > R[0]:
        k = 1
    if R[8] > R[4 * k]:
        k = 2
    a0 = R[k] + (1.0 if k == 0 else 0.0)
    a1 = R[3 + k] + (1.0 if k == 1 else 0.0)
    a2 = R[6 + k] + (1.0 if k == 2 else 0.0)
    f = angle * scale / math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    out[0] = f * a0
    out[1] = f * a1
    out[2] = f * a2
    return angle


@kernel
def place_points(model, track, work, scratch):
    """Where the points are in the world."""
    frames = work.frames
    for s in range(scratch.place.shape[0]):
        i = model.site_motion[s]
        for r in range(3):
            scratch.place[s, r] = (
                frames[i, 3 * r] * model.site[s, 9]
                + frames[i, 3 * r + 1] * model.site[s, 10]
                + frames[i, 3 * r + 2] * model.site[s, 11]
                + frames[i, 9 + r]
            )


@kernel
def sensor_miss(model, work, s, target, scale, out):
    """The rotation vector, times ``scale``, that a sensor's frame has too much of; its angle."""
    frames = work.frames
    i = model.site_motion[s]
    local = model.site[s]
    d0 = 0.0
    d1 = 0.0
    d2 = 0.0
    d3 = 0.0
    d4 = 0.0
    d5 = 0.0
    d6 = 0.0
    d7 = 0.0
    d8 = 0.0
    for k in range(3):
        r0 = frames[i, 0] * local[k] + frames[i, 1] * local[3 + k] + frames[i, 2] * local[6 + k]
        r1 = frames[i, 3] * local[k] + frames[i, 4] * local[3 + k] + frames[i, 5] * local[6 + k]
        r2 = frames[i, 6] * local[k] + frames[i, 7] * local[3 + k] + frames[i, 8] * local[6 + k]
        t0 = target[k]
        t1 = target[3 + k]
        t2 = target[6 + k]
        d0 += r0 * t0
        d1 += r0 * t1
        d2 += r0 * t2
        d3 += r1 * t0
        d4 += r1 * t1
        d5 += r1 * t2
        d6 += r2 * t0
        d7 += r2 * t1
        d8 += r2 * t2
    return rotation_log((d0, d1, d2, d3, d4, d5, d6, d7, d8), scale, out)


@kernel
def total(model, track, work, scratch, q, targets, weights, wish):
    """P with the misses into ``miss``; a point or sensor whose target is NaN counts nothing."""
    place_points(model, track, work, scratch)
    P = 0.0
    for s in range(track.points):
        scratch.miss[s] = -1.0
        x = targets[3 * s]
        if x != x or weights[s] == 0.0:
            continue
        a = scratch.place[s, 0] - x
        b = scratch.place[s, 1] - targets[3 * s + 1]
        c = scratch.place[s, 2] - targets[3 * s + 2]
        e = a * a + b * b + c * c
        scratch.miss[s] = math.sqrt(e)
        P += weights[s] * e
    for o in range(track.sensors):
        s = track.points + o
        scratch.miss[s] = -1.0
        first = 3 * track.points + 9 * o
        if targets[first] != targets[first] or weights[s] == 0.0:
            scratch.torque[o, 0] = 0.0
            scratch.torque[o, 1] = 0.0
            scratch.torque[o, 2] = 0.0
            continue
        sensor = (
            targets[first],
            targets[first + 1],
            targets[first + 2],
            targets[first + 3],
            targets[first + 4],
            targets[first + 5],
            targets[first + 6],
            targets[first + 7],
            targets[first + 8],
        )
        angle = sensor_miss(model, work, s, sensor, weights[s], scratch.torque[o])
        scratch.miss[s] = angle
        P += weights[s] * angle * angle
    for j in range(track.prior.shape[0]):
        away = q[track.dof[j]] - wish[j]
        P += track.prior[j] * away * away
    return P


@kernel
def _gather(model, track, scratch, targets, weights):
    """Sums over what each motion carries, itself and all below."""
    composite = scratch.composite
    for i in range(composite.shape[0]):
        for k in range(composite.shape[1]):
            composite[i, k] = 0.0
    for s in range(track.points):
        if scratch.miss[s] < 0.0:
            continue
        row = composite[model.site_motion[s]]
        w = weights[s]
        x = scratch.place[s, 0]
        y = scratch.place[s, 1]
        z = scratch.place[s, 2]
        f0 = w * (x - targets[3 * s])
        f1 = w * (y - targets[3 * s + 1])
        f2 = w * (z - targets[3 * s + 2])
        row[0] += w
        row[1] += w * x
        row[2] += w * y
        row[3] += w * z
        row[4] += w * x * x
        row[5] += w * y * y
        row[6] += w * z * z
        row[7] += w * x * y
        row[8] += w * x * z
        row[9] += w * y * z
        row[10] += f0
        row[11] += f1
        row[12] += f2
        row[13] += y * f2 - z * f1
        row[14] += z * f0 - x * f2
        row[15] += x * f1 - y * f0
        row[16] += x * f0
        row[17] += x * f1
        row[18] += x * f2
        row[19] += y * f0
        row[20] += y * f1
        row[21] += y * f2
        row[22] += z * f0
        row[23] += z * f1
        row[24] += z * f2
    for o in range(track.sensors):
        s = track.points + o
        if scratch.miss[s] < 0.0:
            continue
        row = composite[model.site_motion[s]]
        row[13] += scratch.torque[o, 0]
        row[14] += scratch.torque[o, 1]
        row[15] += scratch.torque[o, 2]
        row[25] += weights[s]
    for i in range(composite.shape[0] - 1, 0, -1):
        row = composite[i]
        above = composite[model.parent[i]]
        for k in range(composite.shape[1]):
            above[k] += row[k]


@kernel
def find_columns(model, work, scratch):
    """Velocity at the world's origin and angular velocity by each axis value, or by the argument of its curve."""
    find_twists(model, work.frames, work.spins, (0.0, 0.0, 0.0), scratch.column)
    through_curves(model.curves, scratch.column)


@kernel
def _momentum(row, c, newton):
    """f_j and n_j of the motion's sums, with the column c of one of its axes, and its own square (JᵀWJ)_jj."""
    v0 = c[0]
    v1 = c[1]
    v2 = c[2]
    a0 = c[3]
    a1 = c[4]
    a2 = c[5]
    w = row[0]
    h0 = row[1]
    h1 = row[2]
    h2 = row[3]
    p0 = w * v0 + a1 * h2 - a2 * h1
    p1 = w * v1 + a2 * h0 - a0 * h2
    p2 = w * v2 + a0 * h1 - a1 * h0
    n0 = h1 * v2 - h2 * v1 + (row[5] + row[6] + row[25]) * a0 - row[7] * a1 - row[8] * a2
    n1 = h2 * v0 - h0 * v2 - row[7] * a0 + (row[4] + row[6] + row[25]) * a1 - row[9] * a2
    n2 = h0 * v1 - h1 * v0 - row[8] * a0 - row[9] * a1 + (row[4] + row[5] + row[25]) * a2
    square = v0 * p0 + v1 * p1 + v2 * p2 + a0 * n0 + a1 * n1 + a2 * n2
    if newton:
        f0 = row[10]
        f1 = row[11]
        f2 = row[12]
        n0 += v1 * f2 - v2 * f1 + row[17] * a1 + row[18] * a2 - (row[20] + row[24]) * a0
        n1 += v2 * f0 - v0 * f2 + row[19] * a0 + row[21] * a2 - (row[16] + row[24]) * a1
        n2 += v0 * f1 - v1 * f0 + row[22] * a0 + row[23] * a1 - (row[16] + row[20]) * a2
    return p0, p1, p2, n0, n1, n2, square


@kernel
def _add(track, hessian, i, j, value):
    """The product of two axis values' derivatives into that of the variables that drive them."""
    for s in range(track.first[i], track.first[i + 1]):
        a = track.variable[s]
        part = track.share[s] * value
        for t in range(track.first[j], track.first[j + 1]):
            b = track.variable[t]
            add = part * track.share[t]
            hessian[a, b] += add
            if i != j:
                hessian[b, a] += add


@kernel
def _add_own(track, hessian, i, j, value):
    """As `_add` for an axis value i above j, but for what drives several axis values: those come by their sums."""
    for s in range(track.first[i], track.first[i + 1]):
        a = track.variable[s]
        if track.many[a] >= 0:
            continue
        part = track.share[s] * value
        for t in range(track.first[j], track.first[j + 1]):
            b = track.variable[t]
            add = part * track.share[t]
            hessian[a, b] += add
            hessian[b, a] += add


@kernel
def _sum_columns(model, track, scratch):
    """For each motion, the columns of each shared variable summed over all its axes from the root to there."""
    total = scratch.above_columns
    count = total.shape[1]
    if count == 0:
        return
    for h in range(count):
        for r in range(6):
            total[0, h, r] = 0.0
    for i in range(1, model.parent.shape[0]):
        above = total[model.parent[i]]
        here = total[i]
        for h in range(count):
            if track.begin[h] > i:
                break
            for r in range(6):
                here[h, r] = above[h, r]
        k = model.axis[i]
        for e in range(model.size[i]):
            for s in range(track.first[k + e], track.first[k + e + 1]):
                h = track.many[track.variable[s]]
                if h >= 0:
                    for r in range(6):
                        here[h, r] += track.share[s] * scratch.column[k + e, r]


@kernel
def normal(model, track, work, scratch, q, targets, weights, wish, newton):
    """Gradient and second derivatives of ½P by the variables, at the pose whose misses are known."""
    gradient = scratch.gradient
    hessian = scratch.hessian
    v = gradient.shape[0]
    _gather(model, track, scratch, targets, weights)
    find_columns(model, work, scratch)
    _sum_columns(model, track, scratch)
    column = scratch.column
    composite = scratch.composite
    for a in range(v):
        gradient[a] = track.prior[a] * (q[track.dof[a]] - wish[a])
        for b in range(v):
            hessian[a, b] = 0.0
        hessian[a, a] = track.prior[a]
        scratch.scale[a] = track.prior[a]
    for j in range(1, model.parent.shape[0]):
        k = model.axis[j]
        width = model.size[j]
        row = composite[j]
        for b in range(width):
            if track.first[k + b] == track.first[k + b + 1]:
                continue
            c = column[k + b]
            slope = (
                c[0] * row[10]
                + c[1] * row[11]
                + c[2] * row[12]
                + c[3] * row[13]
                + c[4] * row[14]
                + c[5] * row[15]
            )
            scratch.slope[k + b] = slope
            for s in range(track.first[k + b], track.first[k + b + 1]):
                gradient[track.variable[s]] += track.share[s] * slope
            m0, m1, m2, m3, m4, m5, square = _momentum(row, c, newton)
            for s in range(track.first[k + b], track.first[k + b + 1]):
                scratch.scale[track.variable[s]] += track.share[s] * track.share[s] * square
            for e in range(width):  # of a block, each pair twice, once from either side: their mean
                if track.first[k + e] == track.first[k + e + 1]:
                    continue
                d = column[k + e]
                h = d[0] * m0 + d[1] * m1 + d[2] * m2 + d[3] * m3 + d[4] * m4 + d[5] * m5
                _add(track, hessian, k + e, k + b, h if e == b else 0.5 * h)
            i = track.up[j]
            mine = track.lone[j] if b == 0 else -1
            while i > 0:
                first = model.axis[i]
                other = track.lone[i]
                if mine >= 0 and other >= 0:
                    d = column[first]
                    h = d[0] * m0 + d[1] * m1 + d[2] * m2 + d[3] * m3 + d[4] * m4 + d[5] * m5
                    hessian[other, mine] += h
                    hessian[mine, other] += h
                    i = track.up[i]
                    continue
                for e in range(model.size[i]):
                    d = column[first + e]
                    h = d[0] * m0 + d[1] * m1 + d[2] * m2 + d[3] * m3 + d[4] * m4 + d[5] * m5
                    _add_own(track, hessian, first + e, k + b, h)
                i = track.up[i]
            above = scratch.above_columns[model.parent[j]]
            for g in range(above.shape[0]):
                if track.begin[g] > model.parent[j]:
                    break  # parents come before their children: from here on nothing is above
                d = above[g]
                h = d[0] * m0 + d[1] * m1 + d[2] * m2 + d[3] * m3 + d[4] * m4 + d[5] * m5
                a = track.shared[g]
                for t in range(track.first[k + b], track.first[k + b + 1]):
                    other = track.variable[t]
                    add = h * track.share[t]
                    hessian[a, other] += add
                    hessian[other, a] += add
    if newton:
        curves = model.curves
        for c in range(curves.curve_axis.shape[0]):
            k = curves.curve_axis[c]
            # The slope is by the curve's argument: divided by f′ it is that by the axis value.
            if curves.bend[c, 0] != 0.0 and track.first[k] != track.first[k + 1]:
                _add(track, hessian, k, k, scratch.slope[k] / curves.bend[c, 0] * curves.bend[c, 1])
