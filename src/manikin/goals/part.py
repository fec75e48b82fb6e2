"""What a goal asks of the general method: parts, each a few measures with their ranges.

A measure is one number g of the pose with a range [lower, upper]; see `kernels.rows.measures` for the kinds.
Points, directions and regions of a part are given in the frame of its base site, or in the world's where it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from manikin.goals.term import Term

if TYPE_CHECKING:
    from manikin.goals.potential import Potential


def _constant(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


_NONE, _ORIGIN, _EYE = _constant(np.zeros(0)), _constant(np.zeros(3)), _constant(np.eye(3))
_NO_DIRECTIONS, _NO_PRIMITIVES = _constant(np.zeros((0, 3))), _constant(np.zeros((0, 16)))
_NO_CAPSULES = _constant(np.zeros((0, 8)))


@dataclass(frozen=True, eq=False)
class Part:
    """Some measures of one kind.

    kind: as in `kernels.rows.measures`, in lower case.
    lower, upper, weight: one a row.
    site: the site that is measured, or the segment for the kinds ``"clear"``, ``"apart"`` and ``"egg"``.
    segment: whether ``site`` is a segment for the other kinds too.
    at: the point of it that is measured, in its frame.
    base: the site in whose frame it is measured; "" for the world.
    unit: of the miss: ``"m"``, ``"rad"`` or "".
    hard: whether the ranges have to hold.
    last: whether it only chooses among equals: last level, never part of what counts as reached.
    follows: whether its target is where the start of a solve has the site.
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
    point: np.ndarray = field(default_factory=lambda: _ORIGIN)
    directions: np.ndarray = field(default_factory=lambda: _NO_DIRECTIONS)
    turn: np.ndarray = field(default_factory=lambda: _EYE)
    site_axes: np.ndarray = field(default_factory=lambda: _NO_DIRECTIONS)
    components: tuple[int, ...] = ()
    primitives: np.ndarray = field(default_factory=lambda: _NO_PRIMITIVES)
    capsules: np.ndarray = field(default_factory=lambda: _NO_CAPSULES)
    other: str = ""
    other_capsules: np.ndarray = field(default_factory=lambda: _NO_CAPSULES)
    points: tuple[tuple[str, np.ndarray], ...] = ()
    """Each on a site, or on ``"segment:"`` or ``"motion:"`` and its name or number, and where in its frame."""
    dofs: tuple[int, ...] = ()
    numbers: np.ndarray = field(default_factory=lambda: _NONE)
    potential: Potential | None = None

    @property
    def rows(self) -> int:
        """How many measures it has."""
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
        return (*names, *sizes, self.dofs if self.kind == "dense" else (), len(self.numbers))

    def miss_at(self, q: np.ndarray, start: np.ndarray) -> float:
        """Of the kind ``"linear"``, how far the coordinates q are outside the ranges: the norm, unweighted.

        start: where the solve began, which rows that follow it are measured from.
        """
        index, factor, origin = self.numbers.reshape(-1, 3).T
        places = index.astype(int)
        value = factor * (q[places] - (start[places] if self.follows else origin))
        return float(np.linalg.norm(value - np.clip(value, self.lower, self.upper)))

    def scaled(self, factor: float, *, hard: bool) -> Part:
        """The part with its weights multiplied, and hard if this or that says so."""
        return replace(self, weight=self.weight * factor, hard=self.hard or hard)


def rows(weight: float, lower: Sequence[float] | np.ndarray, upper: Sequence[float] | np.ndarray) -> dict:
    """Ranges and equal weights, as arguments of a Part."""
    low, high = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
    return {"lower": low, "upper": high, "weight": np.full(len(low), float(weight))}


def equal(weight: float, count: int) -> dict:
    """Rows that have to be 0, as arguments of a Part."""
    zeros = np.zeros(count)
    return {"lower": zeros, "upper": zeros, "weight": np.full(count, float(weight))}


def across(direction: np.ndarray) -> np.ndarray:
    """Two unit vectors (rows) at right angles to a unit vector and to each other."""
    first = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = first - (first @ direction) * direction
    first /= np.linalg.norm(first)
    return np.vstack([first, np.cross(direction, first)])


def part_of_term(term: Term, *, hard: bool) -> Part:
    """The measures of a term, their potential that of the term."""
    weight, site = term.weight, term.site
    if term.kind in ("point", "line", "plane"):
        directions = _EYE
        if term.kind != "point":
            directions = across(term.directions[0]) if term.kind == "line" else term.directions[:1]
        return Part(
            "coordinates",
            **equal(weight, len(directions)),
            site=site,
            hard=hard,
            point=term.target,
            directions=directions,
        )
    if term.kind == "aim":
        return _aim(term, term.site_axes[0], term.target, 0.0, weight, hard=hard)
    minded = np.flatnonzero(term.axis_weights)
    if len(minded) == 1:
        k = minded[0]
        half = 0.5 * term.axis_weights[k] * weight
        return _aim(term, term.site_axes[k], term.directions[k], 1.0, half, hard=hard)
    if hard or len(set(term.axis_weights)) == 1:
        whole = weight * sum(term.axis_weights) / 3.0
        turn = term.directions.T @ term.site_axes
        return Part("turn", **equal(whole, 3), site=site, unit="rad", hard=hard, turn=turn)
    part = Part(
        "axes",
        **equal(1.0, 3 * len(minded)),
        site=site,
        unit="rad",
        directions=term.directions[minded],
        site_axes=term.site_axes[minded],
    )
    return replace(part, weight=np.repeat(0.5 * weight * np.array(term.axis_weights)[minded], 3))


def _aim(term: Term, axis: np.ndarray, at: np.ndarray, fixed: float, weight: float, *, hard: bool) -> Part:
    return Part(
        "aim",
        **equal(weight, 2),
        site=term.site,
        unit="rad",
        hard=hard,
        point=at,
        site_axes=np.vstack([axis, across(axis)]),
        numbers=np.array([fixed]),
    )


def cone_part(
    first: int, second: int, center: Sequence[float] | np.ndarray, radii: Sequence[float] | np.ndarray
) -> Part:
    """A ball joint's swing, coordinates ``first`` and ``second``, within an ellipse: hard."""
    numbers = np.array([first, second, *center, *radii], dtype=np.float64)
    return Part("cone", **rows(1.0, [-inf], [1.0]), unit="", hard=True, numbers=numbers)
