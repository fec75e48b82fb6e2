from __future__ import annotations

import json
import pickle
from math import inf, pi, radians

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from manikin.errors import FigureError
from manikin.figure import Cone, Ellipse, Figure, Follow, Joint, Polygon, Pose
from manikin.figure.transforms import exp

HEXAGON = [(1.0, 0.0), (0.5, 0.8), (-0.5, 0.8), (-0.7, 0.0), (-0.5, -0.8), (0.5, -0.8)]


def ball(**options) -> Joint:
    return Joint.ball("hip", "a", "b", **options)


def figure(**options) -> Figure:
    joints = [Joint.revolute("waist", "base", "a", lower=-1, upper=1), ball(**options)]
    return Figure("f", ["base", "a", "b"], joints)


def test_a_cone_is_a_disc_on_the_swing_and_bounds_its_box():
    body = figure(cone=0.6, twist=(-0.3, 0.5))
    assert body.cones == (Cone(1, 2, 0.0, 0.0, 0.6, 0.6),)
    assert body.lower.tolist() == [-1.0, -0.6, -0.6, -0.3]
    assert body.upper.tolist() == [1.0, 0.6, 0.6, 0.5]
    assert np.array(body.cones).shape == (1, 6)


def test_the_cone_is_how_far_the_axis_leans():
    body = figure(cone=0.6)
    rng = np.random.default_rng(1)
    for _ in range(50):
        q = rng.uniform(-1.0, 1.0, 4)
        lean = np.arccos(body.pose(q).matrix("b")[2, 2])
        assert (body.cones[0].value(q) <= 1.0) == (lean <= 0.6)
        assert max(lean - 0.6, 0.0) == pytest.approx(body.cones[0].distance(q), abs=1e-12)


def test_an_ellipse_may_lie_off_centre():
    body = figure(ellipse=(0.6, 1.0), center=(0.2, -0.3))
    assert body.cones == (Cone(1, 2, 0.2, -0.3, 0.6, 1.0),)
    assert body.rest.tolist() == [0.0] * 4
    turns = np.linspace(0.0, 2.0 * pi, 4001)
    edge = np.array([body.cones[0].at(np.cos(turn), np.sin(turn)) for turn in turns])
    assert body.lower[1:] == pytest.approx([*edge.min(axis=0), -inf], abs=1e-6)
    assert body.upper[1:] == pytest.approx([*edge.max(axis=0), inf], abs=1e-6)


@pytest.mark.parametrize("center", [(1.5, 0.0), (0.0, -1.5), (0.7, 0.9), (-2.0, 1.2), (0.01, 0.0)])
@pytest.mark.parametrize("half", [0.1, 0.5, 1.0])
def test_the_edge_of_a_cone_off_centre_is_at_its_half_angle_from_the_centres_direction(center, half):
    body = figure(cone=half, center=center)
    cone = body.cones[0]

    def axis(swing) -> np.ndarray:
        return body.pose([0.0, *swing, 0.0]).matrix("b")[:3, 2]

    middle = axis(center)
    for turn in np.linspace(0.0, 2.0 * pi, 24, endpoint=False):
        edge = cone.at(np.cos(turn), np.sin(turn))
        assert cone.value(np.array([0.0, *edge, 0.0])) == pytest.approx(1.0, abs=1e-12)
        assert np.arccos(axis(edge) @ middle) == pytest.approx(half, abs=1e-7)
        within = cone.at(0.5 * np.cos(turn), 0.5 * np.sin(turn))
        assert np.arccos(axis(within) @ middle) == pytest.approx(0.5 * half, abs=1e-7)


