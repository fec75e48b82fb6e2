"""A small quadratic program, by the dual method of Goldfarb and Idnani (1983).

    min ½ dᵀHd + bᵀd   such that   lower ≤ d ≤ upper  and  low ≤ A d ≤ high,    H positive definite

Begin at the unconstrained minimum, take up the equalities, then one violated constraint after another, the worst
first, letting go of those whose multiplier would turn negative on the way. With N the normals that are held, H = LLᵀ
and L⁻¹N = QR,

    J = L⁻ᵀQ, Jᵀn = (d₁, d₂),   z = J₂ d₂ (the way that keeps N),   r = R⁻¹ d₁ (how the multipliers give way)

J is kept by columns (a row of ``turned`` is a column of J), so that every loop runs along memory. A constraint is
numbered by its coordinate, or n + its row.
"""

from __future__ import annotations

import math
from collections import namedtuple

from manikin.kernels.jit import kernel

Quadratic = namedtuple("Quadratic", "turned triangle normal way along give multiplier held side place")
"""Workspace: ``turned`` and ``triangle`` n × n, the others n + 1 long but ``place``, one a constraint."""

SOLVED, CONTRADICTORY, TIRED = range(3)

# Of the square of a normal (in the metric H⁻¹), what is left of it in a step when it says nothing new.
_DEPENDENT = 1e-13
_NEVER = math.inf


@kernel
def factor(H, turned):
    """The columns of L⁻ᵀ into ``turned``, H = LLᵀ (H's lower triangle becomes L); False when H is not safely
    positive definite."""
    n = H.shape[0]
    largest = 0.0
    for j in range(n):
        largest = max(largest, H[j, j])
    for j in range(n):
        row = H[j]
        for k in range(j):
            other = H[k]
            s = row[k]
            for i in range(k):
                s -= row[i] * other[i]
            row[k] = s / other[k]
        s = row[j]
        for i in range(j):
            s -= row[i] * row[i]
        if not s > 1e-14 * largest:
            return False
        row[j] = math.sqrt(s)
    invert(H, turned)
    return True


@kernel
def invert(L, turned):
    """The columns of L⁻ᵀ into ``turned``, L a lower triangle.

    Column j of L⁻ᵀ is row j of L⁻¹ = (e_j − Σ_{k<j} L[j,k] row k of L⁻¹)/L[j,j].
    """
    n = L.shape[0]
    for j in range(n):
        x = turned[j]
        for i in range(n):
            x[i] = 0.0
        x[j] = 1.0 / L[j, j]
        for k in range(j):
            f = -L[j, k] * x[j]
            other = turned[k]
            for i in range(k + 1):
                x[i] += f * other[i]


@kernel
def identity(turned):
    """The factor of H = I."""
    n = turned.shape[0]
    for j in range(n):
        for i in range(n):
            turned[j, i] = 0.0
        turned[j, j] = 1.0


@kernel
def _set_normal(A, which, side, normal):
    n = A.shape[1]
    if which < n:
        for i in range(n):
            normal[i] = 0.0
        normal[which] = side
    else:
        row = A[which - n]
        for i in range(n):
            normal[i] = side * row[i]


@kernel
def _project(qp, which, side, count):
    """Jᵀn into ``along``, z into ``way``, r into ``give``; returns z·n (= ‖d₂‖²) and ‖d‖²."""
    turned = qp.turned
    n = turned.shape[0]
    along = qp.along
    way = qp.way
    for i in range(n):
        way[i] = 0.0
    total = 0.0
    new = 0.0
    for j in range(n):
        column = turned[j]
        if which < n:
            s = side * column[which]
        else:
            s = 0.0
            for i in range(n):
                s += column[i] * qp.normal[i]
        along[j] = s
        total += s * s
        if j >= count:
            new += s * s
            for i in range(n):
                way[i] += s * column[i]
    for p in range(count - 1, -1, -1):
        s = along[p]
        for k in range(p + 1, count):
            s -= qp.triangle[p, k] * qp.give[k]
        qp.give[p] = s / qp.triangle[p, p]
    return new, total


