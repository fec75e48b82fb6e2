"""Marker files in and out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.errors import FigureError, FormatError
from manikin.formats.opensim import read_osim
from manikin.formats.opensim.scale import pulled_values
from manikin.formats.opensim.setup import read_tracking_setup
from manikin.formats.opensim.storage import read_motion, write_motion
from manikin.markers import Marker, Markers, MarkerSet, Tracker
from manikin.markers.files import trc as trc_file
from manikin.markers.files.storage import read_table, write_table
from manikin.markers.landmarks import SETS, recognise

SHARED = Path(__file__).parents[3] / "shared" / "data" / "markers"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the captures of ../shared/data/markers")

TRC = """PathFileType\t4\t(X/Y/Z)\tx.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
50.00\t50.00\t2\t2\tmm\t50\t1\t2
Frame#\tTime\tA\t\t\tB C\t\t\tVirtual
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.000\t1\t2\t3\t1000\t2000\t3000
2\t0.020\t\t\t\t1500\t2500\t-500
"""


@pytest.mark.parametrize("comma", [False, True])
def test_a_trc_file_has_gaps_units_and_names_without_values(tmp_path, comma):
    file = tmp_path / "x.trc"
    file.write_text(TRC.replace("\t", ",") if comma else TRC)
    markers = trc_file.read(file)
    assert markers.labels == ("A", "B C")
    assert markers.times.tolist() == [0.0, 0.02]
    assert markers["B C"] == pytest.approx(np.array([[1.0, -3.0, 2.0], [1.5, 0.5, 2.5]]))
    assert markers.seen.tolist() == [[True, True], [False, True]]
    assert trc_file.read(file, up="z")["A"][0] == pytest.approx([1e-3, 2e-3, 3e-3])


@pytest.mark.parametrize("suffix, options", [(".trc", {}), (".csv", {})])
def test_what_is_written_is_read_back(tmp_path, suffix, options):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(5, 3, 3))
    places[2, 1] = np.nan
    markers = Markers(["A", "B", "C"], np.arange(5) / 120.0, places)
    markers.save(tmp_path / f"x{suffix}")
    again = Markers.load(tmp_path / f"x{suffix}", **options)
    assert again.labels == markers.labels
    assert again.times == pytest.approx(markers.times, abs=1e-6)
    assert again.positions == pytest.approx(markers.positions, abs=1e-8, nan_ok=True)


@pytest.mark.parametrize(
    "text, said",
    [
        ("hello", "no line begins with Frame#"),
        (TRC.replace("mm", "furlongs"), "unit"),
        (TRC.split("\n1\t")[0], "no frames"),
        (TRC.replace("50.00\t50.00", "0\t0").replace("0.020", "0.000"), "time does not go on"),
    ],
)
def test_a_broken_trc_file_is_refused(tmp_path, text, said):
    file = tmp_path / "x.trc"
    file.write_text(text)
    with pytest.raises(FormatError, match=said):
        trc_file.read(file)


@needs_shared
def test_the_captures_are_read_whole():
    walk = Markers.load(SHARED / "bmc_walk.trc")
    assert (len(walk), len(walk.labels), round(walk.rate)) == (184, 28, 150)
    assert 0.9 < np.nanmean(walk["R.ASIS"][:, 2]) < 1.1
    arm = Markers.load(SHARED / "pyomeca_markers.trc", up="z")
    assert (len(arm), len(arm.labels)) == (93, 51)
    gait = Markers.load(SHARED / "bmc_gait.c3d")
    assert (len(gait), len(gait.labels), gait.rate) == (487, 33, pytest.approx(100.0))
    assert {"RKNE", "R.Knee.Medial", "C7"} <= set(gait.labels)
    assert gait.seen.mean() == pytest.approx(0.3976, abs=1e-3)
    assert np.nanmax(gait["C7"][:, 2]) < 1.6


def test_a_table_is_written_and_read_back(tmp_path):
    times, column = np.arange(4) / 10.0, np.linspace(0, 1, 4)
    write_table(tmp_path / "x.mot", times, {"a": column, "b": -column}, in_degrees=False)
    table = read_table(tmp_path / "x.mot")
    assert not table.in_degrees and list(table.columns) == ["a", "b"]
    assert table.columns["b"] == pytest.approx(-column)


def test_a_models_motion_is_written_in_degrees_with_followers_and_read_back(tmp_path):
    model = read_osim(Path(__file__).parent / "osim" / "data" / "every_joint.osim")
    rng = np.random.default_rng(0)
    figure = model.figure
    low, high = np.maximum(figure.lower, -1.0), np.minimum(figure.upper, 1.0)
    q = rng.uniform(low, high, (3, figure.n))
    write_motion(tmp_path / "x.mot", model, [0.0, 0.1, 0.2], q)
    table = read_table(tmp_path / "x.mot")
    assert tuple(table.columns) == model.coordinates
    assert table.columns["bend"] == pytest.approx(np.degrees(q[:, figure.index("bend")]), abs=1e-6)
    assert table.columns["slide"] == pytest.approx(q[:, figure.index("slide")], abs=1e-8)
    times, again = read_motion(tmp_path / "x.mot", model)
    assert times == pytest.approx([0.0, 0.1, 0.2]) and again == pytest.approx(q, abs=1e-7)


def test_quaternions_are_cells_of_four_numbers(tmp_path):
    file = tmp_path / "x.sto"
    file.write_text(
        "DataRate=100\nDataType=Quaternion\nversion=3\nendheader\ntime\tpelvis_imu\n0\t1,0,0,0\n1\t0,1,0,0\n"
    )
    assert read_table(file).columns["pelvis_imu"].shape == (2, 4)


@pytest.mark.parametrize("text, said", [("time\n0\n", "endheader"), ("endheader\ntime\ta\n0\n", "1 cells")])
def test_a_broken_table_is_refused(tmp_path, text, said):
    file = tmp_path / "x.sto"
    file.write_text(text)
    with pytest.raises(FormatError, match=said):
        read_table(file)


def test_a_trc_file_is_written_with_empty_cells_for_gaps(tmp_path):
    places = np.zeros((1, 2, 3))
    places[0, 0] = np.nan
    places[0, 1] = [0.1, 0.2, 0.3]
    trc_file.write(Markers(["A", "B"], [0.0], places), tmp_path / "x.trc")
    last = (tmp_path / "x.trc").read_text().splitlines()[-1].split("\t")
    assert last[2:5] == ["", "", ""] and [float(x) for x in last[5:]] == pytest.approx([0.1, 0.3, -0.2])


def test_headers_with_several_tabs_are_read_as_those_with_one(tmp_path):
    lines = TRC.split("\n")
    for k in (1, 3):
        lines[k] = lines[k].replace("\t", "\t\t", 2)
    file = tmp_path / "x.trc"
    file.write_text("\n".join(lines))
    markers = trc_file.read(file)
    assert markers.labels == ("A", "B C") and markers.times.tolist() == [0.0, 0.02]
    assert markers["B C"] == pytest.approx(np.array([[1.0, -3.0, 2.0], [1.5, 0.5, 2.5]]))


def trc(times: list[str], rate: float) -> str:
    head = TRC.split("\n1\t")[0].replace("50.00\t50.00", f"{rate}\t{rate}")
    return head + "".join(f"\n{k + 1}\t{time}\t{k}\t1\t2\t1\t2\t3" for k, time in enumerate(times)) + "\n"


@pytest.mark.parametrize(
    ("times", "rate", "expected"),
    [
        (["0.00", "0.01", "0.03", "0.04"], 100, [0.0, 0.01, 0.03, 0.04]),  # one frame was dropped
        (["0.000", "0.008", "0.017", "0.025"], 120, [0.0, 1 / 120, 2 / 120, 3 / 120]),  # rounded
        (["0.000", "0.008", "0.016", "0.025"], 120, [0.0, 1 / 120, 2 / 120, 3 / 120]),  # cut
        (["0.00", "0.00", "0.01", "0.01"], 200, [0.0, 0.005, 0.01, 0.015]),  # rounded to the same
        (["0.0000", "0.0112", "0.0198", "0.0303"], 100, [0.0, 0.0112, 0.0198, 0.0303]),  # uneven
        (["5.000", "5.020", "5.040", "5.061"], 50, [5.0, 5.02, 5.04, 5.06]),
    ],
)
def test_times_are_those_written(tmp_path, times, rate, expected):
    file = tmp_path / "x.trc"
    file.write_text(trc(times, rate))
    assert trc_file.read(file).times == pytest.approx(expected, abs=1e-12)


def test_a_frame_without_its_number_is_not_dropped(tmp_path):
    file = tmp_path / "x.trc"
    file.write_text(trc(["0.00", "0.01", "0.02"], 100).replace("\n2\t", "\nx\t"))
    with pytest.raises(FormatError, match=r"x\.trc:8: a line of a frame must begin with its number"):
        trc_file.read(file)


COUPLED = """<OpenSimDocument Version="30000"><Model name="m"><BodySet><objects><Body name="ground"/>
<Body name="a"><mass>1</mass><Joint><CustomJoint name="j"><parent_body>ground</parent_body>
<CoordinateSet><objects><Coordinate name="turn"/><Coordinate name="slide"/>
<Coordinate name="half"/></objects></CoordinateSet>
<SpatialTransform>
<TransformAxis name="rotation1"><coordinates>turn</coordinates><axis>1 0 0</axis>
  <function><LinearFunction><coefficients>-1 0.2</coefficients></LinearFunction></function></TransformAxis>