@pytest.mark.parametrize("center", [(1.5, 0.0), (0.4, -0.9)])
def test_inside_a_cone_off_centre_is_what_leans_less_from_its_middle(center):
    body = figure(cone=0.5, center=center)
    middle = body.pose([0.0, *center, 0.0]).matrix("b")[:3, 2]
    rng = np.random.default_rng(8)
    inside = 0
    for _ in range(400):
        q = np.array([0.0, *(center + rng.uniform(-1.0, 1.0, 2)), 0.0])
        lean = np.arccos(body.pose(q).matrix("b")[:3, 2] @ middle)
        assert (body.cones[0].value(q) <= 1.0) == (lean <= 0.5)
        assert body.cones[0].distance(q) == pytest.approx(max(lean - 0.5, 0.0), abs=1e-9)
        inside += lean <= 0.5
    assert 40 < inside < 360


def test_an_ellipse_off_centre_has_its_radii_about_its_middle():
    cone = figure(ellipse=(0.3, 0.8), center=(0.9, 0.4)).cones[0]
    turn = exp([0.9, 0.4, 0.0])
    for x, y, sigma in ((1.0, 0.0, [0.3, 0.0]), (0.0, -1.0, [0.0, -0.8]), (0.6, 0.8, [0.18, 0.64])):
        there = exp([*cone.at(x, y), 0.0])[:, 2]
        assert turn @ exp([*sigma, 0.0])[:, 2] == pytest.approx(there, abs=1e-12)


def test_the_rest_is_the_middle_where_zero_is_outside():
    body = figure(ellipse=(0.2, 0.3), center=(1.0, 0.25))
    assert body.rest[1:3].tolist() == [1.0, 0.25]
    # Inside the box around it, but not inside the ellipse.
    body = figure(ellipse=(0.5, 0.5), center=(0.45, 0.45))
    assert body.rest[1:3].tolist() == [0.45, 0.45]


def test_an_ellipse_through_the_ends_of_two_ranges():
    first, second = (-0.5, 0.8), (-0.4, 2.0)
    ellipse = Ellipse.through(first, second)
    for point in [(first[0], 0), (first[1], 0), (0, second[0]), (0, second[1])]:
        cone = Cone(0, 1, *ellipse.center, *ellipse.radii)
        assert cone.value(np.array(point, dtype=float)) == pytest.approx(1.0)
        assert ellipse.holds(0.999 * np.array(point)) and not ellipse.holds(1.001 * np.array(point))
    assert np.allclose(Ellipse.through((-1, 1), (-2, 2)).radii, [1, 2])
    with pytest.raises(FigureError, match="both ranges must hold 0 inside"):
        Ellipse.through((0.0, 1.0), (-1.0, 1.0))


def test_ranges_of_its_own_are_kept_where_they_are_narrower():
    body = figure(cone=0.6, lower=(-0.2, None, -1.0), upper=(None, 2.0, 1.0))
    assert body.lower[1:].tolist() == [-0.2, -0.6, -1.0]
    assert body.upper[1:].tolist() == [0.6, 0.6, 1.0]


def test_a_polygon_is_linear_couplings_among_the_swings():
    body = figure(polygon=HEXAGON)
    assert body.cones == ()
    assert body.lower[1:3].tolist() == [-0.7, -0.8]
    assert len(body.couplings) == 4  # the two level edges are in the ranges
    rng = np.random.default_rng(2)
    limit = body.joints["hip"].swing
    for q in rng.uniform(-1.2, 1.2, (200, 4)):
        values = body.pose(q).values()
        inside = all(c.lower <= c.value(values) <= c.upper for c in body.couplings)
        inside &= bool((q[1:3] >= body.lower[1:3]).all() and (q[1:3] <= body.upper[1:3]).all())
        assert inside == limit.holds(q[1:3])


