from __future__ import annotations

import os
from importlib import metadata
from math import inf
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import formats
from manikin.errors import FormatError
from manikin.formats import load
from manikin.formats.urdf import load_urdf

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
}

GOOD = """<?xml version="1.0"?>
<robot name="lamp">
  <!-- a comment -->
  <link name="foot">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/>
    </inertial>
    <visual><geometry><box size="1 2 3"/></geometry></visual>
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.5"/></geometry></collision>
  </link>
  <link name="arm">
    <visual>
      <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
      <geometry><cylinder radius="0.1" length="2"/></geometry>
    </visual>
    <visual><geometry><mesh filename="package://lamps/meshes/arm.stl" scale="2 2 2"/></geometry></visual>
  </link>
  <link name="head">
    <collision><geometry><capsule radius="0.1" length="0.2"/></geometry></collision>
    <collision><geometry><mesh filename="head.obj"/></geometry></collision>
  </link>
  <joint name="lift" type="prismatic">
    <parent link="foot"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0.3 -0.4 0.5"/><axis xyz="0 0 2"/>
    <limit lower="-0.1" upper="0.2" effort="10" velocity="0.5"/>
  </joint>
  <joint name="tilt" type="revolute">
    <parent link="arm"/><child link="head"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <mimic joint="lift" multiplier="4" offset="0.3"/>
  </joint>
</robot>
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "lamp.urdf"
    path.write_text(text)
    return path


@pytest.fixture
def lamp(tmp_path):
    return load(written(tmp_path, GOOD))


def test_joints_become_degrees_of_freedom_of_their_name(lamp):
    assert (lamp.name, lamp.root, lamp.dofs) == ("lamp", "foot", ("lift",))
    assert dict(lamp.followers["tilt"].coefficients) == {"lift": 4.0} and lamp.followers["tilt"].offset == 0.3
    assert lamp.dof("lift").velocity == 0.5 and lamp.dof("lift").unit == "m"


def test_a_mimics_limits_bind_its_driver(lamp):
    assert lamp.dof("lift").lower == -0.1
    assert lamp.dof("lift").upper == pytest.approx(0.175)


def test_origins_are_roll_pitch_yaw_about_fixed_axes(lamp):
    from scipy.spatial.transform import Rotation

    matrix = lamp.pose({"lift": 0.1}).matrix("arm")
    rotation = Rotation.from_euler("xyz", [0.3, -0.4, 0.5]).as_matrix()
    assert np.abs(matrix[:3, :3] - rotation).max() < 1e-15
    assert np.abs(matrix[:3, 3] - ([0, 0, 1] + rotation @ [0, 0, 0.1])).max() < 1e-15


def test_inertia_is_turned_into_the_links_axes(lamp):
    foot = lamp.segments["foot"]
    assert foot.mass == 2.0 and foot.center_of_mass.tolist() == [0, 0, 0.1]
    assert np.abs(foot.inertia - np.diag([2.0, 1.0, 3.0])).max() < 1e-15
    assert lamp.segments["arm"].inertia is None and lamp.mass == 2.0


def test_shapes_are_the_visuals_or_else_the_collisions(tmp_path):
    path = written(tmp_path, GOOD)
    shapes = {name: [shape.kind for shape in segment.shapes] for name, segment in load(path).segments.items()}
    assert shapes == {"foot": ["box"], "arm": ["cylinder", "mesh"], "head": ["capsule", "mesh"]}
    other = load(path, shapes="collision")
    assert [shape.kind for shape in other.segments["foot"].shapes] == ["sphere"]
    assert other.segments["foot"].shapes[0].placement[2, 3] == 1.0
    assert load(path).segments["arm"].shapes[1].scale.tolist() == [2, 2, 2]


def test_meshes_are_found_or_keep_the_path_as_written(tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    path = written(tmp_path, GOOD)
    assert load(path).segments["arm"].shapes[1].mesh == "package://lamps/meshes/arm.stl"
    assert load(path).segments["head"].shapes[1].mesh == str(
        tmp_path / "head.obj"
    )  # not one where we happen to be
    elsewhere = tmp_path / "ros" / "lamps"
    (elsewhere / "meshes").mkdir(parents=True)
    mesh = elsewhere / "meshes" / "arm.stl"
    mesh.write_text("not a mesh, and never opened")
    (tmp_path / "head.obj").write_text("")
    assert load(path, packages={"lamps": elsewhere}).segments["arm"].shapes[1].mesh == str(mesh)
    assert load(path).segments["head"].shapes[1].mesh == str(tmp_path / "head.obj")
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["/nowhere", str(tmp_path / "ros")]))
    assert load(path).segments["arm"].shapes[1].mesh == str(mesh)


def test_meshes_are_found_in_the_package_that_the_file_lies_in(tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    (tmp_path / "lamps" / "urdf").mkdir(parents=True)
    (tmp_path / "lamps" / "meshes").mkdir()
    (tmp_path / "lamps" / "meshes" / "arm.stl").write_text("")
    path = written(tmp_path / "lamps" / "urdf", GOOD)
    assert load(path).segments["arm"].shapes[1].mesh == "package://lamps/meshes/arm.stl"
    (tmp_path / "lamps" / "package.xml").write_text("<package/>")
    assert load(path, within=()).segments["arm"].shapes[1].mesh == "package://lamps/meshes/arm.stl"
    figure = load(path)
    assert figure.segments["arm"].shapes[1].mesh == str(tmp_path / "lamps" / "meshes" / "arm.stl")


def joint(kind: str, extra: str = "") -> str:
    return (
        '<robot name="r"><link name="a"/><link name="b"/>'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{extra}</joint></robot>'
    )


def test_continuous_joints_have_no_limits_whatever_is_written(tmp_path):
    figure = load(
        written(tmp_path, joint("continuous", '<limit lower="0" upper="0" effort="1" velocity="3"/>'))
    )
    dof = figure.dof("j")
    assert (dof.lower, dof.upper, dof.velocity, dof.wraps) == (-inf, inf, 3.0, True)


def test_the_axis_is_x_unless_written(tmp_path):
    figure = load(
        written(tmp_path, joint("prismatic", '<limit lower="0" upper="1" effort="1" velocity="1"/>'))
    )
    assert figure.pose([0.5]).position("b").tolist() == [0.5, 0, 0]


def test_missing_limits_are_zero_as_the_format_says(tmp_path):
    dof = load(written(tmp_path, joint("revolute", '<limit upper="1" effort="1" velocity="1"/>'))).dof("j")
    assert (dof.lower, dof.upper) == (0.0, 1.0)


def test_floating_and_planar_joints_have_six_and_three_degrees_of_freedom(tmp_path):
    assert load(written(tmp_path, joint("floating"))).dofs == ("j_x", "j_y", "j_z", "j_rx", "j_ry", "j_rz")
    figure = load(written(tmp_path, joint("planar", '<axis xyz="0 1 0"/><origin xyz="0 0 1"/>')))
    assert figure.dofs == ("j_x", "j_y", "j_yaw")
    moved = figure.pose([0.3, 0.4, 0.5]).matrix("b")
    assert moved[1, 3] == 0.0 and np.abs(moved[:3, 1] - [0, 1, 0]).max() < 1e-15
    assert np.array_equal(figure.pose([0, 0, 0]).position("b"), [0, 0, 1])


def test_a_mimic_of_a_fixed_joint_is_held_at_its_offset(tmp_path):
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
        '<joint name="k" type="continuous"><parent link="b"/><child link="c"/>'
        '<mimic joint="j" offset="0.5"/></joint>'
        "</robot>"
    )
    figure = load(written(tmp_path, text))
    assert figure.n == 0
    assert figure.pose().matrix("c")[2, 1] == pytest.approx(np.sin(0.5))


def test_the_base_may_be_free(tmp_path):
    path = written(tmp_path, GOOD)
    assert load(path, base="free").n == 7
    assert load(path, location=[0, 0, 2]).pose().position("foot").tolist() == [0, 0, 2]


LIMIT = '<limit lower="0" upper="1" effort="1" velocity="1"/>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("  \n", "the file is empty"),
        ("<robot name='r'>\n<link name='a'>\n</robot>", "lamp.urdf:3: not well-formed"),
        ("hello", "lamp.urdf:1: not well-formed"),
        ("<mujoco/>", "expected <robot> .*found <mujoco>"),
        ("<robot/>", "has no links"),
        ("<robot name='r'/>", "robot 'r' has no links"),
        ("<robot name='r'><link/></robot>", "link: it has no name"),
        ("<robot name='r'><link name='a'/><link name='a'/></robot>", "two segments are called 'a'"),
        ("<robot name='r'><link name='a'/><link name='b'/></robot>", "not connected: 'a', 'b'"),
        (joint("hinge"), "joint 'j': unknown type 'hinge'"),
        (joint("fixed").replace('type="fixed"', ""), "joint 'j': unknown type None"),
        (joint("fixed").replace('<parent link="a"/>', ""), "joint 'j': it has no <parent"),
        (joint("fixed").replace('<child link="b"/>', "<child/>"), "joint 'j': it has no <child"),
        (joint("fixed").replace('parent link="a"', 'parent link="q"'), "joint 'j': unknown parent link 'q'"),
        (joint("fixed").replace('child link="b"', 'child link="q"'), "joint 'j': unknown child link 'q'"),
        (joint("fixed").replace('child link="b"', 'child link="a"'), "joints 'j' make a cycle"),
        (joint("revolute"), "joint 'j': a revolute joint needs a <limit>"),
        (joint("prismatic"), "joint 'j': a prismatic joint needs a <limit>"),
        (joint("revolute", LIMIT + '<axis xyz="0 0 0"/>'), "joint 'j': the axis is zero"),
        (joint("revolute", LIMIT + '<axis xyz="0 nan 0"/>'), "joint 'j': <axis> has xyz='0 nan 0'"),
        (joint("revolute", LIMIT + '<axis xyz="0 1"/>'), "joint 'j': .*expected 3 numbers"),
        (joint("revolute", LIMIT + '<axis xyz="up"/>'), "joint 'j': .*not a number"),
        (joint("revolute", LIMIT + '<origin xyz="0 0 inf"/>'), "joint 'j': <origin> .*not a finite"),
        (
            joint("revolute", LIMIT.replace("0", "2", 1)),
            "joint 'j': the lower limit 2 is above the upper limit 1",
        ),
        (joint("revolute", LIMIT.replace("0", "nan", 1)), "joint 'j': <limit> has lower='nan'"),
        (
            joint("revolute", LIMIT.replace('effort="1"', 'effort="much"')),
            "joint 'j': <limit> has effort='much'",
        ),
        (GOOD.replace('scale="2 2 2"', 'scale="2 2"'), "link 'arm': <visual>: the mesh has scale='2 2'"),
        (joint("revolute", LIMIT + '<mimic joint="q"/>'), "joint 'j': it mimics the unknown joint 'q'"),
        (joint("revolute", LIMIT + "<mimic/>"), "joint 'j': it mimics the unknown joint None"),
        (joint("revolute", LIMIT + '<mimic joint="j"/>'), "joint 'j': the followers make a cycle"),
        (joint("floating", '<mimic joint="j"/>'), "joint 'j': a floating joint has several values"),
        (
            joint("fixed").replace(
                '<link name="a"/>', '<link name="a"><inertial><mass value="-1"/></inertial></link>'
            ),
            "segment 'a': the mass must not be negative",
        ),
        (
            joint("fixed").replace(
                '<link name="a"/>', '<link name="a"><inertial><inertia ixx="1"/></inertial></link>'
            ),
            "link 'a': <inertia> has no ixy",
        ),
        (
            joint("fixed").replace(
                '<link name="a"/>', '<link name="a"><visual><geometry><cone/></geometry></visual></link>'
            ),
            "link 'a': <visual>: unknown geometry <cone>",
        ),
        (
            joint("fixed").replace('<link name="a"/>', '<link name="a"><visual/></link>'),
            "link 'a': <visual>: it has no geometry",
        ),
        (
            joint("fixed").replace(
                '<link name="a"/>', '<link name="a"><visual><geometry><box/></geometry></visual></link>'
            ),
            "link 'a': <visual>: <box> has no size",
        ),
        (
            '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
            '<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint>'
            '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></robot>',
            "'c' has two parents: 'a' by joint 'j' and 'b' by joint 'k'",
        ),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_the_culprit(tmp_path, text, words):
    with pytest.raises(FormatError, match=words) as error:
        load(written(tmp_path, text))
    assert "lamp.urdf" in str(error.value)


def test_entities_are_refused_unread(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    text = (
        f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://{secret}">]>'
        '<robot name="r"><link name="a">&x;</link></robot>'
    )
    with pytest.raises(FormatError, match=r"lamp\.urdf: it declares entities"):
        load(written(tmp_path, text))


def test_missing_files_folders_and_other_suffixes_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"none\.urdf: there is no such file"):
        load(tmp_path / "none.urdf")
    (tmp_path / "folder.urdf").mkdir()
    with pytest.raises(FormatError, match=r"folder\.urdf: this is a folder"):
        load(tmp_path / "folder.urdf")
    with pytest.raises(FormatError, match=r"figure\.abc: cannot read \.abc; supported: \.urdf"):
        load("figure.abc")
    with pytest.raises(FormatError, match="figure: there is no such file"):
        load("figure")
    with pytest.raises(FormatError, match="xacro command"):
        load("figure.xacro")
    with pytest.raises(FormatError, match="shapes must be"):
        load_urdf(written(tmp_path, GOOD), shapes="pretty")


def robot_file(name: str) -> Path:
    try:
        data = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    return Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots"))) / ROBOTS[name]


@pytest.mark.parametrize("name", ROBOTS)
def test_frames_and_center_of_mass_agree_with_pinocchio(name):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    path = robot_file(name)
    figure = load(path)
    # On a free-flyer, so that the root link's mass counts; without mimic, so that every joint has its value.
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer(), mimic=False)
    data = model.createData()
    rng = np.random.default_rng(7)
    for _ in range(5):
        pose = figure.pose(rng.uniform(-2.0, 2.0, figure.n))
        values = pose.values()
        for follower, follow in figure.followers.items():
            values[follower] = follow.offset + sum(c * values[key] for key, c in follow.coefficients.items())
        q = pin.neutral(model)
        for index in range(2, model.njoints):
            value, where = values[model.names[index]], model.joints[index].idx_q
            if model.joints[index].nq == 1:
                q[where] = value
            else:  # Pinocchio writes a continuous joint's angle as its cosine and sine
                q[where : where + 2] = np.cos(value), np.sin(value)
        pin.framesForwardKinematics(model, data, q)
        for segment, matrix in pose.matrices().items():
            frame = model.getFrameId(segment, pin.FrameType.BODY)
            assert np.abs(data.oMf[frame].homogeneous - matrix).max() < 1e-12, segment
        assert np.abs(pin.centerOfMass(model, data, q) - pose.center_of_mass()).max() < 1e-12
    assert figure.mass == pytest.approx(pin.computeTotalMass(model))


@pytest.mark.parametrize("name", ["panda", "tiago"])
def test_jacobians_agree_with_pinocchio(name):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    path = robot_file(name)
    figure = load(path)
    model = pin.buildModelFromUrdf(str(path), mimic=False)
    data = model.createData()
    pose = figure.pose(np.random.default_rng(8).uniform(-2.0, 2.0, figure.n))
    values = pose.values()
    for follower, follow in figure.followers.items():
        values[follower] = follow.offset + sum(c * values[key] for key, c in follow.coefficients.items())
    q = pin.neutral(model)
    drives = np.zeros((model.nv, figure.n))
    for index in range(1, model.njoints):
        joint_name, where = model.names[index], model.joints[index].idx_q
        value = values[joint_name]
        q[where : where + model.joints[index].nq] = (
            [value] if model.joints[index].nq == 1 else [np.cos(value), np.sin(value)]
        )
        follow = figure.followers.get(joint_name)
        for key, c in (follow.coefficients if follow else {joint_name: 1.0}).items():
            drives[model.joints[index].idx_v, figure.index(key)] = c
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for segment in figure.segments:
        frame = model.getFrameId(segment, pin.FrameType.BODY)
        expected = pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED) @ drives
        assert np.abs(pose.jacobian(segment) - expected).max() < 1e-12


def test_a_robot_without_a_name_is_called_after_its_file(tmp_path):
    file = tmp_path / "lamp.urdf"
    file.write_text("<robot><link name='base'/></robot>")
    assert load(file).name == "lamp"


def test_text_is_read_as_its_file_is(tmp_path, lamp):
    for text in (GOOD, "\n  " + GOOD, GOOD.replace('"1.0"', '"1.0" encoding="ISO-8859-1"')):
        figure = load(text)
        assert (figure.name, figure.dofs) == (lamp.name, lamp.dofs)
        q = [0.1]
        assert (figure.forward(q, "head") == lamp.forward(q, "head")).all()


def test_text_says_its_line_and_finds_meshes_in_packages_only(tmp_path):
    with pytest.raises(FormatError, match=r"robot_description:24: joint 'lift': unknown parent link 'fot'"):
        load(GOOD.replace('parent link="foot"', 'parent link="fot"'))
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "arm.stl").write_text("solid")
    shapes = load(GOOD, packages={"lamps": tmp_path}).segments
    assert shapes["arm"].shapes[1].mesh == str(tmp_path / "meshes" / "arm.stl")
    assert shapes["head"].shapes[1].mesh.startswith("outside://")


@pytest.mark.parametrize("text", ["x" * 5000, "robot:\n  arm: 3\n" * 10, "a/" * 3000 + "b.urdf"])
def test_a_long_string_that_is_no_path_is_refused_in_words(text):
    with pytest.raises(FormatError, match=f"got text of {len(text)} characters") as found:
        load(text)
    assert len(str(found.value)) < 300


def test_a_mesh_in_a_package_of_a_name_too_long_for_a_file_is_left_as_written(tmp_path):
    name = "package://" + "a" * 5000 + "/arm.stl"
    figure = load(written(tmp_path, GOOD.replace("package://lamps/meshes/arm.stl", name)))
    assert figure.segments["arm"].shapes[1].mesh == name


def test_inertias_may_have_commas_as_other_numbers_may():
    text = (
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx=",2" ixy="0," ixz="0" iyy="2" iyz="0" izz="3"/></inertial></link></robot>'
    )
    assert np.array_equal(load(text).segments["a"].inertia, np.diag([2.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arm/><link name="a"/></robot>',
        '<robot name="r" xmlns:xacro="http://ros.org/xacro"><link name="a"><xacro:box/></link></robot>',
        '<robot name="r"><link name="${prefix}a"/></robot>',
        '<robot name="r"><xacro:include filename="x"/><link name="a"/></robot>',
    ],
)
def test_xacro_that_is_not_expanded_is_refused(tmp_path, text):
    for source in (text, written(tmp_path, text)):
        with pytest.raises(FormatError, match="expand it first"):
            load(source)


def test_an_expanded_file_that_still_declares_xacro_is_read(tmp_path):
    text = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/></robot>'
    assert list(load(text).segments) == ["a"]


MIMIC = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
  <limit lower="0" upper="0.8" effort="12.5" velocity="1"/></joint>
<joint name="k" type="revolute"><parent link="a"/><child link="c"/>
  <limit lower="{}" upper="{}" effort="1e9" velocity="1"/><mimic joint="j" multiplier="{}"/></joint></robot>"""


