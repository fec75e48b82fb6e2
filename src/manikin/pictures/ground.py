"""The ground as a whole picture sees it: every pixel of it at once, row by row.

All pixels of a row look down alike, so that the ground under pixel (r, c) is a + b c with a and b of the row alone; no
ray is asked for where the ground is, only for what stands in its light.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.pictures.camera import Camera
from manikin.pictures.light import CHUNK, TILE, Light, dimmed, open_sky, received
from manikin.pictures.scene import Scene
from manikin.pictures.shader import FADED, framed, ground_left

#: Neighbours that light is averaged over, and what each counts: every place of a square of four once.
TAPS = ((1, np.float32(1.0)), (2, np.float32(0.5)))


@dataclass(frozen=True, eq=False)
class _Below:
    """The ground that pixels see: which, flat; its points, how far they are, how steeply they are looked at."""

    pixels: np.ndarray
    points: np.ndarray
    distance: np.ndarray
    slant: np.ndarray


def paint_ground(
    picture: np.ndarray,
    scene: Scene,
    camera: Camera,
    light: Light,
    size: tuple[int, int],
    free: np.ndarray,
    every: int = 1,
) -> None:
    """Darken the background, (pixels, 3), by the ground's shadows and its grid, wherever no figure stands before it.

    free: (pixels,) bool, where nothing solid is seen. every: 1, or 2 to send rays from every other pixel of every other
    row alone.
    """
    below = _seen(scene, camera, size, free)
    if below is None or not len(below.pixels):
        return
    lit = _light(scene, light, below, size, free, every)
    footprint = below.distance * np.float32(camera.pixel(size))
    for start in range(0, len(lit), CHUNK):
        part = slice(start, start + CHUNK)
        pixels = below.pixels[part]
        inside = framed(scene, (pixels % size[0]).astype(np.float32) + np.float32(0.5), size)
        picture[pixels] *= ground_left(
            scene, light, below.points[part], lit[part], footprint[part], below.slant[part], inside
        )


def _seen(scene: Scene, camera: Camera, size: tuple[int, int], free: np.ndarray) -> _Below | None:
    """The pixels whose ground has not yet turned into the background; None where there is no ground to see."""
    eye = camera.position.astype(np.float32)
    if scene.ground is None or eye[2] <= scene.ground:
        return None
    right, up, forward = camera.axes().astype(np.float32)
    pixel = np.float32(camera.pixel(size))
    across = (np.arange(size[0], dtype=np.float32) + np.float32(0.5 - size[0] / 2)) * pixel
    down = (np.arange(size[1], dtype=np.float32) + np.float32(0.5 - size[1] / 2)) * pixel
    drop = forward[2] - down * up[2]  # the same along a row: the camera is never rolled
    first = int(np.searchsorted(-drop, 1e-5)) if up[2] > 0.0 else 0
    if first >= size[1] or not (drop[first:] < -1e-5).all():
        return None
    down, drop = down[first:, None], drop[first:, None]
    depth = (np.float32(scene.ground) - eye[2]) / drop
    x = eye[0] + depth * (forward[0] - down * up[0]) + (depth * right[0]) * across
    y = eye[1] + depth * (forward[1] - down * up[1]) + (depth * right[1]) * across
    far = np.float32(FADED * scene.size)
    near = (x - scene.center[0]) ** 2 + (y - scene.center[1]) ** 2 < far * far
    near &= free.reshape(size[1], size[0])[first:]
    pixels = np.flatnonzero(near)
    points = np.full((len(pixels), 3), np.float32(scene.ground), np.float32)
    points[:, 0], points[:, 1] = x.ravel()[pixels], y.ravel()[pixels]
    rows, columns = np.divmod(pixels, size[0])
    length = np.sqrt(np.float32(1.0) + across[columns] ** 2 + down[rows, 0] ** 2)
    return _Below(pixels + first * size[0], points, depth[rows, 0] * length, -drop[rows, 0] / length)


def _light(
    scene: Scene, light: Light, below: _Below, size: tuple[int, int], free: np.ndarray, every: int
) -> np.ndarray:
    """(n, 4) as `received` gives it, by rays where anything may be in the way, averaged over the ground's pixels."""
    result = np.ones((len(below.pixels), 4), np.float32)
    result[:, 1:] = open_sky()
    which = np.flatnonzero(dimmed(light, below.points))
    if not len(which):
        return result
    rows, columns = np.divmod(below.pixels[which], size[0])
    # A grid of every so many pixels over the rectangle of the picture that holds them, and two more to each side.
    top, left = max(0, int(rows.min()) // every - 2), max(0, int(columns.min()) // every - 2)
    grounds = free.reshape(size[1], size[0])[top * every :: every, left * every :: every]
    counts = grounds[: int(rows.max()) // every - top + 3, : int(columns.max()) // every - left + 3]
    grid = np.empty((4, *counts.shape), np.float32)
    grid[...] = np.array([1.0, *open_sky()], np.float32)[:, None, None]
    on = np.flatnonzero((rows % every == 0) & (columns % every == 0))
    down, across = rows[on] // every, columns[on] // every
    tile = ((down % TILE) * TILE + across % TILE).astype(np.int32)
    up = np.broadcast_to(np.array([0.0, 0.0, 1.0], np.float32), (len(on), 3))
    grid[:, down - top, across - left] = received(scene, light, below.points[which[on]], up, tile).T
    grid = averaged(grid, counts)
    if every > 1:
        grid = _finer(grid)
    result[which] = grid[:, rows - top * every, columns - left * every].T
    return result


def _finer(grid: np.ndarray) -> np.ndarray:
    """(k, 2r, 2c) of (k, r, c): the means of neighbours put between them; the last ones twice."""
    count, rows, columns = grid.shape
    wide = np.empty((count, rows, columns, 2), np.float32)
    wide[..., 0], wide[:, :, -1, 1] = grid, grid[:, :, -1]
    wide[:, :, :-1, 1] = np.float32(0.5) * (grid[:, :, :-1] + grid[:, :, 1:])
    lines = wide.reshape(count, rows, 2 * columns)
    tall = np.empty((count, rows, 2, 2 * columns), np.float32)
    tall[:, :, 0], tall[:, -1, 1] = lines, lines[:, -1]
    tall[:, :-1, 1] = np.float32(0.5) * (lines[:, :-1] + lines[:, 1:])
    return tall.reshape(count, 2 * rows, 2 * columns)


def averaged(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(k, rows, columns) averaged over five pixels, the outer two by half, across and then down, of those that count.

    counts: (rows, columns) bool. A pixel with none that counts within two of it keeps its value.
    """
    for axis in (2, 1):
        mask = counts.astype(np.float32)
        weighed = values * mask
        total, weight = weighed.copy(), mask.copy()
        for step, share in TAPS:
            low, high = _beside(axis, step)
            total[low] += share * weighed[high]
            total[high] += share * weighed[low]
            weight[low[1:]] += share * mask[high[1:]]
            weight[high[1:]] += share * mask[low[1:]]
        counts = weight > 0.0
        values = np.where(counts, total / np.maximum(weight, np.float32(0.5)), values)
    return values


def _beside(axis: int, step: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Slices of three axes: all but the last `step` along one, and all but the first."""
    low, high = [slice(None)] * 3, [slice(None)] * 3
    low[axis], high[axis] = slice(None, -step), slice(step, None)
    return tuple(low), tuple(high)
