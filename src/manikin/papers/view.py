"""What a method of the papers sees of a problem: rows dX = X − f(θ) and their Jacobian J."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines import nonlinear
from manikin.errors import SolveError
from manikin.figure import Pose
from manikin.goals import Potential
from manikin.papers.asked import Ends, GivenPart, Part, SitePart, choices_of, parts_of
from manikin.papers.concern import Concern
from manikin.papers.constraint import Constraint
from manikin.papers.inverse import pseudo_inverse, rank
from manikin.papers.limits import Limits
from manikin.papers.motions import Motions, Placed

if TYPE_CHECKING:
    from manikin.plan.specification import Specification
    from manikin.residuals import Block

# A target is followed to this share of the tolerance before a method stops.
STOP_SHARE = 0.1
# Random poses that the space in which the end effectors move is measured at.
_SAMPLES = 6


class OutOfTime(Exception):
    """The clock has passed the time limit."""


class View:
    """A problem as the papers write it: θ are the variables, X the targets.

    asked: the parts of one choice of each goal. parts: those of them that are not switched off, then those of
    constraints. limits: the variables' ranges, and the linear couplings among them.
    meant: the start of the solve, inside the ranges. start: where they begin: there, or off the limits that it
    touches by a share ``inner`` of their ranges.
    motions: what of the figure moves the sites asked for.
    """

    def __init__(
        self,
        problem: Specification,
        q: np.ndarray,
        method: str,
        deadline: float | None = None,
        *,
        chosen: Sequence[Sequence[Block]] | None = None,
        constraints: Sequence[Constraint] = (),
        inner: float = 0.0,
    ) -> None:
        self.problem, self.figure, self.method = problem, problem.figure, method
        self.tolerance, self.deadline = problem.tolerance, deadline
        if chosen is None:
            chosen = [c[0] if c else () for c in choices_of(problem.goals, Pose(self.figure, q), method)]
        self.asked = parts_of(problem.goals, chosen, method, problem.tolerance)
        self.potentials = [
            goal for goal in problem.goals if isinstance(goal, Potential) and goal.weight > 0.0
        ]
        named = dict.fromkeys(
            [name for part in self.asked for name in (part.site, part.base) if name]
            + [goal.site for goal in problem.goals if isinstance(goal, Potential)]
        )
        self.concern = Concern.of(problem, list(named), everything=bool(constraints))
        self.concern.refuse(method)
        self.variables = self.concern.variables
        q = q.copy()
        nonlinear.bring_in(self.figure, q)
        self.q = np.clip(q, self.figure.lower, self.figure.upper)
        self.limits = Limits.of(self.figure, self.variables, self.concern.couplings, self.q)
        self.lower, self.upper = self.limits.lower, self.limits.upper
        self.meant = self.q[self.variables]
        self.start = self.limits.inner(self.meant, inner)
        given = [GivenPart(constraint, self.q, self.variables) for constraint in constraints]
        self.parts: list[Part] = [*(part for part in self.asked if part.is_on), *given]
        self.evaluations = 0
        self.iterations = 0
        self.way = [self.start.copy()]
        self.motions = Motions.of(self.figure, self.q, self.variables, list(named))
        self._placed = self.motions.at(self.start)

    @property
    def sites(self) -> list[SitePart]:
        """The parts that are rows of a site."""
        return [part for part in self.parts if isinstance(part, SitePart)]

    @cached_property
    def slices(self) -> list[slice]:
        """Which rows each part has."""
        ends = np.cumsum([0, *(part.size for part in self.parts)]).tolist()
        return [slice(*pair) for pair in pairwise(ends)]

    @cached_property
    def equal(self) -> np.ndarray:
        """Mask of the rows that are equations; the others have a range."""
        return np.concatenate([np.zeros(0, bool), *(part.equal for part in self.parts)])

    @cached_property
    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of every row's range, those of an equation the same."""
        lower = [part.ends.lower for part in self.parts]
        upper = [part.ends.upper for part in self.parts]
        return np.concatenate([np.zeros(0), *lower]), np.concatenate([np.zeros(0), *upper])

    @cached_property
    def walls(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every finite end of the rows that have a range: which row, its side (1 the lower, −1 the upper), its value.

        Such a row has to keep side · (g − value) ≥ 0.
        """
        found = [
            (row, side, float(end[row]))
            for end, side in zip(self.ranges, (1.0, -1.0), strict=True)
            for row in np.flatnonzero(~self.equal)
            if np.isfinite(end[row])
        ]
        which, side, value = (
            (np.array(column) for column in zip(*found, strict=True)) if found else (np.zeros(0),) * 3
        )
        return which.astype(int), side, value

    def clear(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far every row with a range is inside of its `walls`, and the derivatives."""
        which, side, value = self.walls
        if not len(which):
            return np.zeros(0), np.zeros((0, len(x)))
        g, G = self.values(x)
        return side * (g[which] - value), side[:, None] * G[which]

    def clear_curvature(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Σ uᵢ ∂² of how far inside the walls."""
        which, side, _ = self.walls
        if not u.any():
            return np.zeros((len(x), len(x)))
        weights = np.zeros(len(self.equal))
        np.add.at(weights, which, side * u / self.scales[which])
        return self.curvature(x, weights)

    @property
    def targets(self) -> list[Ends]:
        """X: where each part is to be."""
        return [part.ends for part in self.parts]

    def full(self, x: np.ndarray) -> np.ndarray:
        """All coordinates of the figure, the variables at x."""
        q = self.q.copy()
        q[self.variables] = x
        return q

    def at(self, x: np.ndarray) -> Placed:
        """The frames of the sites, and their Jacobians, with the variables at x."""
        if not np.array_equal(self._placed.x, x):
            if self.deadline is not None and perf_counter() > self.deadline:
                raise OutOfTime
            self._placed = self.motions.at(x.copy())
            self.evaluations += 1
        return self._placed

    def pose(self, x: np.ndarray) -> Pose:
        """The whole figure with the variables at x."""
        return Pose(self.figure, self.full(x))

    def rows(self, x: np.ndarray, targets: Sequence[Ends] | None = None) -> np.ndarray:
        """dX: the least change of each row to where it is to be, weighted; of a rotation, the rotation vector."""
        placed = self.at(x)
        ends = self.targets if targets is None else targets
        found = [
            part.scale * part.missing(placed, there) for part, there in zip(self.parts, ends, strict=True)
        ]
        return np.concatenate([np.zeros(0), *found])

    def jacobian(self, x: np.ndarray, targets: Sequence[Ends] | None = None) -> np.ndarray:
        """J = ∂X/∂θ, weighted as `rows` are; zero of rows that are inside their range, which ask nothing."""
        placed = self.at(x)
        blocks = [np.zeros((0, len(x)))]
        for part, ends in zip(self.parts, self.targets if targets is None else targets, strict=True):
            asks = part.equal | (part.missing(placed, ends) != 0.0)
            blocks.append((part.scale * asks)[:, None] * part.jacobian(placed))
        return np.vstack(blocks)

    def curvature(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Σ uᵢ ∂Jᵢ/∂θ, symmetric: the second derivatives of the rows, weighted as `rows` are."""
        placed = self.at(x)
        H = np.zeros((len(x), len(x)))
        for part, rows in zip(self.parts, self.slices, strict=True):
            if u[rows].any():
                H += part.curvature(placed, part.scale * u[rows])
        return H

    def values(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """g of every row and its derivatives, neither weighted, whether it asks anything or not."""
        placed = self.at(x)
        g = [part.value(placed) for part in self.parts]
        G = [part.jacobian(placed) for part in self.parts]
        return np.concatenate([np.zeros(0), *g]), np.vstack([np.zeros((0, len(x))), *G])

    def near(self, dX: np.ndarray, share: float = STOP_SHARE) -> bool:
        """Whether every part of these rows is well inside its tolerance."""
        for part, rows in zip(self.parts, self.slices, strict=True):
            counts = part.scale > 0.0
            if np.linalg.norm(dX[rows][counts] / part.scale[counts]) > share * part.allowed:
                return False
        return True

    def moved(self, x: np.ndarray) -> np.ndarray:
        """Note that the method has taken a step to x; not finite, it is undone."""
        self.iterations += 1
        if not np.isfinite(x).all() or np.abs(x).max(initial=0.0) > 1e6:
            raise FloatingPointError
        self.way.append(x.copy())
        return x

    def between(self, x: np.ndarray, share: float) -> list[Ends]:
        """Targets that lie at this share of the way from where the variables x have the end effectors."""
        placed = self.at(x)
        return [part.between(placed, share) for part in self.parts]

    def samples(self) -> list[np.ndarray]:
        """J of all rows at a few random points in the ranges, always the same ones."""
        rng = np.random.default_rng(0)
        low = np.where(np.isfinite(self.lower), self.lower, np.minimum(self.upper, np.pi) - 2.0 * np.pi)
        high = np.where(np.isfinite(self.upper), self.upper, np.maximum(self.lower, -np.pi) + 2.0 * np.pi)
        points = [self._on_equalities(rng.uniform(low, high)) for _ in range(_SAMPLES)]
        kept, found = self._placed, []
        for x in points:
            self._placed = self.motions.at(x)
            found.append(self.scales[:, None] * self.values(x)[1])
        self._placed = kept
        return found

    @cached_property
    def scales(self) -> np.ndarray:
        """The root of the weight of each row."""
        return np.concatenate([np.zeros(0), *(part.scale for part in self.parts)])

    def _on_equalities(self, x: np.ndarray) -> np.ndarray:
        """The nearest point that keeps the couplings that are equalities, whatever the ranges say."""
        E, ends = self.limits.A[self.limits.equal], self.limits.low[self.limits.equal]
        return x - pseudo_inverse(E) @ (E @ x - ends) if len(E) else x

    @cached_property
    def basis(self) -> np.ndarray:
        """Orthonormal columns, block by block, that span how the equations of each part can move at all: two for a
        point in a plane."""
        samples = self.samples()
        blocks = []
        for rows in self.slices:
            equal = np.zeros(len(self.equal), bool)
            equal[rows] = self.equal[rows]
            spread = np.hstack([np.zeros((int(equal.sum()), 1)), *(J[equal] for J in samples)])
            U, size, _ = np.linalg.svd(spread, full_matrices=False)
            columns = np.zeros((len(self.equal), rank(size)))
            columns[equal] = U[:, : rank(size)]
            blocks.append(columns)
        return np.hstack([np.zeros((len(self.equal), 0)), *blocks])

    @cached_property
    def usual_rank(self) -> int:
        """The rank of the equations' J away from singular poses."""
        return max(rank(np.linalg.svd(J[self.equal], compute_uv=False)) for J in self.samples())

    def only_equations(self) -> None:
        """Refuse goals that leave a range open, and those of them that are no rows."""
        for part in self.parts:
            if not part.equal.all():
                raise SolveError(
                    f"method {self.method!r} solves equations, and {part.label} leaves a range open"
                )

    def no_potentials(self) -> None:
        """Refuse potentials in Python."""
        for goal in self.potentials:
            raise SolveError(
                f"method {self.method!r} takes rows with a Jacobian, and {goal.label()} is one number whose "
                "derivatives vanish where it is met; 'projection' takes it, or give a manikin.papers.Constraint"
            )
