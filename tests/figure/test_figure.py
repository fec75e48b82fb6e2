from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import manikin.figure
from manikin.errors import FigureError, PoseError
from manikin.figure import Coupling, Figure, Joint, Segment, Site

from .samples import branching


def arm(**options) -> Figure:
    joints = [
        Joint("shoulder", "base", "upper", "R(z)", [0, 0, 1], lower=-1, upper=2),
        Joint(
            "elbow", "upper", "lower", "R(y)", [0.3, 0, 0], lower=0.5, upper=2.5, stiffness=3.0, velocity=1.5
        ),
    ]
    segments = [Segment("base", 1.0), Segment("upper", 2.0), Segment("lower", 0.5)]
    return Figure("arm", segments, joints, **{"sites": [Site("hand", "lower", [0.25, 0, 0])], **options})


def test_the_columns_follow_the_degrees_of_freedom():
    figure = arm()
    assert figure.dofs == ("shoulder", "elbow") and figure.n == 2
    assert figure.lower.tolist() == [-1, 0.5] and figure.upper.tolist() == [2, 2.5]
    assert figure.rest.tolist() == [0, 1.5]
    assert figure.stiffness.tolist() == [1, 3] and figure.velocity.tolist() == [np.inf, 1.5]
    assert figure.mass == 3.5 and figure.root == "base"
    for column in (figure.lower, figure.upper, figure.rest, figure.stiffness, figure.velocity):
        assert not column.flags.writeable


def test_the_base_puts_its_degrees_of_freedom_first():
    assert arm(base="free").dofs[:7] == (
        "root_x",
        "root_y",
        "root_z",
        "root_rx",
        "root_ry",
        "root_rz",
        "shoulder",
    )
    assert arm(base="planar").dofs[:4] == ("root_x", "root_y", "root_yaw", "shoulder")
    assert list(arm(base="free").joints) == ["root", "shoulder", "elbow"]


def test_every_segment_is_a_site_unless_one_takes_its_name():
    figure = arm(sites=[Site("upper", "lower", [1, 0, 0])])
    assert list(figure.sites) == ["base", "upper", "lower"]
    assert figure.sites["upper"].segment == "lower"


def test_mappings_are_read_only():
    with pytest.raises(TypeError):
        arm().segments["new"] = Segment("new")
    with pytest.raises(AttributeError):
        arm().name = "leg"


def test_segments_may_be_plain_names_and_order_is_kept():
    figure = Figure("f", ["b", "a"], [Joint("j", "a", "b", "R(z)")])
    assert list(figure.segments) == ["b", "a"] and figure.root == "a"


def test_degrees_of_freedom_come_depth_first_in_the_order_of_the_joints():
    joints = [Joint(f"{p}{c}", p, c, "R(z)") for p, c in ("cd", "ac", "ab", "be")]
    assert Figure("f", "abcde", joints).dofs == ("ac", "cd", "ab", "be")


def test_a_pickled_figure_is_the_same_figure():
    figure = branching().rerooted("lower").with_couplings("elbow_z = 0.1*wrist_x + 0.5")
    back = pickle.loads(pickle.dumps(figure))
    assert (back.name, back.root, back.dofs, back.couplings) == (
        figure.name,
        figure.root,
        figure.dofs,
        figure.couplings,
    )
    q = np.random.default_rng(0).normal(size=figure.n)
    assert np.array_equal(back.pose(q).matrix("tip"), figure.pose(q).matrix("tip"))
    assert not back.lower.flags.writeable


def test_index_and_dof_answer_by_name_and_offer_near_ones():
    figure = arm()
    assert figure.index("elbow") == 1 and figure.dof("elbow").upper == 2.5
    with pytest.raises(PoseError, match=r"figure 'arm'.*'elbwo'; did you mean 'elbow'"):
        figure.index("elbwo")
    with pytest.raises(PoseError, match="'hip_ty' has no value of its own, it follows 'elbow_z'"):
        branching().index("hip_ty")


def test_select_takes_names_and_patterns():
    figure = branching()
    assert figure.select("root_*").tolist() == list(range(6))
    assert figure.select(["wrist_*", "elbow_z", "wrist_x"]).tolist() == sorted(
        figure.index(name) for name in figure.dofs if name.startswith("wrist") or name == "elbow_z"
    )
    assert figure.select("*").dtype == np.int64
    with pytest.raises(PoseError, match=r"nothing matches.*'knee_\*'"):
        figure.select(["*", "knee_*"])


def test_with_site_adds_or_moves_one_and_leaves_the_original():
    figure = arm()
    more = figure.with_site("thumb", "lower", [0.2, 0.05, 0])
    assert "thumb" not in figure.sites
    assert np.allclose(more.pose([0, np.pi / 2]).position("thumb"), [0.3, 0.05, 0.8])
    moved = more.with_site("thumb", "base")
    assert moved.sites["thumb"].segment == "base" and "hand" in moved.sites


