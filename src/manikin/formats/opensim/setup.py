"""OpenSim's setup files: those of its tools for scaling and for inverse kinematics, read as they are."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from manikin.formats.opensim.document import Node, part_of
from manikin.references import References

_NOTHING = ("", "unassigned")


@dataclass(frozen=True)
class Measurement:
    """Distances between pairs of markers, measured over modelled, that scale bodies along axes (0, 1, 2)."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    bodies: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class CoordinateTask:
    """A coordinate that is pulled: value None is its default; from_file, that of the coordinate file."""

    name: str
    weight: float
    value: float | None
    from_file: bool


@dataclass(frozen=True)
class Tasks:
    """Weights of markers, and coordinates that are pulled."""

    weights: dict[str, float]
    coordinates: tuple[CoordinateTask, ...]


@dataclass(frozen=True)
class Placing:
    """How markers are placed again after scaling."""

    tasks: Tasks
    marker_file: Path | None
    times: tuple[float, float]


@dataclass(frozen=True)
class ScaleSetup:
    """A setup of OpenSim's ScaleTool.

    Paths are None if the file gives none, and are opened through `references`. mass: −1 for the model's own.
    """

    name: str
    mass: float
    model_file: Path | None
    marker_set_file: Path | None
    order: tuple[str, ...]
    measurements: tuple[Measurement, ...]
    manual: dict[str, np.ndarray]
    marker_file: Path | None
    times: tuple[float, float]
    preserve_mass: bool
    placing: Placing | None
    references: References


@dataclass(frozen=True)
class TrackingSetup:
    """A setup of OpenSim's InverseKinematicsTool.

    Paths are as of `ScaleSetup`. times: where it begins and ends; infinite for all.
    """

    name: str
    model_file: Path | None
    marker_file: Path | None
    coordinate_file: Path | None
    output_file: Path | None
    times: tuple[float, float]
    tasks: Tasks
    references: References


def read_scale_setup(
    path: str | os.PathLike[str], *, within: Iterable[str | os.PathLike[str]] | None = None
) -> ScaleSetup:
    """A ScaleTool's setup file. within: further folders that the files it names may lie in, besides its own."""
    tool, references = part_of(path, "ScaleTool"), References(path, within)
    folder = Path(path).absolute().parent
    maker, scaler, placer = (tool.child(tag) for tag in ("GenericModelMaker", "ModelScaler", "MarkerPlacer"))
    if scaler is None:
        tool.fail("it has no <ModelScaler>")
    apply = scaler.truth("apply", default=True)
    order = tuple(scaler.words("scaling_order")) if apply else ()
    for word in order:
        if word not in ("measurements", "manualScale"):
            scaler.fail(f"<scaling_order> holds {word!r}; expected measurements or manualScale")
    manual = {
        entry.text("segment"): entry.numbers("scales", count=3)
        for entry in scaler.objects("ScaleSet")
        if entry.truth("apply", default=True)
    }
    placing = None
    if placer is not None and placer.truth("apply", default=True):
        placing = Placing(_tasks(placer), _path(placer, "marker_file", folder), _times(placer))
    return ScaleSetup(
        tool.name,
        tool.number("mass", default=-1.0),
        _path(maker, "model_file", folder),
        _path(maker, "marker_set_file", folder),
        order,
        tuple(
            _measurement(node)
            for node in scaler.objects("MeasurementSet")
            if node.truth("apply", default=True)
        ),
        manual,
        _path(scaler, "marker_file", folder),
        _times(scaler),
        scaler.truth("preserve_mass_distribution"),
        placing,
        references,
    )


def read_tracking_setup(
    path: str | os.PathLike[str], *, within: Iterable[str | os.PathLike[str]] | None = None
) -> TrackingSetup:
    """An InverseKinematicsTool's setup file. within: as of `read_scale_setup`."""
    tool, references = part_of(path, "InverseKinematicsTool"), References(path, within)
    folder = Path(path).absolute().parent
    return TrackingSetup(
        tool.name,
        _path(tool, "model_file", folder),
        _path(tool, "marker_file", folder),
        _path(tool, "coordinate_file", folder),
        _path(tool, "output_motion_file", folder),
        _times(tool),
        _tasks(tool),
        references,
    )


def _path(node: Node | None, tag: str, folder: Path) -> Path | None:
    word = node.text(tag, default="") if node is not None else ""
    return None if word.lower() in _NOTHING else folder / word


def _times(node: Node) -> tuple[float, float]:
    words = node.words("time_range")
    if len(words) != 2:
        return -np.inf, np.inf
    try:
        first, last = (float(word) for word in words)
    except ValueError:
        node.fail(f"<time_range> holds {' '.join(words)!r}; expected two numbers")
    return first, last


def _measurement(node: Node) -> Measurement:
    pairs = []
    for entry in node.objects("MarkerPairSet"):
        names = entry.words("markers")
        if len(names) != 2:
            entry.fail(f"a pair has two markers, this one {len(names)}")
        pairs.append((names[0], names[1]))
    bodies = []
    for entry in node.objects("BodyScaleSet"):
        letters = [word.upper() for word in entry.words("axes")]
        if any(letter not in "XYZ" for letter in letters):
            entry.fail(f"<axes> holds {' '.join(letters)!r}; expected one of X, Y and Z")
        bodies.append((entry.name, tuple("XYZ".index(letter) for letter in letters)))
    return Measurement(node.name, tuple(pairs), tuple(bodies))


def _tasks(node: Node) -> Tasks:
    weights, coordinates = {}, []
    for entry in node.objects("IKTaskSet"):
        if not entry.truth("apply", default=True):
            continue
        weight = entry.number("weight", default=0.0)
        if weight < 0.0:
            entry.fail(f"its weight must not be negative, got {weight:g}")
        if entry.tag == "IKMarkerTask":
            weights[entry.name] = weight
        elif entry.tag == "IKCoordinateTask":
            kind = entry.text("value_type", default="default_value")
            value = entry.number("value", default=0.0) if kind == "manual_value" else None
            coordinates.append(CoordinateTask(entry.name, weight, value, kind == "from_file"))
        else:
            entry.fail("this kind of task is not read; expected one of IKMarkerTask and IKCoordinateTask")
    return Tasks(weights, tuple(coordinates))
