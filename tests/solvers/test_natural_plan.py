"""The natural start in one compiled call, beside the same said goal by goal in NumPy (`goals.asked`)."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

SIDES = ("left", "right")


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human(stature=1.7, fingers=False)


def turned(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def drawn_goals(rng: np.random.Generator) -> list[mk.Goal]:
    """Places, whole or not, pins and a gaze on some parts of a body."""
    sites = ["right_hand", "left_fingertip", "left_foot", "right_heel", "head", "pelvis", "eyes"]
    goals: list[mk.Goal] = []
    for site in rng.permutation(sites)[: rng.integers(1, 5)]:
        point = rng.uniform([-0.3, -0.4, 0.0], [0.6, 0.4, 1.6])
        if site == "eyes":
            goals.append(mk.Aim("eyes", at=point + [1.0, 0.0, 0.0]))
        elif rng.uniform() < 0.4:
            goals.append(mk.Placement(str(site), point, turned(rng)))
        elif site.endswith(("foot", "heel")) and rng.uniform() < 0.5:
            goals.append(mk.Pin(str(site)))
        else:
            goals.append(mk.Position(str(site), point))
    if not any(isinstance(goal, (mk.Position, mk.Placement, mk.Pin)) for goal in goals):
        goals.append(mk.Position("right_hand", rng.uniform([0.2, -0.3, 0.8], [0.5, 0.2, 1.4])))
    return goals


def drawn_start(body: mk.Figure, rng: np.random.Generator) -> np.ndarray:
    q = np.clip(body.rest + rng.normal(0.0, 0.3, body.n), body.lower, body.upper)
    q[rng.uniform(size=body.n) < 0.3] = 0.0
    return np.clip(q, body.lower, body.upper)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_posture_that_the_goals_one_by_one_ask_for(body, seed):
    rng = np.random.default_rng(seed)
    goals = drawn_goals(rng)
    free = None if seed % 3 else ["spine_*", "neck_*", "left_*", "right_*"]
    problem = mk.Problem(body, goals, free=free)
    plan, start, request = problem._plan, problem._naturally, problem._request
    for _ in range(4):
        q = drawn_start(body, rng)
        stays = plan.begin(request, None, q) == plan.AT_START
        wanted = start.preferred(request, q)
        assert plan.q == pytest.approx(wanted.q, abs=2e-6)
        assert stays == start.is_near(request, q)


def test_targets_of_the_call_and_switches_count_as_the_goals_own_do(body):
    rng = np.random.default_rng(5)
    rest = body.pose()
    goals = [mk.Placement(f"{s}_foot", rest.position(f"{s}_foot"), np.eye(3)) for s in SIDES]
    problem = mk.Problem(body, [*goals, mk.Position("right_hand", [0.4, -0.2, 1.0])])
    moved = mk.Problem(body, [*goals, mk.Position("right_hand", [0.3, -0.3, 0.4])])
    q = drawn_start(body, rng)
    problem.solve(q, targets=[None, None, np.array([0.3, -0.3, 0.4])])
    moved._plan.begin(moved._request, None, q)
    assert problem._plan.q == pytest.approx(moved._plan.q, abs=1e-12)
    moved.set(0, active=False)
    moved._plan.begin(moved._request, None, q)
    assert moved._plan.q == pytest.approx(moved._naturally.preferred(moved._request, q).q, abs=2e-6)
    assert np.abs(moved._plan.q - problem._plan.q).max() > 1e-3


@pytest.mark.parametrize("held", ["soft feet", "pins"])
def test_every_joint_is_back_where_its_first_round_ended(body, held):
    rest = body.pose()
    feet = {
        "soft feet": [
            mk.Placement(f"{s}_foot", rest.position(f"{s}_foot"), rest.matrix(f"{s}_foot")) for s in SIDES
        ],
        "pins": [mk.Pin(f"{s}_foot") for s in SIDES],
    }[held]
    problem = mk.Problem(body, [mk.Position("right_hand", rest.position("right_hand")), *feet])
    more = [None] * len(feet)
    u = np.linspace(0.0, 2.0 * np.pi, 61)[1:]
    path = np.array([0.38, -0.2, 1.15]) + 0.09 * np.column_stack([np.cos(u), np.sin(u), np.sin(2.0 * u)])
    q, ends = problem.solve(targets=[path[-1], *more]).q, []
    for _ in range(4):
        for target in path:
            found = problem.solve(q, targets=[target, *more])
            assert found.reached
            assert np.abs(found.q - q).max() < np.radians(8.0)
            q = found.q
        ends.append(q)
    assert np.degrees(np.abs(np.array(ends[1:]) - ends[0]).max()) < 1.0


def test_a_target_that_is_no_number_leaves_the_pull_as_it_was(body):
    problem = mk.Problem(body, [mk.Position("right_hand", [0.4, -0.2, 1.0])])
    first = problem.solve(targets=[np.array([0.42, -0.2, 1.0])]).q
    before = [array.copy() for array in problem._engine.pulled_to]
    with pytest.raises(mk.GoalError):
        problem.solve(first, targets=[np.array([np.nan, 0.0, 1.0])])
    for array, kept in zip(problem._engine.pulled_to, before, strict=True):
        assert (array == kept).all()
    assert problem.solve(targets=[np.array([0.42, -0.2, 1.0])]).q == pytest.approx(first, abs=1e-12)
