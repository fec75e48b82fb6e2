"""A scene as an array of pixels.

One ray a pixel finds the surfaces; their light, by a few rays each, is smoothed over squares of 4 × 4 pixels of the
same surface. Where surfaces meet, the pixel is taken again with several rays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.errors import PoseError
from manikin.pictures.camera import Camera
from manikin.pictures.color import encoded_quickly
from manikin.pictures.ground import paint_ground
from manikin.pictures.light import CHUNK, TILE, Light, lights
from manikin.pictures.scene import Scene
from manikin.pictures.shader import SOLID, Seen, background, light_on, paint, shade, trace


@dataclass(frozen=True)
class Quality:
    """What a picture may cost.

    lamp, sky: rays to the lamp and to the sky for each point; edge: rays through each pixel at an edge.
    off: pixels that a round shape's facets may be off its curve. thin: whether pixels are searched for what is thinner
    than they are. every: 2 to send rays for light from every other pixel alone. packed: how hard the file is packed,
    from 1 to 9.
    """

    lamp: int
    sky: int
    edge: int
    off: float = 0.1
    thin: bool = True
    every: int = 1
    packed: int = 6


QUALITIES = {
    "draft": Quality(2, 3, 3, off=0.5, thin=False, every=2, packed=1),
    "good": Quality(8, 12, 9),
    "best": Quality(24, 40, 16),
}


def quality_of(name: str) -> Quality:
    """The quality of this name."""
    if name not in QUALITIES:
        raise PoseError(f"picture: unknown quality {name!r}; expected one of: {', '.join(QUALITIES)}")
    return QUALITIES[name]


def render(scene: Scene, camera: Camera, size: tuple[int, int], quality: Quality) -> np.ndarray:
    """(height, width, 3) uint8, sRGB. The same scene gives the same bytes."""
    width, height = size
    light = lights(scene, camera, quality.lamp, quality.sky)
    behind = background(np.arange(height, dtype=np.float32) + np.float32(0.5), height)
    picture = np.repeat(behind, width, axis=0)
    window = _window(scene, camera, size)
    rows, columns = (places.ravel() for places in np.mgrid[window])
    here = rows * width + columns  # the pixels of the window, in whose rays figures and marks may lie
    across, down = columns + np.float32(0.5), rows + np.float32(0.5)
    below = len(scene.clear) > 0  # what one sees through may lie under the ground
    seen = _joined(
        [trace(scene, camera, across[part], down[part], size, ground=below) for part in _chunks(len(rows))]
    )
    free = np.ones(width * height, bool)
    free[here] = seen.kind != SOLID
    paint_ground(picture, scene, camera, light, size, free, quality.every)
    if len(here):
        shape = (window[0].stop - window[0].start, window[1].stop - window[1].start)
        taken = (rows + columns) % quality.every == 0
        tile = ((rows % TILE) * TILE + columns % TILE).astype(np.int32)
        lit = light_on(scene, light, seen, tile, ground=False, where=taken)
        lit = smoothed(seen, lit, taken, shape, scene.size)
        under = picture[here]
        for part in _chunks(len(here)):
            paint(scene, camera, light, _part(seen, part), lit[part], under[part])
        picture[here] = under
        edges = here[_edges(scene, camera, seen, window, size, quality.thin)]
        if len(edges):
            picture[edges] = _again(scene, camera, light, edges, size, quality.edge)
    # Rounded up or down in a fine fixed pattern (interleaved gradient noise), so that the sky shows no bands.
    grain = 0.06711056 * np.arange(width) + 0.00583715 * np.arange(height)[:, None]
    grain = 52.9829189 * (grain - np.floor(grain))  # the same as by %, in a third of the time
    pattern = (grain - np.floor(grain)).astype(np.float32)
    levels = encoded_quickly(picture).reshape(height, width, 3)
    return (levels * np.float32(254.999) + pattern[..., None]).astype(np.uint8)


def _window(scene: Scene, camera: Camera, size: tuple[int, int]) -> tuple[slice, slice]:
    """The rows and columns that hold all figures and marks."""
    layers = [layer for layer in (scene.solid, scene.marks, scene.clear) if len(layer)]
    windows = [camera.window(layer.corners.reshape(-1, 3), size) for layer in layers]
    found = []
    for axis in range(2):
        ends = [w[axis] for w in windows if w[0].start < w[0].stop and w[1].start < w[1].stop]
        found.append(slice(min((e.start for e in ends), default=0), max((e.stop for e in ends), default=0)))
    return found[0], found[1]


def _chunks(count: int, size: int = CHUNK) -> list[slice]:
    return [slice(start, min(start + size, count)) for start in range(0, max(count, 1), size)]


_FIELDS = ("directions", "background", "kind", "distance", "points", "normals", "colors", "part", "inside")
_HITS = ("distance", "triangle", "u", "v")


def _joined(parts: list[Seen]) -> Seen:
    values = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _FIELDS}
    hits = {name: np.concatenate([getattr(part.marks, name) for part in parts]) for name in _HITS}
    return Seen(**values, marks=type(parts[0].marks)(**hits))


def _part(seen: Seen, part: slice) -> Seen:
    values = {name: getattr(seen, name)[part] for name in _FIELDS}
    return Seen(**values, marks=type(seen.marks)(**{name: getattr(seen.marks, name)[part] for name in _HITS}))


def smoothed(
    seen: Seen, lit: np.ndarray, taken: np.ndarray, shape: tuple[int, int], scale: float
) -> np.ndarray:
    """The light averaged over five pixels, the outer two by half, across and then down, within one surface.

    Five pixels so weighted hold every place of a square once, so that the pattern of the rays cancels.
    taken: (n,) bool, where there is light to average; a pixel with none about it is lit by the open sky.
    """
    normals = seen.normals.reshape(*shape, 3)
    points = seen.points.reshape(*shape, 3)
    kind = seen.kind.reshape(shape)
    result, counts = lit.reshape(*shape, 4), taken.reshape(*shape, 1).astype(np.float32)
    for axis in (1, 0):
        weighed = result * counts
        total, weight = weighed.copy(), counts.copy()
        for step, share in ((1, 1.0), (2, 0.5)):
            here, there = _shifted(axis, step)
            a, b = normals[here], normals[there]
            same = (kind[here] == kind[there]) & (np.einsum("ijk,ijk->ij", a, b) > 0.9)
            apart = np.abs(np.einsum("ijk,ijk->ij", points[here] - points[there], a))
            weights = np.where(same & (apart < 0.01 * scale), np.float32(share), np.float32(0.0))[..., None]
            total[here] += weights * weighed[there]
            total[there] += weights * weighed[here]
            weight[here] += weights * counts[there]
            weight[there] += weights * counts[here]
        counts = (weight > 0.0).astype(np.float32)
        result = np.where(weight > 0.0, total / np.maximum(weight, np.float32(0.5)), result)
    return result.reshape(-1, 4)


def _shifted(axis: int, step: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Slices of all pixels but the last `step`, and of all but the first, along an axis."""
    whole = slice(None)
    low, high = slice(None, -step), slice(step, None)
    return ((low, whole), (high, whole)) if axis == 0 else ((whole, low), (whole, high))


