"""Regular grids of points, and how what is reached grows over one from neighbour to neighbour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import SolveError

#: How a point stands: not asked, reached, asked without success, proved to be out of reach.
UNKNOWN, REACHED, MISSED, PROVED = 0, 1, 2, 3
#: Points of the largest grid.
MOST_POINTS = 100_000_000
# Starts that a point is tried from: poses of neighbours, as these become known.
TRIES = 2
_SIDES = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])
_AROUND = np.array([step for step in np.ndindex(3, 3, 3) if step != (1, 1, 1)]) - 1


@dataclass(frozen=True)
class Grid:
    """Points origin + pitch · (i, j, k), 0 ≤ i, j, k < shape, in metres."""

    origin: tuple[float, float, float]
    pitch: float
    shape: tuple[int, int, int]

    @classmethod
    def box(cls, low: Any, high: Any, pitch: float) -> Grid:
        """The points of multiples of `pitch` inside a box."""
        first, last = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        if (
            first.shape != (3,)
            or last.shape != (3,)
            or not np.isfinite([first, last]).all()
            or (last < first).any()
        ):
            raise SolveError(
                f"grid: two corners of a box are wanted, the lower first, got {low!r} and {high!r}"
            )
        if not (isinstance(pitch, (int, float)) and 0.0 < pitch < np.inf):
            raise SolveError(f"grid: the pitch must be metres above 0, got {pitch!r}")
        with np.errstate(over="ignore"):
            from_ = np.ceil(first / pitch - 1e-9)
        with np.errstate(over="ignore", invalid="ignore"):
            many = np.maximum(np.floor(last / pitch + 1e-9) - from_ + 1, 1)
            if not many.prod() <= MOST_POINTS:
                raise SolveError(
                    f"grid: {many.prod():,.0f} points are too many; choose a larger pitch than {pitch:g} m"
                )
        count = many.astype(int)
        return cls(tuple((from_ * pitch).tolist()), float(pitch), tuple(count.tolist()))

    @property
    def size(self) -> int:
        """Number of points."""
        return int(np.prod(self.shape))

    @property
    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The coordinates along x, y and z."""
        x, y, z = (o + self.pitch * np.arange(n) for o, n in zip(self.origin, self.shape, strict=True))
        return x, y, z

    def places(self, index: np.ndarray) -> np.ndarray:
        """Points by their flat index, (count, 3)."""
        where = np.stack(np.unravel_index(index, self.shape), axis=-1)
        return np.array(self.origin) + self.pitch * where

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """Flat index of the nearest point of the grid; −1 for what is outside."""
        where = np.rint((np.asarray(points) - self.origin) / self.pitch).astype(np.int64)
        inside = ((where >= 0) & (where < self.shape)).all(axis=-1)
        flat = np.ravel_multi_index(
            tuple(np.clip(where[..., c], 0, self.shape[c] - 1) for c in range(3)), self.shape
        )
        return np.where(inside, flat, -1)

    def neighbours(self, index: np.ndarray, *, around: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours of some points, along the axes or all 26: their indices, and of which place in ``index`` each
        is.
        """
        where = np.stack(np.unravel_index(index, self.shape), axis=-1)
        beside = where[:, None, :] + (_AROUND if around else _SIDES)
        inside = ((beside >= 0) & (beside < self.shape)).all(axis=-1)
        of, side = np.nonzero(inside)
        flat = np.ravel_multi_index(tuple(beside[of, side, c] for c in range(3)), self.shape)
        return flat, of


#: ``solve(places, starts)``: coordinates, whether each is reached, the miss in metres.
Solve = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
#: ``found(index, q, reached)``: poses of points that were asked just now, by their flat index.
Found = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


def grow(
    grid: Grid,
    solve: Solve,
    index: np.ndarray,
    poses: np.ndarray,
    state: np.ndarray,
    miss: np.ndarray,
    found: Found | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Ask of every neighbour of a reached point whether it is reached too, from that point's pose, until none is left.

    index, poses: points that are reached, and how. state, miss: of all points, flat; written. A point that is missed is
    asked again when another neighbour of it is reached, `TRIES` times in all, and those of all 26 neighbours of a
    reached
    one once more in the end. Points that no reached one is next to are not asked. The order is fixed, so that the
    outcome does not depend on threads.
    """
    tries = np.zeros(grid.size, np.int8)
    edge: list[tuple[np.ndarray, np.ndarray]] = []
    last = False
    while True:
        if not len(index):
            if last or not edge:
                return
            # Nothing grows any more: once around every point that has a missed neighbour.
            index, poses = (np.concatenate(part) for part in zip(*edge, strict=True))
            edge, last = [], True
        beside, of = grid.neighbours(index, around=last)
        open_ = (state[beside] != REACHED) & (tries[beside] < (TRIES + 1 if last else TRIES))
        asked, first = np.unique(beside[open_], return_index=True)
        if len(asked):
            tries[asked] += 1
            q, reached, missed = solve(grid.places(asked), poses[of[open_][first]])
            state[asked] = np.where(reached, REACHED, MISSED)
            miss[asked] = np.where(tries[asked] == 1, missed, np.minimum(miss[asked], missed))
            if found is not None:
                found(asked, q, reached)
        if not last:
            at_edge = np.unique(of[state[beside] == MISSED])
            if len(at_edge):
                edge.append((index[at_edge], poses[at_edge]))
        if not len(asked):
            index = asked
            continue
        index, poses = asked[reached], q[reached]
        last = last and not len(index)
        if progress is not None:
            progress(int((state != UNKNOWN).sum()), grid.size)
