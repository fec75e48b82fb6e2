"""Paths for targets: lines, arcs, splines and recorded ones, with ease in and out.

A path goes from 0 to 1 of its own way, `at(u)`; `over(times)` spreads it over times. Positions are (…, 3), frames
(…, 4, 4), rotations (…, 3, 3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.errors import GoalError
from manikin.figure import transforms
from manikin.motion import quaternions as quat
from manikin.motion.edit import smooth
from manikin.motion.slopes import slopes

Ease = str | float | tuple[float, float] | Callable[[np.ndarray], np.ndarray]


def eased(u: Any, ease: Ease) -> np.ndarray:
    """How far along a path is at the share u of its time.

    ease: ``"even"``: in equal steps, as the chapter divides the way from the end effector to its target; ``"smooth"``:
        at rest at both ends, 6u⁵ − 15u⁴ + 10u³, velocity and acceleration 0 there; a number, or two for the beginning
        and the end: the shares of the time spent speeding up and slowing down, even between, C²; or a function of u.
    """
    u = np.clip(np.asarray(u, dtype=np.float64), 0.0, 1.0)
    if callable(ease):
        return _by_function(u, ease)
    if isinstance(ease, str) and ease in ("even", "smooth"):
        return u if ease == "even" else smooth(u)
    try:
        given: Any = (ease, ease) if isinstance(ease, (int, float)) else ease
        begin, end = (float(share) for share in given)
    except (TypeError, ValueError):
        begin = end = -1.0
    if not (begin >= 0.0 and end >= 0.0 and begin + end <= 1.0):
        raise GoalError(
            f"path: ease is 'even', 'smooth', shares of the time up to 1 in all, or a function, got {ease!r}"
        )
    speed = 1.0 / (1.0 - 0.5 * begin - 0.5 * end)
    return np.where(u <= 1.0 - end, speed * _ramped(u, begin), 1.0 - speed * _ramped(1.0 - u, end))


def _by_function(u: np.ndarray, ease: Callable[[np.ndarray], Any]) -> np.ndarray:
    """What a function of the caller's makes of u: as many finite numbers."""
    try:
        found = np.asarray(ease(u), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GoalError(
            f"path: the function for ease must take an array of shares, and give one: {error}"
        ) from error
    if found.shape != u.shape or not np.isfinite(found).all():
        raise GoalError(
            f"path: the function for ease must give a finite number for each share, got {found!r}"
        )
    return found


def _ramped(u: np.ndarray, share: float) -> np.ndarray:
    """∫ of a speed that goes from 0 to 1 within `share`, as 6w⁵ − 15w⁴ + 10w³, w = u/share, and stays there."""
    if share == 0.0:
        return u
    w = np.minimum(u / share, 1.0)
    return share * (w**6 - 3.0 * w**5 + 2.5 * w**4) + np.maximum(u - share, 0.0)


class Path:
    """What all paths have in common: `at(u)`, u from 0 to 1, and `over(times)`.

    ease: see `eased`; ``"smooth"`` by default.
    """

    def __init__(self, ease: Ease = "smooth") -> None:
        eased(0.0, ease)
        self.ease = ease

    def at(self, u: Any) -> np.ndarray:
        """Positions, rotations or frames at shares u of the way, with no ease."""
        raise NotImplementedError

    def over(self, times: Any) -> np.ndarray:
        """The targets at times, from the first to the last of them, eased."""
        times = np.asarray(times, dtype=np.float64)
        whole = times[-1] - times[0] if times.size else 0.0
        share = (times - times[0]) / whole if whole > 0.0 else np.ones_like(times)
        return self.at(eased(share, self.ease))


def _targets(value: Any, what: str) -> np.ndarray:
    try:
        array = np.asarray(value.as_matrix() if hasattr(value, "as_matrix") else value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"path: {what} must be numbers, got {value!r}") from None
    if array.shape not in ((3,), (3, 3), (4, 4)) or not np.isfinite(array).all():
        raise GoalError(
            f"path: {what} must be 3 finite numbers, a 3×3 rotation or a 4×4 frame, got {value!r}"
        )
    return array


def between(one: np.ndarray, two: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Targets between two: positions straight, rotations by the shorter way, at one speed."""
    if one.shape == (3,):
        return one + u[..., None] * (two - one)
    way = transforms.log(one[:3, :3].T @ two[:3, :3])
    result = np.zeros((*u.shape, *one.shape))
    result[..., :3, :3] = one[:3, :3] @ _exp(u[..., None] * way)
    if one.shape == (4, 4):
        result[..., :3, 3] = one[:3, 3] + u[..., None] * (two[:3, 3] - one[:3, 3])
        result[..., 3, 3] = 1.0
    return result


def _exp(vectors: np.ndarray) -> np.ndarray:
    """Rotations (…, 3, 3) of rotation vectors (…, 3)."""
    return matrices(quat.exp(vectors))


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotations (…, 3, 3) of unit quaternions (…, 4), w first."""
    w, x, y, z = (q[..., k] for k in range(4))
    rows = [
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    ]
    return np.stack(rows, axis=-1).reshape(*q.shape[:-1], 3, 3)


def quaternions_of(rotations: np.ndarray) -> np.ndarray:
    """Unit quaternions (T, 4), w first, of rotations (T, 3, 3).

    Of four multiples of the quaternion the one with the largest pivot is taken, which is well conditioned everywhere.
    """
    r = rotations
    trace = r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2]
    a, b, c = r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]
    d, e, f = r[:, 0, 1] + r[:, 1, 0], r[:, 0, 2] + r[:, 2, 0], r[:, 1, 2] + r[:, 2, 1]
    one = 1.0 - trace
    rows = np.stack(
        [
            np.stack([1.0 + trace, a, b, c], axis=1),
            np.stack([a, one + 2.0 * r[:, 0, 0], d, e], axis=1),
            np.stack([b, d, one + 2.0 * r[:, 1, 1], f], axis=1),
            np.stack([c, e, f, one + 2.0 * r[:, 2, 2]], axis=1),
        ],
        axis=1,
    )
    best = np.argmax(np.stack([trace, r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]], axis=1), axis=1)
    found = rows[np.arange(len(r)), best]
    return found / np.linalg.norm(found, axis=1, keepdims=True)


