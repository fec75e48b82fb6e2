"""How far bones of the hand, tapered capsules, are from what they may touch.

A tapered capsule is the union of balls p(s) = a + s (b − a), r(s) = r₀ + s (r₁ − r₀), 0 ≤ s ≤ 1. Its distance from
a convex thing with signed distance D is min over s of D(p(s)) − r(s), a convex function of s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

# Of two capsules, each in turn takes its nearest point to the other's; linear convergence.
_ROUNDS = 60


class Thing(Protocol):
    """What a finger can touch, in the frame of the hand's site."""

    def clearance(self, capsules: np.ndarray) -> np.ndarray:
        """The signed distance of capsules (…, 8) from it: two points and the radii there."""


def nearest_share(h: np.ndarray, u: np.ndarray, length: np.ndarray, taper: np.ndarray) -> np.ndarray:
    """The s that minimises √(h² + (s·length − u)²) − s·taper on [0, 1].

    With m = taper / length the derivative vanishes at s·length = u + m h / √(1 − m²); where one end's ball holds the
    other (|m| ≥ 1), or both ends are one, the larger ball is nearest.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        m = taper / length
        s = (u + m * h / np.sqrt(np.maximum(1.0 - m * m, 0.0))) / length
    s = np.where(np.abs(taper) >= length, np.where(taper > 0.0, 1.0, 0.0), s)
    return np.clip(np.nan_to_num(s), 0.0, 1.0)


def from_points(capsules: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Signed distances of points (…, 3) from capsules (…, 8), and the shares s of the nearest balls."""
    a, b = capsules[..., :3], capsules[..., 3:6]
    first, last = capsules[..., 6], capsules[..., 7]
    along = b - a
    length = np.linalg.norm(along, axis=-1)
    direction = along / np.maximum(length, 1e-30)[..., None]
    off = points - a
    u = np.einsum("...i,...i->...", off, direction)
    h = np.linalg.norm(off - u[..., None] * direction, axis=-1)
    s = nearest_share(h, u, length, last - first)
    away = np.linalg.norm(off - s[..., None] * along, axis=-1)
    return away - (first + s * (last - first)), s


@dataclass(frozen=True)
class Bar:
    """A cylinder without ends: a point of its axis, its direction, its radius."""

    point: np.ndarray
    direction: np.ndarray
    radius: float

    def clearance(self, capsules: np.ndarray) -> np.ndarray:
        """In the plane across the axis the capsules are flat, and the axis is a point."""
        across = np.eye(3) - np.outer(self.direction, self.direction)
        flat = np.array(capsules)
        flat[..., :3] = (capsules[..., :3] - self.point) @ across
        flat[..., 3:6] = (capsules[..., 3:6] - self.point) @ across
        return from_points(flat, np.zeros(3))[0] - self.radius


@dataclass(frozen=True)
class Orb:
    """A ball."""

    point: np.ndarray
    radius: float

    def clearance(self, capsules: np.ndarray) -> np.ndarray:
        """The distance of its centre, less its radius."""
        return from_points(capsules, self.point)[0] - self.radius


@dataclass(frozen=True)
class Face:
    """What lies behind a plane: a point of it and the normal out of it."""

    point: np.ndarray
    normal: np.ndarray

    def clearance(self, capsules: np.ndarray) -> np.ndarray:
        """The nearer of the end balls."""
        first = (capsules[..., :3] - self.point) @ self.normal - capsules[..., 6]
        last = (capsules[..., 3:6] - self.point) @ self.normal - capsules[..., 7]
        return np.minimum(first, last)


@dataclass(frozen=True)
class Flesh:
    """Other parts of the hand: capsules (k, 8). far: metres beyond which a lower bound of the distance will do."""

    capsules: np.ndarray
    far: float = 0.02

    def clearance(self, capsules: np.ndarray) -> np.ndarray:
        """The least over its capsules. Those that balls around both show to be farther than `far` are not looked at
        more closely.
        """
        one, other = capsules[..., None, :], self.capsules
        apart = np.linalg.norm(_middle(one) - _middle(other), axis=-1) - _extent(one) - _extent(other)
        near = np.argwhere(apart < self.far)
        result = apart.copy()
        if len(near):
            mine, theirs = tuple(near[:, :-1].T), near[:, -1]
            result[(*mine, theirs)] = between(capsules[mine], other[theirs])
        return result.min(axis=-1)


@dataclass(frozen=True)
class Beyond:
    """A thing that only bones from the `first` on can touch: a finger's first bone grows out of the palm."""

    thing: Thing
    first: int

    def clearance(self, capsules: np.ndarray) -> np.ndarray:
        """Infinite for the bones before; capsules (…, bones, 8)."""
        result = np.full(capsules.shape[:-1], np.inf)
        result[..., self.first :] = self.thing.clearance(capsules[..., self.first :, :])
        return result


def _middle(capsules: np.ndarray) -> np.ndarray:
    return 0.5 * (capsules[..., :3] + capsules[..., 3:6])


def _extent(capsules: np.ndarray) -> np.ndarray:
    """The radius of a ball around each."""
    half = 0.5 * np.linalg.norm(capsules[..., 3:6] - capsules[..., :3], axis=-1)
    return half + np.maximum(capsules[..., 6], capsules[..., 7])


def between(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The signed distances of capsules, (…, 8) each; where axes cross it is some negative number."""
    point, radius = nearest(one, other)
    return from_points(other, point)[0] - radius


def nearest(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre and radius of the ball of `one` that is nearest to `other`, capsules (…, 8) each.

    min over s, t of ‖p(s) − q(t)‖ − r(s) − ρ(t), jointly convex: minimised over s and t in turn.
    """
    point, last = _middle(one), np.full(one.shape[:-1], np.inf)
    radius = np.zeros(one.shape[:-1])
    for _ in range(_ROUNDS):
        _, t = from_points(other, point)
        theirs = other[..., :3] + t[..., None] * (other[..., 3:6] - other[..., :3])
        gap, s = from_points(one, theirs)
        point = one[..., :3] + s[..., None] * (one[..., 3:6] - one[..., :3])
        radius = one[..., 6] + s * (one[..., 7] - one[..., 6])
        gap = gap - (other[..., 6] + t * (other[..., 7] - other[..., 6]))
        if np.abs(gap - last).max(initial=0.0) < 1e-12:
            break
        last = gap
    return point, radius
