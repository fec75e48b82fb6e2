"""Robots' meshes from their files, with smooth normals and the colours that the files give them."""

from __future__ import annotations

from functools import lru_cache
from math import cos, radians
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.figure.mesh_files import read_mesh
from manikin.pictures.color import linear
from manikin.pictures.extra import need
from manikin.pictures.surface import Surface, joined, unit

# Faces that meet at less than this are parts of one curved surface.
CREASE = cos(radians(35.0))


def load_mesh(path: str, scale: tuple[float, float, float]) -> Surface:
    """The surface in a mesh file, scaled; a COLLADA file's axes are taken as they are, whatever it calls up, as RViz
    takes them.
    """
    file = Path(path)
    if not file.is_file():
        raise FormatError(
            f"{path}: mesh not found; give its package (packages=) or its folder (within=) when loading the figure, or "
            'draw bones instead with meshes="skip"'
        )
    stamp = file.stat()
    return _load(path, stamp.st_mtime_ns, stamp.st_size).stretched(scale)


@lru_cache(maxsize=256)
def _load(path: str, _changed: int, _size: int) -> Surface:
    need("trimesh", "a picture of meshes")
    meshes = read_mesh(path)
    try:
        parts = [_part(mesh) for mesh in meshes]
    except Exception as problem:  # whatever a broken file makes of trimesh
        raise FormatError(f"{path}: the mesh cannot be read: {problem}") from problem
    if any(part.colors is None for part in parts):
        parts = [Surface(part.corners, part.normals) for part in parts]
    return joined(parts)


def _part(mesh: Any) -> Surface:
    corners = np.asarray(mesh.vertices, dtype=np.float64)[np.asarray(mesh.faces)]
    return Surface(corners.astype(np.float32), corner_normals(corners).astype(np.float32), _colors(mesh))


def _colors(mesh: Any) -> np.ndarray | None:
    """The faces' linear colours, or None where the file gives none."""
    visual = mesh.visual
    if visual.kind == "texture":
        material = visual.material
        image = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
        if image is None:
            color = np.asarray(material.main_color)[:3] / 255.0
            return np.broadcast_to(_tamed(color), (len(mesh.faces), 3))
        visual = visual.to_color()
    if visual.kind is None:
        return None
    return _tamed(np.asarray(visual.face_colors)[:, :3] / 255.0)


def _tamed(srgb: np.ndarray) -> np.ndarray:
    """Linear colours between soot and chalk: files say 0 and 1, which nothing is and which hide all shape."""
    return (0.012 + 0.8 * linear(srgb)).astype(np.float32)


def corner_normals(corners: np.ndarray, crease: float = CREASE) -> np.ndarray:
    """A normal for each corner: the mean over the faces that meet there at less than the crease angle.

    The faces are weighted by area. corners: (t, 3, 3).
    """
    sides = corners[:, 1:] - corners[:, :1]
    areas = np.cross(sides[:, 0], sides[:, 1])
    flat = unit(areas)
    scale = max(float(np.ptp(corners, axis=(0, 1)).max()), 1e-12)
    points = np.round(corners.reshape(-1, 3) / scale * 1e6).astype(np.int64)
    _, vertex = np.unique(points, axis=0, return_inverse=True)
    order = np.argsort(vertex.ravel(), kind="stable")
    vertex, face = vertex.ravel()[order], order // 3
    total = areas[face].copy()
    # Corners of one vertex are neighbours now: compare each with the one `step` further on, until none is left.
    here = np.arange(len(order))
    step = 1
    while True:
        here = here[here < len(order) - step]
        here = here[vertex[here] == vertex[here + step]]
        if not len(here):
            break
        there = here + step
        near = np.einsum("ij,ij->i", flat[face[here]], flat[face[there]]) > crease
        # Within one step each index occurs once on either side, so plain indexed addition is right.
        total[here[near]] += areas[face[there[near]]]
        total[there[near]] += areas[face[here[near]]]
        step += 1
    result = np.empty_like(total)
    result[order] = total
    return unit(result).reshape(corners.shape)
