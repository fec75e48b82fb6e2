"""A figure's shapes as meshes that a browser draws: few triangles, one colour each, in their segments' frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Figure
from manikin.figure.segment import Shape
from manikin.pictures import color as colors
from manikin.pictures.meshes import load_mesh
from manikin.pictures.surface import Surface, between, simple, sphere

# Colours of one segment beyond these are drawn as the nearest of them.
MOST_COLORS = 6
# Metres that an edge may be off its circle: less than a pixel where the whole figure is on the screen. Without a GPU
# a thousand triangles take some 3 ms of a processor, and a mesh 0.4 ms.
OFF = 0.0015
# Shapes with no radius above this are painted as the segment's first one, so that they are no meshes of their own.
DETAIL = 0.011
Color = tuple[int, int, int]
WOOD: Color = (223, 193, 154)
ROBOT: Color = (198, 206, 216)
BONE: Color = (150, 158, 168)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles of one colour: vertices (v, 3) in metres, faces (f, 3)."""

    vertices: np.ndarray
    faces: np.ndarray
    color: Color


def indexed(surface: Surface) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces; corners are one vertex where both place and normal agree, so that creases stay sharp."""
    corners = surface.corners.reshape(-1, 3).astype(np.float64)
    normals = surface.normals.reshape(-1, 3).astype(np.float64)
    key = np.round(np.hstack([corners * 1e5, normals * 40.0])).astype(np.int64)
    _, first, place = np.unique(key, axis=0, return_index=True, return_inverse=True)
    faces = place.reshape(-1, 3)
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return corners[first].astype(np.float32), faces[whole].astype(np.uint32)


def body_meshes(
    figure: Figure, *, skip_meshes: bool = False, only_bones: bool = False
) -> dict[str, list[Mesh]]:
    """The meshes of every segment; a figure without shapes, or whose files cannot be read, is drawn as bones."""
    if only_bones:
        found = bones(figure, set(figure.segments))
        return {name: [Mesh(*indexed(found[name]), BONE)] for name in figure.segments}
    shapes = [shape for segment in figure.segments.values() for shape in segment.shapes]
    plain = ROBOT if any(shape.kind == "mesh" for shape in shapes) else WOOD
    meshes: dict[str, list[Mesh]] = {}
    boneless: set[str] = set() if shapes else set(figure.segments)
    for segment in figure.segments.values():
        try:
            meshes[segment.name] = list(_segment_meshes(segment.shapes, plain, skip_meshes=skip_meshes))
        except FormatError:
            meshes[segment.name] = []
            boneless.add(segment.name)
    if boneless:
        for name, surface in bones(figure, boneless).items():
            meshes[name].append(Mesh(*indexed(surface), BONE))
    return meshes


def _segment_meshes(shapes: tuple[Shape, ...], plain: Color, *, skip_meshes: bool) -> Iterator[Mesh]:
    by_color: dict[Color, list[tuple[np.ndarray, np.ndarray]]] = {}
    for shape in shapes:
        if shape.kind == "mesh" and skip_meshes:
            continue
        for color, surface in _painted(shape, plain):
            paint = next(iter(by_color)) if by_color and _is_detail(shape) else color
            by_color.setdefault(paint, []).append(indexed(surface))
    for color, parts in by_color.items():
        offsets = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
        yield Mesh(
            np.concatenate([vertices for vertices, _ in parts]),
            np.concatenate([faces + offset for (_, faces), offset in zip(parts, offsets, strict=False)]),
            color,
        )


def _painted(shape: Shape, plain: Color) -> Iterator[tuple[Color, Surface]]:
    """The shape's surface in its segment's frame, cut by colour."""
    if shape.kind == "mesh":
        x, y, z = (float(factor) for factor in shape.scale)
        surface = load_mesh(str(shape.mesh), (x, y, z))
    else:
        size = tuple(float(number) for number in shape.size)
        surface = simple(shape.kind, size, _sectors(shape.kind, size))
    surface = surface.moved(shape.placement)
    if shape.color is not None:
        red, green, blue = (round(255 * float(part)) for part in shape.color)
        yield (red, green, blue), surface
    elif surface.colors is None:
        yield plain, surface
    else:
        yield from _by_color(surface)


def _by_color(surface: Surface) -> Iterator[tuple[Color, Surface]]:
    assert surface.colors is not None
    shown = np.round(255 * colors.encoded(surface.colors)).astype(int)
    known, place, count = np.unique(shown, axis=0, return_inverse=True, return_counts=True)
    kept = np.argsort(-count)[:MOST_COLORS]
    nearest = kept[np.abs(known[:, None] - known[None, kept]).sum(axis=2).argmin(axis=1)]
    of_face = nearest[place.ravel()]
    for k in np.unique(of_face):
        chosen = of_face == k
        red, green, blue = (int(part) for part in known[k])
        yield (red, green, blue), Surface(surface.corners[chosen], surface.normals[chosen])


def _radius(kind: str, size: tuple[float, ...]) -> float:
    return max(
        size[:1] if kind in ("cylinder", "capsule") else size[:2] if kind == "tapered_capsule" else size
    )


def _is_detail(shape: Shape) -> bool:
    return shape.kind != "mesh" and _radius(shape.kind, tuple(float(x) for x in shape.size)) <= DETAIL


def _sectors(kind: str, size: tuple[float, ...]) -> int:
    """Corners of a circle: the middle of an edge of n of them is r(1 − cos π/n) ≈ r π²/2n² inside it."""
    wanted = np.pi * np.sqrt(_radius(kind, size) / (2.0 * OFF))
    return int(np.clip(2 * np.ceil(wanted / 2.0), 6, 32))


def bones(figure: Figure, boneless: set[str]) -> dict[str, Surface]:
    """For segments without shapes a ball at their origin, and a rod to each child's: in their own frames, at rest."""
    rest = figure.pose()
    frames = rest.matrices()
    places = np.array([frame[:3, 3] for frame in frames.values()])
    size = max(float(np.ptp(places, axis=0).max()), 0.2)
    thick = 0.022 * size
    found = {}
    children: dict[str, list[str]] = {}
    for joint in figure.joints.values():
        children.setdefault(joint.parent, []).append(joint.child)
    for name in boneless:
        parts = [sphere(thick, sectors=16)]
        inverse = np.linalg.inv(frames[name])
        for child in children.get(name, []):
            end = (inverse @ frames[child])[:3, 3]
            if float(np.linalg.norm(end)) > 1e-6:
                parts.append(between(np.zeros(3), end, 0.8 * thick, 0.6 * thick))
        found[name] = Surface(
            np.concatenate([part.corners for part in parts]), np.concatenate([part.normals for part in parts])
        )
    return found
