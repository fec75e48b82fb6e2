"""The centre of mass over what supports the figure: g = its distance inside an edge of the hull of those points.

All is seen from above; a row an edge. An edge from A to B, t = (B − A)/L, with the inward normal n, has g = n·(c − A),
dg = n·dc − (1 − s) n·dA − s n·dB with s = t·(c − A)/L: the moving corners are in it. The row of an edge is that of the
point it starts from; points that are no corners have no edge (``near`` = 0). A hull without area is a line, or a point:
c has to be on it, in four rows, two of them g = t·(c − A) for its ends.

Parameters: a point of support in its motion's frame (3 each). Index: their motions.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import vector
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.residuals.curvature import add_force, fill_columns
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import LARGEST, ON_MASS
from manikin.kernels.residuals.mass import add_center_force

# Metres: points nearer to a line than this do not span an area.
_THIN = 1e-7
# Value of a row without an edge: more room than any hull has.
_FREE = 1e6
# Metres, of the differences of slopes by which second derivatives are found.
_DIFFERENCE = 1e-5


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
def _edge_slopes(at, i, turned):
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
    g = _edge_slopes(at, i, turned)
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
def _measure(M, sweep, t):
    frames = sweep.frames
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
def _edge_of_row(M, frames, t, i):
    """The corners of row i of part t, and whether it is about the ends of a line; −1 where it has no edge."""
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


@kernel
def _spread(tree, M, sweep, i, x, row, by_value, sign):
    """Add sign · (row · ∂x/∂k) to by_value, for the point x of motion i seen from above: see `_add_edge`."""
    count = fill_columns(tree, sweep.twist, i, x, sweep.columns)
    for n in range(count):
        column = sweep.columns[n]
        by_value[int(column[0])] += sign * (row[0] * column[1] + row[1] * column[2])


@kernel
def _add_edge(tree, M, sweep, t, r, y, slopes, by_value):
    """A row of the support: the forces on centre and corners, and how they change with these.

    slopes: (6, values), room.
    """
    frames = sweep.frames
    a, b, turned = _edge_of_row(M, frames, t, r - M.first[t])
    if a < 0:
        return
    link = M.link[t]
    i = M.index[link + a]
    j = M.index[link + b]
    p = world_point(frames, i, vector(M.parameters, M.offset[t] + 3 * a))
    q = world_point(frames, j, vector(M.parameters, M.offset[t] + 3 * b))
    at = stack1(6)
    for c in range(2):
        at[c] = M.center[c]
        at[2 + c] = p[c]
        at[4 + c] = q[c]
    side = r - M.first[t]
    g = _edge_slopes(at, side, turned)
    add_center_force(M, sweep, (y * g[1], y * g[2], 0.0))
    add_force(sweep.tensors, i, p, (y * g[3], y * g[4], 0.0))
    add_force(sweep.tensors, j, q, (y * g[5], y * g[6], 0.0))
    H = stack2(6, 6)
    for c in range(6):
        old = at[c]
        at[c] = old + _DIFFERENCE
        high = _edge_slopes(at, side, turned)
        at[c] = old - _DIFFERENCE
        low = _edge_slopes(at, side, turned)
        at[c] = old
        H[0, c] = y * (high[1] - low[1]) * 0.5 / _DIFFERENCE
        H[1, c] = y * (high[2] - low[2]) * 0.5 / _DIFFERENCE
        H[2, c] = y * (high[3] - low[3]) * 0.5 / _DIFFERENCE
        H[3, c] = y * (high[4] - low[4]) * 0.5 / _DIFFERENCE
        H[4, c] = y * (high[5] - low[5]) * 0.5 / _DIFFERENCE
        H[5, c] = y * (high[6] - low[6]) * 0.5 / _DIFFERENCE
    for c in range(6):
        for k in range(by_value.shape[0]):
            slopes[c, k] = 0.0
    one = stack1(2)
    for c in range(2):
        one[0] = 1.0 if c == 0 else 0.0
        one[1] = 1.0 - one[0]
        for k in range(by_value.shape[0]):
            slopes[c, k] = M.columns[k, c]
        _spread(tree, M, sweep, i, p, one, slopes[2 + c], 1.0)
        _spread(tree, M, sweep, j, q, one, slopes[4 + c], 1.0)
    for k in range(by_value.shape[0]):
        row = by_value[k]
        for c in range(6):
            s = 0.0
            for d in range(6):
                s += 0.5 * (H[c, d] + H[d, c]) * slopes[d, k]
            if s != 0.0:
                for n in range(by_value.shape[0]):
                    row[n] += s * slopes[c, n]


@kernel
def _second(tree, M, sweep, t, force, slopes, by_value):
    for r in range(M.first[t], M.first[t] + M.count[t]):
        if force[r] != 0.0 and M.near[r] != 0.0:
            _add_edge(tree, M, sweep, t, r, force[r], slopes, by_value)


KIND = Kind(
    _measure,
    lambda _part, at: [at.points],
    attach=ON_MASS,
    miss=LARGEST,
    second=_second,
    polygon=True,
)
