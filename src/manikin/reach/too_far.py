"""Proof that points are out of reach: they are farther from where the figure stands than its bones are long together,
or nearer than its longest bone is longer than all the others.

What `result.explain.reach` proves of one goal is proved here of a whole grid at once: of the points outside of a shell
about where a fixed figure's chain begins, or about each point that another goal holds.
"""

from __future__ import annotations

import math

import numpy as np

from manikin.problem.problem import Problem
from manikin.result.explain.reach import Spans

# A share of a distance, and metres, that rounding may be.
_ROUNDING = 1e-9


class TooFar:
    """The shells within which a site may be, under the goals of a problem but the first, which is the site's position.

    shells: of each its middle, and its inner and outer radius.
    """

    def __init__(self, problem: Problem, site: str) -> None:
        pose = problem.figure.pose(problem.q0)
        spans = Spans(problem.figure, np.asarray(problem.free), pose.q)
        length = problem.tolerance[0]
        self.shells: list[tuple[np.ndarray, float, float]] = []
        self._add(*spans.from_world(site), length)
        for goal in problem.goals[1:]:
            place = goal.place(pose)  # where a goal that is met holds its site
            if place is not None:  # each of two goals may be off by the tolerance
                self._add(np.array(place.point), *spans.between(goal.site, site), 2.0 * length)

    def _add(self, middle: np.ndarray, inner: float, outer: float, slack: float) -> None:
        slack += _ROUNDING * (1.0 + float(np.abs(middle).max()) + (outer if math.isfinite(outer) else 0.0))
        if outer < math.inf or inner > slack:
            self.shells.append((middle, inner - slack, outer + slack))

    def proved(self, points: np.ndarray) -> np.ndarray:
        """Which points (N, 3) no pose reaches that meets the other goals, (N,)."""
        found = np.zeros(len(points), bool)
        for middle, inner, outer in self.shells:
            away = np.linalg.norm(points - middle, axis=1)
            found |= (away > outer) | (away < inner)
        return found
