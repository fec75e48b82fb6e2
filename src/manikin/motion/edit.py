"""Motions made from motions: retimed, trimmed, resampled, joined, looped, brought inside their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.nonlinear import bring_in
from manikin.errors import PoseError
from manikin.figure.figure import Figure
from manikin.motion import quaternions as quat
from manikin.motion.columns import columns_of

if TYPE_CHECKING:
    from manikin.motion.motion import Motion


def smooth(u: Any) -> np.ndarray:
    """6u⁵ − 15u⁴ + 10u³, from 0 to 1 with velocity and acceleration 0 at both ends; u is held to 0 … 1."""
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10.0 + u * (6.0 * u - 15.0))


def retime(motion: Motion, factor: float | None, duration: float | None, times: Any) -> Motion:
    """`Motion.retime`."""
    if sum(entry is not None for entry in (factor, duration, times)) != 1:
        raise PoseError("motion: retime takes one of factor, duration and times")
    if times is not None:
        return motion.changed(times=times)
    if duration is not None:
        if not motion.duration > 0.0:
            raise PoseError("motion: one key has no duration to change")
        factor = duration / motion.duration
    assert factor is not None
    if not (np.isfinite(factor) and factor > 0.0):
        raise PoseError(f"motion: the new time must be positive, got a factor of {factor!r}")
    return motion.changed(times=motion.times[0] + factor * (motion.times - motion.times[0]))


def trim(motion: Motion, start: float | None, end: float | None) -> Motion:
    """`Motion.trim`."""
    first = motion.times[0] if start is None else float(start)
    last = motion.times[-1] if end is None else float(end)
    if not first <= last:
        raise PoseError(f"motion: trimmed from {first:g} to {last:g} s, nothing is left")
    inside = (motion.times > first) & (motion.times < last)
    times = np.unique(np.concatenate([[first], motion.times[inside], [last]]))
    ends = "natural" if motion.ends == "periodic" else motion.ends
    return motion.changed(times=times, values=motion.values(times), ends=ends)


def resample(motion: Motion, rate: float | None, times: Any) -> Motion:
    """`Motion.resample`."""
    if (rate is None) == (times is None):
        raise PoseError("motion: resample takes a rate or times")
    if times is None:
        times = sampled_times(motion, rate)
    return motion.changed(times=times, values=motion.values(times))


def sampled_times(motion: Motion, rate: Any) -> np.ndarray:
    """`rate` times a second from the first key on; the last key too where it is not one of these, or the motion is
    periodic."""
    if not (isinstance(rate, (int, float)) and np.isfinite(rate) and rate > 0.0):
        raise PoseError(f"motion: the rate must be a positive number a second, got {rate!r}")
    count = int(np.floor(motion.duration * rate + 1e-9))
    times = motion.times[0] + np.arange(count + 1) / rate
    if motion.times[-1] - times[-1] > 1e-9 / rate:
        times = np.append(times, motion.times[-1])
    else:
        times[-1] = motion.times[-1] if count else times[-1]
    return times


def mixed(figure: Figure, one: np.ndarray, two: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Between poses (k, n), at shares (k,) of the second: numbers straight, rotations by the shorter way.

    Linear limits that hold both ends hold what is between.
    """
    columns = columns_of(figure)
    result = (1.0 - share)[:, None] * one + share[:, None] * two
    for k in columns.plain[columns.wraps]:
        apart = two[:, k] - one[:, k]
        apart = apart - 2.0 * np.pi * np.round(apart / (2.0 * np.pi))
        result[:, k] = one[:, k] + share * apart
    for cone in columns.leaning:
        pair = [cone.first, cone.second]
        seen = (1.0 - share)[:, None] * cone.seen(one) + share[:, None] * cone.seen(two)
        from manikin.figure import lean

        result[:, pair] = lean.leaning(cone[2:4], seen)
    for first, swing in columns.spheres:
        part = slice(first, first + 3)
        a, b = (quat.from_swing_twist(x[:, part]) if swing else quat.exp(x[:, part]) for x in (one, two))
        way = quat.log(quat.product(quat.conjugate(a), b))
        turned = quat.product(a, quat.exp(share[:, None] * way))
        result[:, part] = coordinates(turned, swing)
    return result


