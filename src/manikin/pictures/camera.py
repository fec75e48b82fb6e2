"""The camera: where it stands, what it sees, and how it finds a place from which nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, isfinite, radians, sin, tan
from typing import Any

import numpy as np

from manikin.errors import PoseError
from manikin.pictures.surface import bounds, turned, unit

#: Azimuth from the front (x) towards the left (y), and elevation, in degrees.
VIEWS: dict[str, tuple[float, float]] = {
    "front": (0.0, 6.0),
    "side": (-90.0, 6.0),
    "back": (180.0, 6.0),
    "top": (0.0, 90.0),
    "three-quarter": (-35.0, 14.0),
}
FOV = 28.0


@dataclass(frozen=True)
class Camera:
    """An eye at `position` that looks at `target`, both in metres; `fov` is the height of its view in degrees."""

    position: Any
    target: Any
    fov: float = FOV

    def __post_init__(self) -> None:
        for name in ("position", "target"):
            try:
                value = np.array(getattr(self, name), dtype=float)
            except (TypeError, ValueError):
                value = np.zeros(0)
            if value.shape != (3,) or not np.isfinite(value).all():
                raise PoseError(f"camera: {name} must be three finite numbers, got {getattr(self, name)!r}")
            object.__setattr__(self, name, value)
        if not isfinite(self.fov) or not 1.0 <= self.fov <= 120.0:
            raise PoseError(f"camera: fov must lie between 1 and 120 degrees, got {self.fov!r}")
        if np.linalg.norm(self.target - self.position) < 1e-9:
            raise PoseError("camera: it stands at the point that it looks at")

    def axes(self) -> np.ndarray:
        """Rows: right, up and forward in the world."""
        forward = unit(self.target - self.position)
        side = np.cross(forward, [0.0, 0.0, 1.0])
        if np.linalg.norm(side) < 1e-6:  # straight down or up: the figure's front is at the top
            side = np.cross(forward, [1.0, 0.0, 0.0])
        right = unit(side)
        return np.stack([right, np.cross(right, forward), forward])

    def rays(self, x: np.ndarray, y: np.ndarray, size: tuple[int, int]) -> np.ndarray:
        """Unit directions, float32, through points of the picture in pixels from its upper left corner."""
        right, up, forward = self.axes().astype(np.float32)
        pixel = np.float32(self.pixel(size))
        across = ((x - size[0] / 2) * pixel).astype(np.float32)
        down = ((y - size[1] / 2) * pixel).astype(np.float32)
        length = np.float32(1.0) / np.sqrt(np.float32(1.0) + across * across + down * down)
        across *= length
        down *= length
        result = np.empty((len(across), 3), np.float32)
        for k in range(3):
            result[:, k] = length * forward[k] + across * right[k] - down * up[k]
        return result

    def window(self, points: np.ndarray, size: tuple[int, int]) -> tuple[slice, slice]:
        """The rows and columns of the picture that hold all the points, (p, 3)."""
        if not len(points):
            return slice(0, 0), slice(0, 0)
        local = turned(points - self.position.astype(np.float32), self.axes().T.astype(np.float32))
        if bounds(local)[0][2] < 1e-3:  # some are behind: look everywhere
            return slice(0, size[1]), slice(0, size[0])
        flat = local[:, :2] / (local[:, 2:] * np.float32(self.pixel(size)))
        low, high = bounds(flat)
        left, right = low[0] + size[0] / 2, high[0] + size[0] / 2
        top, bottom = size[1] / 2 - high[1], size[1] / 2 - low[1]
        rows = slice(max(0, int(top) - 2), max(0, min(size[1], int(bottom) + 3)))
        return rows, slice(max(0, int(left) - 2), max(0, min(size[0], int(right) + 3)))

    def pixel(self, size: tuple[int, int]) -> float:
        """The size of a pixel at a distance of one metre."""
        return 2.0 * tan(radians(self.fov) / 2) / size[1]


@dataclass(frozen=True)
class Frame:
    """The part of the picture that the figure may fill, as shares of its sides left free."""

    left: float = 0.06
    right: float = 0.06
    top: float = 0.06
    bottom: float = 0.06


def view_direction(view: Any) -> np.ndarray:
    """The unit vector from the figure towards the camera, of a view's name or (azimuth, elevation) in degrees."""
    if isinstance(view, str):
        if view not in VIEWS:
            raise PoseError(f"view: unknown {view!r}; expected one of: {', '.join(VIEWS)}")
        view = VIEWS[view]
    try:
        azimuth, elevation = (radians(float(angle)) for angle in view)
    except (TypeError, ValueError):
        raise PoseError(
            f"view: expected one of {', '.join(VIEWS)} or two angles in degrees, got {view!r}"
        ) from None
    return np.array(
        [cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation)],
    )


def fitted(
    clouds: Iterable[np.ndarray],
    view: Any,
    size: tuple[int, int],
    frame: Frame,
    fov: float = FOV,
) -> Camera:
    """The camera as near as it can be along a view with all points, (p, 3) each, inside the frame.

    A point (r, u, f) along right, up and forward is inside from c when r − c_r ≤ t (f − c_f) on the right side, and so
    on the others: linear in c, so that the extremes of r ∓ t f say at once how near the camera may come.
    """
    towards = view_direction(view)
    looking = Camera(towards, np.zeros(3), fov)
    axes = looking.axes()
    half = tan(radians(fov) / 2)
    wide = half * size[0] / size[1]
    slopes = np.array(
        [
            [wide * (1 - 2 * frame.left), wide * (1 - 2 * frame.right)],
            [half * (1 - 2 * frame.bottom), half * (1 - 2 * frame.top)],
        ]
    )
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    nearest = np.inf
    for points in clouds:
        if not len(points):
            continue
        local = turned(points.reshape(-1, 3), axes.T.astype(points.dtype))
        depth = np.ascontiguousarray(local[:, 2])
        for k in range(2):
            low[k] = min(low[k], float((local[:, k] + slopes[k, 0] * depth).min()))
            high[k] = max(high[k], float((local[:, k] - slopes[k, 1] * depth).max()))
        nearest = min(nearest, float(depth.min()))
    if not np.isfinite(nearest):
        raise PoseError("picture: there is nothing to see")
    forward = float(((low - high) / slopes.sum(axis=1)).min())
    forward = min(forward, nearest - 0.01)
    centers = (low - slopes[:, 0] * forward + high + slopes[:, 1] * forward) / 2
    position = np.array([*centers, forward]) @ axes
    return Camera(position, position - towards, fov)
