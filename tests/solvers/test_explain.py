from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk
from manikin.figure import Figure, Joint, Site
from manikin.goals.words import angle, length
from manikin.papers.chains import planar_chain

from .samples import chain, check

DEGREE = math.radians(1.0)

HINT = "Nothing nearby is better. Other starts may be: restarts=20 tries twenty."


def planar(lower=(-1.2, 0.2), upper=(1.0, 1.5)) -> Figure:
    """Two links in the xz plane whose names a sentence can use."""
    joints = [
        Joint.revolute("shoulder", "base", "upper", "y", lower=lower[0], upper=upper[0]),
        Joint.revolute("elbow", "upper", "lower", "y", placement=(0, 0, 0.4), lower=lower[1], upper=upper[1]),
    ]
    return Figure("planar", ["base", "upper", "lower"], joints, [Site("hand", "lower", (0, 0, 0.3))])


def held(lower=(-1.2, 0.2), upper=(1.0, 1.5)) -> mk.Solution:
    """Reaching out in front: the shoulder is at its upper limit, the elbow is free."""
    return check(mk.solve(planar(lower, upper), [mk.Position("hand", [0.79, 0.0, 0.008])], restarts=0))


def test_the_limit_that_holds_a_goal_is_named_with_what_it_costs():
    solution = held()
    assert [(limit.name, limit.side) for limit in solution.active_constraints()] == [("shoulder", "upper")]
    text = solution.explain()
    wider = held(upper=(1.0 + DEGREE, 1.5))
    gain = solution.position_errors[0] - wider.position_errors[0]
    assert gain > 0.001
    assert text == (
        f"hand misses its target by {length(solution.position_errors[0])}: shoulder is at its limit of 1.00 rad (57°); "
        f"one more degree would gain {length(gain)}.\n{HINT}"
    )


def test_the_gain_of_one_more_degree_is_what_a_wider_figure_gains():
    from manikin.result.explain.limits import gains

    solution = held()
    wider = held(upper=(1.0 + DEGREE, 1.5))
    gain = gains(solution, solution.active_constraints()[0])[0]
    assert gain == pytest.approx(solution.position_errors[0] - wider.position_errors[0], rel=0.01)
    assert held().q == pytest.approx(solution.q, abs=0.0)


def test_a_lower_limit_is_named_with_its_minus_sign():
    solution = check(mk.solve(planar(lower=(-0.07, 0.2)), [mk.Position("hand", [-0.6, 0.0, 0.1])]))
    assert "shoulder is at its limit of −0.07 rad (−4°)" in solution.explain()


def test_a_slide_gains_by_the_centimetre():
    figure = chain([0.0, 0.2], ["T(x)", "R(y)"], lower=[-0.1, -0.5], upper=[0.3, 0.5])
    solution = check(mk.solve(figure, [mk.Position("tip", [0.9, 0.0, 0.2])]))
    assert "j1 is at its limit of 0.30 m; one more centimetre would gain 10.0 mm" in solution.explain()


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_multipliers_are_the_fall_of_the_potential_by_the_limit(side):
    target = [0.79, 0.0, 0.008] if side == "upper" else [-0.6, 0.0, 0.2]

    def solved(shift: float) -> mk.Solution:
        limits = {"lower": (-0.5 - shift, 0.2)} if side == "lower" else {"upper": (1.0 + shift, 1.5)}
        return mk.solve(planar(**limits), [mk.Position("hand", target)])

    solution = check(solved(0.0))
    limit = next(limit for limit in solution.active_constraints() if limit.name == "shoulder")
    assert limit.side == side
    slope = (solved(1e-4).cost - solved(-1e-4).cost) / 2e-4
    assert limit.multiplier == pytest.approx(-slope, rel=1e-4)


def test_multipliers_of_constraints_are_the_fall_of_the_potential_too():
    figure = chain([0.4, 0.3, 0.2], ["R(y)"] * 3, lower=[0.0] * 3, upper=[3.0] * 3)
    start, goals = figure.pose([0.1, 0.3, 0.2]), [mk.Position("tip", [0.3, 0.0, -0.1])]

    def solved(shift: float) -> mk.Solution:
        rows = [mk.Coupling({"j1": 1.0, "j2": 0.5}, upper=0.6 + shift), "j3 <= 0.8"]
        return mk.solve(start, goals, constraints=rows)

    solution = check(solved(0.0), ["j1 + 0.5*j2 <= 0.6"])
    limit = next(limit for limit in solution.active_constraints() if "j1" in limit.name)
    assert limit.name == "j1 + 0.5*j2 <= 34.38°" and limit.side == "upper" and limit.value == 0.6
    slope = (solved(1e-4).cost - solved(-1e-4).cost) / 2e-4
    assert limit.multiplier == pytest.approx(-slope, rel=1e-3)
    assert "the constraint j1 + 0.5*j2 <= 34.38° holds it; one more degree would gain" in solution.explain()


