"""From rays to colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.pictures.camera import Camera
from manikin.pictures.color import FLOOR, SKY
from manikin.pictures.layer import FAR, Hits
from manikin.pictures.light import KEY, Light, dimmed, open_sky, received
from manikin.pictures.scene import Scene
from manikin.pictures.surface import along, unit

NOTHING, GROUND, SOLID = 0, 1, 2
# How strongly a mark shows behind a figure, and a clear one in front.
BEHIND = np.float32(0.6)
CLEAR = np.float32(0.3)
# The ground's grid: how much darker, and how wide a line is as a share of the spacing.
GRID = np.float32(0.11)
LINE = 0.012
#: How far from the middle of the scene, in its sizes, the ground begins to turn into the background, and is done.
FADING, FADED = 0.55, 1.8


@dataclass(eq=False)
class Seen:
    """What n rays meet: kinds, distances, points, normals and colours; parts tell surfaces apart.

    inside: 1, and less towards the sides of a framed picture.
    """

    directions: np.ndarray
    background: np.ndarray
    kind: np.ndarray
    distance: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    colors: np.ndarray
    part: np.ndarray
    inside: np.ndarray
    marks: Hits


def background(y: np.ndarray, height: int) -> np.ndarray:
    """The colour behind everything at a height in the picture, in linear light."""
    down = (y / np.float32(height)).astype(np.float32)[..., None]
    return SKY + _smooth(down * 1.25) * (FLOOR - SKY)


def trace(
    scene: Scene, camera: Camera, x: np.ndarray, y: np.ndarray, size: tuple[int, int], *, ground: bool = True
) -> Seen:
    """What is seen through points of the picture, in pixels; without the ground, if asked."""
    count = len(x)
    directions = camera.rays(x, y, size)
    eye = camera.position.astype(np.float32)
    origins = np.broadcast_to(eye, (count, 3)).copy()
    hits = scene.solid.hits(origins, directions)
    distance = hits.distance
    kind = np.where(hits.triangle >= 0, SOLID, NOTHING).astype(np.int8)
    points = np.zeros((count, 3), np.float32)
    normals = np.zeros((count, 3), np.float32)
    colors = np.zeros((count, 3), np.float32)
    part = np.full(count, -1, np.int32)
    if ground and scene.ground is not None and eye[2] > scene.ground:
        drop = directions[:, 2]
        below = np.where(drop < -1e-5, (np.float32(scene.ground) - eye[2]) / np.minimum(drop, -1e-5), FAR)
        kind[below < distance] = GROUND
        distance = np.minimum(below, distance)
        floor = np.flatnonzero(kind == GROUND)
        points[floor] = eye + directions[floor] * distance[floor, None]
        normals[floor] = (0.0, 0.0, 1.0)
    found = np.flatnonzero(kind == SOLID)
    if len(found):
        points[found], normals[found], colors[found] = scene.solid.at(hits, found, directions)
        part[found] = scene.solid.part[hits.triangle[found]]
    marks = scene.marks.hits(origins, directions)
    inside = framed(scene, x, size)
    behind = background(y, size[1])
    return Seen(directions, behind, kind, distance, points, normals, colors, part, inside, marks)


def framed(scene: Scene, x: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """1, and less towards the sides of a framed picture."""
    if not scene.framed:
        return np.ones(len(x), np.float32)
    return _smooth(np.minimum(x, size[0] - x) / np.float32(0.16 * size[0]))


def _smooth(share: np.ndarray) -> np.ndarray:
    """From 0 to 1 without a kink at either end."""
    share = np.clip(share, 0.0, 1.0).astype(np.float32)
    return share * share * (np.float32(3.0) - np.float32(2.0) * share)


def ground_fade(scene: Scene, points: np.ndarray) -> np.ndarray:
    """1 under the figure, 0 where the ground has turned into the background."""
    away = np.hypot(points[:, 0] - scene.center[0], points[:, 1] - scene.center[1]) / np.float32(scene.size)
    return 1.0 - _smooth((away - FADING) / (FADED - FADING))


def light_on(
    scene: Scene,
    light: Light,
    seen: Seen,
    tile: np.ndarray,
    *,
    ground: bool = True,
    where: np.ndarray | None = None,
) -> np.ndarray:
    """(n, 4) as `received` gives it, for the points where it matters, the ground's if asked; open sky elsewhere.

    where: (n,) bool, which points of figures are asked for; by default all.
    """
    result = np.ones((len(seen.kind), 4), np.float32)
    result[:, 1:] = open_sky()
    if ground:
        floor = np.flatnonzero(seen.kind == GROUND)
        points = seen.points[floor]
        floor = floor[(ground_fade(scene, points) > 0.0) & dimmed(light, points)]
        result[floor] = received(scene, light, seen.points[floor], seen.normals[floor], tile[floor])
    solid = np.flatnonzero(seen.kind == SOLID if where is None else where & (seen.kind == SOLID))
    result[solid] = received(scene, light, seen.points[solid], seen.normals[solid], tile[solid])
    return result


def shade(
    scene: Scene, camera: Camera, light: Light, seen: Seen, lit: np.ndarray, pixel: float
) -> np.ndarray:
    """(n, 3) colours, linear and at most 1."""
    result = seen.background.copy()
    floor = np.flatnonzero(seen.kind == GROUND)
    if len(floor):
        footprint, slant = seen.distance[floor] * np.float32(pixel), -seen.directions[floor, 2]
        result[floor] *= ground_left(
            scene, light, seen.points[floor], lit[floor], footprint, slant, seen.inside[floor]
        )
    paint(scene, camera, light, seen, lit, result)
    return result


def paint(
    scene: Scene, camera: Camera, light: Light, seen: Seen, lit: np.ndarray, result: np.ndarray
) -> None:
    """Put figures and marks over what is there, (n, 3)."""
    found = np.flatnonzero(seen.kind == SOLID)
    if len(found):
        result[found] = _solid(light, seen, lit, found)
    _overlay(scene, camera, light, seen, result)


def ground_left(
    scene: Scene,
    light: Light,
    points: np.ndarray,
    lit: np.ndarray,
    footprint: np.ndarray,
    slant: np.ndarray,
    inside: np.ndarray,
) -> np.ndarray:
    """(n, 3), what is left of the background's colour on the ground: its light over open light, and the grid.

    footprint: how wide a pixel is there, metres; slant: the sine of the angle between the ray and the ground.
    """
    fade = (ground_fade(scene, points) * inside)[:, None]
    lamp = KEY * light.towards[2]
    share = (lit[:, :1] * lamp + lit[:, 1:]) / (lamp + open_sky())
    # A line thinner than a pixel's footprint is drawn as wide as that and as much fainter.
    half = np.float32(LINE * scene.spacing / 2)
    blur = footprint / np.sqrt(np.maximum(slant, np.float32(0.05)))
    faint = np.minimum(np.float32(2.0) * half / blur, np.float32(1.0))
    edge = half / blur + np.float32(0.5)
    nearest = np.full(len(points), np.float32(0.5), np.float32)
    for axis in range(2):
        turned = points[:, axis] / np.float32(scene.spacing)
        nearest = np.minimum(nearest, np.abs(turned - np.round(turned)))
    off = nearest * np.float32(scene.spacing)
    lines = np.clip(edge - off / blur, np.float32(0.0), np.float32(1.0)) * faint
    share *= np.float32(1.0) - GRID * lines[:, None]
    return np.float32(1.0) - fade * (np.float32(1.0) - np.minimum(share, np.float32(1.0)))


def _solid(light: Light, seen: Seen, lit: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Satin: the lamp's and the sky's light scattered, a soft highlight, a little sky on grazing edges."""
    normals, view, color = seen.normals[found], seen.directions[found], seen.colors[found]
    lamp, sky = lit[found, :1], lit[found, 1:]
    facing = np.maximum(along(normals, light.towards), 0.0)[:, None]
    half = unit(light.towards - view)
    gloss = np.maximum(np.einsum("ni,ni->n", normals, half), 0.0)[:, None] ** 42
    grazing = np.clip(1.0 + np.einsum("ni,ni->n", normals, view), 0.0, 1.0)[:, None]
    result = color * (lamp * facing * KEY + sky)
    result += np.float32(0.16) * gloss * lamp * np.minimum(4.0 * facing, 1.0) * KEY
    result += (np.float32(0.25) * grazing**5) * sky
    return _shoulder(result).astype(np.float32)


