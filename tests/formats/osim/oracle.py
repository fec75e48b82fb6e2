"""What OpenSim itself computes; run by a Python that has the package opensim, with a command and its arguments.

    forward MODEL MARKERS OUT COUNT SEED      random poses: coordinates, bodies' frames, markers
    track MODEL MARKERS SETUP OUT FRAMES SEED noisy tracks of its own forward kinematics, followed by its own solver
    scale MODEL MARKERS SETUP FOLDER          a static trial made up, and its ScaleTool run by the setup

MARKERS is a MarkerSet file, or - for the model's own.
"""

import os
import sys
import time
import xml.etree.ElementTree as xml

import numpy as np
import opensim as osim

osim.Logger.setLevelString("error")


def loaded(path, markers):
    model = osim.Model(path)
    if markers != "-":
        model.updateMarkerSet(osim.MarkerSet(markers))
    return model


def coordinates_of(model):
    found = model.getCoordinateSet()
    return [found.get(i) for i in range(found.getSize())]


def marker_places(model, state):
    found = model.getMarkerSet()
    places = [found.get(i).getLocationInGround(state) for i in range(found.getSize())]
    return [[place.get(k) for k in range(3)] for place in places]


def forward(path, markers, out, count, seed):
    model = loaded(path, markers)
    state = model.initSystem()
    coordinates = coordinates_of(model)
    names = [c.getName() for c in coordinates]
    low, high = [c.getRangeMin() for c in coordinates], [c.getRangeMax() for c in coordinates]
    values = np.random.default_rng(int(seed)).uniform(low, high, (int(count), len(names)))
    bodies = model.getBodySet()
    labels = [bodies.get(i).getName() for i in range(bodies.getSize())]
    frames, places = [], []
    for row in values:
        for c, value in zip(coordinates, row, strict=False):
            c.setValue(state, float(value), False)
        if model.getConstraintSet().getSize():
            model.assemble(state)
        model.realizePosition(state)
        row[:] = [c.getValue(state) for c in coordinates]
        here = []
        for i in range(len(labels)):
            frame = bodies.get(i).getTransformInGround(state)
            here.append([[frame.R().get(r, c) for c in range(3)] + [frame.p().get(r)] for r in range(3)])
        frames.append(here)
        places.append(marker_places(model, state))
    marks = [model.getMarkerSet().get(i).getName() for i in range(model.getMarkerSet().getSize())]
    np.savez(
        out,
        names=names,
        values=values,
        bodies=labels,
        frames=frames,
        marks=marks,
        places=places,
        mass=model.getTotalMass(state),
    )


CENTRE = {"elbow_flex": 0.9, "knee_angle": 0.7, "hip_flexion": 0.3, "pro_sup": 1.05}


def smooth_motion(coordinates, times, rng):
    """Every coordinate on a sine about a natural middle, half way to the ends of its range."""
    names = [c.getName() for c in coordinates]
    low = np.array([c.getRangeMin() for c in coordinates])
    high = np.array([c.getRangeMax() for c in coordinates])
    middle = np.array(
        [CENTRE.get(n[:-2], c.getDefaultValue()) for n, c in zip(names, coordinates, strict=False)]
    )
    half = np.clip(np.minimum(high - middle, middle - low), 0.0, None)
    half[[n.startswith("pelvis") for n in names]] = 0.5
    pace = rng.uniform(0.1, 0.5, len(names)) * times[:, None] + rng.uniform(0, 1, len(names))
    return middle + 0.5 * half * np.sin(2 * np.pi * pace)