def test_the_strongest_limit_comes_first():
    figure = planar(upper=(0.3, 0.4))
    solution = check(mk.solve(figure, [mk.Position("hand", [0.4, 0.0, -0.4])]))
    sizes = [limit.multiplier for limit in solution.active_constraints()]
    assert len(sizes) == 2 and sizes == sorted(sizes, reverse=True)


def test_an_equality_that_holds_a_goal_is_named():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"])
    solution = check(
        mk.solve(figure.pose([0.2, 0.2]), [mk.Position("tip", [0.1, 0.0, 0.3])], constraints=["j1 = j2"]),
        ["j1 = j2"],
    )
    assert not solution.reached
    assert [limit.side for limit in solution.active_constraints()] == ["equal"]
    assert "the constraint j1 - j2 = 0° holds it" in solution.explain()


def test_out_of_reach_of_everything_no_limit_is_blamed():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"])
    solution = check(mk.solve(figure.pose([0.3, 0.3]), [mk.Position("tip", [2.0, 0.0, 0.0])]))
    assert solution.active_constraints() == ()
    text = solution.explain()
    assert text.startswith("tip misses its target by 1.30 m: ")
    assert "out of reach" in text and "no limit stands in the way" in text and "pull against" not in text


def test_one_placement_out_of_reach_is_not_told_that_goals_pull_against_each_other():
    figure = chain([0.4, 0.3, 0.1], ["ball", "R(y)", "ball"])
    solution = check(
        mk.solve(figure.pose(np.full(7, 0.2)), [mk.Placement("tip", [2.0, 0.0, 0.0], np.eye(3))])
    )
    assert "the goals pull against each other" not in solution.explain()


def test_goals_that_pull_against_each_other_are_told_so():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"])
    goals = [mk.Position("tip", [0.3, 0.0, 0.5]), mk.Position("tip", [0.4, 0.0, 0.5])]
    solution = check(mk.solve(figure.pose([0.1, 0.3]), goals, restarts=0))
    *lines, last = solution.explain().splitlines()
    assert len(lines) == 2 and last == HINT
    for line in lines:
        assert line.startswith("tip misses its target by 5.0 cm: ")
        assert "the goals pull against each other" in line and "no limit stands in the way" in line


def test_each_goal_has_its_line_and_a_placement_two():
    figure = chain([0.3, 0.3, 0.1], ["ball", "R(y)", "ball"])
    pose = figure.pose(np.linspace(0.2, 0.9, 7))
    frame = pose.matrix("tip")
    goals = [
        mk.Placement("tip", frame[:3, 3], frame),
        mk.OnPlane("link2", pose.position("link2"), [0, 0, 1]),
        mk.Aim("tip", at=frame[:3, 3] + frame[:3, 0]),
    ]
    lines = check(mk.solve(pose, goals)).explain().splitlines()
    assert lines[0].startswith("tip reaches its position (") and lines[0].endswith("m off).")
    assert lines[1].startswith("tip reaches its orientation (") and lines[1].endswith("° off).")
    assert lines[2].startswith("link2 reaches its plane (")
    assert lines[3].startswith("tip reaches its aim (")
    assert len(lines) == 4


def test_a_goal_that_weighs_nothing_says_so():
    problem = mk.Problem(
        planar(), [mk.Position("hand", [5, 0, 0]), mk.Aim("hand", [1, 0, 1], axis=(0, 0, 1))]
    )
    problem = moved(problem, 0, weight=0.0)
    solution = check(problem.solve())
    assert solution.explain().splitlines()[0] == "hand: its position goal is switched off."
    assert solution.reached
    weightless = mk.solve(planar(), [mk.Position("hand", [5, 0, 0], weight=0.0)])
    assert weightless.explain() == "hand: its position goal is switched off."


def test_no_goals_are_said_to_be_none():
    assert mk.solve(planar(), []).explain() == "There are no goals: the pose is the start."


def test_a_contradiction_is_explained():
    solution = mk.solve(planar(), [mk.Position("hand", [0.3, 0, 0.3])], constraints=["shoulder + elbow >= 3"])
    first, *rest = solution.explain().splitlines()
    assert first.startswith("No pose satisfies") and rest == ["  shoulder + elbow >= 171.9°"]
    assert solution.active_constraints() == ()


