"""Distances of points from shapes, and points on shapes: what the tests on joined volumes need."""

from __future__ import annotations

import numpy as np

from manikin.figure import Figure, Pose, Shape


def distance(shape: Shape, points: np.ndarray) -> np.ndarray:
    """Of points (N, 3) in the shape's frame from its volume, at most; negative inside.

    Exact for balls; for the cone of a tapered capsule and for an ellipsoid a bound that is never too small outside.
    """
    if shape.kind == "sphere":
        return np.linalg.norm(points, axis=1) - shape.size[0]
    if shape.kind == "ellipsoid":
        # the way straight to the centre meets the surface
        length = np.linalg.norm(points, axis=1)
        scaled = np.linalg.norm(points / shape.size, axis=1)
        return length * (1.0 - 1.0 / np.maximum(scaled, 1e-9))
    first, last, height = shape.size
    along = np.clip(points[:, 2] / height, 0.0, 1.0)
    radius = first + along * (last - first)
    center = np.stack([0.0 * along, 0.0 * along, along * height], axis=1)
    return np.linalg.norm(points - center, axis=1) - radius


def depth(pose: Pose, first: str, second: str) -> float:
    """How deep a segment's shapes reach into another's, metres."""
    frames = pose.matrices()
    deepest = 0.0
    for mine in pose.figure.segments[first].shapes:
        points = samples(mine)
        for theirs in pose.figure.segments[second].shapes:
            relative = np.linalg.inv(frames[second] @ theirs.placement) @ frames[first] @ mine.placement
            there = points @ relative[:3, :3].T + relative[:3, 3]
            deepest = max(deepest, -float(distance(theirs, there).min()))
    return deepest


def samples(shape: Shape, count: int = 60) -> np.ndarray:
    """Points inside the shape's volume, in its frame: its middle and its surface."""
    k = np.arange(count) + 0.5
    polar, azimuth = np.arccos(1.0 - 2.0 * k / count), np.pi * (1.0 + 5.0**0.5) * k
    ball = np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], axis=1)
    ball = np.concatenate([np.zeros((1, 3)), ball])
    if shape.kind == "sphere":
        return ball * shape.size[0]
    if shape.kind == "ellipsoid":
        return ball * shape.size
    first, last, height = shape.size
    return np.concatenate(
        [ball * (first + k * (last - first)) + [0.0, 0.0, k * height] for k in np.linspace(0.0, 1.0, 7)]
    )


class Gaps:
    """The gaps between the shapes of segments that a joint joins, over the poses of a figure."""

    def __init__(self, figure: Figure) -> None:
        self.pairs = []
        seen = {}
        for joint in figure.joints.values():
            if joint.parent == "world":
                continue
            parent, child = self._solid(figure, seen, joint.parent), joint.child
            seen[child] = parent if not figure.segments[child].shapes else child
            if figure.segments[child].shapes:
                points = np.concatenate(
                    [
                        samples(shape) @ shape.placement[:3, :3].T + shape.placement[:3, 3]
                        for shape in figure.segments[child].shapes
                    ]
                )
                self.pairs.append((joint.name, parent, child, points, figure.segments[parent].shapes))

    @staticmethod
    def _solid(figure: Figure, seen: dict[str, str], name: str) -> str:
        return name if figure.segments[name].shapes else seen[name]

    def widest(self, pose: Pose) -> tuple[float, str]:
        """The widest gap in metres, 0 where volumes meet, and its joint."""
        frames = pose.matrices()
        worst = (-1.0, "")
        for joint, parent, child, points, shapes in self.pairs:
            relative = np.linalg.inv(frames[parent]) @ frames[child]
            there = points @ relative[:3, :3].T + relative[:3, 3]
            gap = np.inf
            for shape in shapes:
                local = (there - shape.placement[:3, 3]) @ shape.placement[:3, :3]
                gap = min(gap, float(distance(shape, local).min()))
                if gap <= 0.0:
                    break
            worst = max(worst, (max(gap, 0.0), joint))
        return worst
