"""The small system of a step, (J Jᵀ + D) y = right, in tiles of 3 × 3: products, held variables, factor, solution.

D is the damping, row by row: λ for a soft row, 0 for a hard one; the same system is then that of the step's
multipliers. A row that others imply has no pivot of its own and is left out (its y is 0), and so is one that holds
nothing at present (its least pivot is infinite). Strips come in two sorts: those of residuals, the first
``s.residuals``, have the columns of their chains; those behind them, three rows of any kind each, have a column for
every variable.

Strips of chains that share no variable have no tile: each begins its row of tiles at the first strip of its group
(``begin``), so that J Jᵀ is block diagonal where the limbs of a figure are independent. For one problem or four in
lanes.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import select

#: A pivot below this is none: its unknown is left at zero.
NO_PIVOT = 1e-30
#: Of a hard row's own square: what is left of it when others imply it; what taking variables out leaves of it.
DEPENDENT, ROUNDING = 1e-11, 1e-14


@kernel
def _multiply(a, b, n, index, zero, tile):
    """tile = Σ aₖ bₖᵀ over the first n columns of b; those of a are the same, or where ``index`` says."""
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
        h = k
        if index is not None:
            h = index[k]
        x0 = a[h, 0]
        x1 = a[h, 1]
        x2 = a[h, 2]
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
def multiply_residuals(s):
    """J Jᵀ of the residuals' strips: the tiles on and below the diagonal, within each group."""
    zero = 0.0 * s.place.frames[0, 0]
    jacobian = s.work.jacobian
    tiles = s.work.tiles
    for a in range(s.residuals):
        own = int(s.strips.chain[a])
        for b in range(int(s.strips.begin[a]), a):
            shared = s.chains.shared[own, int(s.strips.chain[b])]
            _multiply(jacobian[a], jacobian[b], shared, None, zero, tiles[a, b])
        _square(jacobian[a], s.chains.length[own], zero, tiles[a, a])


@kernel
def multiply_dense(s, a):
    """The tiles of a strip of single rows, with those before it."""
    n = s.work.x.shape[0]
    jacobian = s.work.jacobian
    tiles = s.work.tiles
    for b in range(s.residuals):
        c = int(s.strips.chain[b])
        _multiply(jacobian[a], jacobian[b], s.chains.length[c], s.chains.variable[c], 0.0, tiles[a, b])
    for b in range(s.residuals, a):
        _multiply(jacobian[a], jacobian[b], n, None, 0.0, tiles[a, b])
    _square(jacobian[a], n, 0.0, tiles[a, a])


@kernel
def _column(s, a, i):
    """The column of variable i in strip a; −1 where it has none."""
    return s.chains.place[int(s.strips.chain[a]), i] if a < s.residuals else i


@kernel
def _begin(s, a):
    """The first strip that strip a has a tile with."""
    return int(s.strips.begin[a]) if a < s.residuals else 0


@kernel
def take_out(s, first, size, i, held):
    """Take variable i out of J Jᵀ, from strip ``first`` on, where ``held`` is 1; bring it back where it is −1."""
    jacobian = s.work.jacobian
    for a in range(first, size):
        k = _column(s, a, i)
        if k < 0:
            continue
        x0 = jacobian[a, k, 0] * held
        x1 = jacobian[a, k, 1] * held
        x2 = jacobian[a, k, 2] * held
        for b in range(_begin(s, a), a + 1):
            h = _column(s, b, i)
            if h < 0:
                continue
            tile = s.work.tiles[a, b]
            for c in range(3):
                y = jacobian[b, h, c]
                tile[c] -= x0 * y
                tile[3 + c] -= x1 * y
                tile[6 + c] -= x2 * y


@kernel
def _triangle(t0, t3, t4, t6, t7, t8):
    """L D Lᵀ of a damped tile (t0; t3 t4; t6 t7 t8): 1/D, and L's entries p; q r below its diagonal of ones.

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
def _careful_triangle(t0, t3, t4, t6, t7, t8, l0, l1, l2):
    """The same pivot by pivot, each left out where it is not above its least."""
    i0 = 1.0 / t0 if t0 > l0 else 0.0
    p = t3 * i0
    q = t6 * i0
    t4 -= t3 * p
    t7 -= t3 * q
    i1 = 1.0 / t4 if t4 > l1 else 0.0
    r = t7 * i1
    t8 -= t6 * q + t7 * r
    i2 = 1.0 / t8 if t8 > l2 else 0.0
    return i0, i1, i2, p, q, r


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
def _diagonal(first, a, tiles, damping, by_row, right, factor, x):
    """The tile (a, a) of L and 1/D; the row's others become L instead of L D, and x that of D⁻¹ L⁻¹ right."""
    t = tiles[a, a]
    t0 = t[0]
    t3 = t[3]
    t4 = t[4]
    t6 = t[6]
    t7 = t[7]
    t8 = t[8]
    if by_row is None:
        t0 += damping
        t4 += damping
        t8 += damping
    if by_row is not None:
        t0 += by_row.damping[3 * a]
        t4 += by_row.damping[3 * a + 1]
        t8 += by_row.damping[3 * a + 2]
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
    if by_row is None:
        i0, i1, i2, p, q, r = _triangle(t0, t3, t4, t6, t7, t8)
    if by_row is not None:
        least = by_row.least
        i0, i1, i2, p, q, r = _careful_triangle(
            t0, t3, t4, t6, t7, t8, least[3 * a], least[3 * a + 1], least[3 * a + 2]
        )
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
def _back(s, size, x):
    """x from D⁻¹ L⁻¹ right: the other triangle."""
    factor = s.work.factor
    for a in range(size - 1, -1, -1):
        f = factor[a, a]
        x2 = x[3 * a + 2]
        x1 = x[3 * a + 1] - f[7] * x2
        x0 = x[3 * a] - f[3] * x1 - f[6] * x2
        x[3 * a] = x0
        x[3 * a + 1] = x1
        for c in range(_begin(s, a), a):
            f = factor[a, c]
            for k in range(3):
                x[3 * c + k] -= f[k] * x0 + f[3 + k] * x1 + f[6 + k] * x2


