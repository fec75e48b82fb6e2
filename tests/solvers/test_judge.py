"""The judge: what is said of a pose is looked at once more, and what does not hold is not called so."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
from tests.campaign.case import Case
from tests.campaign.misses import Misses
from tests.campaign.poses import Poses, exp
from tests.problems import moved

import manikin as mk
from manikin.engines.raw import Raw
from manikin.errors import ManikinError
from manikin.verify.judge import Judge


def four_bar() -> mk.Figure:
    joints = [
        mk.Joint("j1", "ground", "crank", "R(y)"),
        mk.Joint("j2", "crank", "rod", "R(y)", [0.0, 0.0, 0.4]),
        mk.Joint("j3", "rod", "rocker", "R(y)", [0.5, 0.0, 0.0]),
    ]
    sites = [mk.Site("end", "rocker", [0.0, 0.0, -0.4]), mk.Site("pivot", "ground", [0.5, 0.0, 0.0])]
    figure = mk.Figure("four-bar", ["ground", "crank", "rod", "rocker"], joints, sites)
    return figure.with_loop("end", "pivot", "position")


def shoulder() -> mk.Figure:
    joints = [
        mk.Joint.ball("ball", "trunk", "arm", cone=0.5, placement=[0.0, 0.0, 0.3]),
        mk.Joint("hinge", "arm", "hand", "R(y)", [0.0, 0.0, 0.3], lower=-2.0, upper=2.0),
    ]
    return mk.Figure("shoulder", ["trunk", "arm", "hand"], joints, [mk.Site("tip", "hand", [0, 0, 0.3])])


def test_a_loop_that_what_is_free_cannot_close_is_infeasible_and_named():
    figure = four_bar()
    start = figure.pose({"j1": 0.3})
    for goals in ([], [mk.Position("rocker", start.position("rocker"))], [mk.Pin("crank")], [mk.Posture()]):
        found = mk.solve(start, goals, free=["j3"])
        assert found.status == "infeasible" and not found.reached
        assert "the loop 'end to pivot' is open by" in found.explain()
        assert found.diagnose() is not None and "end to pivot" in found.diagnose().text


def test_a_loop_that_is_open_at_the_start_is_closed_though_no_goal_asks_for_it():
    found = mk.solve(four_bar().pose({"j1": 0.3}), [])
    assert found.reached and max(found.figure.loops[0].gap(found.pose)) < 1e-8


def test_a_rerooted_loop_stays_closed():
    figure = four_bar().rerooted("rod")
    found = mk.solve(figure.pose({"j1": 0.2}), [mk.Position("crank", [0.1, 0.0, 0.0])])
    assert max(found.figure.loops[0].gap(found.pose)) < 1e-8 or found.status == "infeasible"


@pytest.mark.parametrize(
    "goals", [[mk.Pin("tip")], [mk.Posture()], [mk.Position("tip", [0.3, 0.0, 0.7], hard=True)]]
)
def test_a_swing_outside_its_cone_that_is_not_free_is_infeasible_and_named(goals):
    figure = shoulder()
    start = figure.pose({"ball_swing_x": 0.45, "ball_swing_y": 0.45})
    found = mk.solve(start, goals, free=["hinge"])
    kept = figure.cones[0].value(found.q) <= 1.0 + 1e-9
    assert found.status == "infeasible" or kept
    assert kept or "the swing of joint 'ball' is outside its cone" in found.explain()


def without_a_verdict(found: mk.Solution) -> Raw:
    """What the engine left, to be changed: what is handed out is read-only."""
    raw = copy(found.raw)
    raw.q, raw.verified = raw.q.copy(), False
    return raw


def test_what_a_search_says_wrongly_is_not_repeated():
    """A block that claims everything, as a search with a fault would leave it."""
    figure = shoulder()
    goal = mk.Position("tip", [0.1, 0.0, 0.85])
    for claims, status in (
        ([goal], "iteration_limit"),
        ([mk.Position("tip", [0.1, 0.0, 0.85], hard=True)], "infeasible"),
    ):
        found = mk.solve(figure, claims)
        assert found.reached
        wrong = mk.Problem(figure, claims).solve()
        raw = without_a_verdict(wrong)
        raw.q[-1] += 0.1  # the hinge
        wrong = mk.Solution(wrong.problem, raw)
        assert raw.claims and not wrong.reached and wrong.status == status
    outside = mk.Problem(figure, [mk.Posture()]).solve()
    raw = without_a_verdict(outside)
    raw.q[-1] = 2.5
    outside = mk.Solution(outside.problem, raw)
    assert outside.status == "infeasible" and "hinge is outside its range" in outside.explain()


def test_moved_targets_are_judged_by_where_they_moved():
    figure = shoulder()
    problem = mk.Problem(figure, [mk.Position("tip", [0.1, 0.0, 0.85])])
    there = figure.pose({"hinge": 0.6}).position("tip")
    first = problem.solve(targets=[there])
    second = problem.solve()
    assert first.reached and second.reached
    assert np.linalg.norm(first.pose.position("tip") - there) < 1e-4
    problem = moved(problem, 0, target=there)
    assert problem.solve().reached


def test_a_pin_held_over_many_calls_is_judged_by_where_it_was_at_first():
    body = mk.human(fingers=False)
    session = mk.Problem(
        body, [mk.Position("right_hand", [0.4, -0.3, 1.1]), mk.Pin("left_foot"), mk.Pin("right_foot")]
    ).session()
    for k in range(30):
        found = session.solve([np.array([0.4, -0.3 + 0.01 * k, 1.1]), None, None])
        assert found.reached
    assert np.abs(found.pose.matrix("left_foot") - body.pose().matrix("left_foot")).max() < 1e-8


def test_the_judge_measures_what_the_goals_say():
    """Misses of random goals of every kind, by the compiled judge and by plain NumPy, wherever the pose is."""
    compared = 0
    for seed in range(300):
        case = Case(seed)
        try:
            problem = case.problem()
        except ManikinError:
            continue
        body, q = case.body, case.there.q
        begun = np.clip(case.start.q, body.lower, body.upper)
        plain = Misses(Poses(body, np.array(q)[None]), Poses(body, begun[None]), rounding=0.0)
        judge = Judge(
            body,
            mk.Pose(problem.figure, problem.q0),
            problem.goals,
            problem.couplings,
            problem.tolerance,
        )
        from manikin.kernels.verify.check import judge as measure

        measure(judge._ints, judge._reals, judge._work, np.array(q), begun, judge._out, 0)
        for place, goal in enumerate(case.goals):
            own = [
                (atom, float(miss))
                for atom, miss in zip(judge.atoms, judge._out[:-2], strict=True)
                if atom.goal == place
            ]
            if isinstance(goal, mk.AnyOf | mk.SelfClearance | mk.Inside | mk.Outside) or not own:
                continue
            told = sorted(float(miss.amount[0]) for miss in plain.options(goal)[0])
            assert len(told) == len(own), goal
            size = float(plain.poses.size()[0])
            for a, b in zip(told, sorted(miss for _, miss in own), strict=True):
                if isinstance(goal, mk.Balance) and min(a, b) > 1e-6:
                    continue  # outside, the distance from an edge's line is not that from the hull
                assert b == pytest.approx(a, rel=1e-7, abs=1e-9 + 1e-13 * size), (seed, goal)
                compared += 1
    assert compared > 300


def test_a_figure_without_degrees_of_freedom_can_be_asked_for_a_posture():
    figure = mk.Figure("stone", ["a"], [])
    assert mk.solve(figure, [mk.Posture(), mk.LeastChange()]).reached


def test_alternatives_of_which_some_have_hard_goals_are_compared():
    figure = shoulder()
    near = mk.Position("tip", [0.1, 0.0, 0.85])
    choice = mk.AnyOf([mk.Position("tip", [5.0, 0.0, 0.0], hard=True), near])
    assert mk.solve(figure, [choice, mk.AnyOf([near, mk.Aim("tip", [3.0, 0.0, 0.0])])]).reached


def test_a_goal_that_was_changed_is_the_goal_as_it_would_have_been_made():
    rng = np.random.default_rng(0)
    for _ in range(200):
        way = rng.normal(size=3)
        made = mk.OnLine("tip", [1.0, 2.0, 3.0], way)
        assert (
            made.changed(point=[0, 0, 0]).changed(point=[1, 2, 3]).direction.tobytes()
            == made.direction.tobytes()
        )


def test_a_judge_is_packed_once_while_targets_move_whatever_was_asked_of_the_solutions(monkeypatch):
    from manikin.verify import judge as room

    packed = []
    pack = room.Judge._pack
    monkeypatch.setattr(room.Judge, "_pack", lambda self: (packed.append(1), pack(self))[1])
    body = mk.human(fingers=False)
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.2]), mk.Pin("left_foot"), mk.Balance(hard=True)]
    problem = mk.Problem(body, goals)
    for x in (0.30, 0.35, 0.40):
        found = problem.solve(targets=[np.array([x, -0.2, 1.2]), None, None])
        assert found.goals[0].target[0] == x
        assert found.reached
        assert np.linalg.norm(found.pose.position("right_hand") - [x, -0.2, 1.2]) < 1e-4
    assert len(packed) == 1


def test_a_centre_of_mass_beyond_a_sharp_corner_of_its_support_is_not_in_balance():
    """The lines of the corner's edges are near there, and the corner is 2 m away."""
    sites = [
        mk.Site(name, "base", (x, y, 0.0)) for name, x, y in (("a", 0, 0), ("b", 1, 0), ("c", 0.5, 1e-5))
    ]
    segments = [mk.Segment("base"), mk.Segment("load", 1.0, (3.0, 0.0, 0.0))]
    figure = mk.Figure("wedge", segments, [mk.Joint("lift", "base", "load", "T(z)")], sites)
    found = mk.solve(figure, [mk.Balance(("a", "b", "c"))], restarts=0)
    assert not found.reached and found.feasible
    with found.problem.borrowed() as work:
        assert work._judge._out[0] == pytest.approx(2.0)
    held = mk.solve(figure, [mk.Balance(("a", "b", "c"), hard=True)], restarts=0)
    assert held.status == "infeasible" and not held.feasible


