"""Segments, the rigid parts of a figure; their shapes; and sites, the named frames on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
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
_ONES = (1.0, 1.0, 1.0)
_SCALE = checks.frozen(_ONES)


class Record:
    """A frozen dataclass that pickles through its constructor, so that its arrays come back read-only."""

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, field.name) for field in fields(self) if field.init)  # type: ignore[arg-type]
        return type(self), values

    def _set(self, **values: Any) -> None:
        self.__dict__.update(values)


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
    scale: Sequence[float] | np.ndarray = _ONES
    color: Sequence[float] | np.ndarray | None = None

    def __post_init__(self) -> None:
        checks.one_of(self.kind, SHAPE_SIZES, "shape: unknown kind")
        where = f"shape {self.kind!r}"
        scalar = not isinstance(self.size, (tuple, list)) and np.ndim(self.size) == 0
        size: Any = (self.size,) if scalar else self.size
        size = checks.vector(size, (SHAPE_SIZES[self.kind],), f"{where}: size")
        if min(size.tolist(), default=0.0) < 0.0:
            raise FigureError(f"{where}: size must not be negative, got {size.tolist()}")
        if (self.kind == "mesh") != (self.mesh is not None):
            raise FigureError(
                f"{where}: a mesh needs the path of its file, other shapes have none; got {self.mesh!r}"
            )
        color = None if self.color is None else _color(self.color, where)
        self._set(
            size=size,
            placement=checks.placement(self.placement, f"{where}: placement"),
            scale=_SCALE if self.scale is _ONES else checks.vector(self.scale, (3,), f"{where}: scale"),
            color=color,
        )

    def moved(self, by: np.ndarray) -> Shape:
        """The shape shifted by a vector of its segment's frame."""
        place = self.placement.copy()
        place[:3, 3] += by
        place.flags.writeable = False
        result = object.__new__(Shape)
        result.__dict__.update(self.__dict__, placement=place)
        return result


def _color(color: Any, where: str) -> np.ndarray:
    """Red, green and blue; the same tuple gives the same array."""
    return _known_color(color, where) if isinstance(color, tuple) else _new_color(color, where)


def _new_color(color: Any, where: str) -> np.ndarray:
    found = checks.vector(color, (3,), f"{where}: color")
    if not all(0.0 <= part <= 1.0 for part in found.tolist()):
        raise FigureError(f"{where}: color is red, green and blue from 0 to 1, got {found.tolist()}")
    return found


_known_color = lru_cache(maxsize=256)(_new_color)


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
        inertia = None if self.inertia is None else _inertia(self.inertia, where)
        shapes = tuple(checks.listed(self.shapes, f"{where}: shapes"))
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise FigureError(f"{where}: expected a Shape, got {shape!r}")
        self._set(
            mass=mass,
            center_of_mass=checks.vector(self.center_of_mass, (3,), f"{where}: center_of_mass"),
            inertia=inertia,
            shapes=shapes,
        )


def _inertia(inertia: Any, where: str) -> np.ndarray:
    found = checks.vector(inertia, (3, 3), f"{where}: inertia")
    (_, b, c), (d, _, f), (g, h, _) = entries = found.tolist()
    largest = max(abs(entry) for row in entries for entry in row)
    if max(abs(b - d), abs(c - g), abs(f - h)) > 1e-9 * max(1.0, largest):
        raise FigureError(f"{where}: the inertia must be symmetric, got {entries}")
    return found


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
