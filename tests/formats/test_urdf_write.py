from __future__ import annotations

from importlib import metadata
from math import inf

import numpy as np
import pytest

import manikin as mk
from manikin import formats
from manikin.figure import Follow
from manikin.formats.posed import segment_frames

ROBOTS = ("panda.urdf", "ur5_robot.urdf", "tiago.urdf", "pr2.urdf", "g1_29dof_rev_1_0.urdf")


def robot(name):
    found = [
        str(file.locate()) for file in metadata.files("example-robot-data") if str(file).endswith(f"/{name}")
    ]
    if not found:
        pytest.skip(f"example-robot-data has no {name}")
    return found[0]


def random_values(figure, count=3):
    rng = np.random.default_rng(7)
    low, high = np.maximum(figure.lower, -2.0), np.minimum(figure.upper, 2.0)
    return low + (high - low) * rng.random((count, figure.n))


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_written_and_read_again_is_the_same(tmp_path, name):
    first = mk.load(robot(name))
    assert mk.save(first, tmp_path / "again.urdf") == ()
    again = mk.load(tmp_path / "again.urdf")
    assert (again.name, again.dofs, again.root) == (first.name, first.dofs, first.root)
    for key in ("lower", "upper", "velocity", "rest"):
        np.testing.assert_array_equal(getattr(again, key), getattr(first, key))
    assert {k: dict(v.coefficients) for k, v in again.followers.items()} == {
        k: dict(v.coefficients) for k, v in first.followers.items()
    }
    q = random_values(first)
    old, new = segment_frames(first, q), segment_frames(again, q)
    for segment in first.segments:
        np.testing.assert_allclose(new[segment], old[segment], atol=1e-10)
        a, b = first.segments[segment], again.segments[segment]
        assert (b.mass, len(b.shapes)) == (a.mass, len(a.shapes))
        np.testing.assert_allclose(b.center_of_mass, a.center_of_mass, atol=1e-15)
        for one, other in zip(a.shapes, b.shapes, strict=True):
            # A mesh that lies elsewhere is marked so when the file is read again: it will not be opened.
            assert (one.kind, one.mesh) == (other.kind, (other.mesh or "").removeprefix("outside://") or None)
            np.testing.assert_allclose(other.placement, one.placement, atol=1e-10)
            np.testing.assert_array_equal(
                other.color if other.color is not None else [], one.color if one.color is not None else []
            )


def test_pinocchio_reads_what_is_written_with_the_same_frames(tmp_path):
    pinocchio = pytest.importorskip("pinocchio")
    joints = [
        mk.Joint("two", "a", "b", "R(z)*T(0,1,1)", (0.1, 0.2, 0.3), (0.0, 0.1, 0.0), lower=-1, upper=1),
        mk.Joint.revolute("one", "b", "c", (1, 2, 3), child_placement=(0.3, 0, 0.1), lower=0, upper=2),
        mk.Joint.continuous("wheel", "a", "d", "-y", placement=(0, 0, -1)),
        mk.Joint.fixed("weld", "d", "e", (0, 1, 0)),
    ]
    figure = mk.Figure("odd", list("abcde"), joints, [mk.Site("tip", "c", (0, 0, 0.4))])
    mk.save(figure, tmp_path / "odd.urdf")
    model = pinocchio.buildModelFromUrdf(str(tmp_path / "odd.urdf"))
    data = model.createData()
    for q in random_values(figure):
        configuration = pinocchio.neutral(model)
        for dof, value in zip(figure.dofs, q, strict=True):
            joint = model.joints[model.getJointId(dof)]
            part = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
            configuration[joint.idx_q : joint.idx_q + joint.nq] = part
        pinocchio.framesForwardKinematics(model, data, configuration)
        frames = {**figure.pose(q).matrices(), "tip": figure.pose(q).matrix("tip")}
        for name, frame in frames.items():
            peer = data.oMf[model.getFrameId(name)].homogeneous
            np.testing.assert_allclose(frame, peer, atol=1e-12)


def test_a_hinge_off_its_links_origin_keeps_every_frame(tmp_path):
    figure = mk.Figure("f", ["a", "b"], [mk.Joint.revolute("j", "a", "b", "z", child_placement=(0.5, 0, 0))])
    mk.save(figure, tmp_path / "f.urdf")
    again = mk.load(tmp_path / "f.urdf")
    assert again.dofs == ("j",)
    np.testing.assert_allclose(again.pose([0.7]).matrix("b"), figure.pose([0.7]).matrix("b"), atol=1e-15)


def test_a_rerooted_figure_is_written_from_its_root(tmp_path):
    figure = mk.load(robot("panda.urdf")).rerooted("panda_hand")
    notes = mk.save(figure, tmp_path / "hand.urdf")
    assert any(note.where == "location" for note in notes)
    again = mk.load(tmp_path / "hand.urdf", location=figure.location)
    assert again.root == "panda_hand"
    q = dict(zip(figure.dofs, random_values(figure)[0], strict=True))
    old, new = figure.pose(q).matrices(), again.pose(q).matrices()
    for name in old:
        np.testing.assert_allclose(new[name], old[name], atol=1e-12)


