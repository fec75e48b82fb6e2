from __future__ import annotations

from math import radians

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin import formats
from manikin.errors import FormatError
from manikin.formats.axes import Y_UP
from manikin.formats.posed import segment_frames

TABLE = """/* a table with one leg that folds */
figure table {
  segment leg { psurf = "leg.pss"; attribute = plum;
    site base->location = trans(0.00cm,0.00cm,0.00cm);
    site top->location  = trans(5.00cm,75.00cm,5.00cm); }
  segment top {
    site base->location = trans(0cm, 0cm, 0cm);
    site leg3->location = xyz(0deg, 90deg, 30deg) * trans(50cm, 0cm, 0.1m); }
  joint leg1 { connect top.leg3 to leg.top; type = R(x)*R(0,1,0)*T(z);
    llimit = (-10deg, -20deg, none); ulimit = (150deg, 0.5rad, 12cm); displacement = (20deg, 10deg, 1in); }
  root = top.base;  location = trans(0.00cm,75.00cm,0.00cm);
}
"""


# A four-bar in the plane: ground 40 cm, crank 10 cm, coupler 40 cm, follower 10 cm, a parallelogram.
FOUR_BAR = """figure fourbar {
  segment ground { site left->location = trans(0cm,0cm,0cm); site right->location = trans(40cm,0cm,0cm); }
  segment crank { site base->location = trans(0cm,0cm,0cm); site tip->location = trans(0cm,10cm,0cm); }
  segment coupler { site base->location = trans(0cm,0cm,0cm); site tip->location = trans(40cm,0cm,0cm); }
  segment follower { site base->location = trans(0cm,0cm,0cm); site tip->location = trans(0cm,10cm,0cm); }
  joint a { connect ground.left to crank.base; type = R(z); }
  joint b { connect crank.tip to coupler.base; type = R(z); }
  joint c { connect ground.right to follower.base; type = R(z); }
  joint d { connect follower.tip to coupler.tip; type = R(z); llimit = (-60deg); ulimit = (60deg); }
  root = ground.left; location = trans(0cm,0cm,0cm);
}
"""
# The printed table, with the legs and the top that the excerpt leaves out.
PRINTED = """figure table {
  segment leg { psurf = "leg.pss"; attribute = plum;
    site base->location = trans(0.00cm,0.00cm,0.00cm);
    site top->location  = trans(5.00cm,75.00cm,5.00cm); }
  segment leg1 { psurf = "leg.pss"; attribute = plum;
    site base->location = trans(0.00cm,0.00cm,0.00cm);
    site top->location  = trans(5.00cm,75.00cm,5.00cm); }
  segment top { site base->location = trans(0cm,0cm,0cm); site leg3->location = trans(50cm,0cm,30cm);
    site leg4->location = trans(-50cm,0cm,30cm); }
  joint leg1 { connect top.leg3 to leg1.top; type = R(z); }
  joint leg { connect top.leg4 to leg.top; type = R(1,0,0)*R(0,1,0); }
  root = top.base;  location = trans(0.00cm,75.00cm,0.00cm);
}
"""


def written(tmp_path, text):
    path = tmp_path / "table.fig"
    path.write_text(text)
    return path


def row(rotation=None, translation=(0, 0, 0)):
    """A 4×4 for row vectors: p' = p M, by SciPy."""
    matrix = np.eye(4)
    if rotation is not None:
        matrix[:3, :3] = rotation.as_matrix().T
    matrix[3, :3] = translation
    return matrix


def about(axis, degrees):
    return Rotation.from_rotvec(np.radians(degrees) * np.array(axis))


def test_a_pose_is_the_product_of_row_matrices_from_the_point_to_the_world(tmp_path):
    contents = formats.read(written(tmp_path, TABLE))
    pose = contents.figure.pose(contents.clips[0].q[0])
    top_site = row(translation=(0.05, 0.75, 0.05))
    turned = row(about([1, 0, 0], 0)) @ row(about([0, 1, 0], 90)) @ row(about([0, 0, 1], 30))
    leg3 = turned @ row(translation=(0.5, 0, 0.1))
    motion = row(about([1, 0, 0], 20)) @ row(about([0, 1, 0], 10)) @ row(translation=(0, 0, 0.0254))
    world = row(translation=(0, 0.75, 0))
    leg = np.linalg.inv(top_site) @ motion @ leg3 @ world
    np.testing.assert_allclose(pose.matrix("leg")[:3, 3], Y_UP @ leg[3, :3], atol=1e-15)
    np.testing.assert_allclose(pose.matrix("leg")[:3, :3], Y_UP @ leg[:3, :3].T, atol=1e-15)
    np.testing.assert_allclose(
        pose.position("leg.top"), Y_UP @ (np.array([0.05, 0.75, 0.05, 1]) @ leg)[:3], atol=1e-15
    )


