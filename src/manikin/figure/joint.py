"""Joints, and the axes that follow others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.curve import Curve
from manikin.figure.motions import Step, parse_motion
from manikin.figure.segment import Record
from manikin.figure.swing import Ellipse, Polygon, SwingLimit


@dataclass(frozen=True, eq=False)
class Follow(Record):
    """An axis without a coordinate of its own: its value is offset + Σ c·q over the named degrees of freedom.

    A mimic joint is ``Follow({"other": multiplier}, offset)``; ``Follow({}, 0.3)`` holds the axis at 0.3.
    curve: a Curve f makes the value f(offset + Σ c·q), as of a knee that slides while it bends.
    """

    coefficients: Mapping[str, float]
    offset: float = 0.0
    curve: Curve | None = None

    def __post_init__(self) -> None:
        self._set(
            coefficients=MappingProxyType(checks.coefficients(self.coefficients, "follow")),
            offset=checks.number(self.offset, "follow: the offset"),
        )
        if self.curve is not None and not isinstance(self.curve, Curve):
            raise FigureError(f"follow: its curve must be a Curve, got {self.curve!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Follow, (dict(self.coefficients), self.offset, self.curve)

    def value(self, values: Mapping[str, float]) -> float:
        """The axis's value where the degrees of freedom have these values by name."""
        total = self.offset + sum(c * values[name] for name, c in self.coefficients.items())
        return total if self.curve is None else float(self.curve(total))


@dataclass(frozen=True)
class Axis:
    """One axis as it was asked for; `rest` None is the default, `follow` None its own coordinate."""

    name: str
    unit: str
    lower: float
    upper: float
    rest: float | None
    stiffness: float
    velocity: float
    effort: float
    follow: Follow | None
    description: str


