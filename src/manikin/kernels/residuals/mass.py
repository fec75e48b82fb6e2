"""Measures of the centre of mass: where it is, and whether it is above what supports the figure.

c = Σ μᵢ cᵢ over the motions that carry mass, μᵢ their shares of it. A row g = d·c has the force d on the
centre, that is
μᵢ d at every cᵢ; its derivatives follow from sums over subtrees: turning about u through p moves c by u × (s −
μ p), where μ and s = Σ μᵢ cᵢ are those of what hangs on the turn, and sliding along u moves it by μ u.

CENTER   parameters: point (3), a direction d a row (3 each)         gᵢ = dᵢ·(c − point)
BALANCE  parameters: a point of support in its motion's frame (3 each); index: their motions
         g = distance of c inside an edge of the hull of the points, both seen from above, a row an edge

An edge from A to B, t = (B − A)/L, with the inward normal n, has g = n·(c − A), dg = n·dc − (1 − s) n·dA − s n·dB with
s = t·(c − A)/L: the moving corners are in it. The row of an edge is that of the point it starts from; points
that are no
corners have no edge (``near`` = 0). A hull without area is a line, or a point: c has to be on it, in four rows, two of
them g = t·(c − A) for its ends.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import vector
from manikin.kernels.memory.stack import stack1
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.tree.sweep import ROTATE, SLIDE

CENTER, BALANCE = 11, 12

# Metres: points nearer to a line than this do not span an area.
_THIN = 1e-7
# Value of a row without an edge: more room than any hull has.
_FREE = 1e6


@kernel
def find_center(M, frames):
    """The centre of mass, into ``center``."""
    x = 0.0
    y = 0.0
    z = 0.0
    for k in range(M.mass_motion.shape[0]):
        mu = M.mass[k, 0]
        c = world_point(frames, M.mass_motion[k], vector(M.mass[k], 1))
        x += mu * c[0]
        y += mu * c[1]
        z += mu * c[2]
    M.center[0] = x
    M.center[1] = y
    M.center[2] = z


@kernel
def find_columns(tree, M, sweep):
    """Derivatives of the centre of mass by the axis values, into ``columns``."""
    frames = sweep.frames
    sums = M.subtree
    for i in range(sums.shape[0]):
        for c in range(4):
            sums[i, c] = 0.0
    for k in range(M.mass_motion.shape[0]):
        i = M.mass_motion[k]
        mu = M.mass[k, 0]
        x = world_point(frames, i, vector(M.mass[k], 1))
        sums[i, 0] += mu
        sums[i, 1] += mu * x[0]
        sums[i, 2] += mu * x[1]
        sums[i, 3] += mu * x[2]
    for i in range(sums.shape[0] - 1, 0, -1):
        for c in range(4):
            sums[tree.parent[i], c] += sums[i, c]
        mu = sums[i, 0]
        k = tree.axis[i]
        if tree.kind[i] == SLIDE:
            for c in range(3):
                M.columns[k, c] = mu * frames[i, 3 * c + 2]
            continue
        a0 = sums[i, 1] - mu * frames[i, 9]
        a1 = sums[i, 2] - mu * frames[i, 10]
        a2 = sums[i, 3] - mu * frames[i, 11]
        for s in range(1 if tree.kind[i] == ROTATE else 3):
            if tree.kind[i] == ROTATE:
                u0 = frames[i, 2]
                u1 = frames[i, 5]
                u2 = frames[i, 8]
            else:
                u0 = sweep.spins[i, 3 * s]
                u1 = sweep.spins[i, 3 * s + 1]
                u2 = sweep.spins[i, 3 * s + 2]
            M.columns[k + s, 0] = u1 * a2 - u2 * a1
            M.columns[k + s, 1] = u2 * a0 - u0 * a2
            M.columns[k + s, 2] = u0 * a1 - u1 * a0


@kernel
def measure_center(M, t):
    """Values and forces of a CENTER part."""
    p = M.parameters
    o = M.offset[t]
    for i in range(M.count[t]):
        row = M.first[t] + i
        value = 0.0
        for c in range(3):
            d = p[o + 3 + 3 * i + c]
            value += d * (M.center[c] - p[o + c])
            M.wrench[row, c] = d
            M.wrench[row, 3 + c] = 0.0
        M.value[row] = value
        M.near[row] = 1.0


@kernel
def _turns_left(hull, a, b, c):
    """Twice the area of the triangle of three points, positive when it is to the left."""
    return (hull[b, 0] - hull[a, 0]) * (hull[c, 1] - hull[a, 1]) - (hull[b, 1] - hull[a, 1]) * (
        hull[c, 0] - hull[a, 0]
    )


@kernel
def _find_points(M, frames, t):
    """The points of support as seen from above; the order of their places, left to right, into column 2."""
    hull = M.hull
    link = M.link[t]
    n = M.links[t]
    for k in range(n):
        x = world_point(frames, M.index[link + k], vector(M.parameters, M.offset[t] + 3 * k))
        hull[k, 0] = x[0]
        hull[k, 1] = x[1]
        j = k  # insertion into the order
        while j > 0:
            other = int(hull[j - 1, 2])
            if hull[other, 0] < hull[k, 0] or (hull[other, 0] == hull[k, 0] and hull[other, 1] <= hull[k, 1]):
                break
            hull[j, 2] = other
            j -= 1
        hull[j, 2] = k
    return n


@kernel
def _half_hull(hull, n, first, step, at):
    """Andrew's chain over the points in this order, from ``at`` of column 3 on; its last point is left to the next."""
    begin = at
    j = first
    for _ in range(n):
        k = int(hull[j, 2])
        while at - begin >= 2:
            a = int(hull[at - 2, 3])
            b = int(hull[at - 1, 3])
            length = math.hypot(hull[k, 0] - hull[a, 0], hull[k, 1] - hull[a, 1])
            if _turns_left(hull, a, b, k) > _THIN * length:
                break
            at -= 1
        hull[at, 3] = k
        at += 1
        j += step
    return at - 1


