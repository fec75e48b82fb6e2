"""An objective under equality goals by Lagrange multipliers, limits by recursion (Korein and Badler, eqs. 22 to 28)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.goals import Objective
from manikin.papers.equality import Program, minimise
from manikin.papers.follow import counts
from manikin.papers.inverse import rank
from manikin.papers.objective import Given, objective_of
from manikin.papers.view import View
from manikin.result.explain.limits import in_words

RECURSIONS = ("bounded", "exhaustive")

#: A limit: a variable's index, or n + that of a coupling or, after those, of a goal's row that has a range; and
#: the end at which it is held (−1 the lower, 1 the upper).
Held = frozenset[tuple[int, int]]


def run(
    view: View,
    objective: Given | Objective | None = None,
    recursion: str = "bounded",
    iterations: int = 60,
    problems: int = 60,
) -> dict[str, Any]:
    """Minimise f(q) (22) subject to c(q) = 0 (23), the goals and the couplings that are equalities, and to the
    limits.

    c are the equations of the goals, and those of the caller's own. A goal with a range, such as a box (3), is a
    limit as those of joints are.

    L(q, u) = f(q) − u·c(q) (24, 27); ∂L/∂q = 0 (25, 28) and c = 0 are m + n equations in q and u, solved by Newton's
    method (`equality`).

    The limits: a minimum outside some is discarded. Minima that arise from the limits lie where a joint, or a
    coupling, takes an extreme value: they are those of the smaller problems that hold one limit more, as many levels
    deep as the system is redundant. A smaller problem cannot meet goals that the larger cannot.

    objective: an objective such as `Posture`; or a function of all n coordinates that gives the value f and its n
        derivatives; by default ½‖q − start‖², the least disturbance.
    recursion: ``"exhaustive"`` solves every smaller problem, as printed. ``"bounded"`` leaves out those within a
        problem whose own minimum is no lower than the best found, since a minimum over less is never lower. (Both
        find one minimum a problem, where there may be several; the exhaustive one may so find a lower.)
    iterations: Newton steps a problem. problems: how many problems at most; those likeliest to matter come first.

    Records ``multipliers``, by name: of each goal the derivatives of the least f by its target, along the world's
    axes; of each limit and coupling held, the derivative by its end.
    """
    counts(view, iterations=iterations, problems=problems)
    if recursion not in RECURSIONS:
        known = ", ".join(RECURSIONS)
        raise SolveError(f"method {view.method!r}: unknown recursion {recursion!r}; expected one of: {known}")
    search = _Search(view, objective, iterations)
    complete = search.run(problems, exhaustive=recursion == "exhaustive")
    if search.best is None:
        view.moved(search.last)
        return {"problems": search.solved, "complete": complete}
    view.moved(search.best.x)
    return {
        "problems": search.solved,
        "complete": complete,
        "objective": search.best.value,
        "multipliers": search.multipliers(search.best),
    }


@dataclass(frozen=True, eq=False)
class _Found:
    """The minimum of one problem."""

    value: float
    x: np.ndarray
    u: np.ndarray
    held: Held


class _Search:
    """The recursion over the limits."""

    def __init__(self, view: View, objective: Given | Objective | None, iterations: int) -> None:
        self.view = view
        self.f = objective_of(view, objective)
        self.iterations = iterations
        self.solved = 0
        self.best: _Found | None = None
        self.last = view.start
        self.limits = view.limits
        self.n = len(view.variables)
        self.equal = np.flatnonzero(view.limits.equal)
        self.open = np.flatnonzero(~view.equal)
        low, high = view.ranges
        self.low = np.concatenate([self.limits.lower, self.limits.low, low[self.open]])
        self.high = np.concatenate([self.limits.upper, self.limits.high, high[self.open]])
        self.bounds = self._bounds()

    def _bounds(self) -> list[tuple[int, int]]:
        """Every limit there is, but for ranges of no width and couplings that are equalities."""
        return [
            (i, side)
            for i in np.flatnonzero(self.low < self.high).tolist()
            for side in (-1, 1)
            if np.isfinite(self._end((i, side)))
        ]

    def _end(self, bound: tuple[int, int]) -> float:
        return float((self.low if bound[1] < 0 else self.high)[bound[0]])

    def run(self, problems: int, *, exhaustive: bool) -> bool:
        """Solve the problem and the smaller ones, those of exceeded limits first; True when none was left."""
        movable = int(self.limits.movable.sum())
        E = self.limits.A[self.equal][:, self.limits.movable]
        coupled = rank(np.linalg.svd(E, compute_uv=False)) if len(E) else 0
        usual = min(self.view.basis.shape[1], self.view.usual_rank)
        depth = max(movable - coupled - usual, 0)
        order = count()
        # Smaller problems of limits that were exceeded go deep first, the others level by level.
        queue: list[tuple[tuple[int, int], float, int, np.ndarray, Held]] = []
        heapq.heappush(queue, ((0, 0), 0.0, next(order), self.view.start.copy(), frozenset()))
        tried: set[Held] = set()
        while queue and problems:
            (_, _), above, _, x, held = heapq.heappop(queue)
            if held in tried or (not exhaustive and self._no_lower(above) and held):
                continue
            tried.add(held)
            problems -= 1
            self.solved += 1
            found = self._solve(x, held)
            if held and (found is None or self._exceeded(found)):
                found = self._better(found, held)
            if found is None:
                continue
            exceeded = self._exceeded(found)
            if not exceeded and (self.best is None or found.value < self.best.value):
                self.best = found
            if len(held) >= depth:
                continue
            for bound in self.bounds:
                if any(bound[0] == other for other, _ in held):
                    continue
                first = bound in exceeded
                if first or exhaustive or not self._no_lower(found.value):
                    level = len(held) + 1
                    key = (0, -level) if first else (1, level)
                    begun = self._placed(found.x, bound)
                    heapq.heappush(queue, (key, found.value, next(order), begun, held | {bound}))
        return not queue

    def _better(self, found: _Found | None, held: Held) -> _Found | None:
        """Where there is no minimum inside near that of the larger problem, perhaps there is one near the start."""
        x = self.view.start.copy()
        for bound in held:
            x = self._placed(x, bound)
        other = self._solve(x, held)
        return other if found is None or (other is not None and not self._exceeded(other)) else found

    def _no_lower(self, value: float) -> bool:
        return self.best is not None and value >= self.best.value - 1e-12 * (1.0 + abs(self.best.value))

    def _placed(self, x: np.ndarray, bound: tuple[int, int]) -> np.ndarray:
        """x with a variable on the end of its range; for a coupling, x itself: the first step meets it."""
        i = bound[0]
        if i >= self.n:
            return x
        x = x.copy()
        x[i] = self._end(bound)
        return x

    def _exceeded(self, found: _Found) -> list[tuple[int, int]]:
        """The limits that a minimum is outside of; those that it holds are met as exactly as c = 0 is."""
        x = found.x
        values = np.concatenate([x, self.limits.A @ x, self.view.values(x)[0][self.open]])
        excess = np.maximum(values - self.high, 0.0) - np.maximum(self.low - values, 0.0)
        excess[[i for i, _ in found.held]] = 0.0
        return [(int(i), -1 if excess[i] < 0.0 else 1) for i in np.flatnonzero(np.abs(excess) > 1e-10)]

    def _rows(self, held: Held) -> tuple[np.ndarray, np.ndarray]:
        """The couplings that are held, as rows and ends: equalities, then those of the recursion."""
        last = self.n + len(self.limits.A)
        more = sorted(bound for bound in held if self.n <= bound[0] < last)
        which = np.array([*self.equal, *(i - self.n for i, _ in more)], dtype=int)
        return which, np.array([*self.limits.low[self.equal], *(self._end(bound) for bound in more)])

    def _edges(self, held: Held) -> tuple[np.ndarray, np.ndarray]:
        """The goals' rows that are held at an end of their range: which, and the ends."""
        first = self.n + len(self.limits.A)
        more = sorted(bound for bound in held if bound[0] >= first)
        which = self.open[[i - first for i, _ in more]] if more else np.zeros(0, int)
        return which, np.array([self._end(bound) for bound in more])

    def _solve(self, x: np.ndarray, held: Held) -> _Found | None:
        """The minimum over what is free, the held variables staying where they are; None where there is none."""
        view = self.view
        free = self.limits.movable.copy()
        free[[i for i, _ in held if i < self.n]] = False
        which, ends = self._rows(held)
        A, base = self.limits.A[which], x
        edges, at = self._edges(held)

        def full(z: np.ndarray) -> np.ndarray:
            x = base.copy()
            x[free] = z
            return x

        def f(z: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = self.f(full(z))
            return value, gradient[free]

        def c(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            x = full(z)
            goals = -view.basis.T @ view.rows(x)
            C = view.basis.T @ view.jacobian(x)
            g, G = view.values(x) if len(edges) else (np.zeros(0), np.zeros((0, len(x))))
            values = np.concatenate([goals, A @ x - ends, g[edges] - at])
            return values, np.vstack([C, A, G[edges]])[:, free]

        def curvature(z: np.ndarray, u: np.ndarray) -> np.ndarray:
            weights = view.basis @ u[: view.basis.shape[1]]
            weights[edges] += u[len(u) - len(edges) :] / view.scales[edges]
            return view.curvature(full(z), weights)[np.ix_(free, free)]

        def met(z: np.ndarray) -> bool:
            return view.near(np.where(view.equal, view.rows(full(z)), 0.0))

        program = Program(f, c, curvature, met)
        found = minimise(program, x[free], self.iterations)
        view.iterations += found.steps
        x = full(found.z)
        if found.converged or not held:
            self.last = x
        return _Found(self.f(x)[0], x, found.u, held) if found.converged else None

    def multipliers(self, found: _Found) -> dict[str, Any]:
        """u by name, goals along the world's axes: ∂f/∂X and, of what is held, ∂f/∂(its end)."""
        view, limits = self.view, self.limits
        goals = view.basis.shape[1]
        edges, _ = self._edges(found.held)
        world = view.scales * (view.basis @ found.u[:goals])
        world[edges] = found.u[len(found.u) - len(edges) :]
        named: dict[str, Any] = {}
        for part, rows in zip(view.parts, view.slices, strict=True):
            own = world[rows]
            named[part.name] = np.concatenate([named[part.name], own]) if part.name in named else own
        which, _ = self._rows(found.held)
        sides = {i - self.n: side for i, side in found.held if i >= self.n}
        for r, u in zip(which, found.u[goals : goals + len(which)], strict=True):
            side = {0: "equal", -1: "lower", 1: "upper"}[sides.get(int(r), 0)]
            named[in_words(view.figure, limits.couplings[r], side)] = float(u / limits.length[r])
        G = view.values(found.x)[1][edges]
        C = np.vstack([view.basis.T @ view.jacobian(found.x), limits.A[which], G])
        left = self.f(found.x)[1] - C.T @ found.u
        for i, _ in sorted(found.held):
            if i < self.n:
                named[view.figure.dofs[view.variables[i]]] = float(left[i])
        return named
