"""What chooses among poses that meet the goals equally well: always last, never part of what counts as reached."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from manikin.errors import GoalError, PoseError
from manikin.figure import Figure, Pose
from manikin.goals.goal import FigureGoal, number
from manikin.residuals.block import Block, equal, rows

# The p of the norm that stands for the largest share of a speed limit.
_LARGEST = 8.0


@dataclass(frozen=True, eq=False)
class Objective(FigureGoal):
    """A wish of the last level: it decides only what the goals leave open."""

    settled_by: ClassVar[bool] = True
    noun = "objective"

    def _linear(
        self,
        places: np.ndarray,
        weights: np.ndarray,
        scale: np.ndarray,
        origin: np.ndarray,
        *,
        moves: bool,
    ) -> tuple[Block, ...]:
        """Rows scale (q − origin) of some coordinates; ``moves``: they are worth moving for this alone."""
        if len(places) == 0:
            return ()
        numbers = np.column_stack([np.asarray(places, dtype=np.float64), scale, origin]).ravel()
        ranges = equal(1.0, len(places)) | {"weight": weights * self._weight()}
        dofs = tuple(int(j) for j in places) if moves else ()
        return (Block("linear", **ranges, unit="", last=True, numbers=numbers, dofs=dofs),)

    def _weight(self) -> float:
        return float(getattr(self, "weight", 1.0))


@dataclass(frozen=True, eq=False)
class Posture(Objective):
    """Towards given values of the degrees of freedom: Σ wⱼ (q − q₀)ⱼ².

    q: n values, a pose, or values by name (then only those are minded); the rest values by default.
    weights: n of them, or by name; 1 by default.

    A free or planar base is minded only where q or weights name it.
    """

    q: Any = None
    _: KW_ONLY
    weights: Any = None
    weight: float = 1.0
    noun = "posture"

    def _check(self) -> None:
        for name in ("q", "weights"):
            value = getattr(self, name)
            if value is None:
                continue
            if name == "q" and isinstance(value, Pose):
                value = value.q
            try:
                numbers = (
                    {str(key): float(v) for key, v in value.items()}
                    if isinstance(value, Mapping)
                    else np.array(value, dtype=np.float64)
                )
            except (TypeError, ValueError):
                raise GoalError(f"{self.label()}: {name} must be numbers, or numbers by name") from None
            flat = np.array(list(numbers.values())) if isinstance(numbers, dict) else numbers
            if flat.ndim != 1 or not np.isfinite(flat).all():
                raise GoalError(f"{self.label()}: {name} must be finite numbers, got {value!r}")
            if name == "weights" and (flat < 0.0).any():
                raise GoalError(f"{self.label()}: weights must not be negative, got {value!r}")
            if isinstance(numbers, np.ndarray):
                numbers.flags.writeable = False
            self._set(name, numbers)

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate that is minded."""
        figure = self.pose.figure
        origin, given = self._column(figure, self.q, figure.rest, "q")
        weights, weighed = self._column(figure, self.weights, np.ones(figure.n), "weights")
        minded = weights > 0.0
        if isinstance(self.q, Mapping):
            minded &= given
        base = np.array(
            [figure.dof(name).joint == "root" and figure.base != "fixed" for name in figure.dofs], bool
        )
        minded &= ~base | weighed | (given if isinstance(self.q, Mapping) else False)
        places = np.flatnonzero(minded)
        return self._linear(places, weights[places], np.ones(len(places)), origin[places], moves=True)

    def _column(
        self, figure: Figure, value: Any, default: np.ndarray, name: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """n values, and which of them were given."""
        result, given = np.array(default, dtype=np.float64), np.zeros(figure.n, bool)
        if isinstance(value, Mapping):
            for dof, entry in value.items():
                try:
                    place = figure.index(dof)
                except PoseError as problem:
                    raise GoalError(f"{self.label()}: {name}: {problem}") from None
                result[place], given[place] = entry, True
        elif value is not None:
            if len(value) != figure.n:
                raise GoalError(f"{self.label()}: {name} must have {figure.n} numbers, got {len(value)}")
            result[:], given[:] = value, True
        return result, given


@dataclass(frozen=True, eq=False)
class LeastChange(Objective):
    """As little as possible away from the start, the stiffer joints least: Σ sⱼ (q − start)ⱼ²."""

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "change"

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate."""
        figure = self.pose.figure
        places = np.arange(figure.n)
        parts = self._linear(places, figure.stiffness, np.ones(figure.n), self.pose.q, moves=False)
        return tuple(replace(part, follows=True) for part in parts)


@dataclass(frozen=True, eq=False)
class Discomfort(Objective):
    """As near to rest as possible, in units of each joint's range: Σ ((q − rest)ⱼ / (upper − lower)ⱼ)².

    Degrees of freedom without limits at both ends have no such unit and do not count.
    """

    _: KW_ONLY
    weight: float = 1.0
    noun = "comfort"

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate with a range."""
        figure = self.pose.figure
        spread = figure.upper - figure.lower
        places = np.flatnonzero(np.isfinite(spread) & (spread > 0.0))
        return self._linear(
            places, np.ones(len(places)), 1.0 / spread[places], figure.rest[places], moves=True
        )


@dataclass(frozen=True, eq=False)
class KineticEnergy(Objective):
    """The way from the start that moves least mass: ½ Δqᵀ M Δq, M the mass matrix at the start.

    Segments without a known inertia count as points at their centres of mass.
    """

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "kinetic energy"

    def parts(self) -> tuple[Block, ...]:
        """Rows Lᵀ Δq with L Lᵀ = ½ M, those that are not zero; one that is where no mass moves at this start."""
        pose, figure = self.pose, self.pose.figure
        carried = [
            segment
            for name, segment in figure.segments.items()
            if name != figure.root or figure.base != "fixed"
        ]
        if not any(segment.mass > 0.0 for segment in carried):
            raise GoalError(f"{self.label()}: figure {figure.name!r} has no mass that moves")
        matrix = 0.5 * pose.mass_matrix()
        values, vectors = np.linalg.eigh(matrix)
        kept = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
        kept[-1:] |= not kept.any()
        a = (vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0))).T
        return (
            Block(
                "dense",
                **equal(self._weight(), len(a)),
                unit="",
                last=True,
                dofs=tuple(range(pose.figure.n)),
                numbers=np.concatenate([pose.q, a.ravel()]),
            ),
        )