def _edges(
    scene: Scene,
    camera: Camera,
    seen: Seen,
    window: tuple[slice, slice],
    size: tuple[int, int],
    thin: bool,
) -> np.ndarray:
    """Which pixels of a window lie where surfaces meet, by their neighbours and, if `thin`, by four rays in each."""
    shape = (window[0].stop - window[0].start, window[1].stop - window[1].start)
    kind, part = seen.kind.reshape(shape), seen.part.reshape(shape)
    marks = np.where(seen.marks.triangle >= 0, scene_parts(scene, seen.marks.triangle), -1).reshape(shape)
    normals, points = seen.normals.reshape(*shape, 3), seen.points.reshape(*shape, 3)
    colors = seen.colors.reshape(*shape, 3)
    near = camera.pixel(size) * seen.distance.reshape(shape)
    result = np.zeros(shape, dtype=bool)
    for axis in (0, 1):
        here, there = _shifted(axis, 1)
        solid = (kind[here] == SOLID) & (kind[there] == SOLID)
        met = (kind[here] == SOLID) != (kind[there] == SOLID)
        differs = met | (part[here] != part[there]) | (marks[here] != marks[there])
        creased = np.einsum("ijk,ijk->ij", normals[here], normals[there]) < 0.93
        stepped = (
            np.abs(np.einsum("ijk,ijk->ij", points[here] - points[there], normals[here])) > 3.0 * near[here]
        )
        apart = np.abs(colors[here] - colors[there])
        painted = np.maximum(np.maximum(apart[..., 0], apart[..., 1]), apart[..., 2]) > 0.03
        differs |= solid & (creased | stepped | painted)
        result[here] |= differs
        result[there] |= differs
    found = result.ravel()
    return found | _thin(scene, camera, window, size, part, marks) if thin else found