@dataclass(frozen=True, eq=False)
class Joint(Record):
    """A joint between two segments, a site on each held together by a motion.

    The child's frame in its parent's is placement · motion(q) · child_placement⁻¹.

    motion: ``"fixed"``, ``"ball"``, ``"free"``, ``"planar"``, or a product of turns and slides such as
        ``"R(z)*R(-x)*T(0,1,1)"``. Ball: exp([sx, sy, 0]) · Rz(twist), the twist about z, or about x for
        ``"ball(x)"``. Free: slides along x, y, z, then exp of a rotation vector. Planar: slides along x and
        y, then a turn about z.
    placement, child_placement: the joint's frame in the parent and in the child, 4×4 or a 3-vector.
    lower, upper: rad or m, for all axes or one an axis; None is unlimited.
    rest: where the axis likes to be; by default 0, or the middle of a range that does not hold 0.
    stiffness: how unwilling the axis is to move, beside others; 1 by default.
    velocity: the greatest speed, rad/s or m/s, which `Problem.solve` keeps with ``dt=``; unlimited by default.
    effort: the greatest force or torque, N or N·m; unlimited by default. Files keep it; nothing is solved by it.
    dofs: names for the axes; by default the joint's name, with ``_x`` … added when there are several.
    follow: a Follow for an axis that has no coordinate of its own, or a sequence with one (or None) an axis.
    descriptions: a sentence an axis: sign, zero, clinical name.
    swing: for a ball joint, an Ellipse or a Polygon that its first two values stay in, besides their own ranges, which
        become no wider than the box around it. Where it does not hold 0, its middle is the default rest.
    """

    name: str
    parent: str
    child: str
    motion: str = "fixed"
    placement: Any = None
    child_placement: Any = None
    lower: float | Sequence[float | None] | None = None
    upper: float | Sequence[float | None] | None = None
    rest: float | Sequence[float | None] | None = None
    stiffness: float | Sequence[float | None] | None = None
    velocity: float | Sequence[float | None] | None = None
    effort: float | Sequence[float | None] | None = None
    dofs: str | Sequence[str] | None = None
    follow: Follow | Sequence[Follow | None] | None = None
    descriptions: str | Sequence[str] | None = None
    swing: SwingLimit | None = None
    steps: tuple[Step, ...] = field(init=False, repr=False)
    axes: tuple[Axis, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        where = f"joint {checks.name(self.name, 'joint')!r}"
        checks.name(self.parent, f"{where}: parent")
        checks.name(self.child, f"{where}: child")
        steps = parse_motion(self.motion, where)
        self._set(
            placement=checks.placement(self.placement, f"{where}: placement"),
            child_placement=checks.placement(self.child_placement, f"{where}: child_placement"),
            steps=steps,
            axes=self._axes(steps, where),
        )

    def placed(self, placement: Any = None, child_placement: Any = None) -> Joint:
        """The joint elsewhere, its axes the same objects: what another size of a figure has."""
        where = f"joint {self.name!r}"
        result = object.__new__(type(self))
        result.__dict__.update(
            self.__dict__,
            placement=checks.placement(placement, f"{where}: placement"),
            child_placement=checks.placement(child_placement, f"{where}: child_placement"),
        )
        return result

    def _axes(self, steps: tuple[Step, ...], where: str) -> tuple[Axis, ...]:
        labels = [label for step in steps for label in step.labels]
        units = [unit for step in steps for unit in step.units]
        count = len(labels)
        defaults = [self.name] if count == 1 else [f"{self.name}_{label}" for label in labels]
        names: Any = (
            defaults
            if self.dofs is None
            else [self.dofs]
            if isinstance(self.dofs, str)
            else checks.listed(self.dofs, f"{where}: dofs")
        )
        if len(names) != count:
            raise FigureError(f"{where}: expected {count} names in dofs, got {len(names)}")
        columns = [
            (default,) * count
            if (value := getattr(self, key)) is None
            else checks.per_axis(value, count, default, f"{where}: {key}")
            for key, default in _DEFAULTS.items()
        ]
        axes = tuple(_axis(where, *entry) for entry in zip(names, units, *columns, strict=True))
        if self.swing is None:
            return axes
        if [step.kind.swings for step in steps] != [True]:
            raise FigureError(f"{where}: only a ball joint has a swing to limit, this one is {self.motion!r}")
        return (*_swung(axes[:2], self.swing, where), *axes[2:])

    @classmethod
    def revolute(cls, name: str, parent: str, child: str, axis: Any = "z", **options: Any) -> Self:
        """A hinge about `axis`, a letter or a vector."""
        return cls(name, parent, child, f"R({_axis_text(axis)})", **options)

    @classmethod
    def continuous(cls, name: str, parent: str, child: str, axis: Any = "z", **options: Any) -> Self:
        """A hinge about `axis` without limits."""
        if options.get("lower") is not None or options.get("upper") is not None:
            raise FigureError(f"joint {name!r}: a continuous joint has no limits; use Joint.revolute")
        return cls.revolute(name, parent, child, axis, **options)

    @classmethod
    def prismatic(cls, name: str, parent: str, child: str, axis: Any = "z", **options: Any) -> Self:
        """A slide along `axis`, a letter or a vector."""
        return cls(name, parent, child, f"T({_axis_text(axis)})", **options)

    @classmethod
    def fixed(cls, name: str, parent: str, child: str, placement: Any = None) -> Self:
        """A weld."""
        return cls(name, parent, child, "fixed", placement)

    @classmethod
    def ball(
        cls,
        name: str,
        parent: str,
        child: str,
        axis: Any = "z",
        *,
        cone: float | None = None,
        ellipse: Sequence[float] | None = None,
        polygon: Any = None,
        center: Sequence[float] | None = None,
        twist: Sequence[float | None] | None = None,
        **options: Any,
    ) -> Self:
        """A ball joint, its twist about `axis`.

        cone: how far the axis may lean over, to all sides, radians.
        ellipse: the same about the first and about the second axis of the swing.
        polygon: three or more points (s1, s2), the corners of a convex polygon of allowed swings.
        center: the middle of the cone or ellipse, (s1, s2); 0 by default.
        twist: the range of the twist, (lower, upper), radians; None for no limit.
        """
        where = f"joint {name!r}"
        if cone is not None:
            cone = checks.number(cone, f"{where}: cone")
        limit = _swing_limit(where, cone, ellipse, polygon, center)
        if limit is not None:
            options["swing"] = limit
        if twist is not None:
            options.update(_with_twist(where, twist, options))
        return cls(name, parent, child, f"ball({_axis_text(axis)})", **options)


# What an axis is given besides its name and unit, in the order of Axis, and what it has where nothing is.
_DEFAULTS: dict[str, Any] = {
    "lower": -inf,
    "upper": inf,
    "rest": None,
    "stiffness": 1.0,
    "velocity": inf,
    "effort": inf,
    "follow": None,
    "descriptions": "",
}


def _swing_limit(
    where: str, cone: float | None, ellipse: Any, polygon: Any, center: Any
) -> SwingLimit | None:
    given = [entry for entry in (cone, ellipse, polygon) if entry is not None]
    if len(given) > 1:
        raise FigureError(f"{where}: a swing is limited by a cone, an ellipse or a polygon, not by several")
    if center is not None and (not given or polygon is not None):
        raise FigureError(f"{where}: a center belongs to a cone or an ellipse")
    try:
        if polygon is not None:
            return Polygon(polygon)
        radii = ellipse if cone is None else (cone, cone)
        return None if radii is None else Ellipse(radii, (0.0, 0.0) if center is None else center)
    except FigureError as error:
        raise FigureError(f"{where}: {error}") from None


def _with_twist(where: str, twist: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options `lower` and `upper` with the twist's range in third place."""
    ends = list(twist) if isinstance(twist, (Sequence, np.ndarray)) else []
    if isinstance(twist, str) or len(ends) != 2:
        raise FigureError(f"{where}: twist is a range (lower, upper), got {twist!r}")
    found = {}
    for key, end in zip(("lower", "upper"), ends, strict=True):
        column = checks.per_axis(options.get(key), 3, None, f"{where}: {key}")
        if column[2] is not None:
            raise FigureError(f"{where}: the range of the twist is given twice, in twist and in {key}")
        found[key] = (*column[:2], end)
    return found


def _swung(axes: Sequence[Axis], limit: SwingLimit, where: str) -> list[Axis]:
    """The two swings with their ranges inside the limit's box, and a rest inside the limit."""
    if not isinstance(limit, (Ellipse, Polygon)):
        raise FigureError(f"{where}: swing must be an Ellipse or a Polygon, got {limit!r}")
    for axis in axes:
        if axis.follow is not None:
            raise FigureError(
                f"{where}: {axis.name!r} follows others, so the swing cannot be limited as a whole"
            )
    low, high = limit.box()
    low = np.maximum(low, [axis.lower for axis in axes])
    high = np.minimum(high, [axis.upper for axis in axes])
    for axis, lower, upper in zip(axes, low, high, strict=True):
        if lower > upper:
            raise FigureError(
                f"{where}, {axis.name!r}: its range has nothing in common with the swing's limit"
            )
    middle = np.clip(limit.middle, low, high)
    zero = np.clip([0.0, 0.0], low, high)
    default = zero if limit.holds(zero) else middle
    rest = [value if axis.rest is None else axis.rest for axis, value in zip(axes, default, strict=True)]
    if not limit.holds(rest) or (np.array(rest) < low).any() or (np.array(rest) > high).any():
        shown = ", ".join(f"{value:g}" for value in rest)
        raise FigureError(f"{where}: rest ({shown}) is outside the limit of its swing")
    return [
        replace(axis, lower=float(low[k]), upper=float(high[k]), rest=float(rest[k]))
        for k, axis in enumerate(axes)
    ]


def _axis_text(axis: Any) -> str:
    return axis if isinstance(axis, str) else ",".join(repr(float(entry)) for entry in axis)


def _axis(
    where: str,
    name: Any,
    unit: str,
    lower: Any,
    upper: Any,
    rest: Any,
    stiffness: Any,
    velocity: Any,
    effort: Any,
    follow: Any,
    description: Any,
) -> Axis:
    """One axis, each entry checked; `where` names the joint."""
    checks.name(name, f"{where}: dofs")
    if repr(name) not in where:
        where = f"{where}, {name!r}"
    lower = checks.number(lower, f"{where}: lower", infinite=True)
    upper = checks.number(upper, f"{where}: upper", infinite=True)
    if lower > upper or lower == inf or upper == -inf:
        raise FigureError(f"{where}: the lower limit {lower:g} is above the upper limit {upper:g}")
    if rest is not None:
        rest = checks.number(rest, f"{where}: rest")
        if not lower <= rest <= upper:
            raise FigureError(f"{where}: rest {rest:g} is outside the range {lower:g} to {upper:g}")
    stiffness = checks.number(stiffness, f"{where}: stiffness")
    if stiffness <= 0.0:
        raise FigureError(f"{where}: the stiffness must be above 0, got {stiffness:g}")
    velocity = checks.number(velocity, f"{where}: velocity", infinite=True)
    if velocity < 0.0:
        raise FigureError(f"{where}: the velocity limit must not be negative, got {velocity:g}")
    effort = checks.number(effort, f"{where}: effort", infinite=True)
    if effort < 0.0:
        raise FigureError(f"{where}: the greatest effort must not be negative, got {effort:g}")
    if follow is not None and not isinstance(follow, Follow):
        raise FigureError(f"{where}: follow must be a Follow, got {follow!r}")
    if follow is not None and rest is not None:
        raise FigureError(f"{where}: an axis that follows others has no rest of its own")
    return Axis(name, unit, lower, upper, rest, stiffness, velocity, effort, follow, str(description))
