"""An OpenSim model as a figure with its markers.

OpenSim's y points up and its z to the right; the figure stands in a world whose z points up and whose y points left, so
that OpenSim's ground is the segment ``ground`` turned by 90° about x.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError
from manikin.figure import Curve, Figure, Follow, Joint, Loop, Segment, Site
from manikin.formats.opensim.read import read_marker_set, read_spec
from manikin.formats.opensim.spec import AxisSpec, CoordinateSpec, JointSpec, ModelSpec
from manikin.formats.source import refuse_options
from manikin.markers.marker_sets import Marker, MarkerSet

#: OpenSim's ground in a world whose z points up.
GROUND = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
LIMITS = ("clamped", "all", "none")


@dataclass(frozen=True, eq=False)
class OsimModel:
    """An OpenSim model.

    figure: its bodies, joints and markers (as sites), in metres, radians and a world whose z points up.
    markers: where its markers sit.
    prescribed: coordinates that are functions of time.
    spec: the model as its file says it.
    """

    figure: Figure
    markers: MarkerSet
    prescribed: Mapping[str, Curve]
    spec: ModelSpec
    limits: str = "clamped"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of all coordinates in the file's order, with those that a constraint makes follow others."""
        return tuple(self.spec.coordinates)

    @property
    def locked(self) -> tuple[str, ...]:
        """The coordinates that the file locks."""
        return tuple(name for name, c in self.spec.coordinates.items() if c.locked)

    def values(self, q: Any) -> np.ndarray:
        """All coordinates, in the file's order, (…, coordinates), at the figure's values q, (…, n)."""
        q = np.asarray(q, dtype=np.float64)
        followers = self.figure.followers
        columns = []
        for name in self.coordinates:
            follow = followers.get(name)
            if follow is None:
                columns.append(q[..., self.figure.index(name)])
                continue
            total = np.full(q.shape[:-1], follow.offset)
            for driver, c in follow.coefficients.items():
                total = total + c * q[..., self.figure.index(driver)]
            columns.append(total if follow.curve is None else follow.curve(total))
        return np.stack(columns, axis=-1)

    def with_markers(self, path: str | os.PathLike[str]) -> OsimModel:
        """The model with the markers of a MarkerSet file besides its own."""
        return build(self.spec.with_markers(read_marker_set(path)), self.limits)

    def __repr__(self) -> str:
        counts = f"{len(self.spec.bodies)} bodies, {len(self.coordinates)} coordinates, {len(self.markers)} markers"
        return f"OsimModel({self.spec.name!r}, {counts})"


def read_osim(
    path: str | os.PathLike[str], *, markers: str | os.PathLike[str] | None = None, limits: str = "clamped"
) -> OsimModel:
    """The OpenSim model in a file, version 3 or 4.

    markers: a MarkerSet file whose markers come besides the model's own.
    limits: ``"clamped"``, ranges of coordinates that the file clamps, as OpenSim's tools keep them; ``"all"``;
    ``"none"``.
    """
    if limits not in LIMITS:
        raise FormatError(f"{path}: unknown limits {limits!r}; expected one of: {', '.join(LIMITS)}")
    try:
        spec = read_spec(path)
        if markers is not None:
            spec = spec.with_markers(read_marker_set(markers))
        return build(spec, limits)
    except FigureError as error:
        raise FormatError(f"{path}: {error}") from error


def load_osim(path: str | os.PathLike[str], *, base: str = "fixed", **options: Any) -> Figure:
    """The figure of an OpenSim model; options as of `read_osim`. It stands on its own ground, so its base is fixed."""
    if base != "fixed":
        raise FormatError(
            f"{path}: an OpenSim model stands on its own ground; base must be 'fixed', got {base!r}"
        )
    refuse_options(read_osim, options, path)
    return read_osim(path, **options).figure


