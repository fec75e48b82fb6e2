"""One problem solved for batch after batch of targets, its threads' memory kept from one to the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.batch import mixed, plain
from manikin.engines.batch.answers import LEFT, Answers
from manikin.engines.batch.inputs import Batch
from manikin.engines.batch.judged import judge_answers
from manikin.engines.batch.workers import Crew, chunks
from manikin.engines.work import Work
from manikin.kernels.memory.state import REPAIR
from manikin.plan.options import Options, checked_threads

if TYPE_CHECKING:
    from manikin.plan.specification import Specification


class Repeated:
    """Answers targets of one goal of a problem, the others staying as they are; pins mean the problem's own start.

    goal: which one moves. restarts: further starts of each problem. budget: steps of a search at most, where rows of
    every kind are searched.
    """

    def __init__(
        self,
        spec: Specification,
        goal: int = 0,
        *,
        threads: int | None = None,
        restarts: int = 0,
        budget: int | None = None,
        seed: int = 0,
    ) -> None:
        self.goal, self.threads, self.restarts = goal, checked_threads(threads), restarts
        work = self.work = Work(spec)
        make: Callable[[], Any] | None = None
        if plain.suits(work):
            figures = plain.Figures(work, self._batch(np.zeros((0, 1)), work.q0[None, :]))
            make = partial(plain.Worker, work, [goal], figures, seed, restarts)
        elif mixed.simple(work.rows(), [goal]):
            further = mixed.others(work, restarts, seed)
            make = partial(mixed.Worker, work, further, own=False, budget=budget)
        self._crew = None if make is None else Crew(make, self.threads)

    def close(self) -> None:
        """Let the threads go."""
        if self._crew is not None:
            self._crew.close()

    def __enter__(self) -> Repeated:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _batch(self, targets: np.ndarray, starts: np.ndarray) -> Batch:
        spec = self.work.spec
        return Batch(len(targets), (spec.figure,), None, {self.goal: targets}, starts, spec.q0[None, :])

    def solve(self, targets: np.ndarray, starts: np.ndarray) -> Answers:
        """Answer targets, (problems, …), from starts, (problems, n)."""
        work, count = self.work, len(targets)
        into, batch = Answers(count, work.figure.n, len(work.goals)), self._batch(targets, starts)
        if not count:
            return into
        if self._crew is None:
            into.task[:] = REPAIR
        else:
            few = count < 64 * 4 * self.threads
            size = max(-(-count // self.threads), 64) if few else -(-count // (4 * self.threads))
            self._crew.each(
                chunks(0, count, size),
                lambda worker, first, last: worker.solve(batch, slice(first, last), into),
            )
            judge_answers(batch, work.spec, into, self.threads)
        for k in np.flatnonzero(np.isin(into.task, LEFT)).tolist():
            with work.anchored(work.q0):
                asked = Options(restarts=self.restarts)
                found = work.solve(np.array(starts[k]), batch.target_of(work.goals, k), asked)
            into.take_one(k, found, work.verdict(found))
        return into
