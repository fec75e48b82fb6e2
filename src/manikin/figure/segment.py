"""Segments, the rigid parts of a figure; their shapes; and sites, the named frames on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks

#: How many numbers `size` has for each kind of shape.
SHAPE_SIZES = {
    "box": 3,
    "sphere": 1,
    "cylinder": 2,
    "capsule": 2,
    "tapered_capsule": 3,
    "ellipsoid": 3,
    "mesh": 0,
}


class Record:
    """A frozen dataclass that pickles through its constructor, so that its arrays come back read-only."""

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, field.name) for field in fields(self) if field.init)  # type: ignore[arg-type]
        return type(self), values

    def _set(self, **values: Any) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, value)


@dataclass(frozen=True, eq=False)
class Shape(Record):
    """What a segment looks like, in metres, in the segment's frame.

    kind: ``"box"`` with the three edge lengths as `size`, ``"sphere"`` with its radius, ``"cylinder"`` and
        ``"capsule"`` with radius and length along z (a capsule's length is that of its straight part),
        ``"tapered_capsule"`` with the radii of the balls at its start, the origin, and at its end, z = length,
        and that length, ``"ellipsoid"`` with its three radii, ``"mesh"`` with the path of a file that is never
        read here.
    placement: 4×4 or 3-vector, the shape's frame in the segment's.
    scale: a mesh's, along its axes.
    color: red, green and blue from 0 to 1, or None for whoever draws it to choose.
    """

    kind: str
    size: Any = ()
    placement: Any = None
    mesh: str | None = None
    scale: Sequence[float] | np.ndarray = (1.0, 1.0, 1.0)
    color: Sequence[float] | np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.kind not in SHAPE_SIZES:
            raise FigureError(f"shape: unknown kind {self.kind!r}; known are: {', '.join(SHAPE_SIZES)}")
        where = f"shape {self.kind!r}"
        size = checks.vector(
            np.atleast_1d(np.array(self.size, dtype=float)), (SHAPE_SIZES[self.kind],), f"{where}: size"
        )
        if (size < 0.0).any():
            raise FigureError(f"{where}: size must not be negative, got {size.tolist()}")
        if (self.kind == "mesh") != (self.mesh is not None):
            raise FigureError(
                f"{where}: a mesh needs the path of its file, other shapes have none; got {self.mesh!r}"
            )
        color = None if self.color is None else checks.vector(self.color, (3,), f"{where}: color")
        if color is not None and not ((color >= 0.0) & (color <= 1.0)).all():
            raise FigureError(f"{where}: color is red, green and blue from 0 to 1, got {color.tolist()}")
        self._set(
            size=size,
            placement=checks.placement(self.placement, f"{where}: placement"),
            scale=checks.vector(self.scale, (3,), f"{where}: scale"),
            color=color,
        )


@dataclass(frozen=True, eq=False)
class Segment(Record):
    """A rigid part.

    mass: kilograms.
    center_of_mass: metres, in the segment's frame.
    inertia: 3×3, kg m², about the centre of mass along the segment's axes; None when it is not known.
    """

    name: str
    mass: float = 0.0
    center_of_mass: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)
    inertia: Any = None
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        where = f"segment {checks.name(self.name, 'segment')!r}"
        mass = checks.number(self.mass, f"{where}: mass")
        if mass < 0.0:
            raise FigureError(f"{where}: the mass must not be negative, got {mass:g}")
        inertia = None if self.inertia is None else checks.vector(self.inertia, (3, 3), f"{where}: inertia")
        if inertia is not None and np.abs(inertia - inertia.T).max() > 1e-9 * max(1.0, np.abs(inertia).max()):
            raise FigureError(f"{where}: the inertia must be symmetric, got {inertia.tolist()}")
        self._set(
            mass=mass,
            center_of_mass=checks.vector(self.center_of_mass, (3,), f"{where}: center_of_mass"),
            inertia=inertia,
            shapes=tuple(self.shapes),
        )


@dataclass(frozen=True, eq=False)
class Site(Record):
    """A named frame on a segment: `placement` is 4×4, or a 3-vector, in the segment's frame."""

    name: str
    segment: str
    placement: Any = None

    def __post_init__(self) -> None:
        where = f"site {checks.name(self.name, 'site')!r}"
        checks.name(self.segment, f"{where}: segment")
        self._set(placement=checks.placement(self.placement, f"{where}: placement"))
