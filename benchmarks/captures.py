"""Captured motion beside OpenSim, in one run: ``python -m benchmarks captures``.

OpenSim is set up by ``python -m benchmarks.peers.setup opensim``; the model and its setup files are those of Pose2Sim
in ``../shared/data/markers``.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from time import process_time
from typing import Any
from xml.etree import ElementTree

import numpy as np

import manikin as mk
from benchmarks import same_minimum
from benchmarks.peers import setup
from benchmarks.tables import Requirement, Section, Table
from manikin.formats.opensim import read_osim
from manikin.formats.opensim.model import GROUND
from manikin.formats.opensim.scale import scale
from manikin.formats.opensim.setup import read_scale_setup
from manikin.markers import SUIT, Markers, Sensor, Sensors, Tracker, fit, marker_set, recognise
from manikin.markers.places import marker_places, segment_frames
from manikin.markers.tracked import Tracked

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "markers"
WORKER = Path(__file__).with_name("peers") / "opensim_worker.py"
MODEL, MARKERS = DATA / "pose2sim_simple.osim", DATA / "pose2sim_markers_halpe26.xml"
SETUP, SCALING = DATA / "pose2sim_ik_halpe26.xml", DATA / "pose2sim_scaling_halpe26.xml"
GAIT = ("bmc_walk.trc", "bmc_gait.c3d")
SUITED = ("clip", "frames", "sensors", "worst joint's median, °", "frames a second")
ABOUT = (
    "A model of 40 coordinates (Pose2Sim's), read from its file, beside OpenSim itself: forward kinematics of 1,000 "
    "random poses; markers of smooth motions that OpenSim made, with 2 cm of noise and gaps, followed by both, the sum "
    "of squares of both by us. A frame is worse where our sum of squares is above OpenSim's; another minimum is one "
    "that our descent finds from OpenSim's pose inside the ranges. Then a static trial scaled by the setup file; "
    "captured gait followed by our human; and 17 inertial sensors that were worn in it. Processor time, one core, the "
    "least of several rounds; OpenSim's of one."
)


def run(quick: bool) -> Section:
    """Everything, or a little of it."""
    followed = Table(
        "Markers followed on OpenSim's model",
        (
            "seed",
            "how",
            "frames a second",
            "OpenSim's",
            "ratio",
            "frames worse",
            "of",
            "sum of squares over OpenSim's",
        ),
    )
    why = Table(
        "Frames that fit worse than OpenSim's, and why",
        (
            "seed",
            "how",
            "frames worse",
            "another minimum",
            "OpenSim out of range",
            "not at a minimum",
            "most times",
        ),
    )
    alike = Table(
        "Coordinates that markers determine, in frames where both are in the same minimum",
        ("seed", *same_minimum.COLUMNS),
    )
    same = Table("The same numbers as OpenSim", ("what", "largest difference"))
    gait = Table(
        "Captures followed by our human",
        (
            "capture",
            "frames",
            "markers",
            "RMS, mm",
            "as a file, frames a second",
            "as a stream",
            "farthest step, mm",
            "of a measured marker",
            "beyond ranges, rad",
        ),
    )
    suit = Table("17 inertial sensors on our human, 2° of noise", SUITED)
    if not DATA.is_dir():
        return Section("captures", ABOUT, notes=[f"Not measured: {DATA.name} of the shared data is missing."])
    for name in GAIT[: 1 if quick else 2]:
        row, tracked = _gait(DATA / name, 1 if quick else 5)
        gait.add(*row)
        suit.add(name, *_suit(tracked, 1 if quick else 5))
    wants = [_least(gait, "as a file, frames a second", 5000.0), _least(gait, "as a stream", 2000.0)]
    beyond = max(float(value) for value in gait.column("beyond ranges, rad"))  # type: ignore[arg-type]
    wants.append(Requirement("gait, beyond ranges, rad", max(beyond, 0.0), 1e-12))
    wants.append(_least(suit, "frames a second", 2000.0))
    off = max(float(value) for value in suit.column("worst joint's median, °"))  # type: ignore[arg-type]
    wants.append(Requirement("sensors, worst joint's median, °", off, 3.0))
    if setup.version("opensim") is None:
        return Section("captures", ABOUT, [gait, suit], wants, [f"OpenSim: {setup.reason('opensim')}"])
    for seed in (1,) if quick else (1, 2, 3, 4):
        with tempfile.TemporaryDirectory() as folder:
            _ask(Path(folder), 20 if quick else 200, seed)
            if seed == 1:
                same.rows += _same(Path(folder))
            for thorough in (False, True):
                row, reasons, rows = _followed(Path(folder), thorough, 1 if quick else 3)
                followed.add(seed, *row)
                why.add(seed, row[0], *reasons)
                for entry in rows:
                    alike.add(seed, *entry)
    off = max(float(value) for what, value in same.rows if "decimals" not in str(what))  # type: ignore[arg-type]
    wants.append(Requirement("the largest difference from OpenSim's forward kinematics", off, 1e-6))
    for how in ("plain", "thorough"):
        rows: list[Any] = [row for row in followed.rows if row[1] == how]
        least, worse = min(row[4] for row in rows), sum(row[5] for row in rows)
        wants.append(Requirement(f"times OpenSim's frames a second, {how}", least, 100.0, at_least=True))
        wants.append(Requirement(f"frames worse than OpenSim's, {how}", float(worse), 0.0))
    sure: list[Any] = [row for row in alike.rows if row[1] == same_minimum.SURE[0]]
    off = max(row[5] for row in sure)
    wants.append(Requirement("determined coordinates from the minimum of both, ours, °", off, 0.1))
    wants.append(
        Requirement(
            "those of OpenSim within 0.1° of it, %, least", min(row[7] for row in sure), 100.0, at_least=True
        )
    )
    notes = [f"OpenSim {setup.version('opensim')}."]
    return Section("captures", ABOUT, [followed, why, alike, same, gait, suit], [] if quick else wants, notes)


def _least(table: Table, column: str, bound: float) -> Requirement:
    values = [float(value) for value in table.column(column)]  # type: ignore[arg-type]
    return Requirement(
        f"{'gait' if 'capture' in table.columns else 'sensors'}, {column}", min(values), bound, at_least=True
    )


def _ask(folder: Path, frames: int, seed: int) -> None:
    """What OpenSim answers, into the folder."""
    files = [str(path) for path in (MODEL, MARKERS, SETUP, SCALING, folder)]
    command = [str(setup.python_of("opensim")), str(WORKER), *files, str(frames), str(seed)]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)


def _values(figure: mk.Figure, names: Any, q: np.ndarray) -> np.ndarray:
    """OpenSim's coordinates in the figure's order."""
    places = names.tolist()
    return q[:, [places.index(name) for name in figure.dofs]]


def _off(figure: mk.Figure, stored: Any) -> tuple[float, float]:
    """The largest difference of bodies and of markers at OpenSim's poses."""
    q = _values(figure, stored["names"], stored["q"])
    frames = figure.forward(q, stored["bodies"].tolist())[:, :, :3]
    points = figure.forward(q, stored["marks"].tolist())[..., :3, 3]
    turn = GROUND[:3, :3]
    bodies = np.abs(frames - turn @ stored["frames"]).max()
    return float(bodies), float(np.abs(points - stored["markers"] @ turn.T).max())


