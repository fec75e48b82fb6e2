"""Goals in time: a target that moves along a path, a goal that holds for a while."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import GoalError
from manikin.goals import Goal, Orientation, Pin, Placement, Position
from manikin.goals.target import shape_of
from manikin.motion.paths import Path, Recorded, TargetCurve


@dataclass(frozen=True, eq=False)
class Along:
    """A goal whose target moves along a path, or through targets given one a sample; NaN where there is none.

    goal: a Position, Orientation, Placement, Aim, OnLine, OnPlane or CenterOfMass; its own target does not matter.
    path: a `Path`, or an array (samples, 3), (samples, 3, 3) or (samples, 4, 4).
    start, end: seconds between which it holds and, unless it was recorded, runs its way; all the time by default.
    """

    goal: Goal
    path: Any
    start: float | None = None
    end: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.goal, Goal) or shape_of(self.goal) is None:
            raise GoalError(f"along: a goal whose target can move is wanted, got {self.goal!r}")
        _check_interval(self.goal, self.start, self.end)


@dataclass(frozen=True, eq=False)
class During:
    """A goal that holds between two times, seconds. A Pin holds where its site is when the time begins, without
    sliding."""

    goal: Goal
    start: float | None = None
    end: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.goal, Goal):
            raise GoalError(f"during: a goal is wanted, got {self.goal!r}")
        _check_interval(self.goal, self.start, self.end)


def _check_interval(goal: Goal, start: float | None, end: float | None) -> None:
    try:
        first, last = -np.inf if start is None else float(start), np.inf if end is None else float(end)
    except (TypeError, ValueError, OverflowError):
        first, last = np.inf, -np.inf
    if not first <= last:
        raise GoalError(f"{goal.label()}: its time must not end before it begins, got {start!r} to {end!r}")


@dataclass(frozen=True, eq=False)
class Timed:
    """A goal over samples: its targets (T, …) or None where it does not move, when it is active, (T,), and how much
    each target is trusted, (T,): 0 in gaps, which are bridged, less than 1 for outliers. asked: the targets as they
    were given, by which it is judged; outliers are replaced in `targets` only, gaps in both."""

    goal: Goal
    targets: np.ndarray | None
    active: np.ndarray
    trust: np.ndarray
    recorded: bool
    asked: np.ndarray | None = None

    def target(self) -> np.ndarray:
        """The targets, (T, …)."""
        assert self.targets is not None
        return self.targets

    def judged_by(self) -> np.ndarray:
        """The targets that its misses are measured from, (T, …)."""
        return self.target() if self.asked is None else self.asked


def timed(
    goals: Goal | Along | During | Iterable[Goal | Along | During], times: np.ndarray, robust: bool
) -> list[Timed]:
    """The goals over samples at times, gaps bridged and outliers found."""
    try:
        listed: Sequence[Any] = [goals] if isinstance(goals, (Goal, Along, During)) else list(goals)
    except TypeError:
        raise GoalError(f"track: goals must be goals, Along or During, got {goals!r}") from None
    found = []
    for entry in listed:
        if isinstance(entry, Goal):
            entry = During(entry)
        if not isinstance(entry, (Along, During)):
            raise GoalError(f"track: goals must be goals, Along or During, got {entry!r}")
        active = np.ones(len(times), bool)
        if entry.start is not None:
            active &= times >= entry.start - 1e-9
        if entry.end is not None:
            active &= times <= entry.end + 1e-9
        if isinstance(entry, During):
            found.append(Timed(entry.goal, None, active, np.ones(len(times)), False))
            continue
        found.append(_moving(entry, times, active, robust))
    if not found:
        raise GoalError("track: there are no goals")
    return found


def _moving(entry: Along, times: np.ndarray, active: np.ndarray, robust: bool) -> Timed:
    shape = shape_of(entry.goal)
    assert shape is not None
    trust = np.ones(len(times))
    recorded = not isinstance(entry.path, Path) or isinstance(entry.path, Recorded)
    if isinstance(entry.path, Path):
        whole = np.zeros((len(times), *shape))
        if active.any():
            part = entry.path.over(times[active])
            if part.shape[1:] != shape:
                raise GoalError(
                    f"{entry.goal.label()}: its path must give targets of shape {shape}, got {part.shape[1:]}"
                )
            whole[active] = part
            whole[~active] = part[0]
        return Timed(entry.goal, whole, active, trust, recorded)
    given = entry.path
    array = np.array(given.as_matrix() if hasattr(given, "as_matrix") else given, dtype=np.float64)
    if array.shape != (len(times), *shape):
        raise GoalError(
            f"{entry.goal.label()}: expected targets of shape {(len(times), *shape)}, one a sample, got {array.shape}"
        )
    known = np.isfinite(array.reshape(len(array), -1)).all(axis=1)
    if not (known & active).any():
        raise GoalError(f"{entry.goal.label()}: it has no finite target at all")
    trust[~known] = 0.0
    usable = known & active
    if robust:
        doubt = outliers(array, usable)
        trust = trust / np.maximum(doubt, 1.0) ** 2
        usable &= doubt <= 1.0
    asked = array
    if not usable.all():
        array = bridged(times, array, usable)
        asked = np.where(known.reshape(-1, *np.ones(len(shape), int)), asked, array)
    return Timed(entry.goal, array, active, trust, recorded, asked)


def outliers(targets: np.ndarray, usable: np.ndarray, width: int = 4) -> np.ndarray:
    """How far each target is from where its neighbours say it is, in units of what is doubtful, (T,); above 1: an
    outlier.

    They say so by the median of (x₋ₖ + x₊ₖ)/2 for k = 1 … 4, which straight motion does not move and one wild neighbour
    does not either. Doubtful is six times the median distance (as of Hampel's identifier), and no less than 2 cm, or
    0.02 of a rotation's entries. At the ends, with neighbours on one side only, nothing is doubted.
    """
    flat = targets[:, :3, 3] if targets.shape[1:] == (4, 4) else targets.reshape(len(targets), -1)
    x = np.where(usable[:, None], flat, np.nan)
    said = np.full((width, *x.shape), np.nan)
    for k in range(1, width + 1):
        if len(x) > 2 * k:
            said[k - 1, k:-k] = 0.5 * (x[2 * k :] + x[: -2 * k])
    doubt = np.zeros(len(x))
    which = usable & (np.isfinite(said[..., 0]).sum(axis=0) >= 3)
    if which.sum() < 2 * width:
        return doubt
    away = np.linalg.norm(x[which] - np.nanmedian(said[:, which], axis=0), axis=1)
    doubt[which] = away / max(6.0 * float(np.median(away)), 0.02)
    return doubt


def bridged(times: np.ndarray, targets: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """The targets with those that are not usable put on a curve over the gap: a cubic from end to end, at the mean
    velocity of the six samples before and after, which noise moves little; rotations C² through all that are known."""
    result = targets.copy()
    known = np.flatnonzero(usable)
    gaps = np.flatnonzero(~usable)
    if targets.shape[1:] != (3,):
        result[gaps] = TargetCurve(times[known], targets[known]).at(times[gaps])
    if targets.shape[1:] == (3, 3):
        return result
    x = targets if targets.shape[1:] == (3,) else targets[:, :3, 3]
    place = np.searchsorted(known, gaps)
    for group in np.unique(place):
        at = gaps[place == group]
        before, after = known[max(group - 6, 0) : group], known[group : group + 6]
        if len(before) == 0 or len(after) == 0:
            found = np.repeat(
                x[(after if len(before) == 0 else before)[0 if len(before) == 0 else -1]][None], len(at), 0
            )
        else:
            found = _cubic(times, x, before, after, at)
        if targets.shape[1:] == (3,):
            result[at] = found
        else:
            result[at, :3, 3] = found
    return result


def _cubic(
    times: np.ndarray, x: np.ndarray, before: np.ndarray, after: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """The cubic over a gap, from the last sample before it to the first after it."""
    first, last = times[before[-1]], times[after[0]]
    h = last - first
    u = ((times[at] - first) / h)[:, None]
    one, two = x[before[-1]], x[after[0]]
    v, w = _velocity(times[before], x[before]), _velocity(times[after], x[after])
    straight = (two - one) / h
    v, w = (straight if speed is None else speed for speed in (v, w))
    return (
        (1.0 + 2.0 * u) * (1.0 - u) ** 2 * one
        + u**2 * (3.0 - 2.0 * u) * two
        + h * u * (1.0 - u) ** 2 * v
        - h * u**2 * (1.0 - u) * w
    )


def _velocity(times: np.ndarray, x: np.ndarray) -> np.ndarray | None:
    """The slope of the straight line through samples (least squares); None where there are too few."""
    if len(times) < 3:
        return None
    t = times - times.mean()
    slope: np.ndarray = t @ x / (t @ t)
    return slope


def pinned(goal: Pin, frame: np.ndarray) -> Goal:
    """A Pin as the goal that its site stays at a frame, where one of a clip's kinds says that."""
    if goal.axes == "all":
        return Placement(goal.site, frame[:3, 3], frame[:3, :3], weight=goal.weight, hard=goal.hard)
    if goal.axes == "position":
        return Position(goal.site, frame[:3, 3], weight=goal.weight, hard=goal.hard)
    if goal.axes == "orientation":
        return Orientation(goal.site, frame[:3, :3], weight=goal.weight, hard=goal.hard)
    return goal.changed(at=frame)
