"""Potentials in Python beside pins, regions, balance, levels, objectives and cones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.problems import moved

import manikin as mk
from manikin.cli.robot import arm
from manikin.errors import GoalError, SolveError

from .samples import EXACT, chain, constraint_excess, random_pose
from .test_balance import depth
from .test_nonlinear import CONE, arm as ball_arm
from .test_potential import NOTHING, at_point, turned_to

HARD = 1e-8


def near_sphere(center, radius):
    """The squared distance from a sphere."""
    c = np.asarray(center, float)

    def function(r, axes):
        d = r - c
        n = np.linalg.norm(d)
        return (n - radius) ** 2, 2.0 * (n - radius) * d / n, NOTHING

    return function


def looks_at(point):
    """1 − cos of the angle between the site's z and the direction to a point: position and axes in one."""
    t = np.asarray(point, float)

    def function(r, axes):
        d = t - r
        n = np.linalg.norm(d)
        u, v = d / n, axes[:, 2]
        by_axes = np.zeros((3, 3))
        by_axes[:, 2] = -u
        return max(1.0 - u @ v, 0.0), (v - (u @ v) * u) / n, by_axes

    return function


def stretched(point):
    """A squared distance that minds the three axes of the world very differently."""
    p, w = np.asarray(point, float), np.array([9.0, 1.0, 0.04])
    return lambda r, axes: ((r - p) @ (w * (r - p)), 2.0 * w * (r - p), NOTHING)


def checked(solution: mk.Solution) -> mk.Solution:
    """What holds of every solution: inside the limits, hard goals met, every value the function's own."""
    pose = solution.pose
    assert constraint_excess(solution) <= EXACT
    assert all(cone.value(solution.q) <= 1.0 + EXACT for cone in solution.figure.cones)
    for miss in solution.measured:
        if isinstance(miss.goal, mk.Potential):
            frame = pose.matrix(miss.goal.site)
            value = miss.goal.function(frame[:3, 3], frame[:3, :3])[0]
            assert miss.amount == pytest.approx(value, rel=1e-6, abs=1e-13)
            assert miss.reached == (miss.amount <= miss.goal.tolerance) and miss.unit == ""
        elif getattr(miss.goal, "hard", False) and solution.status != "infeasible":
            assert miss.amount <= HARD
    asked = [miss for miss in solution.measured if not isinstance(miss.goal, mk.Objective)]
    assert solution.reached == all(miss.reached for miss in asked)
    return solution


def test_beside_hard_pins_a_function_ends_where_the_same_position_does():
    body = mk.human(fingers=False)
    feet = [mk.Pin("left_foot", hard=True), mk.Pin("right_foot", hard=True)]
    hand = body.pose().position("right_hand")
    for away in ([0.3, 0.1, 0.2], [1.3, 0.1, 0.2]):
        own = mk.solve(body, [*feet, mk.Position("right_hand", hand + away)], restarts=0)
        found = checked(
            mk.solve(body, [*feet, mk.Potential("right_hand", at_point(hand + away))], restarts=0)
        )
        assert found.reached == own.reached
        assert found.cost <= own.cost + 1e-8
        for foot in ("left_foot", "right_foot"):
            assert found.pose.matrix(foot) == pytest.approx(body.pose().matrix(foot), abs=HARD)


@pytest.mark.parametrize("hard", [True, False])
def test_beside_regions_hard_and_soft(hard):
    figure, rng = arm(), np.random.default_rng(3)
    for _ in range(6):
        start, aim = random_pose(figure, rng), random_pose(figure, rng).position("tool")
        ball = mk.Ball(start.position("elbow"), 0.1)
        wall = mk.HalfSpace(start.position("tool") + [0.0, 0.0, 0.05], [0, 0, 1])
        rest = [mk.Inside("elbow", ball, hard=hard), mk.Inside("tool", wall, hard=hard)]
        own = mk.solve(start, [mk.Position("tool", aim), *rest], restarts=0)
        found = checked(mk.solve(start, [mk.Potential("tool", at_point(aim)), *rest], restarts=0))
        assert found.status in ("reached", "stationary") and found.reached == own.reached
        assert found.cost <= own.cost * (1.0 + 1e-6) + 1e-8
        if hard:
            assert np.linalg.norm(found.pose.position("elbow") - ball.center) <= 0.1 + HARD


