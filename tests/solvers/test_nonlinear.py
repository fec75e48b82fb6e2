"""Cones and closed loops before the methods that know ranges and linear constraints only."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import SolveError
from manikin.papers import METHODS as PAPERS

from figure.samples import four_bar  # isort: skip


def arm(**limit) -> mk.Figure:
    """A ball joint that carries an upper arm, a hinge, a forearm."""
    return mk.Figure(
        "arm",
        ["base", "upper", "fore", "tool"],
        [
            mk.Joint.ball("shoulder", "base", "upper", twist=(-1.0, 1.0), **limit),
            mk.Joint.revolute("elbow", "upper", "fore", "x", placement=[0, 0, 0.3], lower=0.1, upper=2.5),
            mk.Joint.revolute("wrist", "fore", "tool", "z", placement=[0, 0, 0.3], lower=-1.0, upper=1.0),
        ],
        [mk.Site("tip", "tool", [0.02, 0.0, 0.1])],
    )


CONE = {"ellipse": (0.5, 0.9), "center": (0.1, 0.0)}


@pytest.mark.parametrize("method", ["projection", *PAPERS])
def test_a_method_without_cones_refuses_in_words(method):
    with pytest.raises(SolveError, match=f"method '{method}' .* joint 'shoulder' is limited by a cone"):
        mk.solve(arm(**CONE), [mk.Position("tip", [0.1, 0.1, 0.5])], method=method)


def test_a_cone_that_the_solve_cannot_move_does_not_matter():
    figure = arm(**CONE)
    target = figure.pose({"elbow": 1.0}).position("tip")
    found = mk.solve(figure, [mk.Position("tip", target)], method="projection", free=["elbow", "wrist"])
    assert found.reached


def test_a_swing_that_is_not_solved_for_is_brought_into_its_cone():
    figure = arm(**CONE)
    start = figure.pose({"shoulder_swing_x": 0.7, "shoulder_swing_y": 0.6})
    goal = mk.Position("tip", [0.1, 0.1, 0.4])
    for method in ("projection", "lbfgsb"):
        found = mk.Problem(start, [goal], free=["elbow", "wrist"]).solve(method=method)
        assert figure.cones[0].value(found.q) <= 1.0
        assert found.q[:2] == pytest.approx(figure.cones[0].nearest(start.q), abs=1e-12)


@pytest.mark.parametrize("start", [[0.3726, -1.3741, 0.0], [0.9, -1.3741, 0.0]], ids=["inside", "outside"])
@pytest.mark.parametrize("target", [[1, 0, 0], [0, 1, 0], [-1, -1, 0], [0, -1, -1]])
def test_a_swing_that_is_not_free_stays_while_the_other_searches_from_many_starts(start, target):
    """One swing of a cone is free, the goal is out of reach: further starts leave the other where it is."""
    cone = mk.Joint.ball("j", "a", "b", "z", cone=1.478, center=[0.2565, 0.0942])
    figure = mk.Figure("leaning", ["a", "b"], [cone], [mk.Site("t", "b", [0.1, 0.2, 0.5])])
    for options in ({}, {"restarts": 5}):
        found = mk.solve(figure.pose(start), [mk.Position("t", target)], free=["j_swing_x"], **options)
        assert found.feasible and found.q[1] == start[1]


def test_a_start_is_brought_into_cone_and_range_where_the_range_cuts_the_cone():
    figure = arm(cone=0.5, lower=(0.35, None, None))
    rng = np.random.default_rng(3)
    for q in rng.uniform(-2.0, 2.0, (50, 5)):
        found = mk.Problem(figure.pose(q), [], free=["elbow"]).solve()
        assert figure.cones[0].value(found.q) <= 1.0
        assert (found.q[:2] >= figure.lower[:2]).all()


def test_a_coupling_that_may_move_the_swing_makes_the_cone_matter():
    figure = arm(**CONE).with_couplings("shoulder_swing_x = 0.1 * wrist")
    with pytest.raises(SolveError, match="limited by a cone"):
        mk.solve(figure, [mk.Position("fore", [0.0, 0.0, 0.3])], method="projection", free="shoulder_*")


def test_polygons_in_place_of_cones_serve_the_linear_methods():
    figure = arm(**CONE)
    edged = figure.with_polygons(32)
    rng = np.random.default_rng(4)
    reached = 0
    for _ in range(40):
        q = rng.uniform(figure.lower, figure.upper)
        q[:2] = [0.1, 0.0] + 0.95 * rng.uniform() * (figure.cones[0].brought_in(q)[:2] - [0.1, 0.0])
        found = mk.solve(edged, [mk.Position("tip", figure.pose(q).position("tip"))], method="projection")
        assert figure.cones[0].value(found.q) <= 1.0 + 1e-12
        reached += found.reached
    assert reached >= 38


def test_a_polygon_given_as_such_holds():
    corners = [(0.5, 0.0), (0.0, 0.6), (-0.5, 0.1), (0.0, -0.4)]
    figure = arm(polygon=corners)
    limit = figure.joints["shoulder"].swing
    rng = np.random.default_rng(5)
    on_edge = 0
    for _ in range(30):
        target = 0.7 * rng.normal(size=3)
        found = mk.solve(figure, [mk.Position("tip", target)], method="projection")
        assert limit.holds(found.q[:2], 1e-9)
        on_edge += not limit.holds(found.q[:2], -1e-6)
    assert on_edge > 5


def test_the_closed_form_keeps_cones_at_shoulder_and_wrist():
    joints = [
        mk.Joint.ball("shoulder", "base", "upper", cone=0.9),
        mk.Joint.revolute("elbow", "upper", "fore", "x", placement=[0, 0, 0.3], lower=0.1, upper=2.5),
        mk.Joint.ball("wrist", "fore", "hand", placement=[0, 0, 0.3], ellipse=(0.5, 0.8), center=(0.1, 0.0)),
    ]
    figure = mk.Figure("limb", ["base", "upper", "fore", "hand"], joints)
    limb = mk.Arm(figure, ("shoulder", "elbow", "wrist"))
    rng = np.random.default_rng(6)
    on_edge = 0
    for _ in range(60):
        q = rng.uniform([-0.6, -0.6, -2.0, 0.1, -0.2, -0.5, -2.0], [0.6, 0.6, 2.0, 2.5, 0.4, 0.5, 2.0])
        target = limb.pose(q).matrix(limb.site)
        found = limb.solve(target, limb.swivel(q))
        assert np.abs(found - q).max(axis=1).min() < 1e-7
        for low, high in limb.swivel_intervals(target):
            for phi in (low, high, 0.5 * (low + high)):
                for row in limb.solve(target, phi):
                    assert figure.joints["shoulder"].swing.holds(row[:2])
                    assert figure.joints["wrist"].swing.holds(row[4:6])
                    assert np.abs(limb.pose(row).matrix(limb.site) - target).max() < 1e-10
                    on_edge += not (
                        figure.joints["shoulder"].swing.holds(row[:2], -1e-9)
                        and figure.joints["wrist"].swing.holds(row[4:6], -1e-9)
                    )
    assert on_edge > 20


@pytest.mark.parametrize("method", ["projection", "lbfgsb"])
def test_a_method_without_loops_refuses_in_words_unless_the_loop_cannot_move(method):
    rest = arm().pose()
    at = np.linalg.inv(rest.matrix("base")) @ rest.matrix("tip")
    hooked = arm().with_site("hook", "base", at[:3, 3]).with_loop("tip", "hook", "position")
    target = hooked.pose().position("fore") + np.array([0.1, 0.2, 0.0])
    with pytest.raises(SolveError, match="a closed loop, 'tip to hook'"):
        mk.solve(hooked, [mk.Position("fore", target)], method=method)
    carried = hooked.replace(base="planar")
    assert mk.solve(carried, [mk.Position("fore", target)], method=method, free="root_*").reached


def limb(**limit) -> mk.Figure:
    """Two ball joints and the hinge between them; the wrist has a cone of its own."""
    return mk.Figure(
        "limb",
        ["base", "upper", "fore", "hand"],
        [
            mk.Joint.ball("shoulder", "base", "upper", twist=(-1.0, 1.0), **limit),
            mk.Joint.revolute("elbow", "upper", "fore", "x", placement=[0, 0, 0.3], lower=0.1, upper=2.5),
            mk.Joint.ball("wrist", "fore", "hand", placement=[0, 0, 0.25], cone=0.7, twist=(-1.4, 1.4)),
        ],
        [mk.Site("tip", "hand", [0.02, 0.0, 0.1])],
    )


LIMBS = [limb(cone=0.8), limb(ellipse=(0.5, 1.2), center=(0.2, -0.3)), limb(ellipse=(1.4, 0.6))]


def inside(figure: mk.Figure, rng: np.random.Generator, *, edge: bool) -> mk.Pose:
    """Evenly in ranges and cones, or with every swing in the last hundredth of its cone."""
    q = rng.uniform(figure.lower, figure.upper)
    for cone in figure.cones:
        share, turn = (rng.uniform(0.99, 1.0) if edge else np.sqrt(rng.uniform())), rng.uniform(-np.pi, np.pi)
        q[cone.first], q[cone.second] = cone.at(share * np.cos(turn), share * np.sin(turn))
    return figure.pose(q)


def cone_solves(cases: range) -> int:
    """How many are reached: positions and placements in turns, a quarter of the targets on the cones' edges."""
    reached = 0
    for case in cases:
        rng = np.random.default_rng([41, case])
        figure = LIMBS[case % 3]
        pose = inside(figure, rng, edge=case % 4 == 0)
        point, turn = pose.position("tip"), pose.matrix("tip")[:3, :3]
        goal = mk.Placement("tip", point, turn) if case // 4 % 2 else mk.Position("tip", point)
        found = mk.solve(inside(figure, rng, edge=False), [goal], restarts=10)
        reached += found.reached
        assert max(cone.distance(found.q) for cone in figure.cones) <= 1e-9
        assert (found.q >= figure.lower).all() and (found.q <= figure.upper).all()
    return reached


