"""`track`: a figure that follows goals over time, inside its limits.

1. The goals are solved sample by sample, each from the last (`Problem.solve_path`, compiled); where all targets are
smooth,
   at knots only, few enough that a C² curve through them meets every target between them within a tenth of the
   tolerance.
2. What freedom the goals leave is spent on smoothness: all knots at once (`refine`).
3. What is still faster than the limits on speed, acceleration and jerk, as a flip is, is passed in quintics
   (`passages`) or, where that is not enough, followed as a stream would (`follower`), lagging behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from manikin.closed_form.passages import passed
from manikin.engines.raw import ORIENTATION, POSITION
from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.figure.movable import movable, pose_of
from manikin.goals import Goal, Pin
from manikin.goals.target import target_of, with_target
from manikin.goals.words import angle, length
from manikin.kernels.memory.targets import NUMBERS
from manikin.motion.columns import columns_of
from manikin.motion.curve import Curve
from manikin.motion.follower import Follower, SampleLimits
from manikin.motion.limits import Limits
from manikin.motion.motion import Motion
from manikin.motion.refine import STEPS, refine
from manikin.motion.region import Region
from manikin.motion.timed import Along, During, Timed, pinned, timed
from manikin.motion.violations import (
    ROUNDING,
    Violation,
    differences,
    told,
    too_fast,
    too_fast_there,
    worst_of,
)
from manikin.motion.wishes import Wish, known, residuals
from manikin.plan.options import checked_tolerance
from manikin.problem import Problem, Session
from manikin.verify.judge import Judge
from manikin.verify.rows import RowJudge, keeps

Progress = Callable[[int, int], None]
#: Of the smoothing: enough to spend what freedom is left, too little to miss a goal by a micrometre.
GENTLE = 1e-10
#: Steps of it: the first few take most of the jerk away.
_FEW = 4
_CHUNK, _OVERLAP = 400_000, 8
#: Uneven samples break limits by less than this share of them; below it the verdict says what is left.
_TIGHTEST = 0.05
#: How often limits are taken tighter so that the curve between samples keeps them too, and by how much more than it
#: breaks them; what uses less than this share of them from sample to sample keeps them between samples (of a cubic
#: spline |x″| ≤ 3 max |second differences|).
_ROUNDS, _MORE, _FAR = 20, 1.02, 1.0 / 3.0
#: A share of a limit that the parabola through three points of a derivative may be beside it.
_ROUGH = 1e-7
#: Flips take less than this share of a clip; a clip that is too fast as a whole is otherwise one passage from its first
#: sample to its last (254 mm off a noisy path that is followed within 30).
_FLIPS = 0.2


class Tracked(Motion):
    """A motion that follows goals, with how well it does.

    position_errors, orientation_errors: (T, goals), metres and radians; NaN where a goal is not active or has none.
        They are measured from the targets as given, outliers too. reached: (T,), whether
        all active goals are met within the tolerance, and the sample is feasible. lagging: (T,), where limits on
        velocity, acceleration or jerk took the figure off its targets. trust: (T, goals), less than 1 for outliers, 0
        in gaps. rate_limits: those that it was made within.

    Here `feasible` and `violations` tell of every active hard goal and of the limits too. All of it is the word of the
    judge of every solve (docs/contract.md), at every sample.
    """

    position_errors: np.ndarray
    orientation_errors: np.ndarray
    reached: np.ndarray
    lagging: np.ndarray
    trust: np.ndarray
    rate_limits: Limits

    def __repr__(self) -> str:
        largest = [
            say(float(np.nanmax(errors)))
            for errors, say in ((self.position_errors, length), (self.orientation_errors, angle))
            if np.isfinite(errors).any()
        ]
        shown = f", largest error {' and '.join(largest)}" if largest else ""
        return f"{super().__repr__()[:-1]}, {int(self.reached.sum())} of {len(self)} reached{shown})"


def track(
    figure: Figure | Pose,
    goals: Iterable[Goal | Along | During] | Goal | Along | During,
    times: Any,
    *,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    velocity: Any = None,
    acceleration: Any = None,
    jerk: Any = None,
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    smoothing: float | None = None,
    robust: bool = True,
    name: str = "",
    progress: Progress | None = None,
) -> Tracked:
    """The motion in which the figure follows goals at times, (T,), seconds, rising.

    figure: a Figure, which begins at rest, or a Pose of it to begin near.
    goals: goals that stand (a Position, an Aim), that move (`Along`), or that hold for a while (`During`).
    velocity: the greatest speeds, rad/s or m/s: by default the figure's own (from its URDF); a number, n numbers,
    numbers
        by name or pattern, or False for none. acceleration, jerk: likewise, rad/s² and rad/s³, or metres; by default
        none. All hold from sample to sample and on the
        curve between; where a path cannot be followed within them, the figure lags behind it
        (`Tracked.lagging`) until it has caught up.
    free, fixed: the degrees of freedom that may move, or may not, by name or pattern.
    tolerance: metres and radians within which a goal counts as reached.
    smoothing: λ of `refine`, s⁵; 0 for none. By default 1e-10 where acceleration or jerk is limited, which costs no
        goal a micrometre, and 0 elsewhere.
    robust: whether outliers among recorded targets are weighed down.
    progress: called with how many samples are done, and how many there are.

    Gaps (NaN) in recorded targets are bridged C². Ranges and couplings hold in every sample.
    """
    pose = pose_of(figure, "track")
    figure = pose.figure
    tolerance = checked_tolerance(tolerance)
    if progress is not None and not callable(progress):
        raise SolveError(f"track: progress is a function of what is done and what there is, got {progress!r}")
    try:
        clock = np.array(times, dtype=np.float64)
        smoothing = None if smoothing is None else float(smoothing)
    except (TypeError, ValueError, OverflowError):
        raise SolveError(
            f"track: times, and smoothing, must be numbers, got {times!r} and {smoothing!r}"
        ) from None
    if smoothing is not None and not 0.0 <= smoothing < np.inf:
        raise SolveError(f"track: smoothing must not be negative, got {smoothing!r}")
    if clock.ndim != 1 or len(clock) == 0 or not np.isfinite(clock).all() or not (np.diff(clock) > 0.0).all():
        raise SolveError("track: times must be one or more finite, rising numbers")
    limits = Limits.given(figure, velocity, acceleration, jerk, figure.velocity)
    entries = timed(goals, clock, robust)
    run = TrackRun(pose, entries, clock, movable(figure, free, fixed), tolerance, progress)
    sharp = np.isfinite([limits.acceleration, limits.jerk]).any()
    smooth = (GENTLE if sharp else 0.0) if smoothing is None else float(smoothing)
    q, lagging = within(figure, clock, run.follow(smooth), limits)
    return run.finished(q, lagging, limits, name)


def within(
    figure: Figure, times: np.ndarray, q: np.ndarray, limits: Limits, *, between_samples: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Values (T, n) within limits and inside their ranges, and where they had to leave q, (T,).

    between_samples: whether the curve through the values keeps the limits too, and not only their differences.
    """
    nowhere = np.zeros(len(q), bool)
    if len(q) < 2 or not limits.any:
        return q, nowhere
    x, region = unrolled(figure, q), Region(figure)
    found, moved = x, nowhere
    if broken_by(times, x, limits) > 1.0:
        found, moved = _passed_or_lagging(region, x, times, limits)
    tighter = limits
    for _ in range(_ROUNDS if between_samples else 0):
        over = between(figure, times, found, limits)
        if max(float(rate.max(initial=0.0)) for rate in over) <= 1.0 + ROUNDING:
            break
        tighter = Limits(
            *(most / np.maximum(_MORE * rate, 1.0) for most, rate in zip(tighter.all, over, strict=True))
        )
        found, moved = _lagging(region, x, times, tighter)
    return np.where(moved[:, None], found, q), moved


