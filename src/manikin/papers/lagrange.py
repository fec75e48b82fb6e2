"""An objective under equality goals by Lagrange multipliers, limits by recursion (Korein and Badler, eqs. 22 to 28)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.papers.follow import counts
from manikin.papers.inverse import pseudo_inverse, rank
from manikin.papers.view import View

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]

_DIFFERENCE = 1e-6
_LONGEST = 0.5


def run(
    view: View, objective: Objective | None = None, iterations: int = 60, problems: int = 200
) -> dict[str, Any]:
    """Minimise f(q) (22) subject to c(q) = 0 (23), the goals, and to the joint limits.

    L(q, u) = f(q) − u·c(q) (24, 27); ∂L/∂q = 0 (25, 28) and c = 0 are m + n equations in q and u, solved by Newton's
    method: least change to meet c = 0, then, in the null space of c's Jacobian, towards ∂L/∂q = 0.

    The limits: if the minimum is outside some, the one wanted lies where a joint takes an extreme value, so the
    smaller problems are solved that hold one more joint there, as many levels deep as the system is redundant. Only
    limits that are exceeded are tried.

    objective: q (all n coordinates) to the value f and its n derivatives; by default ½‖q − start‖², the least
        disturbance.
    iterations: Newton steps a problem. problems: how many problems at most.
    """
    counts(view, iterations=iterations, problems=problems)
    search = _Search(view, objective, iterations, problems)
    free = view.lower < view.upper
    usual = min(view.basis.shape[1], view.usual_rank)
    search.solve(view.start.copy(), free, int(free.sum()) - usual)
    if search.best is None:
        view.moved(search.last)
        return {"problems": search.solved}
    value, x, u = search.best
    view.moved(x)
    return {"problems": search.solved, "objective": value, "multipliers": u}


class _Search:
    """The recursion over the limits."""

    def __init__(self, view: View, objective: Objective | None, iterations: int, problems: int) -> None:
        self.view = view
        self.objective = objective
        self.iterations = iterations
        self.left = problems
        self.solved = 0
        self.best: tuple[float, np.ndarray, np.ndarray] | None = None
        self.last = view.start
        self.tried: set[bytes] = set()

    def solve(self, x: np.ndarray, free: np.ndarray, depth: int) -> None:
        """The problem over the free coordinates, the others staying where they are; then the smaller ones."""
        key = np.where(free, np.inf, x).tobytes()
        if self.left == 0 or key in self.tried:
            return
        self.tried.add(key)
        self.left -= 1
        self.solved += 1
        x, u, converged = self._newton(x, free)
        if converged or self.solved == 1:
            self.last = x
        if not converged:
            return
        value = self._f(x)[0]
        outside = (x < self.view.lower - 1e-10) | (x > self.view.upper + 1e-10)
        if not outside.any():
            if self.best is None or value < self.best[0]:
                self.best = value, x, u
            return
        if depth <= 0:
            return
        for i in np.flatnonzero(outside):
            held, smaller = x.copy(), free.copy()
            held[i] = self.view.lower[i] if x[i] < self.view.lower[i] else self.view.upper[i]
            smaller[i] = False
            self.solve(held, smaller, depth - 1)

    def _f(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        if self.objective is None:
            change = x - self.view.start
            return 0.5 * float(change @ change), change
        value, slope = self.objective(self.view.full(x))
        slope = np.asarray(slope, dtype=float)
        if slope.shape != (self.view.figure.n,):
            raise SolveError(
                f"method 'lagrange': the objective must give {self.view.figure.n} derivatives, "
                f"got shape {slope.shape}"
            )
        return float(value), slope[self.view.variables]

    def _c(self, x: np.ndarray) -> np.ndarray:
        return -self.view.basis.T @ self.view.rows(x)

    def _slope_of_L(self, x: np.ndarray, u: np.ndarray, free: np.ndarray) -> np.ndarray:
        C = self.view.basis.T @ self.view.jacobian(x)
        return (self._f(x)[1] - C.T @ u)[free]

    def _curvature_of_L(self, x: np.ndarray, u: np.ndarray, free: np.ndarray) -> np.ndarray:
        columns = []
        for i in np.flatnonzero(free):
            ends = []
            for h in (_DIFFERENCE, -_DIFFERENCE):
                moved = x.copy()
                moved[i] += h
                ends.append(self._slope_of_L(moved, u, free))
            columns.append((ends[0] - ends[1]) / (2.0 * _DIFFERENCE))
        H = np.array(columns).reshape(len(columns), -1)
        return 0.5 * (H + H.T)

    def _newton(self, x: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        u = np.zeros(self.view.basis.shape[1])
        for _ in range(self.iterations):
            c, g = self._c(x), self._f(x)[1][free]
            C = (self.view.basis.T @ self.view.jacobian(x))[:, free]
            inverse = pseudo_inverse(C)
            u = inverse.T @ g
            rest = np.linalg.norm(g - C.T @ u)
            met = self.view.near(self.view.rows(x))
            if met and np.linalg.norm(c) < 1e-9 and rest <= 1e-7 * (1.0 + np.linalg.norm(g)):
                return x, u, True
            step = -inverse @ c
            _, size, Vt = np.linalg.svd(C, full_matrices=True)
            N = Vt[rank(size) :].T
            if N.shape[1]:
                H = self._curvature_of_L(x, u, free)
                values, vectors = np.linalg.eigh(N.T @ H @ N)
                downhill = N.T @ (g + H @ step)
                values = np.maximum(np.abs(values), 1e-6)
                step = step - N @ (vectors @ ((vectors.T @ downhill) / values))
            x = self._searched(x, free, step, 2.0 * float(np.abs(u).max(initial=0.0)) + 1.0)
            self.view.iterations += 1
        c, g = self._c(x), self._f(x)[1][free]
        C = (self.view.basis.T @ self.view.jacobian(x))[:, free]
        u = pseudo_inverse(C).T @ g
        rest = np.linalg.norm(g - C.T @ u)
        return x, u, self.view.near(self.view.rows(x)) and bool(rest <= 1e-5 * (1.0 + np.linalg.norm(g)))

    def _searched(self, x: np.ndarray, free: np.ndarray, step: np.ndarray, price: float) -> np.ndarray:
        """Along the step, as far as f + price·|c| falls."""
        step = step * min(1.0, _LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        merit = self._f(x)[0] + price * np.abs(self._c(x)).sum()
        for k in range(12):
            moved = x.copy()
            moved[free] += 0.5**k * step
            if self._f(moved)[0] + price * np.abs(self._c(moved)).sum() < merit + 1e-14:
                break
        return moved
