"""Scene files: what is read, in which units, and what each mistake is answered with."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from manikin.errors import FormatError
from manikin.formats.scene import Scene, read_scene
from manikin.formats.tables import Table

ARM = Path(__file__).parents[1] / "data" / "slider_arm.urdf"
HEAD = 'figure = "arm.urdf"\n'
PEN = '[[site]]\nname = "pen"\nsegment = "hand"\noffset = [0, 0, 0.1]\n'


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Scene]:
    """Reads a scene whose text is given and whose figure is the arm beside it."""
    shutil.copy(ARM, tmp_path / "arm.urdf")

    def reader(text: str) -> Scene:
        (tmp_path / "scene.toml").write_text(text, encoding="utf-8")
        return read_scene(tmp_path / "scene.toml")

    return reader


@pytest.fixture
def complaint(read: Callable[[str], Scene], tmp_path: Path) -> Callable[[str], str]:
    """What a broken scene is answered with, after the file's name, which every message starts with."""

    def reader(text: str) -> str:
        with pytest.raises(FormatError) as caught:
            read(text)
        start = f"{tmp_path / 'scene.toml'}: "
        assert str(caught.value).startswith(start)
        return str(caught.value).removeprefix(start)

    return reader


def a_goal(kind: str, rest: str) -> str:
    return f'[[goal]]\nkind = "{kind}"\nsite = "pen"\n{rest}\n'


class TestFigure:
    def test_the_figure_is_found_beside_the_scene(self, read):
        assert read(HEAD).figure.name == "slider_arm"

    def test_options_reach_the_loader(self, read):
        assert read(HEAD + '[options]\nbase = "free"\n').figure.n == 6 + 3

    def test_a_site_is_added_with_its_offset_and_rotation_in_degrees(self, read):
        scene = read(HEAD + PEN + "rpy = [0, 90, 0]\n")
        site = scene.start.matrix("pen")
        np.testing.assert_allclose(site[:3, 3], [0.7, 0.0, 0.6], atol=1e-12)
        np.testing.assert_allclose(site[:3, 0], [0.0, 0.0, -1.0], atol=1e-12)

    def test_a_scene_without_a_figure(self, complaint):
        assert complaint("") == "'figure' is missing"

    def test_a_figure_that_is_no_file_names_the_path(self, complaint, tmp_path):
        message = complaint('figure = "robots/none.urdf"\n')
        assert "'robots/none.urdf'" in message
        assert str(tmp_path / "robots" / "none.urdf") in message

    def test_a_figure_file_that_is_broken(self, complaint, tmp_path):
        (tmp_path / "broken.urdf").write_text("<robot")
        assert complaint('figure = "broken.urdf"\n').startswith("figure: ")

    def test_an_unknown_option(self, complaint):
        assert complaint(HEAD + '[options]\nbasis = "free"\n').startswith(
            "options: unknown key 'basis'; did you mean 'base'"
        )

    def test_a_base_that_does_not_exist(self, complaint):
        assert "floating" in complaint(HEAD + '[options]\nbase = "floating"\n')

    def test_a_site_on_an_unknown_segment(self, complaint):
        message = complaint(HEAD + '[[site]]\nname = "pen"\nsegment = "hnad"\n')
        assert message.startswith("site 1 (pen): ")
        assert "unknown segment 'hnad'; did you mean 'hand'?" in message

    def test_a_site_given_twice(self, complaint):
        assert complaint(HEAD + PEN + PEN).startswith("site 2 (pen): ")

    def test_a_site_with_two_rotations(self, complaint):
        message = complaint(HEAD + PEN + "rpy = [0, 0, 0]\nwxyz = [1, 0, 0, 0]\n")
        assert message == "site 1 (pen): give exactly one of rpy, wxyz and matrix, not rpy and wxyz"


class TestStart:
    def test_turning_joints_are_in_degrees_and_sliding_ones_in_metres(self, read):
        values = read(HEAD + "[start]\nshoulder = 90\nslide = 0.1\n").start.values()
        assert values["shoulder"] == pytest.approx(math.pi / 2)
        assert values["slide"] == 0.1

    def test_joints_not_named_start_at_rest(self, read):
        scene = read(HEAD + "[start]\nshoulder = 90\n")
        rest = dict(zip(scene.figure.dofs, scene.figure.rest, strict=True))
        assert scene.start.values()["elbow"] == rest["elbow"]

    def test_an_unknown_degree_of_freedom(self, complaint):
        message = complaint(HEAD + "[start]\nelbo = 1\n")
        assert message.startswith("start: ")
        assert "unknown degree of freedom 'elbo'; did you mean 'elbow'?" in message

    @pytest.mark.parametrize("value", ["nan", "inf", '"90"', "true", "[90]"])
    def test_a_value_that_is_no_number(self, complaint, value):
        assert complaint(HEAD + f"[start]\nelbow = {value}\n").startswith("start: elbow must be a ")


