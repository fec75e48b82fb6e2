"""Distances of points and of tapered capsules, from what regions and shapes are, for many poses at once."""

from __future__ import annotations

import numpy as np
from tests.campaign.poses import Poses, dot, norm

import manikin as mk

_GOLDEN = 0.6180339887498949


def distance(piece: mk.Region, x: np.ndarray) -> np.ndarray:
    """The signed distance (…,) of points (…, 3) to a region of one piece, negative inside."""
    if isinstance(piece, mk.HalfSpace):
        return (x - piece.point) @ np.asarray(piece.normal)
    if isinstance(piece, mk.Ball):
        return norm(x - piece.center) - piece.radius
    if isinstance(piece, mk.Box):
        off = np.abs((x - piece.center) @ piece.rotation) - 0.5 * np.asarray(piece.size)
        return norm(np.maximum(off, 0.0)) + np.minimum(off.max(axis=-1), 0.0)
    if isinstance(piece, mk.Capsule):
        a, along = np.asarray(piece.a), np.asarray(piece.b) - np.asarray(piece.a)
        square = float(along @ along)
        t = np.clip((x - a) @ along / square, 0.0, 1.0) if square > 0.0 else np.zeros(x.shape[:-1])
        return norm(x - a - t[..., None] * along) - piece.radius
    assert isinstance(piece, mk.Circle)
    e, n = x - piece.center, np.asarray(piece.normal)
    height = e @ n
    return np.hypot(height, norm(e - height[..., None] * n) - piece.radius)


def to_clauses(region: mk.Region, x: np.ndarray) -> np.ndarray:
    """Of points (…, 3) the distance to every piece of a union, (pieces, …): the largest to what it is made of."""
    return np.array([np.max([distance(p, x) for p in clause], axis=0) for clause in region.clauses()])


def capsules(poses: Poses, name: str) -> np.ndarray:
    """A segment's spheres and capsules in the world, (N, capsules, 8): two points, two radii."""
    turn, place = poses.segment(name)
    rows = []
    for shape in poses.body.segments[name].shapes:
        size = [float(value) for value in shape.size]
        ends = {
            "sphere": lambda size=size: (0.0, 0.0, size[0], size[0]),
            "capsule": lambda size=size: (-0.5 * size[1], 0.5 * size[1], size[0], size[0]),
            "tapered_capsule": lambda size=size: (0.0, size[2], size[0], size[1]),
        }[shape.kind]()
        at = shape.placement
        tips = [turn @ (at[:3, 3] + z * at[:3, 2]) + place for z in ends[:2]]
        radii = np.broadcast_to(np.array(ends[2:]), (poses.count, 2))
        rows.append(np.concatenate([*tips, radii], axis=-1))
    return np.stack(rows, axis=1) if rows else np.zeros((poses.count, 0, 8))


def known(body: mk.Figure, name: str) -> bool:
    """Whether a segment's shapes are all such that they are what they are kept clear by."""
    return all(s.kind in ("sphere", "capsule", "tapered_capsule") for s in body.segments[name].shapes)


def balls(rows: np.ndarray, count: int = 33) -> tuple[np.ndarray, np.ndarray]:
    """Balls along the axes of capsules (N, C, 8): centres (N, C·count, 3) and radii."""
    t = np.linspace(0.0, 1.0, count)[:, None]
    x = rows[:, :, None, :3] + t * (rows[:, :, None, 3:6] - rows[:, :, None, :3])
    r = rows[:, :, None, 6] + t[:, 0] * (rows[:, :, None, 7] - rows[:, :, None, 6])
    return x.reshape(len(rows), -1, 3), r.reshape(len(rows), -1)


def least(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The least distance (N,) between any capsule of (N, A, 8) and any of (N, B, 8).

    |x(s) − y(t)| less radii that change evenly is convex in s and t together, so its least over t is convex in s:
    golden section over s, and over t what lies nearest to a ball's centre, along the slant of the cone.
    """
    one = np.repeat(a, b.shape[1], axis=1).reshape(-1, 8)
    other = np.tile(b, (1, a.shape[1], 1)).reshape(-1, 8)
    low, high = np.zeros(len(one)), np.ones(len(one))
    best = np.minimum(_gap(one, other, low), _gap(one, other, high))
    for _ in range(45):
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        left, right = _gap(one, other, first), _gap(one, other, second)
        best = np.minimum(best, np.minimum(left, right))
        low, high = np.where(left < right, low, first), np.where(left < right, second, high)
    return best.reshape(len(a), -1).min(axis=1)


def _gap(a: np.ndarray, b: np.ndarray, s: np.ndarray) -> np.ndarray:
    """From the ball at the share s of capsules a to capsules b."""
    center = a[:, :3] + s[:, None] * (a[:, 3:6] - a[:, :3])
    radius = a[:, 6] + s * (a[:, 7] - a[:, 6])
    d = b[:, 3:6] - b[:, :3]
    length = norm(d)
    u = d / np.where(length > 0.0, length, 1.0)[:, None]
    off = center - b[:, :3]
    along = dot(off, u)
    height = norm(off - along[:, None] * u)
    taper = np.where(length > 0.0, (b[:, 7] - b[:, 6]) / np.where(length > 0.0, length, 1.0), 0.0)
    ends = [np.zeros(len(a)), length]
    with np.errstate(divide="ignore", invalid="ignore"):
        slant = along + taper * height / np.sqrt(np.maximum(1.0 - taper * taper, 0.0))
    ends.append(np.clip(np.where(np.isfinite(slant), slant, 0.0), 0.0, length))
    return np.min([np.hypot(height, along - t) - b[:, 6] - taper * t for t in ends], axis=0) - radius
