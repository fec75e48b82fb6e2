"""What a goal about a region is about: the point of a site, or the whole shape of segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.figure.checks import near
from manikin.goals.goal import Goal
from manikin.goals.region import Primitive, Region

if TYPE_CHECKING:
    from manikin.goals.words import Told


@dataclass(frozen=True, eq=False)
class RegionGoal(Goal):
    """A goal that relates a site, a segment or a pattern of segments to ``region``; see `Inside` and `Outside`."""

    region: Region
    shaped_first: ClassVar[bool] = False
    """Whether a name that is both a site and a segment with a shape means the segment unless ``whole`` says."""
    settled_by: ClassVar[bool] = True

    def _check(self) -> None:
        if not isinstance(self.region, Region):
            raise GoalError(
                f"{self.label()}: region must be a region such as Ball or Box, got {self.region!r}"
            )
        whole = self._whole()
        if whole is not None and not isinstance(whole, bool):
            raise GoalError(f"{self.label()}: whole must be true, false or None, got {whole!r}")

    def _whole(self) -> bool | None:
        return getattr(self, "whole", None)

    def names(self) -> list[tuple[str, bool]]:
        """The sites and segments that the goal is about, and whether each counts as a whole."""
        figure, whole = self.pose.figure, self._whole()
        shaped = {name for name, segment in figure.segments.items() if segment.shapes}
        if self.site in figure.segments or self.site in figure.sites:
            if whole is None:
                whole = self.shaped_first and self.site in shaped
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

    def all_of(self, told: Told) -> str:
        """The subject of a sentence about one site or segment, or about all that match a pattern."""
        if len({block.site for block in told.blocks}) <= 1:
            return self.subject()
        return "the figure" if self.site == "*" else f"all of {self.site}"


def numbers(clause: tuple[Primitive, ...]) -> np.ndarray:
    """The parameters (N, 16) of the pieces of an intersection, as the kernels read them."""
    return np.vstack([piece.numbers() for piece in clause])


def named(clause: Sequence[Primitive], article: str) -> str:
    """A region of one piece by its name, "the capsule"; others as "its region"."""
    if len(clause) != 1:
        return f"{article} region"
    name = type(clause[0]).__name__
    return f"{article} {'half-space' if name == 'HalfSpace' else name.lower()}"