class TestGoals:
    def test_a_position(self, read):
        (goal,) = read(HEAD + PEN + a_goal("position", "target = [0.1, 0.2, 0.3]\nweight = 2")).goals
        assert (type(goal).__name__, goal.site, goal.weight) == ("Position", "pen", 2.0)
        np.testing.assert_array_equal(goal.target, [0.1, 0.2, 0.3])

    @pytest.mark.parametrize(
        "rotation",
        [
            "{ rpy = [0, 0, 90] }",
            "{ wxyz = [0.70711, 0, 0, 0.70711] }",
            "{ matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }",
        ],
    )
    def test_every_way_to_write_a_rotation(self, read, rotation):
        (goal,) = read(HEAD + PEN + a_goal("orientation", f"target = {rotation}")).goals
        np.testing.assert_allclose(goal.target, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-12)

    def test_a_placement(self, read):
        text = "position = [0.1, 0.2, 0.3]\norientation = { rpy = [0, 90, 0] }\nposition_share = 0.7"
        (goal,) = read(HEAD + PEN + a_goal("placement", text)).goals
        np.testing.assert_allclose(goal.orientation, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-12)
        assert goal.position_share == 0.7

    @pytest.mark.parametrize(
        ("kind", "arguments"),
        [
            ("aim", "at = [1, 0, 0]\naxis = [0, 0, 1]"),
            ("on_line", "point = [0, 0, 0]\ndirection = [1, 0, 0]"),
            ("on_plane", "point = [0, 0, 0]\nnormal = [0, 0, 1]"),
        ],
    )
    def test_the_other_kinds(self, read, kind, arguments):
        (goal,) = read(HEAD + PEN + a_goal(kind, arguments)).goals
        assert type(goal).__name__.lower() == kind.replace("_", "")

    def test_goals_keep_the_order_of_the_file(self, read):
        goals = read(
            HEAD + PEN + "".join(a_goal("position", f"target = [{x}, 0, 0]") for x in (3, 1, 2))
        ).goals
        assert [goal.target[0] for goal in goals] == [3, 1, 2]

    def test_levels_become_lists_with_the_most_important_first(self, read):
        given = ((1, "level = 3"), (2, ""), (3, "level = 3"))
        text = "".join(a_goal("position", f"target = [{x}, 0, 0]\n{level}") for x, level in given)
        levels = read(HEAD + PEN + text).goals
        assert [[goal.target[0] for goal in level] for level in levels] == [[2], [1, 3]]

    def test_one_level_alone_needs_no_lists(self, read):
        goals = read(HEAD + PEN + a_goal("position", "target = [1, 0, 0]\nlevel = 2")).goals
        assert [type(goal).__name__ for goal in goals] == ["Position"]

    @pytest.mark.parametrize(
        ("goal", "expected"),
        [
            ('site = "pen"', "goal 2: 'kind' is missing"),
            ('kind = "positon"\nsite = "pen"', "goal 2: unknown kind 'positon'; did you mean 'position'"),
            ('kind = "position"\nsite = "pen"', "goal 2 (position): 'target' is missing"),
            ('kind = "position"\ntarget = [1, 2, 3]', "goal 2 (position): 'site' is missing"),
            (
                'kind = "position"\nsite = "pen"\ntarget = [1, 2]',
                "goal 2 (position): target has 2 numbers, not 3",
            ),
            (
                'kind = "position"\nsite = "pen"\ntarget = 1',
                "goal 2 (position): target must be a list of 3 numbers",
            ),
            (
                'kind = "position"\nsite = "pen"\ntarget = [1, nan, 0]',
                "goal 2 (position): target[1] must be a finite number, not nan",
            ),
            (
                'kind = "position"\nsite = "pen"\ntarget = [1, "2", 0]',
                "goal 2 (position): target[1] must be a number, not '2'",
            ),
            (
                'kind = "position"\nsite = "pen"\ntarget = [1, 2, 3]\nwieght = 2',
                "goal 2 (position): unknown key 'wieght'; did you mean 'weight'",
            ),
            ('kind = "position"\nsite = "pen"\ntarget = [1, 2, 3]\nweight = -1', "goal 2 (position): "),
            (
                'kind = "position"\nsite = "pne"\ntarget = [1, 2, 3]',
                "goal 2 (position): figure 'slider_arm': unknown site 'pne'; did you mean 'pen'",
            ),
            (
                'kind = "position"\nsite = 3\ntarget = [1, 2, 3]',
                "goal 2 (position): site must be a string, not 3",
            ),
            ('kind = "position"\nsite = ""\ntarget = [1, 2, 3]', "goal 2 (position): site is empty"),
            (
                'kind = "position"\nsite = "pen"\ntarget = [1, 2, 3]\nhard = 1',
                "goal 2 (position): hard must be true",
            ),
            (
                'kind = "position"\nsite = "pen"\ntarget = [1, 2, 3]\nlevel = 0',
                "goal 2 (position): level must be 1",
            ),
            (
                'kind = "position"\nsite = "pen"\ntarget = [1, 2, 3]\nlevel = 1.5',
                "goal 2 (position): level must be",
            ),
            (
                'kind = "orientation"\nsite = "pen"\ntarget = [0, 90, 0]',
                "goal 2 (orientation): target must be a table such as { rpy = [0, 90, 0] }",
            ),
            (
                'kind = "orientation"\nsite = "pen"\ntarget = {}',
                "goal 2 (orientation): target: give exactly one of rpy, wxyz and matrix, not none",
            ),
            (
                'kind = "orientation"\nsite = "pen"\ntarget = { rpx = [0, 0, 0] }',
                "goal 2 (orientation): target: unknown key 'rpx'; did you mean 'rpy'",
            ),
            (
                'kind = "orientation"\nsite = "pen"\ntarget = { wxyz = [1, 1, 0, 0] }',
                "goal 2 (orientation): target: wxyz must have length 1, not 1.41421",
            ),
            (
                'kind = "orientation"\nsite = "pen"\ntarget = { matrix = [[1,0,0], [0,1,0], [0,0,-1]] }',
                "goal 2 (orientation): target: matrix is not a rotation",
            ),
            (
                'kind = "orientation"\nsite = "pen"\ntarget = { matrix = [[1, 0, 0], [0, 1], [0, 0, 1]] }',
                "goal 2 (orientation): target: matrix row 2 has 2 numbers, not 3",
            ),
            ('kind = "aim"\nsite = "pen"\nat = [1, 0, 0]\naxis = [0, 0, 0]', "goal 2 (aim): "),
        ],
    )
    def test_each_mistake_is_named_with_its_place(self, complaint, goal, expected):
        first = a_goal("position", "target = [0.1, 0.2, 0.3]")
        assert complaint(f"{HEAD}{PEN}{first}[[goal]]\n{goal}\n").startswith(expected)

    def test_single_brackets_are_explained(self, complaint):
        assert "[[goal]]" in complaint(HEAD + '[goal]\nkind = "position"\n')