@dataclass(frozen=True, eq=False)
class LeastTime(Objective):
    """The way from the start that takes the least time: the largest share \\|Δqⱼ\\| / velocityⱼ, in seconds, squared.

    The largest is taken as the norm of order 8 of the shares, which is smooth, and at most n^(1/8) times as large.
    Degrees of freedom without a speed limit do not count. People have none of their own:
    ``body.with_velocity(joint_speeds(body))`` gives them those of the literature (`manikin.figure.human.joint_speeds`).
    """

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "time"

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate with a speed limit."""
        figure = self.pose.figure
        places = np.flatnonzero(np.isfinite(figure.velocity) & (figure.velocity > 0.0))
        if len(places) == 0:
            raise GoalError(
                f"{self.label()}: figure {figure.name!r} has no speed limits to measure time by; give it some with "
                "figure.with_velocity"
            )
        table = np.column_stack([places, 1.0 / figure.velocity[places], self.pose.q[places]])
        numbers = np.concatenate([[_LARGEST], table.ravel()])
        return (Block("share", **equal(self._weight(), len(places)), unit="", last=True, numbers=numbers),)


@dataclass(frozen=True, eq=False)
class Effort(Objective):
    """The least work against gravity: how far the centre of mass rises above where it starts, in metres, squared.

    The work is that height times the figure's weight. Going down costs nothing.
    """

    _: KW_ONLY
    weight: float = 1.0
    means_start: ClassVar[bool] = True
    noun = "effort"

    def parts(self) -> tuple[Block, ...]:
        """The height of the centre of mass, at most that of the start."""
        return (
            Block(
                "center",
                **rows(self._weight(), [-math.inf], [0.0]),
                unit="",
                last=True,
                point=self.pose.center_of_mass(),
                directions=np.array([[0.0, 0.0, 1.0]]),
            ),
        )


@dataclass(frozen=True, eq=False)
class LimitSpring(Objective):
    """Springs that keep joints off their limits, as a knee off full extension: Σ (how far within ``margin`` of
    a limit)².

    dofs: names or patterns of the degrees of freedom.
    margin: where the springs begin, radians or metres from either limit.
    """

    dofs: str | Sequence[str]
    _: KW_ONLY
    margin: float = 0.1
    weight: float = 1.0
    noun = "limit spring"

    def _check(self) -> None:
        names = (self.dofs,) if isinstance(self.dofs, str) else self.dofs
        try:
            listed = tuple(names)
        except TypeError:
            listed = ()
        if not listed or not all(isinstance(name, str) and name for name in listed):
            raise GoalError(f"{self.label()}: dofs must be names of degrees of freedom, got {self.dofs!r}")
        self._set("dofs", listed)
        if number(self, "margin") <= 0.0:
            raise GoalError(f"{self.label()}: margin must be positive, got {self.margin:g}")

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate that has a limit, its range that of the joint less the margin."""
        figure = self.pose.figure
        try:
            places = figure.select(self.dofs)
        except PoseError as problem:
            raise GoalError(f"{self.label()}: {problem}") from None
        low, high = figure.lower[places] + self.margin, figure.upper[places] - self.margin
        for j in np.flatnonzero(low > high):
            raise GoalError(
                f"{self.label()}: the margin {self.margin:g} leaves {figure.dofs[places[j]]!r} no room: "
                f"its range is {figure.lower[places[j]]:g} to {figure.upper[places[j]]:g}"
            )
        count = len(places)
        (part,) = self._linear(places, np.ones(count), np.ones(count), np.zeros(count), moves=True)
        return (replace(part, lower=low, upper=high),)
