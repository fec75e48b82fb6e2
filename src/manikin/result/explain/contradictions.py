"""What cannot hold together: linear constraints, hard goals, and what belongs to the figure itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from manikin.engines.packed_levels import HARD, HARD_TOLERANCE
from manikin.engines.starts.inside import bring_in
from manikin.goals.words import amount
from manikin.kernels.levels.descent import descend
from manikin.result.explain.limits import in_words

if TYPE_CHECKING:
    from manikin.engines.packed_levels import Levels
    from manikin.figure import Coupling, Figure
    from manikin.goals import Goal
    from manikin.result.solution import Solution
    from manikin.verify.verdict import Violation

One = TypeVar("One")


def least_together(
    all_: Sequence[One], holds: Callable[[Sequence[One]], bool], asked: Sequence[One] | None = None
) -> list[One]:
    """A smallest part of them that cannot hold together: one after another of those ``asked`` is left out."""
    kept = list(all_)
    for one in all_ if asked is None else asked:
        fewer = [other for other in kept if other is not one]
        if not holds(fewer):
            kept = fewer
    return kept


def conflicting_constraints(solution: Solution) -> list[str]:
    """A smallest set of couplings that cannot hold together within the ranges, in words.

    Ranges take part wherever the constraints' coordinates have them; they are not listed.
    """
    packed = solution.explained.packed.packed.everything()
    space = packed.sections.space
    ends = space.row_lower.copy(), space.row_upper.copy()

    def hold(rows: Sequence[int]) -> bool:
        space.row_lower[:], space.row_upper[:] = -np.inf, np.inf
        space.row_lower[rows], space.row_upper[rows] = ends[0][rows], ends[1][rows]
        return bring_in(packed, solution.raw.start.copy())

    kept = least_together(range(len(packed.couplings)), hold)
    return [_said(solution.figure, packed.couplings[r]) for r in kept]


def _said(figure: Figure, coupling: Coupling) -> str:
    """A coupling as people say it, both ends where it has two."""
    if coupling.equality:
        return in_words(figure, coupling, "equal")
    sides = [side for side in ("lower", "upper") if np.isfinite(getattr(coupling, side))]
    return " and ".join(in_words(figure, coupling, side) for side in sides)


def contradicting_goals(solution: Solution) -> list[Goal]:
    """A smallest set of hard goals that could not be met together."""
    levels, choice = solution.explained.packed.copy(), solution.explained.choice
    starts = [np.array(solution.q), np.array(solution.raw.start)]
    hard = [
        place
        for place, numbers in enumerate(levels.choices)
        if any(levels.parts[number].hard for number in numbers[choice[place]]) and levels.active[place]
    ]

    def hold(places: Sequence[int]) -> bool:
        for place in hard:
            levels.write(place, levels.goals[place], active=place in places)
        return _possible(levels, starts)

    return [solution.goals[place] for place in least_together(hard, hold)]


def _possible(levels: Levels, starts: list[np.ndarray]) -> bool:
    """Whether the hard goals that are switched on are met from one of the starts."""
    for start in starts:
        q = start.copy()
        if not bring_in(levels.packed, q):
            return False
        levels.D.held_lower[:], levels.D.held_upper[:] = levels.M.lower, levels.M.upper
        descend(*levels.arrays, q, HARD, levels.budget, 0.0)
        if levels.hard_miss() <= HARD_TOLERANCE:
            return True
    return False


def broken_promises(solution: Solution, *, every: bool = False) -> list[str]:
    """A heading and a line for each range, cone and loop that does not hold, none where all do.

    Linear constraints that contradict each other have sentences of their own; one that is left beside others is here,
    and with ``every`` each.
    """
    broken = solution.verdict.broken
    if not broken or (not every and all(each.kind == "constraint" for each in broken)):
        return []
    free = solution.problem.free
    with_what = "" if free.all() else f" with {_count(int(free.sum()))} free"
    return [f"No pose was found that keeps what belongs to the figure{with_what}:", *map(_line, broken)]


def _count(number: int) -> str:
    return "nothing" if number == 0 else f"{number} degree{'s' if number > 1 else ''} of freedom"


def _line(each: Violation) -> str:
    by = amount(each.amount, each.unit)
    if each.kind == "loop":
        return f"  the loop {each.name!r} is open by {by}"
    if each.kind == "cone":
        return f"  the swing of joint {each.name!r} is outside its cone"
    if each.kind == "range":
        return f"  {each.name} is outside its range by {by}"
    return f"  the constraint {each.name} is left by {by}"