class TestConstraints:
    def test_constants_are_degrees_when_all_joints_turn(self, read):
        (coupling,) = read(HEAD + '[[constraint]]\ntext = "elbow = 0.5*shoulder + 10"\n').constraints
        (same,) = read(
            HEAD + "[[constraint]]\ncoefficients = { elbow = 1, shoulder = -0.5 }\nlower = 10\nupper = 10\n"
        ).constraints
        assert dict(coupling.coefficients) == dict(same.coefficients) == {"elbow": 1.0, "shoulder": -0.5}
        for bound in (coupling.lower, coupling.upper, same.lower, same.upper):
            assert bound == pytest.approx(math.radians(10))

    def test_constants_are_metres_when_all_joints_slide(self, read):
        (coupling,) = read(HEAD + "[[constraint]]\ncoefficients = { slide = 1 }\nupper = 0.1\n").constraints
        assert (coupling.lower, coupling.upper) == (-math.inf, 0.1)

    def test_a_mixed_constraint_is_in_radians_and_metres(self, read):
        text = "[[constraint]]\ncoefficients = { slide = 1, elbow = 0.1 }\nlower = -inf\nupper = 0.1\n"
        (coupling,) = read(HEAD + text).constraints
        assert (coupling.lower, coupling.upper) == (-math.inf, 0.1)

    @pytest.mark.parametrize(
        ("constraint", "expected"),
        [
            ("", "constraint 1: 'coefficients' is missing"),
            ('text = "elbow ="', "constraint 1: "),
            (
                'text = "elbw = 0.5*shoulder"',
                "constraint 1: figure 'slider_arm': unknown degree of freedom 'elbw'; did you mean 'elbow'",
            ),
            ('text = "elbow = shoulder"\nlower = 1', "constraint 1: give either text, or coefficients"),
            ("coefficients = { elbow = 1 }", "constraint 1: coupling: neither lower nor upper"),
            ("coefficients = {}\nlower = 1", "constraint 1: coupling: it couples nothing"),
            (
                "coefficients = { elbow = nan }\nlower = 1",
                "constraint 1: coefficients: elbow must be a finite number",
            ),
            ("coefficients = { elbow = 1 }\nlower = nan", "constraint 1: lower must be a finite number"),
            ("coefficients = { elbow = 1 }\nlower = 2\nupper = 1", "constraint 1: "),
            (
                "coefficients = { elbow = 1 }\nlowr = 2",
                "constraint 1: unknown key 'lowr'; did you mean 'lower'",
            ),
        ],
    )
    def test_each_mistake_is_named_with_its_place(self, complaint, constraint, expected):
        assert complaint(f"{HEAD}[[constraint]]\n{constraint}\n").startswith(expected)


