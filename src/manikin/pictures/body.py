"""A figure's shapes as surfaces, once in their segments' frames, then carried by any pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import FormatError, PoseError
from manikin.figure import Figure, Pose
from manikin.figure.segment import Shape
from manikin.pictures import color as colors
from manikin.pictures.bones import bones, reach
from manikin.pictures.meshes import load_mesh
from manikin.pictures.surface import Surface, enough_sectors, simple

MESHES = ("read", "skip")


class Body:
    """What of a figure can be seen.

    color: for shapes that have none of their own; by default light wood, or light grey where there are meshes.
    meshes: ``"read"`` them, or ``"skip"`` those that cannot be read and draw bones instead.
    """

    def __init__(self, figure: Figure, *, color: Any = None, meshes: str = "read") -> None:
        if meshes not in MESHES:
            raise PoseError(f"picture: meshes must be one of {', '.join(MESHES)}, got {meshes!r}")
        self.figure = figure
        shapes = [shape for segment in figure.segments.values() for shape in segment.shapes]
        if color is not None:
            plain = colors.parse(color)
        else:
            plain = colors.ROBOT if any(shape.kind == "mesh" for shape in shapes) else colors.WOOD
        extent = reach(figure.pose())
        self._parts: list[tuple[str, Surface]] = []
        self._boneless = set() if shapes else set(figure.segments)
        for segment in figure.segments.values():
            try:
                self._parts += [(segment.name, _surface(shape, plain, extent)) for shape in segment.shapes]
            except FormatError:
                if meshes == "read":
                    raise
                self._boneless.add(segment.name)

    def surfaces(self, pose: Pose) -> list[Surface]:
        """The painted surfaces in the world."""
        frames = pose.matrices()
        found = [surface.moved(frames[segment]) for segment, surface in self._parts]
        if self._boneless:
            found += bones(pose, self._boneless)
        return found


def _surface(shape: Shape, plain: np.ndarray, extent: float) -> Surface:
    if shape.kind == "mesh":
        x, y, z = (float(factor) for factor in shape.scale)
        surface = load_mesh(str(shape.mesh), (x, y, z))
    else:
        size = tuple(float(number) for number in shape.size)
        radii = {"cylinder": size[:1], "capsule": size[:1], "tapered_capsule": size[:2]}.get(shape.kind, size)
        surface = simple(shape.kind, size, enough_sectors(max(radii), extent))
    own = getattr(shape, "color", None)
    if own is not None:
        surface = surface.painted(colors.parse(own, f"shape {shape.kind!r}: color"))
    elif surface.colors is None:
        surface = surface.painted(plain)
    return surface.moved(shape.placement)
