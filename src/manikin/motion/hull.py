"""Pieces of a C² curve as Bézier curves of degree five, and keeping them inside convex limits between the keys.

Between two keys h seconds apart, with values p, velocities v and accelerations a at both, the piece has the control
points

    p₀,  p₀ + h v₀/5,  p₀ + 2h v₀/5 + h² a₀/20,  p₁ − 2h v₁/5 + h² a₁/20,  p₁ − h v₁/5,  p₁,

and stays inside their convex hull. Those of a key depend on its own v and a alone, and with v = a = 0 they are the key
itself: whatever convex set holds the keys, v and a can be made small enough, key by key, that the whole curve is inside
it, and it stays C².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_PIECES = 8


@dataclass(frozen=True, eq=False)
class Room:
    """What the columns of a curve have to stay in: ranges, sums in ranges, ellipses.

    lower, upper: (m,). rows: (c, m) with ends `low`, `high`, (c,). ellipses: pairs of columns, (e, 2), with the radii,
    (e, 2), about 0. equal: whether a row is an equality, (c,). groups: for each column the number of the group of
    columns that rows or ellipses tie together, −1 for none.
    """

    lower: np.ndarray
    upper: np.ndarray
    rows: np.ndarray
    low: np.ndarray
    high: np.ndarray
    pairs: np.ndarray
    radii: np.ndarray
    groups: np.ndarray


def groups_of(columns: int, ties: Sequence[Sequence[int]]) -> np.ndarray:
    """The number of the group of each column, where each tie's columns are in one; −1 for those in none."""
    group = np.full(columns, -1)
    for number, tie in enumerate(ties):
        merged = {int(group[k]) for k in tie} - {-1}
        for k in tie:
            group[k] = number
        for other in merged:
            group[group == other] = number
    return group


def controls(p: np.ndarray, v: np.ndarray, a: np.ndarray, h: np.ndarray) -> np.ndarray:
    """The control points of all pieces, (6, T − 1, m)."""
    step = h[:, None]
    one, two = step * v[:-1] / 5.0, step * v[1:] / 5.0
    first, second = step**2 * a[:-1] / 20.0, step**2 * a[1:] / 20.0
    return np.stack(
        [p[:-1], p[:-1] + one, p[:-1] + 2.0 * one + first, p[1:] - 2.0 * two + second, p[1:] - two, p[1:]]
    )


def _split() -> np.ndarray:
    """(pieces·6, 6): the control points of equal pieces of a curve, from its own (de Casteljau)."""
    found = [np.eye(6)]
    while len(found) < _PIECES:
        halves = []
        for net in found:
            rows, left, right = net, [net[0]], [net[-1]]
            while len(rows) > 1:
                rows = 0.5 * (rows[1:] + rows[:-1])
                left.append(rows[0])
                right.append(rows[-1])
            halves += [np.array(left), np.array(right[::-1])]
        found = halves
    return np.concatenate(found)


_SPLIT = _split()


def held_inside(
    p: np.ndarray, v: np.ndarray, a: np.ndarray, h: np.ndarray, room: Room
) -> tuple[np.ndarray, np.ndarray]:
    """v and a as near as found to those given with which the curve stays inside `room` wherever its keys do.

    Only keys next to a piece that leaves its room are changed. A key outside its room has it widened to hold the key.
    """
    if len(p) < 2:
        return v, a
    v, a = v.copy(), a.copy()
    bad = np.zeros(p.shape, bool)
    bounds = _bounds(p, room)
    whole_v, whole_a = v.copy(), a.copy()
    while True:
        leaves = _leaving(p, v, a, h, room, bounds)
        found = bad.copy()
        found[:-1] |= leaves
        found[1:] |= leaves
        if (found == bad).all():
            return v, a
        bad = found
        v, a = whole_v.copy(), whole_a.copy()
        _limit(p, v, a, h, room, bounds, bad)


@dataclass(frozen=True, eq=False)
class _Bounds:
    """Ranges and rows at each key, widened where the key is outside; how much the ellipses grow there."""

    lower: np.ndarray
    upper: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    grown: np.ndarray


def _bounds(p: np.ndarray, room: Room) -> _Bounds:
    value = p @ room.rows.T
    size = _sizes(p, room)
    return _Bounds(
        np.minimum(room.lower, p),
        np.maximum(room.upper, p),
        value,
        np.minimum(room.low, value),
        np.maximum(room.high, value),
        np.maximum(1.0, size),
    )


