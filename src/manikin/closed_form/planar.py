"""Chains of two and three links in a plane, in closed form.

Angles are relative, right-handed: the first from the x axis, each other from the link before. With the end at (x, y),
r² = x² + y² and a link pair l1, l2, the bend is ±2·atan2(√(S²−r²), √(r²−D²)) with S = l1 + l2, D = l1 − l2, which loses
no digits stretched or folded; the first angle is that of the target less that of the bent pair. A third link with a
given heading θ1 + θ2 + θ3 leaves the pair a target of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, ceil, cos, inf, isfinite, pi, sin, sqrt

import numpy as np

from manikin.errors import SolveError

# The distance may be this part of the chain's length beyond its reach by rounding.
_EDGE = 1e-12


def two_links(
    l1: float,
    l2: float,
    target: Sequence[float],
    limits: Sequence[tuple[float, float]] | None = None,
    near: Sequence[float] = (0.0, 0.0),
) -> np.ndarray:
    """All solutions (k, 2) that bring the end to `target`; none beyond reach, one where stretched or folded.

    limits: the ranges of the two angles; an angle is taken a whole turn further where only that is inside.
    near: the first angle where it does not matter, and which whole turn is preferred.
    """
    _check(l1, l2)
    x, y = _numbers(target, 2, "target")
    near = _numbers(near, 2, "near")
    limits = _ranges(limits, 2)
    r = sqrt(x * x + y * y)
    outer, inner = l1 + l2, abs(l1 - l2)
    if r > outer * (1.0 + _EDGE) or r < inner - outer * _EDGE:
        return np.empty((0, 2))
    open_part = sqrt(max(0.0, (r - inner) * (r + inner)))
    bend = 2.0 * atan2(sqrt(max(0.0, (outer - r) * (outer + r))), open_part)
    found: list[list[float]] = []
    for sign in (1.0, -1.0):
        second = sign * bend
        along, aside = l1 + l2 * cos(second), l2 * sin(second)
        first = atan2(y, x) - atan2(aside, along) if r > outer * _EDGE else near[0]
        _keep(found, [first, second], limits, near)
    return np.array(found).reshape(-1, 2)


def three_links(
    lengths: Sequence[float],
    target: Sequence[float],
    heading: float,
    limits: Sequence[tuple[float, float]] | None = None,
    near: Sequence[float] = (0.0, 0.0, 0.0),
) -> np.ndarray:
    """All solutions (k, 3) that bring the end to `target` with the last link at `heading` from the x axis."""
    l1, l2, l3 = _numbers(lengths, 3, "lengths")
    _check(l1, l2, l3)
    target, near = _numbers(target, 2, "target"), _numbers(near, 3, "near")
    (heading,) = _numbers((heading,), 1, "heading")
    limits = _ranges(limits, 3)
    wrist = (target[0] - l3 * cos(heading), target[1] - l3 * sin(heading))
    found: list[list[float]] = []
    for first, second in two_links(l1, l2, wrist, near=near[:2]):
        _keep(found, [first, second, heading - first - second], limits, near)
    return np.array(found).reshape(-1, 3)


def _check(*lengths: float) -> None:
    for length in _numbers(lengths, len(lengths), "a link's length"):
        if not length > 0.0:
            raise SolveError(f"planar chain: a link's length must be positive, got {length!r}")


def _numbers(given: Sequence[float], count: int, what: str) -> tuple[float, ...]:
    """So many finite numbers, or a SolveError that names the argument."""
    try:
        found = tuple(float(x) for x in given)
    except (TypeError, ValueError):
        found = ()
    if len(found) != count or not all(map(isfinite, found)):
        raise SolveError(f"planar chain: {what} must be {count} finite numbers, got {given!r}")
    return found


def _ranges(limits: Sequence[tuple[float, float]] | None, count: int) -> list[tuple[float, float]] | None:
    """So many ranges, each (low, high) with low ≤ high, either end infinite where it is open; or a SolveError."""
    if limits is None:
        return None
    try:
        found = [(float(low), float(high)) for low, high in limits]
    except (TypeError, ValueError):
        found = []
    if len(found) != count or not all(low <= high for low, high in found):
        raise SolveError(
            f"planar chain: limits must be {count} ranges (low, high) with low ≤ high, got {limits!r}"
        )
    return found


def _keep(
    found: list[list[float]],
    angles: list[float],
    limits: Sequence[tuple[float, float]] | None,
    near: Sequence[float],
) -> None:
    """Add the angles, each by whole turns within its range and nearest to `near`, unless they are there already."""
    row = []
    for k, angle in enumerate(angles):
        low, high = (-inf, inf) if limits is None else limits[k]
        x = angle + 2.0 * pi * round((near[k] - angle) / (2.0 * pi))
        if x < low - 1e-12:
            x += 2.0 * pi * ceil((low - 1e-12 - x) / (2.0 * pi))
        elif x > high + 1e-12:
            x -= 2.0 * pi * ceil((x - high - 1e-12) / (2.0 * pi))
        if not low - 1e-12 <= x <= high + 1e-12:
            return
        row.append(min(max(x, low), high))
    if not any(max(abs(_apart(a, b)) for a, b in zip(row, other, strict=True)) < 1e-9 for other in found):
        found.append(row)


def _apart(one: float, other: float) -> float:
    """The difference of two angles less whole turns: π and −π are one."""
    return one - other - 2.0 * pi * round((one - other) / (2.0 * pi))