class TestOptions:
    def test_everything_that_solve_takes(self, read):
        text = (
            '[solve]\nmethod = "auto"\nfree = ["elbow"]\nrestarts = 4\nseed = 7\n'
            "tolerance = { position = 1e-3, orientation_degrees = 1.0 }\ntime_limit = 0.5\n"
        )
        assert read(HEAD + text).options == {
            "method": "auto",
            "free": ["elbow"],
            "restarts": 4,
            "seed": 7,
            "tolerance": (1e-3, pytest.approx(math.radians(1.0))),
            "time_limit": 0.5,
        }

    def test_what_is_not_given_is_left_to_solve(self, read):
        assert read(HEAD).options == {}

    @pytest.mark.parametrize(
        ("option", "expected"),
        [
            ("tolerence = [1, 1]", "solve: unknown key 'tolerence'; did you mean 'tolerance'"),
            ("tolerance = [1e-3, 0.05]", "solve: tolerance must be a table with units"),
            ("tolerance = { angle = 1 }", "solve: tolerance: unknown key 'angle'"),
            ("tolerance = { position = 0 }", "solve: tolerance must have positive numbers"),
            ('free = "elbow"', "solve: free must be a list of strings"),
            (
                'free = ["elbo"]',
                "solve: figure 'slider_arm': nothing matches: unknown degree",
            ),
            ("restarts = 1.5", "solve: restarts must be a whole number"),
            ("restarts = -1", "solve: restarts must not be negative"),
            ("time_limit = -1", "solve: time_limit must not be negative"),
            ("time_limit = nan", "solve: time_limit must be a finite number"),
            ("seed = true", "solve: seed must be a whole number, not true"),
            ("method = 3", "solve: method must be a string"),
        ],
    )
    def test_each_mistake_is_named_with_its_place(self, complaint, option, expected):
        assert complaint(f"{HEAD}[solve]\n{option}\n").startswith(expected)

    def test_a_section_that_is_no_table(self, complaint):
        assert complaint("solve = 3\n" + HEAD) == "solve must be a table, not 3"


class TestFile:
    def test_a_missing_file(self, tmp_path):
        with pytest.raises(FormatError, match=r"nowhere\.toml: there is no such file"):
            read_scene(tmp_path / "nowhere.toml")

    def test_a_folder(self, tmp_path):
        with pytest.raises(FormatError, match="cannot be read"):
            read_scene(tmp_path)

    def test_broken_toml_names_the_line(self, complaint):
        message = complaint(HEAD + "[start\n")
        assert message.startswith("not valid TOML: ")
        assert "line 2" in message

    def test_a_file_that_is_not_text(self, tmp_path):
        (tmp_path / "scene.toml").write_bytes(b'figure = "\xff\xfe"')
        with pytest.raises(FormatError, match=r"scene\.toml: is not text in UTF-8"):
            read_scene(tmp_path / "scene.toml")

    def test_an_unknown_section(self, complaint):
        assert complaint(HEAD + "[[goals]]\n").startswith("unknown key 'goals'; did you mean 'goal'")


