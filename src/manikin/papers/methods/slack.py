"""Limits as equalities with slack variables (Korein and Badler, *Extensions for inequality constraints*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.goals import Objective
from manikin.papers.equality import Program, minimise
from manikin.papers.follow import counts, positive
from manikin.papers.least_squares import null_space
from manikin.papers.objective import Function, Given, objective_of
from manikin.papers.view import View

# The least distance from a limit that a slack variable begins with: at 0 it would have no derivative.
_OFF = 1e-4
# The damping at which no step leads down any more, and the share to which the goals' misses have to fall to go on.
_STUCK, _PROGRESS = 1e12, 0.99
# A slack variable's square that counts as 0, and a multiplier of its limit that says the objective pulls away from it.
_ZERO, _PULLS = 1e-6, 1e-6
# How often limits that the objective pulls away from are let go.
_ROUNDS = 10


def run(
    view: View,
    objective: Given | Objective | None = None,
    weight: float = 30.0,
    iterations: int = 300,
) -> dict[str, Any]:
    """Solve X − f(θ) = 0 together with θⱼ − lⱼ − sⱼ² = 0 and uⱼ − θⱼ − tⱼ² = 0, in θ, s and t.

    A goal with a range, such as a box (3), is six inequalities like those of joints: each has a slack variable too.

    Each limit, and each end of a coupling, is an equality with a variable more; a square is never negative, so where
    the equalities hold the limits do. The whole system is solved by Levenberg–Marquardt steps dz = (CᵀC + λI)⁻¹ Cᵀ c,
    with the limits' rows weighted. Couplings that are equalities have no slack: the steps stay in their null space.

    Where the goals cannot be met, the rows of the limits give way a little with the rest; such an end is outside,
    and the last point inside is returned.

    With an objective, once the goals are met: minimise it in θ, s and t subject to all these equalities, by Newton's
    method on the Lagrangian (`equality`).

    objective: as for `lagrange`; none by default. weight: of the limits' rows. iterations: steps at most.
    """
    positive(weight, "weight", view.method)
    counts(view, iterations=iterations)
    wished = None if objective is None else objective_of(view, objective)
    system = _System(view)
    x, s = system.meet(weight, iterations)
    details: dict[str, Any] = {}
    if wished is not None and view.near(view.rows(x)):
        x, s = system.wish(wished, x, s, iterations)
        details["objective"] = wished(x)[0]
    lower, upper, coupling, goal = system.parted(s**2)
    return {
        **details,
        "lower_slack": lower,
        "upper_slack": upper,
        "coupling_slack": coupling,
        "goal_slack": goal,
    }


class _System:
    """h(θ) − σ² = 0 over all inequalities, E θ = e over the equalities.

    h are the distances S θ − s₀ from the limits, and those of the goals' rows from the ends of their ranges.
    """

    def __init__(self, view: View) -> None:
        limits = view.limits
        self.view = view
        self.S, self.s0, _ = limits.slacks()
        fixed = ~limits.movable
        self.E = np.vstack([limits.A[limits.equal], np.eye(len(view.start))[fixed]])
        self.e = np.concatenate([limits.low[limits.equal], view.start[fixed]])
        self.N = null_space(self.E)
        self.sizes = [int(np.isfinite(ends[limits.movable]).sum()) for ends in (limits.lower, limits.upper)]

    def parted(self, slacks: np.ndarray) -> list[np.ndarray]:
        """Those of the lower ends, of the upper ends, of the couplings and of the goals."""
        a, b = self.sizes
        return np.split(slacks, [a, a + b, len(self.S)])

    def room(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """h and its derivatives."""
        clear, slopes = self.view.clear(x)
        return np.concatenate([self.S @ x - self.s0, clear]), np.vstack([self.S, slopes])

    def missing(self, x: np.ndarray) -> np.ndarray:
        """X − f(θ) of the goals' equations."""
        return np.where(self.view.equal, self.view.rows(x), 0.0)

    def meet(self, weight: float, iterations: int) -> tuple[np.ndarray, np.ndarray]:
        """θ and σ that meet the goals, or come as near as the steps go.

        A slack variable that has come to 0 has no derivative there and holds its limit: where the steps end short of
        the goals all of them are set anew, until that brings nothing more.
        """
        x, steps, best = self.view.start.copy(), iterations, np.inf
        while True:
            x, s, steps = self._met(x, weight, steps)
            missing = float(np.linalg.norm(self.view.rows(x)))
            if self.view.near(self.view.rows(x)) or not missing < _PROGRESS * best or steps == 0:
                return x, s
            best = missing

    def _met(self, x: np.ndarray, weight: float, steps: int) -> tuple[np.ndarray, np.ndarray, int]:
        """The same for slack variables that begin where x has them; and how many steps are left."""
        view, N = self.view, self.N
        s = np.sqrt(np.maximum(self.room(x)[0], _OFF))

        def rows(x: np.ndarray, s: np.ndarray) -> np.ndarray:
            return np.concatenate([-self.missing(x), weight * (self.room(x)[0] - s**2)])

        c, damping, n = rows(x, s), 1e-3, N.shape[1]
        while steps:
            broken = np.abs(c[len(view.equal) :]).max(initial=0.0)
            if (view.near(view.rows(x)) and broken < 1e-10 * weight) or damping > _STUCK:
                break
            J = (view.equal[:, None] * view.jacobian(x)) @ N
            S = self.room(x)[1] @ N
            C = np.block([[J, np.zeros((len(J), len(s)))], [weight * S, -2.0 * weight * np.diag(s)]])
            z = -np.linalg.solve(C.T @ C + damping * np.eye(n + len(s)), C.T @ c)
            new, slack = x + N @ z[:n], s + z[n:]
            trial = rows(new, slack)
            if trial @ trial < c @ c:
                x, s, c, damping = view.moved(new), slack, trial, max(0.2 * damping, 1e-15)
            else:
                damping *= 5.0
            steps -= 1
        return x, s, steps

    def wish(
        self, wished: Function, x: np.ndarray, s: np.ndarray, iterations: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The least of the objective among the poses that meet the goals, inside the limits.

        At σ = 0 any multiplier makes ∂L/∂σ = −2uσ zero, one too that pulls inwards: such a slack variable is set off 0,
        and the minimisation goes on.
        """
        view, basis, n = self.view, self.view.basis, len(x)
        m, k = len(s), len(self.e)

        def f(z: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = wished(z[:n])
            return value, np.concatenate([gradient, np.zeros(m)])

        def c(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            x, s = z[:n], z[n:]
            goals, C = -basis.T @ view.rows(x), basis.T @ view.jacobian(x)
            room, S = self.room(x)
            values = np.concatenate([goals, self.E @ x - self.e, room - s**2])
            top = np.hstack([np.vstack([C, self.E]), np.zeros((len(C) + k, m))])
            return values, np.vstack([top, np.hstack([S, -2.0 * np.diag(s)])])

        def curvature(z: np.ndarray, u: np.ndarray) -> np.ndarray:
            H = np.zeros((n + m, n + m))
            H[:n, :n] = view.curvature(z[:n], basis @ u[: basis.shape[1]])
            slack = u[basis.shape[1] + k :]
            H[:n, :n] += view.clear_curvature(z[:n], slack[len(self.S) :])
            H[n:, n:] = -2.0 * np.diag(slack)
            return H

        program = Program(f, c, curvature, lambda z: view.near(view.rows(z[:n])))
        for _ in range(_ROUNDS):
            found = minimise(program, np.concatenate([x, s]), iterations)
            view.iterations += max(found.steps - 1, 0)
            if not found.converged:
                break
            x, s = view.moved(found.z[:n]), found.z[n:].copy()
            pulled = (s**2 < _ZERO) & (found.u[basis.shape[1] + k :] < -_PULLS)
            if not pulled.any():
                break
            s[pulled] = np.sqrt(_OFF)
        return x, s