class Line(Path):
    """A straight line from one position or frame to another; rotations turn by the shorter way."""

    def __init__(self, start: Any, end: Any, *, ease: Ease = "smooth") -> None:
        super().__init__(ease)
        self.start, self.end = _targets(start, "start"), _targets(end, "end")
        if self.start.shape != self.end.shape:
            raise GoalError(
                f"path: start and end are of other kinds: {self.start.shape} and {self.end.shape}"
            )

    def at(self, u: Any) -> np.ndarray:
        """Targets at shares u of the way."""
        return between(self.start, self.end, np.asarray(u, dtype=np.float64))


class Arc(Path):
    """A circle, or a part of it: from `start` about `center`, `angle` radians to the left about `axis`.

    start: a position, or a frame, which turns with the circle when ``turn=True``.
    """

    def __init__(
        self,
        start: Any,
        center: Any,
        *,
        axis: Any = (0.0, 0.0, 1.0),
        angle: float = 2.0 * math.pi,
        turn: bool = False,
        ease: Ease = "smooth",
    ) -> None:
        super().__init__(ease)
        self.start, self.center = _targets(start, "start"), _targets(center, "center")
        if self.start.shape == (3, 3) or self.center.shape != (3,):
            raise GoalError("path: an arc starts at a position or a frame and has a position for its center")
        self.axis = _targets(axis, "axis")
        size = float(np.linalg.norm(self.axis))
        if not isinstance(angle, (int, float, np.number)):
            raise GoalError(f"path: an arc's angle must be a number of radians, got {angle!r}")
        if self.axis.shape != (3,) or size == 0.0 or not math.isfinite(angle):
            raise GoalError(
                f"path: an arc needs an axis with a direction and a finite angle, got {axis!r}, {angle!r}"
            )
        self.axis, self.angle, self.turn = self.axis / size, float(angle), _truth(turn, "turn")

    def at(self, u: Any) -> np.ndarray:
        """Targets at shares u of the way."""
        u = np.asarray(u, dtype=np.float64)
        turned = _exp(u[..., None] * (self.angle * self.axis))
        place = self.start if self.start.shape == (3,) else self.start[:3, 3]
        points = self.center + np.einsum("...ij,j->...i", turned, place - self.center)
        if self.start.shape == (3,):
            return points
        result = np.broadcast_to(self.start, (*u.shape, 4, 4)).copy()
        if self.turn:
            result[..., :3, :3] = turned @ self.start[:3, :3]
        result[..., :3, 3] = points
        return result


class Spline(Path):
    """A C² curve through positions (k, 3), rotations (k, 3, 3) or frames (k, 4, 4).

    shares: where each lies on the way, rising from 0 to 1; by default by the distances between them. closed: whether it
    comes round to the first again, C² there too.
    """

    def __init__(
        self, points: Any, *, shares: Any = None, closed: bool = False, ease: Ease = "smooth"
    ) -> None:
        super().__init__(ease)
        self.points = _recorded(points)
        if len(self.points) < 2:
            raise GoalError("path: a spline needs two points or more")
        closed = _truth(closed, "closed")
        if closed and np.abs(self.points[-1] - self.points[0]).max() > 0.0:
            self.points = np.concatenate([self.points, self.points[:1]])
        if shares is None:
            flat = self.points[:, :3, 3] if self.points.shape[1:] == (4, 4) else self.points
            step = np.sqrt((np.diff(flat.reshape(len(flat), -1), axis=0) ** 2).sum(axis=1))
            shares = np.concatenate([[0.0], np.cumsum(np.maximum(step, 1e-9 * max(step.max(), 1e-9)))])
            shares = shares / shares[-1]
        self.shares = _floats(shares, "shares")
        if self.shares.shape != (len(self.points),) or not (np.diff(self.shares) > 0.0).all():
            raise GoalError(f"path: expected {len(self.points)} rising shares, got {shares!r}")
        self._curve = TargetCurve(self.shares, self.points, "periodic" if closed else "natural")

    def at(self, u: Any) -> np.ndarray:
        """Targets at shares u of the way."""
        u = np.asarray(u, dtype=np.float64)
        found = self._curve.at(np.atleast_1d(np.clip(u, self.shares[0], self.shares[-1])))
        return found.reshape(*u.shape, *self.points.shape[1:])