def _shoulder(light: np.ndarray, knee: float = 0.72) -> np.ndarray:
    """Light above the knee bent smoothly towards 1."""
    over = np.maximum(light - knee, 0.0) / (1.0 - knee)
    return np.where(light > knee, knee + (1.0 - knee) * np.tanh(over), light)


def _overlay(scene: Scene, camera: Camera, light: Light, seen: Seen, result: np.ndarray) -> None:
    """Marks over what is there: whole in front of figures, faint behind them."""
    found = np.flatnonzero(seen.marks.triangle >= 0)
    if len(found):
        _, normals, colors = scene.marks.at(seen.marks, found, seen.directions)
        bright = 0.7 + 0.3 * (along(normals, light.towards))[:, None]
        hidden = seen.marks.distance[found] > seen.distance[found]
        strength = np.where(hidden & (seen.kind[found] == SOLID), BEHIND, 1.0)[:, None]
        paint = _shoulder(colors * bright * 1.25)
        result[found] += strength * (paint - result[found])
    if len(scene.clear):
        origins = np.broadcast_to(camera.position.astype(np.float32), seen.directions.shape).copy()
        hits = scene.clear.hits(origins, seen.directions)
        nearest = np.where(
            seen.marks.triangle >= 0, np.minimum(seen.marks.distance, seen.distance), seen.distance
        )
        found = np.flatnonzero((hits.triangle >= 0) & (hits.distance < nearest))
        result[found] += CLEAR * (scene.clear.colors[hits.triangle[found]] - result[found])