def build(spec: ModelSpec, limits: str = "clamped") -> OsimModel:
    """The figure and markers of a model."""
    coupled = {coupler.dependent: coupler.function for coupler in spec.couplers}
    unknown = [name for name in coupled if name not in spec.coordinates]
    if unknown:
        raise FigureError(
            f"{spec.name}: a constraint makes the unknown coordinate {unknown[0]!r} follow others"
        )
    segments = [
        Segment("ground"),
        *(Segment(b.name, b.mass, b.center, b.inertia) for b in spec.bodies.values()),
    ]
    joints = [_joint(joint, coupled, limits) for joint in spec.joints]
    markers = MarkerSet(
        {m.name: Marker(m.body, m.location, fixed=m.fixed) for m in spec.markers.values()}, spec.name
    )
    sites = [Site(name, marker.segment, marker.position) for name, marker in markers.items()]
    loops = []
    for held in spec.held:
        ends = [f"{held.name}_{k}" for k in (1, 2)]
        sites += [Site(*entry) for entry in zip(ends, held.bodies, held.placements, strict=True)]
        loops.append(Loop(ends[0], ends[1], held.kind, held.name))
    figure = Figure(
        spec.name, segments, joints, sites, root="ground", base="fixed", location=GROUND, loops=loops
    )
    markers.check(figure)
    prescribed = {name: c.prescribed for name, c in spec.coordinates.items() if c.prescribed is not None}
    model = OsimModel(figure, markers, prescribed, spec, limits)
    figure.origin = model
    return model


def _joint(spec: JointSpec, coupled: Mapping[str, Follow], limits: str) -> Joint:
    """The joint with an axis of its own for each coordinate, and followers for the rest."""
    placement = spec.placement.copy()
    axes: list[AxisSpec] = []
    for axis in spec.axes:
        constant = not axis.function.coefficients
        value = axis.function.value({}) if constant else 0.0
        if constant and not axis.rotation:  # slides come before turns, in the parent's frame
            placement[:3, 3] += placement[:3, :3] @ (value * axis.axis)
        elif not constant or value != 0.0:
            axes.append(axis)
    own: dict[str, int] = {}
    for k, axis in enumerate(axes):
        name = _taken_as_it_is(axis.function)
        if name is not None and name not in own:
            own[name] = k
    motion: list[str] = []
    dofs: list[str] = []
    follow: list[Follow | None] = []
    entries: list[CoordinateSpec | None] = []
    by_place = {k: name for name, k in own.items()}
    coordinates = {c.name: c for c in spec.coordinates}
    for k, axis in enumerate(axes):
        if k in by_place:
            name = by_place[k]
            sign = axis.function.coefficients[name]
            motion.append(_step(axis.rotation, sign * axis.axis))
            dofs.append(name)
            follow.append(coupled.get(name))
            entries.append(coordinates[name])
        else:
            motion.append(_step(axis.rotation, axis.axis))
            dofs.append(axis.name)
            follow.append(axis.function)
            entries.append(None)
    for name, coordinate in coordinates.items():
        if name not in own:  # a move by it, and back: it is a value that others follow
            motion += [_step(coordinate.rotational, np.array([1.0, 0.0, 0.0]))] * 2
            dofs += [name, f"{name}_back"]
            follow += [coupled.get(name), Follow({name: -1.0})]
            entries += [coordinate, None]
    ranges = [
        (None, None, None) if c is None or f is not None else _range(c, limits)
        for c, f in zip(entries, follow, strict=True)
    ]
    return Joint(
        spec.name,
        spec.parent,
        spec.child,
        "*".join(motion) or "fixed",
        placement,
        spec.child_placement,
        lower=[low for low, _, _ in ranges],
        upper=[high for _, high, _ in ranges],
        rest=[rest for _, _, rest in ranges],
        dofs=dofs,
        follow=follow,
    )


def _taken_as_it_is(function: Follow) -> str | None:
    """The coordinate that an axis takes with the factor 1 or −1 and nothing else."""
    if function.curve is None and function.offset == 0.0 and len(function.coefficients) == 1:
        ((name, factor),) = function.coefficients.items()
        if abs(factor) == 1.0:
            return name
    return None


def _step(rotation: bool, axis: np.ndarray) -> str:
    return f"{'R' if rotation else 'T'}({','.join(repr(float(entry)) for entry in axis)})"


def _range(coordinate: CoordinateSpec, limits: str) -> tuple[float, float, float]:
    """Lower and upper limit and rest; a locked coordinate has a range of one point."""
    low, high = coordinate.range
    if coordinate.locked:
        return coordinate.default, coordinate.default, coordinate.default
    if limits == "none" or (limits == "clamped" and not coordinate.clamped):
        low, high = -np.inf, np.inf
    return low, high, float(np.clip(coordinate.default, low, high))
