"""A site inside a region."""

from __future__ import annotations

from dataclasses import dataclass

from manikin.errors import GoalError
from manikin.goals.goal import Goal
from manikin.goals.part import Part
from manikin.goals.region import Region


def checked_region(goal: Goal, region: object) -> Region:
    """The region, or an error that names the goal."""
    if not isinstance(region, Region):
        raise GoalError(f"{goal.label()}: region must be a region such as Ball or Box, got {region!r}")
    return region


@dataclass(frozen=True, eq=False)
class Inside(Goal):
    """The site's point anywhere inside ``region``: P = its squared distance from it, 0 within.

    A region joined by ``|`` is a choice, of which the solver takes the best; joined by ``&``, all its parts
    hold. Inside a `Circle`, which is a curve, means on it.
    """

    region: Region
    weight: float = 1.0
    hard: bool = False
    noun = "region"

    def _check(self) -> None:
        checked_region(self, self.region)

    def alternatives(self) -> tuple[tuple[Part, ...], ...]:
        """One choice a piece of the union."""
        return tuple(
            tuple(piece.inside(self.site, self.weight, hard=self.hard) for piece in clause)
            for clause in self.region.clauses()
        )