def coordinates(turned: np.ndarray, swing: bool) -> np.ndarray:
    """The coordinates (k, 3) of quaternions (k, 4): swing and twist, or a rotation vector."""
    if not swing:
        return quat.log(turned)
    moving = np.zeros((4, *turned.shape))
    moving[0] = turned
    return quat.series_swing_twist(moving)[0]


def join(one: Motion, two: Motion, blend: float, align: bool) -> Motion:
    """`Motion.join`."""
    figure = one.figure
    if two.figure is not figure:
        raise PoseError(
            f"motion: only motions of the same figure are joined; {two.figure.name!r} is not this {figure.name!r}"
        )
    longest = min(one.duration, two.duration)
    if not 0.0 <= blend <= longest:
        raise PoseError(f"motion: the blend must lie between 0 and {longest:g} s, got {blend!r}")
    begin = one.times[-1] - blend
    if align:
        two = aligned(two, one.values(begin))
    two = two.shift(begin - two.times[0])
    ends = "natural" if "periodic" in (one.ends, two.ends) else one.ends
    if blend == 0.0:
        step = two.times[1] - two.times[0] if len(two) > 1 else (one.duration / max(len(one) - 1, 1) or 1.0)
        times = np.concatenate([one.times, two.times + step])
        return one.changed(times=times, values=np.concatenate([one.q, two.q]), ends=ends)
    before, after = one.times < begin, two.times > one.times[-1]
    both = np.unique(
        np.concatenate([[begin], one.times[~before], two.times[~after], np.linspace(begin, one.times[-1], 9)])
    )
    both = both[np.concatenate([[True], np.diff(both) > 1e-6 * blend])]
    share = smooth((both - begin) / blend)
    between = mixed(figure, one.values(both), two.values(both), share)
    return one.changed(
        times=np.concatenate([one.times[before], both, two.times[after]]),
        values=np.concatenate([one.q[before], between, two.q[after]]),
        ends=ends,
    )


def aligned(motion: Motion, onto: np.ndarray) -> Motion:
    """The motion moved and turned about the vertical of its location, so that its root begins where `onto` has it."""
    figure = motion.figure
    if figure.base == "fixed":
        return motion
    values = motion.q.copy()
    if figure.base == "planar":
        turn = onto[2] - values[0, 2]
        values[:, :2] = onto[:2] + (values[:, :2] - values[0, :2]) @ _flat(turn).T
        values[:, 2] += turn
        return motion.changed(values=values)
    turn = heading(onto[3:6]) - heading(values[0, 3:6])
    values[:, :2] = onto[:2] + (values[:, :2] - values[0, :2]) @ _flat(turn).T
    values[:, 3:6] = quat.log(quat.product(quat.exp(np.array([0.0, 0.0, turn])), quat.exp(values[:, 3:6])))
    return motion.changed(values=values)


def heading(vector: np.ndarray) -> float:
    """The turn about the vertical in a rotation vector (its twist about z)."""
    w, _, _, z = quat.exp(np.asarray(vector))
    return 2.0 * float(np.arctan2(z, w))


