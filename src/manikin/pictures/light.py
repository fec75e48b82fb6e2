"""The light: a broad lamp over the viewer's shoulder, and a sky; both by rays, the same for the same picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from manikin.pictures.camera import Camera
from manikin.pictures.color import parse
from manikin.pictures.scene import Scene
from manikin.pictures.surface import along, bounds, unit

# Pixels in squares of TILE × TILE share one set of rays among them, so that the mean over a square is smooth.
TILE = 4
CHUNK = 1 << 15

KEY = np.float32(0.95) * np.array([1.0, 0.965, 0.915], np.float32)
ZENITH = np.float32(0.58) * parse("#e6effb")
HORIZON = np.float32(0.54) * parse("#f7f5f1")
BOUNCE = np.float32(0.38) * parse("#f1e6d6")
# How far rays to the sky look for what hides it, as a share of the scene's size.
REACH = 0.5
# How broad the lamp is: its radius at a distance of one.
BREADTH = 0.11
# Light from the figure itself where it hides the sky, as a share of the horizon's.
INNER = np.float32(0.16)


@dataclass(frozen=True, eq=False)
class Light:
    """Rays to the lamp and the sky.

    towards: unit vector to the lamp.
    lamp: (k, 16, 3) directions to points of the lamp, for each pixel of a square.
    sky: (k, 16, 3) points of the unit sphere; added to a normal they point where the cosine law wants them.
    dim: (r, 2, 2) rectangles of the ground, outside of which nothing is in the way of any ray.
    """

    towards: np.ndarray
    lamp: np.ndarray
    sky: np.ndarray
    dim: np.ndarray

    def fewer(self) -> Light:
        """Every other ray."""
        return replace(self, lamp=self.lamp[::2], sky=self.sky[::2])


def lights(scene: Scene, camera: Camera, lamp_rays: int, sky_rays: int) -> Light:
    """The lamp above and to the left of the camera, and the sky, by so many rays a point."""
    right, _, forward = camera.axes()
    level = np.array([forward[0], forward[1], 0.0])
    back = -unit(level) if np.linalg.norm(level) > 1e-3 else np.array([1.0, 0.0, 0.0])
    towards = unit(0.62 * back - 0.52 * right + np.array([0.0, 0.0, 1.05]))
    first = unit(np.cross(towards, [0.0, 0.0, 1.0]))
    second = np.cross(towards, first)
    points = _spread(lamp_rays)
    radius, angle = BREADTH * np.sqrt(points[..., 0]), 2.0 * np.pi * points[..., 1]
    lamp = unit(
        towards + (radius * np.cos(angle))[..., None] * first + (radius * np.sin(angle))[..., None] * second
    )
    points = _spread(sky_rays)
    height, angle = 1.0 - 2.0 * points[..., 0], 2.0 * np.pi * points[..., 1]
    ring = np.sqrt(1.0 - height * height)
    sky = 0.999 * np.stack([ring * np.cos(angle), ring * np.sin(angle), height], axis=-1)
    return Light(
        towards.astype(np.float32), lamp.astype(np.float32), sky.astype(np.float32), _dim(scene, towards)
    )


def _spread(rays: int) -> np.ndarray:
    """(rays, 16, 2) points of the unit square, evenly spread over all and over each pixel's own (the R₂ sequence)."""
    golden = 1.32471795724474602596
    index = np.arange(rays * TILE * TILE)[:, None]
    points = (0.5 + index * np.array([1.0 / golden, 1.0 / golden**2])) % 1.0
    # Pixel j of a square takes every sixteenth point; neighbours take points far apart in the sequence.
    order = np.array([0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5])
    return points.reshape(rays, TILE * TILE, 2)[:, order]


def received(
    scene: Scene, light: Light, points: np.ndarray, normals: np.ndarray, tile: np.ndarray
) -> np.ndarray:
    """(n, 4): the share of the lamp that each point sees, and the sky's light on it in RGB."""
    result = np.empty((len(points), 4), np.float32)
    for start in range(0, len(points), CHUNK):
        part = slice(start, start + CHUNK)
        result[part] = _received(scene, light, points[part], normals[part], tile[part])
    return result