@kernel
def _push_corner(M, frames, t, slot, place, k, f0, f1):
    """The level force f on the point k of support."""
    link = M.link[t] + k
    x = world_point(frames, M.index[link], vector(M.parameters, M.offset[t] + 3 * k))
    extra = M.extra[slot]
    extra[place, 0] = M.index[link]
    extra[place, 1] = f0
    extra[place, 2] = f1
    extra[place, 3] = 0.0
    extra[place, 4] = -x[2] * f1
    extra[place, 5] = x[2] * f0
    extra[place, 6] = x[0] * f1 - x[1] * f0


@kernel
def edge_slopes(at, i, turned):
    """How far c is inside the edge from A to B, or (turned) beyond A along it, and its slopes by c, A and B.

    at: c, A and B as seen from above, six numbers. Where A and B are one point, rows i = 0 to 3 are its left, right,
    front and back.
    """
    d0 = at[4] - at[2]
    d1 = at[5] - at[3]
    length = math.hypot(d0, d1)
    inverse = 1.0 / length if length > _THIN else 0.0
    d0 = d0 * inverse if inverse > 0.0 else 1.0 - 2.0 * (i % 2)
    d1 = d1 * inverse
    n0 = d0 if turned else -d1
    n1 = d1 if turned else d0
    c0 = at[0] - at[2]
    c1 = at[1] - at[3]
    # d n = −(share) (n across) (n across)·(dB − dA), across the row's own direction.
    share = (c0 * d0 + c1 * d1) * inverse if not turned else -(c1 * d0 - c0 * d1) * inverse
    e0 = n0 if not turned else -d1
    e1 = n1 if not turned else d0
    return (
        n0 * c0 + n1 * c1,
        n0,
        n1,
        share * e0 - n0,
        share * e1 - n1,
        -share * e0,
        -share * e1,
    )


@kernel
def _side(M, frames, t, i, slot, a, b, turned):
    """Row i: how far the centre is inside the edge from a to b, or (turned) beyond a along it."""
    hull = M.hull
    row = M.first[t] + i
    at = stack1(6)
    at[0] = M.center[0]
    at[1] = M.center[1]
    at[2] = hull[a, 0]
    at[3] = hull[a, 1]
    at[4] = hull[b, 0]
    at[5] = hull[b, 1]
    g = edge_slopes(at, i, turned)
    M.value[row] = g[0]
    M.near[row] = 1.0
    M.wrench[row, 0] = g[1]
    M.wrench[row, 1] = g[2]
    M.wrench[row, 2] = 0.0
    _push_corner(M, frames, t, slot + i, 0, a, g[3], g[4])
    _push_corner(M, frames, t, slot + i, 1, b, g[5], g[6])


@kernel
def _line(M, frames, t, n, slot):
    """Rows of a hull without area: its two sides, and its two ends."""
    a = int(M.hull[0, 2])
    b = int(M.hull[n - 1, 2])
    _side(M, frames, t, 0, slot, a, b, False)
    _side(M, frames, t, 1, slot, b, a, False)
    _side(M, frames, t, 2, slot, a, b, True)
    _side(M, frames, t, 3, slot, b, a, True)


@kernel
def measure_balance(M, frames, t):
    """Values and wrenches of a BALANCE part."""
    first = M.first[t]
    slot = M.more[t]
    for i in range(M.count[t]):
        M.value[first + i] = _FREE
        M.near[first + i] = 0.0
        for c in range(6):
            M.wrench[first + i, c] = 0.0
        for s in range(4):
            M.extra[slot + i, s, 0] = 0.0
    n = _find_points(M, frames, t)
    hull = M.hull
    size = _half_hull(hull, n, 0, 1, 0)
    size = _half_hull(hull, n, n - 1, -1, size)
    if size < 3:
        _line(M, frames, t, n, slot)
        return
    for i in range(size):
        a = int(hull[i, 3])
        b = int(hull[i + 1 if i + 1 < size else 0, 3])
        _side(M, frames, t, a, slot, a, b, False)


@kernel
def edge_of_row(M, frames, t, i):
    """The corners of row i of a BALANCE part, and whether it is about the ends of a line; −1 where it has no edge."""
    n = _find_points(M, frames, t)
    hull = M.hull
    size = _half_hull(hull, n, 0, 1, 0)
    size = _half_hull(hull, n, n - 1, -1, size)
    if size < 3:
        a = int(hull[0, 2])
        b = int(hull[n - 1, 2])
        if i % 2 == 1:
            a, b = b, a
        return (a, b, i >= 2) if i < 4 else (-1, -1, False)
    for k in range(size):
        if int(hull[k, 3]) == i:
            return i, int(hull[k + 1 if k + 1 < size else 0, 3]), False
    return -1, -1, False
