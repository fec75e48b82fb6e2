"""What a problem asks for: a figure and its goals. It never changes; all else is made from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from manikin.errors import PoseError, SolveError
from manikin.figure import Coupling, Figure, Pose
from manikin.figure.movable import movable
from manikin.goals import Goal
from manikin.plan.options import checked_couplings, checked_natural, checked_tolerance, ranked
from manikin.verify.judge import Judge
from manikin.verify.rows import judge_of

Start = Pose | Sequence[float] | np.ndarray | Mapping[str, float]
_FLOAT = np.dtype(np.float64)
# Coordinates beyond are no start.
_FARTHEST = 1e9


@dataclass(frozen=True, eq=False)
class Specification:
    """A figure, where a solve begins unless told otherwise, goals, and what else must hold.

    ranks: the level of each goal, from 1. free: a mask of the coordinates. couplings: the figure's own and others.
    tolerance: metres and radians. natural: whether a human takes the posture that people take.
    """

    figure: Figure
    q0: np.ndarray
    goals: tuple[Goal, ...]
    ranks: tuple[int, ...]
    free: np.ndarray
    couplings: tuple[Coupling, ...]
    tolerance: tuple[float, float]
    natural: bool

    def __post_init__(self) -> None:
        self.q0.flags.writeable = self.free.flags.writeable = False

    def changed(self, **changes: Any) -> Specification:
        """The same with other parts."""
        return replace(self, **changes)

    def on(self, figure: Figure) -> Specification:
        """The same asked of another figure of this structure, from its rest."""
        own = self.couplings[len(self.figure.couplings) :]
        return self.changed(figure=figure, q0=figure.pose().q, couplings=(*figure.couplings, *own))

    @cached_property
    def classic(self) -> bool:
        """Whether all goals are plain, of one level and none hard."""
        soft = all(goal.plain and not getattr(goal, "hard", False) for goal in self.goals)
        return soft and len(set(self.ranks)) <= 1

    @cached_property
    def last(self) -> int:
        """The level of the objectives, which are never part of what is reached."""
        return max(self.ranks, default=1) + 1

    @cached_property
    def judge(self) -> Judge:
        """What verifies poses, packed once; whoever verifies has arrays of its own."""
        return judge_of(self, self.figure)

    def values(self, q0: Start | None) -> np.ndarray:
        """A start's values, as an array of its own."""
        if q0 is None:
            return np.array(self.q0)
        if type(q0) is np.ndarray and q0.dtype is _FLOAT and q0.shape == self.q0.shape:
            return np.array(q0)  # the kernel refuses what is not finite
        if isinstance(q0, Pose):
            if q0.figure is not self.figure and q0.figure.dofs != self.figure.dofs:
                raise SolveError(
                    f"the start is a pose of {q0.figure.name!r}, which has other degrees of freedom than "
                    f"{self.figure.name!r}"
                )
            return np.array(q0.q).view(np.float64)
        return np.array(self.figure.pose(q0).q).view(np.float64)  # what was pickled has a dtype of its own

    def finite(self, q0: Start | None) -> np.ndarray:
        """A start's values; a PoseError names one that is not finite, or beyond 1e9."""
        values = self.values(q0)
        if not (np.abs(values) < _FARTHEST).all():
            place = int(np.flatnonzero(~(np.abs(values) < _FARTHEST))[0])
            name = self.figure.dofs[place]
            raise PoseError(f"the start must be finite and below 1e9: {name!r} is {values[place]}")
        return values

    def beyond(self) -> str:
        """What of this asks for the descent by levels, in words."""
        for goal in self.goals:
            if getattr(goal, "hard", False):
                return f"a hard goal ({goal.label()})"
            if not goal.plain:
                return f"a goal of this kind ({goal.label()})"
        return "levels of priority"


def specify(
    pose: Pose,
    goals: Iterable[Goal] | Iterable[Sequence[Goal]],
    *,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    constraints: Iterable[Coupling | str] = (),
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    natural: bool = True,
) -> Specification:
    """What is asked, checked; the arguments are those of `Problem`."""
    figure = pose.figure
    listed, ranks = ranked(goals)
    return Specification(
        figure,
        np.array(pose.q),
        tuple(listed),
        tuple(ranks),
        mask_of(figure, free, fixed),
        (*figure.couplings, *checked_couplings(figure, constraints)),
        checked_tolerance(tolerance),
        checked_natural(natural),
    )


def mask_of(
    figure: Figure, free: str | Iterable[str] | None, fixed: str | Iterable[str] | None
) -> np.ndarray:
    """Mask of the degrees of freedom that may move."""
    names = movable(figure, free, fixed)
    mask = np.full(figure.n, names is None)
    if names is not None:
        mask[figure.select(names)] = True
    return mask
