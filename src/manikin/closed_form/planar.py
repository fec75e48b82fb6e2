"""Chains of two and three links in a plane, in closed form.

Angles are relative, right-handed: the first from the x axis, each other from the link before. With the end at (x, y),
r² = x² + y² and a link pair l1, l2, the bend is ±2·atan2(√(S²−r²), √(r²−D²)) with S = l1 + l2, D = l1 − l2, which loses
no digits stretched or folded; the first angle is that of the target less that of the bent pair. A third link with a
given heading θ1 + θ2 + θ3 leaves the pair a target of its own.
"""

from __future__ import annotations

from math import atan2, cos, inf, pi, sin, sqrt

import numpy as np

from manikin.errors import SolveError

# The distance may be this part of the chain's length beyond its reach by rounding.
_EDGE = 1e-12


def two_links(
    l1: float,
    l2: float,
    target: tuple[float, float],
    limits: list[tuple[float, float]] | None = None,
    near: tuple[float, float] = (0.0, 0.0),
) -> np.ndarray:
    """All solutions (k, 2) that bring the end to `target`; none beyond reach, one where stretched or folded.

    limits: the ranges of the two angles; an angle is taken a whole turn further where only that is inside.
    near: the first angle where it does not matter, and which whole turn is preferred.
    """
    _check(l1, l2)
    x, y = target
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
    lengths: tuple[float, float, float],
    target: tuple[float, float],
    heading: float,
    limits: list[tuple[float, float]] | None = None,
    near: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> np.ndarray:
    """All solutions (k, 3) that bring the end to `target` with the last link at `heading` from the x axis."""
    l1, l2, l3 = lengths
    _check(l1, l2, l3)
    wrist = (target[0] - l3 * cos(heading), target[1] - l3 * sin(heading))
    found: list[list[float]] = []
    for first, second in two_links(l1, l2, wrist, near=near[:2]):
        _keep(found, [first, second, heading - first - second], limits, near)
    return np.array(found).reshape(-1, 3)


def _check(*lengths: float) -> None:
    for length in lengths:
        if not 0.0 < length < inf:
            raise SolveError(f"planar chain: a link's length must be positive, got {length!r}")


def _keep(
    found: list[list[float]],
    angles: list[float],
    limits: list[tuple[float, float]] | None,
    near: tuple[float, ...],
) -> None:
    """Add the angles, each by whole turns within its range and nearest to `near`, unless they are there already."""
    row = []
    for k, angle in enumerate(angles):
        low, high = (-inf, inf) if limits is None else limits[k]
        x = angle + 2.0 * pi * round((near[k] - angle) / (2.0 * pi))
        inside = [
            x + 2.0 * pi * turn for turn in (0, -1, 1) if low - 1e-12 <= x + 2.0 * pi * turn <= high + 1e-12
        ]
        if not inside:
            return
        row.append(min(max(inside[0], low), high))
    if not any(max(abs(a - b) for a, b in zip(row, other, strict=True)) < 1e-9 for other in found):
        found.append(row)
