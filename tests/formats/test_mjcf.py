from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin import formats
from manikin.errors import FormatError
from manikin.formats.contents import Notes
from manikin.formats.posed import segment_frames
from manikin.motion.motion import Motion

mujoco = pytest.importorskip("mujoco")

from manikin.formats.mjcf.read import _Reader, compiled  # noqa: E402
from manikin.formats.mjcf.source import prepared  # noqa: E402

ODD = """<mujoco model="odd">
  <compiler angle="degree" eulerseq="zyx" autolimits="true"/>
  <default><joint damping="1"/><default class="big"><geom size="0.2" rgba="1 0 0 1"/></default></default>
  <asset>
    <texture name="t" type="2d" builtin="flat" width="8" height="8"/>
    <material name="m" texture="t" rgba="0 1 0 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 1"/>
    <body name="hand_target" mocap="true" pos="1 2 3"><geom type="box" size=".1 .1 .1"/></body>
    <body name="base" pos="0.1 0 0.5" euler="10 20 30">
      <joint name="swivel" axis="0 0 1" range="-90 90"/>
      <joint name="lean" axis="1 1 0" range="-45 30" pos="0 0 -0.1"/>
      <geom class="big" type="sphere"/>
      <body name="arm" pos="0.5 0 0" axisangle="1 0 0 45">
        <joint name="out" type="slide" axis="1 0 0" range="0 0.3" ref="0.1"/>
        <joint name="turned" axis="0 1 0" ref="30" range="-20 60"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05" material="m"/>
        <site name="tip" pos="0.4 0 0" quat="0.7071 0 0.7071 0"/>
        <body name="ball" pos="0.4 0 0"><joint name="socket" type="ball" pos="0 0.1 0"/><geom size="0.1"/></body>
      </body>
    </body>
    <body name="crate" pos="3 0 0"><freejoint name="loose"/><geom type="box" size="0.1 0.2 0.3" mass="2"/></body>
  </worldbody>
  <tendon>
    <fixed name="sum" range="-1 1"><joint joint="swivel" coef="1"/><joint joint="lean" coef="-2"/></fixed>
  </tendon>
  <equality>
    <joint joint1="out" joint2="swivel" polycoef="0.05 0.1 0 0 0"/>
    <connect name="held" body1="ball" body2="base" anchor="0 0 0.2"/>
    <weld name="goal" body1="ball" body2="hand_target"/>
  </equality>
  <actuator><motor joint="swivel"/></actuator>
  <keyframe><key name="a" qpos="0.2 0.1 0.3 0.4 1 0 0 0 3 0 1 1 0 0 0"/></keyframe>
</mujoco>"""


def reader(path):
    notes = Notes()
    source = prepared(Path(path), notes)
    return _Reader(compiled(Path(path), source), source, None, notes)


def random_qpos(model, rng):
    q = rng.normal(size=model.nq)
    for j in range(model.njnt):
        start = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == 0 else 0)
        if model.jnt_type[j] in (0, 1):
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return q


def held_to(model, q):
    """qpos with the equalities of joints held, as a figure's followers are."""
    for e in range(model.neq):
        if model.eq_type[e] == 2:
            a = model.jnt_qposadr[model.eq_obj1id[e]]
            b = model.jnt_qposadr[model.eq_obj2id[e]]
            q[a] = model.qpos0[a] + model.eq_data[e, 0] + model.eq_data[e, 1] * (q[b] - model.qpos0[b])
    return q


def check_against_mujoco(path):
    """Every body's frame at random qpos, by MuJoCo's own kinematics."""
    read = reader(path)
    figure, model = read.figure(), read.model
    data, rng = mujoco.MjData(model), np.random.default_rng(2)
    for _ in range(20):
        q = held_to(model, random_qpos(model, rng))
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        frames = segment_frames(figure, read.values(figure, q[None]))
        for body, name in read.names.items():
            np.testing.assert_allclose(frames[name][0, :3, 3], data.xpos[body], atol=1e-12)
            np.testing.assert_allclose(frames[name][0, :3, :3].ravel(), data.xmat[body], atol=1e-12)
        pose = figure.pose(read.values(figure, q[None])[0])
        for s in range(model.nsite):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SITE, s)
            if name in figure.sites:
                np.testing.assert_allclose(pose.position(name), data.site_xpos[s], atol=1e-12)
    return figure


