"""A limb that follows a known path with foresight, and flips interpolated within a joint speed."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.closed_form.arm_target import array_of, number
from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.known_path import KnownPath
from manikin.errors import SolveError
from manikin.kernels.limb import (
    foresight as limb_foresight,
    lanes as limb_lanes,
    limb,
    track as limb_track,
    tube as limb_tube,
)
from manikin.kernels.memory.lanes import aligned

if TYPE_CHECKING:
    from manikin.closed_form.limb_track import LimbTrack

# Steps are looked for below these first, radians: the fewer may be long, the fewer have to be tried.
_LIMITS = (0.03, 0.1, 0.3, 1.0, np.inf)
# φ is refined to this, radians.
_FINEST = 1e-5
# Above this, a way is let go on through its tubes until it has settled.
_COARSE = 2e-3
# A plan by halves begins with at least so many samples.
_FEWEST = 150


def foresee(track: LimbTrack, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The seven values (T, 7) with the least greatest step from where the tracker is, and how each target was met.

    Samples that have no solution within the limits are met as `ArmTracker.step` meets them, and what follows is
    planned from there.
    """
    out = np.empty((len(targets), 7))
    statuses = np.zeros(len(targets), dtype=np.int64)
    projected = np.zeros(len(targets), dtype=np.int64)
    limb_tube.is_projected(track.spec, targets, projected)
    at = 0
    while at < len(targets):
        start = track.out.copy()
        count = _plan(track, targets, at, start, out)
        statuses[at : at + count] = limb_track.PROJECTED * projected[at : at + count]
        at += count
        if count:
            track.resume(out[at - 1])
        if at < len(targets):
            track.step(targets[at])
            out[at] = track.out[0]
            statuses[at] = track.statuses[0]
            at += 1
    return out, statuses


def _plan(track: LimbTrack, targets: np.ndarray, at: int, start: np.ndarray, out: np.ndarray) -> int:
    """Plan from sample `at` to the first without a solution, into `out`; returns how many samples that are."""
    path = _Path(track.spec, targets[at:], start)
    nodes = path.scan()
    count = len(nodes)
    if count == 0:
        return 0
    path = _Path(track.spec, targets[at : at + count], start)
    if path.grid == 1:
        _pick(track, targets, at, nodes, out)
        return count
    ways = [path.narrowed(path.way(nodes))]
    followed = _followed(track, targets, at, count, start)
    if followed is not None:
        ways.append(path.narrowed(followed))
    ways.append(path.by_halves())
    rows = np.empty((count, 7))
    for way in sorted((way for way in ways if way is not None), key=lambda way: way.greatest):
        if limb_tube.postures(path.spec, path.targets, 0, way.phis, way.families, rows):
            _unwind(start[0], rows, path.periods, path.spec)
            out[at : at + count] = rows
            return count
    return 0


@dataclass
class _Way:
    """A swivel angle and a family for each sample, and the greatest step squared."""

    phis: np.ndarray
    families: np.ndarray
    greatest: float = np.inf