def _same(folder: Path) -> list[tuple[object, ...]]:
    model = read_osim(MODEL, markers=MARKERS)
    bodies, points = _off(model.figure, np.load(folder / "forward.npz"))
    rows: list[tuple[object, ...]] = [("bodies at 1,000 poses", bodies), ("markers there, m", points)]
    scaled = scale(read_osim(folder / "generic.osim"), read_scale_setup(folder / "scale.xml"))
    theirs = {
        node.findtext("segment", ""): np.array(node.findtext("scales", "").split(), dtype=np.float64)
        for node in ElementTree.parse(folder / "factors.xml").getroot().iter("Scale")
    }
    shared = [name for name in theirs if name in scaled.factors]
    rows.append(
        (
            f"scale factors of {len(shared)} bodies, which OpenSim prints to five decimals",
            max(np.abs(scaled.factors[b] - theirs[b]).max() for b in shared),
        )
    )
    bodies, points = _off(scaled.model.figure, np.load(folder / "scaled.npz"))
    return [*rows, ("bodies of the scaled model", bodies), ("its markers, m", points)]


def _followed(
    folder: Path, thorough: bool, rounds: int
) -> tuple[tuple[object, ...], tuple[object, ...], list[tuple[object, ...]]]:
    """A row of how fast and how well, one of why frames are worse, and, if thorough, how near the coordinates are."""
    stored = np.load(folder / "track.npz")
    model = read_osim(MODEL, markers=MARKERS)
    figure, labels, weights = model.figure, stored["marks"].tolist(), stored["weights"]
    capture = Markers(labels, stored["times"], stored["seen"] @ GROUND[:3, :3].T)
    places = model.markers.only(labels)
    tracker = Tracker(
        figure, places, weights=dict(zip(labels, weights.tolist(), strict=True)), multistart=thorough
    )
    start = tracker.track(capture).q[0].copy()
    spent = np.inf
    for _ in range(rounds):
        tracker.begin(start)
        begin = process_time()
        tracked = tracker.track(capture)
        spent = min(spent, process_time() - begin)
    weighed = np.array([weights[labels.index(name)] for name in places])
    measured = capture.only(places).positions

    def squares(q: np.ndarray) -> np.ndarray:
        away = ((marker_places(figure, q, places) - measured) ** 2).sum(axis=-1)
        return np.nansum(away * weighed, axis=1)

    other_q = _values(figure, stored["names"], stored["found"])
    ours, theirs = squares(tracked.q), squares(other_q)
    rate, other = len(ours) / spent, len(ours) / float(stored["seconds"])
    worse = ours > theirs * (1.0 + 1e-9)
    how = "thorough" if thorough else "plain"
    row = how, rate, other, rate / other, int(worse.sum()), len(ours), float(ours.sum() / theirs.sum())
    # From OpenSim's pose, brought inside the ranges, our own descent: what it finds there is a minimum that was missed.
    inside = np.clip(other_q, figure.lower, figure.upper)
    left = np.abs(inside - other_q).max(axis=1) > 1e-9
    plain = Tracker(figure, places, weights=dict(zip(labels, weights.tolist(), strict=True)))
    minimum = np.zeros(len(ours), bool)
    for f in np.flatnonzero(worse):
        plain.begin(inside[f])
        plain.follow(measured[f])
        minimum[f] = plain.cost <= theirs[f] * (1.0 + 1e-9)
    reasons = (
        int(worse.sum()),
        int((worse & minimum & tracked.found).sum()),
        int((worse & ~minimum & left).sum()),
        int((worse & ~tracked.found).sum()),
        float((ours / theirs)[worse].max()) if worse.any() else 1.0,
    )
    if not thorough:
        return row, reasons, []
    finer = _values(figure, stored["names"], stored["finer"])
    rows = same_minimum.agreement(figure, places, weighed, measured, tracked.q, other_q, finer)
    return row, reasons, list(rows)