@kernel
def _rotate(a, b, c, s):
    for i in range(a.shape[0]):
        u = a[i]
        v = b[i]
        a[i] = c * u + s * v
        b[i] = c * v - s * u


@kernel
def _take_up(qp, which, side, count):
    """Hold one constraint more, whose Jᵀn is in ``along``: turn its second part onto the first of its axes."""
    n = qp.turned.shape[0]
    along = qp.along
    for j in range(n - 1, count, -1):
        u = along[j - 1]
        v = along[j]
        length = math.sqrt(u * u + v * v)
        if v == 0.0 or length == 0.0:  # also where both are so small that their squares are none
            continue
        _rotate(qp.turned[j - 1], qp.turned[j], u / length, v / length)
        along[j - 1] = length
        along[j] = 0.0
    for p in range(count + 1):
        qp.triangle[p, count] = along[p]
    qp.held[count] = which
    qp.side[count] = side
    qp.place[which] = count + 1.0


@kernel
def _let_go(qp, gone, count):
    """Let go of the constraint at this place; the others move up."""
    qp.place[int(qp.held[gone])] = 0.0
    for p in range(gone, count - 1):
        qp.held[p] = qp.held[p + 1]
        qp.side[p] = qp.side[p + 1]
        qp.multiplier[p] = qp.multiplier[p + 1]
        qp.place[int(qp.held[p])] = p + 1.0
        for k in range(p + 2):
            qp.triangle[k, p] = qp.triangle[k, p + 1]
        u = qp.triangle[p, p]
        v = qp.triangle[p + 1, p]
        length = math.sqrt(u * u + v * v)
        if length == 0.0:
            continue
        c = u / length
        s = v / length
        qp.triangle[p, p] = length
        qp.triangle[p + 1, p] = 0.0
        for k in range(p + 1, count - 1):
            # Columns still to be moved stand one to the right.
            a = qp.triangle[p, k + 1]
            b = qp.triangle[p + 1, k + 1]
            qp.triangle[p, k + 1] = c * a + s * b
            qp.triangle[p + 1, k + 1] = c * b - s * a
        _rotate(qp.turned[p], qp.turned[p + 1], c, s)


@kernel
def _outside(value, low, high):
    """How far outside its range, and the side of the normal that points back in."""
    if value < low:
        return low - value, 1.0
    if value > high:
        return value - high, -1.0
    return 0.0, 1.0


@kernel
def _row_value(A, r, d):
    row = A[r]
    s = 0.0
    for i in range(row.shape[0]):
        s += row[i] * d[i]
    return s


@kernel
def _worst(qp, A, low, high, rows, lower, upper, d, slack):
    """The constraint, not held, that d breaks most: (amount, which, side)."""
    n = d.shape[0]
    worst = slack
    which = -1
    side = 1.0
    for j in range(n):
        amount, back = _outside(d[j], lower[j], upper[j])
        if amount > worst and qp.place[j] == 0.0:
            worst = amount
            which = j
            side = back
    for r in range(rows):
        if qp.place[n + r] != 0.0:
            continue
        amount, back = _outside(_row_value(A, r, d), low[r], high[r])
        if amount > worst:
            worst = amount
            which = n + r
            side = back
    return worst, which, side


@kernel
def _first_to_give(qp, first, count):
    """Smallest step at which the multiplier of a held inequality (from place ``first`` on) is used up."""
    shortest = _NEVER
    gone = -1
    for p in range(first, count):
        if qp.give[p] > 0.0 and qp.multiplier[p] < shortest * qp.give[p]:
            shortest = qp.multiplier[p] / qp.give[p]
            gone = p
    return shortest, gone


@kernel
def _equalities(qp, A, low, high, rows, lower, upper, d, dependent):
    """Hold every equality, but those that the ones before imply; returns how many."""
    n = d.shape[0]
    count = 0
    for c in range(n + rows):
        if c < n:
            if lower[c] != upper[c]:
                continue
            amount = lower[c] - d[c]
        else:
            r = c - n
            if low[r] != high[r]:
                continue
            amount = low[r] - _row_value(A, r, d)
        _set_normal(A, c, 1.0, qp.normal)
        new, total = _project(qp, c, 1.0, count)
        if count == n or new <= dependent * total or total == 0.0:
            qp.place[c] = -1.0
            continue
        step = amount / new
        for i in range(n):
            d[i] += step * qp.way[i]
        for p in range(count):
            qp.multiplier[p] -= step * qp.give[p]
        qp.multiplier[count] = step
        _take_up(qp, c, 1.0, count)
        count += 1
    return count