def test_a_polygon_may_go_either_way_round_and_have_points_on_its_edges():
    forth = Polygon(HEXAGON)
    assert np.allclose(sorted(Polygon(HEXAGON[::-1]).points.tolist()), sorted(forth.points.tolist()))
    square = Polygon([(-1, -1), (0, -1), (1, -1), (1, 1), (1, 1), (-1, 1)])
    assert sorted(square.points.tolist()) == [[-1, -1], [-1, 1], [1, -1], [1, 1]]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(0, 0), (1, 0)], "three or more points"),
        ([(0, 0, 0), (1, 0, 0), (1, 1, 0)], "three or more points"),
        ("triangle", "expected points of two numbers"),
        ([(0, 0), (1, 0), (2, 0)], "no area"),
        ([(0, 0), (1, 0), (1, np.nan)], "finite"),
        ([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)], "convex"),
        ([(np.cos(a), np.sin(a)) for a in 4 * pi * np.arange(5) / 5], "convex"),
        ([(-1, -1), (1, 1), (1, -1), (-1, 1)], "no area"),
    ],
)
def test_a_polygon_that_is_none_is_refused_in_words(points, message):
    with pytest.raises(FigureError, match=f"'hip': swing polygon: .*{message}"):
        ball(polygon=points)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cone": 0.0}, "'hip': swing ellipse: radii must be above 0"),
        ({"cone": 4.0}, "at most π"),
        ({"cone": "wide"}, "'hip': cone: expected a number"),
        ({"cone": (0.5, 0.5)}, "'hip': cone: expected a number"),
        ({"ellipse": (0.5, 0.5, 0.5)}, "radii: expected shape"),
        ({"ellipse": (0.5, np.nan)}, "finite"),
        ({"cone": 0.5, "ellipse": (0.5, 0.5)}, "not by several"),
        ({"center": (0.1, 0.1)}, "a center belongs to a cone or an ellipse"),
        ({"polygon": HEXAGON, "center": (0.1, 0.1)}, "a center belongs"),
        ({"twist": 0.5}, "twist is a range"),
        ({"twist": (0.5,)}, "twist is a range"),
        ({"twist": (0.5, -0.5)}, "the lower limit 0.5 is above"),
        ({"twist": (-1, 1), "lower": -2.0}, "given twice, in twist and in lower"),
        ({"cone": 0.5, "rest": (0.4, 0.4, 0.0)}, "rest .0.4, 0.4. is outside the limit of its swing"),
        ({"cone": 0.5, "lower": (0.6, None, None)}, "nothing in common"),
        ({"polygon": HEXAGON, "rest": (0.9, 0.7, 0.0)}, "outside the limit of its swing"),
        ({"cone": 0.5, "follow": (Follow({"waist": 1.0}), None, None)}, "cannot be limited as a whole"),
        ({"swing": "cone"}, "must be an Ellipse or a Polygon"),
    ],
)
def test_what_cannot_be_is_refused_with_the_joint_named(options, message):
    with pytest.raises(FigureError, match=message):
        ball(**options)


def test_only_a_ball_joint_has_a_swing():
    with pytest.raises(FigureError, match="only a ball joint has a swing to limit"):
        Joint("j", "a", "b", "R(x)*R(y)*R(z)", swing=Ellipse((0.5, 0.5)))


def test_cones_stay_through_pickle_rerooting_sites_and_held_things():
    body = figure(ellipse=(0.6, 1.0), center=(0.1, 0.2), twist=(-1, 1))
    others = [
        pickle.loads(pickle.dumps(body)),
        body.rerooted("b"),
        body.with_site("tip", "b", [0, 0, 1]),
        body.with_site("tip", "b").with_held("box", at="tip", mass=1.0),
        body.with_couplings("hip_twist <= 0.5 * waist + 0.9"),
    ]
    for other in others:
        assert other.cones == body.cones
        assert (other.lower == body.lower).all()
    edged = figure(polygon=HEXAGON)
    assert pickle.loads(pickle.dumps(edged)).couplings == edged.couplings == edged.rerooted("b").couplings


def test_a_description_tells_of_cones_and_json_can_hold_it():
    body = figure(ellipse=(0.6, 1.0), center=(0.1, 0.2))
    (cone,) = json.loads(json.dumps(body.describe()))["cones"]
    assert cone == {
        "joint": "hip",
        "dofs": ["hip_swing_x", "hip_swing_y"],
        "center": [0.1, 0.2],
        "radii": [0.6, 1.0],
    }


