"""Every answer of a batch looked at once more, as a solve's is, before it is called reached (`verify`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.batch.answers import LEFT
from manikin.engines.batch.workers import Crew, chunks, part_of
from manikin.verify.rows import RowJudge, judge_of, keeps

if TYPE_CHECKING:
    from manikin.engines.batch.answers import Answers
    from manikin.engines.batch.inputs import Batch
    from manikin.plan.specification import Specification

# Poses that one thread judges in one go: their targets are some 400 bytes a goal and pose.
_CHUNK = 4096


def judge_answers(batch: Batch, spec: Specification, answers: Answers, threads: int) -> None:
    """Take back what was called reached and is not, and note what is kept; what is left to be solved alone aside."""
    given, goals = tuple(batch.targets), len(spec.goals)
    done = ~np.isin(answers.task, LEFT)
    for f, problems in batch.by_figure(None if done.all() else np.flatnonzero(done)):
        judge = judge_of(spec, batch.figures[f])

        def work(own: RowJudge, first: int, last: int, problems: Any = problems) -> None:
            here = part_of(problems, first, last)
            starts = (
                None if not own.follows else batch.starts_of(here) if batch.meant is None else batch.meant
            )
            bits = own.bits(answers.q[here], starts, batch.numbers(here, goals) if given else None)
            answers.reached[here] &= bits == 0
            answers.feasible[here] = keeps(bits)

        count = len(answers.task[problems])
        with Crew(partial(RowJudge, judge, given), threads) as crew:
            crew.each(chunks(0, count, _CHUNK), work)
