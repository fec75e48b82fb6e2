"""The misses that are reported, against the same from the sites' frames by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.figure import transforms
from manikin.kernels.memory.layout import view_parts, view_sweep
from manikin.kernels.residuals import potentials

from .support import figures, packed, points, value_and_gradient

Q = points(figures()["rotate"], 1)[0]
FRAME = figures()["rotate"].pose(Q).matrix("tip")


def miss_parts(S, R, W):
    sweep = view_sweep(S, W)
    return potentials.miss_parts(view_parts(S, R), sweep.frames, sweep.errors)


def miss(goal):
    """(misses in metres and radians, whether they count as reached) at Q."""
    problem = packed(figures()["rotate"], goal)
    value_and_gradient(problem, Q)
    reached = miss_parts(problem.structure, problem.parameters, problem.workspace)
    return problem.sections.sweep.errors.tolist(), bool(reached)


def test_points_lines_and_planes_are_missed_by_their_distance():
    r = FRAME[:3, 3]
    assert miss(mk.Position("tip", np.add(r, [0, 3.0, 4.0])))[0] == pytest.approx([5.0])
    assert miss(mk.OnLine("tip", np.add(r, [7.0, 3.0, 4.0]), [-2.0, 0, 0]))[0] == pytest.approx([5.0])
    assert miss(mk.OnPlane("tip", np.add(r, [7.0, 8.0, 2.0]), [0, 0, -3.0]))[0] == pytest.approx([2.0])


@pytest.mark.parametrize("angle", [1e-9, 1e-4, 0.3, 2.0, 3.1])
def test_an_orientation_is_missed_by_the_angle_between_the_frames_whatever_its_weights(angle):
    turn = transforms.exp(angle * np.array([0.6, 0.0, -0.8]))
    target = turn @ FRAME[:3, :3]
    expected = Rotation.from_matrix(target @ FRAME[:3, :3].T).magnitude()
    for options in ({}, {"axes": (3, 0.1, 0)}, {"weight": 9.0, "degrees_per_metre": 10.0}):
        assert miss(mk.Orientation("tip", target, **options))[0] == pytest.approx(
            [expected], rel=1e-9, abs=1e-15
        )


def test_an_orientation_half_way_round_is_missed_by_a_half_turn():
    target = transforms.exp([np.pi, 0.0, 0.0]) @ FRAME[:3, :3]
    assert miss(mk.Orientation("tip", target))[0] == pytest.approx([np.pi], abs=1e-7)


@pytest.mark.parametrize("k", range(3))
def test_an_orientation_that_minds_one_axis_is_missed_by_that_axis_angle(k):
    target = Rotation.from_rotvec([0.4, 1.1, -0.3]).as_matrix()
    expected = np.arccos(target[:, k] @ FRAME[:3, k])
    assert miss(mk.Orientation("tip", target, axes=np.eye(3)[k]))[0] == pytest.approx([expected])


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 1.0, 3.0, np.pi - 1e-9, np.pi])
def test_an_aim_is_missed_by_the_angle_between_the_directions(angle):
    along = np.cos(angle) * FRAME[:3, 1] + np.sin(angle) * FRAME[:3, 2]
    goal = mk.Aim("tip", FRAME[:3, 3] + 0.7 * along, axis=(0, 5, 0))
    assert miss(goal)[0] == pytest.approx([angle], abs=1e-14)


def test_an_aim_at_the_site_itself_points_nowhere_and_is_missed_by_a_right_angle():
    assert miss(mk.Aim("tip", FRAME[:3, 3])) == ([np.pi / 2], False)


def test_a_placement_misses_by_metres_and_by_radians():
    goal = mk.Placement("tip", FRAME[:3, 3] + [0, 0, 2.0], transforms.exp([0, 0.5, 0]) @ FRAME[:3, :3])
    assert miss(goal)[0] == pytest.approx([2.0, 0.5])


@pytest.mark.parametrize(("metres", "reached"), [(0.99e-4, True), (1.01e-4, False)])
def test_a_goal_counts_as_reached_within_its_tolerance(metres, reached):
    assert miss(mk.Position("tip", FRAME[:3, 3] + [metres, 0, 0]))[1] is reached


@pytest.mark.parametrize(("radians", "reached"), [(0.99e-3, True), (1.01e-3, False)])
def test_an_angle_counts_as_reached_within_its_own_tolerance(radians, reached):
    assert miss(mk.Orientation("tip", transforms.exp([0, 0, radians]) @ FRAME[:3, :3]))[1] is reached