def test_explaining_changes_nothing():
    problem = mk.Problem(planar(), [mk.Position("hand", [0.79, 0.0, 0.008])])
    first = problem.solve()
    before = first.q.copy(), first.cost, first.position_errors.copy()
    first.explain(), first.active_constraints(), first.degree_of_redundancy(), first.to_dict()
    assert np.array_equal(first.q, before[0]) and first.cost == before[1]
    assert np.array_equal(problem.solve().q, before[0]) and np.array_equal(first.position_errors, before[2])


def test_what_is_said_fits_in_json():
    solution = held()
    data = json.loads(json.dumps(solution.to_dict()))
    assert data["status"] == "stationary" and data["active_constraints"][0]["name"] == "shoulder"
    assert data["q"] == solution.pose.values() and data["explanation"] == solution.explain()


def test_redundancy_counts_what_the_goals_leave():
    figure = chain([0.3, 0.3, 0.1], ["ball", "R(y)", "ball"])
    pose = figure.pose(np.linspace(0.2, 0.9, 7))
    frame = pose.matrix("tip")
    assert mk.solve(pose, [mk.Position("tip", frame[:3, 3])]).degree_of_redundancy() == 4
    assert mk.solve(pose, [mk.Placement("tip", frame[:3, 3], frame)]).degree_of_redundancy() == 1
    assert (
        mk.solve(pose, [mk.Position("tip", frame[:3, 3])], constraints=["j2 = 0.65"]).degree_of_redundancy()
        <= 3
    )


@pytest.mark.parametrize(
    ("metres", "text"),
    [
        (1.25, "1.25 m"),
        (1.0, "1.00 m"),
        (0.124, "12.4 cm"),
        (0.01, "1.0 cm"),
        (0.0031, "3.1 mm"),
        (0.0001, "0.1 mm"),
        (0.00004, "40 µm"),
        (0.0, "0 µm"),
        (-0.5, "-50.0 cm"),
    ],
)
def test_lengths_are_said_as_people_say_them(metres, text):
    assert length(metres) == text


def test_angles_are_said_in_degrees():
    assert angle(math.pi) == "180.0°" and angle(math.radians(0.05)) == "0.05°"


def test_restarts_do_not_blame_the_users_start():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"], lower=[-1.0, -1.0], upper=[1.0, 1.0])
    constraints = ["j2 >= 1.5*j1"]
    solution = mk.solve(figure, [mk.Position("tip", [-2.0, 0.0, 0.1])], constraints=constraints, restarts=5)
    assert solution.starts == 6 and solution.corrected_start == {} and HINT not in solution.explain()


def test_what_no_degree_can_mend_is_called_far_out_of_reach():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"], lower=[-0.1, -0.1], upper=[0.1, 0.1])
    assert "it is far out of reach; j" in mk.solve(figure, [mk.Position("tip", [9.0, 0.0, 0.1])]).explain()


def test_a_goal_that_yields_to_a_farther_one_is_not_called_out_of_reach():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"], lower=[-0.1, -0.1], upper=[0.1, 0.1])
    goals = [mk.Position("tip", [9.0, 0.0, 0.1]), mk.Position("tip", [0.1, 0.0, 0.7])]
    first, second, _ = mk.solve(figure, goals, restarts=0).explain().splitlines()
    assert "far out of reach" in first and "far out of reach" not in second


def test_a_method_that_knows_no_limits_says_which_it_left_and_what_was_kept():
    figure = planar_chain(rest=[0.6, 0.5, 0.4], lower=[None, -1.0, None], upper=[None, 0.7, None])
    solution = mk.solve(figure, [mk.Position("P3", [1.0, 1.8, 0.0])], method="damped")
    goal, left = solution.explain().splitlines()
    assert goal.startswith("P3 misses its target by ")
    assert goal.endswith(": the method knows no limits and left them.")
    assert left.startswith("Method 'damped' left theta2, ") and "above its range" in left
    assert left.endswith("The last pose on its way inside all limits was kept.")
    assert "stopped" not in solution.explain()
    ((name, excess),) = solution.details["left"].items()
    assert name == "theta2" and excess > 0.01


def test_a_method_that_was_stopped_by_the_clock_still_says_so():
    figure = planar_chain(rest=[0.6, 0.5, 0.4])
    solution = mk.solve(figure, [mk.Position("P3", [1.0, 1.8, 0.0])], method="damped", time_limit=1e-9)
    assert "the solver was stopped before it was done" in solution.explain()
