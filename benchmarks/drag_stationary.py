"""Whether what is preferred among equals has been found: the first-order conditions, in plain NumPy.

At a minimum of an objective F = ½ Σ wⱼ (q − q₀)ⱼ² under what its goals ask for, ∇F = Jᵀλ + Bᵀμ: J has the rows of the
goals that are met exactly, B those of the active ranges and couplings, with μ ≥ 0 pushing inwards. What is left of ∇F
after the best λ and μ, over w, is a first estimate of how far each coordinate is from there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import lsq_linear

import manikin as mk
from manikin.figure.kinematics import site_jacobian

#: A range or a coupling this near to its end is active: radians or metres.
ACTIVE = 1e-6


def weights_and_origin(
    objective: mk.Objective, figure: mk.Figure, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """w and q₀ of an objective with its defaults."""
    if isinstance(objective, mk.Posture) and objective.q is objective.weights is None:
        base = [figure.dof(name).joint == "root" and figure.base != "fixed" for name in figure.dofs]
        return np.where(base, 0.0, 1.0), figure.rest
    if isinstance(objective, mk.LeastChange):
        return np.array(figure.stiffness), start
    if isinstance(objective, mk.Discomfort):
        spread = figure.upper - figure.lower
        ranged = np.isfinite(spread) & (spread > 0.0)
        return np.where(ranged, 1.0 / np.where(ranged, spread, 1.0) ** 2, 0.0), figure.rest
    raise TypeError(f"{objective.label()}: its weights are not known here")


def _equalities(figure: mk.Figure, goals: Sequence[mk.Goal], q: np.ndarray) -> list[np.ndarray]:
    rows: list[np.ndarray] = []
    for goal in goals:
        if isinstance(goal, mk.Position):
            rows += list(site_jacobian(figure, q, goal.site)[:3])
        elif isinstance(goal, (mk.Placement, mk.Pin)):
            rows += list(site_jacobian(figure, q, goal.site))
    return rows


def _inward(figure: mk.Figure, q: np.ndarray) -> list[np.ndarray]:
    """The directions in which each active range and coupling lets go."""
    unit = np.eye(figure.n)
    rows = [unit[j] for j in np.flatnonzero(q <= figure.lower + ACTIVE)]
    rows += [-unit[j] for j in np.flatnonzero(q >= figure.upper - ACTIVE)]
    values = dict(zip(figure.dofs, q.tolist(), strict=True))
    for coupling in figure.couplings:
        row = np.zeros(figure.n)
        row[[figure.index(name) for name in coupling.coefficients]] = list(coupling.coefficients.values())
        total = coupling.value(values)
        rows += [row] if total <= coupling.lower + ACTIVE else []
        rows += [-row] if total >= coupling.upper - ACTIVE else []
    return rows


def from_optimum(
    figure: mk.Figure, goals: Sequence[mk.Goal], start: np.ndarray, q: np.ndarray
) -> float | None:
    """maxⱼ |∇F − Jᵀλ − Bᵀμ|ⱼ / wⱼ of the one objective among the goals, over the angles; None where there is none."""
    objectives = [goal for goal in goals if isinstance(goal, mk.Objective)]
    if not objectives:
        return None
    (objective,) = objectives
    w, origin = weights_and_origin(objective, figure, start)
    gradient = w * (q - origin)
    equal, inward = _equalities(figure, goals, q), _inward(figure, q)
    left = -gradient
    if equal or inward:
        least = [-np.inf] * len(equal) + [0.0] * len(inward)
        left = lsq_linear(np.array([*equal, *inward]).T, gradient, bounds=(least, np.inf), method="bvls").fun
    minded = (w > 0.0) & np.array([figure.dof(name).unit == "rad" for name in figure.dofs])
    return float(np.abs(left[minded] / w[minded]).max(initial=0.0))
