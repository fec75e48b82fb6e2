"""`solve_many`: one problem with a batch axis, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from manikin.engines.batch import mixed, plain
from manikin.engines.batch.answers import Answers
from manikin.engines.batch.inputs import Batch, batch_of, refuse
from manikin.engines.batch.judged import judge_answers
from manikin.engines.batch.workers import Crew, Progress, chunks
from manikin.engines.path import Solutions
from manikin.engines.work import Work
from manikin.errors import SolveError
from manikin.figure import Coupling, Figure
from manikin.goals import Goal
from manikin.kernels.memory.state import REFUSED, REPAIR, TIDY
from manikin.plan.options import checked_restarts, checked_seed, checked_threads, ranked
from manikin.problem.problem import Problem

#: Devices that a batch may be solved on.
DEVICES = ("cpu", "cuda")
# Problems in a chunk: as many as keep every thread busy, within these.
_LEAST, _MOST = 256, 8192
# Problems kept ready for the figures of a batch that go one by one.
_KEPT = 8


def solve_many(
    figure: Any,
    goals: Iterable[Goal] | Iterable[Sequence[Goal]],
    *,
    starts: Any = None,
    targets: Any = None,
    which: Any = None,
    device: str = "cpu",
    threads: int | None = None,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    constraints: Iterable[Coupling | str] = (),
    restarts: int | None = None,
    seed: int = 0,
    thorough: bool = True,
    polish: bool = False,
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    progress: Progress | None = None,
) -> Solutions:
    """Solve the same problem for many targets, starts or figures.

    figure: a Figure or a Pose; or several of one structure (`Figure.same_structure`), such as a `population`.
    goals: as of `solve`, of every kind.
    starts: poses, or (problems, n) numbers; one serves for all. By default each figure's rest, or the pose given.
    targets: for one goal (problems, 3) points, (problems, 3, 3) rotations or (problems, 4, 4) transforms; for several a
        list with one such array a goal, in their order, None leaving a goal as it is.
    which: of each problem the index of its figure; by default problem k is for figure k.
    device: ``"cpu"``, or ``"cuda"``: searched on the first graphics card in single precision, every answer checked by
        the CPU's kernels before it counts. What else is asked than positions, orientations, placements, lines, planes
        and aims, and whatever is hard, the CPU brings about from there.
    polish: after a graphics card, search on from every answer in double precision, so that it misses by micrometres; by
        default only from those that the check finds short. (Where constraints are linear, always.)
    threads: by default as many as the process may use.
    free, fixed: the degrees of freedom that may move, or may not, by name or pattern.
    restarts: further starts of a problem at most.
    seed: which starts those are.
    thorough: ask `Problem.solve` for what the batch's own searches did not reach, so that no fewer are reached and what
        cannot be is as near as can be. Where most cannot be reached, False is very much faster.
    progress: called with how many problems are done and how many there are.

    The answer to a problem depends on nothing but that problem: not on threads, not on what else is in the batch.
    Answers are `Solutions`: `q` (problems, n), `reached`, `kept`, `errors`, `iterations`, `starts`.
    """
    begin = perf_counter()
    _check_device(device)
    if progress is not None and not callable(progress):
        raise SolveError(f"progress is a function of what is done and what there is, got {progress!r}")
    flat, ranks = ranked(goals)
    seed, count_threads = checked_seed(seed), checked_threads(threads)
    restarts = None if restarts is None else checked_restarts(restarts)
    batch = batch_of(figure, flat, targets, starts, which)
    levels: Any = [
        [goal for goal, rank in zip(flat, ranks, strict=True) if rank == r] for r in sorted(set(ranks))
    ]
    asked = levels if len(levels) > 1 else flat

    def make(one: Figure, goals: Any = asked) -> Problem:
        return Problem(one, goals, free=free, fixed=fixed, constraints=constraints, tolerance=tolerance)

    problem = make(batch.figures[0])
    work = Work(problem.spec)

    def make_work(one: Figure, goals: Any = asked) -> Work:
        return Work(make(one, goals).spec)

    answers = Answers(batch.count, problem.figure.n, len(flat))
    if batch.count:
        if device == "cuda":
            from manikin.engines.batch.cuda import search

            search.solve(
                batch, work, make_work, answers, count_threads, restarts, seed, polish, progress, _solve
            )
        else:
            _solve(batch, work, make_work, answers, count_threads, restarts, seed, progress)
        judge_answers(batch, problem.spec, answers, count_threads, _by_figure(batch))
        _finish(batch, problem, make, answers, restarts, seed, thorough, threads)
    return Solutions(
        problem.figure,
        answers.q,
        answers.reached,
        answers.errors,
        answers.iterations,
        perf_counter() - begin,
        answers.starts,
        batch.figures,
        batch.which,
        answers.kept,
    )


def _check_device(device: str) -> None:
    if device not in DEVICES:
        raise SolveError(f"unknown device {device!r}; known are: {', '.join(DEVICES)}")
    if device == "cuda":
        from manikin.kernels.gpu.load import card

        card()  # what is missing is said before any work


def _chunk(count: int, threads: int) -> int:
    return min(max(-(-count // (4 * threads)), _LEAST), _MOST)


def _solve(
    batch: Batch,
    work: Work,
    make: Callable[[Figure], Work],
    answers: Answers,
    threads: int,
    restarts: int | None,
    seed: int,
    progress: Progress | None,
) -> None:
    """The searches of the batch itself: in lanes where they serve, else over rows of every kind."""
    if plain.suits(work):
        figures = plain.Figures(work, batch, make)
        if figures.alike:
            starts = plain.STARTS if restarts is None else restarts
            crew = Crew(lambda: plain.Worker(work, batch, figures, seed, starts), threads)
            crew.each(
                chunks(0, batch.count, _chunk(batch.count, threads)),
                lambda worker, first, last: worker.solve(first, last, answers),
                progress,
                batch.count,
            )
            return
    if work.rows().functions or not mixed.simple(work.rows(), batch.targets):
        answers.task[:] = REPAIR  # each by itself
        return
    starts = mixed.STARTS if restarts is None else restarts
    done = 0
    for f, numbers in _by_figure(batch):
        own = work if f == 0 else make(batch.figures[f])
        further = mixed.others(own, starts, seed)
        size = _chunk(len(numbers), threads)
        mixed_crew = Crew(lambda own=own, further=further: mixed.Worker(own, further), threads)  # type: ignore[misc]
        mixed_crew.each(
            chunks(0, len(numbers), min(size, 1024)),
            lambda worker, first, last, numbers=numbers: worker.solve(batch, numbers[first:last], answers),  # type: ignore[misc]
            None if progress is None else lambda part, _, done=done: progress(done + part, batch.count),  # type: ignore[misc]
            batch.count,
        )
        done += len(numbers)


def _by_figure(batch: Batch) -> list[tuple[int, np.ndarray]]:
    """Of each figure the problems that are for it."""
    if batch.which is None:
        return [(0, np.arange(batch.count))]
    order = np.argsort(batch.which, kind="stable")
    figures, first = np.unique(batch.which[order], return_index=True)
    return list(zip(figures.tolist(), np.split(order, first[1:]), strict=True))


def _finish(
    batch: Batch,
    problem: Problem,
    make: Callable[[Figure], Problem],
    answers: Answers,
    restarts: int | None,
    seed: int,
    thorough: bool,
    threads: int | None,
) -> None:
    """What is left to `Problem.solve`: starts that break a linear constraint, and where it is asked for all misses."""
    refused = np.flatnonzero(answers.task == REFUSED)
    if len(refused):
        refuse(batch, problem.goals, int(refused[0]))
    left = np.isin(answers.task, (TIDY, REPAIR))
    if thorough:
        left |= ~answers.reached
    problems = {0: problem}
    for k in np.flatnonzero(left):
        f = batch.figure_of(int(k))
        if f not in problems:
            if len(problems) > _KEPT:
                problems = {0: problem}
            problems[f] = make(batch.figures[f])
        found = problems[f].solve(
            batch.starts_of(np.array([k]))[0],
            targets=batch.target_of(problem.goals, int(k)) if batch.targets else None,
            restarts=restarts,
            seed=seed,
            threads=threads,
        )
        answers.take_one(int(k), found.raw, found.verdict)
        answers.iterations[k] += found.iterations
        answers.starts[k] += found.starts
