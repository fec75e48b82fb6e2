"""What OpenSim answers, run by its own Python: ``opensim_worker.py MODEL MARKERS SETUP SCALING FOLDER FRAMES SEED``.

Into FOLDER: ``forward.npz``, bodies and markers at random poses; ``track.npz``, markers of a smooth random motion by
its own forward kinematics with noise and gaps, and its inverse kinematics of them; ``factors.xml`` and ``scaled.npz``,
a static trial scaled by its ScaleTool with the setup file given.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import opensim  # type: ignore[import-not-found]

NOISE = 0.02  # metres, of a marker, all three coordinates together
GAPS = 0.05
POSES = 1000
# OpenSim's own default of its accuracy, by which it is timed and compared; one by which it comes nearer to a minimum.
ACCURACY, FINER = 1e-5, 1e-9


class Model:
    """A model with its markers, by name."""

    def __init__(self, path: str, markers: str = "") -> None:
        self.model = opensim.Model(path)
        if markers:
            self.model.updateMarkerSet(opensim.MarkerSet(markers))
        self.start()
        coordinates = self.model.getCoordinateSet()
        self.coordinates = [coordinates.get(i) for i in range(coordinates.getSize())]
        bodies, marks = self.model.getBodySet(), self.model.getMarkerSet()
        self.bodies = [bodies.get(i) for i in range(bodies.getSize())]
        self.marks = [marks.get(i) for i in range(marks.getSize())]

    def start(self) -> None:
        """A state at the model's defaults."""
        self.state = self.model.initSystem()

    def names(self, of: list) -> list[str]:
        """What these are called."""
        return [thing.getName() for thing in of]

    def place(self, q: np.ndarray) -> None:
        """Set the coordinates."""
        for coordinate, value in zip(self.coordinates, q, strict=True):
            coordinate.setValue(self.state, float(value), False)
        self.model.realizePosition(self.state)

    def values(self) -> np.ndarray:
        """The coordinates."""
        return np.array([coordinate.getValue(self.state) for coordinate in self.coordinates])

    def markers(self) -> np.ndarray:
        """Where the markers are, in OpenSim's ground."""
        found = [mark.getLocationInGround(self.state) for mark in self.marks]
        return np.array([[place.get(k) for k in range(3)] for place in found])

    def frames(self) -> np.ndarray:
        """Rotation and place of every body, 3×4."""
        found = np.empty((len(self.bodies), 3, 4))
        for b, body in enumerate(self.bodies):
            transform = body.getTransformInGround(self.state)
            for r in range(3):
                found[b, r] = [*(transform.R().get(r, c) for c in range(3)), transform.p().get(r)]
        return found

    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the coordinates."""
        low = np.array([c.getRangeMin() for c in self.coordinates])
        return low, np.array([c.getRangeMax() for c in self.coordinates])


def forward(model: Model, rng: np.random.Generator, path: Path) -> None:
    """Poses drawn from the ranges, and where everything is."""
    low, high = model.ranges()
    q = rng.uniform(low, high, (POSES, len(low)))
    frames, marks = [], []
    for values in q:
        model.place(values)
        frames.append(model.frames())
        marks.append(model.markers())
    names = {"names": model.names(model.coordinates), "bodies": model.names(model.bodies)}
    np.savez(path, q=q, frames=frames, markers=marks, marks=model.names(model.marks), **names)


def motion(model: Model, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Every coordinate to and fro about a usual posture, 0.1 to 0.5 times a second, in half of its range."""
    low, high = model.ranges()
    usual = {"elbow_flex": 0.9, "knee_angle": 0.7, "hip_flexion": 0.3, "pro_sup": 1.05}
    names = model.names(model.coordinates)
    defaults = [c.getDefaultValue() for c in model.coordinates]
    middle = np.array([usual.get(re.sub("_[rl]$", "", n), d) for n, d in zip(names, defaults, strict=True)])
    half = np.maximum(np.minimum(high - middle, middle - low), 0.0)
    half[[k for k, name in enumerate(names) if name.startswith("pelvis")]] = 0.5
    times = np.arange(count) / 100.0
    rates, phases = rng.uniform(0.1, 0.5, len(names)), rng.uniform(0.0, 1.0, len(names))
    return times, middle + 0.5 * half * np.sin(2.0 * np.pi * (rates * times[:, None] + phases))


def task_weights(path: str) -> dict[str, float]:
    """Of the markers, as a setup file for inverse kinematics has them."""
    tasks = ElementTree.parse(path).getroot().iter("IKMarkerTask")
    return {task.get("name", ""): float(task.findtext("weight", "0")) for task in tasks}


