"""A solve as one compiled call: whatever form start and targets come in, the answer is the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.problems import work_of
from tests.solvers.arms import iiwa

import manikin as mk
from manikin.kernels import calls

TIP = "tool"


@pytest.fixture(scope="module")
def arm() -> mk.Figure:
    return iiwa()


def frames(arm: mk.Figure, q: np.ndarray) -> np.ndarray:
    return arm.forward(q, [TIP])[0]


@pytest.fixture
def problem(arm) -> mk.Problem:
    frame = frames(arm, arm.rest)
    return mk.Problem(arm, [mk.Placement(TIP, frame[:3, 3], frame[:3, :3])])


def test_the_form_of_start_and_targets_does_not_matter(arm, problem):
    start = np.clip(arm.rest + 0.2, arm.lower, arm.upper)
    target = frames(arm, np.clip(start + 0.1, arm.lower, arm.upper))
    usual = problem.solve(start, targets=[target])
    assert usual.reached
    apart = np.zeros((8, 8))[::2, ::2]
    apart[...] = target
    frozen = start.copy()
    frozen.flags.writeable = False
    spread = np.repeat(start, 2)[::2]
    for other in (frozen, spread, list(start), arm.pose(start), dict(zip(arm.dofs, start, strict=True))):
        assert (problem.solve(other, targets=[target]).q == usual.q).all()
    for targets in ((target,), [apart], target[None], [target.tolist()], [np.asfortranarray(target)]):
        found = problem.solve(start, targets=targets)
        assert (found.q == usual.q).all() and found.reached
        assert found.goals[0].position == pytest.approx(target[:3, 3], abs=0)


def test_compiled_and_in_python_they_do_the_same(arm, problem):
    start = np.clip(arm.rest + 0.2, arm.lower, arm.upper)
    target = frames(arm, np.clip(start + 0.1, arm.lower, arm.upper))
    found = problem.solve(start, targets=[target])
    work = work_of(problem)
    work.solve(start, [target])
    call = work.calls.get(True)
    whole = np.empty(call.size)
    assert calls._follow(call, start, [target], whole) == -calls.VERIFIED
    assert (whole[call.ends] == found.q).all()
    assert not whole.flags.writeable
    assert (whole[:16].reshape(4, 4) == target).all()


@pytest.mark.parametrize(
    "start, targets",
    [
        (np.zeros(7, np.float32), [np.eye(4)]),
        (np.zeros(6), [np.eye(4)]),
        (np.zeros((7, 1)), [np.eye(4)]),
        (np.zeros(14)[::2], [np.eye(4)]),
        (np.zeros(7), None),
        (np.zeros(7), [None]),
        (np.zeros(7), (np.eye(4),)),
        (np.zeros(7), [np.eye(4), np.eye(4)]),
        (np.zeros(7), [np.eye(3)]),
        (np.zeros(7), [np.eye(4, dtype=np.float32)]),
        (np.zeros(7), [np.eye(4, dtype=">f8")]),
        (np.zeros(7), [np.eye(4).tolist()]),
        (np.zeros(7), [np.zeros(16)]),
    ],
)
def test_what_is_unusual_is_left_to_the_longer_way(problem, start, targets):
    work = work_of(problem)
    work.solve(None, [np.eye(4)])
    call = work.calls.get(True)
    for one in (call.follow, calls._follow):
        spec = call.spec if one is call.follow else call
        whole = np.empty(call.size)
        assert one(spec, start, targets, whole) == calls.UNUSUAL
        assert whole.flags.writeable


def test_which_goals_have_targets_may_change_from_call_to_call(arm):
    frame = frames(arm, arm.rest)
    goals = [mk.Position(TIP, frame[:3, 3]), mk.Orientation(TIP, frame[:3, :3])]
    problem, start = mk.Problem(arm, goals), np.array(arm.rest)
    other = frames(arm, np.clip(start + 0.15, arm.lower, arm.upper))
    for targets in ([other[:3, 3], other[:3, :3]], [other[:3, 3], None], [None, other[:3, :3]], [None, None]):
        found = problem.solve(start, targets=[None if t is None else t.copy() for t in targets])
        wanted = [
            goal if target is None else type(goal)(TIP, target)
            for goal, target in zip(goals, targets, strict=True)
        ]
        assert (found.q == mk.Problem(arm, wanted).solve(start).q).all()
    assert (problem.solve(start).q == mk.Problem(arm, goals).solve(start).q).all()


def test_a_solution_keeps_its_targets_and_its_numbers(arm, problem):
    rng = np.random.default_rng(3)
    kept = []
    for _ in range(5):
        q = np.clip(arm.rest + rng.uniform(-0.3, 0.3, 7), arm.lower, arm.upper)
        target = frames(arm, q)
        found = problem.solve(q, targets=[target])
        kept.append((found, target.copy(), found.q.copy(), found.iterations, found.cost))
        target[:] = 0.0
    problem.solve()
    for found, target, q, iterations, potential in kept:
        assert (found.q == q).all() and found.iterations == iterations and found.cost == potential
        assert found.goals[0].position == pytest.approx(target[:3, 3], abs=0)
        assert found.reached and found.position_errors[0] <= 1e-4
        with pytest.raises(ValueError, match="read-only"):
            found.q[0] = 0.0


@pytest.mark.parametrize("bad", [np.full((4, 4), np.nan), 2.0 * np.eye(4), np.diag([1.0, 1.0, -1.0, 1.0])])
def test_a_target_that_is_none_is_refused_in_the_goals_words(arm, problem, bad):
    before = problem.solve(arm.rest).q
    for targets in ([bad], (bad,), [bad.tolist()]):
        with pytest.raises(mk.GoalError):
            problem.solve(arm.rest, targets=targets)
    with pytest.raises(mk.PoseError):
        problem.solve(np.full(7, np.inf), targets=[frames(arm, arm.rest)])
    assert (problem.solve(arm.rest).q == before).all()


def test_what_was_pickled_is_taken_as_any_other(arm, problem):
    start = np.clip(arm.rest + 0.2, arm.lower, arm.upper)
    target = frames(arm, np.clip(start + 0.1, arm.lower, arm.upper))
    usual = problem.solve(start, targets=[target])
    other, begun, pose, asked = pickle.loads(pickle.dumps((problem, start, arm.pose(start), target)))
    assert begun.dtype is not start.dtype
    for _ in range(3):  # by several calls, then by one
        for q0 in (begun, pose):
            assert (other.solve(q0, targets=[asked]).q == usual.q).all()
            assert (other.solve(q0, targets=[asked], restarts=0).q == usual.q).all()
