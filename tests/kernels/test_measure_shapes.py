"""Segments clear of regions and of each other: against a dense search over the capsules, and differences."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.samples import robot

import manikin as mk
from manikin.figure import transforms
from manikin.figure.shapes import capsules_of, halved, round_cone_distance

from .measured import gradient, jacobian, measured, parts_of, random_poses, slope_error, values

TURN = transforms.exp([0.3, -0.8, 0.5])
REGIONS = {
    "ball": mk.Ball([0.35, -0.2, 1.0], 0.12),
    "box": mk.Box([0.35, -0.2, 1.0], [0.3, 0.5, 0.1], TURN),
    "capsule": mk.Capsule([0.3, -0.4, 0.6], [0.2, 0.1, 1.4], 0.06),
    "half_space": mk.HalfSpace([0, 0, 0.9], [0.2, 0.1, 1]),
    "both": mk.Box([0.35, -0.2, 1.0], [0.3, 0.5, 0.1], TURN) & mk.Ball([0.35, -0.1, 1.0], 0.2),
}
SEGMENTS = ("right_forearm", "right_hand", "head", "left_foot")


def largest(region, x):
    return max(piece.distance(x) for piece in region.clauses()[0])


def dense(region, capsule, count=4001):
    """The least of distance − radius over points of the capsule's axis."""
    t = np.linspace(0.0, 1.0, count)
    return min(
        largest(region, capsule[:3] + s * (capsule[3:6] - capsule[:3]))
        - capsule[6]
        - s * (capsule[7] - capsule[6])
        for s in t
    )


def moved(capsules, frame):
    turn, place = frame[:3, :3], frame[:3, 3]
    return [np.array([*(turn @ c[:3] + place), *(turn @ c[3:6] + place), c[6], c[7]]) for c in capsules]


@pytest.mark.parametrize("name", [name for name in REGIONS if name != "half_space"])
def test_clearance_is_the_least_distance_over_every_capsule(name):
    body, region = mk.human(), REGIONS[name]
    m = measured(body, mk.Outside("right_hand", region))
    for q in random_poses(body, 3, seed=1):
        capsules = moved(m.parts[0].capsules, body.pose(q).matrices()["right_hand"])
        expected = [dense(region, c) for c in capsules]
        found = values(m, q)
        assert (found <= np.array(expected) + 1e-12).all()
        assert found == pytest.approx(expected, abs=1e-6)


def test_clearance_of_a_plane_is_that_of_the_shapes_themselves():
    body, plane = mk.human(), REGIONS["half_space"]
    rng = np.random.default_rng(0)
    surface = rng.normal(size=(20000, 3))
    surface /= np.linalg.norm(surface, axis=1)[:, None]
    for segment in SEGMENTS:
        m = measured(body, mk.Outside(segment, plane))
        for q in random_poses(body, 2, seed=2):
            frame = body.pose(q).matrices()[segment]
            points = []
            for shape in body.segments[segment].shapes:
                place = frame @ shape.placement
                size = shape.size
                ends = [(np.zeros(3), np.full(3, size[0]))]
                if shape.kind == "tapered_capsule":
                    ends.append((np.array([0, 0, size[2]]), np.full(3, size[1])))
                elif shape.kind == "ellipsoid":
                    ends = [(np.zeros(3), size)]
                points += [(c + r * surface) @ place[:3, :3].T + place[:3, 3] for c, r in ends]
            heights = (np.concatenate(points) - plane.point) @ plane.normal
            assert values(m, q).min() == pytest.approx(heights.min(), abs=1e-4)


@pytest.mark.parametrize("name", REGIONS)
def test_slopes_of_clearances_agree_with_differences(name):
    check_slopes(mk.human(), [mk.Outside(s, REGIONS[name], margin=0.02) for s in SEGMENTS], 40)


@pytest.mark.long
@pytest.mark.parametrize("name", REGIONS)
def test_slopes_of_clearances_agree_with_differences_at_a_thousand_poses(name):
    check_slopes(mk.human(), [mk.Outside(s, REGIONS[name], margin=0.02) for s in SEGMENTS], 1000)


def check_slopes(figure, goals, count):
    m = measured(figure, *goals)
    rng = np.random.default_rng(5)
    assert max(slope_error(m, q, rng) for q in random_poses(figure, count, seed=6)) < 1e-7
    for q in random_poses(figure, 3, seed=7):
        y = rng.normal(size=len(values(m, q)))
        assert np.abs(gradient(m, q, y) - y @ jacobian(m, q)).max() < 1e-11


def test_halves_of_capsules_are_as_far_as_the_whole():
    body = mk.human()
    whole = capsules_of(body, "right_forearm", "test")
    halves = halved(whole)
    assert len(halves) > len(whole)
    rng = np.random.default_rng(3)
    for x in rng.uniform(-0.3, 0.3, (200, 3)):
        distances = [min(round_cone_distance(c, x) for c in rows) for rows in (whole, halves)]
        assert distances[0] == pytest.approx(distances[1], abs=1e-12)