def _flat(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def loop(motion: Motion, blend: float | None, rounds: int) -> Motion:
    """`Motion.loop`: with d the duration less the blend b, x(t) for t in 0 … b goes over from x(t + d), moved back."""
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)) or rounds < 1:
        raise PoseError(f"motion: a loop has one round or more, got {rounds!r}")
    b = 0.25 * motion.duration if blend is None else float(blend)
    if not 0.0 < b <= 0.5 * motion.duration:
        raise PoseError(
            f"motion: the blend must lie between 0 and half the duration, {0.5 * motion.duration:g} s, got {blend!r}"
        )
    figure, first, d = motion.figure, motion.times[0], motion.duration - b
    travel = np.zeros(figure.n)
    if figure.base != "fixed":
        middle = motion.values([first + 0.5 * b, first + 0.5 * b + d])
        travel[:2] = (middle[1] - middle[0])[:2]
    early = np.unique(
        np.concatenate([np.linspace(first, first + b, 9), motion.times[motion.times < first + b]])
    )
    share = smooth((early - first) / b)
    begun = mixed(figure, motion.values(early + d) - travel, motion.values(early), share)
    later = motion.times[(motion.times > first + b) & (motion.times < first + d)]
    times = np.concatenate([early, later, [first + d]])
    times, kept = np.unique(times, return_index=True)
    values = np.concatenate([begun, motion.values(later), motion.values([first + d])])[kept]
    values[-1] = values[0] + travel
    all_times = np.concatenate([(times + k * d)[1 if k else 0 :] for k in range(rounds)])
    all_values = np.concatenate([(values + k * travel)[1 if k else 0 :] for k in range(rounds)])
    return motion.changed(times=all_times, values=all_values, ends="periodic")


def inside(motion: Motion) -> Motion:
    """`Motion.inside`."""
    return motion.changed(values=brought_in(motion.figure, motion.q))


def brought_in(figure: Figure, q: np.ndarray, sweeps: int = 300) -> np.ndarray:
    """Poses (T, n) at the nearest inside ranges and linear couplings (Dykstra's alternating projections), then cones.

    What the last sweep leaves is taken away by going a little towards the rest pose, which is inside.
    """
    room, plain = columns_of(figure).room, columns_of(figure).plain
    result = np.clip(q, figure.lower, figure.upper)  # rotation vectors have ranges too
    x = np.minimum(np.maximum(q[:, plain], room.lower), room.upper)
    value = x @ room.rows.T
    out = ((value > room.high + 1e-13) | (value < room.low - 1e-13)).any(axis=1)
    if out.any():
        x[out] = _dykstra(
            q[np.ix_(out, plain)], room.lower, room.upper, room.rows, room.low, room.high, sweeps
        )
        rest = figure.rest[plain]
        move, start = x[out] - rest, rest @ room.rows.T
        sums = move @ room.rows.T
        way = np.where(sums > 0.0, room.high - start, start - room.low)
        size = np.abs(sums)
        share = np.where(
            (size <= way) | (room.low == room.high), 1.0, np.maximum(way, 0.0) / np.maximum(size, 1e-300)
        )
        # Sweeps that had not settled, among numbers of very different size, may end outside the ranges as well.
        space = np.where(move > 0.0, room.upper - rest, rest - room.lower)
        own = np.where(np.abs(move) <= space, 1.0, np.maximum(space, 0.0) / np.maximum(np.abs(move), 1e-300))
        least = np.minimum(share.min(axis=1, initial=1.0), own.min(axis=1, initial=1.0))
        x[out] = rest + least[:, None] * move
    result[:, plain] = x
    for cone in figure.cones:
        swing = [
            cone.first,
            cone.second,
        ]  # a whole turn farther is the same direction, and outside the ranges
        result[:, swing] = np.clip(result[:, swing], figure.lower[swing], figure.upper[swing])
        for k in np.flatnonzero(cone.value(result) > 1.0):
            bring_in(figure, result[k])
    return result


def _dykstra(
    q: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    rows: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    sweeps: int,
) -> np.ndarray:
    x = q.copy()
    corrections = np.zeros((len(rows), len(q)))
    boxed = np.zeros_like(x)
    sizes = (rows * rows).sum(axis=1)
    for _ in range(sweeps):
        before = x.copy()
        for c, row in enumerate(rows):
            value = x @ row + corrections[c] * sizes[c]
            excess = (value - np.clip(value, low[c], high[c])) / sizes[c]
            x += (corrections[c] - excess)[:, None] * row
            corrections[c] = excess
        y = x + boxed
        x = np.clip(y, lower, upper)
        boxed = y - x
        if np.abs(x - before).max() < 1e-14:
            break
    return x
