"""Solving by a method that another package declares."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.levels import ended_at
from manikin.engines.raw import STATUSES
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.plan.methods import methods

if TYPE_CHECKING:
    from manikin.engines.raw import Raw
    from manikin.engines.work import Work
    from manikin.goals.request import Request
    from manikin.plan.options import Options


def from_outside(work: Work, request: Request, begun: np.ndarray, asked: Options) -> Raw:
    """Solve from one start."""
    begin = perf_counter()
    deadline = None if asked.time_limit is None else begin + asked.time_limit
    ended = methods()[asked.method].run(work.spec, begun, asked.options, deadline, work.run.anchor)
    levels = work.levels
    outcome = None if levels is None else ended_at(levels, ended.q, ended.choice)
    misses = ended.misses if outcome is None else outcome.misses
    out = np.empty(OUT_ERRORS + len(misses))
    status = STATUSES.index(ended.status)
    out[:OUT_ERRORS] = ended.potential, status, ended.iterations, ended.evaluations, ended.reached
    out[OUT_ERRORS:] = misses
    found = work.raw(request, np.concatenate([out, ended.q, begun]), begin)
    found.details, found.began = ended.details, ended.began
    return found if levels is None or outcome is None else found.found_by(levels, outcome)
