"""What goals and constraints ask of the variables: parts, each some rows g with a range [l, u]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Pose, transforms
from manikin.goals import Goal, Objective, Potential
from manikin.papers.constraint import Constraint
from manikin.papers.measures import Coordinates, Measure, Turn, angle, measure_of, second
from manikin.papers.motions import Placed

if TYPE_CHECKING:
    from manikin.residuals import Block

_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class Ends:
    """Where the rows of a part are to be: for now (an intermediate target), or in the end.

    turn: of an orientation, the axes that the site is to have.
    """

    lower: np.ndarray
    upper: np.ndarray
    turn: np.ndarray | None = None


class Part:
    """Some rows g(θ), each to lie in its range; equations where both ends are the same.

    scale: the roots of the weights, c included. allowed: the miss that counts as met.
    goal: the index of its goal, −1 of a constraint; label: how messages name it; name: the same, with the index where
    another goal has that label.
    """

    scale: np.ndarray
    ends: Ends
    allowed: float
    unit: str
    goal: int
    label: str
    name: str

    @property
    def is_on(self) -> bool:
        """Whether it has any weight."""
        return bool(self.scale.any())

    @property
    def size(self) -> int:
        """How many rows."""
        return len(self.scale)

    @property
    def equal(self) -> np.ndarray:
        """Mask of the rows that are equations."""
        return self.ends.lower == self.ends.upper

    def value(self, at: Placed | Pose) -> np.ndarray:
        """g, (m,)."""
        raise NotImplementedError

    def jacobian(self, at: Placed) -> np.ndarray:
        """∂g/∂θ, (m, n)."""
        raise NotImplementedError

    def curvature(self, at: Placed, u: np.ndarray) -> np.ndarray:
        """Σ uᵢ ∂²gᵢ/∂θ², (n, n), symmetric."""
        raise NotImplementedError

    def missing(self, at: Placed | Pose, ends: Ends | None = None) -> np.ndarray:
        """The least change of g that brings it to its ends, or to other ones."""
        ends, g = ends or self.ends, self.value(at)
        return np.clip(g, ends.lower, ends.upper) - g

    def miss(self, at: Placed | Pose) -> float:
        """How far it is from met, in its unit; of a site's rows in any pose."""
        return float(np.linalg.norm(self.missing(at)))

    def between(self, at: Placed, share: float) -> Ends:
        """Ends that lie at this share of the way from here; of a range, the end that is to be crossed."""
        missing = self.missing(at)
        y = self.value(at) + share * missing
        lower = np.where(self.equal | (missing > 0.0), y, self.ends.lower)
        return Ends(lower, np.where(self.equal | (missing < 0.0), y, self.ends.upper))

    def inset(self) -> Ends:
        """Ends of its ranges a little farther inside, by what a miss may be; equations as they are."""
        width = self.ends.upper - self.ends.lower
        by = np.where(self.equal, 0.0, np.minimum(self.allowed, 0.25 * width))
        return Ends(self.ends.lower + by, self.ends.upper - by, self.ends.turn)

    def potential(self, at: Placed) -> tuple[float, np.ndarray]:
        """P = Σ w ρ² of the report, and its gradient by the variables."""
        rho = self.scale * self.missing(at)
        return float(rho @ rho), -2.0 * (self.scale * rho) @ self.jacobian(at)

    def hessian(self, at: Placed) -> np.ndarray:
        """∂²P/∂θ²; rows inside their ranges have none."""
        missing, square = self.missing(at), self.scale**2
        out = (missing != 0.0) | self.equal
        J = (self.scale[:, None] * self.jacobian(at))[out]
        return 2.0 * J.T @ J - 2.0 * self.curvature(at, square * missing)


