"""Cones and closed loops before the methods that know ranges and linear constraints only."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import SolveError
from manikin.solvers.papers import METHODS as PAPERS


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
    hooked = arm().with_site("hook", "base", [0.3, 0.0, 0.3]).with_loop("tip", "hook", "position")
    target = hooked.pose().position("fore") + np.array([0.1, 0.2, 0.0])
    with pytest.raises(SolveError, match="a closed loop, 'tip to hook'"):
        mk.solve(hooked, [mk.Position("fore", target)], method=method)
    carried = hooked._rebuilt(base="planar")
    assert mk.solve(carried, [mk.Position("fore", target)], method=method, free="root_*").reached