def test_limits_units_and_looks_are_read(tmp_path):
    figure = mk.load(written(tmp_path, TABLE))
    assert figure.dof("leg1_x").upper == pytest.approx(radians(150))
    assert figure.dof("leg1_y").upper == 0.5 and figure.dof("leg1_z").upper == pytest.approx(0.12)
    assert figure.dof("leg1_z").lower == -np.inf and figure.dof("leg1_z").rest == pytest.approx(0.0254)
    shape = figure.segments["leg"].shapes[0]
    assert (shape.kind, shape.mesh) == ("mesh", "leg.pss") and shape.color is not None


def test_which_segment_is_nearer_to_the_root_does_not_matter(tmp_path):
    there = mk.load(written(tmp_path, TABLE))
    back = TABLE.replace("root = top.base;  location = trans(0.00cm,75.00cm,0.00cm)", "root = leg.base")
    other = mk.load(written(tmp_path, back))
    assert other.root == "leg" and set(other.dofs) == set(there.dofs)
    values = {"leg1_x": 0.3, "leg1_y": -0.2, "leg1_z": 0.05}
    a, b = there.pose(values), other.pose(values)
    np.testing.assert_allclose(
        np.linalg.inv(a.matrix("top")) @ a.matrix("leg"),
        np.linalg.inv(b.matrix("top")) @ b.matrix("leg"),
        atol=1e-15,
    )


@pytest.mark.parametrize("name", ["human", "cmu", "robot", "table"])
def test_a_figure_written_and_read_again_stands_in_the_same_pose(data_file, tmp_path, name):
    figure = {
        "human": lambda: mk.human().rerooted("left_foot"),
        "cmu": lambda: mk.load(data_file("bvh/cmu_78_11.bvh")),
        "robot": lambda: mk.load(data_file("gltf/RobotExpressive.glb")),
        "table": lambda: mk.load(written(tmp_path, TABLE)),
    }[name]()
    rng = np.random.default_rng(1)
    low, high = np.maximum(figure.lower, -1.5), np.minimum(figure.upper, 1.5)
    pose = figure.pose(low + (high - low) * rng.random(figure.n))
    mk.save(pose, tmp_path / "again.fig")
    again = formats.read(tmp_path / "again.fig")
    old, new = pose.matrices(), segment_frames(again.figure, again.clips[0].q)
    for segment in old:
        np.testing.assert_allclose(new[segment][0], old[segment], atol=1e-12)
    if name == "table":
        assert again.figure.dofs == figure.dofs and set(figure.sites) <= set(again.figure.sites)
        np.testing.assert_allclose(again.figure.lower, figure.lower)
        np.testing.assert_allclose(again.figure.upper, figure.upper)


def test_the_printed_table_stands_on_the_floor(tmp_path):
    contents = formats.read(written(tmp_path, PRINTED))
    pose = contents.figure.pose()
    assert contents.figure.dofs == ("leg1", "leg_y", "leg_x") and contents.figure.base == "fixed"
    np.testing.assert_array_equal(pose.position("leg1.base"), [0.25, 0.45, 0.0])
    np.testing.assert_array_equal(pose.position("leg.base"), [0.25, -0.55, 0.0])
    mk.save(contents, tmp_path / "again.fig")
    again = formats.read(tmp_path / "again.fig")
    assert list(again.figure.sites) == list(contents.figure.sites)
    assert again.figure.same_structure(contents.figure)


def test_a_joint_that_closes_a_loop_keeps_it_closed_and_has_its_range(tmp_path):
    figure = mk.load(written(tmp_path, FOUR_BAR))
    assert figure.dofs == ("a", "b", "c", "d") and [loop.name for loop in figure.loops] == ["d"]
    assert figure.dof("d").upper == pytest.approx(radians(60))
    angle = 0.7
    at = (0.4 - 0.1 * np.sin(angle), 0.1 * np.cos(angle))  # the follower's tip, in the plane of the file
    found = mk.solve(figure, [mk.Position("follower.tip", Y_UP @ (*at, 0.0))])
    assert found.reached
    values = found.pose.values()
    # In a parallelogram crank and follower turn alike, and the coupler does not.
    assert values["a"] == pytest.approx(angle, abs=1e-3)  # the goal's tolerance over the crank's length
    for name, sign in {"b": -1, "c": 1, "d": -1}.items():
        assert values[name] == pytest.approx(sign * values["a"], abs=1e-6)
    wide = mk.solve(
        figure,
        [mk.Orientation("follower", figure.location[:3, :3] @ Rotation.from_euler("z", 1.5).as_matrix())],
    )
    assert not wide.reached and -values["d"] <= radians(60) + 1e-9


