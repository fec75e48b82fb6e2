"""What a goal asks of a pose: parts, each some rows of one kind.

A row is one number g of the pose with a range [lower, upper] and a weight; `kernels.residuals.kinds` has the kinds.
Points, directions and regions of a part are given in the frame of its base site, or in the world's where it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from manikin.goals.potential import Potential


def _constant(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


_NONE, _ORIGIN, EYE = _constant(np.zeros(0)), _constant(np.zeros(3)), _constant(np.eye(3))
_NO_DIRECTIONS, _NO_PRIMITIVES = _constant(np.zeros((0, 3))), _constant(np.zeros((0, 16)))
_NO_CAPSULES = _constant(np.zeros((0, 8)))
_FIXED, _NOT_FIXED = _constant(np.ones(1)), _constant(np.zeros(1))


@dataclass(eq=False, slots=True)
class Block:
    """Some rows of one kind. Not frozen, which would take longer than a solve; nothing changes one once it is made.

    kind: one of `kernels.residuals.kinds`.
    lower, upper, weight: one a row.
    site: the site that is measured, or the segment for kinds of shapes.
    segment: whether ``site`` is a segment for other kinds too.
    at: the point of it that is measured, in its frame.
    base: the site in whose frame it is measured; "" for the world.
    unit: of the miss: ``"m"``, ``"rad"`` or "".
    hard: whether the ranges have to hold.
    last: whether it only chooses among equals: last level, never part of what counts as reached.
    follows: whether its target is where the start of a solve has the site.
    target: which of these a target that comes with a call is: its ``"point"``, its ``"turn"``, or "".
    turn: the target's axes, columns; of an orientation that minds some of them alone too, ``components`` telling which.
    potential: of the kind ``"affine"``, the goal whose function the rows are a local model of.
    """

    kind: str
    lower: np.ndarray
    upper: np.ndarray
    weight: np.ndarray
    site: str = ""
    segment: bool = False
    at: np.ndarray = field(default_factory=lambda: _ORIGIN)
    base: str = ""
    unit: str = "m"
    hard: bool = False
    last: bool = False
    follows: bool = False
    target: str = ""
    point: np.ndarray = field(default_factory=lambda: _ORIGIN)
    directions: np.ndarray = field(default_factory=lambda: _NO_DIRECTIONS)
    turn: np.ndarray = field(default_factory=lambda: EYE)
    site_axes: np.ndarray = field(default_factory=lambda: _NO_DIRECTIONS)
    components: tuple[int, ...] = ()
    primitives: np.ndarray = field(default_factory=lambda: _NO_PRIMITIVES)
    capsules: np.ndarray = field(default_factory=lambda: _NO_CAPSULES)
    other: str = ""
    other_capsules: np.ndarray = field(default_factory=lambda: _NO_CAPSULES)
    points: tuple[tuple[str, np.ndarray], ...] = ()
    """Each on a site, or on ``"segment:"`` or ``"motion:"`` and its name or number, and where in its frame."""
    dofs: tuple[int, ...] = ()
    """Coordinates that are worth moving for these rows alone."""
    columns: tuple[int, ...] = ()
    """Of the kind ``"dense"``, the coordinates of its columns."""
    numbers: np.ndarray = field(default_factory=lambda: _NONE)
    potential: Potential | None = None

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.lower)

    @property
    def structure(self) -> tuple[object, ...]:
        """What cannot change without packing anew: two parts alike in this may take each other's place."""
        sizes = (self.rows, len(self.primitives), len(self.capsules), len(self.other_capsules))
        names = (
            self.kind,
            self.site,
            self.segment,
            self.base,
            self.other,
            tuple(name for name, _ in self.points),
        )
        return (*names, *sizes, self.dofs, self.columns, len(self.numbers))

    def miss_at(self, q: np.ndarray, start: np.ndarray) -> float:
        """Of the kind ``"linear"``, how far the coordinates q are outside the ranges: the norm, unweighted.

        start: where the solve began, which rows that follow it are measured from.
        """
        index, factor, origin = self.numbers.reshape(-1, 3).T
        places = index.astype(int)
        value = factor * (q[places] - (start[places] if self.follows else origin))
        return float(np.linalg.norm(value - np.clip(value, self.lower, self.upper)))

    def scaled(self, factor: float, *, hard: bool) -> Block:
        """The part with its weights multiplied, and hard if this or that says so."""
        return replace(self, weight=self.weight * factor, hard=self.hard or hard)


def rows(weight: float, lower: Sequence[float] | np.ndarray, upper: Sequence[float] | np.ndarray) -> dict:
    """Ranges and equal weights, as arguments of a Block."""
    low, high = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
    return {"lower": low, "upper": high, "weight": np.full(len(low), float(weight))}


def equal(weight: float, count: int) -> dict:
    """Rows that have to be 0, as arguments of a Block."""
    zeros = _same(0.0, count)
    return {"lower": zeros, "upper": zeros, "weight": _same(weight, count)}


@lru_cache(maxsize=256)
def _same(value: float, count: int) -> np.ndarray:
    return _constant(np.full(count, float(value)))


def across(direction: np.ndarray) -> np.ndarray:
    """Two unit vectors (rows) at right angles to a unit vector and to each other."""
    return axis_and_across(direction)[1:]


def axis_and_across(direction: np.ndarray) -> np.ndarray:
    """A unit vector (row) and two at right angles to it and to each other; read-only, and the same array every time."""
    return _frame_of(*direction.tolist())


@lru_cache(maxsize=256)
def _frame_of(x: float, y: float, z: float) -> np.ndarray:
    direction = np.array([x, y, z])
    first = EYE[int(np.argmin(np.abs(direction)))]
    first = first - (first @ direction) * direction
    first /= np.linalg.norm(first)
    return _constant(np.vstack([direction, first, np.cross(direction, first)]))


def pointing(
    site: str,
    axis: np.ndarray,
    at: np.ndarray,
    weight: float,
    *,
    hard: bool,
    fixed: bool = False,
    **more: Any,
) -> Block:
    """A site's axis pointing at a point, or along the direction ``at`` where that is ``fixed``: P = w (2 sin ½θ)²."""
    return Block(
        "aim",
        **equal(weight, 2),
        site=site,
        unit="rad",
        hard=hard,
        target="turn" if fixed else "point",
        point=at,
        site_axes=axis_and_across(axis),
        numbers=_FIXED if fixed else _NOT_FIXED,
        **more,
    )


def cone_part(
    first: int, second: int, center: Sequence[float] | np.ndarray, radii: Sequence[float] | np.ndarray
) -> Block:
    """A ball joint's swing, coordinates ``first`` and ``second``, within an ellipse: hard."""
    numbers = np.array([first, second, *center, *radii], dtype=np.float64)
    return Block("cone", **rows(1.0, [-inf], [1.0]), unit="", hard=True, numbers=numbers)