def track(path, markers, setup, out, frames, seed):
    model = loaded(path, markers)
    state = model.initSystem()
    coordinates, rng = coordinates_of(model), np.random.default_rng(int(seed))
    times = np.arange(int(frames)) / 100.0
    truth = smooth_motion(coordinates, times, rng)
    marks = [model.getMarkerSet().get(i).getName() for i in range(model.getMarkerSet().getSize())]
    clean = []
    for row in truth:
        for c, value in zip(coordinates, row, strict=False):
            c.setValue(state, float(value), False)
        model.realizePosition(state)
        clean.append(marker_places(model, state))
    noisy = np.array(clean) + rng.normal(size=(len(times), len(marks), 3)) * 0.02 / np.sqrt(3)
    gap = rng.uniform(size=noisy.shape[:2]) < 0.05
    gap[0] = False
    noisy[gap] = np.nan
    tasks = {
        e.get("name"): float(e.findtext("weight")) for e in xml.parse(setup).getroot().iter("IKMarkerTask")
    }
    weights = np.array([tasks.get(name, 0.0) for name in marks])
    table = osim.TimeSeriesTableVec3()
    table.setColumnLabels(marks)
    for t, frame in zip(times, noisy, strict=False):
        row = osim.RowVectorVec3(len(marks))
        for k, place in enumerate(frame):
            row[k] = osim.Vec3(*[float(x) for x in place])
        table.appendRow(float(t), row)
    table.addTableMetaDataString("Units", "m")
    table.addTableMetaDataString("DataRate", "100")
    weighed = osim.SetMarkerWeights()
    for name, weight in zip(marks, weights, strict=False):
        weighed.cloneAndAppend(osim.MarkerWeight(name, float(weight)))
    state = model.initSystem()
    solver = osim.InverseKinematicsSolver(
        model, osim.MarkersReference(table, weighed), osim.SimTKArrayCoordinateReference(), float("inf")
    )
    solver.setAccuracy(1e-5)
    found, spent = [], 0.0
    for k, t in enumerate(times):
        state.setTime(float(t))
        begin = time.process_time()
        solver.assemble(state) if k == 0 else solver.track(state)
        spent += time.process_time() - begin
        found.append([c.getValue(state) for c in coordinates])
    np.savez(
        out,
        names=[c.getName() for c in coordinates],
        truth=truth,
        found=found,
        marks=marks,
        clean=clean,
        noisy=noisy,
        weights=weights,
        times=times,
        seconds=spent,
    )


def scale(path, markers, setup, folder):
    os.chdir(folder)
    model = loaded(path, markers)
    model.printToXML("generic.osim")
    state = model.initSystem()
    model.realizePosition(state)
    names = [model.getMarkerSet().get(i).getName() for i in range(model.getMarkerSet().getSize())]
    rng, frames = np.random.default_rng(3), 60
    places = np.array(marker_places(model, state)) * [1.05, 1.08, 0.93]
    trial = np.round(places + rng.normal(0, 0.004, (frames, len(names), 3)), 6)
    head = ["PathFileType\t4\t(X/Y/Z)\tstatic.trc"]
    head.append(
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"
    )
    head.append(f"60\t60\t{frames}\t{len(names)}\tm\t60\t1\t{frames}")
    head.append("Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t")
    head.append("\t\t" + "\t".join(f"{a}{k + 1}" for k in range(len(names)) for a in "XYZ"))
    head.append("")
    rows = [
        "\t".join([str(f + 1), f"{f / 60:.6f}"] + [f"{x:.6f}" for x in trial[f].ravel()])
        for f in range(frames)
    ]
    with open("static.trc", "w") as file:
        file.write("\n".join(head + rows) + "\n")
    document = xml.parse(setup)
    tool = document.getroot().find("ScaleTool")
    tool.find("GenericModelMaker/model_file").text = "generic.osim"
    scaler = tool.find("ModelScaler")
    scaler.find("marker_file").text = "static.trc"
    scaler.find("time_range").text = "0 0.9"
    scaler.find("output_model_file").text = "scaled.osim"
    document.write("setup.xml")
    osim.ScaleTool("setup.xml").run()


if __name__ == "__main__":
    {"forward": forward, "track": track, "scale": scale}[sys.argv[1]](*sys.argv[2:])
