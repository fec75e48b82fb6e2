"""What is missed is asked again: proved to be out of reach, or searched for from several postures.

A search that ends away from its target says nothing of the target. So a point that is missed is first held against the
figure's length (`too_far`): farther from where the figure stands than its bones are long together, it is proved to be
out of reach. Otherwise it is searched for from further postures and by whole solves; where these miss it
too, it is not found, which is no proof. What becomes of a point depends on that point alone, not on which others are
asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.engines.batch.repeated import Repeated
from manikin.engines.raw import POSITION
from manikin.errors import ManikinError
from manikin.figure import Figure
from manikin.figure.human.presets import preset
from manikin.problem.problem import Problem
from manikin.reach.grid import MISSED, PROVED, REACHED
from manikin.reach.too_far import TooFar

#: Postures of a person that searches begin in, those that found the most of what was missed from the start first: of 91
#: points that a person with pinned feet missed, 58 of them wrongly, these find 46, whole solves the rest.
_POSTURES = ("reach", "sit", "lift", "kneel", "squat")
#: Further starts of the searches from the problem's own start.
_RESTARTS = 8


class Again:
    """Asks again for points of a site, the first goal's, under the other goals of a problem; pins mean its start.

    whole: further starts of each whole solve: of those 91 points none finds 52, two find 54, for three times the time.
    """

    def __init__(self, problem: Problem, site: str, threads: int | None = None, *, whole: int = 2) -> None:
        self._problem, self._threads, self._whole = problem, threads, whole
        self._postures = postures(problem)
        self.too_far = TooFar(problem, site)

    def outcome(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of points (N, 3) that were missed: `REACHED`, `PROVED` (out of reach) or `MISSED` (not found), (N,); the best
        pose of each, (N, n), and how far it stays away, metres; infinite of those that are proved."""
        state = np.where(self.too_far.proved(points), PROVED, MISSED).astype(np.int8)
        q = np.repeat(np.array(self._problem.q0)[None], len(points), axis=0)
        miss = np.full(len(points), np.inf)
        left = np.flatnonzero(state == MISSED)
        for start in self._postures:
            if not len(left):
                break
            further = _RESTARTS if start is self._postures[0] else 0
            with Repeated(self._problem.spec, restarts=further, threads=self._threads) as repeated:
                found = repeated.solve(points[left], np.repeat(start[None], len(left), axis=0))
            self._better(left, found.q, found.errors[:, 0, POSITION], found.reached, q, miss, state)
            left = left[~found.reached]
        for k in left.tolist():
            one = self._problem.solve(targets=self._targets(points[k]), restarts=self._whole)
            self._better(
                np.array([k]), one.q[None], one.position_errors[:1], np.array([one.reached]), q, miss, state
            )
        return state, q, miss

    def _targets(self, point: np.ndarray) -> list[Any]:
        return [point, *[None] * (len(self._problem.goals) - 1)]

    @staticmethod
    def _better(
        index: np.ndarray,
        poses: np.ndarray,
        off: np.ndarray,
        reached: np.ndarray,
        q: np.ndarray,
        miss: np.ndarray,
        state: np.ndarray,
    ) -> None:
        """Take over the poses that are reached, or nearer than what was found before."""
        better = reached | (off < miss[index])
        q[index[better]], miss[index[better]] = poses[better], off[better]
        state[index[reached]] = REACHED


def postures(problem: Problem) -> list[np.ndarray]:
    """Values that searches begin at: the problem's start and, of a person, other postures of what may move, its root
    where it was."""
    figure, start = problem.figure, np.array(problem.q0)
    stays = ~np.asarray(problem.free)
    root = figure.joints.get("root")
    if root is not None:
        stays[[figure.index(axis.name) for axis in root.axes if axis.name in figure.dofs]] = True
    found = [start]
    for name in _POSTURES:
        q = _preset(figure, name)
        if q is not None:
            found.append(np.where(stays, start, q))
    return found


def _preset(figure: Figure, name: str) -> np.ndarray | None:
    try:
        return np.array(preset(figure, name).q)
    except ManikinError:
        return None
