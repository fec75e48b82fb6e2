"""`manikin demo`: what it claims to show is true."""

import json

import pytest

from manikin.cli.demo import arm, cases


def test_in_reach_out_of_reach_and_several_goals(manikin):
    result = manikin("demo", "--json")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert [case["status"] for case in data] == ["reached", "stationary", "reached"]
    assert [case["dofs"] for case in data] == [7, 7, 7]
    assert [len(case["goals"]) for case in data] == [2, 2, 3]  # a placement counts its two halves


def test_the_table_is_followed_by_the_reasons(manikin):
    shown = manikin("demo").stdout
    assert shown.index("stationary") < shown.index("out of reach:")


def test_the_arm_is_as_tall_as_it_says():
    straight = arm().pose(dict.fromkeys(arm().dofs, 0.0))
    assert straight.position("tool") == pytest.approx([0.0, 0.0, 1.17])


def test_every_goal_names_a_site_of_the_arm():
    assert {goal.site for case in cases() for goal in case.goals} <= set(arm().sites)