def test_with_couplings_adds_to_those_there():
    figure = arm(couplings=[Coupling.parse("shoulder <= elbow")]).with_couplings("shoulder >= -0.5")
    assert [str(coupling) for coupling in figure.couplings] == ["shoulder - elbow <= 0", "shoulder >= -0.5"]
    assert figure.with_site("thumb", "lower").couplings == figure.couplings


def test_rerooting_keeps_names_order_and_limits():
    figure = branching()
    other = figure.rerooted("wheel")
    assert other.root == "wheel" and other.dofs == figure.dofs
    assert np.array_equal(other.lower, figure.lower) and np.array_equal(other.upper, figure.upper)
    assert figure.rerooted("wheel") is other
    assert figure.rerooted("trunk") is figure


@pytest.mark.parametrize("base", ["fixed", "planar"])
def test_a_figure_rerooted_on_a_fixed_or_planar_base_stays_at_rest_where_it_was(base):
    figure = branching(base)
    before, after = figure.pose(), figure.rerooted("hand").pose()
    for name, matrix in before.matrices().items():
        assert np.abs(after.matrices()[name] - matrix).max() < 1e-14


def test_a_planar_base_keeps_its_plane_when_rerooted():
    figure = branching("planar").rerooted("hand")
    lift = figure.pose({"root_x": 1.0, "root_y": 2.0}).position("hand") - figure.pose().position("hand")
    assert np.abs(figure.location[:3, :3].T @ lift - [1, 2, 0]).max() < 1e-14


def test_a_root_may_be_named_when_building():
    figure = arm(root="lower", location=[0, 0, 0])
    assert np.allclose(figure.pose().position("lower"), 0)
    assert figure.dofs == ("shoulder", "elbow")


def test_the_description_is_json():
    figure = branching().with_couplings("elbow_z <= wrist_x + 3")
    data = json.loads(json.dumps(figure.describe(), allow_nan=False))
    assert data["root"] == "trunk" and data["mass"] == 17.5
    assert [entry["name"] for entry in data["dofs"]] == list(figure.dofs)
    assert data["dofs"][0]["lower"] is None
    assert {entry["name"]: entry["parent"] for entry in data["segments"]}["hand"] == "lower"
    assert {entry["name"]: entry["depth"] for entry in data["segments"]}["hand"] == 3
    assert "elbow_z - wrist_x <= 3" in [entry["text"] for entry in data["couplings"]]


def test_its_repr_is_short():
    assert repr(arm()) == "Figure('arm', 3 segments, 2 degrees of freedom, fixed base)"


def test_figures_need_no_heavy_imports():
    heavy = ("scipy", "numba", "yourdfpy", "trimesh")
    # A bare package stands in for manikin, whose own imports are not what is looked at here.
    code = (
        "import sys, types; bare = sys.modules['manikin'] = types.ModuleType('manikin'); "
        f"bare.__path__ = [{str(Path(manikin.figure.__file__).parents[1])!r}]; "
        f"import manikin.figure; print([name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"base": "floating"}, "unknown base 'floating'"),
        ({"root": "knee"}, "the root: unknown segment 'knee'"),
        ({"location": [0, 0, np.nan]}, "location: expected finite"),
        ({"location": 2 * np.eye(4)}, "location.*not a rotation"),
        ({"sites": [Site("hand", "lowr")]}, "site 'hand': unknown segment 'lowr'; did you mean 'lower'"),
        ({"sites": [Site("hand", "lower"), Site("hand", "upper")]}, "two sites are called 'hand'"),
        ({"sites": ["hand"]}, "expected a Site, got 'hand'"),
        ({"couplings": [Coupling.parse("wrist = 1")]}, "unknown degree of freedom 'wrist'"),
    ],
)
def test_what_does_not_fit_is_named(options, words):
    with pytest.raises(FigureError, match=f"figure 'arm': .*{words}"):
        arm(**options)


def test_duplicate_and_missing_parts_are_named():
    with pytest.raises(FigureError, match="two segments are called 'a'"):
        Figure("f", ["a", "a"], [])
    with pytest.raises(FigureError, match="two joints are called 'j'"):
        Figure("f", "abc", [Joint("j", "a", "b"), Joint("j", "b", "c")])
    with pytest.raises(FigureError, match="figure 'f': it has no segments"):
        Figure("f", [], [])
    with pytest.raises(FigureError, match="joint 'root': with a free base"):
        Figure("f", "ab", [Joint("root", "a", "b", "R(z)")], base="free")
    with pytest.raises(FigureError, match="rerooted: unknown segment 'knee'"):
        arm().rerooted("knee")
    with pytest.raises(FigureError, match="unknown site 'thumb'"):
        arm().pose().position("thumb")
