"""The three results of the report of 1989, reproduced on the human figure."""

import numpy as np
import pytest
from tests.problems import work_of

import manikin as mk
from manikin.cli.report import cases
from manikin.engines.starts.restarts import random_start


@pytest.mark.parametrize(("place", "dofs", "reached"), [(0, 16, True), (1, 31, False), (2, 10, True)])
def test_each_result_has_its_degrees_of_freedom_and_its_outcome(place, dofs, reached):
    case = cases()[place]
    problem = mk.Problem(case.start, case.goals, free=case.free)
    solution = problem.solve()
    figure = case.start.figure
    assert len(problem.variables) == dofs
    assert solution.reached is reached and (reached or solution.status == "stationary")
    assert (solution.q >= figure.lower - 1e-9).all() and (solution.q <= figure.upper + 1e-9).all()
    still = [j for j, name in enumerate(figure.dofs) if name not in problem.variables]
    assert (solution.q[still] == case.start.q[still]).all()
    for goal, miss in zip(case.goals, solution.position_errors, strict=True):
        target = goal.target if isinstance(goal, mk.Position) else goal.position
        assert np.linalg.norm(solution.pose.position(goal.site) - target) == pytest.approx(miss, abs=1e-12)


def test_the_box_stays_level_on_its_way_to_the_shelf():
    case = cases()[2]
    found = mk.Problem(case.start, case.goals, free=case.free).solve().pose.matrix("box")
    assert np.abs(found[:3, :3] - case.start.matrix("box")[:3, :3]).max() < 1e-4


def test_the_result_out_of_reach_is_as_good_as_the_best_of_a_thousand_random_starts():
    case = cases()[1]
    problem = mk.Problem(case.start, case.goals, free=case.free)
    rng = np.random.default_rng(0)
    work = work_of(problem)
    best = min(problem.solve(random_start(work, problem.q0, rng)).cost for _ in range(1000))
    assert problem.solve().cost <= 1.01 * best


def test_both_hands_and_the_gaze_reach_while_the_feet_stay_and_the_spine_hardly_twists():
    body = mk.human(stature=1.75)
    rest = body.pose()
    feet = [
        mk.Placement(f"{side}_foot", rest.position(f"{side}_foot"), rest.matrix(f"{side}_foot"), weight=10.0)
        for side in ("left", "right")
    ]
    rng = np.random.default_rng(5)
    twists = []
    apart = np.array([0.0, 0.15, 0.0])
    for _ in range(40):
        middle = rng.uniform([0.3, -0.2, 0.8], [0.55, 0.2, 1.5])
        hands = [
            mk.Position("right_hand", middle - apart),
            mk.Position("left_hand", middle + apart),
        ]
        solution = mk.solve(rest, [*hands, mk.Aim("eyes", at=middle), *feet])
        assert solution.reached
        twists.append(solution.q[body.select("spine_*_twist")].sum())
    assert np.degrees(np.abs(twists).max()) < 20.0 and np.degrees(np.median(np.abs(twists))) < 5.0
