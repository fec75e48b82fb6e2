"""A solve from one start with every joint within its velocity limit: what a robot can do until the next sample."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.levels import Outcome
from manikin.engines.starts.choices import in_order
from manikin.engines.starts.inside import bring_in
from manikin.errors import SolveError
from manikin.kernels.memory.state import DONE, REPAIR, TIDY
from manikin.kernels.pose.report import OUT_ERRORS, OUT_POTENTIAL, OUT_REACHED
from manikin.plan.options import Options

if TYPE_CHECKING:
    from manikin.engines.packed_levels import Levels
    from manikin.engines.raw import Raw
    from manikin.engines.work import Work
    from manikin.goals.request import Request

# Alternatives that are tried, nearest first.
_CHOICES = 8


def solve_in_time(work: Work, request: Request, begun: np.ndarray, asked: Options) -> Raw:
    """Solve from ``begun`` in dt seconds; from the nearest point inside the linear constraints where it is outside."""
    assert asked.dt is not None
    begin = perf_counter()
    found = _search(work, request, begun, begun, asked.dt)
    began = None
    if found is None:
        began = begun.copy()
        if bring_in(work.packed.everything(), began):
            found = _search(work, request, begun, began, asked.dt)
    if found is None:  # constraints that what is free cannot meet: said as of any solve
        found = work.solve(begun, None, Options(restarts=0))
    elif began is not None:
        found.begun_from(begun, began)
    found.seconds = perf_counter() - begin
    found.dt = asked.dt
    return found


def _search(work: Work, request: Request, begun: np.ndarray, start: np.ndarray, seconds: float) -> Raw | None:
    """The search from a start, which ``begun`` was brought in to; None where it is outside the linear constraints."""
    if work.fast is not None and work.fast.plain:
        work.tell(work.fast.table, begun)
        task, block = work.fast.solve_in_time(start, seconds)
        return None if task in (TIDY, REPAIR) else work.raw(request, block, 0.0)
    levels = work.rows()
    if levels.functions:
        raise SolveError("potentials in Python know no velocity limits; leave out dt, or these goals")
    work.anchor_rows(levels.mixed, begun)
    return _by_choice(work, request, levels, start, seconds)


def _by_choice(work: Work, request: Request, levels: Levels, start: np.ndarray, seconds: float) -> Raw | None:
    """The first of the alternatives that is reached, or the one that comes nearest."""
    mixed, n = levels.mixed, work.figure.n
    best: tuple[tuple[bool, float], np.ndarray, tuple[int, ...]] | None = None
    for choice in in_order(levels, start)[:_CHOICES]:
        levels.choose(choice)
        mixed.settle(levels)
        task, block = mixed.solve_in_time(start, seconds)
        if task in (TIDY, REPAIR):
            return None
        kept = [
            OUT_ERRORS + number
            for place, which in enumerate(choice)
            for number in levels.choices[place][which]
        ]
        whole = np.concatenate([block[:OUT_ERRORS], block[kept], block[len(block) - 2 * n :]])
        rank = (block[OUT_REACHED] == 0.0, float(block[OUT_POTENTIAL]))
        if best is None or rank < best[0]:
            best = rank, whole, choice
        if task == DONE and not rank[0]:
            break
    assert best is not None
    whole = best[1]
    end, misses = whole[len(whole) - 2 * n : len(whole) - n], whole[OUT_ERRORS : len(whole) - 2 * n]
    outcome = Outcome(end, choice=best[2], misses=misses, reached=not best[0][0])
    return work.raw(request, whole, 0.0).found_by(levels, outcome)
