"""What is said to be out of reach is proved to be, and words and data agree on it."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.result.explain.reach import ALONE, WITH_HARD, out_of_reach


def planar(lower=-2.5, upper=2.5):
    """Three links of 0.5, 0.3 and 0.2 m in a plane."""
    joints = [
        mk.Joint.revolute(f"j{k}", f"s{k}", f"s{k + 1}", "z", placement=[at, 0, 0], lower=lower, upper=upper)
        for k, at in enumerate((0.1, 0.5, 0.3))
    ]
    return mk.Figure("arm", [f"s{k}" for k in range(4)], joints, [mk.Site("tip", "s3", [0.2, 0, 0])])


def sliding():
    """A mast that slides up by 0.2 to 0.6 m and carries an arm of 0.4 m."""
    joints = [
        mk.Joint("lift", "base", "mast", "T(z)", lower=0.2, upper=0.6),
        mk.Joint("turn", "mast", "arm", "R(y)", placement=(0, 0, 0.1)),
    ]
    return mk.Figure("crane", ["base", "mast", "arm"], joints, [mk.Site("tip", "arm", (0.4, 0, 0))])


def solved(figure, *goals, **options):
    return mk.solve(figure, list(goals), restarts=2, **options)


def test_farther_than_all_links_together_is_proved():
    goal = mk.Position("tip", [1.102, 0.0, 0.0])
    assert out_of_reach(solved(planar(), goal), goal) == ALONE
    near = mk.Position("tip", [1.099, 0.0, 0.0])
    assert out_of_reach(solved(planar(), near), near) == ""


def test_nearer_than_the_longest_link_is_longer_than_the_others_is_proved():
    joints = [
        mk.Joint.revolute("j0", "s0", "s1", "z"),
        mk.Joint.revolute("j1", "s1", "s2", "z", placement=[0.5, 0, 0]),
    ]
    figure = mk.Figure("arm", ["s0", "s1", "s2"], joints, [mk.Site("tip", "s2", [0.2, 0, 0])])
    goal = mk.Position("tip", [0.29, 0.0, 0.0])
    assert out_of_reach(solved(figure, goal), goal) == ALONE
    near = mk.Position("tip", [0.31, 0.0, 0.0])
    assert out_of_reach(solved(figure, near), near) == ""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [planar, sliding, lambda: mk.human(fingers=False)])
def test_where_some_pose_is_nothing_is_out_of_reach(make, seed):
    figure = make()
    rng = np.random.default_rng(seed)
    low, high = np.maximum(figure.lower, -2.0), np.minimum(figure.upper, 2.0)
    site = "tip" if "tip" in figure.sites else "right_hand"
    for _ in range(5):
        place = mk.Pose(figure, rng.uniform(low, high)).position(site)
        goals = [
            mk.Position(site, place),
            mk.OnPlane(site, place, rng.normal(size=3)),
            mk.OnLine(site, place, rng.normal(size=3)),
            mk.Inside(site, mk.Ball(place, 0.01) | mk.Ball(place + 9.0, 0.1)),
        ]
        found = mk.solve(figure, goals, restarts=0)
        assert [out_of_reach(found, goal) for goal in goals] == [""] * 4


def test_planes_lines_and_regions_beyond_the_reach_are_proved():
    goals = [
        mk.OnPlane("tip", [0.0, 0.0, 2.0], [0.1, 0.0, 1.0]),
        mk.OnLine("tip", [0.0, 3.0, 0.0], [1.0, 0.0, 0.0]),
        mk.Inside("tip", mk.Ball([3.0, 0.0, 0.0], 0.5) | mk.Ball([0.0, 3.0, 0.0], 0.5)),
        mk.Inside("tip", mk.Box(center=[0.0, 0.0, 2.0], size=[9.0, 9.0, 1.0])),
    ]
    found = solved(planar(), *goals)
    assert [out_of_reach(found, goal) for goal in goals] == [ALONE] * 4


def test_slides_count_as_far_as_they_go():
    figure = sliding()
    for height, proved in ((1.05, ""), (1.12, ALONE), (-1.12, ALONE)):
        goal = mk.Position("tip", [0.0, 0.0, height])
        assert out_of_reach(solved(figure, goal), goal) == proved
    held = mk.Position("tip", [0.0, 0.0, 1.05])
    assert out_of_reach(solved(figure, held, free=["turn"]), held) == ALONE


def test_what_a_hard_goal_holds_out_of_reach_is_proved_with_it():
    body = mk.human(fingers=False)
    floor = body.pose().position("right_foot")
    near = mk.Position("right_hand", floor + [0.0, 0.0, 1.0])
    far = mk.Position("right_hand", floor + [0.0, 0.0, 3.5])
    found = solved(body, near, far, mk.Pin("right_foot"))
    assert out_of_reach(found, near) == "" and out_of_reach(found, far) == WITH_HARD
    free = solved(body, far)
    assert out_of_reach(free, far) == ""


def test_without_proof_words_and_data_say_how_many_starts_were_tried():
    goal = mk.Position("tip", [0.35, 0.1, 0.0])
    figure = planar(lower=-0.2, upper=0.2)
    for found in (mk.solve(figure, [goal]), mk.solve(figure, [goal], restarts=0)):
        assert "out of reach" not in found.explain()
        assert found.diagnose().kind in ("limits", "not found")
        assert "out of reach" not in found.diagnose().text


def pointer():
    """A hinge about z through the site itself."""
    return mk.Figure("pointer", ["a", "b"], [mk.Joint.revolute("j", "a", "b", "z")], [mk.Site("tip", "b")])


@pytest.mark.parametrize("hard", [False, True])
def test_an_aim_at_its_own_site_is_not_called_out_of_reach_nor_90_degrees_off(hard):
    found = mk.solve(pointer(), [mk.Aim("tip", at=[0.0, 0.0, 0.0], hard=hard)])
    text = found.explain()
    assert not found.reached
    if not hard:
        assert "tip is at the very point that it should aim at" in text and "90" not in text
        assert "out of reach" not in text and "no pose that meets it was found from" in text
        assert found.diagnose().kind == "not found" and "starts" in found.diagnose().text


def test_words_and_data_agree_on_what_is_out_of_reach():
    rng = np.random.default_rng(2)
    figure, said = planar(lower=-0.6, upper=0.6), set()
    for _ in range(25):
        goal = mk.Position("tip", [*rng.uniform(-1.6, 1.6, 2), 0.0])
        found = mk.solve(figure, [goal])
        if found.reached or found.diagnose().kind == "limits":
            continue
        assert ("out of reach" in found.explain()) == (found.diagnose().kind == "out of reach")
        said.add(found.diagnose().kind)
    assert said


def test_errors_are_no_number_for_goals_that_measure_nothing():
    found = mk.solve(planar(), [mk.SelfClearance(), mk.Position("tip", [0.6, 0.2, 0.0])])
    assert found.position_errors.shape == (2,) and np.isnan(found.position_errors[0])
    assert found.position_errors[1] == pytest.approx(found.measured[-1].amount)


def test_errors_are_the_largest_of_a_goals_own():
    goals = [mk.Pin("tip", hard=False), mk.Position("tip", [0.2, 0.3, 0.0], weight=3.0)]
    found = mk.solve(planar(), goals)
    mine = [miss for miss in found.measured if miss.goal is goals[0] and miss.unit == "m"]
    assert found.position_errors[0] == max(miss.amount for miss in mine)


def test_the_alternative_taken_is_in_the_dictionary():
    here, there = mk.Position("tip", [9.0, 0.0, 0.0]), mk.Position("tip", [0.7, 0.3, 0.0])
    goals = [mk.Position("tip", [0.7, 0.3, 0.0]), mk.AnyOf([here, there])]
    found = mk.solve(planar(), goals)
    assert found.choices == {goals[1]: 1}
    assert [goal["choice"] for goal in found.to_dict()["goals"]] == [None, 1]
    plain = mk.solve(planar(), goals[:1])
    assert [goal["choice"] for goal in plain.to_dict()["goals"]] == [None]