def _passed_or_lagging(
    region: Region, x: np.ndarray, times: np.ndarray, limits: Limits
) -> tuple[np.ndarray, np.ndarray]:
    """Values within limits: flips passed or, where that is not enough or takes much of the clip, what stays nearer to
    x."""
    found, moved, kept = passed(x, times, limits.velocity, limits.acceleration, region.holds)
    kept = kept and broken_by(times, found, limits) <= 1.0
    if kept and moved.mean() <= _FLIPS:
        return found, moved
    other, left = _lagging(region, x, times, limits)
    if kept and np.square(found - x).sum() <= np.square(other - x).sum():
        return found, moved
    return other, left


def between(
    figure: Figure, times: np.ndarray, x: np.ndarray, limits: Limits
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The greatest share of each limit, (n,) each, that the derivatives of the curve through values x (T, n) use, at
    the samples and between them; 0 of what is far from its limit from sample to sample."""
    shares = _shares(figure, times, x, limits)
    return (
        shares[0].max(axis=0, initial=0.0),
        shares[1].max(axis=0, initial=0.0),
        shares[2].max(axis=0, initial=0.0),
    )


def _shares(figure: Figure, times: np.ndarray, x: np.ndarray, limits: Limits) -> list[np.ndarray]:
    """The same of every piece, (T − 1, n) each.

    The derivative is taken as the parabola through both ends and the middle of the piece, which of a cubic it is.
    """
    nothing = np.zeros((len(times) - 1, figure.n))
    found = [nothing, nothing, nothing]
    if not np.isfinite(limits.jerk).any() and broken_by(times, x, limits) <= _FAR:
        return found
    curve = Curve(figure, times, x, "cubic", "natural", True)
    for order, most in enumerate(limits.all, start=1):
        if np.isfinite(most).any():
            ends, middle = curve.at(times, order), curve.at(0.5 * (times[1:] + times[:-1]), order)
            first, last = ends[:-1], ends[1:]
            if order == 3:  # it jumps at the samples
                first = last = middle
            found[order - 1] = _peak(first, middle, last) / most
    return found


def _peak(first: np.ndarray, middle: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The greatest size between 0 and 1 of parabolas with these values at 0, 1/2 and 1."""
    slope, bend = 4.0 * middle - 3.0 * first - last, 2.0 * (first + last) - 4.0 * middle
    with np.errstate(divide="ignore", invalid="ignore"):
        place = -0.5 * slope / bend
        top = np.where((place > 0.0) & (place < 1.0), first + 0.5 * slope * place, middle)
    return np.max(np.abs([first, middle, last, top]), axis=0)


def broken_by(times: np.ndarray, x: np.ndarray, limits: Limits) -> float:
    """The greatest share of a limit that values x (T, n), going on over whole turns, use from sample to sample; more
    than 1 breaks it."""
    most = 0.0
    for rate, limit in zip(differences(times, x), limits.all, strict=True):
        most = max(most, float(np.max(np.abs(rate) / limit, initial=0.0)))
    return most if most > 1.0 + ROUNDING else min(most, 1.0)


def unrolled(figure: Figure, q: np.ndarray) -> np.ndarray:
    """q (T, n) with turns that wrap, and rotation vectors, continued beyond whole turns instead of jumping."""
    columns = columns_of(figure)
    x = q.copy()
    for k in columns.plain[columns.wraps]:
        x[:, k] = np.unwrap(x[:, k])
    for first, swing in columns.spheres:
        if swing:
            x[:, first + 2] = np.unwrap(x[:, first + 2])
            continue
        for t in range(1, len(x)):
            w, before = x[t, first : first + 3], x[t - 1, first : first + 3]
            size = float(np.linalg.norm(w))
            if size > 2.0 and np.abs(w - before).max() > 1.0:
                turns = np.round((w @ before / size - size) / (2.0 * np.pi))
                x[t, first : first + 3] = w * (1.0 + 2.0 * np.pi * turns / size)
    return x


def _lagging(
    region: Region, x: np.ndarray, times: np.ndarray, limits: Limits
) -> tuple[np.ndarray, np.ndarray]:
    """As a stream would follow, and where that leaves x, (T,): even samples of the shortest step, and of these those at
    the times asked for.

    Between even samples the values at other times lie on chords, whose acceleration over uneven steps may be more; then
    the limits are taken tighter.
    """
    dt = float(np.diff(times).min())
    steps = np.arange(int(np.ceil((times[-1] - times[0]) / dt * (1.0 - 1e-9))) + 1) * dt + times[0]
    wanted = np.stack([np.interp(steps, times, column) for column in x.T], axis=1)
    first, share = region.nearest(x[0]), 1.0
    while True:
        tighter = Limits(*(share**power * most for power, most in enumerate(limits.all)))
        follower = Follower(first, SampleLimits.of(tighter, dt), region)
        found = np.array([first, *(follower.step(target) for target in wanted[1:])])
        result = np.stack([np.interp(times, steps, column) for column in found.T], axis=1)
        if broken_by(times, result, limits) <= 1.0 or share < _TIGHTEST:
            return result, np.abs(result - x).max(axis=1) > 1e-9
        share *= 0.8


class TrackRun:
    """One call of `track`."""

    def __init__(
        self,
        pose: Pose,
        entries: list[Timed],
        times: np.ndarray,
        free: Any,
        tolerance: tuple[float, float],
        progress: Progress | None,
    ) -> None:
        self.figure, self.pose, self.entries, self.times = pose.figure, pose, entries, times
        self.free, self.tolerance, self.progress = free, tolerance, progress
        self.exact = (min(1e-9, tolerance[0]), min(1e-9, tolerance[1]))
        self.known = all(known(entry.goal) for entry in entries)
        self.fixed = {k: entry.goal for k, entry in enumerate(entries)}
        self._last: tuple[np.ndarray, np.ndarray] | None = None

    def follow(self, smoothing: float) -> np.ndarray:
        """The values at all samples, from knots where that is enough."""
        count = len(self.times)
        stride = self._stride()
        while stride > 1:
            knots = np.unique(np.append(np.arange(0, count, stride), count - 1))
            q = self._solved(knots)
            q = self._smoothed(q, knots, smoothing)
            curve = Curve(self.figure, self.times[knots], q, "cubic", "natural", True)
            values = curve.at(self.times)
            if self._meets(values, q, knots):
                if self.progress is not None:
                    self.progress(count, count)
                return values
            stride //= 2
        every = np.arange(count)
        return self._smoothed(self._solved(every), every, smoothing)

    def _stride(self) -> int:
        """How many samples may lie between knots, a power of two up to 64: as many as cubics through the targets allow.

        The middle between four even samples is (9 (x₁ + x₂) − x₀ − x₃)/16, but for the fourth derivative.
        """
        if self.figure.loops or any(getattr(entry.goal, "hard", False) for entry in self.entries):
            return 1  # what must hold holds at every sample, not only at knots
        moving = [entry for entry in self.entries if entry.targets is not None]
        standing = all(entry.active.all() for entry in self.entries)
        even = np.ptp(np.diff(self.times)) < 1e-6 * self.times[-1] if len(self.times) > 2 else False
        if not (self.known and standing and even) or any(entry.recorded for entry in moving):
            return 1
        stride = 64
        while stride > 1:
            half = stride // 2
            for entry in moving:
                x = entry.target()[::half].reshape(-1, entry.target()[0].size)
                middle = (9.0 * (x[2:-4:2] + x[4:-2:2]) - x[:-6:2] - x[6::2]) / 16.0 if len(x) > 12 else None
                if middle is None or np.abs(middle - x[3:-3:2]).max(initial=0.0) > 0.25 * self.tolerance[0]:
                    break
            else:
                return stride
            stride //= 2
        return 1

    def _meets(self, values: np.ndarray, q: np.ndarray, knots: np.ndarray) -> bool:
        """Whether all samples miss by no more than the knots next to them, and a part of the tolerance."""
        missed = self.misses(values)
        at_knots = missed[knots]
        allowed = np.maximum(
            np.repeat(at_knots.max(axis=0)[None], len(values), axis=0), 0.6 * self._allowed()
        )
        return bool((missed <= allowed).all())

    def _allowed(self) -> np.ndarray:
        return np.array([self.tolerance[0 if unit == "m" else 1] for unit in self.units])

    @property
    def units(self) -> list[str]:
        """Of each goal, what its miss is measured in."""
        return [e.goal.unit for e in self.entries]

    def _solved(self, at: np.ndarray) -> np.ndarray:
        """The values at samples, each solved from the last; in spans over which the same goals are active."""
        q, start = np.empty((len(at), self.figure.n)), np.array(self.pose.q)
        active = np.array([entry.active[at] for entry in self.entries])
        change = np.flatnonzero(np.any(active[:, 1:] != active[:, :-1], axis=0)) + 1
        edges = [0, *change.tolist(), len(at)]
        before = np.zeros(len(self.entries), bool)
        for low, high in pairwise(edges):
            now = active[:, low]
            self._pin(now & ~before, start)
            before = now
            q[low:high] = self._span(at[low:high], np.flatnonzero(now), start)
            start = np.array(q[high - 1])
            if self.progress is not None:
                self.progress(int(at[high - 1]) + 1, len(self.times))
        return q

    def _pin(self, begun: np.ndarray, start: np.ndarray) -> None:
        """Pins hold where the figure is when they begin."""
        for k in np.flatnonzero(begun).tolist():
            goal = self.entries[k].goal
            if isinstance(goal, Pin):
                self.fixed[k] = pinned(goal, self.figure.forward(start, goal.site)[0])

    def _span(self, at: np.ndarray, which: np.ndarray, start: np.ndarray) -> np.ndarray:
        goals: list[Goal] = []
        targets: list[Any] = []
        for k in which.tolist():
            entry = self.entries[k]
            if entry.targets is None:
                goals.append(self.fixed[k])
                targets.append(None)
            else:
                goals.append(with_target(entry.goal, entry.targets[at[0]]))
                targets.append(entry.targets[at])
        if not goals:
            return np.repeat(start[None], len(at), axis=0)
        pose = self.figure.pose(start)
        session = Problem(pose, goals, free=self.free, tolerance=self.exact).session()
        first = session.solve()
        if all(target is None for target in targets):  # the pose that meets them, all the while
            return np.repeat(np.array(first.q)[None], len(at), axis=0)
        if first.reached or not self.known:
            return session.path(targets, restarts=0).q
        return self._compromise(session, targets, at)

    def _compromise(self, session: Session, targets: list[Any], at: np.ndarray) -> np.ndarray:
        """Goals that cannot all be met, as noisy ones: every eighth sample from the last, then all at once."""
        knots = np.unique(np.append(np.arange(0, len(at), 8), len(at) - 1))
        rows = [
            np.array(session.solve([None if t is None else t[k] for t in targets], restarts=0).q)
            for k in knots
        ]
        if len(knots) > 1:
            x = Curve(self.figure, self.times[at[knots]], np.array(rows), "cubic", "natural", True).at(
                self.times[at]
            )
        else:
            x = np.array(rows)
        free = None if self.free is None else self.figure.select(self.free)
        return in_parts(self.figure, self.times[at], x, self.wishes(at), 0.0, False, free)[0]

    def wishes(self, at: np.ndarray, *, asked: bool = False) -> list[Wish]:
        """The goals at samples as residuals of a clip; those of other kinds are not among them. asked: with the targets
        as given, outliers too."""
        found = []
        for k, entry in enumerate(self.entries):
            goal = self.fixed[k] if entry.targets is None else entry.goal
            if not known(goal):
                continue
            if entry.targets is None:
                targets = _standing(goal, len(at))
            else:
                targets = (entry.judged_by() if asked else entry.targets)[at]
            weight = np.where(entry.active[at], entry.trust[at], 0.0)
            if getattr(goal, "hard", False):
                weight = 1e4 * weight
            found.append(Wish(goal, targets, weight))
        return found

    def _smoothed(self, q: np.ndarray, at: np.ndarray, smoothing: float) -> np.ndarray:
        """What freedom is left, spent on smoothness; long clips in parts that overlap."""
        if smoothing == 0.0 or len(at) < 4:
            return q
        if not self.known and not all(isinstance(e.goal, Pin) or known(e.goal) for e in self.entries):
            return q
        free = None if self.free is None else self.figure.select(self.free)
        return in_parts(self.figure, self.times[at], q, self.wishes(at), smoothing, False, free, _FEW)[0]

    def misses(self, q: np.ndarray) -> np.ndarray:
        """(T, goals): each goal's miss, NaN where it is not known for a whole clip."""
        if self._last is not None and self._last[0] is q:
            return self._last[1]
        every = np.arange(len(self.times))
        found = np.full((len(q), len(self.entries)), np.nan)
        wishes = self.wishes(every, asked=True)
        at = [
            k
            for k, entry in enumerate(self.entries)
            if known(self.fixed[k] if entry.targets is None else entry.goal)
        ]
        for k, r in zip(at, residuals(self.figure, q, wishes), strict=True):
            found[:, k] = np.linalg.norm(r[:, :3], axis=1)
        self._last = (q, found)
        return found

    def judged(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Violation]]:
        """What does not hold at each sample (`verify.rows`), each goal's errors, (T, goals, 2), metres and radians, NaN
        where none is measured, and the violations; in spans over which the same goals are active.

        Standing goals that mean where the figure was mean where it began, as a path does.
        """
        bits, misses = np.zeros(len(q), np.int64), np.full((len(q), len(self.entries), 2), np.nan)
        violations: list[Violation] = []
        active = np.array([entry.active for entry in self.entries])
        change = np.flatnonzero(np.any(active[:, 1:] != active[:, :-1], axis=0)) + 1
        for low, high in pairwise([0, *change.tolist(), len(q)]):
            which = np.flatnonzero(active[:, low]).tolist()
            goals = tuple(
                self.fixed[k] if self.entries[k].targets is None else self.entries[k].goal for k in which
            )
            moving = [place for place, k in enumerate(which) if self.entries[k].targets is not None]
            start = self.pose if low == 0 else self.figure.pose(q[low - 1])
            judge = Judge(self.figure, start, goals, self.figure.couplings, self.tolerance)
            numbers = np.zeros((high - low, len(goals), NUMBERS))
            for place in moving:
                flat = self.entries[which[place]].judged_by()[low:high].reshape(high - low, -1)
                numbers[:, place, : flat.shape[1]] = flat
            found = np.zeros((high - low, len(judge.atoms)))
            bits[low:high] = RowJudge(judge, moving).bits(q[low:high], start.q, numbers, found)
            violations += told(judge, self.times[low:high], q[low:high], keeps(bits[low:high]), found)
            for t, atom in enumerate(judge.atoms):
                if atom.goal >= 0 and atom.unit:
                    own = misses[low:high, which[atom.goal], POSITION if atom.unit == "m" else ORIENTATION]
                    np.fmax(own, found[:, t], out=own)
        return bits, misses, violations

    def finished(self, q: np.ndarray, lagging: np.ndarray, limits: Limits, name: str) -> Tracked:
        """The motion with its misses and its verdict."""
        result = Tracked(self.figure, self.times, q, name=name)
        errors = self.misses(q)
        active = np.array([entry.active for entry in self.entries]).T
        trust = np.array([entry.trust for entry in self.entries]).T
        active &= trust > 0.0
        errors = np.where(active, errors, np.nan)
        bits, judged, violations = self.judged(q)
        unknown = np.isnan(errors) & active
        radians = np.array([entry.goal.unit == "rad" for entry in self.entries], bool)
        first = np.where(radians, judged[..., ORIENTATION], judged[..., POSITION])
        errors[unknown] = np.nan_to_num(first)[unknown]
        x = unrolled(self.figure, q)
        hurried, over = too_fast(self.figure, self.times, x, limits)
        over += self._between(x, limits, hurried)
        feasible = keeps(bits) & ~hurried
        result.position_errors = np.where(radians, np.nan, errors)
        turned = np.where(active, judged[..., ORIENTATION], np.nan)
        result.orientation_errors = np.where(radians, errors, turned)
        result.reached = np.logical_not(np.any(errors > self._allowed(), axis=1)) & (bits == 0) & feasible
        result.note_verdict(feasible, worst_of([*violations, *over]))
        result.lagging, result.rate_limits = lagging, limits
        result.trust = trust
        if self.progress is not None:
            self.progress(len(q), len(q))
        return result

    def _between(self, x: np.ndarray, limits: Limits, hurried: np.ndarray) -> list[Violation]:
        """Which limits the curve between samples breaks; its ends are marked as `hurried` (T,)."""
        found: list[Violation] = []
        if len(x) < 2 or not limits.any:
            return found
        for power, (share, most) in enumerate(
            zip(_shares(self.figure, self.times, x, limits), limits.all, strict=True), start=1
        ):
            over = share > 1.0 + _ROUGH
            hurried[:-1] |= over.any(axis=1)
            hurried[1:] |= over.any(axis=1)
            for j in np.flatnonzero(over.any(axis=0)).tolist():
                k = int(np.argmax(share[:, j]))
                found.append(
                    too_fast_there(
                        self.figure, j, power, float((share[k, j] - 1.0) * most[j]), float(self.times[k])
                    )
                )
        return found