def test_a_region_may_move_with_a_part_of_the_figure():
    body = mk.human()
    region = REGIONS["box"]
    inner = mk.Outside("right_forearm", region, margin=0.01)
    m = measured(body, mk.Relative("right_forearm", "chest", inner))
    rng = np.random.default_rng(2)
    for q in random_poses(body, 5, seed=3):
        pose = body.pose(q)
        seen = transforms.inverse(pose.matrix("chest")) @ pose.matrices()["right_forearm"]
        expected = [dense(region, c, 2001) for c in moved(m.parts[0].capsules, seen)]
        assert values(m, q) == pytest.approx(expected, abs=1e-5)
        assert slope_error(m, q, rng) < 1e-7


def test_far_rows_are_left_out_and_known_to_be_far():
    body = mk.human()
    goal = mk.Outside("*", mk.Ball(np.add(body.pose().position("chest"), [0.25, 0, 0]), 0.1), margin=0.02)
    exact, quick = measured(body, goal), measured(body, goal)
    quick.sections.option[0] = 0.1
    for q in random_poses(body, 5, seed=4):
        q[:6] = body.rest[:6]
        expected, found = values(exact, q), values(quick, q)
        near = quick.sections.near != 0.0
        assert near.any() and not near.all()
        assert found[near] == pytest.approx(expected[near], abs=1e-12)
        assert (found[~near] <= expected[~near] + 1e-12).all() and (found[~near] > 0.12).all()
        assert (expected[~near] > 0.12).all()


def test_a_clearance_that_is_switched_off_violates_nothing():
    body = mk.human()
    m = measured(
        body, mk.Outside("*", mk.Ball([0, 0, 1], 3.0), margin=0.02), mk.Outside("*", REGIONS["half_space"])
    )
    for index, part in enumerate(m.parts):
        m.write(index, part, active=False)
    values(m, body.rest)
    assert not m.violations().any() and not m.sections.near.any()


def test_a_segment_deep_inside_has_finite_slopes():
    body = mk.human()
    center = body.pose().position("right_forearm")
    for region in (mk.Ball(center, 1.0), mk.Box(center, [2, 2, 2]), mk.Capsule(center, center, 0.5)):
        m = measured(body, mk.Outside("right_forearm", region), mk.Outside("right_elbow", region))
        assert np.isfinite(values(m, body.rest)).all() and np.isfinite(jacobian(m, body.rest)).all()
        assert (m.violations() < 0.0).all()


def test_distances_between_segments_are_those_of_their_nearest_points():
    body = mk.human()
    goal = mk.SelfClearance(margin=0.01, segments=["right_forearm", "left_forearm", "head", "left_thigh"])
    m = measured(body, goal)
    pairs = goal.settle(body.pose()).pairs()
    assert len(pairs) == 6
    t = np.linspace(0.0, 1.0, 41)
    for q in random_poses(body, 3, seed=8):
        frames = body.pose(q).matrices()
        expected = []
        for a, b in pairs:
            first = moved(capsules_of(body, a, "test"), frames[a])
            second = moved(capsules_of(body, b, "test"), frames[b])
            expected.append(
                min(
                    round_cone_distance(d, c[:3] + s * (c[3:6] - c[:3])) - c[6] - s * (c[7] - c[6])
                    for c in first
                    for d in second
                    for s in t
                )
            )
        found = values(m, q)
        assert (found <= np.array(expected) + 1e-12).all()
        assert found == pytest.approx(expected, abs=2e-3)


BETWEEN = {"margin": 0.01, "segments": ["right_forearm", "left_*arm", "head", "left_thigh"]}


def test_slopes_of_distances_between_segments_agree_with_differences():
    check_slopes(mk.human(), [mk.SelfClearance(**BETWEEN)], 40)


@pytest.mark.long
def test_slopes_of_distances_between_segments_agree_with_differences_at_a_thousand_poses():
    check_slopes(mk.human(), [mk.SelfClearance(**BETWEEN)], 1000)


def test_touching_and_jointed_segments_are_not_kept_apart():
    body = mk.human()
    pairs = mk.SelfClearance().settle(body.pose()).pairs()
    assert ("right_upper_arm", "right_forearm") not in pairs and ("l5", "l4") not in pairs
    assert any(set(pair) == {"right_forearm", "left_forearm"} for pair in pairs)
    m = measured(body, mk.SelfClearance())
    assert len(values(m, body.rest)) == len(pairs) and not m.violations().any()
    fewer = mk.SelfClearance(ignore=[("left_*", "right_*")]).settle(body.pose()).pairs()
    assert not any(a.startswith("left") and b.startswith("right") for a, b in fewer) and fewer


def test_robots_with_meshes_are_fitted_by_capsules_or_refused_in_words():
    talos = robot("talos")
    name = next(n for n, s in talos.segments.items() if any(shape.kind == "mesh" for shape in s.shapes))
    try:
        parts = parts_of(talos, mk.Outside(name, REGIONS["ball"]))
    except mk.GoalError as problem:
        assert "mesh" in str(problem) and name in str(problem)
    else:
        assert len(parts[0].capsules) >= 1
        check_slopes(talos, [mk.Outside(name, REGIONS["ball"])], 5)
