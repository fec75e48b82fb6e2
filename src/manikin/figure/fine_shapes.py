"""Meshes enclosed by several capsules, where one around all of each is too coarse to tell how near something is.

The triangles are cut in two by a plane across one of the main directions of their capsule, again and again, each time
the thickest part in the direction that leaves the least volume. Triangles are cut too, so that the capsules enclose the
whole surface: what they keep apart is apart. More capsules are not always better, as each bulges about its part; so
there are several covers of a segment, and for each pair of segments the two that keep them farthest apart can be taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import GoalError
from manikin.figure.figure import Figure
from manikin.figure.shapes import capsules_of, fitted_capsule, mesh_of, placed, without_inner

#: How many capsules each mesh has in the covers of a segment: with one it is `capsules_of`. On a Unitree G1 the best
#: pairs have one and two of them, or eight; with more they bulge more than they follow.
COVERS = (1, 2, 3, 4, 6, 8)
#: A mesh of more triangles is taken by its convex hull, which has hundreds.
_MOST_TRIANGLES = 6000


def covers_of(figure: Figure, name: str, who: str) -> list[np.ndarray]:
    """The covers of a segment, capsules (C, 8) in its frame each, from the coarsest on; one where it has no mesh."""
    kept = figure.__dict__.setdefault("_covers", {})
    if name not in kept:
        segment, first = figure.segments[name], capsules_of(figure, name, who)
        meshes = [shape for shape in segment.shapes if shape.kind == "mesh"]
        kept[name] = [first]
        if meshes:
            others = capsules_of(figure, name, who, meshes=False)
            cut_up = [_cut_up(_triangles(mesh_of(segment, shape, who))) for shape in meshes]
            for k in range(1, len(COVERS)):
                rows = [placed(shape, found[k]) for shape, found in zip(meshes, cut_up, strict=True)]
                kept[name].append(without_inner(np.concatenate([*rows, others])))
    return list(kept[name])


def _triangles(loaded: Any) -> np.ndarray:
    """The triangles (T, 3, 3) of a mesh, or of its convex hull."""
    if len(loaded.faces) > _MOST_TRIANGLES:
        loaded = loaded.convex_hull
    if not len(loaded.faces):
        raise GoalError("clearance: a mesh has no triangles; give the segment other shapes")
    return np.asarray(loaded.triangles, dtype=np.float64)


def _cut_up(triangles: np.ndarray) -> list[np.ndarray]:
    """Capsules (C, 8) that together enclose triangles, for each number of `COVERS`: the thickest is cut each time."""
    parts = [(triangles, fitted_capsule(triangles.reshape(-1, 3))[0])]
    found = []
    for count in COVERS:
        while len(parts) < count:
            k = int(np.argmax([capsule[6] for _, capsule in parts]))
            halves = _halves(*parts[k])
            if not halves:
                break
            parts[k : k + 1] = halves
        found.append(np.array([capsule for _, capsule in parts]))
    return found


def _halves(triangles: np.ndarray, capsule: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The two halves with the least volume, across one of three directions; none where a cut leaves one empty."""
    points = triangles.reshape(-1, 3)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    axis = capsule[3:6] - capsule[:3]
    _, _, axes = np.linalg.svd(points - middle, full_matrices=False)
    best: list[tuple[np.ndarray, np.ndarray]] = []
    for direction in (*axes, axis / max(float(np.linalg.norm(axis)), 1e-12)):
        s = points @ direction
        sides = cut(triangles, direction, 0.5 * float(s.min() + s.max()))
        if not all(len(side) for side in sides):
            continue
        found = [(side, fitted_capsule(side.reshape(-1, 3))[0]) for side in sides]
        if not best or sum(volume(c) for _, c in found) < sum(volume(c) for _, c in best):
            best = found
    return best


def cut(triangles: np.ndarray, direction: np.ndarray, at: float) -> tuple[np.ndarray, np.ndarray]:
    """Triangles (T, 3, 3) on both sides of the plane direction · x = at, those that it crosses cut in up to three."""
    height = triangles @ direction - at
    below, above = (height <= 0.0).all(axis=1), (height >= 0.0).all(axis=1) & (height > 0.0).any(axis=1)
    sides = [[triangles[below]], [triangles[above]]]
    crossed = ~below & ~above
    for corners, h in zip(triangles[crossed], height[crossed], strict=True):
        lone = int(np.argmax(h > 0.0)) if (h > 0.0).sum() == 1 else int(np.argmax(h <= 0.0))
        a, b, c = (corners[(lone + k) % 3] for k in range(3))
        ha, hb, hc = (h[(lone + k) % 3] for k in range(3))
        p, q = a + (b - a) * ha / (ha - hb), a + (c - a) * ha / (ha - hc)
        one = int(ha > 0.0)
        sides[one].append(np.array([[a, p, q]]))
        sides[1 - one].append(np.array([[p, b, c], [p, c, q]]))
    low, high = (np.concatenate(side) for side in sides)
    return low, high


def volume(capsule: np.ndarray) -> float:
    """Of a capsule of one radius, cubic metres."""
    r, length = float(capsule[6]), float(np.linalg.norm(capsule[3:6] - capsule[:3]))
    return np.pi * r * r * (length + 4.0 / 3.0 * r)