@kernel
def solve(s, size, damping, by_row, right, x):
    """x = (tiles + damping)⁻¹ right by L D Lᵀ (no roots), of so many strips; reads the lower triangle.

    damping: one number; or ``by_row`` has one for each row, and its least pivot. Below the diagonal of the factor is L,
    on it 1/D.
    """
    for a in range(size):
        first = _begin(s, a)
        for b in range(first, a):
            _below_diagonal(first, a, b, s.work.tiles, s.work.factor)
        _diagonal(first, a, s.work.tiles, damping, by_row, right, s.work.factor, x)
    _back(s, size, x)


@kernel
def solve_again(s, size, right, x):
    """x for another right-hand side, by the factor that `solve` left."""
    factor = s.work.factor
    for a in range(size):
        x0 = right[3 * a]
        x1 = right[3 * a + 1]
        x2 = right[3 * a + 2]
        for c in range(_begin(s, a), a):
            f = factor[a, c]
            for k in range(3):
                y = x[3 * c + k]
                x0 -= f[k] * y
                x1 -= f[3 + k] * y
                x2 -= f[6 + k] * y
        f = factor[a, a]
        x1 -= f[3] * x0
        x2 -= f[6] * x0 + f[7] * x1
        x[3 * a] = x0
        x[3 * a + 1] = x1
        x[3 * a + 2] = x2
    for a in range(size):
        f = factor[a, a]
        x[3 * a] *= f[0]
        x[3 * a + 1] *= f[4]
        x[3 * a + 2] *= f[8]
    _back(s, size, x)


@kernel
def transposed(s, size, y, out):
    """out = Jᵀ y; two strips of one chain (a position and a rotation of one site) at a time."""
    zero = 0.0 * s.place.frames[0, 0]
    jacobian = s.work.jacobian
    for i in range(out.shape[0]):
        out[i] = zero
    m = s.residuals
    a = 0
    while a < m:
        c = int(s.strips.chain[a])
        strip = jacobian[a]
        variable = s.chains.variable[c]
        r0 = y[3 * a]
        r1 = y[3 * a + 1]
        r2 = y[3 * a + 2]
        if a + 1 < m and int(s.strips.chain[a + 1]) == c:
            other = jacobian[a + 1]
            r3 = y[3 * a + 3]
            r4 = y[3 * a + 4]
            r5 = y[3 * a + 5]
            for k in range(s.chains.length[c]):
                z = strip[k, 0] * r0 + strip[k, 1] * r1 + strip[k, 2] * r2
                out[variable[k]] += z + (other[k, 0] * r3 + other[k, 1] * r4 + other[k, 2] * r5)
            a += 2
        else:
            for k in range(s.chains.length[c]):
                out[variable[k]] += strip[k, 0] * r0 + strip[k, 1] * r1 + strip[k, 2] * r2
            a += 1
    for a in range(m, size):
        strip = jacobian[a]
        r0 = y[3 * a]
        r1 = y[3 * a + 1]
        r2 = y[3 * a + 2]
        for i in range(out.shape[0]):
            out[i] += strip[i, 0] * r0 + strip[i, 1] * r1 + strip[i, 2] * r2


@kernel
def after(s, size, e, d, out):
    """out = e + J d (e None: J d)."""
    for a in range(size):
        strip = s.work.jacobian[a]
        r0 = 0.0 * d[0]
        r1 = r0
        r2 = r0
        if e is not None:
            r0 = e[3 * a]
            r1 = e[3 * a + 1]
            r2 = e[3 * a + 2]
        if a < s.residuals:
            c = int(s.strips.chain[a])
            for k in range(s.chains.length[c]):
                z = d[s.chains.variable[c, k]]
                r0 += strip[k, 0] * z
                r1 += strip[k, 1] * z
                r2 += strip[k, 2] * z
        else:
            for k in range(d.shape[0]):
                z = d[k]
                r0 += strip[k, 0] * z
                r1 += strip[k, 1] * z
                r2 += strip[k, 2] * z
        out[3 * a] = r0
        out[3 * a + 1] = r1
        out[3 * a + 2] = r2
