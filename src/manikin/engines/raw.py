"""What an engine leaves of a solve: the numbers that searches report, and whose they are. A `Solution` reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.kernels.pose.report import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
)

if TYPE_CHECKING:
    from manikin.engines.levels import Outcome
    from manikin.engines.packed_levels import Levels
    from manikin.goals.request import Request
    from manikin.plan.targets import Handed
    from manikin.residuals import Block

#: How a search ended, as `kernels.memory.state` numbers it.
STATUSES = ("stationary", "reached", "stopped", "infeasible")


#: Columns of a goal's errors: metres and radians.
POSITION, ORIENTATION = 0, 1


def goal_errors(measured: Sequence[tuple[int, str, float]], misses: np.ndarray, goals: int) -> np.ndarray:
    """(…, goals, 2): of each goal the largest miss in metres and the largest in radians, NaN if it has none.

    misses: (…, parts), in the order of ``measured`` (`Told`).
    """
    found = np.full((*misses.shape[:-1], goals, 2), np.nan)
    for part, (goal, unit, _) in enumerate(measured):
        if unit:
            own = found[..., goal, POSITION if unit == "m" else ORIENTATION]
            np.fmax(own, misses[..., part], out=own)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What a search's report is about.

    asked: the goals, targets that travelled with the call left out. measured: (goal, unit, what counts as reached) of
    every miss. open: those that the search left open, and their rows.
    """

    asked: Request
    measured: Sequence[tuple[int, str, float]]
    open: Sequence[tuple[int, Block]] = ()


class Raw:
    """What an engine found.

    told: what the report is about. handed: which targets travelled with the call.
    whole: those targets, if any, then the block: what `kernels.pose.report` tells, the coordinates found, the start.
    q: the coordinates found, (n,), read-only. seconds: time spent in the engine.
    verified: whether the call itself has verified that everything holds.
    anchor: the pose that what is kept meant; None: the start.
    outcome: how the descent by levels came to this, if it did.
    starts: how many were tried. began: where the search began, if a linear constraint did not allow the start.
    alternatives: others well apart. details: what a method from outside recorded.
    used_up: whether the work that a solve may do by default was used up.
    dt, time_limit: seconds in which joints had to keep their velocity limits, and after which to stop, if asked for.
    """

    handed: Handed | None = None
    verified = False
    anchor: np.ndarray | None = None
    outcome: Outcome | None = None
    starts = 1
    began: np.ndarray | None = None
    alternatives: tuple[Raw, ...] = ()
    details: Mapping[str, Any] = MappingProxyType({})
    used_up = False
    dt: float | None = None
    time_limit: float | None = None

    def __init__(
        self, told: Told, whole: np.ndarray, n: int, seconds: float = 0.0, handed: Handed | None = None
    ) -> None:
        self.told, self.whole, self.handed, self.seconds = told, whole, handed, seconds
        end = len(whole)
        self.q = whole[end - 2 * n : end - n]
        self.q.flags.writeable = False

    @cached_property
    def request(self) -> Request:
        """What was asked for, with the targets that travelled with the call."""
        asked = self.told.asked
        return asked if self.handed is None else asked.with_targets(self.handed.read(self.whole))

    @cached_property
    def start(self) -> np.ndarray:
        """The start that is reported."""
        return self.whole[len(self.whole) - len(self.q) :]

    @cached_property
    def out(self) -> np.ndarray:
        """What `kernels.pose.report` tells."""
        first = 0 if self.handed is None else self.handed.first
        return self.whole[first : len(self.whole) - 2 * len(self.q)]

    @cached_property
    def misses(self) -> np.ndarray:
        """The miss of every part of the goals, those of objectives that the search left open included."""
        misses = self.out[OUT_ERRORS:]
        if self.told.open:
            misses = misses.copy()
        for slot, part in self.told.open:
            misses[slot] = part.miss_at(self.q, self.start)
        return misses

    @property
    def errors(self) -> np.ndarray:
        """(goals, 2), metres and radians (`goal_errors`)."""
        return goal_errors(self.told.measured, self.misses, len(self.told.asked.own))

    @property
    def potential(self) -> float:
        """Weighted sum of the squares of the misses."""
        return float(self.out[OUT_POTENTIAL])

    @property
    def iterations(self) -> int:
        """Steps that the method took."""
        return int(self.out[OUT_ITERATIONS])

    @property
    def evaluations(self) -> int:
        """Times that the potential and its gradient were computed."""
        return int(self.out[OUT_EVALUATIONS])

    @property
    def claims(self) -> bool:
        """Whether the search says that everything is met."""
        return bool(self.out[OUT_REACHED])

    @property
    def status(self) -> str:
        """How the search says that it ended."""
        return STATUSES[int(self.out[OUT_STATUS])]

    def found_by(self, levels: Levels, outcome: Outcome) -> Raw:
        """The same, which the descent by levels came to."""
        self.told, self.outcome = Told(self.told.asked, levels.measured(outcome.choice)), outcome
        return self

    def begun_from(self, start: np.ndarray, began: np.ndarray | None) -> Raw:
        """The same, told of another start: the search began at a point of the engine's own."""
        self.start, self.began = start.copy(), began
        return self
