"""A batch of one problem: searched where its kind is quickest, verified, and what is left gone on with one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from manikin.engines.batch import alone, mixed, plain
from manikin.engines.batch.answers import Answers
from manikin.engines.batch.inputs import Batch
from manikin.engines.batch.judged import judge_answers
from manikin.engines.batch.workers import Crew, Progress, chunks, part_of
from manikin.engines.work import Work
from manikin.errors import SolveError
from manikin.kernels.memory.state import REFUSED, REPAIR, TIDY
from manikin.plan.options import Options
from manikin.plan.specification import Specification

# Problems in a chunk: as many as keep every thread busy, within these; the most over rows of every kind, one by one.
_LEAST, _MOST, _MOST_BY_ROWS, _MOST_ALONE = 256, 8192, 1024, 64


@dataclass(frozen=True)
class How:
    """How to go about a batch, as of `solve_many`. natural: whether each is led by the posture that people take."""

    threads: int
    restarts: int | None = None
    seed: int = 0
    multistart: bool = True
    natural: bool = False


def search(work: Work, batch: Batch, into: Answers, how: How, progress: Progress | None = None) -> None:
    """The searches of the batch itself: in lanes where they serve, else over rows of every kind, or one by one."""
    done = 0
    for make, problems, most in _ways(work, batch, how):
        count = len(into.task[problems])
        size = min(max(-(-count // (4 * how.threads)), min(_LEAST, most)), most)
        told = None if progress is None else lambda part, _, done=done: progress(done + part, batch.count)

        def part(worker: Any, first: int, last: int, problems: Any = problems) -> None:
            worker.solve(batch, part_of(problems, first, last), into)

        with Crew(make, how.threads) as crew:
            crew.each(chunks(0, count, size), part, told)
        done += count


def _ways(work: Work, batch: Batch, how: How) -> Iterator[tuple[Callable[[], Any], slice | np.ndarray, int]]:
    """Workers, the problems that they are for, and how many of these they take at once at most."""
    every = slice(0, batch.count)
    if how.natural:
        restarts = how.restarts if how.multistart else 0
        for f, problems in batch.by_figure():
            asked = Options(restarts=restarts, seed=how.seed, threads=1)
            yield partial(alone.Worker, work.spec.on(batch.figures[f]), asked), problems, _MOST_ALONE
        return
    if plain.suits(work):
        figures = plain.Figures(work, batch)
        if figures.alike:
            starts = plain.STARTS if how.restarts is None else how.restarts
            yield partial(plain.Worker, work, batch.targets, figures, how.seed, starts), every, _MOST
            return
    if not mixed.simple(work.rows(), batch.targets):
        yield _Left, every, _MOST
        return
    starts = mixed.STARTS if how.restarts is None else how.restarts
    for f, problems in batch.by_figure():
        own = work if f == 0 else Work(work.spec.on(batch.figures[f]))
        further = mixed.others(own, starts, how.seed)
        yield partial(mixed.Worker, own, further), problems, _MOST_BY_ROWS


class _Left:
    """Leaves problems to be gone on with one by one."""

    def solve(self, batch: Batch, problems: slice | np.ndarray, into: Answers) -> None:
        into.task[problems] = REPAIR


def finish(spec: Specification, batch: Batch, into: Answers, how: How) -> None:
    """Verify what was found, and solve one by one what is left: starts that break a linear constraint, and where it is
    asked for all misses.
    """
    if not how.natural:
        judge_answers(batch, spec, into, how.threads)
    refused = np.flatnonzero(into.task == REFUSED)
    if len(refused):
        problem = int(refused[0])
        batch.check(spec.goals, problem)
        raise SolveError(
            f"problem {problem}: its targets or its start are not finite, or a rotation is not one to 1e-6"
        )
    left = np.isin(into.task, (TIDY, REPAIR))
    if how.multistart and not how.natural:
        left |= ~into.reached
    if not left.any():
        return
    rows = np.flatnonzero(left)
    threads = 1 if len(rows) >= how.threads else how.threads
    asked = Options(restarts=how.restarts, seed=how.seed, threads=threads)
    for f, problems in batch.by_figure(rows):

        def one(worker: alone.Worker, first: int, last: int, problems: Any = problems) -> None:
            worker.solve(batch, problems[first:last], into)

        with Crew(partial(alone.Worker, spec.on(batch.figures[f]), asked), how.threads) as crew:
            crew.each(chunks(0, len(into.task[problems]), 1), one)