def scene_parts(scene: Scene, triangles: np.ndarray) -> np.ndarray:
    """The marks that triangles belong to; what is no triangle counts as the first."""
    return scene.marks.part[np.maximum(triangles, 0)] if len(scene.marks) else np.zeros_like(triangles)


def _thin(
    scene: Scene,
    camera: Camera,
    window: tuple[slice, slice],
    size: tuple[int, int],
    part: np.ndarray,
    marks: np.ndarray,
) -> np.ndarray:
    """Which pixels of a window hold something that their middle misses, by four more rays in each."""
    eye = camera.position.astype(np.float32)
    rows, columns = (places.ravel() for places in np.mgrid[window])
    found = np.zeros(len(rows), dtype=bool)
    for layer, middle in ((scene.solid, part.ravel()), (scene.marks, marks.ravel())):
        if not len(layer):
            continue
        for chunk in _chunks(len(rows)):
            origins = np.tile(eye, (len(rows[chunk]), 1))
            for dx, dy in ((0.2, 0.35), (0.65, 0.2), (0.8, 0.65), (0.35, 0.8)):
                directions = camera.rays(columns[chunk] + dx, rows[chunk] + dy, size)
                triangle = layer.hits(origins, directions).triangle
                hit = np.where(triangle >= 0, layer.part[np.maximum(triangle, 0)], -1)
                found[chunk] |= hit != middle[chunk]
    return found


def _again(
    scene: Scene, camera: Camera, light: Light, edges: np.ndarray, size: tuple[int, int], rays: int
) -> np.ndarray:
    """The pixels' colours by several rays each, spread over the pixel."""
    pixel = camera.pixel(size)
    golden = 1.32471795724474602596
    spread = (0.5 + np.arange(rays)[:, None] * np.array([1.0 / golden, 1.0 / golden**2])) % 1.0
    few = light.fewer()
    result = np.empty((len(edges), 3), np.float32)
    for part in _chunks(len(edges), max(1, CHUNK // rays)):
        rows, columns = np.divmod(edges[part, None], size[0])
        x, y = ((columns + spread[:, 0]).ravel(), (rows + spread[:, 1]).ravel())
        seen = trace(scene, camera, x.astype(np.float32), y.astype(np.float32), size)
        tile = ((edges[part, None] * 7 + np.arange(rays) * 5) % (TILE * TILE)).ravel().astype(np.int32)
        colors = shade(scene, camera, few, seen, light_on(scene, few, seen, tile), pixel)
        result[part] = colors.reshape(-1, rays, 3).mean(axis=1)
    return result
