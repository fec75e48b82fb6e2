"""The method that just works: the start first, then seeds; never less than the start, and always the same."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved, work_of

import manikin as mk
from manikin.engines.starts import search, seeds
from manikin.engines.starts.distance import distance
from manikin.engines.starts.several import APART
from manikin.errors import SolveError

from .samples import ROBOTS, check, random_pose, robot
from .test_lm import projected_slope


def placements(name: str, count: int, seed: int, distance: float | None = None):
    """A prepared problem, and (start, arguments) for many targets: of poses, or at this distance from the base."""
    figure, rng = robot(name), np.random.default_rng(seed)
    site = ROBOTS[name][2][0]
    problem = mk.Problem(figure, [mk.Placement(site, np.zeros(3), np.eye(3))])
    cases = []
    for _ in range(count):
        frame = random_pose(figure, rng).matrix(site)
        if distance is not None:
            frame[:3, 3] *= distance / np.linalg.norm(frame[:3, 3])
        target = {"position": frame[:3, 3], "orientation": frame[:3, :3]}
        cases.append((np.array(random_pose(figure, rng).q), target))
    return problem, cases


@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_every_reachable_pose_is_found_from_anywhere(name):
    problem, cases = placements(name, 150, 11)
    for start, target in cases:
        problem = moved(problem, 0, **target)
        assert check(problem.solve(start)).reached


def test_a_humanoid_with_four_goals_is_solved_from_anywhere():
    figure, rng = robot("talos"), np.random.default_rng(12)
    sites = ROBOTS["talos"][2]
    problem = mk.Problem(figure, [mk.Position(site, np.zeros(3)) for site in sites], tolerance=(1e-3, 1e-2))
    for case in range(60):
        pose = random_pose(figure, rng)
        for place, site in enumerate(sites):
            problem = moved(problem, place, target=pose.position(site))
        start = random_pose(figure, rng) if case % 2 else None
        assert check(problem.solve(start), tolerance=(1e-3, 1e-2)).reached


@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_out_of_reach_it_ends_stationary_and_never_above_the_start_alone(name):
    problem, cases = placements(name, 12, 13, distance=2.0)
    for start, target in cases:
        problem = moved(problem, 0, **target)
        alone = check(problem.solve(start, method="lm"))
        found = check(problem.solve(start))
        assert found.status == "stationary" and found.starts > 1
        assert found.cost <= alone.cost * (1.0 + 1e-12)
        assert projected_slope(found) < 1e-6 * (1.0 + found.cost)
        assert found.iterations > 0 and found.evaluations > found.iterations


def test_out_of_reach_it_comes_as_low_as_many_more_starts():
    problem, cases = placements("panda", 10, 14, distance=2.0)
    for start, target in cases:
        problem = moved(problem, 0, **target)
        found, more = problem.solve(start), problem.solve(start, restarts=500, seed=5)
        assert found.cost <= 1.01 * more.cost
        assert found.starts <= search.MOST + 1


def test_the_same_question_has_the_same_answer_whatever_was_asked_before():
    problem, cases = placements("panda", 40, 15)
    answers = []
    for order in (cases, cases[::-1]):
        found = {}
        for start, target in order:
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = target["orientation"], target["position"]
            found[start.tobytes()] = problem.solve(start, [frame], seed=3)
        answers.append(found)
    for key, solution in answers[0].items():
        assert solution.q.tobytes() == answers[1][key].q.tobytes()
        assert solution.starts == answers[1][key].starts


def test_the_start_alone_is_enough_when_it_leads_there():
    problem, cases = placements("panda", 60, 16)
    for start, target in cases:
        problem = moved(problem, 0, **target)
        found = problem.solve(start)
        if found.starts == 1:
            assert found.q.tobytes() == problem.solve(start, restarts=0).q.tobytes()


def test_restarts_bound_the_number_of_seeds():
    problem, cases = placements("panda", 3, 17, distance=2.0)
    for start, target in cases:
        problem = moved(problem, 0, **target)
        for restarts in (0, 1, 5, 70):
            assert check(problem.solve(start, restarts=restarts)).starts == 1 + restarts


def test_a_search_from_seeds_leaves_what_is_not_free_alone():
    figure, rng = robot("panda"), np.random.default_rng(18)
    goal = mk.Position("panda_hand_tcp", random_pose(figure, rng).position("panda_hand_tcp"))
    start = np.array(random_pose(figure, rng).q)
    for _ in range(10):
        solution = check(mk.solve(figure.pose(start), [goal], free=["panda_joint[1-3]"], restarts=20))
        assert np.array_equal(solution.q[3:], start[3:])
        start = np.array(random_pose(figure, rng).q)


def test_several_solutions_are_valid_and_well_apart():
    problem, cases = placements("ur5", 10, 19)
    most = 0
    for start, target in cases:
        problem = moved(problem, 0, **target)
        work = work_of(problem)
        first = check(problem.solve(start, solutions=6))
        found = [first, *(check(one) for one in first.alternatives)]
        assert len(found) <= 6 and all(one.reached for one in found)
        for place, one in enumerate(found):
            for other in found[:place]:
                assert distance(work, one.q, other.q) >= APART
        most = max(most, len(found))
    assert most >= 4  # a UR5 has up to eight


def test_the_nearest_is_no_farther_than_the_first():
    problem, cases = placements("panda", 15, 20)
    nearer = 0
    for start, target in cases:
        problem = moved(problem, 0, **target)
        work = work_of(problem)
        first, nearest = problem.solve(start), check(problem.solve(start, nearest=True, restarts=30))
        assert nearest.reached
        gain = distance(work, first.q, start) - distance(work, nearest.q, start)
        nearer += gain > 1e-6
    assert nearer >= 5


def test_the_kernels_seeds_are_inside_the_ranges_and_spread():
    problem, _ = placements("panda", 1, 21)
    work = work_of(problem)
    bounds, variables = work.fast.bounds, work.packed.variables
    lower, upper = problem.figure.lower[variables], problem.figure.upper[variables]
    seeds.shift(bounds, 4)
    drawn = np.array([seeds.point(bounds, problem.q0[variables], k) for k in range(1, 257)])
    assert (drawn >= lower).all() and (drawn <= upper).all()
    share = (drawn - lower) / (upper - lower)
    for quarter in range(4):
        count = ((share >= 0.25 * quarter) & (share < 0.25 * (quarter + 1))).sum(axis=0)
        assert (np.abs(count - 64) <= 6).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [({"solutions": 0}, "solutions must be"), ({"solutions": 2, "method": "lm"}, "only method 'auto'")],
)
def test_what_makes_no_sense_is_refused(change, words):
    problem, cases = placements("panda", 1, 22)
    with pytest.raises(SolveError, match=words):
        problem.solve(cases[0][0], **change)


@pytest.mark.long
def test_a_body_of_110_variables_and_twelve_goals_is_solved_in_99_of_a_hundred():
    from benchmarks.figures import human120
    from benchmarks.problems import random_problems

    body = human120()
    drawn = random_problems(body, 300, reachable=True)
    problem = mk.Problem(body.figure, body.goals(drawn[0].targets))
    reached = 0
    for one in drawn:
        body.set_targets(problem, one.targets)
        reached += check(problem.solve(one.start)).reached
    assert reached >= 297
