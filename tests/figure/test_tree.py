from __future__ import annotations

import pickle

import numpy as np
import pytest

from manikin.figure import Figure, Follow, Joint, transforms

from .samples import branching


def test_ordinary_figures_have_the_identity_for_drives():
    figure = Figure(
        "f", "abc", [Joint("j", "a", "b", "R(z)*T(x)"), Joint("k", "b", "c", "ball")], base="free"
    )
    tree = figure.tree
    assert tree.identity
    assert [kind.name for kind in tree.kinds] == ["slide"] * 3 + [
        "rotation_vector",
        "rotate",
        "slide",
        "swing_twist",
    ]
    assert tree.axis.tolist() == [0, 1, 2, 3, 6, 7, 8]
    assert tree.parent.tolist() == [-1, 0, 1, 2, 3, 4, 5]
    assert np.array_equal(tree.drives(), np.eye(11))


def test_it_stays_the_identity_when_hung_from_elsewhere_unless_a_ball_is_turned_round():
    hinges = Figure("f", "abc", [Joint("j", "a", "b", "R(z)*T(x)"), Joint("k", "b", "c", "R(y)")])
    assert hinges.rerooted("c").tree.identity
    ball = Figure("f", "ab", [Joint("j", "a", "b", "ball")]).rerooted("b").tree
    assert [kind.name for kind in ball.kinds] == ["twist_swing"]
    assert ball.drive_coefficient.tolist() == [-1.0] * 3
    assert not ball.identity


def test_a_follower_drives_its_axis_from_another_coordinate():
    joints = [Joint("j", "a", "b", "R(z)"), Joint("k", "b", "c", "R(z)", follow=Follow({"j": 2.0}, 0.5))]
    tree = Figure("f", "abc", joints).tree
    assert not tree.identity
    assert tree.axis_offset.tolist() == [0.0, 0.5]
    assert (tree.drive_axis.tolist(), tree.drive_dof.tolist()) == ([0, 1], [0, 0])
    assert tree.drive_coefficient.tolist() == [1.0, 2.0]


def test_fixed_joints_are_welded_into_the_placements():
    joints = [
        Joint("j", "a", "b", "fixed", [0, 0, 1]),
        Joint("k", "b", "c", "R(z)", [0, 0, 1]),
        Joint("l", "c", "d"),
    ]
    tree = Figure("f", "abcd", joints, location=[1, 0, 0]).tree
    assert tree.segment_motion.tolist() == [-1, -1, 0, 0]
    assert tree.segment_placement[1].tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1]
    assert tree.placement[0, 9:].tolist() == [1, 0, 2]


def test_a_figure_without_motions_still_has_arrays():
    tree = Figure("f", ["a"], []).tree
    assert tree.placement.shape == (0, 12)
    assert tree.segment_placement.shape == (1, 12)
    assert tree.identity and tree.n == 0


def test_each_motions_own_axis_is_its_local_z():
    figure = Figure("f", "ab", [Joint("j", "a", "b", "R(0,3,4)", [1, 0, 0])])
    placement = transforms.unpack(figure.tree.placement[0])
    assert np.abs(placement[:3, 2] - [0, 0.6, 0.8]).max() < 1e-15
    assert placement[:3, 3].tolist() == [1, 0, 0]


@pytest.mark.parametrize("root", list(branching().segments))
def test_parents_come_first_drives_are_sorted_and_all_is_typed(root):
    tree = branching().rerooted(root).tree
    assert (tree.parent < np.arange(len(tree.parent))).all()
    assert (np.diff(tree.drive_axis) >= 0).all()
    for name in ("parent", "kind", "axis", "drive_axis", "drive_dof", "segment_motion"):
        assert getattr(tree, name).dtype == np.int64
    for name in (
        "placement",
        "axis_offset",
        "drive_coefficient",
        "segment_placement",
        "segment_mass",
        "segment_com",
    ):
        assert getattr(tree, name).dtype == np.float64
        assert not getattr(tree, name).flags.writeable


def test_a_pickled_tree_is_the_same_and_read_only():
    tree = branching().tree
    back = pickle.loads(pickle.dumps(tree))
    assert np.array_equal(back.placement, tree.placement)
    assert not back.placement.flags.writeable
