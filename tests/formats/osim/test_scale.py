"""Scaling by OpenSim's setup files."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FormatError
from manikin.formats.opensim import read_osim
from manikin.formats.opensim.scale import place_markers, scale, scaled_spec
from manikin.formats.opensim.setup import Tasks, read_scale_setup, read_tracking_setup
from manikin.markers import Markers
from manikin.markers.places import marker_places

from .peers import DATA, SHARED, needs_shared, opensim
from .test_model import compared

SETUP = """<OpenSimDocument Version="40000"><ScaleTool name="tool"><mass>50</mass><ModelScaler>
<scaling_order>measurements manualScale</scaling_order>
<MeasurementSet><objects>
<Measurement name="thigh"><apply>true</apply>
<MarkerPairSet><objects><MarkerPair><markers>thigh_marker shank_marker</markers></MarkerPair>
<MarkerPair><markers>pelvis_marker absent</markers></MarkerPair></objects></MarkerPairSet>
<BodyScaleSet><objects><BodyScale name="thigh"><axes>X Y</axes></BodyScale></objects></BodyScaleSet></Measurement>
<Measurement name="off"><apply>false</apply></Measurement>
</objects></MeasurementSet>
<ScaleSet><objects><Scale><scales>1.5 1 2</scales><segment>pelvis</segment><apply>true</apply></Scale>
<Scale><scales>9 9 9</scales><segment>shank</segment><apply>false</apply></Scale></objects></ScaleSet>
<time_range>0 0.05</time_range><preserve_mass_distribution>true</preserve_mass_distribution></ModelScaler>
<MarkerPlacer><apply>false</apply></MarkerPlacer></ScaleTool></OpenSimDocument>"""


def trial(model, factor, frames=10):
    """The model's markers at rest, the whole larger; the last frames, out of the time range, nonsense."""
    rest = factor * marker_places(model.figure, np.array(model.figure.rest), model.markers)
    places = np.tile(rest, (frames, 1, 1))
    places[6:] *= 3.0
    return Markers(model.markers, np.arange(frames) / 100.0, places)


def test_a_measurement_is_measured_over_modelled_distance_and_manual_factors_come_after(tmp_path):
    file = tmp_path / "setup.xml"
    file.write_text(SETUP)
    model = read_osim(DATA / "version_3.osim")
    result = scale(model, read_scale_setup(file), trial(model, 1.2))
    assert result.measured == {"thigh": pytest.approx(1.2)}
    assert result.factors["thigh"] == pytest.approx([1.2, 1.2, 1.0])
    assert result.factors["pelvis"] == pytest.approx([1.5, 1.0, 2.0])
    assert result.factors["shank"] == pytest.approx([1.0, 1.0, 1.0])
    assert result.model.spec.mass == pytest.approx(50.0)
    shares = [body.mass / model.spec.mass for body in model.spec.bodies.values()]
    assert [b.mass / 50.0 for b in result.model.spec.bodies.values()] == pytest.approx(shares)


def test_a_body_scaled_alike_along_all_axes_has_its_inertia_by_the_square():
    model = read_osim(DATA / "version_3.osim")
    larger = scaled_spec(model.spec, {"thigh": np.full(3, 2.0)}).bodies["thigh"]
    assert larger.inertia == pytest.approx(4.0 * model.spec.bodies["thigh"].inertia)


def test_markers_that_are_not_fixed_are_placed_where_the_static_trial_has_them():
    model = read_osim(DATA / "every_joint.osim")
    q = np.array(model.figure.rest)
    rng = np.random.default_rng(0)
    places = marker_places(model.figure, q, model.markers) + rng.normal(0, 0.01, (len(model.markers), 3))
    static = Markers(model.markers, [0.0], places[None])
    tasks = Tasks(dict.fromkeys(model.markers, 1.0), ())
    placed, moved, errors = place_markers(model, tasks, static)
    assert set(moved) == {name for name, m in model.spec.markers.items() if not m.fixed}
    assert set(errors) == set(model.markers)
    for name, marker in model.spec.markers.items():
        same = (placed.spec.markers[name].location == marker.location).all()
        assert same == marker.fixed


@needs_shared
def test_pose2sims_own_setup_files_are_read_as_they_are():
    scaling = read_scale_setup(SHARED / "pose2sim_scaling_halpe26.xml")
    assert [m.name for m in scaling.measurements][:3] == ["torso", "arm", "forearm"]
    assert scaling.measurements[0].pairs == (("LShoulder", "LHip"), ("RShoulder", "RHip"))
    assert scaling.mass == 69.0 and scaling.manual == {} and scaling.placing is None
    tracking = read_tracking_setup(SHARED / "pose2sim_ik_halpe26.xml")
    assert tracking.tasks.weights["RShoulder"] == 2.0
    assert [(t.name, t.weight, t.value) for t in tracking.tasks.coordinates] == [
        ("L5_S1_Flex_Ext", 0.1, None)
    ]


@needs_shared
def test_the_scaled_model_is_opensims(tmp_path):
    files = [
        SHARED / f"pose2sim_{name}" for name in ("simple.osim", "markers_halpe26.xml", "scaling_halpe26.xml")
    ]
    opensim("scale", *files, tmp_path)
    opensim("forward", tmp_path / "scaled.osim", "-", tmp_path / "scaled.npz", 50, 0)
    result = scale(read_osim(tmp_path / "generic.osim"), read_scale_setup(tmp_path / "setup.xml"))
    assert len(result.measured) == 8
    theirs = read_osim(tmp_path / "scaled.osim")
    for name, factors in result.factors.items():
        ours = result.model.spec.bodies[name]
        assert ours.mass == pytest.approx(theirs.spec.bodies[name].mass, rel=1e-6)
        assert (factors > 0.9).all() and (factors < 1.1).all()
    table = np.load(tmp_path / "scaled.npz")
    assert compared(result.model, table) == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert result.model.spec.mass == pytest.approx(float(table["mass"]))


def test_a_setup_of_another_tool_is_refused(tmp_path):
    file = tmp_path / "setup.xml"
    file.write_text(SETUP)
    with pytest.raises(FormatError, match="no <InverseKinematicsTool>"):
        read_tracking_setup(file)
