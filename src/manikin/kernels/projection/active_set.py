"""The active constraints, the metric inside them, and their multipliers.

Constraints are ranges lₖ ≤ xₖ ≤ uₖ and rows l ≤ a·x ≤ u with ‖a‖ = 1. The method keeps

``metric``   H, the inverse Hessian guessed so far, with H a = 0 for every active constraint a;
``inverse``  N = (A Aᵀ)⁻¹ over the active rows, A their coefficients at the coordinates not held at a range.

This is Goldfarb's and Rosen's (AᵀA)⁻¹ with the part of the ranges, an identity, left out. Adding or dropping a
constraint changes H and N by one outer product each (25), (27): O(n²). A constraint that depends on the active ones is
never added: it cannot be broken by a step that respects them.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

# Rows of Work.vector: one number a variable.
X, G, STEP, X_NEW, G_NEW, DELTA_G, H_DELTA_G, LOWER, UPPER, SIDE, SCALE, RHO, TEMP, WISH, MARK = range(15)
# Rows of Work.row: one number a constraint row. ACTIVE lists the active rows first to last; the coefficients of a row
# are zero before ROW_BEGIN and from ROW_END on.
ROW_LOWER, ROW_UPPER, ROW_SIDE, ACTIVE, MU, NB, ROW_TEMP, ROW_NORM, ROW_BEGIN, ROW_END = range(10)

FREE = 0.0
AT_LOWER = -1.0
AT_UPPER = 1.0
EQUAL = 2.0

# Of the square of a unit normal: less than this left outside the active ones means "depends on them".
DEPENDENT = 1e-12


@kernel
def rank_one(H, h, factor):
    """H += factor · h hᵀ."""
    n = H.shape[0]
    for i in range(n):
        c = factor * h[i]
        if c != 0.0:
            row = H[i]
            for j in range(n):
                row[j] += c * h[j]


@kernel
def apply(H, x, y):
    """y = H x; returns x·y."""
    n = H.shape[0]
    total = 0.0
    for i in range(n):
        row = H[i]
        s = 0.0
        for j in range(n):
            s += row[j] * x[j]
        y[i] = s
        total += s * x[i]
    return total


@kernel
def _times_inverse(work, count, b, out):
    """out = N b over the active rows; returns b·N b."""
    total = 0.0
    for p in range(count):
        s = 0.0
        for q in range(count):
            s += work.inverse[p, q] * b[q]
        out[p] = s
        total += s * b[p]
    return total


@kernel
def _inverse_update(work, count, h, factor):
    for p in range(count):
        for q in range(count):
            work.inverse[p, q] += factor * h[p] * h[q]


@kernel
def _row_products(work, count, vector, out):
    """out = A · vector over the active rows and free coordinates."""
    side = work.vector[SIDE]
    for p in range(count):
        a = work.rows[int(work.row[ACTIVE, p])]
        s = 0.0
        for j in range(a.shape[0]):
            if side[j] == FREE:
                s += a[j] * vector[j]
        out[p] = s


@kernel
def hold_bound(work, count, j, side):
    """Hold coordinate j at its range; False when the active rows already determine it."""
    row = work.row
    if count > 0:
        for p in range(count):
            row[ROW_TEMP, p] = work.rows[int(row[ACTIVE, p]), j]
        left = 1.0 - _times_inverse(work, count, row[ROW_TEMP], row[NB])
        if left <= DEPENDENT:
            return False
        _inverse_update(work, count, row[NB], 1.0 / left)
    work.vector[SIDE, j] = side
    H = work.metric
    h = work.vector[TEMP]
    n = H.shape[0]
    for i in range(n):
        h[i] = H[i, j]
    if h[j] > 0.0:
        rank_one(H, h, -1.0 / h[j])
    for i in range(n):
        H[i, j] = 0.0
        H[j, i] = 0.0
    return True


@kernel
def release_bound(work, count, j, scale):
    """Let coordinate j go: the metric gets back the direction it had lost (25)."""
    row = work.row
    u = work.vector[TEMP]
    side = work.vector[SIDE]
    side[j] = FREE
    n = u.shape[0]
    for i in range(n):
        u[i] = 0.0
    u[j] = 1.0
    if count > 0:
        for p in range(count):
            row[ROW_TEMP, p] = work.rows[int(row[ACTIVE, p]), j]
        grown = 1.0 + _times_inverse(work, count, row[ROW_TEMP], row[NB])
        _inverse_update(work, count, row[NB], -1.0 / grown)
        _times_inverse(work, count, row[ROW_TEMP], row[NB])
        for p in range(count):
            a = work.rows[int(row[ACTIVE, p])]
            c = row[NB, p]
            for i in range(n):
                if side[i] == FREE:
                    u[i] -= c * a[i]
    rank_one(work.metric, u, scale / u[j])


@kernel
def hold_row(work, count, r, side):
    """Make row r active (last in the list); False when it depends on what is active."""
    row = work.row
    a = work.rows[r]
    _row_products(work, count, a, row[ROW_TEMP])
    left = 0.0
    for j in range(a.shape[0]):
        if work.vector[SIDE, j] == FREE:
            left += a[j] * a[j]
    left -= _times_inverse(work, count, row[ROW_TEMP], row[NB])
    if left <= DEPENDENT:
        return False
    _inverse_update(work, count, row[NB], 1.0 / left)
    for p in range(count):
        work.inverse[p, count] = -row[NB, p] / left
        work.inverse[count, p] = -row[NB, p] / left
    work.inverse[count, count] = 1.0 / left
    row[ACTIVE, count] = r
    row[ROW_SIDE, r] = side
    curvature = apply(work.metric, a, work.vector[TEMP])
    if curvature > 0.0:
        rank_one(work.metric, work.vector[TEMP], -1.0 / curvature)
    return True


@kernel
def release_row(work, count, p, scale):
    """Let the row at place p of the list go: H += scale · u uᵀ/(u·a), u = the row projected on what is left."""
    row = work.row
    u = work.vector[TEMP]
    side = work.vector[SIDE]
    n = u.shape[0]
    pivot = work.inverse[p, p]
    for i in range(n):
        u[i] = 0.0
    for q in range(count):
        a = work.rows[int(row[ACTIVE, q])]
        c = work.inverse[q, p] / pivot
        for i in range(n):
            if side[i] == FREE:
                u[i] += c * a[i]
    row[ROW_SIDE, int(row[ACTIVE, p])] = FREE
    for q in range(count):
        row[NB, q] = work.inverse[q, p]
    _inverse_update(work, count, row[NB], -1.0 / pivot)
    for q in range(p, count - 1):
        row[ACTIVE, q] = row[ACTIVE, q + 1]
        for s in range(count):
            work.inverse[q, s] = work.inverse[q + 1, s]
    for q in range(p, count - 1):
        for s in range(count - 1):
            work.inverse[s, q] = work.inverse[s, q + 1]
    rank_one(work.metric, u, scale * pivot)


@kernel
def project_on_rows(work, count, vector):
    """Take out of a vector what rounding has left in it along the active rows; held coordinates stay."""
    if count == 0:
        return
    row = work.row
    side = work.vector[SIDE]
    _row_products(work, count, vector, row[ROW_TEMP])
    _times_inverse(work, count, row[ROW_TEMP], row[NB])
    for p in range(count):
        a = work.rows[int(row[ACTIVE, p])]
        c = row[NB, p]
        for j in range(a.shape[0]):
            if side[j] == FREE:
                vector[j] -= c * a[j]


@kernel
def multipliers(work, count):
    """Multipliers of the active constraints at the gradient G: g = Σ μ a + Σ ρ e.

    MU holds those of the active rows (by place in the list), RHO the gradient less its part along the active rows:
    at held coordinates that is the multiplier of the range, at free ones what is still to be descended.
    """
    row = work.row
    g = work.vector[G]
    rho = work.vector[RHO]
    n = g.shape[0]
    for i in range(n):
        rho[i] = g[i]
    if count > 0:
        _row_products(work, count, g, row[ROW_TEMP])
        _times_inverse(work, count, row[ROW_TEMP], row[MU])
        for p in range(count):
            a = work.rows[int(row[ACTIVE, p])]
            c = row[MU, p]
            for i in range(n):
                rho[i] -= c * a[i]


@kernel
def worst_multiplier(work, count):
    """The active inequality whose release would help most: (gain a unit of its normal, which one).

    Which one: the coordinate, or n + place in the list of rows, or −1. The gain is the multiplier of the wrong sign
    divided by the root of its diagonal entry of (AᵀA)⁻¹, as in step 2 of the report.
    """
    side = work.vector[SIDE]
    rho = work.vector[RHO]
    row = work.row
    n = rho.shape[0]
    worst = 0.0
    which = -1
    for j in range(n):
        if side[j] == FREE or side[j] == EQUAL:
            continue
        gain = rho[j] * side[j]
        if gain > worst:
            if count > 0:
                for p in range(count):
                    row[ROW_TEMP, p] = work.rows[int(row[ACTIVE, p]), j]
                gain /= math.sqrt(1.0 + _times_inverse(work, count, row[ROW_TEMP], row[NB]))
            if gain > worst:
                worst = gain
                which = j
    for p in range(count):
        s = row[ROW_SIDE, int(row[ACTIVE, p])]
        if s == EQUAL:
            continue
        gain = row[MU, p] * s / math.sqrt(work.inverse[p, p])
        if gain > worst:
            worst = gain
            which = n + p
    return worst, which


@kernel
def fresh_metric(work, scale):
    """H = scale · diag(SCALE) inside the constraints that are held, N anew; returns the number of active rows.

    Equalities come first, then the other active rows, then the ranges, each unless it depends on those before: an
    equality that leans on a range would be lost when the range is let go.
    """
    H = work.metric
    side = work.vector[SIDE]
    wish = work.vector[WISH]
    n = H.shape[0]
    rows = work.row.shape[1]
    for i in range(n):
        for j in range(n):
            H[i, j] = 0.0
        wish[i] = side[i]
        if rows > 0 and side[i] != EQUAL:
            side[i] = FREE
        if side[i] == FREE:
            H[i, i] = scale * work.vector[SCALE, i]
    if rows == 0:
        return 0
    count = 0
    for kind in range(2):
        for r in range(rows):
            s = work.row[ROW_SIDE, r]
            if s == FREE or (s == EQUAL) != (kind == 0):
                continue
            if hold_row(work, count, r, s):
                count += 1
            elif s != EQUAL:
                work.row[ROW_SIDE, r] = FREE
    for i in range(n):
        if wish[i] != FREE and wish[i] != EQUAL:
            hold_bound(work, count, i, wish[i])
    return count
