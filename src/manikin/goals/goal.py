"""What all goals have in common."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from manikin.errors import GoalError
from manikin.goals.checks import number

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.goals.place import Place
    from manikin.goals.target import Target
    from manikin.goals.words import Told
    from manikin.residuals.block import Block


@dataclass(frozen=True, eq=False)
class Goal:
    """A wish about a site of the figure. Goals are compared by identity: two equal ones are two wishes.

    ``weight`` says how much a miss matters beside the other goals'; it multiplies the square of the miss.
    ``hard=True`` asks that no returned pose misses it at all.
    """

    site: str
    noun: ClassVar[str] = "target"
    """What of it is met or missed, in sentences."""

    unit: ClassVar[str] = "m"
    """Of its miss, ``"m"``, ``"rad"`` or ``""``; of the first where it has several."""

    takes: ClassVar[Target | None] = None
    """What of it a call may bring; None where nothing."""

    plain: ClassVar[bool] = False
    """Whether its rows are of the five kinds of 1989, which every search and method knows (`plan.strips`)."""

    settled_by: ClassVar[bool] = False
    """Whether it depends on the figure or on the pose a solve starts from, so that `settle` has to come first."""

    means_start: ClassVar[bool] = False
    """Whether it says "where it is", that is, what the start of a solve has."""

    offers_choice: ClassVar[bool] = False
    """Whether `alternatives` has goals to choose from, so that a solution tells which was taken."""

    in_python: ClassVar[bool] = False
    """Whether a function in Python says how far it is from met."""

    yields: ClassVar[bool] = False
    """Whether leaving well alone meets it: missed, it gave way to other goals."""

    told_as_one: ClassVar[bool] = False
    """Whether one sentence of an explanation tells all its misses; else each has its own."""

    def __post_init__(self) -> None:
        self._check_site()
        weight = number(self, "weight")
        if weight < 0.0:
            raise GoalError(f"{self.label()}: the weight must not be negative, got {weight:g}")
        if not isinstance(getattr(self, "hard", False), bool):
            raise GoalError(
                f"{self.label()}: hard must be true or false, got {getattr(self, 'hard', None)!r}"
            )
        self._check()

    def _check_site(self) -> None:
        if not isinstance(self.site, str) or not self.site:
            raise GoalError(f"{self.kind()}: the site must be a name, got {self.site!r}")

    def _check(self) -> None:
        """Check and convert the arguments that are the goal's own."""

    @classmethod
    def kind(cls) -> str:
        """The name of this kind of goal in files: ``"on_line"`` for OnLine."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def label(self) -> str:
        """How messages name this goal: its kind and its site."""
        return f"{self.kind()} of {self.site!r}"

    def settle(self, pose: Pose) -> Self:
        """The goal as it stands for a solve that starts from this pose: where a pin is, which shapes a segment has."""
        if not self.settled_by:
            return self
        settled = copy.copy(self)
        object.__setattr__(settled, "_pose", pose)
        return settled

    @property
    def pose(self) -> Pose:
        """The pose that the goal was settled for."""
        pose = self.__dict__.get("_pose")
        if pose is None:
            raise GoalError(f"{self.label()}: it depends on the start; settle(pose) comes first")
        return pose

    def alternatives(self) -> tuple[tuple[Block, ...], ...]:
        """What this goal asks of a pose: one choice of parts, or several of which any one will do."""
        return (self.parts(),)

    def parts(self) -> tuple[Block, ...]:
        """What a goal that offers no choice asks of a pose: its rows, those of one kind in one part."""
        raise GoalError(f"{self.label()}: it offers a choice; its parts are in alternatives()")

    def arguments(self) -> dict[str, Any]:
        """The goal's arguments by name, as given."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def changed(self, **changes: Any) -> Self:
        """The same goal with other arguments, checked anew."""
        names = _arguments_of(type(self))  # type: ignore[arg-type]
        if not names.issuperset(changes):
            raise GoalError(
                f"{self.label()}: cannot set {', '.join(changes)}; it has {', '.join(self.arguments())}"
            )
        # Not by `dataclasses.replace`, which takes longer than a solve: a followed target changes all the time.
        other = object.__new__(type(self))
        own = other.__dict__
        for name, value in self.__dict__.items():
            if name in names:
                own[name] = value
        own.update(changes)
        other.__post_init__()
        return other

    def chosen(self, alternative: int) -> int:
        """The number of the choice that an alternative belongs to."""
        return alternative

    def place(self, anchor: Pose) -> Place | None:
        """Where it wants the site in a solve with this anchor; None where it names no point."""
        return None

    def nearest(self, x: np.ndarray, anchor: Pose) -> np.ndarray | None:
        """The point nearest to x where the site meets the goal; None where the goal is not about a point."""
        place = self.place(anchor)
        return None if place is None else place.point

    def distance(self, x: np.ndarray, anchor: Pose) -> float | None:
        """How far a site at x is from where it meets the goal, metres; None as of `nearest`."""
        nearest = self.nearest(x, anchor)
        return None if nearest is None else float(np.linalg.norm(x - nearest))

    def noun_of(self, unit: str) -> str:
        """What of the goal a miss in this unit is of: its target, line, aim."""
        return self.noun

    def words(self, told: Told) -> str:
        """A sentence about its misses, without the full stop."""
        noun = self.noun_of(told.misses[0].unit) if told.misses else self.noun
        if told.met:
            return f"{self.subject()} reaches its {noun} ({told.off} off)"
        return f"{self.subject()} misses its {noun} by {told.off}"

    def subject(self) -> str:
        """What a sentence about this goal begins with."""
        return self.site or "the figure"

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@cache
def _arguments_of(kind: Any) -> frozenset[str]:
    return frozenset(f.name for f in fields(kind) if f.init)


@dataclass(frozen=True, eq=False)
class FigureGoal(Goal):
    """A wish about the figure as a whole: it has no site."""

    site: str = field(default="", init=False, repr=False)

    def _check_site(self) -> None:
        """There is none."""

    def label(self) -> str:
        """How messages name this goal: its kind."""
        return self.kind()
