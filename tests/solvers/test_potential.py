from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk
from manikin.cli.robot import arm
from manikin.errors import GoalError

from .samples import chain, check, random_pose, random_rotation

NOTHING = np.zeros((3, 3))


def at_point(target):
    """The potential of a Position, as a function."""
    p = np.asarray(target, float)
    return lambda r, axes: ((r - p) @ (r - p), 2.0 * (r - p), NOTHING)


def turned_to(target):
    """The potential of an Orientation with all axes minded, as a function."""
    g = np.asarray(target, float)
    return lambda r, axes: (0.5 * ((axes - g) ** 2).sum(), np.zeros(3), axes - g)


def test_a_function_equal_to_a_position_gives_the_same_pose():
    figure, rng = arm(), np.random.default_rng(61)
    for case in range(15):
        target = random_pose(figure, rng).position("tool") * (3.0 if case % 3 == 0 else 1.0)
        start = random_pose(figure, rng)
        tolerance = (1e-4, 1e-3)
        own = check(mk.solve(start, [mk.Position("tool", target)], method="projection", tolerance=tolerance))
        goal = mk.Potential("tool", at_point(target), tolerance=1e-12)
        by_hand = check(mk.solve(start, [goal], method="projection"))
        assert by_hand.reached == own.reached
        if own.reached:
            assert by_hand.q == pytest.approx(own.q, abs=1e-6)
        assert by_hand.pose.position("tool") == pytest.approx(own.pose.position("tool"), abs=1e-6)
        assert by_hand.cost == pytest.approx(own.cost, abs=1e-9)


def test_a_function_of_the_axes_gives_the_same_turn_as_an_orientation():
    figure, rng = chain([0.3, 0.2, 0.1], ["ball", "R(y)", "ball"]), np.random.default_rng(62)
    for _ in range(15):
        start, target = random_pose(figure, rng), random_rotation(rng)
        own = check(mk.solve(start, [mk.Orientation("tip", target)]))
        by_hand = check(mk.solve(start, [mk.Potential("tip", turned_to(target), tolerance=1e-9)]))
        assert own.reached and by_hand.reached
        assert by_hand.pose.matrix("tip")[:3, :3] == pytest.approx(target, abs=1e-4)


def test_functions_and_goals_are_weighed_together():
    figure = arm()
    target, other = [1.5, 0.2, 0.4], [0.1, 0.3, 0.6]
    for weight in (0.1, 1.0, 10.0):
        own = check(
            mk.solve(
                figure,
                [mk.Position("tool", target), mk.Position("elbow", other, weight=weight)],
                method="projection",
            )
        )
        mixed = check(
            mk.solve(
                figure,
                [mk.Position("tool", target), mk.Potential("elbow", at_point(other), weight=weight)],
                method="projection",
            )
        )
        assert mixed.q == pytest.approx(own.q, abs=1e-5)
        assert mixed.cost == pytest.approx(own.cost, rel=1e-8)


def test_all_goals_must_be_met_for_reached():
    figure = arm()
    target = random_pose(figure, np.random.default_rng(63)).position("tool")
    near = mk.Potential("tool", at_point(target), tolerance=1e-10)
    far = mk.Potential("tool", at_point([9.0, 0, 0]), tolerance=1e-10, weight=1e-6)
    assert check(mk.solve(figure, [near])).reached
    both = check(mk.solve(figure, [near, far]))
    assert not both.reached and both.status == "stationary"
    assert [miss.reached for miss in both.measured][1] is False
    assert not check(mk.solve(figure, [far, mk.Position("tool", target)])).reached


def test_a_function_stays_inside_limits_and_constraints():
    figure, rng = arm(), np.random.default_rng(64)
    rows = ["shoulder + elbow <= 1.2", "waist = forearm"]
    for _ in range(20):
        target = 1.5 * rng.normal(size=3)
        solution = check(
            mk.solve(random_pose(figure, rng), [mk.Potential("tool", at_point(target))], constraints=rows),
            rows,
        )
        assert solution.cost == pytest.approx(solution.goal_reports[0].value)


def test_the_miss_is_the_value_and_is_explained():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"])
    solution = check(mk.solve(figure.pose([0.3, 0.3]), [mk.Potential("tip", at_point([1.7, 0.0, 0.0]))]))
    assert solution.goal_reports[0].value == pytest.approx(1.0)
    assert solution.explain().startswith("tip has a potential of 1")
    assert solution.measured[0].unit == ""


