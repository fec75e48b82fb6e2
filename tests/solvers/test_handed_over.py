"""Targets that come with a call mean what they mean in a fresh problem, in every way of calling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk


def arm() -> mk.Figure:
    turns = ["R(z)", "R(y)", "R(x)", "R(y)", "R(z)", "R(y)"]
    joints = [
        mk.Joint(f"j{k}", f"s{k}", f"s{k + 1}", turn, [0.0, 0.0, 0.2], lower=-2.5, upper=2.5)
        for k, turn in enumerate(turns)
    ]
    shapes = {"shapes": (mk.Shape("sphere", [0.01]),)}
    segments = [mk.Segment("s0"), mk.Segment("s1", **shapes), *(mk.Segment(f"s{k}") for k in range(2, 7))]
    return mk.Figure("arm", segments, joints, [mk.Site("tip", "s6", [0.0, 0.0, 0.1])])


def two_axes() -> list[mk.Goal]:
    """An orientation that minds two axes of three, beside an objective: its target is not written in place."""
    return [mk.Orientation("tip", np.eye(3), axes=(0.0, 0.5, 1.0)), mk.Posture()]


def targets(figure: mk.Figure, count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    q = rng.uniform(-1.5, 1.5, (count, figure.n))
    return q, np.array([figure.pose(row).matrix("tip")[:3, :3] for row in q])


def missed(figure: mk.Figure, q: np.ndarray, target: np.ndarray) -> float:
    turn = figure.pose(q).matrix("tip")[:3, :3].T @ target
    return float(np.linalg.norm(Rotation.from_matrix(turn).as_rotvec()))


@pytest.mark.parametrize("way", ["solve", "path", "many", "tracker"])
def test_an_orientation_that_minds_two_axes_takes_targets(way):
    figure = arm()
    q, turns = targets(figure, 6)
    problem = mk.Problem(figure, two_axes())
    if way == "solve":
        ends = [problem.solve(q[k] + 0.1, targets=[turns[k], None]) for k in range(6)]
        found, reached = np.array([end.q for end in ends]), [end.reached for end in ends]
    elif way == "path":
        path = problem.solve_path([turns, None], q[0] + 0.1)
        found, reached = path.q, path.reached.tolist()
    elif way == "many":
        many = mk.solve_many(figure, two_axes(), q0=q + 0.1, targets=[turns, None], multistart=False)
        found, reached = many.q, many.reached.tolist()
    else:
        tracker = mk.Tracker(figure.pose(q[0] + 0.1), two_axes(), rate=10.0)
        found, reached = np.zeros((6, figure.n)), []
        for k in range(6):
            found[k] = tracker.step([turns[k], None])
            assert tracker.solution is not None
            reached.append(tracker.solution.reached)
    assert all(reached)
    assert max(missed(figure, row, turn) for row, turn in zip(found, turns, strict=True)) < 1e-3


def test_a_path_is_solved_beside_a_goal_that_has_nothing_to_measure():
    figure = arm()
    goals = [
        mk.SelfClearance(margin=0.01),
        mk.Position("tip", [0.2, 0.1, 0.9]),
    ]  # one shape: no pair to keep apart
    points = np.array([[0.2, 0.1, 0.9], [0.25, 0.1, 0.9], [0.3, 0.1, 0.85]])
    path = mk.Problem(figure, goals).solve_path([None, points])
    assert path.reached.all() and np.isnan(path.position_errors[:, 0]).all()
    assert np.abs([path.pose(k).position("tip") for k in range(3)] - points).max() < 1e-4


@pytest.mark.parametrize("motion", ["free", "ellipse"])
def test_what_a_tracker_goes_through_stays_inside_the_ranges_of_rotations(motion):
    if motion == "free":
        options = {"lower": [-0.2] * 6, "upper": [0.2] * 6, "velocity": 1.0}
        joint = mk.Joint("j0", "s0", "s1", "free", **options)
    else:
        joint = mk.Joint.ball("j0", "s0", "s1", ellipse=[0.9, 1.6], center=[0.2, -0.6], velocity=1.0)
    second = mk.Joint("j1", "s1", "s2", "R(y)", [0.0, 0.0, 0.3], lower=-1.0, upper=1.0, velocity=1.0)
    figure = mk.Figure("arm", ["s0", "s1", "s2"], [joint, second], [mk.Site("tip", "s2", [0.1, 0.0, 0.3])])
    rng = np.random.default_rng(2)
    tracker = mk.Tracker(figure, [mk.Position("tip", [0.1, 0.0, 0.6])], rate=30.0, robust=False)
    for _ in range(60):
        there = figure.pose(figure.rest + 0.15 * rng.normal(size=figure.n)).position("tip")
        q = tracker.step([there * rng.uniform(0.5, 2.0)])
        assert (q >= figure.lower - 1e-9).all() and (q <= figure.upper + 1e-9).all()
        assert all(cone.value(q) <= 1.0 + 1e-9 for cone in figure.cones)
