from __future__ import annotations

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk
from manikin.cli.robot import arm
from manikin.papers import constrainedness
from manikin.papers.chains import planar_chain

from .samples import DOWN, branched, three_links


def test_the_planar_chain_has_one_degree_of_redundancy():
    found = constrainedness(three_links())
    assert (found.variables, found.asked, found.usual_rank, found.redundancy) == (3, 2, 2, 1)
    assert found.kind == "under-constrained" and not found.singular


def test_with_its_orientation_the_chain_is_perfectly_constrained():
    pose = planar_chain().pose([0.5, 0.5, 0.5])
    goal = mk.Placement("P3", pose.position("P3"), pose.matrix("P3")[:3, :3])
    found = constrainedness(mk.Problem(pose, [goal]))
    assert (found.kind, found.redundancy, found.asked) == ("perfectly constrained", 0, 3)


def test_a_single_link_is_over_constrained_by_a_point():
    found = constrainedness(mk.Problem(planar_chain(), [mk.Position("P1", [1.0, 0.0, 0.0])]))
    assert (found.kind, found.variables, found.asked, found.usual_rank) == ("over-constrained", 1, 2, 1)


def test_two_targets_for_one_site_are_over_constrained():
    goals = [mk.Position("P3", [1.0, 1.0, 0.0]), mk.Position("P3", [1.0, 2.0, 0.0])]
    found = constrainedness(mk.Problem(planar_chain(), goals))
    assert found.kind == "over-constrained" and found.redundancy == 1


def test_a_target_off_the_plane_is_over_constrained():
    found = constrainedness(mk.Problem(planar_chain(), [mk.Position("P3", [1.0, 1.0, 0.2])]))
    assert found.kind == "over-constrained" and found.asked == 3


def test_a_stretched_chain_is_singular():
    found = constrainedness(three_links(), [0.3, 0.0, 0.0])
    assert found.singular and found.rank == 1 and found.redundancy == 1
    assert "at this singular pose 1" in str(found)


@pytest.mark.parametrize(("effectors", "left"), [(2, 5), (3, 3), (4, 1)])
def test_each_end_effector_of_the_branched_chain_takes_two(effectors, left):
    assert constrainedness(branched(effectors)).redundancy == left


def test_the_arm_has_one_degree_left_under_a_placement():
    problem = mk.Problem(arm(), [mk.Placement("tool", [0.45, 0.15, 0.35], DOWN)])
    assert constrainedness(problem).redundancy == 1 == problem.solve().degree_of_redundancy()
    assert str(constrainedness(problem)).startswith("under-constrained: 7 degrees of freedom, 6 constraints")


def test_nothing_asked_constrains_nothing():
    problem = three_links()
    problem = moved(problem, 0, weight=0.0)
    assert constrainedness(problem).redundancy == constrainedness(problem).variables == 3
    assert np.isfinite(problem.q0).all()


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        (mk.Aim("tool", at=[1.0, 0.2, 0.5]), 2),
        (mk.OnLine("tool", [0.4, 0.0, 0.4], [0.0, 1.0, 0.0]), 2),
        (mk.OnPlane("tool", [0.4, 0.0, 0.4], [0.0, 0.0, 1.0]), 1),
        (mk.Orientation("tool", DOWN, axes=(0.0, 0.0, 1.0)), 2),
        (mk.Inside("tool", mk.Circle([0.4, 0.0, 0.4], [0.0, 0.0, 1.0], 0.1)), 2),
    ],
)
def test_a_goal_takes_as_many_degrees_of_freedom_as_it_has_equations(goal, asked):
    found = constrainedness(mk.Problem(arm(), [goal]))
    assert (found.asked, found.usual_rank, found.redundancy) == (asked, asked, 7 - asked)
    assert found.kind == "under-constrained"


def test_goals_that_it_cannot_count_are_refused():
    problem = mk.Problem(arm(), [mk.Inside("tool", mk.Ball([0.4, 0.0, 0.4], 0.1))])
    with pytest.raises(mk.SolveError, match="inside of 'tool' leaves a range open"):
        constrainedness(problem)
