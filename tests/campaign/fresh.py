"""A used problem with other targets beside a fresh one that is made so: the same answer."""

from __future__ import annotations

from time import process_time
from typing import Any

from tests.campaign.calls import Draw, with_own_targets
from tests.campaign.series import Series

import manikin as mk
from manikin.errors import ManikinError
from manikin.goals.target import shape_of, with_target

#: Comparisons of one seed at most, and seconds of the processor; a costly one ends after a share of them.
MOST, BUDGET, COSTLY = 800, 0.5, 0.004
#: How a used problem is changed: by targets in the call, or by other goals.
_WAYS = ("targets", "replaced")


def _other(used: mk.Solution, fresh: mk.Solution) -> str:
    """In words, where the used one gives another answer than the fresh one."""
    if used.q.tobytes() == fresh.q.tobytes() and used.status == fresh.status:
        return ""
    off = abs(used.q - fresh.q).max() if len(used.q) else 0.0
    return f"used: {used.status}, {used.cost!r}; fresh: {fresh.status}, {fresh.cost!r}; {off:.1e} apart"


def _add_a_target(series: Series) -> None:
    """One goal more, whose target can move, among those of the first level."""
    site = next(reversed(series.body.sites))
    goal = mk.Position(site, series.there.position(site))
    flat = series.levels is series.goals
    series.goals = [goal, *series.goals]
    series.levels = series.goals if flat else [series.goals[:2], series.goals[2:]]


def run_fresh(seed: int, budget: float = BUDGET, most: int = MOST) -> dict[str, Any]:
    """Comparisons of one figure and its goals; as JSON can hold it."""
    try:
        series = Series(seed)
    except Exception as error:
        return {"seed": seed, "compared": 0, "solves": 0, "found": [f"{type(error).__name__}: {error}"]}
    told: dict[str, Any] = {
        "seed": seed,
        "figure": series.kind,
        "goals": [goal.kind() + ("!" if getattr(goal, "hard", False) else "") for goal in series.goals],
        "found": [],
    }
    begin, count = process_time(), 0
    try:
        if series.even and all(shape_of(goal) is None for goal in series.goals):
            _add_a_target(series)  # else there is nothing to change
            told["goals"].append("position")
        problem = series.problem()
        about = series.there.q if series.met else None
        draw = Draw(series.body, list(problem.goals), seed, near=series.near, about=about)
        moving = [k for k, goal in enumerate(problem.goals) if shape_of(goal) is not None]
        chunk = 0
        done = -1
        while count > done and moving:
            done = count
            rng = draw.rng(50, chunk)
            starts, targets = draw.starts(rng, 16), draw.targets(rng, 16)
            for i, start in enumerate(starts):
                spent = process_time() - begin
                if count >= most or (
                    count >= 2 and spent > (0.2 * budget if spent > count * COSTLY else budget)
                ):
                    break
                given = draw.listed(targets, i)
                goals = [
                    goal if given[k] is None else with_target(goal, given[k])
                    for k, goal in enumerate(series.goals)
                ]
                first = 0 if series.levels is series.goals else len(series.levels[0])
                asked: Any = [goals[:first], goals[first:]] if first else goals
                fresh = mk.Problem(series.start, asked, free=series.free, tolerance=series.tolerance)
                answer = fresh.solve(start, restarts=1)
                before = int(rng.integers(0, 2))
                for way in _WAYS:
                    own, in_call = problem, given
                    if way == "replaced":
                        if before:  # solved for something else
                            problem.solve(starts[i - 1], restarts=0)
                        own, in_call = with_own_targets(problem, given), None
                    words = _other(own.solve(start, targets=in_call, restarts=1), answer)
                    count += 1
                    if words and len(told["found"]) < 5:
                        told["found"].append(f"number {count - 1}, {way}: {words}")
            chunk += 1
    except ManikinError as error:
        told["refusal"] = f"{type(error).__name__}: {error}"
    except Exception as error:
        told["found"].append(f"number {count}: {type(error).__name__}: {error}")
    return {**told, "compared": count, "solves": count + (count + 1) // 2, "cpu": process_time() - begin}
