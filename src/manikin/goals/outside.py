"""A site, or the whole shape of segments, clear of a region."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.figure.shapes import balls_and_eggs, capsules_of, halved
from manikin.goals.checks import number
from manikin.goals.occupant import RegionGoal, named, numbers
from manikin.goals.region import Box, HalfSpace, Primitive
from manikin.goals.registry import register
from manikin.goals.words import length
from manikin.residuals.block import Block, rows

if TYPE_CHECKING:
    from manikin.goals.words import Told

# Metres: nearer than this counts as touching.
_EDGE = 1e-4


@register
@dataclass(frozen=True, eq=False)
class Outside(RegionGoal):
    """Out of ``region``, at least ``margin`` metres: P = Σ (margin − distance)², 0 beyond. Hard by default.

    site: a site, whose point is kept out; or a segment, whose whole shape is; or a pattern of segments: ``"*"`` for all
        of them, ``"right_*"``. Shapes count as the tapered capsules that enclose them (`figure.shapes`).
    whole: whether a name that is both means the segment; by default it does where the segment has a shape.

    Of a union all pieces are kept clear of. Of an intersection the largest of the distances to its pieces counts. A
    segment has a measure for each of its capsules; against the flat sides of a box one for each half of them, against a
    plane one for each end, so that a limb that lies flat on it touches in two places.
    """

    _: KW_ONLY
    margin: float = 0.0
    whole: bool | None = None
    weight: float = 1.0
    hard: bool = True
    noun = "clearance"
    yields = True
    told_as_one = True
    shaped_first: ClassVar[bool] = True

    def _check(self) -> None:
        super()._check()
        number(self, "margin")

    def parts(self) -> tuple[Block, ...]:
        """Of every name and every piece of the union."""
        found: list[Block] = []
        for name, whole in self.names():
            for clause in self.region.clauses():
                if whole:
                    found += self._segment(name, clause)
                else:
                    found.append(self._part("point", 1, name, primitives=numbers(clause)))
        return tuple(found)

    def _segment(self, name: str, clause: tuple[Primitive, ...]) -> list[Block]:
        figure = self.pose.figure
        if any(piece.curve for piece in clause):
            raise GoalError(f"{self.label()}: a segment cannot be kept clear of a Circle, which is a curve")
        if len(clause) > 1 or not isinstance(clause[0], HalfSpace):
            capsules = capsules_of(figure, name, self.label())
            if any(isinstance(piece, Box | HalfSpace) for piece in clause):
                capsules = halved(capsules)
            return [self._part("clear", len(capsules), name, primitives=numbers(clause), capsules=capsules)]
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
            found.append(self._part("clear", len(balls), name, primitives=numbers(clause), capsules=balls))
        return found

    def _part(self, kind: str, count: int, name: str, **own: np.ndarray) -> Block:
        ranges = rows(self.weight, [self.margin] * count, [math.inf] * count)
        return Block(kind, **ranges, site=name, hard=self.hard, **own)  # type: ignore[arg-type]

    def words(self, told: Told) -> str:
        """How near it comes, and what of it."""
        least = told.least()
        if least is None:
            return f"{self.subject()} has nothing to keep clear"
        block, distance = least
        where = named([piece for clause in self.region.clauses() for piece in clause], "the")
        if not told.met:
            if distance < 0.0:
                return f"{block.site} is {length(-distance)} inside {where}"
            near = f"{block.site} comes within {length(distance)} of {where}"
            return f"{near}, {length(self.margin - distance)} too near"
        several = len({block.site for block in told.blocks}) > 1
        nearest = f", {block.site} nearest" if several else ""
        if distance < _EDGE:
            return f"{self.all_of(told)} keeps clear of {where} and touches it{nearest}"
        return f"{self.all_of(told)} keeps {length(distance)} clear of {where}{nearest}"
