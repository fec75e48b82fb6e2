"""A solution's goals as rows: what explanations measure, and solve again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.levels import Descent
from manikin.engines.packing import levels_for
from manikin.engines.starts.inside import bring_in

if TYPE_CHECKING:
    from manikin.engines.levels import Outcome
    from manikin.engines.packed_levels import Levels
    from manikin.result.solution import Solution


class Explained:
    """The goals of a solution, packed anew as they were solved, with the alternatives that were chosen."""

    def __init__(self, solution: Solution) -> None:
        # Not the solution, which keeps this: arrays in a cycle would stay until they are collected.
        self._spec, self._raw = solution.problem.spec, solution.raw

    @cached_property
    def choice(self) -> tuple[int, ...]:
        """Of each goal the alternative that was chosen."""
        outcome = self._raw.outcome
        return (0,) * len(self._raw.told.asked.own) if outcome is None else outcome.choice

    @cached_property
    def packed(self) -> Levels:
        """The goals as they were solved; nobody writes into it."""
        raw = self._raw
        levels = levels_for(self._spec, raw.request.goals, raw.start)
        if raw.anchor is not None:
            levels.mean_start(raw.start, raw.anchor)
        levels.choose(self.choice)
        return levels

    def rows(self) -> Levels:
        """The same to write into, measured at the solution."""
        levels = self.packed.copy()
        levels.measure(self._raw.q)
        return levels

    @cached_property
    def outcome(self) -> Outcome:
        """The end of a descent by levels at the solution: what holds it there."""
        found = self._raw.outcome
        if found is None or found.at_end is None:
            q = np.array(self._raw.q)
            found = Descent(self.packed.copy()).down(q) if bring_in(self.packed.packed, q) else found
        assert found is not None
        return found

    @property
    def hard_miss(self) -> float:
        """By how much the hard goals are missed."""
        outcome = self._raw.outcome
        return 0.0 if outcome is None else outcome.hard_miss