def test_outside_an_obstacle():
    figure = arm()
    start = figure.pose({"shoulder": 0.8, "elbow": 0.6})
    middle = start.position("tool")
    post = mk.Ball(middle, 0.15)
    found = checked(
        mk.solve(start, [mk.Potential("tool", at_point(middle)), mk.Outside("tool", post, hard=True)])
    )
    assert found.status == "stationary"
    # The nearest that the tool's point may come is the ball's surface, or less near where the tool has a shape.
    assert found.cost >= 0.15**2 - 1e-8


def test_in_balance():
    body = mk.human(fingers=False)
    hand = body.pose().position("right_hand")
    goals = [
        mk.Pin("left_foot", hard=True),
        mk.Pin("right_foot", hard=True),
        mk.Balance(margin=0.02, hard=True),
        mk.Potential("right_hand", at_point(hand + [0.9, 0.1, -0.2])),
    ]
    found = checked(mk.solve(body, goals, restarts=0))
    assert depth(found.pose) >= 0.02 - HARD
    own = mk.solve(body, [*goals[:3], mk.Position("right_hand", hand + [0.9, 0.1, -0.2])], restarts=0)
    assert found.cost <= own.cost + 1e-8


def test_a_cone_holds_a_function_as_it_holds_a_position():
    figure = ball_arm(**CONE)
    for target in ([0.4, 0.1, 0.4], [0.1, -0.5, 0.2], [-0.6, 0.3, 0.1]):
        own = mk.solve(figure, [mk.Position("tip", target)], restarts=0)
        found = checked(mk.solve(figure, [mk.Potential("tip", at_point(target))], restarts=0))
        assert found.reached == own.reached
        assert found.cost == pytest.approx(own.cost, abs=1e-8)


def test_a_function_above_is_held_on_its_curved_surface_while_a_goal_below_slides_along_it():
    body = mk.human(fingers=False)
    hand = body.pose().position("right_hand")
    center, target = hand + [0.3, 0.0, 0.2], hand + [1.0, 0.3, 0.5]
    goals = [
        [mk.Pin("left_foot", hard=True), mk.Pin("right_foot", hard=True)],
        [mk.Potential("right_hand", near_sphere(center, 0.15))],
        [mk.Position("right_hand", target)],
    ]
    found = checked(mk.solve(body, goals, restarts=0))
    assert found.status == "stationary"
    assert found.measured[-2].reached and not found.measured[-1].reached
    nearest = np.linalg.norm(target - center) - 0.15
    assert found.measured[-1].amount == pytest.approx(nearest, abs=1e-4)


def test_a_function_above_that_is_missed_gets_no_worse_for_a_goal_below():
    figure = arm()
    far = mk.Potential("tool", at_point([3.0, 0.0, 0.2]))
    alone = mk.solve(figure, [[far], [mk.LeastChange()]], restarts=0)
    below = checked(mk.solve(figure, [[far], [mk.Position("elbow", [0.0, 0.5, 0.2])]], restarts=0))
    assert below.measured[0].amount <= alone.measured[0].amount + 1e-7
    assert below.status == "stationary"


def test_a_function_below_yields_to_the_goals_above():
    figure = arm()
    target = figure.pose({"waist": 0.4, "shoulder": 0.7, "elbow": 0.5}).position("tool")
    goals = [[mk.Position("tool", target)], [mk.Potential("elbow", at_point([0.0, 0.0, 0.0]))]]
    own = mk.solve(figure, [goals[0], [mk.Position("elbow", [0.0, 0.0, 0.0])]], restarts=0)
    found = checked(mk.solve(figure, goals, restarts=0))
    assert found.measured[0].reached and not found.measured[1].reached
    assert found.measured[1].amount <= own.measured[1].amount ** 2 + 1e-6


def test_a_posture_chooses_among_the_poses_that_a_function_leaves():
    figure = arm()
    start = figure.pose({"shoulder": 0.6, "elbow": 0.9})
    surface = near_sphere(start.position("tool") + [0.2, 0.0, 0.1], 0.1)
    loose = checked(mk.solve(start, [mk.Potential("tool", surface), mk.Pin("base", hard=True)]))
    kept = checked(mk.solve(start, [mk.Potential("tool", surface), mk.LeastChange()]))
    assert loose.reached and kept.reached
    assert np.linalg.norm(kept.q - start.q) <= np.linalg.norm(loose.q - start.q) + 1e-9