def test_a_pose_may_lie_outside_as_it_may_outside_a_range():
    body = figure(cone=0.3)
    pose = body.pose({"hip_swing_x": 2.0})
    assert Pose.from_json(body, pose.to_json()) == pose


def test_polygons_lie_inside_the_cones_that_they_replace():
    body = figure(ellipse=(0.6, 1.0), center=(0.1, 0.2))
    edged = body.with_polygons(16)
    assert edged.cones == ()
    assert len(edged.couplings) == 16
    rng = np.random.default_rng(3)
    inside = 0
    for q in rng.uniform(-1.3, 1.3, (500, 4)):
        values = edged.pose(q).values()
        if all(c.value(values) <= c.upper for c in edged.couplings):
            inside += 1
            assert body.cones[0].value(q) <= 1.0
    assert inside > 100
    with pytest.raises(FigureError, match="three or more sides"):
        body.with_polygons(2)


radius = st.floats(0.01, 3.1)
place = st.floats(-6.0, 6.0)


@settings(max_examples=200, deadline=None)
@given(radius, radius, place, place, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_the_nearest_swing_is_inside_and_its_difference_along_the_normal(a, b, x, y, c1, c2):
    cone = Cone(0, 1, c1, c2, a, b)
    q = np.array([x, y])
    inside = cone.brought_in(q)
    assert cone.value(inside) <= 1.0
    assert np.hypot(*(inside - cone.nearest(q))) < 1e-12 * (1.0 + a + b)
    if cone.value(q) <= 1.0:
        assert (inside == q).all()
        return
    assert cone.value(inside) == pytest.approx(1.0, abs=1e-9)
    normal = cone.seen(inside) / [a * a, b * b]
    away = cone.seen(q) - cone.seen(inside)
    across = abs(normal[0] * away[1] - normal[1] * away[0]) / np.hypot(*normal)
    assert across < 1e-9
    assert normal @ away > -1e-12


def test_the_nearest_swing_agrees_with_a_general_minimiser():
    cone = Cone(0, 1, 0.2, -0.1, 0.5, 1.2)
    for q in np.random.default_rng(5).uniform(-3.0, 3.0, (20, 2)):
        constraint = {"type": "ineq", "fun": lambda s: 1.0 - cone.value(s)}
        found = minimize(
            lambda s, at=q: ((cone.seen(s) - cone.seen(at)) ** 2).sum(),
            [0.2, -0.1],
            constraints=constraint,
            tol=1e-12,
        )
        assert cone.distance(q) == pytest.approx(np.sqrt(max(found.fun, 0.0)), abs=1e-5)


@pytest.mark.parametrize(
    ("radii", "center", "share"),
    [
        ((0.5, 0.5), (1.5, 0.0), 0.97),
        ((0.4, 0.7), (-1.0, 1.2), 0.88),  # the plane shows it bent inwards
        ((0.4, 0.4), (2.6, 0.3), 0.05),  # a crescent, 149° off centre
    ],
)
def test_polygons_of_cones_off_centre_lie_inside_and_fill_them(radii, center, share):
    ellipse = Ellipse(radii, center)
    rng = np.random.default_rng(7)
    shares = []
    for sides in (6, 24):
        polygon = ellipse.polygon(sides)
        low, high = polygon.box()
        drawn = rng.uniform(low, high, (2000, 2))
        drawn = drawn[[polygon.holds(s) for s in drawn]]
        assert all(ellipse.holds(s, 1e-9) for s in drawn)
        low, high = ellipse.box()
        around = rng.uniform(low, high, (2000, 2))
        inside = [s for s in around if ellipse.holds(s)]
        shares.append(np.mean([polygon.holds(s) for s in inside]))
    assert shares[1] >= shares[0] - 0.02
    assert shares[1] > share


def test_angles_are_radians_and_a_cone_may_reach_right_round():
    body = figure(cone=pi)
    assert body.upper[1] == pi
    assert figure(cone=radians(45)).cones[0].radius_1 == radians(45)
