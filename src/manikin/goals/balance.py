"""The centre of mass above what supports the figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure
from manikin.figure.checks import near
from manikin.figure.sole import sole
from manikin.goals.checks import number
from manikin.goals.goal import FigureGoal
from manikin.goals.registry import register
from manikin.goals.words import length
from manikin.residuals.block import Block, rows

if TYPE_CHECKING:
    from manikin.goals.words import Told

# Metres: nearer to the edge of the support than this counts as at it.
_EDGE = 1e-4
_FEET = ("left_foot", "left_toes", "right_foot", "right_toes")
# Those of figures read as people: the corners of their soles.
_SOLES = tuple(f"{side}_sole_{k}" for side in ("left", "right") for k in (1, 2, 3, 4))


@register
@dataclass(frozen=True, eq=False)
class Balance(FigureGoal):
    """The centre of mass above the hull of what supports the figure, at least ``margin`` metres inside, as both move.

    support: names of segments, of which the corners of the underside support (the lowest points of their shapes, as the
        frame of the site of the same name has them), and of sites, which are points. By default both
        feet of a human, or of a figure read as a person.

    One measure an edge of the hull, seen from above: the centre's distance inside it. Points in a line support what is
    on that line.
    """

    support: str | Sequence[str] | None = None
    _: KW_ONLY
    margin: float = 0.0
    weight: float = 1.0
    hard: bool = False
    noun = "balance"
    yields = True
    told_as_one = True
    settled_by: ClassVar[bool] = True

    def _check(self) -> None:
        number(self, "margin")
        if self.support is None:
            return
        listed = (self.support,) if isinstance(self.support, str) else self.support
        try:
            names = tuple(listed)
        except TypeError:
            names = ()
        if not names or not all(isinstance(name, str) and name for name in names):
            raise GoalError(
                f"{self.label()}: support must be names of sites or segments, got {self.support!r}"
            )
        self._set("support", names)

    def points(self) -> tuple[tuple[str, np.ndarray], ...]:
        """The points of support: on which site (or ``"segment:"`` and a segment), and where in its frame."""
        figure = self.pose.figure
        found: list[tuple[str, np.ndarray]] = []
        for name in self._names(figure):
            if name in figure.segments and figure.segments[name].shapes:
                found += sole(figure, name, self.label())
            elif name in figure.sites:
                found.append((name, np.zeros(3)))
            else:
                raise GoalError(
                    f"{self.label()}: figure {figure.name!r} has no site or segment {name!r}; "
                    f"{near(name, figure.sites)}"
                )
        return tuple(found)

    def _names(self, figure: Figure) -> Sequence[str]:
        if self.support is not None:
            return self.support
        if all(name in figure.segments and figure.segments[name].shapes for name in _FEET):
            return _FEET
        if all(name in figure.sites for name in _SOLES):
            return _SOLES
        raise GoalError(
            f"{self.label()}: figure {figure.name!r} is not a human with feet; say what supports it, "
            "as in Balance(support=['left_sole', 'right_sole'])"
        )

    def parts(self) -> tuple[Block, ...]:
        """One row an edge; a hull without area has four."""
        points = self.points()
        count = max(4, len(points))
        return (
            Block(
                "balance",
                **rows(self.weight, [self.margin] * count, [math.inf] * count),
                hard=self.hard,
                points=points,
            ),
        )

    def words(self, told: Told) -> str:
        """How far inside its support the centre of mass is."""
        least = told.least()
        inside = 0.0 if least is None else least[1]
        center = "its centre of mass"
        if inside < -_EDGE:
            return f"the figure is out of balance, {center} {length(-inside)} outside its support"
        where = f"{length(inside)} inside its support" if inside > _EDGE else "at the edge of its support"
        if told.met:
            return f"the figure is in balance, {center} {where}"
        less = f"{length(self.margin - inside)} less than asked"
        return f"the figure is not safely in balance, {center} {where}, {less}"
