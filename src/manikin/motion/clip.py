"""`refined`: a tracked clip smoothed as a whole, its goals missed no more than before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from manikin.errors import SolveError
from manikin.figure.movable import movable
from manikin.goals import Goal
from manikin.motion.limits import Limits
from manikin.motion.motion import Motion
from manikin.motion.refine import jerk_of, rms_of, robust_weights
from manikin.motion.timed import Along, During, timed
from manikin.motion.tracking import Tracked, TrackRun, in_parts, within
from manikin.motion.wishes import Wish, checked, residuals
from manikin.plan.options import checked_tolerance

#: The smoothing that is tried first, the factor from one to the next, and the end.
_FIRST, _FACTOR, _LAST = 1e-18, 10.0, 1e3


def refined(
    motion: Motion,
    goals: Iterable[Goal | Along | During] | Goal | Along | During,
    *,
    smoothing: float | None = None,
    allow: float = 0.05,
    robust: bool = True,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    tolerance: tuple[float, float] = (1e-4, 1e-3),
) -> Tracked:
    """The motion with all its frames solved as one least-squares problem, for the goals and against jerk.

    goals: as of `track`, at the motion's own times. Positions, orientations, placements and aims only.
    smoothing: λ, s⁵ (see `manikin.motion.refine`); by default the greatest, to some 10 %, with which the root mean
        square of the misses stays within `allow` of what it was, 5 % by default, or within a micrometre.
    robust: whether outliers are weighed down. free, fixed, tolerance: as of `track`.

    The limits that a tracked motion was made within hold in the refined one too.
    """
    if not isinstance(motion, Motion):
        raise SolveError(f"refined: the first argument must be a Motion, got {motion!r}")
    for what, value in (("smoothing", smoothing), ("allow", allow)):
        if value is not None and not (isinstance(value, (int, float, np.number)) and 0.0 <= value < np.inf):
            raise SolveError(f"refined: {what} must be a number that is not negative, got {value!r}")
    if allow is None or not isinstance(robust, (bool, np.bool_)):
        raise SolveError(f"refined: allow is a number and robust true or false, got {allow!r} and {robust!r}")
    tolerance = checked_tolerance(tolerance)
    figure, times = motion.figure, motion.times
    free = movable(figure, free, fixed)
    entries = timed(goals, times, robust)
    for entry in entries:
        checked(entry.goal)
    if robust:  # what was taken for an outlier before is weighed by its own miss now, at its own place
        entries = [replace(entry, trust=np.where(entry.trust > 0.0, 1.0, 0.0)) for entry in entries]
    run = TrackRun(motion[0], entries, times, free, tolerance, None)
    wishes = run.wishes(np.arange(len(times)))
    chosen = None if free is None else figure.select(free)
    if smoothing is not None:
        q, weights = in_parts(figure, times, motion.q, wishes, smoothing, robust, chosen)
        return _told(run, q, weights, motion)
    # Outliers are weighed as the clip as it is shows them, so that the misses of all refinements compare.
    weights = (
        robust_weights(wishes, residuals(figure, motion.q, wishes)) if robust else [w.weights for w in wishes]
    )
    weighed = [Wish(wish.goal, wish.targets, w) for wish, w in zip(wishes, weights, strict=True)]
    before = rms_of(figure, motion.q, weighed, weights)
    allowed = max(before * (1.0 + allow), before + 1e-6)
    best, least, start, now = np.array(motion.q), jerk_of(times, motion.q), np.array(motion.q), _FIRST
    factor = _FACTOR
    while now < _LAST:
        q, _ = in_parts(figure, times, start, weighed, now, False, chosen)
        if rms_of(figure, q, weighed, weights) > allowed:
            if factor < 1.1:
                break
            now, factor = now / factor, factor**0.5  # nearer to what is allowed, in finer steps
        elif jerk_of(times, q) <= least:
            best, least = q, jerk_of(times, q)
            start = q
        now *= factor
    return _told(run, best, weights, motion)


def _told(run: TrackRun, q: np.ndarray, weights: list[np.ndarray], motion: Motion) -> Tracked:
    limits = (
        motion.rate_limits
        if isinstance(motion, Tracked)
        else Limits.given(motion.figure, False, False, False, None)
    )
    q, lagging = within(run.figure, run.times, q, limits)
    result = run.finished(q, lagging, limits, motion.name)
    result.trust = np.array(weights).T
    return result