def _sizes(p: np.ndarray, room: Room) -> np.ndarray:
    """Of each ellipse, √((σ1/a)² + (σ2/b)²), (…, e)."""
    return np.sqrt(((p[..., room.pairs] / room.radii) ** 2).sum(axis=-1))


def _leaving(
    p: np.ndarray, v: np.ndarray, a: np.ndarray, h: np.ndarray, room: Room, bounds: _Bounds
) -> np.ndarray:
    """Which pieces may leave their room, by columns, (T − 1, m): those whose split control points do."""
    slack = 1e-12
    net = np.einsum("ij,jtm->itm", _SPLIT, controls(p, v, a, h))
    low, high = (
        np.minimum(bounds.lower[:-1], bounds.lower[1:]),
        np.maximum(bounds.upper[:-1], bounds.upper[1:]),
    )
    leaves = (net.min(axis=0) < low - slack) | (net.max(axis=0) > high + slack)
    tied = np.zeros_like(leaves)
    if len(room.rows):
        sums = net @ room.rows.T
        low, high = np.minimum(bounds.low[:-1], bounds.low[1:]), np.maximum(bounds.high[:-1], bounds.high[1:])
        out = (sums.min(axis=0) < low - slack) | (sums.max(axis=0) > high + slack)
        tied |= out @ (room.rows != 0.0)
        # Ranges of columns that equalities tie to others are kept by all of them together.
    if len(room.pairs):
        out = _sizes(net, room).max(axis=0) > np.maximum(bounds.grown[:-1], bounds.grown[1:]) + slack
        for e in range(len(room.pairs)):
            tied[:, room.pairs[e]] |= out[:, e : e + 1]
    for number in np.unique(room.groups[room.groups >= 0]):
        inside = room.groups == number
        tied[:, inside] |= (tied[:, inside] | leaves[:, inside]).any(axis=1, keepdims=True)
    return leaves | tied


def _limit(
    p: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    h: np.ndarray,
    room: Room,
    bounds: _Bounds,
    bad: np.ndarray,
) -> None:
    """Make v and a of the marked keys such that all their control points are inside."""
    before, after = np.concatenate([[np.inf], h])[:, None], np.concatenate([h, [np.inf]])[:, None]
    for _ in range(3):  # ranges and rows in turn; what is left is scaled away below
        new_v, new_a = _clipped(p, v, a, bounds.lower, bounds.upper, before, after)
        v[bad], a[bad] = new_v[bad], new_a[bad]
        for c, row in enumerate(room.rows):
            marked = bad[:, np.flatnonzero(row)[0]]
            one, two = v @ row, a @ row
            value, low, high = bounds.value[:, c], bounds.low[:, c], bounds.high[:, c]
            new_one, new_two = _clipped(value, one, two, low, high, before[:, 0], after[:, 0])
            direction = row / (row @ row)
            v += np.where(marked, new_one - one, 0.0)[:, None] * direction
            a += np.where(marked, new_two - two, 0.0)[:, None] * direction
    for number in np.unique(room.groups[room.groups >= 0]):
        inside = np.flatnonzero(room.groups == number)
        marked = bad[:, inside[0]]
        if not marked.any():
            continue
        _without_equalities(v, a, room, inside, marked)
        scale = np.where(marked, _share(p, v, a, before, after, room, bounds, inside), 1.0)[:, None]
        v[:, inside] *= scale
        a[:, inside] *= scale


def _without_equalities(
    v: np.ndarray, a: np.ndarray, room: Room, inside: np.ndarray, marked: np.ndarray
) -> None:
    """Take out of v and a what would change sums that have one value only."""
    fixed = np.flatnonzero((room.low == room.high) & (room.rows[:, inside] != 0.0).any(axis=1))
    if len(fixed) == 0:
        return
    rows = room.rows[np.ix_(fixed, inside)]
    free = np.eye(len(inside)) - np.linalg.pinv(rows) @ rows
    for x in (v, a):
        x[np.ix_(marked, inside)] = x[np.ix_(marked, inside)] @ free


