"""Key frames from solves, and straight approaches by any method."""

import numpy as np
import pytest
from tests.motion.samples import HUMAN, excess, planar_arm

import manikin as mk


def test_keys_are_poses_values_or_goals_solved_from_the_key_before():
    rest = HUMAN.pose()
    target = rest.position("right_hand") + [0.3, 0.0, 0.4]
    motion = mk.interpolate(
        [rest, {"left_elbow": 1.0}, [mk.Position("right_hand", target), mk.Pin("left_foot")]], [0.0, 1.0, 2.0]
    )
    assert motion.reached and [found is None for found in motion.solutions] == [True, True, False]
    assert motion[1].values()["left_elbow"] == 1.0
    assert np.linalg.norm(motion[2].position("right_hand") - target) < 1e-4
    assert np.abs(motion.velocity([0.0, 2.0])).max() < 1e-12
    assert excess(HUMAN, motion.values(np.linspace(0.0, 2.0, 401))) < 1e-12
    with pytest.raises(mk.PoseError, match="figure="):
        mk.interpolate([[mk.Position("right_hand", target)]], [0.0])


@pytest.mark.parametrize("method", ["auto", "projection", "damped", "bounded"])
@pytest.mark.parametrize("ease", ["even", "smooth"])
def test_intermediate_targets_lead_any_method_along_the_line(method, ease):
    figure = planar_arm()
    pose = figure.pose([0.4, 0.5, 0.4, 0.3])
    start, end = pose.position("tool"), np.array([0.3, 0.7, 0.0])
    motion = mk.approach(pose, [mk.Position("tool", end)], steps=12, ease=ease, method=method)
    path = figure.forward(motion.q, "tool")[:, 0, :3, 3]
    along = (path - start) @ (end - start) / np.dot(end - start, end - start)
    assert np.abs(path - (start + along[:, None] * (end - start))).max() < 2e-3
    assert motion.reached and excess(figure, motion.q) <= 0.0
    steps = np.diff(along)
    assert (np.ptp(steps) < 0.01) == (ease == "even")


def test_a_whole_body_follows_a_straight_line_inside_its_limits():
    rest = HUMAN.pose()
    start = rest.position("right_hand")
    end = start + [0.35, -0.1, 0.5]
    motion = mk.approach(
        rest, [mk.Position("right_hand", end), mk.Pin("left_foot"), mk.Pin("right_foot")], steps=10
    )
    path = HUMAN.forward(motion.q, "right_hand")[:, 0, :3, 3]
    way = (end - start) / np.linalg.norm(end - start)
    off = (path - start) - ((path - start) @ way)[:, None] * way
    assert np.linalg.norm(off, axis=1).max() < 2e-4 and motion.reached
    assert excess(HUMAN, motion.q) < 1e-12