@kernel
def _settle(qp, A, low, high, lower, upper, d, count, slack):
    """Take out of d what rounding left of the held constraints; True when one was off by more than ``slack``.

    With c what N d misses of their ends, d − J₁ R⁻ᵀ c keeps them all, by the shortest way.
    """
    n = d.shape[0]
    worst = 0.0
    for p in range(count):
        which = int(qp.held[p])
        below = qp.side[p] > 0.0
        if which < n:
            off = d[which] - (lower[which] if below else upper[which])
        else:
            r = which - n
            off = _row_value(A, r, d) - (low[r] if below else high[r])
        worst = max(worst, abs(off))
        s = off * qp.side[p]
        for k in range(p):
            s -= qp.triangle[k, p] * qp.along[k]
        qp.along[p] = s / qp.triangle[p, p]
    if worst <= slack:
        return False
    for p in range(count):
        column = qp.turned[p]
        for i in range(n):
            d[i] -= qp.along[p] * column[i]
    return True


@kernel
def minimise(qp, b, A, low, high, rows, lower, upper, d, slack):
    """Solve into d; ``qp.turned`` holds L⁻ᵀ by columns. Returns (SOLVED … , how many constraints are held).

    ``slack``: violations up to this are none. The multipliers (of ½dᵀHd + bᵀd, ≥ 0 for inequalities with the normal
    ``side``) and what is held stay in ``qp``. Equalities that those before them imply are left out (place −1).
    """
    n = d.shape[0]
    for i in range(n):
        d[i] = 0.0
    for j in range(n):
        column = qp.turned[j]
        s = 0.0
        for i in range(n):
            s += column[i] * b[i]
        for i in range(n):
            d[i] -= s * column[i]
    return bring_in(qp, A, low, high, rows, lower, upper, d, slack, _DEPENDENT)


@kernel
def bring_in(qp, A, low, high, rows, lower, upper, d, slack, dependent):
    """As `minimise`, d being the minimum without constraints: to the point nearest to it, in the metric H, that keeps
    them all.

    ``dependent``: of the square of a normal, what is left of it when the held ones imply it. Nothing is called
    contradictory before the rounding of what is held has been taken out of d.
    """
    n = d.shape[0]
    for c in range(n + rows):
        qp.place[c] = 0.0
    first = _equalities(qp, A, low, high, rows, lower, upper, d, dependent)
    count = first
    settled = False
    for _ in range(20 * (n + rows) + 20):
        amount, which, side = _worst(qp, A, low, high, rows, lower, upper, d, slack)
        if which < 0:
            if settled or not _settle(qp, A, low, high, lower, upper, d, count, slack):
                return SOLVED, count
            settled = True
            continue
        _set_normal(A, which, side, qp.normal)
        taken = 0.0
        while True:
            new, total = _project(qp, which, side, count)
            is_open = count < n and new > dependent * total and new > 0.0
            t_dual, gone = _first_to_give(qp, first, count)
            t_primal = amount / new if is_open else _NEVER
            t = min(t_dual, t_primal)
            if t == _NEVER:
                if settled or not _settle(qp, A, low, high, lower, upper, d, count, 0.0):
                    return CONTRADICTORY, count
                settled = True
                break
            for p in range(count):
                qp.multiplier[p] -= t * qp.give[p]
            taken += t
            if is_open:
                for i in range(n):
                    d[i] += t * qp.way[i]
                amount -= t * new
            if is_open and t_primal <= t_dual:
                qp.multiplier[count] = taken
                _take_up(qp, which, side, count)
                count += 1
                settled = False
                break
            if gone < 0:  # nothing compares with a NaN
                return TIRED, count
            _let_go(qp, gone, count)
            count -= 1
    return TIRED, count
