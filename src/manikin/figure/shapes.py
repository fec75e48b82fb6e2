"""The shapes of segments as tapered capsules, which is how they are kept clear of things.

Balls, capsules and tapered capsules are themselves. Others are enclosed: a cylinder by the capsule of its radius and
length, a box by capsules side by side along its longest edge, an ellipsoid by capsules side by side along its longest
axis, a mesh by one capsule along its main direction, where its file can be read.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from manikin.errors import FormatError, GoalError
from manikin.figure.figure import Figure
from manikin.figure.mesh_files import read_mesh
from manikin.figure.segment import Segment, Shape


def capsules_of(figure: Figure, name: str, who: str, *, meshes: bool = True) -> np.ndarray:
    """The capsules (C, 8) of a segment in its frame: two points and a radius at each; (0, 8) where it has no shape.

    who: the goal that asks, for the error where a mesh cannot be fitted. meshes: whether those are among them.
    """
    kept = figure.__dict__.setdefault("_capsules" if meshes else "_capsules_but_meshes", {})
    if name not in kept:
        segment = figure.segments[name]
        shapes = [shape for shape in segment.shapes if meshes or shape.kind != "mesh"]
        rows = [row for shape in shapes for row in placed(shape, _capsules(segment, shape, who))]
        kept[name] = without_inner(np.array(rows).reshape(-1, 8))
    return kept[name]


def halved(capsules: np.ndarray) -> np.ndarray:
    """Capsules with those that are longer than thick cut in halves."""
    long = np.linalg.norm(capsules[:, 3:6] - capsules[:, :3], axis=1) > capsules[:, 6:].max(
        axis=1, initial=0.0
    )
    middle = 0.5 * (capsules[:, [0, 1, 2, 6]] + capsules[:, [3, 4, 5, 7]])
    first, second = capsules.copy(), capsules[long]
    first[long, 3:6], first[long, 7] = middle[long, :3], middle[long, 3]
    second[:, :3], second[:, 6] = middle[long, :3], middle[long, 3]
    return np.vstack([first, second])


def balls_and_eggs(
    figure: Figure, name: str, who: str, *, meshes: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """What touches a plane first: the shapes' ends as balls (B, 8), and ellipsoids (E, 12), centre and half axes.

    meshes: whether the capsules around meshes are among them.
    """
    segment = figure.segments[name]
    kept = segment.__dict__.setdefault("_touches" if meshes else "_touches_but_meshes", [])
    if not kept:
        kept[:] = _balls_and_eggs(segment, who, meshes)
    return kept[0], kept[1]


def _balls_and_eggs(segment: Segment, who: str, meshes: bool) -> tuple[np.ndarray, np.ndarray]:
    balls: list[np.ndarray] = []
    eggs: list[np.ndarray] = []
    for shape in segment.shapes:
        place = shape.placement
        if shape.kind == "ellipsoid":
            eggs.append(np.concatenate([place[:3, 3], (place[:3, :3] * shape.size).T.ravel()]))
        elif shape.kind == "box":
            corners = (
                np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T * shape.size
            )
            balls += [np.array([*c, *c, 0.0, 0.0]) for c in corners @ place[:3, :3].T + place[:3, 3]]
        elif meshes or shape.kind != "mesh":
            for row in placed(shape, _capsules(segment, shape, who)):
                ends = [(row[:3], row[6]), (row[3:6], row[7])]
                balls += [np.array([*x, *x, r, r]) for x, r in ends]
    found = np.array(balls).reshape(-1, 8)
    return without_inner(np.unique(found.round(12), axis=0)), np.array(eggs).reshape(-1, 12)


def placed(shape: Shape, rows: np.ndarray) -> np.ndarray:
    """Capsules of a shape's own frame in the segment's."""
    turn, place = shape.placement[:3, :3], shape.placement[:3, 3]
    moved = rows.copy()
    moved[:, :3] = rows[:, :3] @ turn.T + place
    moved[:, 3:6] = rows[:, 3:6] @ turn.T + place
    return moved


def _capsules(segment: Segment, shape: Shape, who: str) -> np.ndarray:
    """The capsules of a shape in its own frame."""
    size = [float(value) for value in shape.size]
    if shape.kind == "sphere":
        return _row([0, 0, 0], [0, 0, 0], size[0], size[0])
    if shape.kind in ("capsule", "cylinder"):
        return _row([0, 0, -0.5 * size[1]], [0, 0, 0.5 * size[1]], size[0], size[0])
    if shape.kind == "tapered_capsule":
        return _row([0, 0, 0], [0, 0, size[2]], size[0], size[1])
    if shape.kind == "box":
        return _box(np.array(size))
    if shape.kind == "ellipsoid":
        return _ellipsoid(np.array(size))
    return _mesh(segment, shape, who)


def _row(a: list[float], b: list[float], ra: float, rb: float) -> np.ndarray:
    return np.array([[*a, *b, ra, rb]], dtype=np.float64)


def _box(size: np.ndarray) -> np.ndarray:
    """Along the longest edge, as many side by side as the middle edge is longer than the shortest, four at most."""
    long, middle, short = (int(k) for k in np.argsort(-size, kind="stable"))
    count = min(4, max(1, math.ceil(size[middle] / size[short] - 1e-9))) if size[short] > 0.0 else 4
    width = size[middle] / count
    radius = 0.5 * math.hypot(width, size[short])
    rows = []
    for k in range(count):
        a = np.zeros(3)
        a[middle] = (k + 0.5) * width - 0.5 * size[middle]
        b = a.copy()
        a[long], b[long] = -0.5 * size[long], 0.5 * size[long]
        rows.append([*a, *b, radius, radius])
    return np.array(rows)


def _ellipsoid(radii: np.ndarray) -> np.ndarray:
    """One of the middle radius along the longest axis; where that is too thick for the shortest, slices of it.

    A slice between y₀ and y₁ of the middle axis lies within √(c²(1 − y²/b²) + (y − y_m)²) of its middle line, whose
    half length is that of the slice.
    """
    long, middle, short = (int(k) for k in np.argsort(-radii, kind="stable"))
    a, b, c = radii[[long, middle, short]]
    if b <= 1.25 * c or c == 0.0:
        ends = np.zeros((2, 3))
        ends[:, long] = [b - a, a - b]
        return np.array([[*ends[0], *ends[1], b, b]])
    count = min(6, math.ceil(2.0 * b / c))
    edges = np.linspace(-b, b, count + 1)
    rows = []
    for low, high in pairwise(edges.tolist()):
        y = np.linspace(low, high, 33)
        center = 0.5 * (low + high)
        radius = float(np.sqrt(c * c * (1.0 - (y / b) ** 2).clip(0.0) + (y - center) ** 2).max())
        widest = a * math.sqrt(max(0.0, 1.0 - float(np.abs(y).min() / b) ** 2))
        ends = np.zeros((2, 3))
        ends[:, middle] = center
        ends[:, long] = [-widest, widest]
        rows.append([*ends[0], *ends[1], radius, radius])
    return np.array(rows)


def _mesh(segment: Segment, shape: Shape, who: str) -> np.ndarray:
    """One capsule around all corners of the mesh, along their main direction."""
    return fitted_capsule(mesh_points(segment, shape, who))


def mesh_points(segment: Segment, shape: Shape, who: str) -> np.ndarray:
    """The corners (N, 3) of a segment's mesh in the shape's own frame, scaled, read from its file."""
    return np.asarray(mesh_of(segment, shape, who).vertices, dtype=np.float64)


def mesh_of(segment: Segment, shape: Shape, who: str) -> Any:
    """A segment's mesh in the shape's own frame, scaled, as trimesh reads its file."""
    where = f"{who}: segment {segment.name!r}: its shape is the mesh {shape.mesh!r}"
    try:
        parts = read_mesh(str(shape.mesh))
    except ImportError:
        raise GoalError(f"{where}, and reading it needs trimesh (pip install manikin[pictures])") from None
    except FormatError as problem:
        raise GoalError(f"{where}, which cannot be read ({problem}); give the segment other shapes") from None
    from trimesh.util import concatenate

    loaded: Any = concatenate(parts)
    loaded.vertices = np.asarray(loaded.vertices, dtype=np.float64) * shape.scale
    return loaded


def fitted_capsule(points: np.ndarray) -> np.ndarray:
    """A capsule (1, 8) that encloses points (N, 3), its axis along their longest direction."""
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    _, _, axes = np.linalg.svd(points - center, full_matrices=False)
    axes = np.vstack([axes, np.eye(3)])[:3] if len(axes) < 3 else axes
    local = (points - center) @ axes.T
    middle = 0.5 * (local[:, 1:].min(axis=0) + local[:, 1:].max(axis=0))
    across = np.linalg.norm(local[:, 1:] - middle, axis=1)
    radius = float(across.max())
    reach = np.sqrt(np.maximum(radius * radius - across**2, 0.0))
    low, high = float((local[:, 0] + reach).min()), float((local[:, 0] - reach).max())
    if low > high:
        low = high = 0.5 * (low + high)
        radius = float(np.sqrt(across**2 + (local[:, 0] - low) ** 2).max())
    ends = [center + axes.T @ np.array([s, *middle]) for s in (low, high)]
    return np.array([[*ends[0], *ends[1], radius, radius]])


def without_inner(capsules: np.ndarray) -> np.ndarray:
    """The capsules that do not lie inside another one."""
    kept = np.ones(len(capsules), bool)
    for i, capsule in enumerate(capsules):
        for j, other in enumerate(capsules):
            if i == j or not kept[j]:
                continue
            ends = ((capsule[:3], capsule[6]), (capsule[3:6], capsule[7]))
            if all(round_cone_distance(other, x) + r <= 1e-9 for x, r in ends):
                kept[i] = False
                break
    return capsules[kept]


def round_cone_distance(capsule: np.ndarray, x: np.ndarray) -> float:
    """The signed distance of a point to a tapered capsule: the nearest of its balls, by their closed form."""
    a, d = capsule[:3], capsule[3:6] - capsule[:3]
    length = float(np.linalg.norm(d))
    if length == 0.0:
        return float(np.linalg.norm(x - a)) - max(capsule[6], capsule[7])
    u = d / length
    along = float((x - a) @ u)
    height = float(np.linalg.norm(x - a - along * u))
    k = (capsule[7] - capsule[6]) / length
    if abs(k) >= 1.0 - 1e-12:
        s = length if k > 0.0 else 0.0
    else:
        s = min(max(along + k * height / math.sqrt(1.0 - k * k), 0.0), length)
    return math.hypot(height, along - s) - float(capsule[6] + s * k)
