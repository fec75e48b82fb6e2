"""Regions of space to stay inside or outside of, joined by ``&`` (both) and ``|`` (either)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.goals.checks import unit
from manikin.residuals.block import Block, across, equal, rows

_HALF_SPACE, _BALL, _BOX, _ROUND_CONE, _CIRCLE = range(5)  # as in kernels.residuals.regions
PRIMITIVE = 16
_FARTHEST = 1e12


class Region:
    """A part of space. ``a & b`` is what lies in both, ``a | b`` what lies in either."""

    def __and__(self, other: Region) -> Region:
        return Joined(self, other, both=True) if isinstance(other, Region) else NotImplemented

    def __or__(self, other: Region) -> Region:
        return Joined(self, other, both=False) if isinstance(other, Region) else NotImplemented

    def clauses(self) -> tuple[tuple[Primitive, ...], ...]:
        """The region as a union of intersections of primitives."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        """Regions are equal when they are written alike."""
        return isinstance(other, Region) and self._written() == other._written()

    def __hash__(self) -> int:
        return hash(self._written())

    def _written(self) -> tuple[tuple[bytes, ...], ...]:
        return tuple(tuple(p.numbers().tobytes() for p in clause) for clause in self.clauses())

    def contains(self, point: ArrayLike) -> bool:
        """Whether a point of the world lies in it; a curve contains what is within a nanometre of it."""
        x = np.asarray(point, dtype=np.float64)
        return any(all(p.distance(x) <= p.slack for p in clause) for clause in self.clauses())


class Joined(Region):
    """Two regions joined by ``&`` or ``|``."""

    def __init__(self, one: Region, other: Region, *, both: bool) -> None:
        self.one, self.other, self.both = one, other, both

    def clauses(self) -> tuple[tuple[Primitive, ...], ...]:
        """Distributed: (a | b) & c is a & c or b & c."""
        if not self.both:
            return self.one.clauses() + self.other.clauses()
        return tuple(a + b for a in self.one.clauses() for b in self.other.clauses())

    def __repr__(self) -> str:
        return f"({self.one!r} {'&' if self.both else '|'} {self.other!r})"


@dataclass(frozen=True, eq=False)
class Primitive(Region):
    """A region of one piece."""

    curve: ClassVar[bool] = False
    slack: ClassVar[float] = 0.0

    def clauses(self) -> tuple[tuple[Primitive, ...], ...]:
        """Itself."""
        return ((self,),)

    def numbers(self) -> np.ndarray:
        """The parameters that the kernels read."""
        raise NotImplementedError

    def distance(self, x: np.ndarray) -> float:
        """The signed distance of a point, negative inside."""
        raise NotImplementedError

    def inside(self, site: str, weight: float, *, hard: bool) -> Block:
        """The measures that keep a site inside: here its signed distance, at most 0."""
        return Block(
            "point",
            **rows(weight, [-math.inf], [0.0]),
            site=site,
            hard=hard,
            primitives=self.numbers()[None],
        )

    def _name(self) -> str:
        return type(self).__name__

    def _vector(self, name: str) -> np.ndarray:
        value = getattr(self, name)
        try:
            result = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise GoalError(f"{self._name()}: {name} must be three numbers, got {value!r}") from None
        if result.shape != (3,) or not (np.abs(result) <= _FARTHEST).all():
            raise GoalError(f"{self._name()}: {name} must be three finite numbers, got {result.tolist()}")
        result.flags.writeable = False
        object.__setattr__(self, name, result)
        return result

    def _direction(self, name: str) -> np.ndarray:
        given = self._vector(name)
        length = float(np.linalg.norm(given))
        if length < 1e-12:
            raise GoalError(f"{self._name()}: {name} has no direction, its length is {length:g}")
        result = unit(given, length)
        result.flags.writeable = False
        object.__setattr__(self, name, result)
        return result

    def _radius(self, name: str = "radius") -> float:
        value = getattr(self, name)
        try:
            result = float(value)
        except (TypeError, ValueError):
            raise GoalError(f"{self._name()}: {name} must be a number, got {value!r}") from None
        if not 0.0 <= result <= _FARTHEST:
            raise GoalError(f"{self._name()}: {name} must be finite and not negative, got {result}")
        object.__setattr__(self, name, result)
        return result

    def _pack(self, kind: int, *parts: Any) -> np.ndarray:
        result = np.zeros(PRIMITIVE)
        flat = np.concatenate([np.atleast_1d(np.asarray(part, dtype=np.float64)).ravel() for part in parts])
        result[0] = kind
        result[1 : 1 + len(flat)] = flat
        return result


@dataclass(frozen=True, eq=False)
class HalfSpace(Primitive):
    """All points x with (x − point)·normal ≤ 0: the normal points out of it, as up out of the floor's ground."""

    point: ArrayLike
    normal: ArrayLike

    def __post_init__(self) -> None:
        self._vector("point")
        self._direction("normal")

    def numbers(self) -> np.ndarray:
        """Point, normal."""
        return self._pack(_HALF_SPACE, self.point, self.normal)

    def distance(self, x: np.ndarray) -> float:
        """(x − point)·normal."""
        return float((x - np.asarray(self.point)) @ np.asarray(self.normal))

    def inside(self, site: str, weight: float, *, hard: bool) -> Block:
        """One coordinate, at most 0."""
        return Block(
            "coordinates",
            **rows(weight, [-math.inf], [0.0]),
            site=site,
            hard=hard,
            point=np.asarray(self.point),
            directions=np.asarray(self.normal)[None],
        )


