"""What a study found: who reaches what, the share at each point with its interval, what decides, the best place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure.human.ansur import MEASURES
from manikin.reach.grid import PROVED, REACHED
from manikin.reach.task import Task

# Of the normal distribution: a 95 % interval.
_Z = 1.959963984540054


def wilson(successes: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of a share, after Wilson: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)."""
    share = successes / count
    middle = share + _Z**2 / (2.0 * count)
    half = _Z * np.sqrt(share * (1.0 - share) / count + _Z**2 / (4.0 * count**2))
    scale = 1.0 + _Z**2 / count
    return np.clip((middle - half) / scale, 0.0, 1.0), np.clip((middle + half) / scale, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Study:
    """What becomes of every point for every body.

    state: (bodies, points), `reach.grid.REACHED`, `PROVED` (out of reach, whatever the pose) or `MISSED` (not found,
    which is no proof). miss: metres that the best pose found stays away. computed: of each chunk how often it was
    computed.
    """

    task: Task
    state: np.ndarray
    miss: np.ndarray
    seconds: float
    computed: np.ndarray

    @property
    def points(self) -> np.ndarray:
        """The points, (count, 3)."""
        return self.task.points

    @cached_property
    def reached(self) -> np.ndarray:
        """(bodies, points): whether a pose was found that reaches the point."""
        found: np.ndarray = self.state == REACHED
        return found

    @cached_property
    def unreachable(self) -> np.ndarray:
        """(bodies, points): whether it is proved that none does."""
        found: np.ndarray = self.state == PROVED
        return found

    @cached_property
    def open(self) -> np.ndarray:
        """Of each point the share of people of whom neither is known: not found, and not proved to be out of reach."""
        return 1.0 - self.share - self.unreachable.mean(axis=0)

    @cached_property
    def share(self) -> np.ndarray:
        """Of each point the share of people who reach it."""
        return self.reached.mean(axis=0)

    @cached_property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Its 95 % interval, were the people drawn at random: the lower end as if all who were not found did not reach
        it, the upper as if they did."""
        count = len(self.state)
        low, _ = wilson(self.reached.sum(axis=0), count)
        _, high = wilson(count - self.unreachable.sum(axis=0), count)
        return low, high

    @cached_property
    def correlations(self) -> np.ndarray:
        """Between each measure's logarithm and whether a point is reached, (measures, points); 0 where all or none
        do.
        """
        logs = np.log(self.task.people.measures)
        spread = logs.std(axis=0)
        logs = (logs - logs.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
        off = self.reached - self.share
        deviation = off.std(axis=0)
        return (logs.T @ off) / len(off) / np.where(deviation > 0.0, deviation, 1.0)

    @cached_property
    def decides(self) -> list[str | None]:
        """Of each point the measure that goes with reaching it most closely; None where all or none reach it, or where
        chance gives as much to one of so many measures among so few people (once in twenty, after Fisher).
        """
        sizes = np.abs(self.correlations)
        chance = NormalDist().inv_cdf(1.0 - 0.025 / len(MEASURES))
        told = sizes.max(axis=0) > np.tanh(chance / np.sqrt(max(len(self.reached) - 3.0, 1e-9)))
        told &= (self.share > 0.0) & (self.share < 1.0)
        return [MEASURES[k] if yes else None for k, yes in zip(sizes.argmax(axis=0), told, strict=True)]

    def best(self, low: Any = None, high: Any = None) -> int:
        """The index of the best place for a lever within a box: most people reach it, and of equals they come
        nearest.
        """
        inside = np.ones(len(self.points), bool)
        if low is not None:
            inside &= (self.points >= np.asarray(low, dtype=float) - 1e-12).all(axis=1)
        if high is not None:
            inside &= (self.points <= np.asarray(high, dtype=float) + 1e-12).all(axis=1)
        if not inside.any():
            raise SolveError("study: there is no point in that region")
        middle = self.points[inside & (self.share >= self.share[inside].max() - 1e-12)].mean(axis=0)
        away = np.linalg.norm(self.points - middle, axis=1)
        order = np.lexsort((away, self.miss.mean(axis=0).round(6), -self.share))
        return int(next(k for k in order if inside[k]))

    def rows(self) -> list[dict[str, Any]]:
        """A row a point: where it is, the share with its interval, the share of whom neither is known, the mean miss of
        those who fail, what decides."""
        low, high = self.interval
        failed = ~self.reached
        mean = np.where(
            failed.any(axis=0), (self.miss * failed).sum(axis=0) / np.maximum(failed.sum(axis=0), 1), 0.0
        )
        return [
            {
                "point": self.points[k].tolist(),
                "share": float(self.share[k]),
                "interval": [float(low[k]), float(high[k])],
                "open": float(self.open[k]),
                "mean_miss": float(mean[k]),
                "decides": self.decides[k],
            }
            for k in range(len(self.points))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the single answers, as JSON can hold it."""
        place = self.best()
        overall = np.abs(self.correlations).mean(axis=1)
        return {
            "people": len(self.reached),
            "women": self.task.people.sexes.count("female"),
            "site": self.task.site,
            "posture": self.task.posture,
            "points": self.rows(),
            "best": {"index": place, "point": self.points[place].tolist(), "share": float(self.share[place])},
            "all_points": float(self.reached.all(axis=1).mean()),
            "decides": MEASURES[int(overall.argmax())] if any(self.decides) else None,
            "chunks": len(self.computed),
            "chunks_computed_twice": int((self.computed > 1).sum()),
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return (
            f"Study({len(self.reached)} people, {len(self.points)} points, "
            f"{100.0 * self.reached.mean():.1f} % reached, {100.0 * self.open.mean():.1f} % not found, "
            f"{self.seconds:.1f} s)"
        )
