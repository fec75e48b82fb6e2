"""`manikin demo`: what it claims to show is true."""

import json

import pytest

from manikin.cli import report, robot


def test_the_three_results_of_the_report_come_out_as_the_report_has_them(manikin, tmp_path):
    result = manikin("demo", "--json", "--output", str(tmp_path / "pictures"))
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert [case["status"] for case in data] == ["reached", "stationary", "reached"]
    assert [case["dofs"] for case in data] == [16, 31, 10]
    assert [case["seconds_then"] for case in data] == [2.6, 13.0, 2.0]
    assert len(list((tmp_path / "pictures").glob("*.png"))) == 3


def test_the_table_is_followed_by_the_reasons_and_the_pictures(manikin, tmp_path):
    shown = manikin("demo", "--output", str(tmp_path)).stdout
    assert shown.index("stationary") < shown.index("Figure 5: a bar out of reach:") < shown.index("picture:")


def test_the_robot_shows_in_reach_out_of_reach_and_several_goals(manikin):
    result = manikin("demo", "robot", "--json", "--no-picture")
    data = json.loads(result.stdout)
    assert [case["status"] for case in data] == ["reached", "stationary", "reached"]
    assert [case["dofs"] for case in data] == [7, 7, 7]
    assert [len(case["goals"]) for case in data] == [1, 1, 3]


def test_the_arm_is_as_tall_as_it_says():
    straight = robot.arm().pose(dict.fromkeys(robot.arm().dofs, 0.0))
    assert straight.position("tool") == pytest.approx([0.0, 0.0, 1.17])


def test_every_goal_names_a_site_of_its_figure():
    assert {goal.site for case in robot.cases() for goal in case.goals} <= set(robot.arm().sites)
    for case in report.cases():
        assert {goal.site for goal in case.goals} <= set(case.start.figure.sites)
