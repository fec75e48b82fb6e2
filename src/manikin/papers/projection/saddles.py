"""Stationary points that are no minima: a straight limb, a frame turned by 180°, an aim exactly backwards.

The report stops at any Kuhn-Tucker point. There the slope is zero, and a way down, if there is one, is a direction of
negative curvature over what is free and what is on a limit with a zero multiplier, which may move inwards: a
straight knee bends. There are at least two such ways, alike to first order, and which is taken decides where the
method ends; so they are listed, the most strongly curved first.
"""

from __future__ import annotations

import numpy as np

from manikin.papers.least_squares import null_space
from manikin.papers.projection.descent import TOUCH, Descent

#: A direction, its largest entry 1, and the curvature of P along it.
Way = tuple[np.ndarray, float]

# Curvature less negative than this, of the largest, counts as zero.
_FLAT = 1e-6
# How many curvatures, from the most negative on, are looked along.
_CURVATURES = 3
# Before the next constraint, for a way to be open (radians or metres).
_ROOM = 1e-6
# A coordinate takes part in a direction with at least this.
_PART = 0.2
# Lengths that are tried along a way, each a share of the one before.
_TRIALS, _SHORTER = 25, 0.3


def ways_out(descent: Descent, *, at_start: bool = False) -> list[Way]:
    """Ways down from where a descent stands, whose slope is zero.

    at_start: where it is not, only those that the slope does not see, and that move a weakly held coordinate off its
        limit: a straight knee that bends before the body gives way.
    """
    constraints, x, g = descent.constraints, descent.x, descent.g
    alpha = descent.active.multipliers(g)
    held = np.zeros(len(constraints.ends), bool)
    held[: constraints.equalities] = True
    for i, multiplier in zip(descent.active.which, alpha, strict=True):
        held[i] |= multiplier < -10.0 * descent.negligible()
    touched = constraints.room(x) <= TOUCH
    weak = touched & ~held
    if at_start and not weak.any():
        return []
    H = descent.total.hessian(x)
    rows = constraints.normals[held]
    if at_start:
        slope = g - rows.T @ np.linalg.lstsq(rows.T, g, rcond=None)[0] if len(rows) else g
        if np.linalg.norm(slope) > descent.negligible():
            rows = np.vstack([rows, slope / np.linalg.norm(slope)])
    found: list[Way] = []
    for direction in _curved_down(H, rows):
        for way in (direction, -direction):
            _add(found, descent, H, rows, weak, way)
    if not at_start:
        for direction in _curved_down(H, np.vstack([rows, constraints.normals[weak]])):
            for way in (direction, -direction):
                _add(found, descent, H, rows, weak, way)
        return found
    normals = constraints.normals[weak]
    return [way for way in found if np.abs(normals @ way[0]).max(initial=0.0) > _PART]


def _curved_down(H: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """Directions of the most negative curvatures along which the rows do not change."""
    N = null_space(rows)
    if not N.shape[1]:
        return []
    values, vectors = np.linalg.eigh(N.T @ H @ N)
    enough = -_FLAT * max(float(np.abs(H).max(initial=0.0)), 1e-300)
    down = [N @ v for value, v in zip(values[:_CURVATURES], vectors.T, strict=False) if value < enough]
    return [direction / np.abs(direction).max() for direction in down]


def _add(
    found: list[Way], descent: Descent, H: np.ndarray, rows: np.ndarray, weak: np.ndarray, way: np.ndarray
) -> None:
    """Add a way, made to fit the limits that it would leave at once, unless it is closed or there already."""
    normals = descent.constraints.normals
    outward = weak & (normals @ way > 1e-9)
    if outward.any():
        rows = np.vstack([rows, normals[outward]])
        for direction in _curved_down(H, rows)[:1]:
            sign = 1.0 if direction @ way >= 0.0 else -1.0
            _add(found, descent, H, rows, weak & ~outward, sign * direction)
        return
    slopes, room = normals @ way, descent.constraints.room(descent.x)
    ahead = slopes > 1e-9
    ahead[: descent.constraints.equalities] = False
    is_open = float((room[ahead] / slopes[ahead]).min(initial=np.inf)) > _ROOM
    is_new = all(np.abs(way - other).max() > 1e-3 for other, _ in found)
    curvature = float(way @ H @ way)
    if is_open and is_new and curvature < 0.0:
        found.append((way, curvature))


def departed(descent: Descent, x: np.ndarray, way: Way) -> np.ndarray | None:
    """A point along a way from x that is as much lower as the curvature promises; None if there is none."""
    direction, curvature = way
    descent.x = x
    descent.active.which, descent.active.inverse = [], np.zeros((0, 0))
    longest = descent.longest(direction)[0]
    P, view = descent.total(x)[0], descent.total.view
    gamma = min(1.0, longest)
    for _ in range(_TRIALS):
        moved = np.clip(x + gamma * direction, view.lower, view.upper)
        if descent.total(moved)[0] <= P + 0.5 * descent.chosen.delta[0] * gamma**2 * curvature:
            descent.iterations += 1
            return view.moved(moved)
        gamma *= _SHORTER
    return None