<TransformAxis name="rotation2"><coordinates>half</coordinates><axis>0 1 0</axis>
  <function><LinearFunction><coefficients>0.5 0</coefficients></LinearFunction></function></TransformAxis>
<TransformAxis name="rotation3"><coordinates></coordinates><axis>0 0 1</axis></TransformAxis>
<TransformAxis name="translation1"><coordinates>slide</coordinates><axis>1 0 0</axis>
  <function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></function></TransformAxis>
<TransformAxis name="translation2"><coordinates>turn</coordinates><axis>0 1 0</axis>
  <function><LinearFunction><coefficients>0.3 0</coefficients></LinearFunction></function></TransformAxis>
<TransformAxis name="translation3"><coordinates></coordinates><axis>0 0 1</axis></TransformAxis>
</SpatialTransform></CustomJoint></Joint></Body></objects></BodySet></Model></OpenSimDocument>"""


def test_coupled_coordinates_are_in_radians_also_in_tables_in_degrees(tmp_path):
    """OpenSim converts coordinates whose motion type is rotational alone; one scaled by 0.5 is coupled."""
    file = tmp_path / "m.osim"
    file.write_text(COUPLED)
    model = read_osim(file)
    assert {name for name, c in model.spec.coordinates.items() if c.in_degrees} == {"turn"}
    q = np.array([[0.1, 0.2, 0.3]])
    write_motion(tmp_path / "m.mot", model, [0.0], q)
    table = read_table(tmp_path / "m.mot")
    at = {name: q[0, model.figure.index(name)] for name in ("turn", "slide", "half")}
    assert table.in_degrees
    assert table.columns["turn"] == pytest.approx(np.degrees(at["turn"]))
    assert table.columns["half"] == pytest.approx(at["half"])
    assert table.columns["slide"] == pytest.approx(at["slide"])
    assert read_motion(tmp_path / "m.mot", model)[1] == pytest.approx(q)


SETUP = """<OpenSimDocument><InverseKinematicsTool name="ik"><coordinate_file>{}</coordinate_file>
<IKTaskSet><objects>
<IKCoordinateTask name="turn"><weight>2</weight><value_type>from_file</value_type></IKCoordinateTask>
<IKCoordinateTask name="half"><weight>1</weight><value_type>from_file</value_type></IKCoordinateTask>
</objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>"""


def test_tasks_pull_towards_the_values_of_the_coordinate_file(tmp_path):
    (tmp_path / "m.osim").write_text(COUPLED)
    model, times = read_osim(tmp_path / "m.osim"), np.arange(20) / 10.0
    write_table(tmp_path / "given.mot", times, {"turn": 30.0 * np.sin(times), "half": np.cos(times)})
    (tmp_path / "ik.xml").write_text(SETUP.format("given.mot"))
    setup = read_tracking_setup(tmp_path / "ik.xml")
    at = np.array([0.3, 0.55, 1.0])
    found = pulled_values(model, setup, at)
    assert found["turn"] == pytest.approx(np.radians(30.0 * np.sin(at)), abs=1e-5)
    assert found["half"] == pytest.approx(np.cos(at), abs=1e-4)
    with pytest.raises(FormatError, match=r"0 to 3 s are needed"):
        pulled_values(model, setup, np.array([0.0, 3.0]))
    (tmp_path / "ik.xml").write_text(SETUP.format("Unassigned"))
    with pytest.raises(FormatError, match="there is no <coordinate_file>"):
        pulled_values(model, read_tracking_setup(tmp_path / "ik.xml"), at)


def test_a_marker_set_is_not_recognised_by_a_few_labels():
    labels = ["LASI", "RASI", "LKNE", "RKNE", *(f"other{k}" for k in range(37))]
    with pytest.raises(FigureError, match="has 4 of 41"):
        recognise(labels)
    assert recognise(list(SETS["plug_in_gait"])) == "plug_in_gait"


def test_a_result_says_how_many_labels_were_followed():
    figure = mk.Figure("one", ["a", "b"], [mk.Joint.revolute("j", "a", "b", "z", lower=-1, upper=1)])
    places = MarkerSet({"A": Marker("b", (1.0, 0.0, 0.0)), "B": Marker("b", (0.0, 1.0, 0.0))})
    capture = Markers(["A", "X", "Y"], [0.0, 0.1], np.ones((2, 3, 3)))
    told = Tracker(figure, places).track(capture).summary()
    assert told["labels"] == {"followed": 1, "measured": 3, "known": 2}
    assert told["not_followed"] == ["X", "Y"] and told["not_measured"] == ["B"]


def test_what_follows_an_opensim_figure_is_saved_as_opensim_reads_it(tmp_path):
    """It was saved with coupled coordinates in degrees, which OpenSim reads as radians."""
    file = tmp_path / "m.osim"
    file.write_text(COUPLED)
    model = read_osim(file)
    q = np.array([[0.1, 0.2, 0.3]])
    for figure in (model.figure, model.figure.with_limits({"turn": (-1.0, 1.0)}), mk.load(file)):
        mk.save(mk.Motion(figure, [0.0], q), tmp_path / "figure.mot")
        write_motion(tmp_path / "model.mot", model, [0.0], q)
        ours, theirs = (read_table(tmp_path / f"{name}.mot").columns for name in ("figure", "model"))
        assert ours.keys() == theirs.keys() and all(
            ours[name] == pytest.approx(theirs[name]) for name in ours
        )


def test_what_followed_a_capture_is_saved_like_its_motion(tmp_path):
    figure = mk.human(fingers=False)
    marks = MarkerSet(
        {name: Marker("right_hand", place) for name, place in zip("ABC", np.eye(3) / 10, strict=True)}
    )
    tracked = Tracker(figure, marks).track(
        Markers("ABC", [0.0, 0.1], np.eye(3)[None] / 9 + np.zeros((2, 1, 1)))
    )
    mk.save(tracked, tmp_path / "walk.sto")
    table = read_table(tmp_path / "walk.sto")
    assert table.in_degrees and table.times.tolist() == [0.0, 0.1]
    k = figure.index("right_elbow")
    assert table.columns["right_elbow"] == pytest.approx(np.degrees(tracked.q[:, k]))
    with pytest.raises(FormatError, match=r"cannot read \.sto"):
        mk.load(tmp_path / "walk.sto")
