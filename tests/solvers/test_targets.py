"""Targets that travel with the call, beside goals that have them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.problems import moved

import manikin as mk
from manikin.errors import GoalError, SolveError

BODY = mk.human(stature=1.75, fingers=False, spine="bend")
REST = BODY.pose()
HAND = REST.position("right_hand")


def arm() -> mk.Figure:
    rows = [(0.0, 1.5708, 0.3, 0.0), (0.4, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.0), (0.2, 1.5708, 0.0, 0.0)]
    return mk.Figure.from_dh(rows, lower=-2.5, upper=2.5)


def goals(kind: str) -> list[mk.Goal]:
    pins = [mk.Pin("left_foot"), mk.Pin("right_foot")]
    hand = mk.Position("right_hand", HAND)
    frame = REST.matrix("right_hand")
    return {
        "plain": [hand],
        "placement": [mk.Placement("right_hand", HAND, frame)],
        "pinned": [hand, *pins],
        "pinned placement": [mk.Placement("right_hand", HAND, frame), *pins],
        "centre": [mk.CenterOfMass(REST.center_of_mass(), axes=(1, 1, 0)), *pins],
    }[kind]


def further(goal: mk.Goal, by: np.ndarray) -> np.ndarray:
    if isinstance(goal, mk.Placement):
        frame = REST.matrix("right_hand").copy()
        frame[:3, 3] += by
        return frame
    return np.asarray(goal.target) + by


@pytest.mark.parametrize("kind", ["plain", "placement", "pinned", "pinned placement", "centre"])
def test_a_target_in_the_call_is_a_target_of_the_goal(kind):
    by = np.array([0.03, 0.02, 0.05])
    asked = goals(kind)
    problem = mk.Problem(BODY, asked)
    found = problem.solve(targets=[further(asked[0], by), *([None] * (len(asked) - 1))])
    other = mk.Problem(BODY, goals(kind))
    if isinstance(asked[0], mk.Placement):
        other = moved(other, 0, position=HAND + by)
    else:
        other = moved(other, 0, target=further(asked[0], by))
    assert found.reached and (found.q == other.solve().q).all()
    assert problem.goals[0] is asked[0]  # a call changes nothing
    assert (problem.solve().q == mk.Problem(BODY, goals(kind)).solve().q).all()


def test_a_goal_without_a_target_in_this_call_has_its_own_whatever_the_last_call_said():
    figure = arm()
    asked = [mk.Position("tip", [0.5, 0.1, 0.5]), mk.OnPlane("tip", [0.0, 0.0, 0.5], [0.0, 0.0, 1.0])]
    problem = mk.Problem(figure, asked)
    expected = problem.solve(targets=[[0.45, 0.1, 0.5], None]).q
    for last in ([None, [0.0, 0.0, 0.7]], [[0.4, 0.0, 0.6], [0.0, 0.0, 0.6]], None):
        problem.solve(targets=None if last is None else [None if t is None else np.array(t) for t in last])
        assert (problem.solve(targets=[np.array([0.45, 0.1, 0.5]), None]).q == expected).all()


def test_the_solution_knows_the_targets_it_was_given():
    problem = mk.Problem(BODY, goals("pinned"))
    target = HAND + [0.05, 0.0, 0.1]
    found = problem.solve(targets=[target, None, None])
    target[:] = 7.0
    assert np.allclose(found.goals[0].target, HAND + [0.05, 0.0, 0.1])
    assert "right_hand" in found.explain()


def test_an_orientation_takes_a_matrix_or_a_rotation():
    figure = arm()
    turn = figure.pose([0.3, -0.4, 0.5, 0.2]).matrix("tip")[:3, :3]
    problem = mk.Problem(figure, [mk.Orientation("tip", np.eye(3))])
    rotation = Rotation.from_matrix(turn)
    one = problem.solve(targets=[rotation.as_matrix()])
    two = problem.solve(targets=[rotation])
    assert one.reached and (one.q == two.q).all()


@pytest.mark.parametrize(
    "target, says",
    [
        ([np.nan, 0.0, 0.0], "finite"),
        ([0.0, 0.0], "shape"),
        ("here", "numbers"),
        ([1e13, 0.0, 0.0], "farther"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "pinned"])
def test_a_target_that_cannot_be_is_refused_by_name_and_changes_nothing(kind, target, says):
    problem = mk.Problem(BODY, goals(kind))
    before = problem.solve()
    with pytest.raises(GoalError, match=f"right_hand.*{says}"):
        problem.solve(targets=[target, *([None] * (len(problem.goals) - 1))])
    assert (problem.solve().q == before.q).all()
    with pytest.raises(GoalError, match="right_hand"):
        problem = moved(problem, 0, target=target)
    assert (problem.solve().q == before.q).all()


def test_a_matrix_that_is_no_rotation_is_refused():
    problem = mk.Problem(BODY, goals("placement"))
    frame = REST.matrix("right_hand").copy()
    frame[:3, :3] *= 1.01
    with pytest.raises(GoalError, match=r"right_hand.*rotation"):
        problem.solve(targets=[frame])


def test_a_rotation_off_by_rounding_is_brought_back():
    problem = mk.Problem(BODY, goals("placement"))
    exact = REST.matrix("right_hand").copy()
    exact[:3, 3] += [0.02, 0.0, 0.03]
    off = exact.copy()
    off[:3, :3] += 3e-7 * np.random.default_rng(0).normal(size=(3, 3))
    assert np.abs(problem.solve(targets=[off]).q - problem.solve(targets=[exact]).q).max() < 1e-5


def test_too_few_targets_and_goals_without_one_are_refused():
    problem = mk.Problem(BODY, goals("pinned"))
    with pytest.raises(SolveError, match="one for each of the 3 goals"):
        problem.solve(targets=[HAND])
    with pytest.raises(GoalError, match="pin of 'left_foot'"):
        problem.solve(targets=[None, HAND, None])


def test_targets_go_with_restarts_and_other_methods():
    figure = arm()
    problem = mk.Problem(figure, [mk.Position("tip", [0.4, 0.2, 0.6])])
    target = figure.pose([0.4, 0.6, -0.5, 0.3]).position("tip")
    for options in ({"restarts": 3}, {"method": "projection"}, {"method": "damped"}, {"nearest": True}):
        found = problem.solve(targets=[target], **options)
        assert found.reached, options
        assert np.linalg.norm(found.pose.position("tip") - target) < 1e-4


class TestPath:
    def test_a_path_is_its_samples_solved_one_after_the_other(self):
        figure = arm()
        q = np.array([0.3, 0.5, -0.6, 0.4])
        ends = [figure.pose(q + 0.1 * np.sin(0.1 * k) * np.arange(1, 5)).position("tip") for k in range(60)]
        problem = mk.Problem(figure, [mk.Position("tip", ends[0])])
        path = problem.solve_path(np.array(ends), q)
        session = problem.session(q)
        for k, end in enumerate(ends):
            one = session.solve([end])
            assert (one.q == path.q[k]).all() and one.reached == path.reached[k]
            assert (
                np.isclose(path.position_errors[k, 0], one.position_errors[0])
                and path.iterations[k] == one.iterations
            )
        assert path.reached.all() and len(path) == 60 and "60 of 60" in repr(path)

    def test_pins_hold_along_a_path(self):
        problem = mk.Problem(BODY, goals("pinned"))
        angle = np.linspace(0.0, 2.0 * np.pi, 80)
        circle = HAND + 0.1 * np.column_stack([np.sin(angle), np.cos(angle) - 1.0, 0.5 * np.sin(angle)])
        path = problem.solve_path([circle, None, None])
        assert path.reached.all()
        for k in range(0, 80, 7):
            pose = path.pose(k)
            assert np.linalg.norm(pose.position("right_hand") - circle[k]) < 1e-4
            for foot in ("left_foot", "right_foot"):
                assert np.abs(pose.matrix(foot) - REST.matrix(foot)).max() < 1e-8
        assert (path.q >= BODY.lower).all() and (path.q <= BODY.upper).all()

    def test_a_sample_out_of_reach_does_not_end_the_path(self):
        figure = arm()
        good = figure.pose([0.3, 0.5, -0.6, 0.4]).position("tip")
        path = mk.Problem(figure, [mk.Position("tip", good)]).solve_path([good, [9.0, 0.0, 0.0], good])
        assert path.reached.tolist() == [True, False, True]
        assert path.position_errors[1, 0] > 7.0

    def test_samples_must_fit_the_goals(self):
        problem = mk.Problem(BODY, goals("pinned"))
        with pytest.raises(SolveError, match="one array for each"):
            problem.solve_path(np.zeros((5, 3)))
        with pytest.raises(SolveError, match="samples"):
            problem.solve_path([np.zeros((5, 2)), None, None])
        with pytest.raises(GoalError, match="finite"):
            problem.solve_path([np.full((2, 3), np.nan), None, None])


@pytest.mark.parametrize("pinned", [False, True])
def test_a_path_of_no_samples_is_no_answers(pinned):
    """Points, transforms and rotations."""
    figure = mk.Figure("arm", ["a", "b"], [mk.Joint("j", "a", "b", "R(y)", [0.0, 0.0, 0.3])])
    pin = [mk.Pin("b", axes="y")] if pinned else []
    for goal, shape in (
        (mk.Position("b", [0, 0, 0.3]), (3,)),
        (mk.Placement("b", [0, 0, 0.3], np.eye(3)), (4, 4)),
        (mk.Orientation("b", np.eye(3)), (3, 3)),
    ):
        found = mk.Problem(figure, [goal, *pin]).solve_path([np.zeros((0, *shape)), *(None for _ in pin)])
        assert (
            len(found) == 0 and found.q.shape == (0, 1) and found.position_errors.shape == (0, 1 + len(pin))
        )