def test_a_fixed_joint_that_closes_a_loop_is_a_weld_without_a_segment_of_its_own(tmp_path):
    text = FOUR_BAR.replace("type = R(z); llimit = (-60deg); ulimit = (60deg);", "")
    figure = mk.load(written(tmp_path, text))
    assert len(figure.segments) == 4 and figure.loops == (
        mk.Loop("follower.tip", "coupler.tip", "placement", "d"),
    )


def test_a_loop_that_the_displacements_leave_open_is_noted(tmp_path):
    text = FOUR_BAR.replace("c { connect", "c { displacement = (30deg); connect")
    notes = formats.read(written(tmp_path, text)).notes
    assert [note.where for note in notes] == ["loop 'd'"] and "open by 0.05" in notes[0].text


def test_lengths_are_the_decimal_digits_of_the_file(tmp_path):
    text = TABLE.replace("ulimit = (150deg, 0.5rad, 12cm)", "ulimit = (150deg, 0.5rad, 7.2cm)")
    assert mk.load(written(tmp_path, text)).dof("leg1_z").upper == 0.072 != 7.2 * 0.01


def test_an_extension_that_is_broken_is_refused_and_one_elsewhere_noted(tmp_path):
    broken = TABLE.replace("figure table {", "figure table { /* manikin {'a': 1} */")
    with pytest.raises(FormatError, match=r"table\.fig:2: the extension is not JSON"):
        formats.read(written(tmp_path, broken))
    for entry in ('"couplings": [3]', '"base": {"kind": "flying"}', '"sites": {"a": 1}', '"touching": 1'):
        wrong = TABLE.replace("figure table {", f"figure table {{ /* manikin {{{entry}}} */")
        with pytest.raises(FormatError, match=r"table\.fig"):
            formats.read(written(tmp_path, wrong))
    contents = formats.read(written(tmp_path, '/* manikin {"a": 1} */' + TABLE))
    assert "outside of a figure" in str(contents.notes[0])
    plain = formats.read(written(tmp_path, "/* manikin wrote this {once} */" + TABLE))
    assert plain.notes == ()


def test_several_figures_are_chosen_by_name_and_what_is_left_over_is_told(tmp_path):
    text = (
        TABLE + "figure lamp { segment a { site s->location = trans(1m,0m,0m); mass = 3; } light { x = 1; } }"
    )
    path = written(tmp_path, text)
    with pytest.raises(FormatError, match="2 figures; choose one by name=: table, lamp"):
        formats.read(path)
    contents = formats.read(path, name="lamp")
    assert list(contents.figure.segments) == ["a"]
    told = " ".join(map(str, contents.notes))
    assert "'mass'" in told and "'light'" in told and "no root is given" in told


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "top.leg3 to leg.top",
            "top.leg4 to leg.top",
            "segment 'top' has no site 'leg4'; did you mean 'leg3'",
        ),
        ("top.leg3 to leg.top", "top.leg3 to legs.top", "unknown segment 'legs'"),
        ("R(x)*R(0,1,0)*T(z)", "R(x)*Q(y)", r"table\.fig:9: a type is a product of R\(axis\) and T\(axis\)"),
        ("R(x)*R(0,1,0)*T(z)", "R(x)", "llimit has 3 values for 1 degrees"),
        ("150deg", "150parsec", "unknown unit 'parsec'"),
        ("150deg", "150cm", "ulimit is no angle"),
        ("150deg", "-150deg", "the lower limit"),
        ("75.00cm,5.00cm", "75.00cm,five", "expected a number, found 'five'"),
        ("root = top.base", "root = top", r"expected '\.'"),
        ("figure table {", "figure table", "expected '{'"),
        ("connect top.leg3 to leg.top;", "", "does not say what it connects"),
    ],
)
def test_a_broken_file_is_refused_with_its_reason(tmp_path, old, new, message):
    assert old in TABLE
    with pytest.raises(FormatError, match=message):
        formats.read(written(tmp_path, TABLE.replace(old, new, 1)))