def track(model: Model, setup: str, count: int, rng: np.random.Generator, path: Path) -> None:
    """Markers of a motion with noise and gaps, and OpenSim's inverse kinematics of them."""
    times, truth = motion(model, count, rng)
    clean = []
    for values in truth:
        model.place(values)
        clean.append(model.markers())
    seen = np.array(clean) + rng.normal(size=np.shape(clean)) * NOISE / np.sqrt(3.0)
    gaps = rng.uniform(size=seen.shape[:2]) < GAPS
    gaps[0] = False
    seen[gaps] = np.nan
    marks = model.names(model.marks)
    given = task_weights(setup)
    weights = [given.get(name, 0.0) for name in marks]
    table = opensim.TimeSeriesTableVec3()
    table.setColumnLabels(marks)
    for time_, frame in zip(times, seen, strict=True):
        row = opensim.RowVectorVec3(len(marks))
        for k, place in enumerate(frame):
            row[k] = opensim.Vec3(*(float(x) for x in place))
        table.appendRow(float(time_), row)
    table.addTableMetaDataString("Units", "m")
    weighed = opensim.SetMarkerWeights()
    for name, weight in zip(marks, weights, strict=True):
        weighed.cloneAndAppend(opensim.MarkerWeight(name, weight))
    reference = opensim.MarkersReference(table, weighed)
    found, spent = inverse(model, times, reference, ACCURACY)
    finer, _ = inverse(model, times, reference, FINER)
    about = {"names": model.names(model.coordinates), "marks": marks, "weights": weights, "seconds": spent}
    np.savez(path, times=times, truth=truth, seen=seen, found=found, finer=finer, **about)


def inverse(model: Model, times: np.ndarray, reference: object, accuracy: float) -> tuple[np.ndarray, float]:
    """OpenSim's inverse kinematics from its defaults on, and its processor time without ours."""
    model.start()
    nothing = opensim.SimTKArrayCoordinateReference()
    solver = opensim.InverseKinematicsSolver(model.model, reference, nothing, float("inf"))
    solver.setAccuracy(accuracy)
    found, spent = [], 0.0
    for k, time_ in enumerate(times):
        model.state.setTime(float(time_))
        begin = time.process_time()
        if k:
            solver.track(model.state)
        else:
            solver.assemble(model.state)
        spent += time.process_time() - begin
        found.append(model.values())
    return np.array(found), spent


def write_trc(path: Path, marks: list[str], frames: np.ndarray, rate: float) -> None:
    """A marker file in metres."""
    count = len(frames)
    head = (
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"
    )
    lines = [f"PathFileType\t4\t(X/Y/Z)\t{path.name}", head]
    lines.append(f"{rate}\t{rate}\t{count}\t{len(marks)}\tm\t{rate}\t1\t{count}")
    lines.append("Frame#\tTime\t" + "\t\t\t".join(marks) + "\t\t")
    lines += ["\t\t" + "\t".join(f"{a}{k + 1}" for k in range(len(marks)) for a in "XYZ"), ""]
    for k, frame in enumerate(frames):
        lines.append("\t".join([str(k + 1), f"{k / rate:.6f}", *(f"{x:.6f}" for x in frame.ravel())]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def scaled(model: Model, setup: str, rng: np.random.Generator, folder: Path) -> None:
    """A static trial of somebody else's proportions, scaled by OpenSim's own tool."""
    model.start()
    model.model.realizePosition(model.state)
    frames = model.markers() * [1.05, 1.08, 0.93] + rng.normal(0.0, 0.004, (60, len(model.marks), 3))
    write_trc(folder / "static.trc", model.names(model.marks), frames, 60.0)
    model.model.printToXML(str(folder / "generic.osim"))
    text = Path(setup).read_text(encoding="utf-8")
    text = text.replace("<model_file>Unassigned</model_file>", "<model_file>generic.osim</model_file>")
    text = re.sub(r"<marker_file>[^<]*</marker_file>", "<marker_file>static.trc</marker_file>", text)
    text = re.sub(r"<time_range>[^<]*</time_range>", "<time_range> 0 0.9</time_range>", text)
    for tag, name in (("output_model_file", "scaled.osim"), ("output_scale_file", "factors.xml")):
        text = text.replace(f"<{tag}>Unassigned</{tag}>", f"<{tag}>{name}</{tag}>", 1)
    (folder / "scale.xml").write_text(text, encoding="utf-8")
    opensim.ScaleTool(
        str(folder / "scale.xml")
    ).run()  # what it returns is about placing markers, which is off here
    forward(Model(str(folder / "scaled.osim")), rng, folder / "scaled.npz")


def main() -> None:
    """All three."""
    path, markers, setup, scaling, folder, count, seed = sys.argv[1:]
    opensim.Logger.setLevelString("error")
    out, rng = Path(folder), np.random.default_rng(int(seed))
    model = Model(path, markers)
    forward(model, rng, out / "forward.npz")
    track(model, setup, int(count), rng, out / "track.npz")
    scaled(Model(path, markers), scaling, rng, out)


if __name__ == "__main__":
    main()
