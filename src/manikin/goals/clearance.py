"""The figure's own segments clear of each other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.figure.clearance import IGNORED, ClearancePair, clearance_pairs
from manikin.figure.fine_shapes import covers_of
from manikin.figure.shapes import capsules_of
from manikin.goals.checks import number
from manikin.goals.goal import FigureGoal
from manikin.goals.registry import register
from manikin.goals.words import length
from manikin.residuals.block import Block, rows

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.goals.words import Told

# Metres: what rounding may make of a distance at rest.
_ROUNDING = 1e-12


@register
@dataclass(frozen=True, eq=False)
class SelfClearance(FigureGoal):
    """The figure's segments at least ``margin`` metres clear of each other: one measure per pair. Hard by default.

    segments: names or patterns of those that mind; all that have a shape by default.
    include: pairs of names or patterns that are minded although the tree or the figure leaves them out.
    ignore: pairs that may touch: ``[("left_hand", "left_thigh")]``.

    Left out are pairs that a joint connects (over one segment in between as well), pairs that nothing moves against
    each other, and those that the figure says touch; ``Figure.clearance_pairs`` lists all of them with the reason, and
    `explain` tells. Meshes are enclosed by one capsule or, where that is within the margin of the other segment at
    rest, by several. A pair that is nearer than the margin at rest by these too, or overlaps there, has to get no
    nearer than that; of such a pair the shapes cannot tell whether it touches (`unsure`, and `explain` says which).
    """

    _: KW_ONLY
    margin: float = 0.0
    segments: str | Sequence[str] | None = None
    ignore: Sequence[tuple[str, str]] = ()
    weight: float = 1.0
    hard: bool = True
    include: Sequence[tuple[str, str]] = ()
    noun = "clearance"
    yields = True
    told_as_one = True
    settled_by: ClassVar[bool] = True

    def _check(self) -> None:
        number(self, "margin")
        for name in ("ignore", "include"):
            self._set(name, self._checked_pairs(name))
        if self.segments is not None and not isinstance(self.segments, str):
            try:
                listed = tuple(self.segments)
            except TypeError:
                listed = ()
            if not listed or not all(isinstance(name, str) for name in listed):
                raise GoalError(f"{self.label()}: segments must be names or patterns, got {self.segments!r}")
            self._set("segments", listed)

    def _checked_pairs(self, name: str) -> tuple[tuple[str, ...], ...]:
        given = getattr(self, name)
        try:
            pairs = [(pair,) if isinstance(pair, str) else tuple(pair) for pair in given]
        except TypeError:
            raise GoalError(f"{self.label()}: {name} must be pairs of names, got {given!r}") from None
        for pair in pairs:
            if len(pair) != 2 or not all(isinstance(each, str) for each in pair):
                raise GoalError(f"{self.label()}: {name} must be pairs of names, got {pair!r}")
        return tuple(pairs)

    def listed(self) -> tuple[ClearancePair, ...]:
        """Every pair of the segments that mind, kept apart or left out."""
        return clearance_pairs(
            self.pose.figure,
            self.segments,
            include=self.include,
            ignore=self.ignore,
            who=self.label(),
            margin=self.margin,
        )

    def unsure(self) -> list[tuple[str, str]]:
        """The pairs of which the shapes cannot tell that they do not touch: they overlap at rest."""
        return [(pair.first, pair.second) for pair in self.listed() if pair.unsure]

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of segments that are kept apart."""
        return [(pair.first, pair.second) for pair in self.listed() if pair.kept]

    def _cover(self, name: str, which: int) -> np.ndarray:
        """The capsules of a segment."""
        figure = self.pose.figure
        return (
            covers_of(figure, name, self.label())[which] if which else capsules_of(figure, name, self.label())
        )

    def parts(self) -> tuple[Block, ...]:
        """One measure a pair: the least distance between them, at least the margin or that at rest."""
        return tuple(
            Block(
                "apart",
                **rows(self.weight, [min(self.margin, pair.rest - _ROUNDING)], [math.inf]),
                site=pair.first,
                other=pair.second,
                hard=self.hard,
                capsules=self._cover(pair.first, pair.covers[0]),
                other_capsules=self._cover(pair.second, pair.covers[1]),
            )
            for pair in self.listed()
            if pair.kept
        )

    def words(self, told: Told) -> str:
        """Which pair is nearest, or too near, and which are left out."""
        if not told.blocks:
            return "the figure has no segments to keep apart" + self._left_out(told.anchor)
        # A pair that is nearer than the margin at rest has a smaller range: it counts by what it is short of that.
        room = [
            (float(v[0] - block.lower[0]), block, float(v[0]))
            for block, v in zip(told.blocks, told.values, strict=True)
        ]
        if not told.met:
            return _too_near(*min(room, key=lambda entry: entry[0])[1:])
        said = "no pair of segments gets nearer than at rest"
        clear = [entry for entry in room if entry[1].lower[0] >= self.margin]
        if clear:
            _, block, distance = min(clear, key=lambda entry: entry[2])
            said = (
                f"the figure keeps clear of itself: {block.site} and {block.other} are nearest, "
                f"{length(distance)} apart"
            )
        inside = [entry[1] for entry in room if entry[1].lower[0] < self.margin]
        if inside:
            block = min(inside, key=lambda block: float(block.lower[0]))
            least = float(block.lower[0])
            how = f"overlap by {length(-least)}" if least < 0.0 else f"are {length(least)} apart"
            others = f" and {len(inside) - 1} more pairs" if len(inside) > 1 else ""
            said += f"; {block.site} and {block.other}, which {how} at rest,{others} get no nearer than there"
        return said + self._left_out(told.anchor)

    def _left_out(self, pose: Pose) -> str:
        """How many pairs a clearance leaves out, and why."""
        reasons = Counter(pair.left_out for pair in self.settle(pose).listed() if not pair.kept)
        if not reasons:
            return ""
        listed = ", ".join(
            f"{count} because {why}" if why != IGNORED else f"{count} by ignore"
            for why, count in reasons.items()
        )
        return f"; pairs left out: {listed}"


def _too_near(block: Block, distance: float) -> str:
    least = float(block.lower[0])
    if distance < 0.0:
        more = f", {length(least - distance)} deeper than at rest" if least < 0.0 else ""
        return f"{block.site} and {block.other} overlap by {length(-distance)}{more}"
    return f"{block.site} and {block.other} are {length(distance)} apart, {length(least - distance)} too near"