def _received(
    scene: Scene, light: Light, points: np.ndarray, normals: np.ndarray, tile: np.ndarray
) -> np.ndarray:
    level = bool((normals[:, 2] == 1.0).all())
    result = np.zeros((len(points), 4), np.float32)
    origins = points + scene.lift * normals
    facing = np.flatnonzero(along(normals, light.towards) > 0.0)
    if level:  # the ground, of which it is known where shadows may fall
        result[:, 0], facing = 1.0, np.flatnonzero(_within(light.dim[0], points))
    if len(facing):
        starts, places = origins[facing], tile[facing]
        seen = np.zeros(len(facing), np.float32)
        for rays in light.lamp:
            seen += ~scene.solid.blocked(starts, rays[places], 20.0 * scene.size)
        result[facing, 0] = seen / len(light.lamp)
    if not level:
        result[:, 1:] = _sky(scene, light, origins, normals, tile)
        return result
    result[:, 1:] = open_sky()
    under = np.flatnonzero(_within(light.dim[1], points))
    result[under, 1:] = _sky(scene, light, origins[under], None, tile[under])
    return result


def _sky(
    scene: Scene, light: Light, origins: np.ndarray, normals: np.ndarray | None, tile: np.ndarray
) -> np.ndarray:
    """(n, 3), the sky's light in RGB; without normals they are all straight up."""
    # Sums over the rays: of what passes, and of that times the shares of the zenith and of the ground.
    passed, zenith, ground = np.zeros((3, len(origins)), np.float32)
    for rays in light.sky:
        if normals is None:  # only sixteen directions, then
            directions = unit(np.array([0.0, 0.0, 1.0], np.float32) + rays)
            high, low = (share[tile] for share in _shares(directions))
            directions = directions[tile]
        else:
            directions = unit(normals + rays[tile])
            high, low = _shares(directions)
        share = np.where(scene.solid.blocked(origins, directions, REACH * scene.size), INNER, np.float32(1.0))
        passed += share
        zenith += share * high
        ground += share * low
    count = np.float32(len(light.sky))
    below = BOUNCE if scene.ground is not None else np.float32(0.8) * HORIZON
    sums = (
        passed[:, None] * HORIZON + zenith[:, None] * (ZENITH - HORIZON) + ground[:, None] * (below - HORIZON)
    )
    return sums / count


def _within(rectangle: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Which points lie over a rectangle of the ground, [low, high]."""
    (x0, y0), (x1, y1) = rectangle
    x, y = points[:, 0], points[:, 1]
    return (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)


def _shares(directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How much of the zenith's light comes from a direction, and how much of the ground's; the rest is horizon."""
    up = directions[:, 2]
    return np.maximum(up, np.float32(0.0)), np.clip(np.float32(-8.0) * up, np.float32(0.0), np.float32(1.0))


def open_sky() -> np.ndarray:
    """The light of the whole sky on level ground: the mean of the directions' under the cosine law, where up is ⅔."""
    return HORIZON + np.float32(2.0 / 3.0) * (ZENITH - HORIZON)


def dimmed(light: Light, points: np.ndarray) -> np.ndarray:
    """Which points of the ground may have something between them and the lamp or the sky."""
    result = np.zeros(len(points), dtype=bool)
    for rectangle in light.dim:
        result |= _within(rectangle, points)
    return result


def _dim(scene: Scene, towards: np.ndarray) -> np.ndarray:
    """(2, 2, 2): the rectangles, low and high corner, that hold the shadow and what is near enough to the figure."""
    corners = scene.solid.corners.reshape(-1, 3)
    if not len(corners):
        return np.zeros((0, 2, 2), np.float32)
    height = np.maximum(corners[:, 2:] - np.float32(scene.ground or 0.0), 0.0)
    slope = (towards[:2] / towards[2]).astype(np.float32)
    # The lamp's edge is flatter than its middle by its breadth over the square of the sine of its height.
    spread = np.float32(1.2 * BREADTH / towards[2] ** 2)
    flat, reach = corners[:, :2], np.float32(REACH * scene.size)
    shadow = bounds(flat - height * (slope + spread))[0], bounds(flat - height * (slope - spread))[1]
    low, high = bounds(flat)
    return np.array([shadow, (low - reach, high + reach)], np.float32)