@pytest.mark.parametrize("make", [stretched, looks_at, lambda p: near_sphere(p, 0.2)])
def test_no_worse_than_slsqp_on_the_same_problem(make):
    """The elbow held on a plane, the tool below a ceiling; SciPy sees poses by plain forward kinematics only."""
    figure, rng = arm(), np.random.default_rng(17)
    for _ in range(4):
        start = random_pose(figure, rng)
        function = make(1.5 * random_pose(figure, rng).position("tool"))
        height, ceiling = start.position("elbow")[2], start.position("tool")[2] + 0.1
        goals = [
            mk.Potential("tool", function),
            mk.OnPlane("elbow", start.position("elbow"), [0, 0, 1], hard=True),
            mk.Inside("tool", mk.HalfSpace([0, 0, ceiling], [0, 0, 1]), hard=True),
        ]
        found = checked(mk.solve(start, goals))

        def total(q, function=function):
            frame = figure.pose(q).matrix("tool")
            return function(frame[:3, 3], frame[:3, :3])[0]

        other = minimize(
            total,
            start.q,
            method="SLSQP",
            bounds=list(zip(figure.lower, figure.upper, strict=True)),
            constraints=[
                {"type": "eq", "fun": lambda q, h=height: figure.pose(q).position("elbow")[2] - h},
                {"type": "ineq", "fun": lambda q, c=ceiling: c - figure.pose(q).position("tool")[2]},
            ],
            options={"ftol": 1e-12, "maxiter": 300},
        )
        assert found.status in ("reached", "stationary")
        assert found.cost <= other.fun + 1e-6


def test_a_saddle_of_a_function_is_left_beside_a_hard_goal():
    figure = chain([0.3, 0.2], ["ball", "ball"])
    room = mk.Inside("tip", mk.Ball([0, 0, 0], 1.0), hard=True)
    for turn in (np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1])):
        goal = mk.Potential("tip", turned_to(turn), tolerance=1e-8)
        assert checked(mk.solve(figure, [goal, room], restarts=0)).reached


def test_one_of_several_choices_may_be_a_function():
    figure = arm()
    near = figure.pose({"waist": 0.3, "shoulder": 0.5}).position("tool")
    choice = mk.AnyOf([mk.Position("tool", [5.0, 0, 0]), mk.Potential("tool", at_point(near))])
    found = mk.solve(figure, [choice])
    assert found.reached and found.choices[choice] == 1
    assert found.pose.position("tool") == pytest.approx(near, abs=1e-3)


def test_a_function_measured_from_another_site():
    body = mk.human(fingers=False)
    goal = mk.Relative(
        "right_hand", "left_hand", mk.Potential("right_hand", at_point([0.0, 0.1, 0.0]), tolerance=1e-10)
    )
    pins = [mk.Pin("left_foot", hard=True), mk.Pin("right_foot", hard=True)]
    found = mk.solve(body, [*pins, goal])
    assert found.reached
    seen = np.linalg.inv(found.pose.matrix("left_hand")) @ found.pose.matrix("right_hand")
    assert seen[:3, 3] == pytest.approx([0.0, 0.1, 0.0], abs=2e-5)


def test_what_cannot_be_met_is_said_so_in_words_and_as_data():
    figure = arm()
    goals = [
        mk.Potential("tool", at_point([4.0, 0.0, 0.3])),
        mk.Inside("tool", mk.HalfSpace([0, 0, 0.5], [0, 0, 1]), hard=True),
    ]
    found = checked(mk.solve(figure, goals))
    assert found.status == "stationary" and not found.reached
    assert found.explain().startswith("tool has a potential of ")
    told = json.loads(json.dumps(found.to_dict()))
    assert told["goals"][0]["kind"] == "potential" and told["goals"][0]["reached"] is False
    assert found.degree_of_redundancy() >= 0 and found.diagnose() is not None


def test_the_limits_that_hold_a_function_back_are_named_with_what_they_would_gain():
    figure = chain([0.5, 0.3], ["R(y)", "R(y)"], lower=[-0.5, -0.4], upper=[0.5, 0.4])
    function = at_point([0.7, 0.0, 0.1])
    goals = [mk.Potential("tip", function), mk.Inside("tip", mk.Ball([0, 0, 0], 2.0), hard=True)]
    found = checked(mk.solve(figure, goals))
    assert found.q == pytest.approx([0.5, 0.4]) and {limit.name for limit in found.active_constraints()} == {
        "j1",
        "j2",
    }
    more = figure.pose([0.5 + np.radians(1.0), 0.4])
    gain = found.cost - function(more.position("tip"), NOTHING)[0]
    assert f"j1 is at its limit of 0.50 rad (29°); one more degree would gain {gain:.3g}" in found.explain()
    assert found.diagnose().kind == "limits" and found.diagnose().goals == (goals[0],)


