"""A limb that follows a known path with foresight, and flips interpolated within a joint speed."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels import limb, limb_foresight, limb_lanes, limb_track, limb_tube
from manikin.kernels.lanes import aligned

if TYPE_CHECKING:
    from manikin.solvers.arm_tracker import ArmTracker

# Steps are looked for below these first, radians: the fewer may be long, the fewer have to be tried.
_LIMITS = (0.03, 0.1, 0.3, 1.0, np.inf)
# φ is refined to this, radians.
_FINEST = 1e-5


def foresee(tracker: ArmTracker, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The seven values (T, 7) with the least greatest step from where the tracker is, and how each target was met.

    Samples that have no solution within the limits are met as `ArmTracker.step` meets them, and what follows is
    planned from there.
    """
    out = np.empty((len(targets), 7))
    statuses = np.zeros(len(targets), dtype=np.int64)
    projected = np.zeros(len(targets), dtype=np.int64)
    limb_tube.is_projected(tracker._spec, targets, projected)
    at = 0
    while at < len(targets):
        start = tracker._out.copy()
        count = _plan(tracker, targets, at, start, out)
        statuses[at : at + count] = limb_track.PROJECTED * projected[at : at + count]
        at += count
        if count:
            tracker._resume(out[at - 1])
        if at < len(targets):
            out[at] = tracker._advance(targets[at])
            statuses[at] = tracker._statuses[0]
            at += 1
    return out, statuses