def _clipped(
    p: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """v and a of single numbers p whose four control points are within ends, v first.

    The inner points bound a from both sides for a given v; that these bounds leave room for some a bounds v again.
    """
    down, up = lower - p, upper - p
    square_before, square_after = 1.0 / before**2, 1.0 / after**2
    both = 0.4 / before + 0.4 / after
    with np.errstate(invalid="ignore"):
        least = np.maximum(
            np.maximum(_times(5.0 / after, down, -1.0), _times(-5.0 / before, up, 1.0)),
            (_times(square_after, down, -1.0) - _times(square_before, up, 1.0)) / both,
        )
        most = np.minimum(
            np.minimum(_times(5.0 / after, up, 1.0), _times(-5.0 / before, down, -1.0)),
            (_times(square_after, up, 1.0) - _times(square_before, down, -1.0)) / both,
        )
    v = np.minimum(np.maximum(v, np.minimum(least, 0.0)), np.maximum(most, 0.0))
    low, high = np.full_like(v, -np.inf), np.full_like(v, np.inf)
    for step, sign in ((after, 1.0), (before, -1.0)):
        there = np.isfinite(step)
        h = np.where(there, step, 1.0)
        low = np.maximum(low, np.where(there, 20.0 * (down - 0.4 * sign * h * v) / h**2, -np.inf))
        high = np.minimum(high, np.where(there, 20.0 * (up - 0.4 * sign * h * v) / h**2, np.inf))
    return v, np.minimum(np.maximum(a, low), np.maximum(low, high))


def _times(factor: np.ndarray, way: np.ndarray, side: float) -> np.ndarray:
    """factor · way to an end on a side, 1 or −1; no bound at all where there is no piece (factor 0) or no end."""
    with np.errstate(invalid="ignore"):
        product = factor * way
    none = side * np.where(np.signbit(factor), -np.inf, np.inf)
    return np.where((factor == 0.0) | ~np.isfinite(way), none, product)


def _share(
    p: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    room: Room,
    bounds: _Bounds,
    inside: np.ndarray,
) -> np.ndarray:
    """The largest share of v and a, at most 1, with which a group's control points are inside, (T,)."""
    share = np.ones(len(p))
    rows = np.flatnonzero((room.rows[:, inside] != 0.0).any(axis=1))
    pairs = [e for e in range(len(room.pairs)) if room.pairs[e, 0] in inside]
    for step, sign in ((after, 1.0), (before, -1.0)):
        h = np.where(np.isfinite(step), step, 0.0)
        for move in (sign * h * v / 5.0, 2.0 * sign * h * v / 5.0 + h**2 * a / 20.0):
            part = move[:, inside]
            share = np.minimum(
                share,
                _fitting(
                    part, bounds.upper[:, inside] - p[:, inside], p[:, inside] - bounds.lower[:, inside]
                ),
            )
            sums = move @ room.rows[rows].T
            value = bounds.value[:, rows]
            share = np.minimum(
                share, _fitting(sums, bounds.high[:, rows] - value, value - bounds.low[:, rows])
            )
            for e in pairs:
                share = np.minimum(
                    share, _fitting_ellipse(p, move, room.pairs[e], room.radii[e], bounds.grown[:, e])
                )
    return share


def _fitting(move: np.ndarray, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """The largest s ≤ 1 with −down ≤ s·move ≤ up in all columns; rounding of 1e-15 does not count."""
    if move.shape[1] == 0:
        return np.ones(len(move))
    way = np.where(move > 0.0, up, down)
    size = np.abs(move)
    fits = size <= way + 1e-15
    return np.where(fits, 1.0, np.maximum(way, 0.0) / np.where(fits, 1.0, size)).min(axis=1)


def _fitting_ellipse(
    p: np.ndarray, move: np.ndarray, pair: np.ndarray, radii: np.ndarray, grown: np.ndarray
) -> np.ndarray:
    """The largest s ≤ 1 with |(p + s·move)/radii| ≤ grown: the positive root of a quadratic."""
    x, d = p[:, pair] / radii, move[:, pair] / radii
    dd, xd, rest = (d * d).sum(axis=1), (x * d).sum(axis=1), grown**2 - (x * x).sum(axis=1)
    safe = np.where(dd > 0.0, dd, 1.0)
    root = (-xd + np.sqrt(np.maximum(xd * xd + dd * np.maximum(rest, 0.0), 0.0))) / safe
    return np.where(dd > 0.0, np.clip(root, 0.0, 1.0), 1.0)
