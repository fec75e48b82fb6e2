"""Further starts, one after the other, for the methods that know only one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.nonlinear import bring_in

if TYPE_CHECKING:
    from manikin.engines.raw import Raw
    from manikin.engines.work import Work
    from manikin.plan.options import Options


def restarted(work: Work, first: Raw, asked: Options) -> Raw:
    """The first further start that reaches every goal, or else the lowest end of all, the given start's included."""
    best, seconds = first, first.seconds
    if work.reached(first) or not work.verdict(first).feasible:
        return first
    rng = np.random.default_rng(asked.seed)
    for tried in range(asked.restarts or 0):
        left = None if asked.time_limit is None else asked.time_limit - seconds
        if left is not None and left <= 0.0:
            break
        start = random_start(work, first.start, rng)
        found = work.solve(start, None, replace(asked, restarts=0, seed=0, time_limit=left))
        found.begun_from(first.start, first.began)
        seconds += found.seconds
        met = work.reached(found)
        if met or found.potential < best.potential:
            best = found
        best.starts = tried + 2
        if met:
            break
    best.seconds = seconds
    return best


def further_starts(work: Work, begun: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """The rest pose, the root where it began, then starts drawn from the ranges, without end."""
    figure, variables = work.figure, work.packed.variables
    rest = begun.copy()
    rest[variables] = figure.rest[variables]
    if figure.base != "fixed":
        root = [figure.index(axis.name) for axis in figure.joints["root"].axes if axis.name in figure.dofs]
        rest[root] = begun[root]
    if not np.array_equal(rest, begun):
        yield rest
    rng = np.random.default_rng(seed)
    while True:
        yield random_start(work, begun, rng)


def random_start(work: Work, begun: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A start drawn evenly from the ranges; unlimited turns from a whole turn, unlimited slides within a metre."""
    figure, variables = work.figure, work.packed.variables
    q = begun.copy()
    at, lower, upper = q[variables], figure.lower[variables], figure.upper[variables]
    width = np.where(work.turns[variables], np.pi, 1.0)
    low = np.where(np.isfinite(lower), lower, np.minimum(at, upper) - width)
    high = np.where(np.isfinite(upper), upper, np.maximum(at, lower) + width)
    q[variables] = rng.uniform(low, high)
    bring_in(figure, q, begun)
    return q