def test_what_urdf_cannot_hold_is_told(tmp_path):
    notes = {str(note) for note in mk.save(mk.human(), tmp_path / "human.urdf")}
    text = "\n".join(notes)
    for words in ("the base is free", "where the root stands", "couplings, cones or loops", "no ball joints"):
        assert words in text
    again = mk.load(tmp_path / "human.urdf")
    assert again.mass == pytest.approx(mk.human().mass)
    assert "vertex" in again.segments  # a site is a link without mass


def test_a_planar_joint_keeps_its_ranges_and_what_follows_it(tmp_path):
    """URDF's planar joints have no ranges, and nothing mimics their coordinates: three joints have and do."""
    cart = mk.Joint("cart", "a", "b", "planar", (0.1, 0, 0), lower=[-1, None, -0.5], upper=[2, 0.3, None])
    follower = mk.Joint("arm", "b", "c", "R(y)", (0, 0, 1), follow=Follow({"cart_yaw": 2.0}, 0.1))
    figure = mk.Figure("cart", ["a", "b", "c"], [cart, follower])
    notes = mk.save(figure, tmp_path / "cart.urdf")
    assert not any("floating" in str(note) or "planar" in str(note) for note in notes)
    again = mk.load(tmp_path / "cart.urdf")
    assert again.dofs == figure.dofs and again.followers["arm"].coefficients == {"cart_yaw": 2.0}
    assert (again.lower == figure.lower).all() and (again.upper == figure.upper).all()
    q = [0.4, -0.2, 0.7]
    old, new = figure.pose(q).matrices(), again.pose(q).matrices()
    for name in figure.segments:
        np.testing.assert_allclose(new[name], old[name], atol=1e-12)


def test_a_floating_joint_that_loses_its_ranges_or_a_follower_says_so(tmp_path):
    loose = mk.Joint("loose", "a", "b", "free", lower=[-1] + [None] * 5)
    follower = mk.Joint("arm", "b", "c", "R(y)", (0, 0, 1), follow=Follow({"loose_rz": 2.0}))
    notes = mk.save(mk.Figure("f", ["a", "b", "c"], [loose, follower]), tmp_path / "f.urdf")
    text = "\n".join(map(str, notes))
    assert "joint 'loose': URDF's floating joints have no ranges" in text
    assert "joint 'arm': it follows a coordinate of a joint that is written as floating" in text
    assert mk.load(tmp_path / "f.urdf").followers == {}


XACRO = """<?xml version="1.0" ?>
<!-- |    This document was autogenerated by xacro from lamp.urdf.xacro   | -->
<robot name="lamp" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <material name="dark"><color rgba="0.1 0.2 0.3 1"/></material>
  <link name="foot"><visual><geometry><box size="1 1 1"/></geometry><material name="dark"/></visual></link>
  <link name="arm">
    <visual><geometry><sphere radius="1"/></geometry><material name=""><color rgba="1 0 0 0.5"/></material></visual>
    <visual><geometry><sphere radius="2"/></geometry><material name="light"/></visual>
    <visual><geometry><sphere radius="3"/></geometry></visual>
    <visual><geometry><sphere radius="4"/></geometry><material name="light"><color rgba="1 1 0"/></material></visual>
  </link>
  <joint name="lift" type="prismatic"><parent link="foot"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1e9" upper="1" effort="1" velocity="1e9"/><dynamics damping="1"/></joint>
  <transmission name="t"/><gazebo reference="foot"/><ros2_control name="r" type="system"/>
</robot>
"""


def test_xacros_output_and_colours_are_read(tmp_path):
    (tmp_path / "lamp.urdf").write_text(XACRO)
    contents = formats.read(tmp_path / "lamp.urdf")
    lamp = contents.figure
    np.testing.assert_allclose(lamp.segments["foot"].shapes[0].color, [0.1, 0.2, 0.3])
    colors = [shape.color for shape in lamp.segments["arm"].shapes]
    np.testing.assert_allclose(colors[0], [1, 0, 0])
    np.testing.assert_allclose(colors[1], [1, 1, 0])
    assert colors[2] is None
    assert (lamp.dof("lift").lower, lamp.dof("lift").upper, lamp.dof("lift").velocity) == (-inf, 1.0, inf)
    told = {note.where for note in contents.notes}
    assert {"<transmission>", "<gazebo>", "<ros2_control>", "<dynamics>"} <= told
    mk.save(lamp, tmp_path / "again.urdf")
    again = mk.load(tmp_path / "again.urdf")
    np.testing.assert_allclose(again.segments["arm"].shapes[1].color, [1, 1, 0])
    assert again.dof("lift").lower == -inf


def test_a_colour_that_is_none_is_refused(tmp_path):
    (tmp_path / "lamp.urdf").write_text(XACRO.replace("1 0 0 0.5", "red"))
    with pytest.raises(mk.FormatError, match=r"lamp\.urdf:\d+: material '' has rgba='red'"):
        mk.load(tmp_path / "lamp.urdf")
