"""The ground of a whole picture against the same ground ray by ray, and what its parts do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from manikin.pictures.camera import Camera
from manikin.pictures.color import encoded, encoded_quickly
from manikin.pictures.ground import _finer, averaged, paint_ground
from manikin.pictures.light import lights
from manikin.pictures.scene import Scene
from manikin.pictures.shader import GROUND, SOLID, background, light_on, shade, trace
from manikin.pictures.surface import along, bounds, sphere, turned

SIZE = (64, 48)
VIEWS = {
    "above": Camera([3.0, -2.0, 1.6], [0.0, 0.0, 0.3]),
    "straight down": Camera([0.0, 0.0, 5.0], [0.0, 0.0, 0.0]),
    "level": Camera([4.0, 0.0, 0.5], [0.0, 0.0, 0.5]),
    "up": Camera([4.0, 0.0, 0.5], [0.0, 0.0, 5.0]),
    "from below": Camera([4.0, 0.0, -1.0], [0.0, 0.0, 0.5]),
}


def scene(height: float = 0.5) -> Scene:
    ball = sphere(0.4).painted((0.6, 0.4, 0.2))
    placement = np.eye(4)
    placement[2, 3] = height
    return Scene([ball.moved(placement)], ground=0.0, size=1.2)


@pytest.mark.parametrize("view", VIEWS)
def test_the_whole_ground_is_what_rays_see_one_by_one(view):
    # Told that no shadow falls anywhere, so that the light need not be averaged.
    camera, about = VIEWS[view], scene()
    light = replace(lights(about, camera, 2, 3), dim=np.zeros((0, 2, 2), np.float32))
    rows, columns = np.divmod(np.arange(SIZE[0] * SIZE[1]), SIZE[0])
    seen = trace(about, camera, columns + np.float32(0.5), rows + np.float32(0.5), SIZE)
    lit = light_on(about, light, seen, np.zeros(len(rows), np.int32))
    expected = shade(about, camera, light, seen, lit, camera.pixel(SIZE))
    found = np.repeat(
        background(np.arange(SIZE[1], dtype=np.float32) + np.float32(0.5), SIZE[1]), SIZE[0], axis=0
    )
    before = found.copy()
    paint_ground(found, about, camera, light, SIZE, seen.kind != SOLID)
    flat = seen.kind != SOLID
    assert found[flat] == pytest.approx(expected[flat], abs=1e-4)
    assert (found[seen.kind != GROUND] == before[seen.kind != GROUND]).all()
    if view == "above":
        assert (found[seen.kind == GROUND] < before[seen.kind == GROUND] - 1e-3).any()


def test_rays_from_every_other_pixel_give_the_shadow_of_all():
    camera, about = VIEWS["above"], scene()
    light = lights(about, camera, 24, 40)
    size = (480, 360)
    found = []
    for every in (1, 2):
        found.append(np.ones((size[0] * size[1], 3), np.float32))
        paint_ground(found[-1], about, camera, light, size, np.ones(size[0] * size[1], bool), every)
    assert found[0].min() < 0.8
    assert np.abs(found[0] - found[1]).mean() < 2e-3
    assert found[1] == pytest.approx(found[0], abs=0.08)


def test_averages_count_only_what_counts_and_keep_what_has_no_neighbour():
    values = np.array([[[1.0, 50.0, 3.0, 0.0, 0.0, 7.0]]], np.float32)
    counts = np.array([[True, False, True, False, False, False]])
    # 1 and half of 3; 1 and 3; 3 and half of 1; 3; half of 3; nothing within two.
    expected = [2.5 / 1.5, 2.0, 3.5 / 1.5, 3.0, 3.0, 7.0]
    assert averaged(values, counts)[0, 0] == pytest.approx(expected, rel=1e-6)


def test_a_finer_grid_is_linear_between():
    plane = (2.0 * np.arange(5)[:, None] + np.arange(4)).astype(np.float32)[None]
    finer = _finer(plane)
    rows, columns = np.minimum(np.arange(10) / 2, 4.0), np.minimum(np.arange(8) / 2, 3.0)
    assert finer[0] == pytest.approx(2.0 * rows[:, None] + columns)


@pytest.mark.parametrize("count", [1, 63, 64, 65, 1000])
def test_bounds_are_the_least_and_greatest_of_each_axis(count):
    points = np.random.default_rng(count).normal(size=(count, 3))
    low, high = bounds(points)
    assert (low == points.min(axis=0)).all() and (high == points.max(axis=0)).all()


def test_colours_by_the_table_are_those_of_the_formula():
    light = np.random.default_rng(0).uniform(-0.1, 1.1, 10_000).astype(np.float32)
    assert encoded_quickly(light) == pytest.approx(encoded(light), abs=1.1e-4)


@pytest.mark.parametrize("count", [0, 5, 16384, 40000])
def test_points_are_turned_and_measured_along_a_direction_as_by_plain_products(count):
    rng = np.random.default_rng(count)
    points, matrix = rng.normal(size=(count, 3)), rng.normal(size=(3, 3))
    assert turned(points, matrix) == pytest.approx(np.einsum("ni,ij->nj", points, matrix), abs=1e-12)
    assert along(points, matrix[0]) == pytest.approx(np.einsum("ni,i->n", points, matrix[0]), abs=1e-12)
