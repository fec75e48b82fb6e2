from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FigureError, PoseError
from manikin.figure import Cone, Figure, Follow, Joint, Segment, Site
from manikin.figure.rejoint import converted, with_ball, with_turns

from .samples import branching, placed


def limb(root: str | None = None, **limits) -> Figure:
    joints = [
        Joint("waist", "base", "trunk", "R(z)", lower=-1, upper=1),
        Joint(
            "shoulder",
            "trunk",
            "arm",
            "R(z)*R(-x)*R(0,1,1)",
            placed(0.1, 0.2, 0.3, 0.4, 0.1, 0.2),
            placed(0.0, 0.01, 0.0, 0.2, 0.0, 0.1),
            rest=[0.2, -0.1, 0.3],
            stiffness=[1.0, 2.0, 3.0],
            velocity=[3.0, 2.0, 4.0],
            **limits,
        ),
        Joint("elbow", "arm", "hand", "R(x)", [0.3, 0, 0]),
    ]
    segments = ["base", Segment("trunk", 1.0), "arm", "hand"]
    return Figure("limb", segments, joints, [Site("tip", "hand", [0.1, 0, 0])], root=root)


@pytest.mark.parametrize("root", [None, "hand"])
@pytest.mark.parametrize("axis", ["z", "-x", (1.0, 1.0, 0.0)])
def test_the_figure_with_a_ball_takes_the_same_poses_and_goes_back(root, axis):
    turns = limb(root)
    ball = with_ball(turns, "shoulder", axis)
    assert ball.joints["shoulder"].motion.startswith("ball")
    back = with_turns(ball, "shoulder", "R(z)*R(-x)*R(0,1,1)")
    assert back.dofs == turns.dofs
    rng = np.random.default_rng(1)
    # At rest both stand the same way, and so do poses converted from one to the other.
    for q in [turns.rest, *rng.uniform(-1.2, 1.2, (20, turns.n))]:
        pose = turns.pose(q)
        other = converted(pose, ball)
        again = converted(other, back, near=back.pose(q))
        for name, matrix in pose.matrices().items():
            assert np.abs(other.matrices()[name] - matrix).max() < 1e-12
            assert np.abs(again.matrices()[name] - matrix).max() < 1e-12
        assert np.abs(again.q - q).max() < 1e-9
    for name, matrix in turns.pose().matrices().items():
        assert np.abs(ball.pose().matrices()[name] - matrix).max() < 1e-12
        assert np.abs(back.pose().matrices()[name] - matrix).max() < 1e-12


def test_limits_are_given_anew_or_the_change_is_refused():
    turns = limb(lower=-1, upper=1)
    with pytest.raises(
        FigureError, match="'shoulder' has limits, which its new coordinates cannot have exactly"
    ):
        with_ball(turns, "shoulder")
    ball = with_ball(turns, "shoulder", cone=1.0, twist=(-0.8, 0.8))
    assert ball.cones == (Cone(1, 2, 0.0, 0.0, 1.0, 1.0),)
    assert with_ball(turns, "shoulder", twist=(None, None)).cones == ()
    with pytest.raises(FigureError, match="give new ones"):
        with_turns(ball, "shoulder", "R(z)*R(x)*R(y)")
    again = with_turns(ball, "shoulder", "R(z)*R(x)*R(y)", lower=-1, upper=1)
    assert again.lower.tolist() == [-1.0] * 4 + [-np.inf]


def test_stiffness_and_velocity_are_carried_over_and_names_may_be_given():
    ball = with_ball(limb(), "shoulder", dofs=["a", "b", "c"])
    assert ball.dofs == ("waist", "a", "b", "c", "elbow")
    assert ball.dof("b").stiffness == 2.0
    assert ball.dof("b").velocity == 2.0
    assert with_ball(limb(), "shoulder", stiffness=7.0).dof("shoulder_twist").stiffness == 7.0


def test_loops_sites_and_couplings_elsewhere_stay():
    turns = limb().with_loop("tip", "base", "position").with_couplings("waist + elbow <= 1")
    ball = with_ball(turns, "shoulder")
    assert (ball.loops, ball.couplings) == (turns.loops, turns.couplings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: with_ball(f, "elbow"), "'elbow' is .* not three turns"),
        (lambda f: with_ball(f, "knee"), "no joint 'knee' to change"),
        (lambda f: with_turns(f, "wrist", "R(z)*R(x)*R(y)"), "not a ball joint"),
        (lambda f: with_turns(f, "shoulder", "R(z)*R(x)"), "is not a product of three turns"),
        (lambda f: with_turns(f, "shoulder", "R(z)*R(z)*R(x)"), "parallel"),
        (lambda f: with_turns(f, "roll", "R(z)*R(x)*R(z)"), "follows others, so it cannot be changed"),
        (lambda f: with_ball(f, "wrist"), "follows its 'wrist_x', so it cannot be changed"),
        (
            lambda f: with_turns(f.with_couplings("shoulder_twist <= elbow_z"), "shoulder", "R(z)*R(x)*R(y)"),
            "the coupling .* depends on it",
        ),
    ],
)
def test_what_cannot_be_changed_is_refused_in_words(change, message):
    with pytest.raises(FigureError, match=message):
        change(branching())


def test_poses_of_unlike_figures_do_not_convert():
    with pytest.raises(PoseError, match="has a joint 'waist' that it has not"):
        converted(branching("fixed").pose(), limb())
    straight = limb().replace(
        joints=[
            Joint("waist", "base", "trunk", "T(z)"),
            *list(limb().given.joints.values())[1:],
        ]
    )
    with pytest.raises(PoseError, match=r"'waist' is 'R.z.' there and 'T.z.'"):
        converted(limb().pose(), straight)


def test_values_of_axes_with_other_names_are_carried_by_place():
    named = Figure("f", "ab", [Joint("j", "a", "b", "R(z)*R(x)", dofs=["yaw", "roll"])])
    plain = Figure("f", "ab", [Joint("j", "a", "b", "R(z)*R(x)")])
    assert converted(named.pose([0.1, 0.2]), plain).q.tolist() == [0.1, 0.2]
    driven = Figure("f", "ab", [Joint("j", "a", "b", "R(z)*R(x)", follow=(None, Follow({"j_z": 1.0})))])
    assert converted(named.pose([0.1, 0.2]), driven).q.tolist() == [0.1]


def test_figures_and_poses_have_the_doors_to_it():
    turns = Figure("f", ["a", "b"], [Joint("shoulder", "a", "b", "R(z)*R(x)*R(y)")])
    ball = turns.with_ball("shoulder")
    pose = turns.pose([0.3, -0.4, 0.5])
    there = pose.converted(ball)
    assert np.allclose(there.matrix("b"), pose.matrix("b"), atol=1e-12)
    back = there.converted(ball.with_turns("shoulder", "R(z)*R(x)*R(y)"))
    assert back.q == pytest.approx(pose.q, abs=1e-12)