class SitePart(Part):
    """Rows of a site's frame."""

    def __init__(
        self, goal: int, label: str, name: str, asked: Block, measure: Measure, allowed: float
    ) -> None:
        self.goal, self.label, self.name = goal, label, name
        self.asked, self.measure, self.allowed, self.unit = asked, measure, allowed, asked.unit
        self.site, self.base = asked.site, asked.base
        self.scale = np.sqrt(np.asarray(asked.weight))
        turn = measure.target if isinstance(measure, Turn) else None
        self.ends = Ends(np.asarray(asked.lower), np.asarray(asked.upper), turn)

    @property
    def point(self) -> np.ndarray | None:
        """The point of the world that a position goal asks for; None of any other part."""
        whole = isinstance(self.measure, Coordinates) and self.size == 3 and bool(self.equal.all())
        same = whole and np.array_equal(self.measure.directions, np.eye(3))  # type: ignore[attr-defined]
        return self.measure.point + self.ends.lower if same and not self.base else None  # type: ignore[attr-defined]

    @property
    def turn(self) -> np.ndarray | None:
        """The axes that an orientation goal asks for, in the frame of its base; None of any other part."""
        return self.ends.turn

    def _frame(self, at: Placed | Pose) -> tuple[np.ndarray, np.ndarray]:
        frame = at.matrix(self.site)
        if self.base:
            frame = transforms.inverse(at.matrix(self.base)) @ frame
        return frame[:3, 3], frame[:3, :3]

    def _twist(self, at: Placed) -> np.ndarray:
        """(6, n): the velocity and the angular velocity of that frame; as seen from a base, less the base's own."""
        J = at.jacobian(self.site)
        if not self.base:
            return J
        frame, B = at.matrix(self.base), at.jacobian(self.base)
        away = at.matrix(self.site)[:3, 3] - frame[:3, 3]
        linear = J[:3] - B[:3] - np.cross(B[3:].T, away).T
        return np.vstack([frame[:3, :3].T @ linear, frame[:3, :3].T @ (J[3:] - B[3:])])

    def _bent(self, at: Placed, wrench: np.ndarray) -> np.ndarray:
        """(n, n): Σ wrenchᵢ ∂Jᵢ/∂θ of that twist, symmetric; from a base by differences."""
        if not self.base:
            return at.curvature(self.site, wrench[:3], wrench[3:])
        steps = _STEP * np.eye(len(at.x))
        ends = [
            [wrench @ self._twist(at.motions.at(at.x + side * step)) for side in (1, -1)] for step in steps
        ]
        H = np.array([(one - other) / (2.0 * _STEP) for one, other in ends]).reshape(len(at.x), len(at.x))
        return 0.5 * (H + H.T)

    def value(self, at: Placed | Pose) -> np.ndarray:
        """g."""
        return self.measure.value(*self._frame(at))

    def jacobian(self, at: Placed) -> np.ndarray:
        """∂g/∂θ."""
        return self.measure.slopes(*self._frame(at)) @ self._twist(at)

    def curvature(self, at: Placed, u: np.ndarray) -> np.ndarray:
        """Σ uᵢ ∂²gᵢ/∂θ², symmetric."""
        r, R = self._frame(at)
        wrench = u @ self.measure.slopes(r, R)
        found = self._bent(at, wrench)
        if isinstance(self.measure, (Coordinates, Turn)):
            return found
        J = self._twist(at)
        return found + J.T @ second(self.measure, r, R, u) @ J

    def missing(self, at: Placed | Pose, ends: Ends | None = None) -> np.ndarray:
        """What brings g to its ends; of an orientation the rotation vector to the target."""
        ends = ends or self.ends
        if ends.turn is not None:
            return transforms.log(ends.turn @ self._frame(at)[1].T)
        return super().missing(at, ends)

    def miss(self, at: Placed | Pose) -> float:
        """How far it is from met; of directions the angle."""
        if self.unit == "rad" and self.asked.kind != "rotation":
            return angle(self.asked, self.measure, *self._frame(at))
        return super().miss(at)

    def between(self, at: Placed, share: float) -> Ends:
        """Ends on the way; of an orientation a turn about one axis."""
        if self.turn is None:
            return super().between(at, share)
        R = self._frame(at)[1]
        turn = transforms.exp(share * transforms.log(self.turn @ R.T)) @ R
        return Ends(self.ends.lower, self.ends.upper, turn)

    def potential(self, at: Placed) -> tuple[float, np.ndarray]:
        """Of an orientation P = w Σ ½‖vₖ − gₖ‖², ∂P by ω = w Σ gₖ × vₖ (11 to 13)."""
        if self.turn is None:
            return super().potential(at)
        weight = float(self.scale[0] ** 2)
        R = self._frame(at)[1]
        value = 0.5 * weight * float(((R - self.turn) ** 2).sum())
        by_turn = weight * np.cross(self.turn.T, R.T).sum(axis=0)
        return value, by_turn @ self._twist(at)[3:]

    def hessian(self, at: Placed) -> np.ndarray:
        """∂²P/∂θ²."""
        if self.turn is None:
            return super().hessian(at)
        weight, R = float(self.scale[0] ** 2), self._frame(at)[1]
        by_turn = weight * np.cross(self.turn.T, R.T).sum(axis=0)
        # ω·∂(gₖ × vₖ) = gₖ·(ω × …): (gₖ·vₖ) I − ½ (gₖ vₖᵀ + vₖ gₖᵀ)
        product = R @ self.turn.T
        bend = weight * (np.trace(product) * np.eye(3) - 0.5 * (product + product.T))
        J = self._twist(at)[3:]
        return J.T @ bend @ J + self._bent(at, np.concatenate([np.zeros(3), by_turn]))