def test_targets_inside_true_cones_are_reached_and_no_swing_leaves_its_cone():
    assert cone_solves(range(400)) >= 396


@pytest.mark.long
def test_ten_thousand_targets_inside_true_cones_are_reached():
    assert cone_solves(range(10_000)) >= 9_900


def test_out_of_reach_the_swing_ends_on_the_edge_of_its_cone():
    figure = limb(cone=0.8).with_site("end", "upper", [0, 0, 0.3])
    for target in ([0.6, 0.2, -0.4], [-0.5, 0.5, -0.2], [0.0, -0.9, -0.1]):
        found = mk.solve(figure, [mk.Position("end", target)])
        assert not found.reached
        # Nearest of all on the cone: the edge in the direction of the target.
        lean = np.arctan2(np.hypot(*target[:2]), target[2])
        assert lean > 0.8
        assert found.figure.cones[0].value(found.q) == pytest.approx(1.0, abs=1e-9)
        expected = 0.3 * np.array(
            [*(np.sin(0.8) * np.array(target[:2]) / np.hypot(*target[:2])), np.cos(0.8)]
        )
        assert found.pose.position("end") == pytest.approx(expected, abs=1e-5)


def test_the_humans_cones_hold_while_it_reaches():
    body = mk.human(swings="cones", fingers=False, base="fixed")
    for target in ([0.2, -0.3, 1.9], [-0.3, -0.6, 1.2], [0.5, 0.1, 1.2], [-0.6, 0.2, 2.5]):
        found = mk.solve(body, [mk.Position("right_hand", target)])
        assert max(cone.distance(found.q) for cone in body.cones) <= 1e-9