def test_a_limit_that_holds_a_function_back_is_reported():
    figure = chain([0.5], ["R(y)"], lower=[-0.5], upper=[0.5])
    compiled = check(mk.solve(figure, [mk.Position("tip", [0.5, 0.0, 0.0])]))
    by_hand = check(mk.solve(figure, [mk.Potential("tip", at_point([0.5, 0.0, 0.0]))]))
    assert by_hand.q == pytest.approx(compiled.q)
    assert (
        [limit.name for limit in by_hand.active_constraints()]
        == [limit.name for limit in compiled.active_constraints()]
        == ["j1"]
    )


def test_a_function_can_be_left_out_and_replaced():
    figure = arm()
    goal = mk.Potential("tool", at_point([9.0, 0, 0]))
    elbow = figure.pose({"waist": 0.5, "shoulder": 0.8}).position("elbow")
    problem = mk.Problem(figure, [goal, mk.Position("elbow", elbow)])
    assert not check(problem.solve()).reached
    off = check(problem.replace(goals=problem.goals[1:]).solve())
    assert off.reached
    problem = moved(problem, goal, function=at_point(off.pose.position("tool")), tolerance=1e-6)
    assert check(problem.solve()).reached


def test_a_saddle_of_a_function_is_left():
    """Straight limbs and half turns, their curvature by differences."""
    straight = chain(
        [0.4, 0.4, 0.1], ["ball", "R(y)", "R(y)"], up=-1.0, lower=[-2.0, 0.0, -1.0], upper=[2.0, 2.6, 1.0]
    )
    for share in (0.05, 0.2, 0.4):
        start = straight.pose(np.zeros(straight.n))
        target = (1.0 - share) * start.position("tip")
        solution = check(mk.solve(start, [mk.Potential("tip", at_point(target), tolerance=1e-8)]))
        assert solution.cost < 0.5 * (share * 0.9) ** 2
    ball = chain([0.3], ["ball"])
    for turn in (np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1])):
        assert check(mk.solve(ball, [mk.Potential("tip", turned_to(turn), tolerance=1e-8)])).reached


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (3.0, "must return a value, a gradient by the position"),
        ((1.0, np.zeros(3)), "must return a value"),
        (None, "must return a value"),
        (("much", np.zeros(3), NOTHING), "must return a value"),
        ((1.0, np.zeros(2), NOTHING), r"shapes \(3,\) and \(3, 3\), got \(2,\) and \(3, 3\)"),
        ((1.0, np.zeros(3), np.zeros(3)), r"got \(3,\) and \(3,\)"),
        ((np.nan, np.zeros(3), NOTHING), "not finite"),
        ((1.0, np.full(3, np.inf), NOTHING), "not finite"),
        ((1.0, np.zeros(3), NOTHING + np.nan), "not finite"),
    ],
)
def test_functions_that_answer_nonsense_are_refused(answer, words):
    with pytest.raises(GoalError, match=f"potential of 'tool': .*{words}"):
        mk.solve(arm(), [mk.Potential("tool", lambda r, axes: answer)])


def test_what_the_function_raises_comes_out_unchanged():
    class OwnError(Exception):
        pass

    def broken(r, axes):
        raise OwnError("mine")

    problem = mk.Problem(arm(), [mk.Potential("tool", broken)])
    with pytest.raises(OwnError, match="mine"):
        problem.solve()
    problem = moved(problem, 0, function=at_point([0.4, 0.1, 0.5]), tolerance=1e-8)
    assert check(problem.solve()).reached


def test_the_function_may_not_disturb_the_solver_by_writing_to_its_arguments():
    target = np.array([0.4, 0.1, 0.5])

    def careless(r, axes):
        value, slope = (r - target) @ (r - target), 2.0 * (r - target)
        r[:] = 0.0
        axes[:] = 0.0
        return value, slope, NOTHING

    careful = mk.solve(arm(), [mk.Potential("tool", at_point(target))])
    try:
        solution = mk.solve(arm(), [mk.Potential("tool", careless)])
    except ValueError:
        return
    assert check(solution).q == pytest.approx(careful.q, abs=1e-9)


def test_a_time_limit_stops_slow_functions_too():
    solution = check(mk.solve(arm(), [mk.Potential("tool", at_point([0.4, 0.1, 0.5]))], time_limit=1e-9))
    assert solution.status == "time_limit" and not solution.reached