@dataclass(frozen=True, eq=False)
class Box(Primitive):
    """A box: by ``center`` and ``size`` (its three edges), or by ``lower`` and ``upper`` corners.

    ``rotation`` (3×3 or a SciPy Rotation) turns it about its centre.
    """

    center: ArrayLike | None = None
    size: ArrayLike | None = None
    rotation: Any = None
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None

    def __post_init__(self) -> None:
        corners = self.lower is not None and self.upper is not None
        given = [name for name in ("center", "size", "lower", "upper") if getattr(self, name) is not None]
        if sorted(given) not in (["center", "size"], ["lower", "upper"]):
            raise GoalError(
                f"Box: give center and size, or lower and upper; got {' and '.join(given) or 'none'}"
            )
        if corners:
            low, high = self._vector("lower"), self._vector("upper")
            object.__setattr__(self, "center", 0.5 * (low + high))
            object.__setattr__(self, "size", high - low)
            for name in ("lower", "upper"):
                object.__setattr__(self, name, None)
        self._vector("center")
        if (self._vector("size") < 0.0).any():
            raise GoalError(f"Box: its edges must not be negative, got {np.asarray(self.size).tolist()}")
        self._turn()

    def _turn(self) -> None:
        value = np.eye(3) if self.rotation is None else self.rotation
        if hasattr(value, "as_matrix"):
            value = value.as_matrix()
        try:
            turn = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise GoalError(f"Box: rotation must be a rotation matrix, got {value!r}") from None
        if (
            turn.shape != (3, 3)
            or not np.isfinite(turn).all()
            or np.abs(turn @ turn.T - np.eye(3)).max() > 1e-5
            or np.linalg.det(turn) < 0.0
        ):
            raise GoalError(f"Box: rotation must be a 3×3 rotation matrix or a Rotation, got {turn.tolist()}")
        u, _, vt = np.linalg.svd(turn)
        turn = u @ vt
        turn.flags.writeable = False
        object.__setattr__(self, "rotation", turn)

    def numbers(self) -> np.ndarray:
        """Centre, half edges, axes as rows."""
        return self._pack(_BOX, self.center, 0.5 * np.asarray(self.size), self.rotation.T)

    def distance(self, x: np.ndarray) -> float:
        """The distance outside, minus the depth inside."""
        d = np.abs(self.rotation.T @ (x - np.asarray(self.center))) - 0.5 * np.asarray(self.size)
        return float(np.linalg.norm(np.maximum(d, 0.0)) + min(d.max(), 0.0))

    def inside(self, site: str, weight: float, *, hard: bool) -> Block:
        """Three coordinates, each within its edges: smooth, with the same squares as the distance."""
        half = 0.5 * np.asarray(self.size)
        return Block(
            "coordinates",
            **rows(weight, -half, half),
            site=site,
            hard=hard,
            point=np.asarray(self.center),
            directions=self.rotation.T,
        )


@dataclass(frozen=True, eq=False)
class Ball(Primitive):
    """All points within ``radius`` of ``center``."""

    center: ArrayLike
    radius: float

    def __post_init__(self) -> None:
        self._vector("center")
        self._radius()

    def numbers(self) -> np.ndarray:
        """Centre, radius."""
        return self._pack(_BALL, self.center, self.radius)

    def distance(self, x: np.ndarray) -> float:
        """‖x − center‖ − radius."""
        return float(np.linalg.norm(x - np.asarray(self.center))) - self.radius


@dataclass(frozen=True, eq=False)
class Capsule(Primitive):
    """All points within ``radius`` of the straight line from ``a`` to ``b``."""

    a: ArrayLike
    b: ArrayLike
    radius: float

    def __post_init__(self) -> None:
        self._vector("a")
        self._vector("b")
        self._radius()

    def numbers(self) -> np.ndarray:
        """Start, direction, length, radius twice."""
        along = np.asarray(self.b) - np.asarray(self.a)
        length = float(np.linalg.norm(along))
        direction = along / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
        return self._pack(_ROUND_CONE, self.a, direction, length, self.radius, self.radius)

    def distance(self, x: np.ndarray) -> float:
        """The distance from the line, less the radius."""
        a, along = np.asarray(self.a), np.asarray(self.b) - np.asarray(self.a)
        square = float(along @ along)
        t = min(max(float((x - a) @ along) / square, 0.0), 1.0) if square > 0.0 else 0.0
        return float(np.linalg.norm(x - a - t * along)) - self.radius


@dataclass(frozen=True, eq=False)
class Circle(Primitive):
    """The points at ``radius`` from ``center`` in the plane across ``normal``: a curve. Inside it means on it."""

    center: ArrayLike
    normal: ArrayLike
    radius: float
    curve: ClassVar[bool] = True
    slack: ClassVar[float] = 1e-9

    def __post_init__(self) -> None:
        self._vector("center")
        self._direction("normal")
        self._radius()

    def numbers(self) -> np.ndarray:
        """Centre, normal, radius, a direction across the normal."""
        return self._pack(_CIRCLE, self.center, self.normal, self.radius, across(np.asarray(self.normal))[0])

    def distance(self, x: np.ndarray) -> float:
        """The distance from the curve."""
        e, n = x - np.asarray(self.center), np.asarray(self.normal)
        height = float(e @ n)
        return math.hypot(height, float(np.linalg.norm(e - height * n)) - self.radius)

    def inside(self, site: str, weight: float, *, hard: bool) -> Block:
        """Height over the plane and distance from the axis, as they are on the curve."""
        return Block("ring", **equal(weight, 2), site=site, hard=hard, primitives=self.numbers()[None])
