from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import manikin as mk
from manikin.errors import PoseError
from manikin.figure import Figure, Joint, Pose, Segment

from .samples import branching

FIGURES = {base: branching(base) for base in ("fixed", "free", "planar")}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(FIGURES)),
    st.sampled_from(sorted(FIGURES["free"].segments)),
    st.sampled_from(sorted(FIGURES["free"].segments)),
    st.integers(0, 2**32 - 1),
)
def test_rerooting_a_pose_leaves_every_segment_in_place(base, first, second, seed):
    figure = FIGURES[base]
    pose = figure.pose(np.random.default_rng(seed).normal(scale=1.5, size=figure.n))
    moved = pose.rerooted(first).rerooted(second)
    assert moved.figure.root == second and moved.figure.dofs == figure.dofs
    for name, matrix in pose.matrices().items():
        assert np.abs(moved.matrices()[name] - matrix).max() < 1e-12
    assert np.abs(moved.center_of_mass() - pose.center_of_mass()).max() < 1e-12
    own = figure.select([name for name in figure.dofs if not name.startswith("root_")])
    assert np.array_equal(moved.q[own], pose.q[own])


def test_rerooted_free_poses_share_one_figure():
    figure = FIGURES["free"]
    first, second = (figure.pose(np.full(figure.n, value)).rerooted("leg") for value in (0.1, 0.2))
    assert first.figure is second.figure is figure.rerooted("leg")


def test_rerooting_on_the_root_changes_nothing():
    pose = FIGURES["free"].pose()
    assert pose.rerooted("trunk") is pose


def test_values_by_name_leave_the_others_at_rest():
    figure = FIGURES["free"]
    pose = figure.pose({"elbow_z": 1.25, "root_x": 2.0})
    assert pose.values()["elbow_z"] == 1.25
    others = [k for k, name in enumerate(figure.dofs) if name not in ("elbow_z", "root_x")]
    assert np.array_equal(pose.q[others], figure.rest[others])
    assert figure.pose(pose.values()) == pose


