"""Scaling of an OpenSim model, as OpenSim does it: every body by factors along its axes, and all that is on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Curve, Follow
from manikin.figure.checks import near
from manikin.formats.opensim.functions import times
from manikin.formats.opensim.model import OsimModel, build
from manikin.formats.opensim.setup import Measurement, ScaleSetup, Tasks, TrackingSetup
from manikin.formats.opensim.spec import AxisSpec, BodySpec, JointSpec, MarkerSpec, ModelSpec
from manikin.markers.files.storage import read_table
from manikin.markers.markers import Markers
from manikin.markers.places import marker_places, segment_frames
from manikin.markers.tracker import Tracker


@dataclass(frozen=True, eq=False)
class Scaled:
    """A scaled model.

    factors: of every body along its axes, (3,). measured: each measurement's factor. placed: how far each marker that
        was placed anew was moved, metres. errors: of each marker at the static pose before that, metres.
    """

    model: OsimModel
    factors: Mapping[str, np.ndarray]
    measured: Mapping[str, float]
    placed: Mapping[str, float]
    errors: Mapping[str, float]


def scale(
    model: OsimModel, setup: ScaleSetup, markers: Markers | None = None, static: Markers | None = None
) -> Scaled:
    """The model scaled by a setup of OpenSim's ScaleTool.

    markers: the trial that is measured, instead of the setup's file; in a world whose z points up.
    static: the trial after which markers are placed, where the setup asks for it; by default the same.
    """
    if markers is None and "measurements" in setup.order:
        if setup.marker_file is None:
            raise FormatError(f"setup {setup.name!r}: it names no marker file; give the markers")
        markers = Markers.load(
            setup.references.path(setup.marker_file, f"setup {setup.name!r}: <marker_file>")
        )
    factors = {name: np.ones(3) for name in model.spec.bodies}
    measured: dict[str, float] = {}
    for word in setup.order:
        if word == "manualScale":
            for body, values in setup.manual.items():
                factors[_body(model, body, f"setup {setup.name!r}")] = values.copy()
            continue
        assert markers is not None
        for measurement in setup.measurements:
            factor = measure(model, measurement, markers, setup.times)
            if factor is None:
                continue
            measured[measurement.name] = factor
            for body, axes in measurement.bodies:
                if body in factors:  # a setup may name bodies that this model has not, as OpenSim lets it
                    factors[body][list(axes)] = factor
    spec = scaled_spec(model.spec, factors, setup.mass if setup.mass > 0.0 else None, setup.preserve_mass)
    result = build(spec, model.limits)
    placed: dict[str, float] = {}
    errors: dict[str, float] = {}
    if setup.placing is not None:
        trial = static if static is not None else markers
        if setup.placing.marker_file is not None and static is None:
            where = f"setup {setup.name!r}: <MarkerPlacer>: <marker_file>"
            file = setup.references.find(setup.placing.marker_file, where)
            trial = trial if file is None else Markers.load(file)
        if trial is None:
            raise FormatError(f"setup {setup.name!r}: no markers are given to place the model's by")
        result, placed, errors = place_markers(
            result, setup.placing.tasks, _within(trial, setup.placing.times)
        )
    return Scaled(result, factors, measured, placed, errors)


def measure(
    model: OsimModel, measurement: Measurement, markers: Markers, times: tuple[float, float]
) -> float | None:
    """The mean over its pairs of measured over modelled distance; None where it has no pair that both have.

    The measured distance is the mean over the frames in which both are seen, the modelled one that at default values.
    """
    trial = _within(markers, times)
    ratios = []
    for a, b in measurement.pairs:
        if a not in model.markers or b not in model.markers or a not in trial or b not in trial:
            continue
        seen = np.linalg.norm(trial[a] - trial[b], axis=1)
        seen = seen[~np.isnan(seen)]
        at = marker_places(model.figure, np.array(model.figure.rest), model.markers.only((a, b)))
        length = float(np.linalg.norm(at[0] - at[1]))
        if not len(seen) or length == 0.0:
            raise FormatError(
                f"measurement {measurement.name!r}: the pair {a}, {b} is never seen, or one point"
            )
        ratios.append(float(seen.mean()) / length)
    return float(np.mean(ratios)) if ratios else None


def scaled_spec(
    spec: ModelSpec, factors: Mapping[str, np.ndarray], mass: float | None = None, preserve: bool = True
) -> ModelSpec:
    """The model with every body scaled along its axes.

    Frames of joints, markers and centres of mass go with their body, sliding axes of custom joints with the parent's,
    unless they are a coordinate itself. mass: of the whole, kilograms; preserve: whether bodies keep their shares of
    it, else they go with their volume. Inertias are those of the same mass, its places scaled.
    """

    def by(body: str) -> np.ndarray:
        return factors.get(body, np.ones(3))

    bodies = {name: _scaled_body(body, by(name), preserve) for name, body in spec.bodies.items()}
    total = sum(body.mass for body in bodies.values())
    if mass is not None and total > 0.0:
        bodies = {
            name: replace(b, mass=b.mass * mass / total, inertia=b.inertia * mass / total)
            for name, b in bodies.items()
        }
    markers = {
        name: replace(marker, location=marker.location * by(marker.body))
        for name, marker in spec.markers.items()
    }
    held = tuple(
        replace(
            entry,
            placements=(
                _moved(entry.placements[0], by(entry.bodies[0])),
                _moved(entry.placements[1], by(entry.bodies[1])),
            ),
        )
        for entry in spec.held
    )
    joints = tuple(_scaled_joint(joint, by(joint.parent), by(joint.child)) for joint in spec.joints)
    return replace(spec, bodies=bodies, joints=joints, markers=markers, held=held)


def _scaled_body(body: BodySpec, factors: np.ndarray, preserve: bool) -> BodySpec:
    spread = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia  # Σ m x xᵀ
    spread = factors[:, None] * spread * factors
    growth = 1.0 if preserve else float(np.prod(factors))
    inertia = growth * (np.trace(spread) * np.eye(3) - spread)
    return replace(body, mass=growth * body.mass, center=body.center * factors, inertia=inertia)


def _moved(place: np.ndarray, factors: np.ndarray) -> np.ndarray:
    result = place.copy()
    result[:3, 3] *= factors
    return result


def _scaled_joint(joint: JointSpec, parent: np.ndarray, child: np.ndarray) -> JointSpec:
    custom = joint.kind == "CustomJoint"
    return replace(
        joint,
        placement=_moved(joint.placement, parent),
        child_placement=_moved(joint.child_placement, child),
        axes=tuple(_scaled_axis(axis, parent) if custom else axis for axis in joint.axes),
    )


def _scaled_axis(axis: AxisSpec, factors: np.ndarray) -> AxisSpec:
    if axis.rotation or _is_coordinate(axis.function):
        return axis
    return replace(axis, function=times(axis.function, float(axis.axis @ factors)))


def _is_coordinate(function: Follow) -> bool:
    values = list(function.coefficients.values())
    return function.curve is None and function.offset == 0.0 and values == [1.0]


def place_markers(
    model: OsimModel, tasks: Tasks, trial: Markers
) -> tuple[OsimModel, dict[str, float], dict[str, float]]:
    """The model with its markers, but the fixed ones, where the mean of a static trial has them.

    The pose is that which follows the mean best by the tasks' weights. Returns the model, how far each marker moved,
    and how far each was off before.
    """
    with np.errstate(invalid="ignore"):
        mean = np.nanmean(trial.positions, axis=0, keepdims=True)
    average = Markers(trial.labels, trial.times[:1], mean, trial.name)
    unknown = [task.name for task in tasks.coordinates if task.from_file and task.weight > 0.0]
    if unknown:
        raise FormatError(
            f"the task of {unknown[0]!r} takes its value from a file, which is not read to place markers; write it as "
            "manual_value"
        )
    tracker = tracker_for(model, tasks, multistart=False)
    tracked = tracker.track(average)
    q = tracked.q[0]
    moved: dict[str, float] = {}
    specs: dict[str, MarkerSpec] = {}
    for name, marker in model.spec.markers.items():
        specs[name] = marker
        if marker.fixed or name not in average or np.isnan(average[name]).any():
            continue
        (frame,) = segment_frames(model.figure, q, [marker.body])
        location = frame[:3, :3].T @ (average[name][0] - frame[:3, 3])
        moved[name] = float(np.linalg.norm(location - marker.location))
        specs[name] = replace(marker, location=location)
    errors = {
        name: float(miss)
        for name, miss in zip(tracked.labels, tracked.marker_errors[0], strict=True)
        if miss == miss
    }
    return build(replace(model.spec, markers=specs), model.limits), moved, errors


def tracker_for(model: OsimModel, tasks: Tasks, *, multistart: bool = True) -> Tracker:
    """A tracker with the weights of tasks: markers without a task are not followed, coordinates are pulled.

    multistart: as of `Tracker`; by default every frame goes for the lowest sum of squares.
    """
    names = [name for name in model.markers if tasks.weights.get(name, 0.0) > 0.0]
    if not names:
        known = ", ".join(list(model.markers)[:8]) or "none"
        raise FormatError(f"no task is of a marker that the model has; it has {known}")
    coordinates: dict[str, float | tuple[float, float]] = {}
    rest = model.spec.coordinates
    for task in tasks.coordinates:
        if task.name not in rest:
            raise FormatError(f"a task pulls {task.name!r}, which is no coordinate; {near(task.name, rest)}")
        value = rest[task.name].default if task.value is None else task.value
        if task.name in model.figure.dofs:
            coordinates[task.name] = (task.weight, value)
    return Tracker(
        model.figure,
        model.markers.only(names),
        weights={name: tasks.weights[name] for name in names},
        tasks=coordinates,
        fixed=list(model.prescribed),
        multistart=multistart,
    )


def pulled_values(model: OsimModel, setup: TrackingSetup, times: np.ndarray) -> dict[str, np.ndarray]:
    """What the tasks whose value is ``from_file`` pull towards at these times, by the setup's coordinate file.

    Between the file's rows the values are those of a natural spline of degree 5, as OpenSim takes them.
    """
    where = f"setup {setup.name!r}"
    tasks = [task for task in setup.tasks.coordinates if task.from_file and task.weight > 0.0]
    if not tasks:
        return {}
    if setup.coordinate_file is None:
        raise FormatError(
            f"{where}: task {tasks[0].name!r} takes its value from a file, but there is no <coordinate_file>"
        )
    file = setup.references.path(setup.coordinate_file, f"{where}: <coordinate_file>")
    table = read_table(file)
    slack = 1e-6
    if len(times) and not (table.times[0] - slack <= times[0] and times[-1] <= table.times[-1] + slack):
        raise FormatError(
            f"{file}: it has values from {table.times[0]:g} to {table.times[-1]:g} s; {times[0]:g} to {times[-1]:g} s "
            "are needed"
        )
    found = {}
    for task in tasks:
        if task.name not in model.figure.dofs:
            continue  # it follows others
        columns = [
            name for name in table.columns if name == task.name or name.endswith(f"/{task.name}/value")
        ]
        if not columns or table.columns[columns[0]].ndim != 1:
            raise FormatError(f"{file}: it has no column {task.name!r}; {near(task.name, table.columns)}")
        column = table.columns[columns[0]]
        if np.isnan(column).any():
            raise FormatError(f"{file}: column {columns[0]!r} has no value at some time")
        if table.in_degrees and model.spec.coordinates[task.name].in_degrees:
            column = np.radians(column)
        if len(column) < 6:
            found[task.name] = np.interp(times, table.times, column)
        else:
            found[task.name] = Curve.natural_spline(table.times, column, 3)(times)
    return found


def _within(markers: Markers, times: tuple[float, float]) -> Markers:
    first, last = times
    return markers if np.isinf(first) and np.isinf(last) else markers.between(first, last)


def _body(model: OsimModel, name: str, where: str) -> str:
    if name not in model.spec.bodies:
        raise FormatError(f"{where}: no body {name!r}; {near(name, model.spec.bodies)}")
    return name
