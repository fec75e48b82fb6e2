"""Shapes as capsules: they enclose what they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Figure, Segment, Shape, transforms
from manikin.figure.shapes import balls_and_eggs, capsules_of, fitted_capsule, round_cone_distance

PLACE = transforms.translation([0.1, -0.2, 0.3])
PLACE[:3, :3] = transforms.exp([0.4, 0.5, -0.6])


def figure(*shapes):
    return Figure("one", [Segment("a", shapes=tuple(shapes))], [])


def surface(shape, count=4000):
    """Points on a shape, in its segment's frame."""
    rng = np.random.default_rng(0)
    u = rng.normal(size=(count, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    size = shape.size
    if shape.kind == "box":
        x = rng.uniform(-0.5, 0.5, (count, 3)) * size
    elif shape.kind in ("sphere", "ellipsoid"):
        x = u * size
    elif shape.kind == "cylinder":
        x = np.column_stack([u[:, :2] * size[0], rng.uniform(-0.5, 0.5, count) * size[1]])
    elif shape.kind == "capsule":
        x = u * size[0] + np.outer(rng.uniform(-0.5, 0.5, count) * size[1], [0, 0, 1])
    else:
        t = rng.uniform(0, 1, count)
        x = u * (size[0] + t * (size[1] - size[0]))[:, None] + np.outer(t * size[2], [0, 0, 1])
    return x @ shape.placement[:3, :3].T + shape.placement[:3, 3]


SHAPES = [
    Shape("box", (0.4, 0.3, 0.1), PLACE),
    Shape("box", (0.2, 0.2, 0.2), PLACE),
    Shape("box", (0.4, 0.0, 0.2), PLACE),
    Shape("sphere", 0.2, PLACE),
    Shape("cylinder", (0.1, 0.5), PLACE),
    Shape("capsule", (0.1, 0.5), PLACE),
    Shape("tapered_capsule", (0.1, 0.05, 0.4), PLACE),
    Shape("tapered_capsule", (0.3, 0.05, 0.1), PLACE),
    Shape("ellipsoid", (0.3, 0.2, 0.05), PLACE),
    Shape("ellipsoid", (0.05, 0.1, 0.1), PLACE),
    Shape("ellipsoid", (0.1, 0.1, 0.0), PLACE),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: f"{s.kind} {s.size.tolist()}")
def test_capsules_enclose_the_shape_and_not_much_more(shape):
    capsules = capsules_of(figure(shape), "a", "test")
    points = surface(shape)
    depth = np.min([[round_cone_distance(c, x) for x in points] for c in capsules], axis=0)
    assert depth.max() < 1e-9
    widest = np.sort(np.ptp(points, axis=0)).max()
    assert np.max(capsules[:, 6:]) <= 0.75 * widest


def test_capsules_inside_others_are_left_out():
    inner = Shape("sphere", 0.05, [0, 0, 0.1])
    outer = Shape("tapered_capsule", (0.1, 0.08, 0.4))
    assert len(capsules_of(figure(inner, outer), "a", "test")) == 1
    assert len(capsules_of(figure(outer, outer), "a", "test")) == 1


def test_what_touches_a_plane_are_corners_ends_and_eggs():
    balls, eggs = balls_and_eggs(figure(SHAPES[0], SHAPES[6], SHAPES[8]), "a", "test")
    assert len(balls) == 8 + 2 and len(eggs) == 1


def test_a_capsule_is_fitted_around_points():
    rng = np.random.default_rng(1)
    for scale in ([1, 0.2, 0.1], [1, 1, 1], [1, 0, 0], [0, 0, 0]):
        points = rng.normal(size=(200, 3)) * scale @ transforms.exp([1, 2, 3]).T
        (capsule,) = fitted_capsule(points)
        assert max(round_cone_distance(capsule, x) for x in points) < 1e-9


def test_a_mesh_is_fitted_or_refused_with_its_name(tmp_path):
    path = tmp_path / "tetra.stl"
    path.write_text(
        "solid t\n"
        + "".join(
            "facet normal 0 0 1\nouter loop\n"
            + "".join(f"vertex {x} {y} {z}\n" for x, y, z in face)
            + "endloop\nendfacet\n"
            for face in (((0, 0, 0), (1, 0, 0), (0, 0.2, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 0.3)))
        )
        + "endsolid t\n"
    )
    (capsule,) = capsules_of(figure(Shape("mesh", mesh=str(path), scale=(2, 1, 1))), "a", "test")
    for corner in ((0, 0, 0), (2, 0, 0), (0, 0.2, 0), (0, 0, 0.3)):
        assert round_cone_distance(capsule, np.array(corner, dtype=float)) < 1e-9
    with pytest.raises(
        mk.GoalError, match=r"test: segment 'a': its shape is the mesh 'nowhere.stl', which cannot"
    ):
        capsules_of(figure(Shape("mesh", mesh="nowhere.stl")), "a", "test")
