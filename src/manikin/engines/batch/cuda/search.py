"""A batch searched on a graphics card, and each answer looked at once more on the CPU before it counts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.batch import plain
from manikin.engines.batch.answers import Answers
from manikin.engines.batch.cuda import arm, body, tree
from manikin.engines.batch.cuda.relaxed import relaxed
from manikin.engines.batch.inputs import Batch
from manikin.engines.batch.solve import How, search as search_on_cpu
from manikin.engines.batch.workers import Crew, Progress, chunks
from manikin.errors import SolveError
from manikin.kernels.gpu import load
from manikin.kernels.gpu.driver import Stopwatch
from manikin.kernels.gpu.queue import REPORT
from manikin.kernels.residuals.errors import PLANE, STOP, TOLERANCE

if TYPE_CHECKING:
    from manikin.engines.work import Work

#: Problems in one launch at most: memory is bounded by it, and an interrupt waits no longer than for one.
_MOST = 1 << 21
_RECHECKED = 8192
# Square of the miss that polishing stops at.
_FINE = 1e-18
#: Further starts beyond those that a thread tries in turn have a thread each, in rounds of so many, the last being for
#: all that are left: few problems need them, and a card has nothing else to do then.
ROUND = 32

Tables = arm.Tables | body.Tables


def tables_of(work: Work, batch: Batch, restarts: int | None, seed: int) -> Tables:
    """What the card is told of these problems, or an error that says what it cannot take."""
    if not body.suits(work):
        raise SolveError(
            'device="cuda": a card takes no cones, no loops, no equalities among coordinates, no axes that follow '
            'curves and no joints of kinds from outside of the package; leave device="cpu" for them'
        )
    if plain.suits(work) and arm.suits(work, batch):
        return arm.Tables(work, batch, restarts, seed)
    kind = tree.Tables if tree.suits(work) else body.Tables
    return kind(work, batch, restarts, seed)


def launch(
    tables: Tables, rows: np.ndarray | slice, starts: np.ndarray, further: int, count: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Search these problems of the batch from these starts: ends, reports, and the seconds that the kernel took."""
    card = load.card()
    run = load.kernel(tables.name)
    found = card.empty(count * tables.columns(), np.float64)
    report = card.empty(count * REPORT, np.int32)
    counter = card.empty(1, np.int32)
    found.clear()
    counter.clear()
    arguments = tables.arguments(card, rows, starts, further, found, report, counter)
    resident = min(run.resident(tables.threads), tables.most_blocks)
    blocks = min(card.multiprocessors * resident, -(-count // tables.threads))
    with Stopwatch(card) as watch:
        run.launch(blocks, tables.threads, arguments)
    return found.get().reshape(count, -1), report.get().reshape(count, REPORT), watch.seconds


def search(
    tables: Tables, batch: Batch, progress: Progress | None = None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Answers, (problems, n), reports, (problems, 2), and the seconds that kernels took.

    What an answer is depends on its problem alone: the first of its starts that reaches, else the nearest of the first.
    """
    q = np.empty((batch.count, batch.starts.shape[1]))
    reports = np.empty((batch.count, REPORT), np.int32)
    seconds = 0.0
    in_turn = min(tables.in_turn, tables.further)
    for first, last in chunks(0, batch.count, _MOST):
        here, count = slice(first, last), last - first
        begun = batch.starts if len(batch.starts) == 1 else batch.starts[here]
        found, own, took = launch(tables, here, tables.coordinates(begun), in_turn, count)
        seconds += took
        at = in_turn
        while at < tables.further and (own[:, 0] < 0).any():
            left = np.flatnonzero(own[:, 0] < 0)
            each = min(ROUND, tables.further - at)
            if len(left) * (tables.further - at) <= _MOST // 4:
                each = tables.further - at
            seeds = tables.further_starts(batch.starts_of(first + left), at, each)
            ends, told, took = launch(tables, np.repeat(first + left, each), seeds, 0, len(left) * each)
            seconds += took
            told = told.reshape(len(left), each, REPORT)
            met = told[:, :, 0] >= 0
            which = met.argmax(axis=1)
            own[left, 1] += told[:, :, 1].sum(axis=1)
            some = met.any(axis=1)
            own[left[some], 0] = at + 1 + which[some]
            found[left[some]] = ends.reshape(len(left), each, -1)[some, which[some]]
            at += each
        reports[first:last] = own
        tables.write(found, begun, q[first:last])
        if progress is not None:
            progress(last, batch.count)
    return q, reports, seconds


class _Checker(plain.Worker):
    """The CPU's own search, stopping where the tolerances are met."""

    def __init__(self, work: Work, batch: Batch, figures: plain.Figures, seed: int, polish: bool) -> None:
        super().__init__(work, batch.targets, figures, seed, 0)
        rows = self.packed.part_parameters
        if polish:
            rows[:, STOP] = np.minimum(rows[:, STOP], _FINE)
        else:
            miss = rows[:, TOLERANCE].copy()
            turns = self.packed.sections.parts.kind > PLANE
            miss[turns] = 2.0 * np.sin(0.5 * miss[turns])
            rows[:, STOP] = np.maximum(rows[:, STOP], (1.0 - 1e-9) * miss**2)


def _check(
    work: Work,
    batch: Batch,
    figures: plain.Figures,
    into: Answers,
    threads: int,
    seed: int,
    polish: bool,
) -> None:
    """Search on from the batch's starts in double precision; where all is met already, that only measures."""
    with Crew(partial(_Checker, work, batch, figures, seed, polish), threads) as crew:
        crew.each(
            chunks(0, batch.count, _RECHECKED),
            lambda worker, first, last: worker.solve(batch, slice(first, last), into),
        )


def _largest(answers: Answers) -> np.ndarray:
    """The largest error of each problem."""
    largest: np.ndarray = np.fmax.reduce(answers.errors, axis=(1, 2))
    return largest


def _polish(
    work: Work, batch: Batch, figures: plain.Figures, answers: Answers, threads: int, seed: int
) -> None:
    """Answers nearer to their targets, where the CPU's search gets there."""
    finer = Answers(batch.count, answers.q.shape[1], answers.errors.shape[1])
    checked = Batch(batch.count, batch.figures, batch.which, batch.targets, answers.q)
    _check(work, checked, figures, finer, threads, seed, True)
    better = finer.reached & (_largest(finer) < _largest(answers))
    answers.q[better], answers.errors[better] = finer.q[better], finer.errors[better]
    answers.iterations += finer.iterations


def solve(
    work: Work, batch: Batch, answers: Answers, how: How, polish: bool, progress: Progress | None
) -> None:
    """Search all problems on the card, then check every answer, and mend it where little is missing, on the CPU, which
    goes on from answers among linear constraints, and from those to what the card has left out.
    """
    searched, asked = (work, batch) if work.levels is None else relaxed(work, batch)
    tables = tables_of(searched, asked, how.restarts, how.seed)
    figures = plain.Figures(searched, asked)
    if not figures.alike:
        raise SolveError(
            'device="cuda": these figures differ in more than lengths and limits (in drives or stiffness); leave '
            'device="cpu"'
        )
    q, reports, _ = search(tables, asked, progress)
    again = replace(batch, starts=q, meant=batch.starts)
    if plain.suits(work):
        _check(work, again, figures, answers, how.threads, how.seed, False)
        if polish:
            _polish(work, again, figures, answers, how.threads, how.seed)
    else:
        search_on_cpu(work, again, answers, replace(how, restarts=0))
    answers.iterations += reports[:, 1]
    answers.starts[:] = np.where(reports[:, 0] >= 0, reports[:, 0], tables.further) + 1
