"""One problem solved for batch after batch of targets, its threads' memory kept from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.auto import solve
from manikin.engines.batch import mixed, plain
from manikin.engines.batch.answers import LEFT, Answers
from manikin.engines.batch.inputs import Batch
from manikin.engines.batch.judged import judge_answers
from manikin.engines.batch.workers import chunks
from manikin.engines.work import Work
from manikin.kernels.memory.path import T_BUDGET
from manikin.kernels.memory.state import REPAIR
from manikin.kernels.memory.targets import NUMBERS
from manikin.plan.options import Options, checked_threads

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from manikin.problem.problem import Problem


class Repeated:
    """Answers targets of one goal of a problem, the others staying as they are; pins mean the problem's own start.

    goal: which one moves. restarts: further starts of each problem. budget: steps of a search at most, where rows of
    every kind are searched.
    """

    def __init__(
        self,
        problem: Problem,
        goal: int = 0,
        *,
        threads: int | None = None,
        restarts: int = 0,
        budget: int | None = None,
        seed: int = 0,
    ) -> None:
        self.problem, self.goal, self.threads = problem, goal, checked_threads(threads)
        self.restarts = restarts
        self._pool: ThreadPoolExecutor | None = None
        work = self.work = Work(problem.spec)
        self.lanes = plain.suits(work)
        self.loop = False
        count = range(self.threads)
        if self.lanes:
            empty = Batch(
                0, (problem.figure,), None, {goal: np.zeros((0, 1))}, np.zeros((0, problem.figure.n))
            )
            figures = plain.Figures(work, empty, lambda _: work)
            self.plain = [plain.Worker(work, empty, figures, seed, restarts) for _ in count]
            return
        if work.rows().functions or not mixed.simple(work.rows(), [goal]):
            self.loop = True
            return
        further = mixed.others(work, restarts, seed)
        self.mixed = [mixed.Worker(work, further, own=False) for _ in count]
        if budget is not None:
            for worker in self.mixed:
                worker.mixed.table[T_BUDGET] = budget

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Repeated:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def solve(self, targets: np.ndarray, starts: np.ndarray) -> Answers:
        """Answer targets, (problems, …), from starts, (problems, n)."""
        count, goals = len(targets), len(self.problem.goals)
        into = Answers(count, self.problem.figure.n, goals)
        if not count:
            return into
        if self.loop:
            into.task[:] = REPAIR
        else:
            size = (
                max(-(-count // self.threads), 64)
                if count < 64 * 4 * self.threads
                else -(-count // (4 * self.threads))
            )
            pieces = chunks(0, count, size)
            if self.lanes:
                batch = Batch(count, (self.problem.figure,), None, {self.goal: targets}, starts)
                for worker in self.plain:
                    worker.batch = batch
            self._each(pieces, targets, starts, into)
            batch = Batch(count, (self.problem.figure,), None, {self.goal: targets}, starts)
            judge_answers(
                batch, self.problem.spec, into, self.threads, [(0, np.arange(count))], self.work.q0[None, :]
            )
        for k in np.flatnonzero(np.isin(into.task, LEFT)):
            asked: list[np.ndarray | None] = [None] * goals
            asked[self.goal] = targets[k]
            with self.work.anchored(self.work.q0):
                found = solve(self.work, np.array(starts[k]), asked, Options(restarts=self.restarts))
            into.take_one(int(k), found, self.work.verdict(found))
        return into

    def _each(
        self, pieces: list[tuple[int, int]], targets: np.ndarray, starts: np.ndarray, into: Answers
    ) -> None:
        workers: list[Any] = [*(self.plain if self.lanes else self.mixed)]
        if len(pieces) == 1:
            self._do(workers[0], pieces, targets, starts, into)
            return
        from concurrent.futures import ThreadPoolExecutor

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="manikin")
        shares = [pieces[k :: self.threads] for k in range(self.threads)]
        futures = [
            self._pool.submit(self._do, worker, share, targets, starts, into)
            for worker, share in zip(workers, shares, strict=True)
        ]
        for future in futures:
            future.result()

    def _do(
        self,
        worker: plain.Worker | mixed.Worker,
        pieces: list[tuple[int, int]],
        targets: np.ndarray,
        starts: np.ndarray,
        into: Answers,
    ) -> None:
        for first, last in pieces:
            if isinstance(worker, plain.Worker):
                worker.solve(first, last, into)
                continue
            goals = len(self.problem.goals)
            numbers = np.zeros((last - first, goals, NUMBERS))
            flat = targets[first:last].reshape(last - first, -1)
            numbers[:, self.goal, : flat.shape[1]] = flat
            given = np.zeros(goals, np.int64)
            given[self.goal] = 1
            begun = np.ascontiguousarray(starts[first:last])
            into.take(slice(first, last), *worker.run(numbers, given, begun))