def test_the_cmu_humanoid_moves_as_in_mujoco(data_file):
    path = data_file("mjcf/humanoid_CMU.xml")
    figure = check_against_mujoco(path)
    assert (figure.base, figure.n, figure.root) == ("free", 62, "root")
    assert np.degrees(figure.dof("lfemurrx").lower) == pytest.approx(-160)
    assert np.degrees(figure.dof("ltibiarx").rest) == pytest.approx(1)  # qpos0 is 0, the range 1° to 170°
    assert any("common/skybox.xml" in note.where for note in formats.read(path).notes)
    plain = mujoco.MjModel.from_xml_string(prepared(path, Notes()).xml.decode())
    assert figure.mass == pytest.approx(plain.body_mass.sum())


def test_odd_joints_move_as_in_mujoco(tmp_path):
    (tmp_path / "odd.xml").write_text(ODD)
    figure = check_against_mujoco(tmp_path / "odd.xml")
    assert (figure.root, figure.base) == ("world", "fixed")
    assert figure.dof("lean").upper == pytest.approx(np.pi / 6)
    # the range of what follows it, 0 to 0.3, leaves it 1.5 of its 90°
    assert figure.dof("swivel").upper == pytest.approx(1.5)
    follow = figure.followers["out"]
    assert dict(follow.coefficients) == pytest.approx({"swivel": 0.1}) and follow.offset == pytest.approx(
        0.15
    )


def test_equalities_tendons_mocap_bodies_and_key_frames_are_read(tmp_path):
    (tmp_path / "odd.xml").write_text(ODD)
    contents = formats.read(tmp_path / "odd.xml")
    figure = contents.figure
    assert [(loop.name, loop.kind) for loop in figure.loops] == [("held", "position")]
    ends = [figure.site(name) for name in (figure.loops[0].site, figure.loops[0].other)]
    assert [site.segment for site in ends] == ["ball", "base"]
    np.testing.assert_allclose(ends[0].placement[:3, 3], [0, 0, 0.2])
    sums = [coupling for coupling in figure.couplings if coupling.name == "sum"]
    assert dict(sums[0].coefficients) == {"swivel": 1.0, "lean": -2.0} and (sums[0].lower, sums[0].upper) == (
        -1,
        1,
    )
    np.testing.assert_allclose(figure.pose().position("hand_target"), [1, 2, 3])
    assert any("mocap" in note.text for note in contents.notes)
    assert [clip.name for clip in contents.clips] == ["a"]
    np.testing.assert_allclose(contents.clips[0].q[0, figure.index("lean")], 0.1)
    shapes = figure.segments["arm"].shapes
    assert shapes[0].kind == "capsule" and shapes[0].size[1] == pytest.approx(0.4)
    np.testing.assert_allclose(shapes[0].color, [0, 1, 0])
    assert figure.segments["crate"].mass == pytest.approx(2.0)


def four_bar():
    turns = [
        mk.Joint.revolute("j1", "ground", "a", "z", lower=-3, upper=3),
        mk.Joint.revolute("j2", "a", "b", "z", placement=(1, 0, 0)),
        mk.Joint.revolute("j3", "b", "c", "z", placement=(1, 0, 0), follow=mk.Follow({"j2": 0.5}, 0.1)),
    ]
    sites = [mk.Site("tip", "c", (1, 0, 0)), mk.Site("anchor", "ground", (2, 0, 0))]
    return mk.Figure(
        "four bar",
        ["ground", mk.Segment("a", 1.0, (0.5, 0, 0), np.diag([0.1, 0.2, 0.25])), "b", "c"],
        turns,
        sites,
        location=(0, 0, 1),
        couplings=[mk.Coupling({"j1": 1.0, "j2": 2.0}, -1.0, 1.0, "both")],
        loops=[mk.Loop("tip", "anchor", "position")],
    )


