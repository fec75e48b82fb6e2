"""Ways to leave a saddle: a straight leg, a frame turned by 180°, an aim exactly backwards.

At such a point the slope is zero but some curvature is negative, so there are ways down, at least two and all alike
to first order. Which one is taken decides where the search ends: a knee bends one way only, and an ankle bent the
wrong way may leave it straight. So the ways are listed, the most strongly curved first, and the search tries the
next when one ends short of the goals.
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.memory.state import ACTIVE_ROWS
from manikin.kernels.projection.active_set import ACTIVE, LOWER, MARK, STEP, UPPER, G, X
from manikin.kernels.projection.escape import FLAT, HELD, INSIDE, WEAK
from manikin.kernels.projection.solve import depart
from manikin.solvers.pack.packing import Packed

# How many curvatures, from the most negative on, are looked along.
_CURVATURES = 3
# A direction without this much room before a range (its largest entry being 1) is closed.
_ROOM = 1e-6
# A coordinate takes part in a direction with at least this, the largest being 1.
_PART = 0.2


def ways_out(packed: Packed, *, at_start: bool = False) -> list[tuple[np.ndarray, float]]:
    """Directions of negative curvature with room to go, and their curvatures; the most promising first.

    ``at_start``, where the slope is not zero, only those that the slope does not see and that move a coordinate off its
    range: a straight knee that bends before the body gives way.
    """
    work = packed.sections.work
    hessian = work.curve[0]
    mark = work.vector[MARK]
    active = work.row[ACTIVE, : int(work.state[ACTIVE_ROWS])].astype(int)
    rows = work.rows[active]
    found: list[tuple[np.ndarray, float]] = []
    if at_start:
        slope = np.where(mark != HELD, work.vector[G], 0.0)
        length = np.linalg.norm(slope)
        if length > 0.0:
            rows = np.vstack([rows, slope / length])
        for direction in _curved_down(work.curve[0], rows, mark != HELD):
            for way in (direction, -direction):
                _add(found, way, packed, rows, mark != HELD)
        return [way for way in found if np.abs(way[0][mark == WEAK]).max(initial=0.0) > _PART]
    for movable in (mark != HELD, mark == INSIDE):
        for direction in _curved_down(hessian, rows, movable):
            for way in (direction, -direction):
                _add(found, way, packed, rows, movable)
    return found


def _curved_down(hessian: np.ndarray, rows: np.ndarray, movable: np.ndarray) -> list[np.ndarray]:
    """Directions of the most negative curvatures over the movable coordinates, inside the rows."""
    places = np.flatnonzero(movable)
    if not len(places):
        return []
    within = np.eye(len(places))
    if len(rows):
        _, size, basis = np.linalg.svd(rows[:, places])
        within = basis[np.count_nonzero(size > 1e-9) :].T
    if not within.shape[1]:
        return []
    inside = hessian[np.ix_(places, places)]
    values, vectors = np.linalg.eigh(within.T @ inside @ within)
    directions = []
    for value, vector in zip(values[:_CURVATURES], vectors.T, strict=False):
        if value < -0.5 * FLAT * np.abs(inside).max():
            full = np.zeros(len(movable))
            full[places] = within @ vector
            directions.append(full / np.abs(full).max())
    return directions


def _add(
    found: list[tuple[np.ndarray, float]],
    way: np.ndarray,
    packed: Packed,
    rows: np.ndarray,
    movable: np.ndarray,
) -> None:
    """Add a way, made to fit the ranges that it would leave at once, unless it is closed or there already."""
    work = packed.sections.work
    vector = work.vector
    outward = (vector[MARK] == WEAK) & (
        ((vector[X] >= vector[UPPER] - 1e-12) & (way > 1e-9))
        | ((vector[X] <= vector[LOWER] + 1e-12) & (way < -1e-9))
    )
    if outward.any():
        for direction in _curved_down(work.curve[0], rows, movable & ~outward)[:1]:
            sign = 1.0 if direction @ way >= 0.0 else -1.0
            _add(found, sign * direction, packed, rows, movable & ~outward)
        return
    curvature = float(way @ work.curve[0] @ way)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(way > 0.0, vector[UPPER] - vector[X], vector[X] - vector[LOWER]) / np.abs(way)
    open_way = np.min(room[np.abs(way) > 1e-9], initial=np.inf) > _ROOM
    new = all(np.abs(way - other).max() > 1e-3 for other, _ in found)
    if open_way and new and curvature < 0.0:
        downhill = way @ vector[G] <= 0.0
        place = len(found) if not downhill or not found or found[-1][0] @ vector[G] <= 0.0 else len(found) - 1
        found.insert(place, (way, curvature))


def set_out(packed: Packed, way: tuple[np.ndarray, float]) -> None:
    """Have the search go on along this way."""
    direction, curvature = way
    packed.sections.work.vector[STEP] = direction
    depart(packed.structure, packed.workspace, curvature)
