"""The underside of a segment: the corners on which it stands.

Of a mesh they are the hull of its lowest points, as its file has them; of other shapes the lowest points of the balls
and ellipsoids at their ends. Which side is under is told by the rest pose: of the axes of the segment's site, forth and
back, the one that points most nearly up there.
"""

from __future__ import annotations

import numpy as np

from manikin.errors import GoalError
from manikin.figure.figure import Figure
from manikin.figure.shapes import balls_and_eggs, mesh_points

#: Metres above the lowest point within which others count: of meshes, which are what they are, and of round shapes.
MESH_SLACK, ROUND_SLACK = 0.002, 0.01
#: Corners of one underside at most.
MOST_CORNERS = 16


def sole(figure: Figure, name: str, who: str) -> list[tuple[str, np.ndarray]]:
    """The corners of a segment's underside, as (segment, point) pairs, points in the segment's frame.

    Those that are no corners of their outline are left out, and where more than ``MOST_CORNERS`` are left, those that
    cost the least area: the corners kept support no more than all do.
    """
    kept = figure.__dict__.setdefault("_soles", {})
    if name not in kept:
        kept[name] = _sole(figure, name, who)
    return [(f"segment:{name}", corner) for corner in kept[name]]


def _sole(figure: Figure, name: str, who: str) -> np.ndarray:
    axes = _upright(figure, name)
    points, slack = _candidates(figure, name, axes[:, 2], who)
    if not len(points):
        raise GoalError(f"{who}: segment {name!r} has no shape to stand on; name a site instead")
    seen = points @ axes
    low = seen[seen[:, 2] <= seen[:, 2].min() + slack]
    return fewer(outline(low), MOST_CORNERS) @ axes.T


def _upright(figure: Figure, name: str) -> np.ndarray:
    """Axes (3×3, columns, in the segment's frame), the third the one of its site's that points up at rest."""
    site = figure.sites[name]
    axes = site.placement[:3, :3] if site.segment == name else np.eye(3)
    # Of equals z is taken, then x.
    height = (figure.pose().matrices()[name][:3, :3] @ axes)[2] * (1.0 + 1e-9 * np.array([1.0, 0.0, 2.0]))
    k = int(np.argmax(np.abs(height)))
    up = np.sign(height[k]) * axes[:, k]
    first = axes[:, (k + 1) % 3]
    return np.column_stack([first, np.cross(up, first), up])


def _candidates(figure: Figure, name: str, up: np.ndarray, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Points of the segment that may be lowest, (N, 3), and for each how far above the lowest it counts."""
    segment = figure.segments[name]
    meshes = [shape for shape in segment.shapes if shape.kind == "mesh"]
    points = [
        mesh_points(segment, shape, who) @ shape.placement[:3, :3].T + shape.placement[:3, 3]
        for shape in meshes
    ]
    slack = [np.full(len(each), MESH_SLACK) for each in points]
    balls, eggs = balls_and_eggs(figure, name, who, meshes=False)
    half = eggs[:, 3:].reshape(-1, 3, 3)
    s = half @ up
    size = np.maximum(np.linalg.norm(s, axis=1, keepdims=True), 1e-300)
    points += [balls[:, :3] - balls[:, 6:7] * up, eggs[:, :3] - np.einsum("eij,ei->ej", half, s / size)]
    slack += [np.full(len(each), ROUND_SLACK) for each in points[len(meshes) :]]
    return np.concatenate(points), np.concatenate(slack)


def outline(points: np.ndarray) -> np.ndarray:
    """The points (N, 3) that are corners of their hull as seen along z, in order round it (Andrew's chains)."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    chains = []
    for run in (order, order[::-1]):
        chain: list[np.ndarray] = []
        for p in run:
            while len(chain) >= 2 and _left(chain[-2], chain[-1], p) <= 1e-9:
                chain.pop()
            chain.append(p)
        chains.append(chain[:-1] or chain)
    if len(order) == 1:
        return order
    return np.array(chains[0] + chains[1])


def fewer(corners: np.ndarray, most: int) -> np.ndarray:
    """Of the corners of an outline so many at most, those left out one by one that cost the least area."""
    while len(corners) > most:
        before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
        one, two = corners - before, after - before
        area = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0])
        corners = np.delete(corners, int(np.argmin(area)), axis=0)
    return corners


def _left(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
