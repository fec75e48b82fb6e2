"""The figure's own constraints that a pose could not be brought to keep, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manikin.goals.words import amount

if TYPE_CHECKING:
    from manikin.result.solution import Solution
    from manikin.verify.verdict import Broken


def broken_promises(solution: Solution, *, every: bool = False) -> list[str]:
    """A heading and a line for each range, cone and loop that does not hold, none where all do.

    Linear constraints that contradict each other have sentences of their own; one that is left beside others is here,
    and with ``every`` each.
    """
    broken = solution._verdict.broken
    if not broken or (not every and all(each.what == "constraint" for each in broken)):
        return []
    free = solution._problem.free
    with_what = "" if free.all() else f" with {_count(int(free.sum()))} free"
    return [f"No pose was found that keeps what belongs to the figure{with_what}:", *map(_line, broken)]


def _count(number: int) -> str:
    return "nothing" if number == 0 else f"{number} degree{'s' if number > 1 else ''} of freedom"


def _line(each: Broken) -> str:
    by = amount(each.amount, each.unit)
    if each.what == "loop":
        return f"  the loop {each.name!r} is open by {by}"
    if each.what == "cone":
        return f"  the swing of joint {each.name!r} is outside its cone"
    if each.what == "range":
        return f"  {each.name} is outside its range by {by}"
    return f"  the constraint {each.name} is left by {by}"
