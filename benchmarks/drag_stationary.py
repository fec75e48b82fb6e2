"""Whether what is preferred among equals has been found: the first-order conditions, in plain NumPy.

At a minimum of an objective F under what its goals ask for, ∇F = Jᵀλ + Bᵀμ: J has the rows of the goals that are met
exactly, B those of the active ranges and couplings, with μ ≥ 0 pushing inwards. What is left of ∇F after the best λ and
μ tells how far from it a pose is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import lsq_linear

import manikin as mk
from manikin.figure.kinematics import site_jacobian

#: A range or a coupling this near to its end is active: radians or metres.
ACTIVE = 1e-6


def gradient(objective: mk.Objective, figure: mk.Figure, start: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Half of ∇F of an objective with its defaults."""
    if isinstance(objective, mk.Posture) and objective.q is objective.weights is None:
        base = [figure.dof(name).joint == "root" and figure.base != "fixed" for name in figure.dofs]
        return np.where(base, 0.0, q - figure.rest)
    if isinstance(objective, mk.LeastChange):
        return figure.stiffness * (q - start)
    if isinstance(objective, mk.Discomfort):
        spread = figure.upper - figure.lower
        return np.where(np.isfinite(spread) & (spread > 0.0), (q - figure.rest) / spread**2, 0.0)
    raise TypeError(f"{objective.label()}: no gradient of it is known here")


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


def left_of_gradient(
    figure: mk.Figure, goals: Sequence[mk.Goal], start: np.ndarray, q: np.ndarray
) -> float | None:
    """‖∇F − Jᵀλ − Bᵀμ‖ / ‖∇F‖ of the goals' objective; None where there is none, 0 where it has no gradient."""
    objectives = [goal for goal in goals if isinstance(goal, mk.Objective)]
    if not objectives:
        return None
    g = sum(gradient(objective, figure, start, q) for objective in objectives)
    size = float(np.linalg.norm(g))
    if size == 0.0:
        return 0.0
    equal, inward = _equalities(figure, goals, q), _inward(figure, q)
    least = [-np.inf] * len(equal) + [0.0] * len(inward)
    found = lsq_linear(np.array([*equal, *inward]).T, g, bounds=(least, np.inf), method="bvls")
    return float(np.linalg.norm(found.fun)) / size