@pytest.mark.parametrize("angles", [(0.0, 0.0), (0.7, -0.4)])
def test_the_judge_has_a_shape_where_its_turned_segment_carries_it(angles):
    """A segment that is fixed, turned about two axes, to what moves; its sphere is off the segment's origin."""
    turned = np.eye(4)
    turned[:3, :3] = exp(np.array([0.9, -0.5, 0.3]))
    turned[:3, 3] = 0.1, -0.2, 0.3
    joints = [
        mk.Joint("first", "base", "arm", "R(y)"),
        mk.Joint("second", "arm", "fore", "R(x)", [0.0, 0.1, 0.4]),
        mk.Joint("weld", "fore", "tool", "fixed", turned),
    ]
    center, radius = np.array([0.11, 0.23, -0.31]), 0.05
    segments = [
        "base",
        "arm",
        "fore",
        mk.Segment("tool", shapes=[mk.Shape("sphere", (radius,), tuple(center))]),
    ]
    figure = mk.Figure("welded", segments, joints)
    pose = figure.pose(list(angles))
    goal = mk.Inside("tool", mk.Ball([0.1, 0.2, 0.3], 0.4), whole=True, hard=True)
    verdict = Judge(figure, pose, [goal], (), (1e-4, 1e-3)).verdict(pose.q, {}, pose.q)
    turn, place = Poses(figure, pose.q[None]).segment("tool")
    away = float(np.linalg.norm(place[0] + turn[0] @ center - goal.region.center)) + radius - 0.4
    assert away > 0.01 and verdict.violations[0].kind == "hard goal"
    assert verdict.violations[0].amount == pytest.approx(away, abs=1e-12)
