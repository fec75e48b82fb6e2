"""The surface of a set of voxels, closed, with its holes; and its files: STL, OBJ, glTF."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import FormatError, SolveError
from manikin.files import whole_file
from manikin.reach.extra import need

if TYPE_CHECKING:
    from manikin.reach.grid import Grid

_SUFFIXES = (".stl", ".obj", ".glb", ".gltf", ".ply")


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in metres: vertices (count, 3), faces (count, 3), the outside being where their corners turn left."""

    vertices: np.ndarray
    faces: np.ndarray

    @property
    def volume(self) -> float:
        """What it encloses, holes taken out: Σ a·(b × c) / 6."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)

    @property
    def area(self) -> float:
        """Of all of it."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())

    @property
    def closed(self) -> bool:
        """Whether every edge has two sides."""
        edges = self.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
        there, back = (
            edges[:, 0] * len(self.vertices) + edges[:, 1],
            edges[:, 1] * len(self.vertices) + edges[:, 0],
        )
        return bool(np.array_equal(np.sort(there), np.sort(back)))

    def beyond(self, axis: int, at: float) -> Surface:
        """What of it lies beyond a coordinate of axis 0, 1 or 2, open where it was cut."""
        trimesh = need("trimesh", "a surface that is cut")
        origin, normal = np.zeros(3), np.zeros(3)
        origin[axis], normal[axis] = at, 1.0
        cut = trimesh.intersections.slice_faces_plane(self.vertices, self.faces, normal, origin)
        return Surface(np.asarray(cut[0], dtype=float), np.asarray(cut[1], dtype=np.int64))

    def save(self, path: str | os.PathLike[str]) -> None:
        """To a file for CAD: ``.stl`` (binary), ``.obj``, ``.ply``, ``.glb`` or ``.gltf`` by its ending."""
        suffix = Path(path).suffix.lower()
        if suffix not in _SUFFIXES:
            raise FormatError(f"{path}: a surface is written as {', '.join(_SUFFIXES)}")
        trimesh = need("trimesh", "a mesh file")
        mesh = trimesh.Trimesh(self.vertices, self.faces, process=False)
        data = mesh.export(file_type=suffix[1:])
        if suffix == ".gltf":  # several files; one with everything inside is what is meant
            data = _one_gltf(data)
        with whole_file(path) as beside:
            beside.write_bytes(data.encode() if isinstance(data, str) else data)


def _one_gltf(files: dict[str, bytes]) -> bytes:
    """A glTF with its buffers inside, as data URIs."""
    import base64
    import json

    made = json.loads(files["model.gltf"])
    for buffer in made["buffers"]:
        raw = base64.b64encode(files[buffer["uri"]]).decode()
        buffer["uri"] = f"data:application/octet-stream;base64,{raw}"
    return json.dumps(made).encode()


def surface_of(grid: Grid, inside: np.ndarray, smooth: float = 0.0) -> Surface:
    """The surface halfway between points that are inside and their neighbours that are not (marching cubes).

    smooth: by so many points, for the eye; the set is then no longer told apart point by point.
    """
    if not inside.any():
        raise SolveError("surface: nothing is reached, so there is none")
    measure = need("skimage.measure", "a surface")
    margin = 1 + int(np.ceil(3.0 * smooth))
    padded = np.pad(inside.astype(np.float32), margin)
    if smooth > 0.0:
        ndimage = need("scipy.ndimage", "a smooth surface")
        padded = ndimage.gaussian_filter(padded, smooth)
    vertices, faces, _, _ = measure.marching_cubes(padded, 0.5)
    places = np.array(grid.origin) + grid.pitch * (vertices.astype(np.float64) - margin)
    made = Surface(places, faces.astype(np.int64))
    return made if made.volume > 0.0 else Surface(places, faces[:, ::-1].astype(np.int64))
