"""An OpenSim model as its file says it, before it becomes a figure: what scaling changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from manikin.figure import Curve, Follow


@dataclass(frozen=True, eq=False)
class BodySpec:
    """A body: mass, centre of mass, inertia about it."""

    name: str
    mass: float
    center: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class CoordinateSpec:
    """A coordinate of a joint, radians or metres.

    rotational: whether it turns anything. in_degrees: whether tables in degrees have it in degrees, which OpenSim's
    rule says: only coordinates whose motion type is rotational (`joints.motion_in_degrees`).
    """

    name: str
    default: float
    range: tuple[float, float]
    clamped: bool
    locked: bool
    prescribed: Curve | None
    rotational: bool
    in_degrees: bool


@dataclass(frozen=True, eq=False)
class AxisSpec:
    """A turn about, or a slide along, an axis by a function of coordinates."""

    name: str
    rotation: bool
    axis: np.ndarray
    function: Follow


@dataclass(frozen=True, eq=False)
class JointSpec:
    """A joint: frames on parent and child, and its motion: slides and turns in the order in which they multiply."""

    name: str
    kind: str
    parent: str
    child: str
    placement: np.ndarray
    child_placement: np.ndarray
    axes: tuple[AxisSpec, ...]
    coordinates: tuple[CoordinateSpec, ...]


@dataclass(frozen=True, eq=False)
class MarkerSpec:
    """A marker on a body; `fixed`: it stays there when markers are placed anew after scaling."""

    name: str
    body: str
    location: np.ndarray
    fixed: bool = False


@dataclass(frozen=True, eq=False)
class CouplerSpec:
    """A coordinate that is a function of another."""

    name: str
    dependent: str
    function: Follow


@dataclass(frozen=True, eq=False)
class HeldSpec:
    """Two frames held together: a point or a weld."""

    name: str
    kind: str
    bodies: tuple[str, str]
    placements: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class ModelSpec:
    """A whole model. notes: what was passed over, in words."""

    name: str
    bodies: Mapping[str, BodySpec]
    joints: tuple[JointSpec, ...]
    markers: Mapping[str, MarkerSpec]
    couplers: tuple[CouplerSpec, ...] = ()
    held: tuple[HeldSpec, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def coordinates(self) -> dict[str, CoordinateSpec]:
        """All coordinates by name, in the file's order."""
        return {c.name: c for joint in self.joints for c in joint.coordinates}

    @property
    def mass(self) -> float:
        """Of all bodies together."""
        return sum(body.mass for body in self.bodies.values())

    def with_markers(self, markers: Mapping[str, MarkerSpec]) -> ModelSpec:
        """The model with these markers, instead of those of the same name and besides the others."""
        return replace(self, markers={**self.markers, **markers})