def test_poses_are_immutable_and_compared_by_figure_and_values():
    figure = FIGURES["free"]
    q = np.zeros(figure.n)
    pose = figure.pose(q)
    q[0] = 5.0
    assert pose.q[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        pose.q[0] = 1.0
    assert pose == figure.pose(np.zeros(figure.n)) and hash(pose) == hash(figure.pose(np.zeros(figure.n)))
    assert pose != pose.with_values({"root_x": 1.0}) and pose != branching().pose(np.zeros(figure.n))
    assert pose != "pose"


def test_values_outside_the_limits_are_allowed():
    assert FIGURES["fixed"].pose({"elbow_z": -9.0}).values()["elbow_z"] == -9.0


def test_a_pose_tells_which_values_are_outside_their_ranges():
    figure = FIGURES["free"]
    pose = figure.pose({"elbow_z": -9.0, "elbow_2": 0.5, "root_x": 1e6})
    assert pose.outside == {"elbow_z": (-9.0, 0.0)}
    assert pose.with_values({"elbow_2": 1.5}).outside == {"elbow_z": (-9.0, 0.0), "elbow_2": (1.5, 1.0)}
    assert pose.with_values({"elbow_z": 2.5}).outside == {} and figure.pose().outside == {}


def test_the_center_of_mass_weighs_the_segments():
    figure = Figure(
        "f",
        [Segment("a", 1.0, (1, 0, 0)), Segment("b", 3.0, (1, 0, 0))],
        [Joint("j", "a", "b", "R(z)", [0, 0, 1])],
    )
    assert np.allclose(figure.pose([np.pi / 2]).center_of_mass(), [0.25, 0.75, 0.75])
    with pytest.raises(PoseError, match="figure 'f': it has no mass"):
        Figure("f", ["a"], []).pose().center_of_mass()


def test_matrix_position_and_matrices_agree():
    pose = FIGURES["free"].pose(np.linspace(-1, 1, FIGURES["free"].n))
    assert np.array_equal(pose.matrix("hand"), pose.matrices()["hand"])
    assert np.array_equal(pose.position("tip"), pose.matrix("tip")[:3, 3])
    assert list(pose.matrices()) == list(pose.figure.segments)


@given(st.lists(st.floats(-1e3, 1e3), min_size=FIGURES["fixed"].n, max_size=FIGURES["fixed"].n))
def test_json_round_trips_exactly(q):
    figure = FIGURES["fixed"]
    assert Pose.from_json(figure, figure.pose(q).to_json()) == figure.pose(q)


def test_a_pickled_pose_keeps_its_values():
    pose = FIGURES["free"].pose({"root_z": 0.3})
    back = pickle.loads(pickle.dumps(pose))
    assert np.array_equal(back.q, pose.q) and np.array_equal(back.matrix("tip"), pose.matrix("tip"))


def test_its_repr_shows_the_first_values():
    assert repr(FIGURES["fixed"].pose()).startswith("Pose('branching': shoulder_swing_y 0")


def test_values_that_do_not_fit_are_refused():
    figure = FIGURES["free"]
    with pytest.raises(
        PoseError, match=f"pose of 'branching': expected {figure.n} values, got shape \\(3,\\)"
    ):
        figure.pose([1, 2, 3])
    q = np.zeros(figure.n)
    for bad in (np.nan, np.inf):
        q[2] = bad
        with pytest.raises(PoseError, match="'root_z' must be finite"):
            figure.pose(q)
    q[2] = -1e16  # finite, but no kernel knows its sine
    with pytest.raises(PoseError, match=r"'root_z' must be within ±1e\+15, got -1e"):
        figure.pose(q)
    with pytest.raises(PoseError, match=r"expected .* numbers"):
        figure.pose("here")
    with pytest.raises(PoseError, match="unknown degree of freedom 'root_w'"):
        figure.pose({"root_w": 1.0})
    with pytest.raises(PoseError, match="'root_x' must be a number, got 'far'"):
        figure.pose({"root_x": "far"})
    with pytest.raises(PoseError, match="unknown segment 'knee'"):
        FIGURES["fixed"].pose().rerooted("knee")


def test_json_that_is_no_pose_is_refused():
    figure = FIGURES["fixed"]
    values = figure.pose().values()
    values.pop("elbow_z")
    with pytest.raises(PoseError, match="no value for 'elbow_z'"):
        Pose.from_json(figure, json.dumps({"values": values}))
    for text in ("{", "[]", '{"q": 1}', '{"values": [1]}'):
        with pytest.raises(PoseError, match="pose of 'branching'"):
            Pose.from_json(figure, text)


def test_followers_are_among_the_values_when_asked_for():
    figure = mk.Figure(
        "gripper",
        ["palm", "left", "right"],
        [
            mk.Joint("left_finger", "palm", "left", "T(0,1,0)", lower=0.0, upper=0.04),
            mk.Joint(
                "right_finger", "palm", "right", "T(0,1,0)", follow=mk.Follow({"left_finger": -1.0}, 0.01)
            ),
        ],
    )
    pose = figure.pose({"left_finger": 0.03})
    assert pose.values() == {"left_finger": 0.03}
    assert pose.values(followers=True) == {"left_finger": 0.03, "right_finger": pytest.approx(-0.02)}
    assert pose.position("right")[1] == pytest.approx(pose.values(followers=True)["right_finger"])


@pytest.mark.parametrize("text", ["[" * 100_000, '{"values": {"j": 1' + "0" * 400 + "}}"])
def test_a_pose_in_json_that_is_none_is_refused_in_words(text):
    figure = mk.Figure("one", ["a", "b"], [mk.Joint("j", "a", "b", "R(z)")])
    with pytest.raises(mk.PoseError):
        mk.Pose.from_json(figure, text)


def test_a_value_is_read_by_name_and_a_rotation_by_site():
    figure = mk.human(fingers=False)
    pose = figure.pose({"left_elbow": 0.5})
    assert pose["left_elbow"] == 0.5 and pose["right_elbow"] == pose.values()["right_elbow"]
    assert (pose.rotation("left_hand") == pose.matrix("left_hand")[:3, :3]).all()
    with pytest.raises(mk.PoseError, match="did you mean 'left_elbow'"):
        pose["left_elbwo"]


def test_distances_to_limits_are_negative_outside():
    figure = mk.human(fingers=False)
    low, high = figure.lower[figure.index("left_elbow")], figure.upper[figure.index("left_elbow")]
    for value in (0.5 * (low + high), high + 0.1, low - 0.2):
        found = figure.pose({"left_elbow": value}).limit_distances()[figure.index("left_elbow")]
        assert found == pytest.approx(min(value - low, high - value))


def test_manipulability_is_the_volume_of_velocities_and_nothing_in_a_line():
    joints = [
        mk.Joint(f"j{k}", f"s{k}", f"s{k + 1}", f"R({axis})", [0, 0, 0.3]) for k, axis in enumerate("zyx")
    ]
    figure = mk.Figure("arm", [f"s{k}" for k in range(4)], joints, [mk.Site("tip", "s3", [0.0, 0.0, 0.3])])
    bent = figure.pose([0.3, 0.8, 0.4])
    assert bent.manipulability("tip") == pytest.approx(abs(np.linalg.det(bent.jacobian("tip")[:3])))
    assert figure.pose().manipulability("tip") == pytest.approx(0.0, abs=1e-9)