class TestRotations:
    @settings(max_examples=50, deadline=None)
    @given(st.tuples(*[st.floats(-180, 180)] * 3))
    def test_rpy_turns_about_the_fixed_axes_as_urdf_does(self, rpy):
        got = Table("t", {"r": {"rpy": list(rpy)}}).rotation("r")
        about = [
            Rotation.from_rotvec(np.radians(a) * e).as_matrix() for a, e in zip(rpy, np.eye(3), strict=True)
        ]
        np.testing.assert_allclose(got, about[2] @ about[1] @ about[0], atol=1e-12)

    @settings(max_examples=50, deadline=None)
    @given(st.tuples(*[st.floats(-180, 180)] * 3))
    def test_all_three_ways_agree(self, rpy):
        rotation = Rotation.from_euler("xyz", rpy, degrees=True)
        x, y, z, w = rotation.as_quat().round(6).tolist()
        forms = {"rpy": list(rpy), "wxyz": [w, x, y, z], "matrix": rotation.as_matrix().round(6).tolist()}
        for form, value in forms.items():
            got = Table("t", {"r": {form: value}}).rotation("r")
            np.testing.assert_allclose(got, rotation.as_matrix(), atol=5e-6)
            np.testing.assert_allclose(got @ got.T, np.eye(3), atol=1e-12)


class TestSolve:
    def test_a_scene_solves_from_its_start(self, read):
        text = HEAD + PEN + "[start]\nshoulder = 10\n" + a_goal("position", "target = [0.65, 0.3, 0.35]")
        solution = read(text).solve()
        assert solution.reached
        np.testing.assert_allclose(solution.pose.position("pen"), [0.65, 0.3, 0.35], atol=1e-3)

    def test_a_constraint_of_the_file_holds_in_the_pose_found(self, read):
        text = (
            HEAD
            + PEN
            + a_goal("position", "target = [0.65, 0.3, 0.35]")
            + '[[constraint]]\ntext = "elbow = 0.5*shoulder + 10"\n'
        )
        values = read(text).solve().pose.values()
        assert values["elbow"] == pytest.approx(0.5 * values["shoulder"] + math.radians(10), abs=1e-9)

    def test_what_solve_refuses_is_answered_with_the_file(self, read, tmp_path):
        text = HEAD + PEN + a_goal("position", "target = [0.65, 0.3, 0.35]") + '[solve]\nmethod = "magic"\n'
        with pytest.raises(FormatError, match="magic") as caught:
            read(text).solve()
        assert str(caught.value).startswith(f"{tmp_path / 'scene.toml'}: ")


HUMAN = """
figure = "human"
[options]
stature = 1.68
sex = "female"
fingers = false
[start]
preset = "sit"
right_elbow = 30
[[goal]]
kind = "position"
site = "right_hand"
target = [0.5, -0.2, 0.9]
"""


def test_a_scene_may_ask_for_the_human_with_its_options_and_a_preset(tmp_path):
    path = tmp_path / "human.toml"
    path.write_text(HUMAN)
    scene = read_scene(path)
    assert "right_index_proximal" not in scene.figure.segments
    values = scene.start.values()
    assert values["left_knee"] > 1.0 and values["right_elbow"] == pytest.approx(np.radians(30.0))
    assert scene.solve().reached


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("stature = 1.68", "stature = -1", "stature"),
        ("stature = 1.68", "statur = 1.68", "stature"),
        ('sex = "female"', 'sex = "robot"', "sex"),
        ('preset = "sit"', 'preset = "fly"', "fly"),
    ],
)
def test_a_mistake_in_the_humans_options_is_named_with_the_file(tmp_path, old, new, named):
    path = tmp_path / "human.toml"
    path.write_text(HUMAN.replace(old, new))
    with pytest.raises(FormatError, match=named) as problem:
        read_scene(path)
    assert "human.toml" in str(problem.value)


def test_goals_that_are_switched_off_stay_in_the_file_and_out_of_the_solve(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(
        'figure = "human"\n[[goal]]\nkind = "position"\nsite = "right_hand"\ntarget = [9, 9, 9]\nactive = false\n',
        encoding="utf-8",
    )
    assert read_scene(path).goals == []


def test_limits_and_held_objects_change_the_figure(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(
        'figure = "human"\n[limits]\nright_elbow = [10, 90]\n'
        '[[held]]\nname = "cup"\nat = "right_hand"\nsize = [0.1, 0.1, 0.1]\nmass = 0.5\noffset = [0, 0, 0.05]\n',
        encoding="utf-8",
    )
    figure = read_scene(path).figure
    index = figure.index("right_elbow")
    assert np.degrees([figure.lower[index], figure.upper[index]]) == pytest.approx([10.0, 90.0])
    assert np.degrees(figure.rest[index]) == pytest.approx(10.0)
    assert figure.segments["cup"].mass == 0.5