class Recorded(Path):
    """A recorded path: positions, rotations or frames at times, C² between them; it is played as it was recorded.

    Rows that are not finite are gaps, and bridged. `over(times)` takes the recording's own times, unless
    ``stretch=True``, when it is spread over those asked for.
    """

    def __init__(self, times: Any, targets: Any, *, stretch: bool = False) -> None:
        super().__init__("even")
        self.times = _floats(times, "times")
        self.stretch = _truth(stretch, "stretch")
        self._curve = TargetCurve(self.times, _recorded(targets, gaps=True), "natural")

    def at(self, u: Any) -> np.ndarray:
        """Targets at shares u of the recording."""
        u = np.asarray(u, dtype=np.float64)
        first, last = self._curve.times[0], self._curve.times[-1]
        found = self._curve.at(np.atleast_1d(first + u * (last - first)))
        return found.reshape(*u.shape, *found.shape[1:])

    def over(self, times: Any) -> np.ndarray:
        """The targets at times; before its beginning and after its end it stands still."""
        if self.stretch:
            return super().over(times)
        return self._curve.at(np.asarray(times, dtype=np.float64))


def _floats(value: Any, what: str) -> np.ndarray:
    """Numbers as an array; rotations of SciPy's as matrices."""
    try:
        return np.asarray(value.as_matrix() if hasattr(value, "as_matrix") else value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GoalError(f"path: {what} must be numbers, got {value!r}") from None


def _truth(value: Any, what: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise GoalError(f"path: {what} must be true or false, got {value!r}")
    return bool(value)


def _recorded(targets: Any, gaps: bool = False) -> np.ndarray:
    array = _floats(targets, "targets")
    if array.ndim not in (2, 3) or array.shape[1:] not in ((3,), (3, 3), (4, 4)):
        raise GoalError(f"path: expected targets of shape (k, 3), (k, 3, 3) or (k, 4, 4), got {array.shape}")
    if not gaps and not np.isfinite(array).all():
        raise GoalError("path: targets must be finite")
    return array


class TargetCurve:
    """C² through targets at times, rows that are not finite left out; it stands still beyond its ends."""

    def __init__(self, times: np.ndarray, targets: np.ndarray, ends: str = "natural") -> None:
        known = np.isfinite(targets.reshape(len(targets), -1)).all(axis=1)
        if times.shape != (len(targets),) or not np.isfinite(times).all() or not (np.diff(times) > 0.0).all():
            raise GoalError(f"path: expected {len(targets)} finite, rising times, got shape {times.shape}")
        if not known.any():
            raise GoalError("path: it has no finite target at all")
        from manikin.motion import bezier
        from manikin.motion.spheres import sphere

        self.times, targets = times[known], targets[known]
        self._shape = targets.shape[1:]
        h = np.diff(self.times)
        self._single = targets[0] if len(h) == 0 else None
        self._place = self._turn = None
        if len(h) and self._shape != (3, 3):
            x = targets if self._shape == (3,) else targets[:, :3, 3]
            v, a = slopes(self.times, x, "cubic", ends)
            self._place = bezier.pieces(x[:-1], x[1:], v[:-1], v[1:], a[:-1], a[1:], h)
        if len(h) and self._shape != (3,):
            vectors = quat.log(quaternions_of(targets[:, :3, :3]))
            self._turn = sphere(self.times, vectors, False, "cubic", ends)

    def at(self, times: np.ndarray) -> np.ndarray:
        """The targets at times (k,)."""
        if self._single is not None:
            return np.broadcast_to(self._single, (len(times), *self._shape)).copy()
        t = np.clip(times, self.times[0], self.times[-1])
        piece = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        u = np.clip((t - self.times[piece]) / (self.times[piece + 1] - self.times[piece]), 0.0, 1.0)
        if self._turn is None:
            assert self._place is not None
            return self._place.value(piece, u)
        turned = quat.product(self._turn.keys[piece], quat.exp(self._turn.pieces.value(piece, u)))
        result = np.zeros((len(t), *self._shape))
        result[:, :3, :3] = matrices(turned)
        if self._place is not None:
            result[:, :3, 3] = self._place.value(piece, u)
            result[:, 3, 3] = 1.0
        return result
