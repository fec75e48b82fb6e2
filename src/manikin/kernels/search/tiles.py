"""The damped normal equations of the rows in tiles of 3 × 3, for one problem or four in lanes.

Rows come in strips of three (`lm_rows`), so J Jᵀ consists of tiles, each the sum of the products of two strips' columns
over those they have in common: nine sums in registers. Strips of different groups have none in common: the matrix is
block diagonal, and each group is factored for itself.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import select

# A pivot below this is none: its unknown is left at zero.
NO_PIVOT = 1e-30


@kernel
def _multiply(a, b, n, zero, tile):
    """tile = Σ aₖ bₖᵀ over the first n columns of two strips."""
    s0 = zero
    s1 = zero
    s2 = zero
    s3 = zero
    s4 = zero
    s5 = zero
    s6 = zero
    s7 = zero
    s8 = zero
    for k in range(n):
        x0 = a[k, 0]
        x1 = a[k, 1]
        x2 = a[k, 2]
        y0 = b[k, 0]
        y1 = b[k, 1]
        y2 = b[k, 2]
        s0 += x0 * y0
        s1 += x0 * y1
        s2 += x0 * y2
        s3 += x1 * y0
        s4 += x1 * y1
        s5 += x1 * y2
        s6 += x2 * y0
        s7 += x2 * y1
        s8 += x2 * y2
    tile[0] = s0
    tile[1] = s1
    tile[2] = s2
    tile[3] = s3
    tile[4] = s4
    tile[5] = s5
    tile[6] = s6
    tile[7] = s7
    tile[8] = s8


@kernel
def _square(a, n, zero, tile):
    """The lower triangle of the tile Σ aₖ aₖᵀ."""
    s0 = zero
    s3 = zero
    s4 = zero
    s6 = zero
    s7 = zero
    s8 = zero
    for k in range(n):
        x0 = a[k, 0]
        x1 = a[k, 1]
        x2 = a[k, 2]
        s0 += x0 * x0
        s3 += x1 * x0
        s4 += x1 * x1
        s6 += x2 * x0
        s7 += x2 * x1
        s8 += x2 * x2
    tile[0] = s0
    tile[3] = s3
    tile[4] = s4
    tile[6] = s6
    tile[7] = s7
    tile[8] = s8


@kernel
def multiply_rows(strips, blocks, jacobian, zero, tiles):
    """J Jᵀ: the tiles on and below the diagonal, within each group; ``zero`` in the type of its items."""
    for a in range(strips):
        own = blocks.strip[a]
        for b in range(blocks.first[a], a):
            _multiply(jacobian[a], jacobian[b], blocks.shared[own, blocks.strip[b]], zero, tiles[a, b])
        _square(jacobian[a], blocks.length[own], zero, tiles[a, a])


@kernel
def take_out(strips, blocks, jacobian, i, held, tiles):
    """Take variable i out of J Jᵀ where ``held`` is 1."""
    for a in range(strips):
        k = blocks.place[blocks.strip[a], i]
        if k < 0:
            continue
        x0 = jacobian[a, k, 0] * held
        x1 = jacobian[a, k, 1] * held
        x2 = jacobian[a, k, 2] * held
        for b in range(blocks.first[a], a + 1):
            h = blocks.place[blocks.strip[b], i]
            if h < 0:
                continue
            tile = tiles[a, b]
            for c in range(3):
                y = jacobian[b, h, c]
                tile[c] -= x0 * y
                tile[3 + c] -= x1 * y
                tile[6 + c] -= x2 * y


@kernel
def _unit_triangle(t0, t3, t4, t6, t7, t8):
    """L D Lᵀ of a symmetric tile (t0; t3 t4; t6 t7 t8): 1/D, and L's entries p; q r below its diagonal of ones.

    Minors instead of quotients, so that the three divisions do not wait for each other: with a = t0, b = a t4 − t3² and
    c = b (a t8 − t6²) − (a t7 − t3 t6)², D is a, b/a and c/(a b).
    """
    none = t0 < NO_PIVOT
    a = select(none, 1.0, t0)
    u = select(none, 0.0, t3)
    v = select(none, 0.0, t6)
    b = a * t4 - u * u
    w = a * t7 - u * v
    d = a * t8 - v * v
    empty = b < NO_PIVOT * a
    w = select(empty, 0.0, w)
    b = select(empty, 1.0, b)
    c = b * d - w * w
    ab = a * b
    last = c < NO_PIVOT * ab
    i0 = select(none, 0.0, 1.0 / a)
    i1 = 1.0 / b
    return (
        i0,
        select(empty, 0.0, a * i1),
        select(last, 0.0, ab / select(last, 1.0, c)),
        u * i0,
        v * i0,
        w * i1,
    )


@kernel
def _below_diagonal(first, a, b, tiles, factor):
    """The tile (a, b) of L D: what is left of the matrix's after the columns before, by the triangle of tile (b, b)."""
    t = tiles[a, b]
    t0 = t[0]
    t1 = t[1]
    t2 = t[2]
    t3 = t[3]
    t4 = t[4]
    t5 = t[5]
    t6 = t[6]
    t7 = t[7]
    t8 = t[8]
    for c in range(first, b):
        u = factor[a, c]
        v = factor[b, c]
        for k in range(3):
            u0 = u[k]
            u1 = u[3 + k]
            u2 = u[6 + k]
            l0 = v[k]
            l1 = v[3 + k]
            l2 = v[6 + k]
            t0 -= u0 * l0
            t1 -= u0 * l1
            t2 -= u0 * l2
            t3 -= u1 * l0
            t4 -= u1 * l1
            t5 -= u1 * l2
            t6 -= u2 * l0
            t7 -= u2 * l1
            t8 -= u2 * l2
    d = factor[b, b]
    p = d[3]
    q = d[6]
    r = d[7]
    t1 -= t0 * p
    t4 -= t3 * p
    t7 -= t6 * p
    f = factor[a, b]
    f[0] = t0
    f[1] = t1
    f[2] = t2 - t0 * q - t1 * r
    f[3] = t3
    f[4] = t4
    f[5] = t5 - t3 * q - t4 * r
    f[6] = t6
    f[7] = t7
    f[8] = t8 - t6 * q - t7 * r


