"""A site, or the whole shape of segments, clear of a region."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure
from manikin.figure.checks import near
from manikin.goals.goal import Goal, number
from manikin.goals.inside import checked_region
from manikin.goals.part import Part, rows
from manikin.goals.region import Box, HalfSpace, Primitive, Region
from manikin.goals.shapes import balls_and_eggs, capsules_of, halved


@dataclass(frozen=True, eq=False)
class Outside(Goal):
    """Out of ``region``, at least ``margin`` metres: P = Σ (margin − distance)², 0 beyond.

    site: a site, whose point is kept out; or a segment, whose whole shape is; or a pattern of segments: ``"*"`` for all
        of them, ``"right_*"``. Shapes count as the tapered capsules that enclose them (`goals.shapes`).
    whole: whether a name that is both means the segment; by default it does where the segment has a shape.

    Of a union all pieces are kept clear of. Of an intersection the largest of the distances to its pieces counts. A
    segment has a measure for each of its capsules; against the flat sides of a box one for each half of them, against a
    plane one for each end, so that a limb that lies flat on it touches in two places.
    """

    region: Region
    margin: float = 0.0
    whole: bool | None = None
    weight: float = 1.0
    hard: bool = False
    noun = "clearance"
    settled_by: ClassVar[bool] = True

    def _check(self) -> None:
        checked_region(self, self.region)
        number(self, "margin")
        if self.whole is not None and not isinstance(self.whole, bool):
            raise GoalError(f"{self.label()}: whole must be true, false or None, got {self.whole!r}")

    def parts(self) -> tuple[Part, ...]:
        """Of every name and every piece of the union."""
        found: list[Part] = []
        for name, whole in self._names(self.pose.figure):
            for clause in self.region.clauses():
                if whole:
                    found += self._segment(name, clause)
                else:
                    found.append(self._part("point", 1, name, primitives=_numbers(clause)))
        return tuple(found)

    def _names(self, figure: Figure) -> list[tuple[str, bool]]:
        """The sites and segments that the goal is about, and whether each counts as a whole."""
        shaped = {name for name, segment in figure.segments.items() if segment.shapes}
        if self.site in figure.segments or self.site in figure.sites:
            whole = self.site in shaped if self.whole is None else self.whole
            if whole and self.site not in shaped:
                raise GoalError(f"{self.label()}: it is not a segment with a shape; whole=True needs one")
            return [(self.site, whole)]
        matched = [name for name in figure.segments if fnmatchcase(name, self.site) and name in shaped]
        if not matched:
            raise GoalError(
                f"{self.label()}: figure {figure.name!r} has no such site, and no segment with a shape matches; "
                f"{near(self.site, figure.sites)}"
            )
        return [(name, True) for name in matched]

    def _segment(self, name: str, clause: tuple[Primitive, ...]) -> list[Part]:
        figure = self.pose.figure
        if any(piece.curve for piece in clause):
            raise GoalError(f"{self.label()}: a segment cannot be kept clear of a Circle, which is a curve")
        if len(clause) > 1 or not isinstance(clause[0], HalfSpace):
            capsules = capsules_of(figure, name, self.label())
            if any(isinstance(piece, Box | HalfSpace) for piece in clause):
                capsules = halved(capsules)
            return [self._part("clear", len(capsules), name, primitives=_numbers(clause), capsules=capsules)]
        balls, eggs = balls_and_eggs(figure, name, self.label())
        found = [
            self._part(
                "egg",
                1,
                name,
                numbers=egg,
                point=np.asarray(clause[0].point),
                directions=np.asarray(clause[0].normal)[None],
            )
            for egg in eggs
        ]
        if len(balls):
            found.append(self._part("clear", len(balls), name, primitives=_numbers(clause), capsules=balls))
        return found

    def _part(self, kind: str, count: int, name: str, **own: np.ndarray) -> Part:
        ranges = rows(self.weight, [self.margin] * count, [math.inf] * count)
        return Part(kind, **ranges, site=name, hard=self.hard, **own)  # type: ignore[arg-type]


def _numbers(clause: tuple[Primitive, ...]) -> np.ndarray:
    return np.vstack([piece.numbers() for piece in clause])
