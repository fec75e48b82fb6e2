"""What a method of the papers sees of a problem: rows dX = X − f(θ) and their Jacobian J."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Pose, transforms
from manikin.goals import Potential
from manikin.papers import WITH_SETS
from manikin.papers.inverse import pseudo_inverse, rank
from manikin.papers.limits import Limits
from manikin.papers.motions import Motions, Placed
from manikin.solvers.methods import nonlinear

if TYPE_CHECKING:
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.work import Work

# A target is followed to this share of the tolerance before a method stops.
STOP_SHARE = 0.1
# Random poses that the space in which the end effectors move is measured at.
_SAMPLES = 6


class OutOfTime(Exception):
    """The clock has passed the time limit."""


@dataclass(frozen=True, eq=False)
class Part:
    """Three rows: a point of the world for a site (``turn`` is False), or a rotation for its frame.

    scale: the square root of the weight, c included.
    allowed: the miss that counts as met.
    goal: the index of its goal; name: the goal's label, with its index where another goal has the same.
    """

    site: str
    turn: bool
    target: np.ndarray
    scale: float
    allowed: float
    label: str
    goal: int
    name: str


class View:
    """A problem as the papers write it: θ are the variables, X the targets.

    limits: the variables' ranges, and the linear couplings among them.
    start: where they begin, inside the ranges.
    motions: what of the figure moves the sites asked for.
    """

    def __init__(self, work: Work, q: np.ndarray, method: str, deadline: float | None = None) -> None:
        self.figure = work.figure
        self.method = method
        self.tolerance = work.problem.tolerance
        refuse(work.packed, method)
        packed = work.packed
        self.variables = packed.variables
        q = q.copy()
        nonlinear.bring_in(self.figure, q)
        self.q = np.clip(q, self.figure.lower, self.figure.upper)
        self.limits = Limits.of(packed, self.q)
        self.lower, self.upper = self.limits.lower, self.limits.upper
        self.start = self.q[self.variables]
        self.deadline = deadline
        self.evaluations = 0
        self.iterations = 0
        self.way = [self.start.copy()]
        self.parts = parts_of(work, method)
        sites = dict.fromkeys(part.site for part in self.parts)
        self.motions = Motions.of(self.figure, self.q, self.variables, list(sites))
        self._placed = self.motions.at(self.start)

    @property
    def targets(self) -> list[np.ndarray]:
        """X: where each part is to be."""
        return [part.target for part in self.parts]

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

    def rows(self, x: np.ndarray, targets: Sequence[np.ndarray] | None = None) -> np.ndarray:
        """dX: target less what is, weighted; for a rotation, the rotation vector from what is to the target."""
        placed = self.at(x)
        found = []
        for part, target in zip(self.parts, self.targets if targets is None else targets, strict=True):
            frame = placed.matrix(part.site)
            gap = transforms.log(target @ frame[:3, :3].T) if part.turn else target - frame[:3, 3]
            found.append(part.scale * gap)
        return np.concatenate(found) if found else np.zeros(0)

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """J = ∂X/∂θ, weighted as `rows` are."""
        placed = self.at(x)
        blocks = [np.zeros((0, len(x)))]
        for part in self.parts:
            block = placed.jacobian(part.site)[3 * part.turn : 3 * part.turn + 3]
            blocks.append(part.scale * block)
        return np.vstack(blocks)

    def curvature(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Σ uᵢ ∂Jᵢ/∂θ, symmetric: the second derivatives of the rows, weighted as `rows` are."""
        placed = self.at(x)
        H, none = np.zeros((len(x), len(x))), np.zeros(3)
        for k, part in enumerate(self.parts):
            own = part.scale * u[3 * k : 3 * k + 3]
            H += placed.curvature(part.site, none if part.turn else own, own if part.turn else none)
        return H

    def near(self, dX: np.ndarray) -> bool:
        """Whether every part of these rows is well inside its tolerance."""
        return all(
            np.linalg.norm(dX[3 * k : 3 * k + 3]) <= STOP_SHARE * part.allowed * part.scale
            for k, part in enumerate(self.parts)
        )

    def moved(self, x: np.ndarray) -> np.ndarray:
        """Note that the method has taken a step to x; not finite, it is undone."""
        self.iterations += 1
        if not np.isfinite(x).all() or np.abs(x).max(initial=0.0) > 1e6:
            raise FloatingPointError
        self.way.append(x.copy())
        return x

    def between(self, x: np.ndarray, share: float) -> list[np.ndarray]:
        """Targets that lie at this share of the way from where the variables x have the end effectors."""
        placed = self.at(x)
        found = []
        for part in self.parts:
            frame = placed.matrix(part.site)
            if part.turn:
                turn = transforms.log(part.target @ frame[:3, :3].T)
                found.append(transforms.exp(share * turn) @ frame[:3, :3])
            else:
                found.append(frame[:3, 3] + share * (part.target - frame[:3, 3]))
        return found

    def samples(self) -> list[np.ndarray]:
        """J at a few random points in the ranges, always the same ones."""
        rng = np.random.default_rng(0)
        low = np.where(np.isfinite(self.lower), self.lower, np.minimum(self.upper, np.pi) - 2.0 * np.pi)
        high = np.where(np.isfinite(self.upper), self.upper, np.maximum(self.lower, -np.pi) + 2.0 * np.pi)
        points = [self._on_equalities(rng.uniform(low, high)) for _ in range(_SAMPLES)]
        kept, found = self._placed, []
        for x in points:
            self._placed = self.motions.at(x)
            found.append(self.jacobian(x))
        self._placed = kept
        return found

    def _on_equalities(self, x: np.ndarray) -> np.ndarray:
        """The nearest point that keeps the couplings that are equalities, whatever the ranges say."""
        E, ends = self.limits.A[self.limits.equal], self.limits.low[self.limits.equal]
        return x - pseudo_inverse(E) @ (E @ x - ends) if len(E) else x

    @cached_property
    def basis(self) -> np.ndarray:
        """Orthonormal columns, block by block, that span how each part can move at all: two for a point in a plane."""
        samples = self.samples()
        blocks = []
        for k in range(len(self.parts)):
            spread = np.hstack([np.zeros((3, 1)), *(J[3 * k : 3 * k + 3] for J in samples)])
            U, size, _ = np.linalg.svd(spread, full_matrices=False)
            columns = np.zeros((3 * len(self.parts), rank(size)))
            columns[3 * k : 3 * k + 3] = U[:, : rank(size)]
            blocks.append(columns)
        return np.hstack([np.zeros((3 * len(self.parts), 0)), *blocks])

    @cached_property
    def usual_rank(self) -> int:
        """The rank of J away from singular poses."""
        return max(rank(np.linalg.svd(J, compute_uv=False)) for J in self.samples())


