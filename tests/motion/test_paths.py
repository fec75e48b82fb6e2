"""Paths of targets, and goals over time."""

import numpy as np
import pytest

import manikin as mk
from manikin.figure import transforms
from manikin.motion.paths import eased
from manikin.motion.timed import outliers, timed

TIMES = np.linspace(0.0, 2.0, 201)


@pytest.mark.parametrize("ease", ["even", "smooth", 0.3, (0.1, 0.6), (0.0, 0.5), lambda u: u * u])
def test_every_ease_goes_from_0_to_1_without_turning_back(ease):
    u = np.linspace(0.0, 1.0, 5001)
    way = eased(u, ease)
    assert way[0] == pytest.approx(0.0, abs=1e-12) and way[-1] == pytest.approx(1.0)
    assert np.diff(way).min() >= 0.0


def test_ease_in_and_out_is_c2_and_even_between():
    u = np.linspace(0.0, 1.0, 20001)
    way = eased(u, 0.25)
    speed = np.gradient(way, u)
    assert speed[0] < 1e-6 and np.ptp(speed[5200:14800]) < 1e-9
    bend = np.gradient(speed, u)
    assert np.abs(np.diff(bend)[2:-2]).max() < 0.01
    with pytest.raises(mk.GoalError, match="ease"):
        eased(u, (0.8, 0.5))


def test_a_line_turns_by_the_shorter_way():
    start, end = np.eye(4), np.eye(4)
    end[:3, :3], end[:3, 3] = transforms.exp([0.0, 0.0, 2.0]), [0.0, 1.0, 0.0]
    middle = mk.Line(start, end).at(0.5)
    assert np.allclose(middle[:3, :3], transforms.exp([0.0, 0.0, 1.0])) and np.allclose(
        middle[:3, 3], [0, 0.5, 0]
    )


def test_an_arc_keeps_its_distance_and_may_turn():
    arc = mk.Arc([1.0, 0.0, 0.5], [0.0, 0.0, 0.5], angle=np.pi)
    points = arc.over(TIMES)
    assert np.allclose(np.linalg.norm(points - [0, 0, 0.5], axis=1), 1.0) and np.allclose(
        points[-1], [-1, 0, 0.5]
    )
    frame = np.eye(4)
    frame[:3, 3] = [1.0, 0.0, 0.0]
    turned = mk.Arc(frame, [0.0, 0.0, 0.0], angle=np.pi / 2, turn=True).at(1.0)
    assert np.allclose(turned[:3, :3], transforms.exp([0, 0, np.pi / 2]))


def test_a_closed_spline_is_c2_where_it_comes_round():
    angles = np.linspace(0.0, 2.0 * np.pi, 17)[:-1]
    points = np.stack([np.sin(angles), np.sin(2 * angles), 0 * angles], axis=1)
    path = mk.Spline(points, closed=True, ease="even")
    h = 1e-4
    before = (path.at(1.0) - 2 * path.at(1.0 - h) + path.at(1.0 - 2 * h)) / h**2
    after = (path.at(2 * h) - 2 * path.at(h) + path.at(0.0)) / h**2
    assert np.allclose(before, after, atol=0.5) and np.allclose(path.at(path.shares[:-1]), points)


def test_a_recorded_path_bridges_its_gaps():
    truth = np.stack([np.sin(TIMES), np.cos(TIMES), TIMES], axis=1)
    broken = truth.copy()
    broken[60:80] = np.nan
    assert np.abs(mk.Recorded(TIMES, broken).over(TIMES) - truth).max() < 1e-3
    later = mk.Recorded(TIMES, truth).over(np.array([5.0]))
    assert np.allclose(later, truth[-1])


def test_outliers_are_found_and_quick_motion_is_none():
    truth = np.stack([np.sin(5 * TIMES), np.cos(5 * TIMES), TIMES], axis=1)
    noisy = truth + np.random.default_rng(0).normal(0.0, 0.003, truth.shape)
    noisy[50] += [0.5, 0.0, 0.0]
    doubt = outliers(noisy, np.ones(len(noisy), bool))
    assert np.flatnonzero(doubt > 1.0).tolist() == [50]


def test_goals_over_time_are_checked():
    goal = mk.Position("tool", [0, 0, 0])
    with pytest.raises(mk.GoalError, match="one a sample"):
        timed([mk.Along(goal, np.zeros((5, 3)))], TIMES, True)
    with pytest.raises(mk.GoalError, match="no finite target"):
        timed([mk.Along(goal, np.full((201, 3), np.nan))], TIMES, True)
    with pytest.raises(mk.GoalError, match="target can move"):
        mk.Along(mk.Pin("tool"), mk.Line([0, 0, 0], [1, 0, 0]))
    with pytest.raises(mk.GoalError, match="before it begins"):
        mk.During(mk.Pin("tool"), 2.0, 1.0)
    with pytest.raises(mk.GoalError, match="shape"):
        timed([mk.Along(goal, mk.Line(np.eye(4), np.eye(4)))], TIMES, True)