def figures(data_file):
    yield "humanoid", mk.load(data_file("mjcf/humanoid_CMU.xml"))
    yield "robot", mk.load(data_file("gltf/RobotExpressive.glb"))
    yield "human", mk.human()
    yield "rerooted", mk.human().rerooted("left_foot")
    yield "four_bar", four_bar()


def test_what_is_written_mujoco_reads_and_moves_the_same(tmp_path, data_file):
    for name, figure in figures(data_file):
        rng = np.random.default_rng(1)
        low, high = np.maximum(figure.lower, -1.5), np.minimum(figure.upper, 1.5)
        clip = Motion(figure, [0.0, 0.1, 0.25], low + (high - low) * rng.random((3, figure.n)), name="walk")
        path = tmp_path / f"{name}.xml"
        mk.save(clip, path)
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        frames = segment_frames(figure, clip.q)
        for key in range(3):
            mujoco.mj_resetDataKeyframe(model, data, key)
            mujoco.mj_kinematics(model, data)
            assert model.key_time[key] == clip.times[key]
            for segment in figure.segments:
                body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, segment)
                np.testing.assert_allclose(frames[segment][key, :3, 3], data.xpos[body], atol=1e-9)
                np.testing.assert_allclose(frames[segment][key, :3, :3].ravel(), data.xmat[body], atol=1e-9)


def test_a_figure_written_and_read_again_keeps_limits_ties_loops_and_clips(tmp_path):
    figure = four_bar()
    clip = Motion(figure, [0.0, 0.5], [[0.1, 0.2], [0.3, 0.4]], name="swing")
    mk.save(clip, tmp_path / "four.xml")
    contents = formats.read(tmp_path / "four.xml")
    again = contents.figure
    assert (again.name, again.root, again.dofs) == (figure.name, figure.root, figure.dofs)
    np.testing.assert_allclose(again.location, figure.location)
    np.testing.assert_array_equal(again.lower, figure.lower)
    assert dict(again.followers["j3"].coefficients) == {"j2": 0.5} and again.followers["j3"].offset == 0.1
    assert dict(again.couplings[0].coefficients) == {"j1": 1.0, "j2": 2.0}
    assert [(loop.site, loop.other, loop.kind) for loop in again.loops] == [("tip", "anchor", "position")]
    np.testing.assert_allclose(again.segments["a"].inertia, figure.segments["a"].inertia, atol=1e-12)
    np.testing.assert_allclose(contents.clips[0].q, clip.q, atol=1e-12)
    assert contents.clips[0].name == "swing"


def test_meshes_keep_their_place_though_they_are_not_opened(tmp_path):
    text = """<mujoco><compiler meshdir="parts"/><asset><mesh name="shell" file="shell.stl" scale="2 2 2"/></asset>
      <worldbody><body name="a"><joint name="j"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
      <geom type="mesh" mesh="shell" pos="1 2 3" rgba="0 0 1 1"/></body></worldbody></mujoco>"""
    (tmp_path / "meshes.xml").write_text(text)
    shape = mk.load(tmp_path / "meshes.xml").segments["a"].shapes[0]
    assert shape.kind == "mesh" and shape.mesh.endswith("parts/shell.stl")
    np.testing.assert_allclose(shape.placement[:3, 3], [1, 2, 3])
    np.testing.assert_allclose(shape.scale, [2, 2, 2])


