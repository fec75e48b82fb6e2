"""What "where it is" means: the start of a solve or a path, and in a session its anchor."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk

HARD = 1e-8


def two_arms() -> mk.Figure:
    """A slide with two arms of three hinges in a plane, so that one hand pulls the other along."""
    names = [f"{side}{k}" for side in "ab" for k in range(3)]
    joints = [mk.Joint("slide", "ground", "body", "T(x)", lower=-2.0, upper=2.0)]
    for side in "ab":
        for k in range(3):
            parent = "body" if k == 0 else f"{side}{k - 1}"
            offset = (0.0, 0.0, 0.0) if k == 0 else (0.0, 0.0, 0.3)
            joints.append(
                mk.Joint(
                    f"j_{side}{k}", parent, f"{side}{k}", "R(y)", offset, lower=-2.8, upper=2.8, velocity=2.0
                )
            )
    sites = [mk.Site(f"hand_{side}", f"{side}2", (0.0, 0.0, 0.3)) for side in "ab"]
    return mk.Figure("two arms", ["ground", "body", *names], joints, sites)


@pytest.fixture
def figure() -> mk.Figure:
    return two_arms()


@pytest.fixture
def start(figure) -> mk.Pose:
    return figure.pose({f"j_{side}{k}": sign * 0.5 for side, sign in (("a", 1), ("b", -1)) for k in range(3)})


def off(pose: mk.Pose, start: mk.Pose, site: str = "hand_b") -> float:
    """How far a site is from where the start has it."""
    return float(np.linalg.norm(pose.position(site) - start.position(site)))


def hands(start: mk.Pose, *ways: float) -> np.ndarray:
    """Targets of the first hand, so far ahead of where it starts."""
    return start.position("hand_a") + np.array(ways)[:, None] * [1.0, 0.0, 0.0]


@pytest.mark.parametrize("restarts", [None, 0])
@pytest.mark.parametrize("hard", [True, False])
def test_a_pin_lost_at_one_sample_of_a_path_is_again_where_it_was_at_the_path_s_start_or_denied(
    figure, start, restarts, hard
):
    goals = [mk.Position("hand_a", [0, 0, 0], hard=True), mk.Pin("hand_b", axes="position", hard=hard)]
    targets = hands(start, 0.0, 0.1, 9.0, 0.1, 0.0, 9.0, -0.1)
    found = mk.Problem(start, goals).solve_path([targets, None], restarts=restarts)
    away = np.array([off(found.pose(k), start) for k in range(len(targets))])
    near, allowed = [0, 1, 3, 4, 6], HARD if hard else 1e-4
    assert away[[2, 5]].min() > 0.1 and not found.reached[[2, 5]].any() and not found.feasible[[2, 5]].any()
    assert (away[found.reached] <= allowed).all()
    if hard:
        assert (away[found.feasible] <= allowed).all()
    if restarts is None:  # without, a search from so far away may not find it, and says so
        assert found.reached[near].all() and found.feasible[near].all()


def test_a_session_means_what_its_first_start_has_and_so_does_a_path_that_goes_on_from_there(figure, start):
    goals = [mk.Position("hand_a", [0, 0, 0], hard=True), mk.Pin("hand_b", axes="position")]
    problem = mk.Problem(figure, goals)
    session = problem.session(start)
    found = session.solve([hands(start, 0.0)[0], None])
    for way in (0.1, 9.0, 0.05):
        found = session.solve([hands(start, way)[0], None])
        assert found.feasible == (way < 1.0)
        assert off(found.anchor, start) == 0.0
    assert off(found.pose, start) <= HARD
    lost = session.solve([hands(start, 9.0)[0], None])
    assert off(lost.pose, start) > 0.1
    assert "hand_a" in lost.explain() and lost.status == "infeasible"
    path = session.path([hands(start, 0.1, 0.0), None])
    assert path.feasible.all() and max(off(path.pose(k), start) for k in range(2)) <= HARD
    back = lost.pose.position("hand_a") - [0.05, 0.0, 0.0]
    other = problem.solve(lost.q, targets=[back, None])  # a solve by itself means its own start
    assert other.feasible and off(other.pose, lost.pose) <= HARD
    assert off(other.anchor, lost.pose) == 0.0


def test_another_start_is_another_meaning(figure, start):
    problem = mk.Problem(
        figure, [mk.Position("hand_a", [0, 0, 0], hard=True), mk.Pin("hand_b", axes="position")]
    )
    here = problem.solve(start, targets=[hands(start, 9.0)[0], None]).pose
    target = here.position("hand_a") - [0.05, 0.0, 0.0]
    assert off(here, start) > 0.1
    session = problem.session(start)
    session.solve([hands(start, 9.0)[0], None])
    session.anchor = session.q
    for found in (problem.solve(here, targets=[target, None]), session.solve([target, None])):
        assert found.feasible and off(found.pose, here) <= HARD
    path = problem.solve_path([target[None], None], here)
    assert path.feasible.all() and off(path.pose(0), here) <= HARD


def test_a_pin_of_a_replaced_problem_means_the_start_of_its_solves(figure, start):
    """Not the pose that the problem was made at."""
    problem = mk.Problem(figure, [mk.Position("hand_a", [0, 0, 0]), mk.Pin("hand_b", axes="position")])
    first = problem.solve(start, targets=[hands(start, 0.1)[0], None])
    assert first.reached and off(first.pose, start) <= HARD
    second = moved(problem, 1, weight=2.0).solve(first.q, targets=[hands(start, 0.05)[0], None])
    assert second.reached and off(second.pose, first.pose) <= HARD
    assert off(second.pose, figure.pose()) > 0.1


def test_least_change_of_a_path_is_from_the_path_s_start(figure, start):
    goals = [mk.Position("hand_a", [0, 0, 0]), mk.Pin("hand_b", axes="position"), mk.LeastChange()]
    problem = mk.Problem(start, goals)
    ways = np.concatenate([np.linspace(0.0, -0.4, 15), np.linspace(-0.4, -0.1, 10)])
    path = problem.solve_path([hands(start, *ways), None, None])
    alone = mk.Problem(start, goals).solve(start, targets=[hands(start, -0.1)[0], None, None])
    assert path.reached.all() and alone.reached
    np.testing.assert_allclose(path.q[-1], alone.q, atol=2e-3)


def test_what_is_kept_within_velocity_limits_is_what_the_run_began_with(figure, start):
    problem = mk.Problem(figure, [mk.Position("hand_a", [0, 0, 0]), mk.Pin("hand_b", axes="position")])
    session = problem.session(start)
    found = session.solve([hands(start, 0.0)[0], None], dt=0.05)
    for way in np.linspace(0.0, -0.2, 20):
        found = session.solve([hands(start, way)[0], None], dt=0.05)
        assert found.feasible
    assert off(found.pose, start) <= HARD


def test_a_tracker_s_pins_mean_where_it_began_or_began_again(figure, start):
    goals = [mk.Position("hand_a", [0, 0, 0], hard=True), mk.Pin("hand_b", axes="position")]
    tracker = mk.Tracker(start, goals, rate=60.0, robust=False)
    for way in (0.0, 0.05, 9.0, 0.05, 0.0):
        tracker.step([hands(start, way)[0], None])
        assert tracker.solution.feasible == (way < 1.0)
    assert off(tracker.solution.pose, start) <= HARD
    here = figure.pose({"slide": 0.4, "j_a0": 0.4, "j_b1": -0.7})
    tracker.restart(here)
    tracker.step([here.position("hand_a") + [0.01, 0.0, 0.0], None])
    assert tracker.solution.feasible and off(tracker.solution.pose, here) <= HARD


@pytest.mark.parametrize("asked", [{"solutions": 3}, {"nearest": True}])
def test_several_solutions_and_the_nearest_keep_what_the_start_has(figure, start, asked):
    problem = mk.Problem(
        figure, [mk.Position("hand_a", hands(start, -0.2)[0]), mk.Pin("hand_b", axes="position")]
    )
    found = problem.solve(start, restarts=8, **asked)
    for one in (found, *found.alternatives):
        assert one.reached and one.feasible and off(one.pose, start) <= HARD
