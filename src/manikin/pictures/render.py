"""A scene as an array of pixels.

One ray a pixel finds the surfaces; their light, by a few rays each, is smoothed over squares of 4 × 4 pixels of the
same surface. Where surfaces meet, the pixel is taken again with several rays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.errors import PoseError
from manikin.pictures.camera import Camera
from manikin.pictures.color import encoded
from manikin.pictures.light import CHUNK, TILE, Light, lights
from manikin.pictures.scene import Scene
from manikin.pictures.shader import SOLID, Seen, light_on, shade, trace


@dataclass(frozen=True)
class Quality:
    """Rays: to the lamp and to the sky for each point, and through each pixel at an edge."""

    lamp: int
    sky: int
    edge: int


QUALITIES = {"draft": Quality(4, 5, 4), "good": Quality(8, 12, 9), "best": Quality(24, 40, 16)}


def quality_of(name: str) -> Quality:
    """The quality of this name."""
    if name not in QUALITIES:
        raise PoseError(f"picture: unknown quality {name!r}; known are: {', '.join(QUALITIES)}")
    return QUALITIES[name]


def render(scene: Scene, camera: Camera, size: tuple[int, int], quality: Quality) -> np.ndarray:
    """(height, width, 3) uint8, sRGB. The same scene gives the same bytes."""
    width, height = size
    light = lights(scene, camera, quality.lamp, quality.sky)
    pixel = camera.pixel(size)
    rows, columns = np.divmod(np.arange(width * height), width)
    tile = ((rows % TILE) * TILE + columns % TILE).astype(np.int32)
    seen = _joined(
        [
            trace(scene, camera, columns[part] + np.float32(0.5), rows[part] + np.float32(0.5), size)
            for part in _chunks(len(rows))
        ]
    )
    lit = light_on(scene, light, seen, tile)
    lit = smoothed(seen, lit, size, scene.size)
    picture = np.empty((width * height, 3), np.float32)
    for part in _chunks(len(rows)):
        picture[part] = shade(scene, camera, light, _part(seen, part), lit[part], pixel)
    edges = np.flatnonzero(_edges(scene, camera, seen, size))
    if len(edges):
        picture[edges] = _again(scene, camera, light, edges, size, quality.edge)
    # Rounded up or down in a fine fixed pattern (interleaved gradient noise), so that the sky shows no bands.
    pattern = (52.9829189 * ((0.06711056 * columns + 0.00583715 * rows) % 1.0)) % 1.0
    return (encoded(picture) * 254.999 + pattern[:, None]).astype(np.uint8).reshape(height, width, 3)


def _chunks(count: int) -> list[slice]:
    return [slice(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]


_FIELDS = ("directions", "background", "kind", "distance", "points", "normals", "colors", "part", "inside")
_HITS = ("distance", "triangle", "u", "v")


def _joined(parts: list[Seen]) -> Seen:
    values = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _FIELDS}
    hits = {name: np.concatenate([getattr(part.marks, name) for part in parts]) for name in _HITS}
    return Seen(**values, marks=type(parts[0].marks)(**hits))


def _part(seen: Seen, part: slice) -> Seen:
    values = {name: getattr(seen, name)[part] for name in _FIELDS}
    return Seen(**values, marks=type(seen.marks)(**{name: getattr(seen.marks, name)[part] for name in _HITS}))


def smoothed(seen: Seen, lit: np.ndarray, size: tuple[int, int], scale: float) -> np.ndarray:
    """The light averaged over five pixels, the outer two by half, across and then down, within one surface.

    Five pixels so weighted hold every place of a square once, so that the pattern of the rays cancels.
    """
    shape = (size[1], size[0])
    normals = seen.normals.reshape(*shape, 3)
    points = seen.points.reshape(*shape, 3)
    kind = seen.kind.reshape(shape)
    result = lit.reshape(*shape, 4)
    for axis in (1, 0):
        total, weight = result.copy(), np.ones((*shape, 1), np.float32)
        for step, share in ((1, 1.0), (2, 0.5)):
            here, there = _shifted(axis, step)
            a, b = normals[here], normals[there]
            same = (kind[here] == kind[there]) & (np.einsum("ijk,ijk->ij", a, b) > 0.9)
            apart = np.abs(np.einsum("ijk,ijk->ij", points[here] - points[there], a))
            weights = np.where(same & (apart < 0.01 * scale), np.float32(share), np.float32(0.0))[..., None]
            total[here] += weights * result[there]
            total[there] += weights * result[here]
            weight[here] += weights
            weight[there] += weights
        result = total / weight
    return result.reshape(-1, 4)


def _shifted(axis: int, step: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Slices of all pixels but the last `step`, and of all but the first, along an axis."""
    whole = slice(None)
    low, high = slice(None, -step), slice(step, None)
    return ((low, whole), (high, whole)) if axis == 0 else ((whole, low), (whole, high))