@pytest.mark.parametrize("kind", ["position", "hinge"])
def test_a_four_bar_is_turned_by_its_crank_and_stays_closed(kind):
    linkage = four_bar(kind)
    (loop,) = linkage.loops
    for turn in np.linspace(-3.0, 3.0, 25):
        found = mk.solve(linkage, [mk.Position("coupler", [0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.0])])
        assert found.reached
        assert max(loop.gap(found.pose)) < 1e-8
    far = mk.solve(linkage, [mk.Position("coupler", [0.0, 0.3, 0.0])])
    assert far.position_errors[0] == pytest.approx(0.2, abs=1e-6)
    assert max(loop.gap(far.pose)) < 1e-8


def test_a_loop_that_the_start_leaves_open_is_closed():
    linkage = four_bar()
    start = linkage.pose({"crank_turn": 0.4, "coupler_turn": 1.0})
    assert linkage.loops[0].gap(start)[0] > 0.01
    found = mk.solve(start, [mk.Position("coupler", [0.1 * np.cos(1.0), 0.1 * np.sin(1.0), 0.0])])
    assert found.reached and linkage.loops[0].gap(found.pose)[0] < 1e-8


@pytest.mark.parametrize("kind", ["placement", "position", "hinge", "orientation"])
def test_hands_joined_stay_joined_as_their_kind_says(kind):
    body = mk.human(fingers=False, base="fixed")
    joined = body.with_site("grip", "left_hand", [0.0, -0.1, -0.05]).with_loop("right_hand", "grip", kind)
    found = mk.solve(joined, [mk.Position("right_hand", [0.45, 0.0, 1.2])])
    metres, radians = joined.loops[0].gap(found.pose)
    assert metres < 1e-8 and radians < 1e-8