def in_parts(
    figure: Figure,
    times: np.ndarray,
    q: np.ndarray,
    wishes: list[Wish],
    smoothing: float,
    robust: bool,
    free: np.ndarray | None = None,
    steps: int = STEPS,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """`refine` over parts of a long clip, each continuing the last over eight frames that stay; values and weights."""
    width = figure.n if free is None else free.shape[-1]
    size = max(64, int(_CHUNK / max(1, 4 * width)))
    result, weights = q.copy(), [wish.weights.copy() for wish in wishes]
    low = 0
    while True:
        high = min(len(q), low + size)
        if len(q) - high < size // 4:
            high = len(q)
        part = [Wish(wish.goal, wish.targets[low:high], wish.weights[low:high]) for wish in wishes]
        stay = np.zeros(high - low, bool)
        if low > 0:
            stay[:_OVERLAP] = True
        found = refine(
            figure,
            times[low:high],
            result[low:high],
            part,
            smoothing=smoothing,
            robust=robust,
            free=free,
            fixed_frames=stay,
            steps=steps,
        )
        result[low:high] = found.q
        for whole, piece in zip(weights, found.weights, strict=True):
            whole[low:high] = piece
        if high == len(q):
            return result, weights
        low = high - 2 * _OVERLAP


def _standing(goal: Goal, count: int) -> np.ndarray:
    """The target of a goal that stands, (count, …)."""
    return np.repeat(target_of(goal)[None], count, axis=0)