def test_includes_are_put_in(tmp_path):
    arm = '<body name="arm"><joint name="j"/><geom size="1"/></body>'
    (tmp_path / "arm.xml").write_text(f"<mujocoinclude>{arm}</mujocoinclude>")
    text = '<mujoco><worldbody><include file="arm.xml"/></worldbody></mujoco>'
    (tmp_path / "main.xml").write_text(text)
    assert mk.load(tmp_path / "main.xml").dofs == ("j",)
    (tmp_path / "arm.xml").write_text('<mujocoinclude><include file="arm.xml"/></mujocoinclude>')
    with pytest.raises(FormatError, match="more than 64 files"):
        mk.load(tmp_path / "main.xml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "expected <mujoco>"),
        ("<mujoco><worldbody>", "not well-formed XML"),
        (
            '<mujoco><worldbody><body><joint type="screw"/></body></worldbody></mujoco>',
            "MuJoCo cannot read it",
        ),
        (
            '<mujoco><worldbody><replicate count="99999999"><body/></replicate></worldbody></mujoco>',
            "at most 1000",
        ),
        ('<!DOCTYPE m [<!ENTITY x "y">]><mujoco/>', "entities"),
    ],
)
def test_a_broken_file_is_refused(tmp_path, text, message):
    (tmp_path / "broken.xml").write_text(text)
    with pytest.raises(FormatError, match=message):
        mk.load(tmp_path / "broken.xml")


def test_after_a_loop_with_an_empty_anchor_other_files_are_still_read(tmp_path):
    # MuJoCo 4.0 fails on the empty attribute by no error of its own, and then hangs in the next file that it is given.
    bodies = '<body name="a"><joint name="j"/><geom size="1"/></body><body name="b"><geom size="1"/></body>'
    good = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    loop = '<equality><connect body1="a" body2="b" anchor=" "/></equality>'
    (tmp_path / "empty.xml").write_text(good.replace("</mujoco>", loop + "</mujoco>"))
    (tmp_path / "good.xml").write_text(good)
    with pytest.raises(FormatError, match=r"MuJoCo cannot read it: .*anchor"):
        mk.load(tmp_path / "empty.xml")
    assert mk.load(tmp_path / "good.xml").dofs == ("j",)


