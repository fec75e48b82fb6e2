"""A figure's shapes as surfaces, once in their segments' frames, then carried by any pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import FormatError, PoseError
from manikin.figure import Figure, Pose
from manikin.figure.segment import Shape
from manikin.figure.skin import Skin
from manikin.pictures import color as colors
from manikin.pictures.bones import SLENDER, THICKNESS, bones, reach
from manikin.pictures.meshes import load_mesh
from manikin.pictures.surface import Surface, enough_sectors, simple

MESHES = ("read", "skip")
LOOKS = ("shapes", "skin", "bones")


class Body:
    """What of a figure can be seen.

    color: for shapes that have none of their own; by default light wood, or light grey where there are meshes.
    meshes: ``"read"`` them, or ``"skip"`` those that cannot be read and draw bones instead.
    look: ``"shapes"`` (``"wood"`` says the same of a human), ``"skin"``, a human's, or ``"bones"``: slender rods
        from joint to joint, and a head where there is one.
    off: pixels that the facets of round shapes may be off the curve where the figure fills 800.
    """

    def __init__(
        self,
        figure: Figure,
        *,
        color: Any = None,
        meshes: str = "read",
        look: str = "shapes",
        off: float = 0.1,
    ) -> None:
        if meshes not in MESHES:
            raise PoseError(f"picture: meshes must be one of {', '.join(MESHES)}, got {meshes!r}")
        look = "shapes" if look == "wood" else look
        if look not in LOOKS:
            raise PoseError(f"picture: look must be one of {', '.join(LOOKS)} or wood, got {look!r}")
        self.figure = figure
        self._parts: list[tuple[str, Surface]] = []
        self._boneless: set[str] = set()
        self._slender = False
        self._skins: tuple[tuple[Skin, np.ndarray], ...] = ()
        if look == "skin":
            from manikin.figure.human.surface import human_skins, not_skin

            self._skins = tuple((skin, colors.parse(_chosen(skin, color))) for skin in human_skins(figure))
            extent = reach(figure.pose())
            for name in not_skin(figure):
                held = figure.segments[name].shapes
                self._parts += [(name, _surface(shape, colors.WOOD, extent, off)) for shape in held]
            return
        if look == "bones":
            self._boneless = set(figure.segments)
            self._slender = any(segment.shapes for segment in figure.segments.values())
            extent = reach(figure.pose())
            for name in _head(figure):
                self._boneless.discard(name)
                held = figure.segments[name].shapes
                self._parts += [(name, _surface(shape, colors.WOOD, extent, off)) for shape in held]
            return
        shapes = [shape for segment in figure.segments.values() for shape in segment.shapes]
        if color is not None:
            plain = colors.parse(color)
        else:
            plain = colors.ROBOT if any(shape.kind == "mesh" for shape in shapes) else colors.WOOD
        extent = reach(figure.pose())
        self._boneless = set() if shapes else set(figure.segments)
        for segment in figure.segments.values():
            try:
                self._parts += [
                    (segment.name, _surface(shape, plain, extent, off)) for shape in segment.shapes
                ]
            except FormatError:
                if meshes == "read":
                    raise
                self._boneless.add(segment.name)

    def surfaces(self, pose: Pose) -> list[Surface]:
        """The painted surfaces in the world."""
        frames = pose.matrices()
        found = [surface.moved(frames[segment]) for segment, surface in self._parts]
        if self._boneless:
            thickness = SLENDER if self._slender else THICKNESS
            found += bones(pose, self._boneless, thickness=thickness)
        found += [_posed(skin, pose, color) for skin, color in self._skins]
        return found


def _head(figure: Figure) -> list[str]:
    """The segment ``head`` and all that it carries, where they have shapes that need no files: they show a gaze."""
    found = ["head"] if "head" in figure.segments and figure.segments["head"].shapes else []
    for name in found:
        found += [joint.child for joint in figure.joints.values() if joint.parent == name]
    meshes = any(shape.kind == "mesh" for name in found for shape in figure.segments[name].shapes)
    return [] if meshes else found


def _chosen(skin: Skin, color: Any) -> Any:
    """A skin's own colour, or for the body the one that is asked for."""
    return color if color is not None and skin.name == "body" else skin.color


def _posed(skin: Skin, pose: Pose, color: np.ndarray) -> Surface:
    vertices = skin.posed(pose, dual=True)
    normals = skin.posed_normals(vertices)
    corners = vertices[skin.triangles].astype(np.float32)
    return Surface(corners, normals[skin.triangles].astype(np.float32)).painted(color)


def _surface(shape: Shape, plain: np.ndarray, extent: float, off: float) -> Surface:
    if shape.kind == "mesh":
        x, y, z = (float(factor) for factor in shape.scale)
        surface = load_mesh(str(shape.mesh), (x, y, z))
    else:
        size = tuple(float(number) for number in shape.size)
        radii = {"cylinder": size[:1], "capsule": size[:1], "tapered_capsule": size[:2]}.get(shape.kind, size)
        surface = simple(shape.kind, size, enough_sectors(max(radii), extent, off))
    own = getattr(shape, "color", None)
    if own is not None:
        surface = surface.painted(colors.parse(own, f"shape {shape.kind!r}: color"))
    elif surface.colors is None:
        surface = surface.painted(plain)
    return surface.moved(shape.placement)
