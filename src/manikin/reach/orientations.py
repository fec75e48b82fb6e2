"""Goal spaces with orientation: which share of all orientations a site can have, at each of some points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.goals import Goal, Placement
from manikin.problem.many import solve_many

# Super-Fibonacci spirals (Alexa 2022): quaternions evenly spread, each known by its number.
_PHI, _PSI = np.sqrt(2.0), 1.533751168755204288118041


@dataclass(frozen=True, eq=False)
class GoalSpace:
    """points (count, 3); rotations (m, 3, 3); reached (count, m): whether the site is at the point and turned so."""

    site: str
    points: np.ndarray
    rotations: np.ndarray
    reached: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """Of each point the share of orientations."""
        return self.reached.mean(axis=1)

    def __repr__(self) -> str:
        return f"GoalSpace({self.site}, {len(self.points)} points, {100.0 * self.reached.mean():.1f} % of orientations)"


def spread_rotations(count: int) -> np.ndarray:
    """So many rotations, evenly spread over all there are, (count, 3, 3)."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise SolveError(f"rotations: a number of them is wanted, at least 1, got {count!r}")
    s = np.arange(count) + 0.5
    r, big = np.sqrt(s / count), np.sqrt(1.0 - s / count)
    alpha, beta = 2.0 * np.pi * s / _PHI, 2.0 * np.pi * s / _PSI
    x, y, z, w = r * np.sin(alpha), r * np.cos(alpha), big * np.sin(beta), big * np.cos(beta)
    return np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        2,
        0,
    )


def goal_space(
    figure: Figure | Pose,
    site: str,
    points: Any,
    *,
    rotations: int | np.ndarray = 60,
    goals: Sequence[Goal] = (),
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    tolerance: tuple[float, float] = (1e-3, 1e-2),
    threads: int | None = None,
) -> GoalSpace:
    """Which orientations a site can have at points, (count, 3).

    rotations: how many, evenly spread, or (m, 3, 3) of one's own. goals: what holds besides. Each is solved for from
    the pose given, or from rest, and from further starts; what none of them reaches counts as out of reach.
    """
    places = np.asarray(points, dtype=float)
    if places.ndim != 2 or places.shape[1] != 3 or not np.isfinite(places).all():
        raise SolveError(
            f"goal_space: points are wanted, (count, 3) finite numbers, got shape {places.shape}"
        )
    turns = (
        spread_rotations(rotations)
        if isinstance(rotations, (int, np.integer))
        else np.asarray(rotations, float)
    )
    frames = np.tile(np.eye(4), (len(places), len(turns), 1, 1))
    frames[..., :3, 3] = places[:, None, :]
    frames[..., :3, :3] = turns
    flat = frames.reshape(-1, 4, 4)
    wanted = Placement(site, [0.0, 0.0, 0.0], np.eye(3))
    found = solve_many(
        figure,
        [wanted, *goals],
        targets=[flat, *[None] * len(goals)] if goals else flat,
        free=free,
        fixed=fixed,
        tolerance=tolerance,
        multistart=False,
        threads=threads,
    )
    return GoalSpace(site, places, turns, found.reached.reshape(len(places), len(turns)))
