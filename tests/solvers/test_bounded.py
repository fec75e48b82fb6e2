"""Every solve ends: starts that break what cannot move, weights and lengths out of all proportion."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

GOAL = [0.2, 0.0, 0.83]
WEIGHTS = [1e-150, 1e-6, 1.0, 1e6, 1e150]


def chain(length: float = 0.3, count: int = 3) -> mk.Figure:
    """Links in a row, turning about y and z."""
    joints = [
        mk.Joint(f"j{k + 1}", f"s{k}", f"s{k + 1}", f"R({'yz'[k % 2]})", placement=(0, 0, length * (k > 0)))
        for k in range(count)
    ]
    sites = [mk.Site("tip", f"s{count}", (0, 0, length)), mk.Site("s1", "s1"), mk.Site("s2", f"s{count - 1}")]
    return mk.Figure("chain", [f"s{k}" for k in range(count + 1)], joints, sites)


def goals(kind: str) -> list[mk.Goal]:
    if kind == "levels":
        return [mk.Position("tip", GOAL), mk.Inside("tip", mk.Ball([0.0, 0.0, 0.0], 3.0))]
    return [mk.Position("tip", GOAL)]


@pytest.mark.parametrize("method", ["auto", "lm", "projection", "levels"])
@pytest.mark.parametrize("off", [1e-12, 1e-11, 1e-10, 1e-9])
def test_a_constraint_among_held_joints_that_is_off_by_rounding_counts_as_kept(method, off):
    start = chain().pose({"j1": 0.3, "j2": 0.3 + off})
    found = mk.solve(
        start,
        goals(method),
        free=["j3"],
        constraints=["j1 - j2 = 0"],
        method="auto" if method == "levels" else method,
    )
    assert found.status in ("reached", "stationary")
    assert (found.q[:2] == start.q[:2]).all()


@pytest.mark.parametrize("method", ["auto", "lm", "projection", "levels"])
@pytest.mark.parametrize("off", [2e-9, 1e-8, 1e-6, 0.1])
def test_a_constraint_among_held_joints_that_is_off_by_more_is_infeasible_and_named(method, off):
    found = mk.solve(
        chain().pose({"j1": 0.3, "j2": 0.3 + off}),
        goals(method),
        free=["j3"],
        constraints=["j1 - j2 = 0"],
        method="auto" if method == "levels" else method,
    )
    assert found.status == "infeasible" and not found.reached
    assert "j1 - j2 = 0°" in found.explain()
    assert found.diagnose() is not None and found.diagnose().kind == "contradiction"


@pytest.mark.parametrize("sign", ["<=", ">="])
def test_an_inequality_among_held_joints_has_the_same_slack(sign):
    more = 1.0 if sign == "<=" else -1.0
    for off, status in ((1e-9, ("reached", "stationary")), (5e-9, ("infeasible",))):
        start = chain().pose({"j1": 0.3, "j2": -0.3 + more * off})
        found = mk.solve(start, goals("lm"), free=["j3"], constraints=[f"j1 + j2 {sign} 0"])
        assert found.status in status


def test_two_equalities_that_held_joints_make_contradict_by_rounding_are_one():
    start = chain().pose({"j1": 0.3, "j2": 0.3 + 5e-10, "j3": 0.1})
    found = mk.solve(start, goals("lm"), free=["j3"], constraints=["j3 - j1 = 0", "j3 - j2 = 0"])
    assert found.status in ("reached", "stationary")
    assert found.q[2] == pytest.approx(0.3, abs=1e-8)


def test_a_persons_pose_that_was_written_down_to_nine_digits_is_a_start_for_some_of_the_joints():
    body = mk.human()
    bent = mk.solve(body, [mk.Position("right_hand", [0.5, -0.2, 0.6]), mk.Pin("left_foot")])
    written = mk.Pose(body, np.round(bent.pose.q, 9))
    found = mk.solve(written, [mk.Position("left_hand", [0.4, 0.3, 1.2])], free=["left_*"])
    assert found.reached
    held = [j for j, name in enumerate(body.dofs) if not name.startswith("left_")]
    assert np.abs(found.q[held] - written.q[held]).max() < 1e-8
    assert "brought" not in found.explain()


def test_a_potential_in_python_ends_where_a_held_constraint_is_off():
    square = mk.Potential("tip", lambda x, axes: (float(x @ x), 2.0 * x, np.zeros((3, 3))))
    start = chain().pose({"j1": 0.3, "j2": 0.3 + 1e-10})
    found = mk.solve(start, [square], free=["j3"], constraints=["j1 - j2 = 0"])
    assert found.status != "infeasible"


def test_a_swivel_and_discomfort_of_a_stretched_arm_end():
    joints = [
        mk.Joint("j1", "base", "a", "ball"),
        mk.Joint("j2", "a", "b", "R(y)", placement=(0, 0, 0.3)),
        mk.Joint("j3", "b", "c", "ball", placement=(0, 0, 0.3)),
    ]
    sites = [mk.Site("s1", "a"), mk.Site("s2", "b"), mk.Site("tip", "c")]
    figure = mk.Figure("arm", ["base", "a", "b", "c"], joints, sites)
    found = mk.solve(figure, [mk.Swivel(("s1", "s2", "tip"), 1.0), mk.Discomfort()])
    assert np.isfinite(found.q).all()


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_weights_and_lengths_out_of_all_proportion_end_with_numbers(length, weight):
    figure = chain(length, 4)
    there = np.array([0.5, 0.3, 1.8]) * length
    tip = figure.pose().position("tip")
    for asked in (
        [mk.Position("tip", there, weight=weight)],
        [mk.Aim("tip", at=tip + 1e-9 * length, weight=weight)],
        [mk.Aim("tip", at=tip, weight=weight), mk.Position("tip", there)],
        [mk.Position("tip", there, hard=True), mk.Posture(weight=weight)],
        [mk.Inside("tip", mk.Ball(there, 0.1 * length), weight=weight), mk.Discomfort(weight=weight)],
        [mk.Swivel(("s1", "s2", "tip"), 1.0, weight=weight), mk.Discomfort()],
    ):
        for constraints in ([], ["j2 + j4 <= 0.4", "j1 - 0.5*j3 = 0.1"]):
            found = mk.solve(figure, asked, constraints=constraints, restarts=4)
            assert np.isfinite(found.q).all()
            assert found.explain()
