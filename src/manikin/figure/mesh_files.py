"""Files of meshes, read by trimesh: of known kinds, within bounds, and with them only what lies beside them.

What a mesh refers to, materials, textures and buffers, follows the rule of `manikin.references`: it lies below the
mesh's own folder, or in the ROS package that the mesh lies in (the nearest folder above it with a package.xml).
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.figure.checks import GREATEST
from manikin.files import is_file, read_bytes, shown_path
from manikin.references import References

#: What is read, by suffix.
KINDS = (".stl", ".obj", ".dae", ".ply", ".off", ".glb", ".gltf")
#: Bytes of a mesh, and of what it refers to, each. A scan of ten million triangles is 500 MB of STL.
MOST_BYTES = 512 << 20
_MOST_BESIDE = 64 << 20
_ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)")


def read_mesh(path: str | os.PathLike[str]) -> list[Any]:
    """The meshes in a file, as trimesh has them, each in the file's frame, with triangles; a FormatError says why not,
    an ImportError that trimesh is missing.
    """
    import trimesh

    file = Path(path)
    kind = file.suffix.lower()
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise FormatError(f"{shown_path(path, quoted=False)}: unknown kind of mesh; expected one of: {known}")
    data = read_bytes(file, "mesh", MOST_BYTES)
    beside: Any = _Beside(file)
    if kind == ".dae" and _ENTITY.search(data):
        raise FormatError(f"{path}: the mesh cannot be read: it declares entities")
    try:
        with np.errstate(all="ignore"):
            scene = trimesh.load_scene(io.BytesIO(data), file_type=kind[1:], resolver=beside)
            parts = [part for part in scene.dump() if len(getattr(part, "faces", ()))]
        for part in parts:
            _check(part)
    except (
        Exception,
        MemoryError,
        RecursionError,
    ) as problem:  # whatever a broken file makes of trimesh's readers
        said = " ".join(str(problem).split())[:200]
        raise FormatError(f"{path}: the mesh cannot be read: {said or type(problem).__name__}") from None
    if not parts:
        raise FormatError(f"{path}: the mesh has no triangles")
    return parts


def _check(part: Any) -> None:
    """A ValueError where a mesh has triangles of no corners, or corners that are nowhere."""
    corners, faces = np.asarray(part.vertices), np.asarray(part.faces)
    if corners.shape[1:] != (3,) or faces.shape[1:] != (3,):
        raise ValueError(f"its corners and triangles have shapes {corners.shape} and {faces.shape}")
    if faces.min() < 0 or faces.max() >= len(corners):
        raise ValueError("a triangle has corners that are not there")
    if not (np.abs(corners) <= GREATEST).all():
        raise ValueError("a corner is not finite, or beyond 1e9")


class _Beside:
    """What trimesh asks for files that a mesh refers to."""

    def __init__(self, mesh: Path) -> None:
        self._mesh = mesh
        package = next((above for above in mesh.absolute().parents if is_file(above / "package.xml")), None)
        self._references = References(mesh, () if package is None else (package,))

    def get(self, name: str) -> bytes:
        """The bytes of a file beside the mesh."""
        path = self._references.path(str(name), str(self._mesh))
        return read_bytes(path, "file of a mesh", _MOST_BESIDE)

    __getitem__ = get

    def namespaced(self, namespace: str) -> _Beside:
        """The same: names of the parts of a scene are no folders."""
        return self

    def keys(self) -> tuple[str, ...]:
        """Nothing is listed."""
        return ()