def refuse(packed: Packed, method: str) -> None:
    """A SolveError, in words, if the solve may move a loop, or a cone's swing and the method knows no cones."""
    if method not in WITH_SETS or nonlinear.concerned_loops(packed):
        nonlinear.refuse(packed, method)


def parts_of(work: Work, method: str) -> list[Part]:
    """The rows that the goals ask for; a SolveError names a goal that the method cannot take."""
    found = []
    metres, radians = work.problem.tolerance
    labels = [goal.label() for goal in work.goals]
    for index, goal in enumerate(work.goals):
        if isinstance(goal, Potential):
            raise SolveError(f"method {method!r} takes no potential that Python computes: {goal.label()}")
        for asked in goal.parts():
            if asked.components:
                raise SolveError(
                    f"method {method!r} needs all axes of an orientation weighted alike; "
                    f"{goal.label()} has {goal.arguments()['axes']}"
                )
            if asked.kind != "turn" and (asked.kind != "coordinates" or asked.rows != 3):
                raise SolveError(
                    f"method {method!r} takes positions, orientations and placements, not {goal.label()}"
                )
            if asked.weight[0] <= 0.0:
                continue
            label = goal.label()
            name = label if labels.count(label) == 1 else f"{label} (goal {index})"
            scale = float(np.sqrt(asked.weight[0]))
            part = Part(asked.site, False, np.array(asked.point), scale, metres, label, index, name)
            if asked.kind == "turn":
                part = replace(part, turn=True, target=np.array(asked.turn), allowed=radians)
            found.append(part)
    return found