CUBE = "\n".join(
    [f"v {x} {y} {z}" for x in (0, 2) for y in (0, 1) for z in (0, 1)]
    + [f"f {a} {b} {c}" for a, b, c in ((1, 2, 4), (1, 4, 3), (5, 8, 6), (5, 7, 8), (1, 6, 2), (1, 5, 6))]
    + [f"f {a} {b} {c}" for a, b, c in ((3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5), (2, 6, 8), (2, 8, 4))]
)
MESHES = """<mujoco><compiler meshdir="assets" {compiler}/>
  <default><mesh scale="0.1 0.1 0.1"/>
    <default class="heavy"><geom type="mesh" density="2000"/></default>
    <default class="seen"><geom type="mesh" mass="0" contype="0" group="2"/></default></default>
  <asset><mesh name="block" file="block.obj"/><mesh name="big" file="block.obj" scale="0.2 0.1 0.1"/></asset>
  <worldbody><body name="a"><joint name="j"/>
    <geom class="heavy" mesh="block" pos="0.1 0 0" euler="0 0 30"/><geom class="seen" mesh="big"/>
    <body name="b" childclass="heavy" pos="0 0 1"><joint name="k"/><geom mesh="big" mass="3"/>
      <geom type="sphere" size="0.1"/>
      <frame pos="0 0 0.5"><geom mesh="block"/></frame></body>
    <body name="c" pos="0 1 0"><joint name="l"/><inertial pos="0 0 0.1" mass="5" diaginertia="1 1 1"/>
      <geom class="heavy" mesh="big"/></body>
    <body name="d"><joint name="m"/><geom type="box" mesh="block"/></body>
  </body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    "compiler", ["", 'inertiafromgeom="true"', 'inertiagrouprange="0 1"', 'settotalmass="9"']
)
def test_the_mass_of_meshes_is_that_of_mujoco(tmp_path, compiler):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "block.obj").write_text(CUBE)
    path = tmp_path / "robot.xml"
    path.write_text(MESHES.format(compiler=compiler))
    model, figure = mujoco.MjModel.from_xml_path(str(path)), mk.load(path)
    for body in range(1, model.nbody):
        segment = figure.segments[mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)]
        assert segment.mass == pytest.approx(model.body_mass[body], rel=1e-9)
        assert segment.center_of_mass == pytest.approx(model.body_ipos[body], abs=1e-9)
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[body])
        turn = turn.reshape(3, 3)
        inertia = turn @ np.diag(model.body_inertia[body]) @ turn.T
        assert segment.inertia == pytest.approx(inertia, abs=1e-9)
    assert [shape.kind for shape in figure.segments["a"].shapes] == ["mesh", "mesh"]
    shape = figure.segments["a"].shapes[0]
    assert shape.scale == pytest.approx([0.1, 0.1, 0.1])
    assert shape.placement[:3, 3] == pytest.approx([0.1, 0.0, 0.0])


def test_a_mesh_that_is_not_there_is_noted_where_it_has_mass(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(MESHES.format(compiler=""))
    contents = formats.read(path)
    assert contents.figure.segments["a"].mass == 0.0 and contents.figure.segments["c"].mass == 5.0
    assert {note.where for note in contents.notes if "mass of its mesh" in note.text} == {
        f"body {name!r}" for name in "abd"
    }


def test_an_attached_model_is_part_of_the_figure(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "block.obj").write_text(CUBE)
    (tmp_path / "robot.xml").write_text(MESHES.format(compiler=""))
    scene = tmp_path / "scene.xml"
    scene.write_text(
        "<mujoco><asset><model name='r' file='robot.xml'/></asset><worldbody>"
        "<body name='stand'><joint name='turn'/><geom size='1'/><attach model='r' body='a' prefix='left_'/></body>"
        "<body name='other' pos='2 0 0'><attach model='r' body='a' prefix='right_'/></body>"
        "</worldbody></mujoco>"
    )
    model, figure = mujoco.MjModel.from_xml_path(str(scene)), mk.load(scene)
    assert figure.n == model.nv == 9
    assert figure.mass == pytest.approx(model.body_mass.sum())
    meshes = [shape.mesh for shape in figure.segments["right_a"].shapes]
    assert [Path(mesh).name for mesh in meshes] == ["block.obj", "block.obj"]
    check_against_mujoco(scene)
    scene.write_text(scene.read_text().replace("robot.xml", "../robot.xml"))
    with pytest.raises(
        FormatError, match=r"scene\.xml:1: <model>: '\.\./robot\.xml' is not in the file's folder"
    ):
        mk.load(scene)


def test_an_included_file_may_name_files_beside_itself(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "inner.xml").write_text(
        "<mujoco><body name='inner'><geom size='1'/></body></mujoco>"
    )
    (tmp_path / "parts" / "outer.xml").write_text(
        "<mujoco><body name='outer'><joint/><geom size='1'/><include file='inner.xml'/></body></mujoco>"
    )
    path = tmp_path / "main.xml"
    path.write_text("<mujoco><worldbody><include file='parts/outer.xml'/></worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.nbody == 3 and "inner" in mk.load(path).segments


ACTUATED = """<mujoco><worldbody><body name="a"><joint name="own" type="hinge" actuatorfrcrange="-7 7"/>
<geom size="0.1"/><body name="b"><joint name="motor" type="hinge"/><geom size="0.1"/>
<body name="c"><joint name="force" type="slide"/><geom size="0.1"/>
<body name="d"><joint name="open" type="hinge"/><geom size="0.1"/>
<body name="e"><joint name="none" type="hinge"/><geom size="0.1"/></body></body></body></body></body></worldbody>
<actuator><motor joint="motor" gear="30" ctrlrange="-1 1"/><position joint="force" forcerange="-20 25"/>
<position joint="force" forcerange="-1 1" gear="2"/><motor joint="open"/></actuator></mujoco>"""


def test_the_greatest_efforts_are_those_that_actuators_give(tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "arm.xml").write_text(ACTUATED)
    contents = formats.read(tmp_path / "arm.xml")
    figure = contents.figure
    told = {name: figure.dof(name).effort for name in figure.dofs}
    assert told == {"own": 7.0, "motor": 30.0, "force": 27.0, "open": np.inf, "none": np.inf}
    assert any("differ by direction" in note.text for note in contents.notes)
    mk.save(figure, tmp_path / "again.xml")
    again = mk.load(tmp_path / "again.xml")
    assert again.effort.tolist() == figure.effort.tolist()
