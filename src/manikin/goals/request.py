"""What one call asks for: a problem's goals, and the targets that came with the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.goals.target import with_target

if TYPE_CHECKING:
    from manikin.goals import Goal


class Request:
    """Immutable; goals with moved targets are made when asked for.

    own: the problem's goals. moved: targets by the index of their goal, checked already.
    """

    __slots__ = ("_whole", "moved", "own")

    def __init__(self, own: tuple[Goal, ...], moved: Mapping[int, Any]) -> None:
        self.own = own
        self.moved = moved
        self._whole: tuple[Goal, ...] | None = None

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals with their targets; made once."""
        if self._whole is None:
            goals = list(self.own)
            for k, target in self.moved.items():
                goals[k] = with_target(goals[k], target)
            self._whole = tuple(goals)
        return self._whole

    def with_targets(self, targets: Mapping[int, Any]) -> Request:
        """The same with other targets."""
        return Request(self.own, {**self.moved, **targets} if self.moved else targets)

    def with_all(self, targets: Sequence[Any] | np.ndarray) -> Request:
        """Goals made anew for the targets of one call, None leaving one as it is."""
        if len(targets) != len(self.own):
            raise SolveError(
                f"targets: one for each of the {len(self.own)} goals is wanted, got {len(targets)}"
            )
        moved = {k: target for k, target in enumerate(targets) if target is not None}
        return Request(Request(self.own, moved).goals, {})
