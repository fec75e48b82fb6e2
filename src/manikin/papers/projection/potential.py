"""P(θ) = Σ wᵢ Pᵢ(θ) (2), its gradient (4) and its second derivatives.

Section 4 of the report assembles the gradient from one of each constraint chain, with maps from local to global
indices. Here a site's Jacobian has the derivatives (5) and (6) by all variables, zero for those off its chain, so
that (7) is a sum.
"""

from __future__ import annotations

import numpy as np

from manikin.goals import Potential
from manikin.goals.potential import moved
from manikin.papers.motions import Placed
from manikin.papers.view import View

_STEP = 1e-5
# Of the tolerance: the method converges superlinearly, so that going on to this costs a step or two.
_SHARE = 0.01


class Total:
    """The overall potential of a view's parts, and of the potentials that Python computes."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.weight = sum(float((part.scale**2).max(initial=0.0)) for part in view.parts)
        self.weight += sum(goal.weight for goal in view.potentials)
        for goal in view.potentials:
            goal.check_gradient(*_frame(view.at(view.start), goal))

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """P and ∇P."""
        at = self.view.at(x)
        total, gradient = 0.0, np.zeros(len(x))
        for part in self.view.parts:
            value, slope = part.potential(at)
            total, gradient = total + value, gradient + slope
        for goal in self.view.potentials:
            value, wrench = goal.by_twist(*_frame(at, goal))
            total += goal.weight * value
            gradient = gradient + goal.weight * (wrench @ at.jacobian(goal.site))
        return total, gradient

    def hessian(self, x: np.ndarray) -> np.ndarray:
        """∂²P/∂θ², of potentials in Python by differences over the frame."""
        at = self.view.at(x)
        H = np.zeros((len(x), len(x)))
        for part in self.view.parts:
            H += part.hessian(at)
        for goal in self.view.potentials:
            wrench, bend = _bent(goal, *_frame(at, goal))
            J = at.jacobian(goal.site)
            H += goal.weight * (J.T @ bend @ J + at.curvature(goal.site, wrench[:3], wrench[3:]))
        return 0.5 * (H + H.T)

    def met(self, x: np.ndarray) -> bool:
        """Whether every goal is met, well inside its tolerance."""
        at = self.view.at(x)
        values = (goal.by_twist(*_frame(at, goal))[0] <= goal.tolerance for goal in self.view.potentials)
        return self.view.near(self.view.rows(x), _SHARE) and all(values)


def _frame(at: Placed, goal: Potential) -> tuple[np.ndarray, np.ndarray]:
    frame = at.matrix(goal.site)
    return frame[:3, 3], frame[:3, :3]


def _bent(goal: Potential, r: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gradient by the frame's twist, and how it changes with it, symmetric."""
    found = np.empty((6, 6))
    for i in range(6):
        ends = [goal.by_twist(*moved(r, R, i, side))[1] for side in (_STEP, -_STEP)]
        found[i] = (ends[0] - ends[1]) / (2.0 * _STEP)
    return goal.by_twist(r, R)[1], 0.5 * (found + found.T)
