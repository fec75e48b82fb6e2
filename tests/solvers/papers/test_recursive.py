from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import manikin as mk
from manikin.cli.robot import arm
from manikin.figure import transforms
from manikin.papers.methods.recursive import recursion

from ..samples import check
from .samples import branched, three_links


@given(st.integers(0, 2**32 - 1))
def test_with_full_row_rank_the_recursion_is_the_stacked_pseudo_inverse(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, rng.integers(1, 5))
    n = int(sizes.sum() + rng.integers(0, 4))
    blocks = [rng.normal(size=(m, n)) for m in sizes]
    changes = [rng.normal(size=m) for m in sizes]
    J, dX = np.vstack(blocks), np.concatenate(changes)
    if np.linalg.cond(J) > 1e4:
        return
    theta, F = recursion(blocks, changes)
    least = np.linalg.pinv(J) @ dX
    np.testing.assert_allclose(theta, least, atol=1e-6 * (1.0 + np.abs(least).max()))
    np.testing.assert_allclose(F, np.eye(n) - np.linalg.pinv(J) @ J, atol=1e-6)


@pytest.mark.parametrize("effectors", [2, 3, 4])
def test_on_the_branched_chain_each_step_is_that_of_the_stacked_pseudo_inverse(effectors):
    problem = branched(effectors)
    one = {"intermediate": 5, "iterations": 0}
    stacked = problem.solve(method="pseudoinverse", options=one).q
    np.testing.assert_allclose(problem.solve(method="recursive", options=one).q, stacked, atol=1e-9)


def test_where_goals_contradict_each_other_the_first_is_kept():
    figure = three_links().figure
    goals = [mk.Position("P3", [1.0, 1.8, 0.0]), mk.Position("P3", [1.5, 1.5, 0.0])]
    solution = check(mk.solve(figure, goals, method="recursive"))
    assert not solution.reached
    assert solution.position_errors[0] < 1e-4 < solution.position_errors[1]


def test_the_homogeneous_term_leaves_all_end_effectors_where_they_are_asked():
    problem = branched(3)
    plain = problem.solve(method="recursive")
    moved = check(problem.solve(method="recursive", options={"Z": np.ones(9), "intermediate": 40}))
    assert moved.reached and np.abs(moved.q - plain.q).max() > 0.05


def test_a_placement_is_one_end_effector():
    there = arm().pose().with_values({"waist": 0.3, "elbow": 1.4})
    goals = [
        mk.Position("elbow", there.position("elbow")),
        mk.Placement("tool", there.position("tool"), there.matrix("tool")[:3, :3]),
    ]
    assert check(mk.solve(arm(), goals, method="recursive")).reached


def test_two_orientation_goals_of_one_site_are_two_end_effectors():
    figure = three_links().figure
    first, second = (mk.Orientation("P3", transforms.turn_z(angle)) for angle in (1.8, 1.2))
    solution = check(mk.solve(figure, [first, second], method="recursive"))
    assert solution.orientation_errors[0] < 1e-3 < 0.5 < solution.orientation_errors[1]