def _gait(path: Path, rounds: int) -> tuple[tuple[object, ...], Tracked]:
    """A row of a capture that our human follows, and the motion."""
    capture = Markers.load(path).trimmed()
    body = mk.human(spine="bend", fingers=False)
    fitted = fit(body, marker_set(body, recognise(capture.labels), capture.labels), capture)
    tracker = Tracker(fitted.figure, fitted.markers, rest=1e-4)
    tracked = tracker.track(capture)
    file = stream = np.inf
    frames = capture.only(tracker.labels).positions
    for _ in range(rounds):
        tracker.begin(tracked.q[0])
        begin = process_time()
        tracked = tracker.track(capture)
        file = min(file, process_time() - begin)
        tracker.begin(tracked.q[0])
        begin = process_time()
        for frame in frames:
            tracker.follow(frame)
        stream = min(stream, process_time() - begin)
    count, figure = len(frames), tracked.figure
    places = marker_places(figure, tracked.q, tracked.markers)
    own, theirs = (np.linalg.norm(np.diff(x, axis=0), axis=2) for x in (places, frames))
    step = 1e3 * float(own[np.isfinite(theirs)].max())
    out = float(np.maximum(figure.lower - tracked.q, tracked.q - figure.upper).max())
    rates = count / file, count / stream
    rms = 1e3 * tracked.summary()["rms"]
    row = (
        path.name,
        count,
        len(tracker.labels),
        rms,
        *rates,
        step,
        1e3 * float(np.nanmax(theirs)),
        max(out, 0.0),
    )
    return row, tracked


def _suit(clip: Tracked, rounds: int) -> tuple[object, ...]:
    """Sensors worn anyhow in a clip, with noise, and how far the joints are off that are found from them."""
    from scipy.spatial.transform import Rotation

    figure, rng = clip.figure, np.random.default_rng(1)
    frames = segment_frames(figure, clip.q, list(SUIT.values()))[..., :3, :3]
    mounts = Rotation.random(len(SUIT), random_state=1).as_matrix()
    spread = np.radians(2.0) / np.sqrt(3.0)
    noise = Rotation.from_rotvec(rng.normal(0.0, spread, (frames.shape[0] * frames.shape[1], 3))).as_matrix()
    worn = Sensors(SUIT, clip.times, noise.reshape(frames.shape) @ frames @ mounts).filtered(8.0)
    placed = {name: Sensor(segment, mounts[k]) for k, (name, segment) in enumerate(SUIT.items())}
    tracker, spent = Tracker(figure, sensors=placed, rest=1e-4), np.inf
    start = tracker.track(sensors=worn).q[0].copy()
    for _ in range(rounds):
        tracker.begin(start)
        begin = process_time()
        found = tracker.track(sensors=worn)
        spent = min(spent, process_time() - begin)
    names = list(figure.segments)
    turns = [segment_frames(figure, q, names)[..., :3, :3] for q in (clip.q, found.q)]
    medians = []
    for joint in figure.joints.values():
        if joint.parent in names:
            one, two = names.index(joint.parent), names.index(joint.child)
            a, b = (np.swapaxes(turn[:, one], -1, -2) @ turn[:, two] for turn in turns)
            away = Rotation.from_matrix(np.swapaxes(a, -1, -2) @ b).magnitude()
            medians.append(float(np.degrees(np.median(away))))
    return len(worn.times), len(SUIT), max(medians), len(worn.times) / spent
