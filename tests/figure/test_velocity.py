"""Speed limits of a figure, and those of people."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.figure.human import joint_speeds
from manikin.figure.human.speeds import TRUNK_FLEXION

BODY = mk.human(stature=1.75)


def test_speed_limits_change_and_nothing_else_does():
    figure = arm()
    other = figure.with_velocity({"elbow": 1.5, "waist": 0.5})
    assert other.velocity[figure.index("elbow")] == 1.5 and other.velocity[figure.index("waist")] == 0.5
    kept = [k for k, name in enumerate(figure.dofs) if name not in ("elbow", "waist")]
    np.testing.assert_array_equal(other.velocity[kept], figure.velocity[kept])
    for column in ("lower", "upper", "rest", "stiffness"):
        np.testing.assert_array_equal(getattr(other, column), getattr(figure, column))
    q = figure.rest + 0.1
    np.testing.assert_array_equal(other.pose(q).matrix("tool"), figure.pose(q).matrix("tool"))
    assert np.isinf(other.with_velocity({"elbow": np.inf}).velocity[figure.index("elbow")])


def test_unknown_names_and_negative_speeds_are_refused():
    with pytest.raises(mk.ManikinError, match="elbw"):
        arm().with_velocity({"elbw": 1.0})
    with pytest.raises(mk.ManikinError, match="must not be negative"):
        arm().with_velocity({"elbow": -1.0})


def test_people_have_the_speeds_of_the_literature_and_the_spine_shares_its_own():
    speeds = joint_speeds(BODY)
    assert set(speeds) <= set(BODY.dofs)
    assert speeds["right_elbow"] == speeds["left_elbow"] == 18.1
    spine = [speed for name, speed in speeds.items() if name.startswith("spine_")]
    assert sum(spine) == pytest.approx(TRUNK_FLEXION)
    fast = BODY.with_velocity(speeds)
    assert np.isfinite(fast.velocity).sum() == len(speeds)
    small = mk.human(spine="bend", fingers=False)
    assert set(joint_speeds(small)) <= set(small.dofs)


def test_the_least_time_of_a_person_is_that_of_the_slowest_joint_and_less_than_without():
    fast = BODY.with_velocity(joint_speeds(BODY))
    free = ["right_shoulder_*", "right_elbow", "right_forearm_pronation", "right_wrist_*"]
    target = mk.Position("right_hand", [0.35, -0.25, 1.2])
    limited = np.isfinite(fast.velocity)

    def seconds(goals: list[mk.Goal]) -> float:
        found = mk.solve(fast, goals, free=free, natural=False)
        assert found.reached
        way = np.abs(found.q - fast.rest)[limited] / fast.velocity[limited]
        return float(way.max())

    assert seconds([target, mk.LeastTime()]) < 0.9 * seconds([target])


def test_people_without_speeds_are_told_how_to_get_some():
    with pytest.raises(
        mk.ManikinError, match=r"no speed limits to measure time by; give it some with figure\.with_velocity"
    ):
        mk.solve(BODY, [mk.Position("right_hand", [0.35, -0.25, 1.2]), mk.LeastTime()])