@pytest.mark.parametrize(
    ("lower", "upper", "factor", "ends", "noted"),
    [
        (0.0, 0.8, -1.0, (0.0, 0.8), True),
        (-0.8, 0.0, -1.0, (0.0, 0.8), False),
        (-0.4, 0.0, -1.0, (0.0, 0.4), False),
        (0.0, 0.4, 1.0, (0.0, 0.4), False),
        (1.0, 2.0, 1.0, (0.0, 0.8), True),
    ],
)
def test_a_mimic_does_not_freeze_its_driver(tmp_path, lower, upper, factor, ends, noted):
    path = written(tmp_path, MIMIC.format(lower, upper, factor))
    contents = formats.read(path)
    figure = contents.figure
    assert (figure.lower.item(), figure.upper.item()) == pytest.approx(ends)
    assert any("could not move" in note.text for note in contents.notes) == noted
    turned = figure.pose({"j": ends[1]}).matrix("c")[:3, :3]
    assert turned[2, 1] == pytest.approx(np.sin(factor * ends[1]))


@pytest.mark.parametrize("suffix", [".urdf", ".npz", ".fig", ".xml"])
def test_efforts_are_read_and_written(tmp_path, suffix):
    contents = formats.read(written(tmp_path, MIMIC.format(-0.8, 0.0, -1.0)))
    figure = contents.figure
    assert figure.dof("j").effort == 12.5 and figure.effort.tolist() == [12.5]
    mk.save(figure, tmp_path / f"again{suffix}")  # of the figure alone
    assert mk.load(tmp_path / f"again{suffix}").effort.tolist() == [12.5]
