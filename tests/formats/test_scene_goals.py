"""Goals, regions and obstacles of scene files: what is read, in which units, what mistakes are answered with."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.errors import FormatError
from manikin.formats.scene import Scene, read_scene
from manikin.goals import KINDS

HEAD = 'figure = "human"\n[options]\nfingers = false\n'


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Scene]:
    def reader(text: str) -> Scene:
        (tmp_path / "scene.toml").write_text(HEAD + text, encoding="utf-8")
        return read_scene(tmp_path / "scene.toml")

    return reader


def goal(kind: str, text: str = "") -> str:
    return f'[[goal]]\nkind = "{kind}"\n{text}\n'


ALL = {
    "position": 'site = "head"\ntarget = [0, 0, 1]',
    "orientation": 'site = "head"\ntarget = { rpy = [0, 0, 0] }',
    "placement": 'site = "head"\nposition = [0, 0, 1]\norientation = { rpy = [0, 0, 0] }',
    "aim": 'site = "eyes"\nat = [1, 0, 1]',
    "on_line": 'site = "head"\npoint = [0, 0, 1]\ndirection = [1, 0, 0]',
    "on_plane": 'site = "head"\npoint = [0, 0, 1]\nnormal = [1, 0, 0]',
    "pin": 'site = "left_foot"\naxes = ["z", "turn_x"]',
    "inside": 'site = "right_hand"\nregion = { ball = { center = [0, 0, 1], radius = 0.1 } }',
    "outside": 'site = "right_*"\nregion = { box = { center = [0, 0, 1], size = [1, 1, 1] } }\nmargin = 0.1',
    "self_clearance": 'margin = 0.02\nsegments = "*forearm"\nignore = [["left_*", "right_*"]]',
    "range": 'site = "left_foot"\nz = 0\ny = [-inf, 0.2]\nturn_x = [-5, 10]\nframe = { rpy = [0, 0, 90] }',
    "relative": 'site = "right_hand"\nother = "pelvis"\ngoal = { kind = "position", target = [0, 0, 1] }',
    "center_of_mass": "target = [0, 0, 1]\naxes = [1, 1, 0]",
    "balance": 'margin = 0.02\nsupport = ["left_foot"]',
    "any_of": 'goals = [{ kind = "aim", site = "eyes", at = [1, 0, 1] }, '
    '[{ kind = "pin", site = "head" }, { kind = "position", site = "left_hand", target = [0, 0, 1] }]]',
    "swivel": 'limb = ["right_shoulder", "right_elbow", "right_wrist"]\nangle = [10, 30]',
    "posture": "q = { left_knee = 30, root_x = 0.5 }\nweights = { left_knee = 2 }",
    "least_change": "weight = 2",
    "natural": 'style = "squat"',
    "discomfort": "",
    "kinetic_energy": "",
    "effort": "",
    "limit_spring": 'dofs = ["*_knee"]\nmargin = 5',
}


def test_every_kind_of_goal_can_be_read(read):
    found = read("".join(goal(kind, text) for kind, text in ALL.items())).goals
    assert [type(each).kind() for each in found] == list(ALL)
    # The human has no speed limits; a function in Python is nothing that a file holds.
    assert set(KINDS) - set(ALL) == {"least_time", "potential"}


def test_angles_are_degrees_and_lengths_metres(read):
    made = dict(zip(ALL, read("".join(goal(k, t) for k, t in ALL.items())).goals, strict=True))
    assert made["range"].turn_x == pytest.approx((math.radians(-5), math.radians(10)))
    assert made["range"].y == (-math.inf, 0.2) and made["range"].z == (0.0, 0.0)
    assert np.allclose(made["range"].frame[:3, :3], Rotation.from_euler("z", 90, degrees=True).as_matrix())
    assert made["swivel"].angle == pytest.approx((math.radians(10), math.radians(30)))
    assert made["posture"].q == pytest.approx({"left_knee": math.radians(30), "root_x": 0.5})
    assert made["posture"].weights == {"left_knee": 2.0}
    assert made["limit_spring"].margin == pytest.approx(math.radians(5))
    assert made["relative"].goal.site == "right_hand" and made["relative"].goal.target.tolist() == [0, 0, 1]
    assert [len(choice) for choice in made["any_of"].choices()] == [1, 2]


def test_the_side_of_an_arm_is_a_limb(read):
    (made,) = read(goal("swivel", 'limb = "right"\nangle = 20')).goals
    assert isinstance(made.limb, mk.Arm) and made.angle == pytest.approx((math.radians(20),) * 2)


def test_regions_are_joined_by_any_and_all(read):
    text = (
        "region = { all = [{ any = [{ ball = { center = [0, 0, 1], radius = 0.5 } }, "
        "{ capsule = { a = [0, 0, 0], b = [1, 0, 0], radius = 0.1 } }] }, "
        "{ half_space = { point = [0, 0, 1], normal = [0, 0, 1] } }] }"
    )
    (made,) = read(goal("inside", 'site = "head"\n' + text)).goals
    expected = (mk.Ball([0, 0, 1], 0.5) | mk.Capsule([0, 0, 0], [1, 0, 0], 0.1)) & mk.HalfSpace(
        [0, 0, 1], [0, 0, 1]
    )
    assert made.region == expected


def test_obstacles_are_kept_out_of_by_all_segments_or_those_named(read):
    box = "box = { lower = [0, 0, 0], upper = [1, 1, 1], rotation = { rpy = [0, 0, 45] } }"
    table = f"[[obstacle]]\nregion = {{ {box} }}\n"
    (every,) = read(table).goals
    assert type(every) is mk.Outside and every.site == "*" and every.hard and every.margin == 0.0
    some = read(table + 'segments = ["head", "right_*"]\nmargin = 0.05\nhard = false\nweight = 3\n').goals
    assert [each.site for each in some] == ["head", "right_*"]
    assert all(each.margin == 0.05 and not each.hard and each.weight == 3.0 for each in some)
    levels = read(goal("position", ALL["position"] + "\nlevel = 2") + table).goals
    assert [[type(each) for each in level] for level in levels] == [[mk.Outside], [mk.Position]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (goal("inside", 'site = "head"\nregion = 3'), "goal 1 (inside): region must be a table"),
        (goal("inside", 'site = "head"\nregion = {}'), "goal 1 (inside): region: give exactly one of"),
        (
            goal("inside", 'site = "head"\nregion = { bal = {} }'),
            "goal 1 (inside): region: unknown key 'bal'",
        ),
        (
            goal("inside", 'site = "head"\nregion = { ball = { center = [0, 0, 0] } }'),
            "goal 1 (inside): region: ball: 'radius' is missing",
        ),
        (
            goal("inside", 'site = "head"\nregion = { ball = { center = [0, 0, 0], radius = -1 } }'),
            "goal 1 (inside): region: ball: Ball: radius",
        ),
        (
            goal("inside", 'site = "head"\nregion = { any = [] }'),
            "goal 1 (inside): region: any must be a list",
        ),
        (goal("inside", 'site = "head"\nregion = { any = [3] }'), "goal 1 (inside): region: any 1: must be"),
        (goal("range", 'site = "head"\nx = [1, 2, 3]'), "goal 1 (range): x must be a number or [low, high]"),
        (goal("range", 'site = "head"\nx = [2, 1]'), "goal 1 (range): range of 'head': x is an empty range"),
        (goal("range", 'site = "head"'), "goal 1 (range): range of 'head': give a range"),
        (goal("pin", 'site = "nose"'), "goal 1 (pin): figure 'human': unknown site 'nose'"),
        (
            goal("relative", 'site = "head"\nother = "nose"'),
            "goal 1 (relative): figure 'human': unknown site",
        ),
        (
            goal("relative", 'site = "head"\nother = "pelvis"\ngoal = 3'),
            "goal 1 (relative): goal must be a table",
        ),
        (
            goal("relative", 'site = "head"\nother = "pelvis"\ngoal = { kind = "position" }'),
            "goal 1 (relative): goal (position): 'target' is missing",
        ),
        (goal("any_of", "goals = []"), "goal 1 (any_of): goals must be a list"),
        (goal("any_of", 'goals = [{ kind = "x" }]'), "goal 1 (any_of): goals 1: unknown kind 'x'"),
        (goal("any_of", 'goals = [[{ kind = "x" }]]'), "goal 1 (any_of): goals 1, 1: unknown kind 'x'"),
        (goal("balance", 'support = ["nose"]'), "goal 1 (balance): balance: figure 'human' has no site"),
        (goal("posture", "q = { nose = 3 }"), "goal 1 (posture): q: figure 'human': unknown degree"),
        (
            goal("limit_spring", 'dofs = ["left_knee", "root_x"]\nmargin = 1'),
            "goal 1 (limit_spring): margin is one",
        ),
        (goal("self_clearance", 'ignore = ["a"]'), "goal 1 (self_clearance): ignore must be a list of pairs"),
        (
            goal("swivel", 'limb = ["a", "b", "c"]\nangle = 1'),
            "goal 1 (swivel): figure 'human': unknown site",
        ),
        (goal("least_time"), "goal 1 (least_time): least_time: figure 'human' has no speed limits"),
        (
            goal("outside", 'site = "nose"\n' + ALL["inside"].split("\n")[1]),
            "goal 1 (outside): outside of 'nose'",
        ),
        ("[[obstacle]]\nmargin = 1\n", "obstacle 1: 'region' is missing"),
        (
            "[[obstacle]]\nregion = { circle = { center = [0, 0, 0], normal = [0, 0, 1], radius = 1 } }\n",
            "obstacle 1: outside of '*': a segment",
        ),
        ("[[obstacle]]\nshape = 3\n", "obstacle 1: unknown key 'shape'"),
    ],
)
def test_mistakes_are_answered_with_their_place(read, tmp_path, text, words):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value).removeprefix(f"{tmp_path / 'scene.toml'}: ").startswith(words)


def test_whole_segments_and_patterns_go_inside_a_region(read):
    region = "region = { box = { center = [0, 0, 1], size = [4, 4, 4] } }"
    found = read(
        goal("inside", f'site = "right_*"\n{region}')
        + goal("inside", f'site = "head"\nwhole = true\n{region}')
    ).goals
    assert [type(each) for each in found] == [mk.Inside, mk.Inside]
    assert found[0].site == "right_*" and found[1].whole is True
    with pytest.raises(FormatError, match=r"goal 1 \(inside\): .*no such site, and no segment with a shape"):
        read(goal("inside", f'site = "wing*"\n{region}'))
    with pytest.raises(FormatError, match=r"goal 1 \(inside\): .*whole=True needs one"):
        read(goal("inside", f'site = "eyes"\nwhole = true\n{region}'))
