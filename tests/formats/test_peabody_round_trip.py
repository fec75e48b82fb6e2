"""A figure written as Peabody and read again is the same figure."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.campaign import figures as drawn
from tests.figure.samples import four_bar, random_figure

import manikin as mk
from manikin import formats
from manikin.figure import Curve, Figure, Follow, Joint, Segment, Shape, Site

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def written_and_read(what, folder):
    path = folder / "figure.fig"
    notes = mk.save(what, path)
    return formats.read(path), notes


def assert_same(again: Figure, figure: Figure, seed: int = 0) -> None:
    """Names, structure, limits, rest, couplings, loops and masses are equal, and frames agree to 1e-12 of the size."""
    assert again.name == figure.name and again.root == figure.root and again.base == figure.base
    assert list(again.segments) == list(figure.segments) and again.dofs == figure.dofs
    assert list(again.joints) == list(figure.joints) and list(again.sites) == list(figure.sites)
    assert again.same_structure(figure)
    for key in ("lower", "upper", "rest", "stiffness", "velocity"):
        np.testing.assert_array_equal(getattr(again, key), getattr(figure, key), err_msg=key)
    assert again.couplings == figure.couplings and again.loops == figure.loops
    assert again.touching == figure.touching
    np.testing.assert_array_equal(np.array(again.cones), np.array(figure.cones))
    assert dict(again.followers).keys() == dict(figure.followers).keys()
    for name, follow in figure.followers.items():
        other = again.followers[name]
        assert dict(other.coefficients) == dict(follow.coefficients) and other.offset == follow.offset
    for name, segment in figure.segments.items():
        other = again.segments[name]
        assert other.mass == segment.mass and len(other.shapes) == len(segment.shapes)
        np.testing.assert_array_equal(other.center_of_mass, segment.center_of_mass)
        for one, two in zip(segment.shapes, other.shapes, strict=True):
            np.testing.assert_array_equal(two.size, one.size)
            np.testing.assert_array_equal(two.placement, one.placement)
    for name in figure.dofs:
        assert again.dof(name).description == figure.dof(name).description
    rng = np.random.default_rng(seed)
    low, high = np.maximum(figure.lower, -3.0), np.minimum(figure.upper, 3.0)
    q = low + (high - low) * rng.random((5, figure.n))
    old, new = figure.forward(q), again.forward(q)
    size = max(1.0, float(np.abs(old[..., :3, 3]).max()))
    np.testing.assert_allclose(new[..., :3, :3], old[..., :3, :3], atol=1e-12, rtol=0)
    np.testing.assert_allclose(new[..., :3, 3], old[..., :3, 3], atol=1e-12 * size, rtol=0)


@settings(max_examples=150)
@given(st.integers(0, 1 << 30))
def test_random_figures_come_back_whole(tmp_path_factory, seed):
    figure = drawn.figure(np.random.default_rng(seed))
    pose = drawn.pose(figure, np.random.default_rng(seed + 1))
    again, notes = written_and_read(pose, tmp_path_factory.mktemp("fig"))
    assert notes == () and not any(note.kind == "left out" for note in again.notes)
    assert_same(again.figure, figure, seed)
    if figure.n:
        np.testing.assert_array_equal(again.clips[0].q[0], pose.q)


@settings(max_examples=100)
@given(st.integers(0, 1 << 30))
def test_random_figures_with_followers_and_roots_anywhere_come_back_whole(tmp_path_factory, seed):
    figure = random_figure(seed)
    again, notes = written_and_read(figure, tmp_path_factory.mktemp("fig"))
    assert notes == ()
    assert_same(again.figure, figure, seed)


@pytest.mark.parametrize("stature", [1.5, 1.75, 1.98])
def test_a_human_comes_back_with_its_limits_couplings_free_root_and_sites(tmp_path, stature):
    body = mk.human(stature=stature)
    pose = body.pose({"right_elbow": 1.0, "root_x": 0.3, "root_rz": 0.5})
    again, notes = written_and_read(pose, tmp_path)
    assert notes == () and again.notes == ()
    assert_same(again.figure, body)
    assert len(again.figure.couplings) == len(body.couplings) > 20 and again.figure.base == "free"
    old, new = pose.position("right_hand"), again.figure.pose(again.clips[0].q[0]).position("right_hand")
    np.testing.assert_allclose(new, old, atol=1e-12)


def test_a_human_with_polygons_hung_from_a_foot_on_a_planar_base_comes_back(tmp_path):
    body = mk.human(stature=1.62, base="planar").with_polygons().rerooted("left_foot")
    again, notes = written_and_read(body, tmp_path)
    assert notes == ()
    assert_same(again.figure, body)
    np.testing.assert_allclose(again.figure.mount, body.mount, atol=1e-15)


def test_a_human_read_again_reaches_as_before(tmp_path):
    body = mk.human(stature=1.75)
    again = written_and_read(body, tmp_path)[0].figure
    goals = [mk.Position("right_hand", (0.4, -0.2, 1.2)), mk.Pin("left_foot"), mk.Pin("right_foot")]
    first, second = mk.solve(body, goals), mk.solve(again, goals)
    assert first.reached and second.reached
    for dof, value in second.pose.values().items():
        assert again.dof(dof).lower - 1e-9 <= value <= again.dof(dof).upper + 1e-9


@pytest.mark.parametrize("kind", ["placement", "position", "hinge", "orientation"])
def test_loops_come_back(tmp_path, kind):
    figure = four_bar(kind)
    again, notes = written_and_read(figure, tmp_path)
    assert notes == () and not any(note.kind == "left out" for note in again.notes)
    assert_same(again.figure, figure)


@pytest.mark.parametrize(
    "name", ["a b", 'say "hi"', "two\nlines", "*/ } ;", "R(z)", "figure", "Größe", "1st", "a.b", "'", "//x"]
)
def test_any_name_comes_back(tmp_path, name):
    joints = [Joint(name, name, "other", "R(z)*R(x)", [0.1, 0, 0], dofs=[f"{name} 1", f"{name} 2"])]
    sites = [Site(f"{name} tip", name, [0.1, 0.2, 0.3]), Site(f"{name}.x", "other"), Site("other", name)]
    joints[0] = Joint(
        name, name, "other", "R(z)*R(x)", [0.1, 0, 0], dofs=[name, "q"], descriptions=[name, ""]
    )
    figure = Figure(
        name, [name, "other"], joints, sites, couplings=[mk.Coupling({name: 1.0, "q": 2.0}, 0, 1, name)]
    )
    again, notes = written_and_read(figure, tmp_path)
    assert notes == () and again.notes == ()
    assert_same(again.figure, figure)


def test_an_axis_that_follows_a_curve_comes_back(tmp_path):
    curve = Curve([0.5], [[0.0, 1.0, 0.3], [0.575, 1.3, 0.0]])
    joints = [
        Joint("drive", "a", "b", "R(z)", lower=-1, upper=2),
        Joint("slide", "b", "c", "T(x)", follow=Follow({"drive": 0.7}, 0.1, curve)),
    ]
    figure = Figure("knee", ["a", "b", "c"], joints)
    again, _ = written_and_read(figure, tmp_path)
    assert_same(again.figure, figure)


def test_surfaces_colours_and_other_shapes_come_back(tmp_path):
    shapes = (
        Shape("mesh", mesh="leg.pss", color=(0.1, 0.2, 0.3)),
        Shape("box", (0.1, 0.2, 0.3), color=(1, 0, 0)),
        Shape("mesh", mesh='say "hi".pss', scale=(1, 2, 3)),
    )
    figure = Figure("leg", [Segment("leg", 2.0, (0, 0, 0.1), np.diag([1.0, 2.0, 2.5]), shapes)], [])
    again = written_and_read(figure, tmp_path)[0].figure
    segment = again.segments["leg"]
    np.testing.assert_array_equal(segment.inertia, figure.segments["leg"].inertia)
    assert [shape.mesh for shape in segment.shapes] == ["leg.pss", None, 'say "hi".pss']
    np.testing.assert_array_equal(segment.shapes[0].color, (0.1, 0.2, 0.3))
    np.testing.assert_array_equal(segment.shapes[2].scale, (1, 2, 3))


def test_a_reader_that_passes_over_comments_finds_the_same_tree_in_the_same_pose(tmp_path):
    body = mk.human(stature=1.75)
    pose = body.pose({"right_elbow": 1.0, "left_shoulder_flexion": 0.3})
    mk.save(pose, tmp_path / "body.fig")
    text = COMMENT.sub("", (tmp_path / "body.fig").read_text(encoding="utf-8"))
    (tmp_path / "bare.fig").write_text(text, encoding="utf-8")
    bare = formats.read(tmp_path / "bare.fig")
    found = bare.figure.pose(bare.clips[0].q[0])
    for name in body.segments:
        np.testing.assert_allclose(found.matrix(name), pose.matrices()[name], atol=1e-12)
    elbow = body.dof("right_elbow")
    assert (bare.figure.dof(bare.figure.joints[elbow.joint].axes[0].name).upper) == elbow.upper


def test_the_words_of_the_language_are_stronger_than_the_extensions(tmp_path):
    """Another program moves the figure, bends two joints and narrows a range; the rest is still there."""
    body = mk.human(stature=1.75)
    mk.save(body, tmp_path / "body.fig")
    text = (tmp_path / "body.fig").read_text(encoding="utf-8")

    def changed(text, joint, word, value):
        begin = text.index(f"  joint {joint} {{")
        place = text.index(f"    {word} = ", begin)
        return text[:place] + f"    {word} = ({value});" + text[text.index("\n", place) :]

    text = changed(text, "right_elbow", "ulimit", "1rad")
    text = changed(text, "left_shoulder", "displacement", "0.1rad, 0.2rad, 0.3rad")
    text = re.sub(r"  location = .*;\n\}", "  location = trans(10cm, 90cm, 20cm);\n}", text)
    (tmp_path / "moved.fig").write_text(text, encoding="utf-8")
    moved = formats.read(tmp_path / "moved.fig")
    figure, q = moved.figure, moved.clips[0].q[0]
    elbow = body.joints["right_elbow"].axes[0].name
    assert figure.dof(elbow).upper == 1.0 and figure.couplings == body.couplings
    pose = figure.pose(q)
    np.testing.assert_allclose(pose.position(body.root), [0.2, 0.1, 0.9], atol=1e-12)
    joint = body.joints["left_shoulder"]
    between = np.linalg.inv(pose.matrix(joint.parent) @ joint.placement) @ pose.matrices()[joint.child]
    from scipy.spatial.transform import Rotation

    expected = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    np.testing.assert_allclose((between @ joint.child_placement)[:3, :3], expected, atol=1e-12)


def test_what_peabody_cannot_keep_is_reported(data_file, tmp_path):
    clip = mk.load_motion(data_file("bvh/cmu_78_11.bvh"))
    assert "one pose" in " ".join(map(str, mk.save(clip, tmp_path / "clip.fig")))
    robot = formats.read(data_file("gltf/RobotExpressive.glb"))
    notes = " ".join(map(str, mk.save(robot, tmp_path / "robot.fig", clip=0)))
    assert "skins" in notes and "one pose" in notes