@kernel
def _diagonal(first, a, tiles, damping, right, factor, x):
    """The tile (a, a) of L and 1/D; the row's others become L instead of L D, and x that of D⁻¹ L⁻¹ right."""
    t = tiles[a, a]
    t0 = t[0] + damping
    t3 = t[3]
    t4 = t[4] + damping
    t6 = t[6]
    t7 = t[7]
    t8 = t[8] + damping
    x0 = right[3 * a]
    x1 = right[3 * a + 1]
    x2 = right[3 * a + 2]
    for c in range(first, a):
        u = factor[a, c]
        d = factor[c, c]
        for k in range(3):
            u0 = u[k]
            u1 = u[3 + k]
            u2 = u[6 + k]
            i = d[4 * k]
            l0 = u0 * i
            l1 = u1 * i
            l2 = u2 * i
            u[k] = l0
            u[3 + k] = l1
            u[6 + k] = l2
            t0 -= u0 * l0
            t3 -= u1 * l0
            t4 -= u1 * l1
            t6 -= u2 * l0
            t7 -= u2 * l1
            t8 -= u2 * l2
            y = x[3 * c + k]
            x0 -= u0 * y
            x1 -= u1 * y
            x2 -= u2 * y
    i0, i1, i2, p, q, r = _unit_triangle(t0, t3, t4, t6, t7, t8)
    f = factor[a, a]
    f[0] = i0
    f[3] = p
    f[4] = i1
    f[6] = q
    f[7] = r
    f[8] = i2
    x1 -= p * x0
    x2 -= q * x0 + r * x1
    x[3 * a] = x0 * i0
    x[3 * a + 1] = x1 * i1
    x[3 * a + 2] = x2 * i2


@kernel
def solve_tiles(strips, group, tiles, damping, right, factor, x):
    """x = (tiles + damping)⁻¹ right by L D Lᵀ (no roots); reads the lower triangle. group[a]: its first strip.

    Below the diagonal of ``factor`` is L, on it 1/D.
    """
    for a in range(strips):
        first = group[a]
        for b in range(first, a):
            _below_diagonal(first, a, b, tiles, factor)
        _diagonal(first, a, tiles, damping, right, factor, x)
    for a in range(strips - 1, -1, -1):
        f = factor[a, a]
        x2 = x[3 * a + 2]
        x1 = x[3 * a + 1] - f[7] * x2
        x0 = x[3 * a] - f[3] * x1 - f[6] * x2
        x[3 * a] = x0
        x[3 * a + 1] = x1
        for c in range(group[a], a):
            f = factor[a, c]
            for k in range(3):
                x[3 * c + k] -= f[k] * x0 + f[3 + k] * x1 + f[6 + k] * x2