def test_nothing_that_slsqp_could_still_gain_is_left_at_a_stationary_end():
    figure, rng = arm(), np.random.default_rng(99)
    for make in (stretched, looks_at, lambda p: near_sphere(p, 0.2)):
        start = random_pose(figure, rng)
        function = make(1.5 * random_pose(figure, rng).position("tool"))
        height = start.position("elbow")[2]
        plane = mk.OnPlane("elbow", start.position("elbow"), [0, 0, 1], hard=True)
        found = checked(mk.solve(start, [mk.Potential("tool", function), plane], restarts=0))

        def total(q, function=function):
            frame = figure.pose(q).matrix("tool")
            return function(frame[:3, 3], frame[:3, :3])[0]

        other = minimize(
            total,
            found.q,
            method="SLSQP",
            bounds=list(zip(figure.lower, figure.upper, strict=True)),
            constraints={"type": "eq", "fun": lambda q, h=height: figure.pose(q).position("elbow")[2] - h},
            options={"ftol": 1e-13, "maxiter": 300},
        )
        assert other.fun >= found.cost - 1e-7


def test_hard_goals_that_contradict_each_other_are_infeasible_whatever_the_function():
    figure = arm()
    goals = [
        mk.Potential("tool", at_point([0.3, 0.1, 0.5])),
        mk.Position("tool", [9.0, 0, 0], hard=True),
    ]
    found = mk.solve(figure, goals, restarts=0)
    assert found.status == "infeasible" and "position of 'tool'" in found.explain()


def test_a_function_is_left_out_and_replaced():
    figure = arm()
    goal = mk.Potential("tool", at_point([9.0, 0, 0]))
    problem = mk.Problem(figure, [goal, mk.Pin("base", hard=True)])
    assert not checked(problem.solve(restarts=0)).reached
    assert problem.replace(goals=problem.goals[1:]).solve().reached
    target = figure.pose({"waist": 0.5, "shoulder": 0.8}).position("tool")
    problem = moved(problem, goal, function=at_point(target))
    assert checked(problem.solve()).reached


def test_a_time_limit_stops_it_honestly():
    figure = arm()
    goals = [
        mk.Potential("tool", at_point([0.4, 0.1, 0.5])),
        mk.Inside("tool", mk.Ball([0, 0, 0], 5.0), hard=True),
    ]
    found = mk.solve(figure, goals, time_limit=1e-9)
    assert found.status == "time_limit" and not found.reached


def test_hard_functions_and_velocity_limits_are_refused_in_words():
    with pytest.raises(GoalError, match="potential of 'tool': a potential in Python cannot be hard"):
        mk.solve(arm(), [mk.Potential("tool", at_point([1, 0, 0]), hard=True)])
    goals = [mk.Potential("tool", at_point([1, 0, 0])), mk.LeastChange()]
    with pytest.raises(SolveError, match="know no velocity limits"):
        mk.Problem(arm(), goals).solve(dt=0.01)


def wrong_position(r, axes):
    return r @ r, -2.0 * r, NOTHING


def wrong_axes(r, axes):
    value, force, by_axes = turned_to(np.diag([1.0, -1, -1]))(r, axes)
    return value, force, 1.01 * by_axes


@pytest.mark.parametrize(("function", "half"), [(wrong_position, "position"), (wrong_axes, "axes")])
@pytest.mark.parametrize("beside", [[], [mk.LeastChange()]])
def test_a_wrong_gradient_is_named(function, half, beside):
    start = arm().pose({"waist": 0.2, "shoulder": 0.4, "elbow": 0.3, "forearm": 0.2})
    problem = mk.Problem(start, [mk.Potential("tool", function), *beside])
    with pytest.raises(GoalError, match=f"potential of 'tool': the gradient by the {half}.* differences"):
        problem.solve()


def test_a_right_gradient_is_compared_once():
    calls = []

    def counted(r, axes):
        calls.append(1)
        return at_point([0.4, 0.1, 0.5])(r, axes)

    goal = mk.Potential("tool", counted)
    goal.check_gradient(np.array([0.1, 0.2, 0.3]), np.eye(3))
    many = len(calls)
    goal.check_gradient(np.array([0.1, 0.2, 0.3]), np.eye(3))
    assert many > 12 and len(calls) == many


def test_a_wrong_gradient_is_told_on_a_figure_of_any_size():
    def wrong(r, axes):
        return r @ r / 1e12, 3.0 * r / 1e12, NOTHING

    with pytest.raises(GoalError, match=r"gradient by the position is \(3e-06"):
        mk.Potential("tool", wrong).check_gradient(np.array([1e6, 0.0, 0.0]), np.eye(3))
