"""The work that a solve may do where neither restarts nor a time limit is given: counted, not timed, so that the answer
is the same on every machine, however busy it is.

The unit is about a microsecond of the machine that this was measured on. With n variables, p parts and r rows that are
near, an evaluation costs 13 + 0.11 p + 0.16 r n/100, a step of the descent 55 (n/100)³ + 0.02 r² besides. Over 1,045
descents of people half of these estimates were between 0.8 and 1.3 of the time. A step of the quick search costs less
by itself, but among shapes that overlap, as they do at random starts, up to 5 ms: 20 + 17 (n/100)³ + 3 p.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manikin.engines.packed_levels import Levels

#: What a solve may do by default, units; after how many no further start begins.
MOST, FURTHER = 300_000.0, 100_000.0
#: Evaluations of a step of the descent, as they usually are; parts that count for the quick search, at most.
_EVALUATIONS, _PARTS = 4.0, 1000


class Allowance:
    """What is left of the work that a solve may do, in units."""

    def __init__(self) -> None:
        self.left = MOST

    @property
    def used_up(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0.0

    @property
    def for_others(self) -> bool:
        """Whether enough is left for one more start."""
        return self.left > MOST - FURTHER

    def take(self, levels: Levels, steps: float, evaluations: float) -> None:
        """Count what a descent did."""
        step, evaluation = _costs(levels)
        self.left -= steps * step + evaluations * evaluation

    def take_quick(self, levels: Levels, steps: float) -> None:
        """Count what a quick search did."""
        hundreds = 0.01 * len(levels.packed.variables)
        self.left -= steps * (20.0 + 17.0 * hundreds**3 + 3.0 * min(len(levels.parts), _PARTS))

    def steps(self, levels: Levels) -> int:
        """How many steps of a descent what is left is good for, one at least."""
        step, evaluation = _costs(levels)
        return max(1, int(self.left / (step + _EVALUATIONS * evaluation)))


def _costs(levels: Levels) -> tuple[float, float]:
    """Units of a step and of an evaluation of the descent, by what is near as last measured."""
    hundreds = 0.01 * len(levels.packed.variables)
    near = float((levels.M.near != 0.0).sum())
    step = 55.0 * hundreds**3 + 0.02 * near * near
    return step, 13.0 + 0.11 * len(levels.parts) + 0.16 * near * hundreds
