"""OpenSim models as figures, against OpenSim's own numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

import manikin as mk
from manikin.errors import FormatError
from manikin.formats.opensim import read_osim
from manikin.formats.opensim.model import GROUND
from manikin.markers.places import marker_places, segment_frames

from .peers import DATA, SHARED, needs_shared, opensim

UP = GROUND[:3, :3]
FORWARD = json.loads((DATA / "forward.json").read_text())


def compared(model, table):
    """The greatest differences of coordinates, of bodies' frames and of markers."""
    names = list(table["names"])
    values = np.array(table["values"])
    q = values[:, [names.index(name) for name in model.figure.dofs]]
    frames = segment_frames(model.figure, q, list(table["bodies"]))[:, :, :3]
    places = marker_places(model.figure, q, model.markers.only(table["marks"]))
    order = [list(table["marks"]).index(name) for name in model.markers.only(table["marks"])]
    return (
        np.abs(model.values(q) - values).max(),
        np.abs(frames - UP @ np.array(table["frames"])).max(),
        np.abs(places - np.array(table["places"])[:, order] @ UP.T).max(),
    )


@pytest.mark.parametrize("name", FORWARD)
def test_every_joint_and_function_stands_where_opensim_has_it(name):
    model = read_osim(DATA / f"{name}.osim")
    assert model.coordinates == tuple(FORWARD[name]["names"])
    assert compared(model, FORWARD[name]) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert model.spec.mass == pytest.approx(FORWARD[name]["mass"])


@needs_shared
def test_a_thousand_random_poses_of_a_body_stand_where_opensim_has_them(tmp_path):
    files = SHARED / "pose2sim_simple.osim", SHARED / "pose2sim_markers_halpe26.xml"
    opensim("forward", *files, tmp_path / "poses.npz", 1000, 0)
    model = read_osim(files[0], markers=files[1])
    assert model.figure.n == 40
    assert compared(model, np.load(tmp_path / "poses.npz")) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_load_reads_a_model_as_a_figure_with_markers_as_sites():
    figure = mk.load(DATA / "every_joint.osim")
    assert "m_j" in figure.sites and figure.root == "ground"
    with pytest.raises(FormatError, match="base"):
        mk.load(DATA / "every_joint.osim", base="free")


def test_clamped_coordinates_have_ranges_and_locked_ones_a_single_value():
    model = read_osim(DATA / "every_joint.osim")
    bend, free, stiff = (model.figure.dof(name) for name in ("bend", "a_3", "stiff"))
    assert (bend.lower, bend.upper, bend.rest) == (-0.3, 2.0, 0.2)
    assert (free.lower, free.upper) == (-np.inf, np.inf)
    assert stiff.lower == stiff.upper == stiff.rest == 0.4
    assert model.locked == ("stiff",)
    every = read_osim(DATA / "every_joint.osim", limits="all").figure.dof("a_3")
    assert (every.lower, every.upper) == (-1.0, 1.0)


def test_a_coupled_coordinate_follows_and_is_no_degree_of_freedom():
    model = read_osim(DATA / "every_joint.osim")
    assert "beta" in model.coordinates and "beta" not in model.figure.dofs
    assert "beta" in model.figure.followers


def test_a_point_constraint_is_a_loop():
    (loop,) = read_osim(DATA / "four_bar.osim").figure.loops
    assert (loop.name, loop.kind) == ("close", "position")


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("<PinJoint", "<EllipsoidJoint", "EllipsoidJoint is not read"),
        ("<PolynomialFunction", "<Sine", "kind of function is not read"),
        ("<CoordinateCouplerConstraint", "<RollingOnSurfaceConstraint", "kind of constraint is not read"),
        ("<mass>1.0</mass>", "<mass>heavy</mass>", "expected numbers"),
        ("/bodyset/a<", "/bodyset/nobody<", "neither a body nor"),
        ("<axis>0 0.6 0.8</axis>", "<axis>0 0 0</axis>", "no direction"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tmp_path, old, new, said):
    text = (DATA / "every_joint.osim").read_text()
    assert old in text
    closing = old.replace("<", "</"), new.replace("<", "</")
    changed = text.replace(old, new, 1)
    if old.startswith("<") and ">" not in old:
        changed = changed.replace(*closing, 1)
    file = tmp_path / "changed.osim"
    file.write_text(changed)
    with pytest.raises(FormatError, match=said) as problem:
        read_osim(file)
    assert str(file) in str(problem.value)


def test_what_is_no_model_is_refused(tmp_path):
    for text, said in (
        ("nonsense", "well-formed XML"),
        ("<robot/>", "no OpenSim"),
        ("<OpenSimDocument/>", "no <Model>"),
    ):
        file = tmp_path / "x.osim"
        file.write_text(text)
        with pytest.raises(FormatError, match=said):
            read_osim(file)
    with pytest.raises(FormatError, match="there is no such file"):
        read_osim(tmp_path / "none.osim")


def test_entities_are_not_expanded(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("word")
    file = tmp_path / "x.osim"
    file.write_text(
        f'<!DOCTYPE d [<!ENTITY e SYSTEM "{secret}">]><OpenSimDocument Version="40000"><Model name="m">'
        "<credits>&e;</credits><JointSet><objects/></JointSet></Model></OpenSimDocument>"
    )
    with pytest.raises(FormatError, match="declares entities") as error:
        read_osim(file)
    assert "word" not in str(error.value)
