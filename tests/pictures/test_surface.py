from __future__ import annotations

from math import pi

import numpy as np
import pytest

from manikin.errors import FigureError
from manikin.pictures import surface
from manikin.pictures.surface import Surface


def volume(shape: Surface) -> float:
    """By the divergence theorem; right only if the surface is closed and its triangles face outwards."""
    a, b, c = (shape.corners[:, k].astype(float) for k in range(3))
    return float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6)


def cone_volume(a: float, b: float, height: float) -> float:
    return pi * height * (a * a + a * b + b * b) / 3


CASES = {
    "box": ((0.2, 0.3, 0.4), 0.2 * 0.3 * 0.4),
    "sphere": ((0.3,), 4 / 3 * pi * 0.3**3),
    "cylinder": ((0.2, 0.5), pi * 0.2**2 * 0.5),
    "capsule": ((0.2, 0.5), pi * 0.2**2 * 0.5 + 4 / 3 * pi * 0.2**3),
    "tapered_capsule": ((0.2, 0.2, 0.5), pi * 0.2**2 * 0.5 + 4 / 3 * pi * 0.2**3),
    "ellipsoid": ((0.1, 0.2, 0.3), 4 / 3 * pi * 0.1 * 0.2 * 0.3),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_shape_is_closed_and_has_its_volume(kind):
    size, expected = CASES[kind]
    assert volume(surface.simple(kind, size)) == pytest.approx(expected, rel=0.015)


@pytest.mark.parametrize("kind", CASES)
def test_normals_are_unit_and_on_the_outside_of_their_triangles(kind):
    shape = surface.simple(kind, CASES[kind][0])
    assert np.linalg.norm(shape.normals, axis=-1) == pytest.approx(1.0, abs=1e-5)
    sides = shape.corners[:, 1:] - shape.corners[:, :1]
    flat = surface.unit(np.cross(sides[:, 0], sides[:, 1]))
    assert np.einsum("ni,nci->nc", flat, shape.normals).min() > 0.5


def test_a_taper_touches_both_its_balls_and_is_the_hull_between():
    shape = surface.tapered_capsule(0.2, 0.1, 0.5)
    points = shape.corners.reshape(-1, 3).astype(float)
    radius = np.hypot(points[:, 0], points[:, 1])
    t = np.linspace(0.0, 1.0, 2001)
    centers, radii = 0.5 * t, 0.2 - 0.1 * t
    outside = (np.hypot(radius[:, None], points[:, 2:] - centers) - radii).min(axis=1)
    assert np.abs(outside).max() < 1e-6
    assert points[:, 2].min() == pytest.approx(-0.2)
    assert points[:, 2].max() == pytest.approx(0.6)


def test_a_taper_within_one_of_its_balls_is_that_ball():
    assert volume(surface.tapered_capsule(0.3, 0.1, 0.1)) == pytest.approx(4 / 3 * pi * 0.3**3, rel=0.015)
    shape = surface.tapered_capsule(0.1, 0.3, 0.1)
    assert shape.corners[..., 2].max() == pytest.approx(0.4)


def test_a_mirroring_scale_keeps_the_outside_outside():
    shape = surface.sphere(1.0).stretched((-1.0, 2.0, 1.0))
    assert volume(shape) == pytest.approx(8 / 3 * pi, rel=0.015)
    out = np.einsum("nci,nci->nc", shape.corners, shape.normals)
    assert out.min() > 0.0


def test_between_runs_from_point_to_point():
    shape = surface.between(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 3.0]), 0.1, 0.1)
    assert shape.corners[..., 1].min() == pytest.approx(1.9, abs=1e-6)
    assert shape.corners[..., 1].max() == pytest.approx(3.1, abs=1e-6)


def test_an_unknown_kind_is_named():
    with pytest.raises(FigureError, match="'torus'"):
        surface.simple("torus", (1.0,))