def _edges(scene: Scene, camera: Camera, seen: Seen, size: tuple[int, int]) -> np.ndarray:
    """Which pixels lie where surfaces meet, by their neighbours and by four rays inside the pixel."""
    width, height = size
    shape = (height, width)
    kind, part = seen.kind.reshape(shape), seen.part.reshape(shape)
    marks = np.where(seen.marks.triangle >= 0, scene_parts(scene, seen.marks.triangle), -1).reshape(shape)
    normals, points = seen.normals.reshape(*shape, 3), seen.points.reshape(*shape, 3)
    colors = seen.colors.reshape(*shape, 3)
    near = camera.pixel(size) * seen.distance.reshape(shape)
    result = np.zeros(shape, dtype=bool)
    for axis in (0, 1):
        here, there = _shifted(axis, 1)
        differs = (kind[here] != kind[there]) | (part[here] != part[there]) | (marks[here] != marks[there])
        solid = kind[here] == SOLID
        creased = np.einsum("ijk,ijk->ij", normals[here], normals[there]) < 0.93
        stepped = (
            np.abs(np.einsum("ijk,ijk->ij", points[here] - points[there], normals[here])) > 3.0 * near[here]
        )
        painted = np.abs(colors[here] - colors[there]).max(axis=-1) > 0.03
        differs |= solid & (creased | stepped | painted)
        result[here] |= differs
        result[there] |= differs
    return (result | _thin(scene, camera, size, part, marks)).ravel()


def scene_parts(scene: Scene, triangles: np.ndarray) -> np.ndarray:
    """The marks that triangles belong to; what is no triangle counts as the first."""
    return scene.marks.part[np.maximum(triangles, 0)] if len(scene.marks) else np.zeros_like(triangles)


def _thin(
    scene: Scene, camera: Camera, size: tuple[int, int], part: np.ndarray, marks: np.ndarray
) -> np.ndarray:
    """Which pixels hold something that their middle misses, by four more rays in each."""
    eye = camera.position.astype(np.float32)
    result = np.zeros(part.shape, dtype=bool)
    for layer, middle in ((scene.solid, part), (scene.marks, marks)):
        window = camera.window(layer.corners.reshape(-1, 3), size)
        rows, columns = (places.ravel() for places in np.mgrid[window])
        found = np.zeros(len(rows), dtype=bool)
        for chunk in _chunks(len(rows)):
            here = middle[window].ravel()[chunk]
            for dx, dy in ((0.2, 0.35), (0.65, 0.2), (0.8, 0.65), (0.35, 0.8)):
                directions = camera.rays(columns[chunk] + dx, rows[chunk] + dy, size)
                triangle = layer.hits(np.tile(eye, (len(directions), 1)), directions).triangle
                found[chunk] |= np.where(triangle >= 0, layer.part[np.maximum(triangle, 0)], -1) != here
        result[window] |= found.reshape(result[window].shape)
    return result


def _again(
    scene: Scene, camera: Camera, light: Light, edges: np.ndarray, size: tuple[int, int], rays: int
) -> np.ndarray:
    """The pixels' colours by several rays each, spread over the pixel."""
    pixel = camera.pixel(size)
    golden = 1.32471795724474602596
    spread = (0.5 + np.arange(rays)[:, None] * np.array([1.0 / golden, 1.0 / golden**2])) % 1.0
    rows, columns = np.divmod(edges, size[0])
    few = light.fewer()
    result = np.zeros((len(edges), 3), np.float32)
    for part in _chunks(len(edges)):
        for k, (dx, dy) in enumerate(spread.astype(np.float32)):
            seen = trace(scene, camera, columns[part] + dx, rows[part] + dy, size)
            tile = ((edges[part] * 7 + k * 5) % (TILE * TILE)).astype(np.int32)
            result[part] += shade(scene, camera, few, seen, light_on(scene, few, seen, tile), pixel)
    return result / rays
