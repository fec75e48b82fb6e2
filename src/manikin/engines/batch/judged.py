"""Every answer of a batch looked at once more, as a solve's is, before it is called reached (`verify`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.batch.answers import LEFT
from manikin.engines.batch.workers import Crew, chunks
from manikin.verify.rows import RowJudge, judge_of, keeps

if TYPE_CHECKING:
    from manikin.engines.batch.answers import Answers
    from manikin.engines.batch.inputs import Batch
    from manikin.plan.specification import Specification

# Poses that one thread judges in one go: their targets are some 400 bytes a goal and pose.
_CHUNK = 4096


def judge_answers(
    batch: Batch,
    spec: Specification,
    answers: Answers,
    threads: int,
    by_figure: Sequence[tuple[int, np.ndarray]],
    meant: np.ndarray | None = None,
) -> None:
    """Take back what was called reached and is not, and note what is kept; what is left to `Problem.solve` aside.

    by_figure: of each figure the problems that are for it. meant: what "where it is" means in all of them, (1, n); by
    default each one's start.
    """
    given, goals = tuple(batch.targets), len(spec.goals)
    for f, numbers in by_figure:
        left = np.isin(answers.task[numbers], LEFT)
        rows = numbers[~left] if left.any() else numbers
        if not len(rows):
            continue
        judge = judge_of(spec, batch.figures[f])
        whole = len(rows) == batch.count  # then stretches of the arrays themselves, which is quicker

        def work(own: RowJudge, first: int, last: int, rows: np.ndarray = rows, whole: bool = whole) -> None:
            here: Any = slice(first, last) if whole else rows[first:last]
            starts = None if not own.follows else batch.starts_of(here) if meant is None else meant
            bits = own.bits(answers.q[here], starts, batch.numbers(here, goals) if given else None)
            answers.reached[here] &= bits == 0
            answers.kept[here] = keeps(bits)

        crew = Crew(lambda judge=judge: RowJudge(judge, given), threads)  # type: ignore[misc]
        crew.each(chunks(0, len(rows), _CHUNK), work, None, len(rows))