class _Path:
    """Targets that all have solutions, up to the first that has none, and ways through them."""

    def __init__(self, spec: np.ndarray, targets: np.ndarray, start: np.ndarray) -> None:
        self.spec, self.targets, self.start = spec, np.ascontiguousarray(targets), start
        self.periods = _periods(spec)
        self.grid = limb_foresight.GRID if spec[limb.VIRTUAL] < 0 else 1

    def scan(self) -> np.ndarray:
        """The nodes of the best way over the scan of φ, as far as there are any."""
        box, space = aligned(limb_lanes.BOX), np.empty(limb_foresight.SPACE)
        back = np.empty((len(self.targets), 8 * self.grid), dtype=np.int16)
        path = np.empty(len(self.targets), dtype=np.int64)

        def run(limit: float, largest: bool) -> tuple[int, float]:
            return limb_foresight.foresee(
                self.spec,
                self.targets,
                0,
                self.start,
                self.periods,
                self.grid,
                limit,
                largest,
                box,
                space,
                back,
                path,
            )

        count, greatest = 0, np.inf
        for most in _LIMITS:
            count, greatest = run(most * most, True)
            if count == 0 or greatest < np.inf:
                break
        if count:
            run(greatest * 1.05 + 1e-12, False)
        return path[:count].copy()

    def way(self, nodes: np.ndarray) -> _Way:
        """The way of some nodes of the scan."""
        return _Way(-pi + 2.0 * pi * (nodes // 8) / self.grid, nodes % 8)

    def narrowed(
        self, way: _Way, top: float | None = None, bottom: float = _FINEST, most: int = 6
    ) -> _Way | None:
        """A way bettered in tubes of smaller and smaller width; None where it leaves the limits."""
        room = _Room(len(way.phis))
        h = pi / self.grid if top is None else top
        while h > bottom:
            for _ in range(most if h > _COARSE or top is not None else 2):
                last, before = way.greatest, way.phis.copy()
                way.greatest = limb_tube.narrow(
                    self.spec,
                    self.targets,
                    0,
                    self.start,
                    self.periods,
                    h,
                    way.phis,
                    way.families,
                    room.rows,
                    room.phis,
                    room.families,
                    room.costs,
                    room.back,
                )
                if way.greatest == np.inf:
                    return None
                # On to smaller steps once none has come to the tube's wall, and the greatest has settled.
                settled = np.abs(way.phis - before).max() < (limb_tube.HALF - 0.5) * h
                if settled and way.greatest > 0.998 * last:
                    break
            h *= 0.5
        return way

    def by_halves(self) -> _Way | None:
        """A way planned on few samples, then on twice as many, and so on.

        On few samples the steps are as long as the scan's cells, so a drift of φ over many samples is seen there.
        """
        every = 1
        while len(self.targets) // (2 * every) >= _FEWEST:
            every *= 2
        if every == 1:
            return None
        few = _Path(self.spec, self.targets[every - 1 :: every], self.start)
        nodes = few.scan()
        way = few.narrowed(few.way(nodes), bottom=_COARSE) if len(nodes) == len(few.targets) else None
        phi, family = np.empty(1), np.empty(1, dtype=np.int64)
        limb_tube.describe(self.spec, self.targets, 0, self.start, phi, family, np.empty(7))
        while way is not None and every > 1:
            rows = few.rows(way)
            if rows is None:
                return None
            every //= 2
            few = _Path(self.spec, self.targets[every - 1 :: every], self.start)
            wishes = np.full((len(few.targets), 7), np.nan)
            wishes[0 : 2 * len(rows) : 2] = 0.5 * (np.vstack([self.start, rows[:-1]]) + rows)
            greatest = float(np.sqrt(way.greatest))
            way = _between(way, len(few.targets), float(phi[0]), int(family[0]))
            top = min(0.5 * greatest, 8.0 * _COARSE)
            way = few.narrowed(few.mended(way, wishes, greatest), top, top / 50.0, 16)
        return way if way is None else self.narrowed(way, _COARSE, _FINEST, 2)

    def mended(self, way: _Way, wishes: np.ndarray, far: float) -> _Way:
        """A way whose samples outside the limits, or farther than `far` from the wished values, are sought anew."""
        row = np.empty((1, 7))
        for t, wish in enumerate(wishes):
            if np.isnan(wish[0]):
                continue
            if self._posture(t, way, row) and np.linalg.norm(row[0] - wish) <= far:
                continue
            nearest = _Path(self.spec, self.targets[t : t + 1], wish[None])
            found = nearest.way(nearest.scan())
            if len(found.phis):
                way.phis[t], way.families[t] = found.phis[0], found.families[0]
        return way

    def _posture(self, t: int, way: _Way, row: np.ndarray) -> bool:
        """Whether sample t of a way is within the limits, and its values."""
        one = self.targets[t : t + 1]
        return bool(limb_tube.postures(self.spec, one, 0, way.phis[t : t + 1], way.families[t : t + 1], row))

    def rows(self, way: _Way) -> np.ndarray | None:
        """The values of a way, None where some are not within the limits."""
        rows = np.empty((len(way.phis), 7))
        return rows if limb_tube.postures(self.spec, self.targets, 0, way.phis, way.families, rows) else None


def _between(way: _Way, count: int, first_phi: float, first_family: int) -> _Way:
    """A way with a sample more before each of its own, in the middle of it and the one before."""
    phis, families = np.empty(count), np.empty(count, dtype=np.int64)
    before = np.concatenate([[first_phi], way.phis])
    kinds = np.concatenate([[first_family], way.families])
    own = len(way.phis)
    apart = before[1:] - before[:-1]
    apart -= 2.0 * pi * np.round(apart / (2.0 * pi))
    # Between two families the later one goes on.
    same = kinds[1:] == kinds[:-1]
    phis[1 : 2 * own : 2], families[1 : 2 * own : 2] = way.phis, way.families
    phis[0 : 2 * own : 2] = before[1:] - np.where(same, 0.5 * apart, 0.0)
    families[0 : 2 * own : 2] = way.families
    phis[2 * own :], families[2 * own :] = way.phis[-1], way.families[-1]
    return _Way(phis, families)


class _Room:
    """Work space for the finer search over n samples."""

    def __init__(self, count: int) -> None:
        most = limb_tube.MOST_NODES
        self.rows = np.empty((count, most, 7))
        self.phis = np.empty((count, most))
        self.families = np.empty((count, most), dtype=np.int64)
        self.costs = np.empty((count, most))
        self.back = np.empty((count, most), dtype=np.int64)


def _followed(track: LimbTrack, targets: np.ndarray, at: int, count: int, start: np.ndarray) -> _Way | None:
    """The way of the stream over the same samples, where it gives up nothing."""
    track.resume(start[0])
    rows, statuses = track.run(targets[at : at + count])
    if (statuses % limb_track.PROJECTED > limb_track.FLIPPED).any():
        return None
    phis, families = np.empty(count), np.empty(count, dtype=np.int64)
    limb_tube.describe(track.spec, targets, at, rows, phis, families, track.space)
    return _Way(phis, families)


def _pick(track: LimbTrack, targets: np.ndarray, at: int, nodes: np.ndarray, out: np.ndarray) -> None:
    """The rows of a way among finitely many solutions a sample."""
    rows = np.empty((17, 7))
    for k, node in enumerate(nodes):
        limb_foresight.solutions(track.spec, targets[at + k], rows)
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
    clock = _clock(rows, times)
    if not number(speed, "the joint speed") > 0.0:
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


def _clock(rows: np.ndarray, times: Any) -> np.ndarray:
    """The times of rows, or their numbers."""
    if times is None:
        return np.arange(len(rows), dtype=np.float64)
    clock = array_of(times, "the times")
    if clock.shape != (len(rows),) or not np.isfinite(clock).all() or (np.diff(clock) <= 0.0).any():
        raise SolveError(f"arm: expected {len(rows)} increasing times, got {times!r}")
    return clock


def accelerated(
    start: np.ndarray,
    rows: np.ndarray,
    speed: float | None,
    acceleration: float,
    times: Any,
    region: JointRegion,
) -> np.ndarray:
    """Rows (T, n) with no joint faster, or accelerating more, than given, within the region (`known_path`)."""
    clock = _clock(rows, times)
    for value, what in ((speed, "the joint speed"), (acceleration, "the joint acceleration")):
        if value is not None and not number(value, what) > 0.0:
            raise SolveError(f"arm: {what} must be positive, got {value!r}")
    if len(rows) == 0:
        return rows
    # The start is a sample before the first, by as much as the first is before the second.
    begun = clock[0] - (clock[1] - clock[0] if len(clock) > 1 else 1.0)
    path = KnownPath(
        np.vstack([start, rows]),
        np.concatenate([[begun], clock]),
        np.inf if speed is None else speed,
        acceleration,
        region,
    )
    found = path.within_limits()
    if found is None:
        raise SolveError(
            "arm: the path as a whole is too fast for these limits; give it more time, or greater limits"
        )
    return found[1:]


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