def _plan(tracker: ArmTracker, targets: np.ndarray, at: int, start: np.ndarray, out: np.ndarray) -> int:
    """Plan from sample `at` to the first without a solution, into `out`; returns how many samples that are."""
    spec, periods = tracker._spec, _periods(tracker._spec)
    grid = limb_foresight.GRID if spec[limb.VIRTUAL] < 0 else 1
    box, space = aligned(limb_lanes.BOX), np.empty(limb_foresight.SPACE)
    back = np.empty((len(targets) - at, 8 * grid), dtype=np.int16)
    path = np.empty(len(targets) - at, dtype=np.int64)

    def scan(limit: float, largest: bool) -> tuple[int, float]:
        return limb_foresight.foresee(
            spec, targets, at, start, periods, grid, limit, largest, box, space, back, path
        )

    count, largest = 0, np.inf
    for most in _LIMITS:
        count, largest = scan(most * most, True)
        if count == 0:
            return 0
        if largest < np.inf:
            break
    scan(largest * 1.05 + 1e-12, False)
    nodes = path[:count].copy()
    if grid == 1:
        _pick(tracker, targets, at, nodes, out)
        return count
    ways = [(-pi + 2.0 * pi * (nodes // 8) / grid, nodes % 8)]
    followed = _followed(tracker, targets, at, count, start)
    if followed is not None:
        ways.append(followed)
    room = _Room(count)
    best = np.inf
    rows = np.empty((count, 7))
    for phis, families in ways:
        step = _narrowed(spec, targets, at, start, periods, phis, families, room, 2.0 * pi / grid)
        if step < best and limb_tube.postures(spec, targets, at, phis, families, rows):
            best, out[at : at + count] = step, rows
    if best == np.inf:
        return 0
    _unwind(start[0], out[at : at + count], periods, spec)
    return count


class _Room:
    """Work space for the finer search over n samples."""

    def __init__(self, count: int) -> None:
        most = limb_tube.MOST_NODES
        self.rows = np.empty((count, most, 7))
        self.phis = np.empty((count, most))
        self.families = np.empty((count, most), dtype=np.int64)
        self.costs = np.empty((count, most))
        self.back = np.empty((count, most), dtype=np.int64)


def _narrowed(
    spec: np.ndarray,
    targets: np.ndarray,
    at: int,
    start: np.ndarray,
    periods: np.ndarray,
    phis: np.ndarray,
    families: np.ndarray,
    room: _Room,
    cell: float,
) -> float:
    """Better a way in tubes of smaller and smaller width; returns its greatest step squared."""
    step = np.inf
    h = 0.5 * cell
    while h > _FINEST:
        for _ in range(4):
            last = step
            step = limb_tube.narrow(
                spec,
                targets,
                at,
                start,
                periods,
                h,
                phis,
                families,
                room.rows,
                room.phis,
                room.families,
                room.costs,
                room.back,
            )
            if step == np.inf or step > 0.998 * last:
                break
        h *= 0.5
    return step


def _followed(
    tracker: ArmTracker, targets: np.ndarray, at: int, count: int, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The way of the stream over the same samples, where it gives up nothing."""
    tracker._resume(start[0])
    rows, statuses = tracker._run(targets[at : at + count])
    if (statuses % limb_track.PROJECTED > limb_track.FLIPPED).any():
        return None
    phis, families = np.empty(count), np.empty(count, dtype=np.int64)
    limb_tube.describe(tracker._spec, targets, at, rows, phis, families, tracker._space)
    return phis, families


def _pick(tracker: ArmTracker, targets: np.ndarray, at: int, nodes: np.ndarray, out: np.ndarray) -> None:
    """The rows of a way among finitely many solutions a sample."""
    rows = np.empty((17, 7))
    for k, node in enumerate(nodes):
        limb_foresight.solutions(tracker._spec, targets[at + k], rows)
        out[at + k] = rows[node]


def _periods(spec: np.ndarray) -> np.ndarray:
    """The whole turn of each coordinate whose range is more than that, else 0."""
    wide = spec[limb.HIGHER : limb.HIGHER + 7] - spec[limb.LOWER : limb.LOWER + 7] > 2.0 * pi
    return np.where(wide, 2.0 * pi * np.abs(spec[limb.FACTOR : limb.FACTOR + 7]), 0.0)


def _unwind(start: np.ndarray, rows: np.ndarray, periods: np.ndarray, spec: np.ndarray) -> None:
    """Take each angle of more than a turn by whole turns nearest to the sample before, within its limits."""
    factor, offset = (spec[k : k + 7] for k in (limb.FACTOR, limb.OFFSET))
    ends = (np.stack([spec[k : k + 7] for k in (limb.LOWER, limb.HIGHER)]) - offset) * factor
    low, high = ends.min(axis=0), ends.max(axis=0)
    for j in np.flatnonzero(periods):
        last, period = start[j], periods[j]
        for row in rows:
            x = row[j] + period * np.round((last - row[j]) / period)
            if x > high[j] + limb.SLACK:
                x -= period * np.ceil((x - high[j] - limb.SLACK) / period)
            elif x < low[j] - limb.SLACK:
                x += period * np.ceil((low[j] - limb.SLACK - x) / period)
            row[j] = last = min(max(x, low[j]), high[j])


def interpolated(
    start: np.ndarray, rows: np.ndarray, speed: float, times: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows (T, n) with no joint faster than `speed`, and which samples were moved to that end (T,).

    Where a step is too long, the values go straight from some sample before it to one after it, as few as the speed
    allows; straight ways stay within all limits and couplings. speed: rad/s with `times` (T,) in seconds, the start at
    the first; without, rad a sample.
    """
    clock = np.arange(len(rows), dtype=np.float64)
    if times is not None:
        clock = np.asarray(times, dtype=np.float64)
        if clock.shape != (len(rows),) or not np.isfinite(clock).all() or (np.diff(clock) <= 0.0).any():
            raise SolveError(f"arm: expected {len(rows)} increasing times, got {times!r}")
    if not 0.0 < speed < np.inf:
        raise SolveError(f"arm: the joint speed must be positive, got {speed!r}")
    out = rows.copy()
    moved = np.zeros(len(rows), dtype=bool)
    if len(rows) == 0:
        return out, moved
    if times is None:
        # The start is a sample before the first.
        whole, clock = np.vstack([start, rows]), np.concatenate([[-1.0], clock])
        whole, far = _straightened(whole, clock, speed)
        return whole[1:], far[1:]
    out[0] = start
    out, moved = _straightened(out, clock, speed)
    moved[0] = bool(np.abs(rows[0] - start).max() > 1e-12)
    return out, moved


def _straightened(rows: np.ndarray, clock: np.ndarray, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """`interpolated` with the start as the first row, which stays."""
    out, moved = rows.copy(), np.zeros(len(rows), dtype=bool)
    slack = 1.0 + 1e-9
    k = 0
    while k + 1 < len(rows):
        if np.abs(out[k + 1] - out[k]).max() <= speed * (clock[k + 1] - clock[k]) * slack:
            k += 1
            continue
        low, high = k, k + 1
        while np.abs(rows[high] - out[low]).max() > speed * (clock[high] - clock[low]):
            # One sample more on the shorter side.
            grown = (high + 1 < len(rows), low > 0)
            if grown[0] and (not grown[1] or clock[high] - clock[k] <= clock[k] - clock[low]):
                high += 1
            elif grown[1]:
                low -= 1
            else:
                break
        span = clock[high] - clock[low]
        goal = rows[high]
        reach = float(np.abs(goal - out[low]).max())
        part = min(1.0, speed * span / reach) if reach > 0.0 else 1.0
        for i in range(low + 1, high + 1):
            out[i] = out[low] + (goal - out[low]) * part * (clock[i] - clock[low]) / span
        if part == 1.0:
            out[high] = goal
        moved[low + 1 : high] = True
        moved[high] = part < 1.0
        k = high
    return out, moved
