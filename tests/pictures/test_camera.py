from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import PoseError
from manikin.pictures import VIEWS, Camera
from manikin.pictures.camera import Frame, fitted


def projected(camera: Camera, points: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """From 0 to 1 across and down, computed apart from the camera's own rays."""
    forward = (camera.target - camera.position) / np.linalg.norm(camera.target - camera.position)
    up = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    local = points - camera.position
    half = np.tan(np.radians(camera.fov) / 2)
    depth = local @ forward
    across = local @ right / depth / (half * size[0] / size[1])
    return np.stack([(1 + across) / 2, (1 - local @ up / depth / half) / 2], axis=-1)


@pytest.mark.parametrize("size", [(400, 400), (800, 300), (200, 500)])
@pytest.mark.parametrize("view", [*VIEWS, (40.0, 30.0)])
def test_a_fitted_camera_holds_all_points_and_comes_as_near_as_it_can(view, size):
    points = np.random.default_rng(3).normal(size=(500, 3)) * [0.3, 0.5, 1.0] + [4.0, -2.0, 1.0]
    frame = Frame(0.05, 0.1, 0.15, 0.2)
    places = projected(fitted([points[:200], points[200:]], view, size, frame), points, size)
    gaps = np.array([*places.min(axis=0), *(1 - places.max(axis=0))])
    wanted = np.array([frame.left, frame.top, frame.right, frame.bottom])
    assert (gaps >= wanted - 1e-6).all()
    tight = np.abs(gaps - wanted) < 1e-6
    assert (tight[0] and tight[2]) or (tight[1] and tight[3])


def test_rays_go_where_points_are_projected():
    camera = Camera([3.0, 1.0, 2.0], [0.0, 0.0, 1.0], 35.0)
    points = np.array([[0.1, 0.2, 1.3], [-0.5, 0.4, 0.7]])
    places = projected(camera, points, (300, 200)) * [300, 200]
    rays = camera.rays(places[:, 0], places[:, 1], (300, 200))
    towards = points - camera.position
    assert np.cross(rays, towards / np.linalg.norm(towards, axis=1)[:, None]) == pytest.approx(0.0, abs=1e-6)


def test_the_side_view_has_the_front_on_the_right():
    camera = fitted([np.array([[0.1, 0.0, 0.0]])], "side", (100, 100), Frame())
    assert camera.axes()[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("view", ["below", (1.0,), None, ("a", "b")])
def test_an_unknown_view_is_an_error(view):
    with pytest.raises(PoseError, match="view"):
        fitted([np.zeros((1, 3))], view, (100, 100), Frame())


@pytest.mark.parametrize(
    "arguments",
    [([0, 0], [1, 0, 0]), ([0, 0, np.nan], [1, 0, 0]), ([1, 0, 0], [1, 0, 0]), ([0, 0, 0], [1, 0, 0], 200.0)],
)
def test_a_camera_that_makes_no_sense_is_an_error(arguments):
    with pytest.raises(PoseError, match="camera"):
        Camera(*arguments)
