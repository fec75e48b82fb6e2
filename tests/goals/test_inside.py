"""Segments, whole, inside regions: against points sampled on their shapes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.errors import GoalError
from manikin.figure.shapes import capsules_of

TURN = Rotation.from_euler("xyz", [0.3, 0.4, 0.5])
REGIONS = {
    "box": mk.Box(center=[0.35, 0.1, 0.2], size=[0.5, 0.4, 0.45], rotation=TURN),
    "ball": mk.Ball([0.3, -0.1, 0.25], 0.3),
    "half-space": mk.HalfSpace([0.0, 0.0, 0.1], [0.2, 0.1, 1.0]),
    "capsule": mk.Capsule([0.2, -0.2, 0.2], [0.4, 0.3, 0.3], 0.22),
    "both": mk.Ball([0.3, 0.0, 0.25], 0.4) & mk.HalfSpace([0.0, 0.0, 0.3], [0.0, 0.3, 1.0]),
    "either": mk.Ball([5.0, 0.0, 0.2], 0.3) | mk.Ball([0.2, 0.1, 0.3], 0.3),
}
SHAPES = {
    "capsule": mk.Shape("capsule", (0.04, 0.2), (0.05, 0.02, 0.1)),
    "tapered": mk.Shape("tapered_capsule", (0.06, 0.03, 0.2), (0.0, 0.02, 0.05)),
    "sphere": mk.Shape("sphere", (0.08,), (0.03, 0.0, 0.1)),
    "box": mk.Shape("box", (0.06, 0.1, 0.2), (0.0, 0.0, 0.1)),
    "ellipsoid": mk.Shape("ellipsoid", (0.05, 0.07, 0.12), (0.02, 0.0, 0.1)),
}


def figure(*shapes: mk.Shape) -> mk.Figure:
    """One segment with these shapes on six free coordinates, and a second one without any."""
    root = mk.Joint("root", "base", "body", "free")
    hinge = mk.Joint("hinge", "body", "tip", "R(x)", placement=(0.0, 0.0, 0.2))
    return mk.Figure(
        "figure",
        ["base", mk.Segment("body", shapes=shapes), "tip"],
        [root, hinge],
        [mk.Site("nose", "body", (0.1, 0, 0))],
    )


def surface(shape: mk.Shape, count: int = 400) -> np.ndarray:
    """Points of a shape, many of them on its surface, in the frame of its segment."""
    rng = np.random.default_rng(1)
    u = rng.normal(size=(count, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    size = shape.size
    if shape.kind == "sphere":
        points = size[0] * u
    elif shape.kind == "ellipsoid":
        points = np.asarray(size) * u
    elif shape.kind == "box":
        points = (
            0.5
            * np.asarray(size)
            * rng.choice([-1.0, 1.0], size=(count, 3))
            * rng.uniform(0.5, 1.0, (count, 3)).round()
        )
    else:
        t = rng.uniform(0.0, 1.0, count).round(1)[:, None]
        low, high = (0.0, size[2]) if shape.kind == "tapered_capsule" else (-0.5 * size[1], 0.5 * size[1])
        radii = (1 - t) * size[0] + t * (size[1] if shape.kind == "tapered_capsule" else size[0])
        points = radii * u + np.hstack([np.zeros((count, 2)), low + t * (high - low)])
    return points @ shape.placement[:3, :3].T + shape.placement[:3, 3]


def off(region: mk.Region, points: np.ndarray) -> float:
    """How far the farthest point is out of the best piece of a region."""
    return min(max(max(piece.distance(x) for piece in clause) for x in points) for clause in region.clauses())


def points_of(pose: mk.Pose, *shapes: mk.Shape) -> np.ndarray:
    frame = pose.matrices()["body"]
    return np.vstack([surface(shape) for shape in shapes]) @ frame[:3, :3].T + frame[:3, 3]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("hard", [False, True])
def test_the_whole_shape_comes_inside(shape, region, hard):
    body = figure(SHAPES[shape])
    goal = mk.Inside("body", REGIONS[region], whole=True, hard=hard)
    found = mk.solve(body, [goal])
    assert found.reached
    assert off(REGIONS[region], points_of(found.pose, SHAPES[shape])) < 2e-4
    assert goal.off_by(found.pose) < (2e-4 if shape in ("capsule", "tapered", "sphere") else 0.1)


@pytest.mark.parametrize("shape", ["capsule", "tapered", "sphere"])
@pytest.mark.parametrize("region", REGIONS)
def test_the_miss_is_how_far_the_farthest_point_sticks_out(shape, region):
    body = figure(SHAPES[shape])
    rng = np.random.default_rng(4)
    for _ in range(4):
        pose = mk.Pose(body, rng.uniform(-1.0, 1.0, body.n))
        expected = off(REGIONS[region], points_of(pose, SHAPES[shape]))
        measured = mk.Inside("body", REGIONS[region], whole=True).off_by(pose)
        assert measured == pytest.approx(max(expected, 0.0), abs=0.02)
        assert measured >= expected - 1e-9


@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
@pytest.mark.parametrize("region", ["half-space", "box"])
def test_boxes_and_ellipsoids_count_as_they_are_against_planes(shape, region):
    body = figure(SHAPES[shape])
    goals = [
        mk.Inside("body", REGIONS[region], whole=True),
        mk.Position("nose", [0.4, 0.0, 2.0], weight=1e-3),
    ]
    found = mk.solve(body, [goals[:1], goals[1:]])
    assert found.measured[0].reached
    assert -0.004 < off(REGIONS[region], points_of(found.pose, SHAPES[shape])) < 2e-4


def test_a_name_means_the_sites_point_unless_whole_is_said():
    body = figure(SHAPES["capsule"])
    ball = mk.Ball([0.3, 0.0, 0.2], 0.01)
    assert mk.solve(body, [mk.Inside("body", ball)]).reached
    assert not mk.solve(body, [mk.Inside("body", ball, whole=True)], restarts=0).reached
    with pytest.raises(GoalError, match=r"'tip'.*whole=True needs one"):
        mk.solve(body, [mk.Inside("tip", ball, whole=True)])
    with pytest.raises(GoalError, match="whole must be true, false or None"):
        mk.Inside("body", ball, whole="yes")
    with pytest.raises(GoalError, match="no such site, and no segment with a shape matches"):
        mk.solve(body, [mk.Inside("b?t*", ball)])


def test_a_pattern_means_every_segment_with_a_shape():
    room = mk.Box(center=[0.0, 0.0, 1.0], size=[2.0, 2.0, 2.0])
    body = mk.human(fingers=False)
    start = body.pose()
    found = mk.solve(start, [mk.Inside("*", room, hard=True), mk.Position("right_hand", [0.9, -0.9, 1.2])])
    frames = found.pose.matrices()
    for name in body.segments:
        for row in capsules_of(body, name, "test"):
            for x, r in ((row[:3], row[6]), (row[3:6], row[7])):
                assert room.distance(frames[name][:3, :3] @ x + frames[name][:3, 3]) + r < 0.02
    assert found.measured[0].reached
    assert found.explain().startswith("the figure is inside its box.")


def test_a_shape_too_thick_for_a_box_is_not_called_inside():
    body = figure(SHAPES["sphere"])
    slot = mk.Box(center=[0.1, 0.0, 0.2], size=[1.0, 1.0, 0.1])
    found = mk.solve(body, [mk.Inside("body", slot, whole=True)])
    assert not found.reached
    assert found.position_errors[0] == pytest.approx(0.03, abs=1e-4)
    assert "body sticks out of its box by 3.0 cm" in found.explain()


def test_a_segment_cannot_be_inside_a_curve():
    body = figure(SHAPES["capsule"])
    with pytest.raises(GoalError, match="cannot be inside a Circle"):
        mk.solve(body, [mk.Inside("body", mk.Circle([0, 0, 0], [0, 0, 1], 0.3), whole=True)])


def test_of_a_union_the_piece_taken_is_told():
    body = figure(SHAPES["capsule"])
    goal = mk.Inside("bod*", REGIONS["either"])
    found = mk.solve(body, [goal])
    assert found.choices == {goal: 1}
    assert "inside the second of the 2 pieces of its region" in found.explain()


def test_a_segment_inside_a_region_that_another_site_carries():
    body = figure(SHAPES["capsule"])
    goal = mk.Relative("body", "base", mk.Inside("body", REGIONS["ball"], whole=True))
    found = mk.solve(body, [goal])
    assert found.reached
    assert off(REGIONS["ball"], points_of(found.pose, SHAPES["capsule"])) < 2e-4