class GivenPart(Part):
    """Rows of the caller's own: c(q) = 0."""

    unit = ""
    goal = -1

    def __init__(self, constraint: Constraint, q: np.ndarray, variables: np.ndarray) -> None:
        self.constraint, self.q, self.variables = constraint, q, variables
        self.allowed = constraint.tolerance
        self.label = self.name = f"constraint {constraint.name!r}"
        size = len(constraint.at(q)[0])
        self.scale = np.ones(size)
        self.ends = Ends(np.zeros(size), np.zeros(size))

    def _at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q = self.q.copy()
        q[self.variables] = x
        c, C = self.constraint.at(q)
        if len(c) != self.size:
            raise SolveError(f"{self.label}: the function gave {len(c)} values, and {self.size} before")
        return c, C[:, self.variables]

    def value(self, at: Placed | Pose) -> np.ndarray:
        """g."""
        assert isinstance(at, Placed)
        return self._at(at.x)[0]

    def jacobian(self, at: Placed) -> np.ndarray:
        """∂g/∂θ."""
        return self._at(at.x)[1]

    def curvature(self, at: Placed, u: np.ndarray) -> np.ndarray:
        """Σ uᵢ ∂²gᵢ/∂θ², symmetric."""
        steps = _STEP * np.eye(len(at.x))
        H = np.array([u @ (self._at(at.x + step)[1] - self._at(at.x - step)[1]) for step in steps])
        H = H.reshape(len(at.x), len(at.x)) / (2.0 * _STEP)
        return 0.5 * (H + H.T)


def choices_of(goals: Sequence[Goal], pose: Pose, method: str) -> list[tuple[tuple[Block, ...], ...]]:
    """The alternatives of each goal; a SolveError names one that asks for what no method of the papers knows."""
    found = []
    for goal in goals:
        if isinstance(goal, Objective):
            raise SolveError(
                f"method {method!r}: {goal.label()} is no goal that can be met; 'lagrange', 'penalty' and 'slack' "
                "take "
                'it as options={"objective": …}'
            )
        found.append(() if isinstance(goal, Potential) else goal.settle(pose).alternatives())
    return found


def parts_of(
    goals: Sequence[Goal],
    chosen: Sequence[Sequence[Block]],
    method: str,
    tolerance: tuple[float, float],
) -> list[SitePart]:
    """The rows of the chosen parts; a SolveError names one that is not known."""
    metres, radians = tolerance
    labels = [goal.label() for goal in goals]
    found = []
    for index, (goal, parts) in enumerate(zip(goals, chosen, strict=True)):
        label = goal.label()
        name = label if labels.count(label) == 1 else f"{label} (goal {index})"
        for asked in parts:
            measure = measure_of(asked)
            if measure is None:
                raise SolveError(f"method {method!r} takes goals of sites' frames, not {label}")
            allowed = radians if asked.unit == "rad" else metres
            found.append(SitePart(index, label, name, asked, measure, allowed))
    return found
