"""Triangles that rays can hit, by way of Embree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.pictures.extra import need
from manikin.pictures.surface import Surface, joined, unit

FAR = np.float32(1e30)


@dataclass(frozen=True, eq=False)
class Hits:
    """Where rays first meet a layer: distances (FAR for none), triangles (−1), and two weights of their corners."""

    distance: np.ndarray
    triangle: np.ndarray
    u: np.ndarray
    v: np.ndarray


class Layer:
    """Painted surfaces, ready for rays. Rays are (n, 3) float32, origins and unit directions."""

    def __init__(self, surfaces: Sequence[Surface]) -> None:
        whole = joined(surfaces)
        self.corners = np.ascontiguousarray(whole.corners)
        self.normals = whole.normals
        self.colors = whole.colors if whole.colors is not None else np.zeros((0, 3), np.float32)
        self.part = np.repeat(np.arange(len(surfaces), dtype=np.int32), [len(part) for part in surfaces])
        self._scene = self._built() if len(whole) else None

    def _built(self) -> object:
        scene = need("embreex.rtcore_scene", "a picture").EmbreeScene()
        need("embreex.mesh_construction", "a picture").TriangleMesh(scene, self.corners)
        return scene

    def __len__(self) -> int:
        return len(self.corners)

    def hits(self, origins: np.ndarray, directions: np.ndarray) -> Hits:
        """The first triangle that each ray meets."""
        count = len(directions)
        if self._scene is None or not count:
            none = np.zeros(count, np.float32)
            return Hits(np.full(count, FAR), np.full(count, -1, np.int32), none, none)
        found = self._scene.run(origins, directions, output=True)  # type: ignore[attr-defined]
        triangle = found["primID"]
        return Hits(np.where(triangle >= 0, found["tfar"], FAR), triangle, found["u"], found["v"])

    def blocked(self, origins: np.ndarray, directions: np.ndarray, reach: float) -> np.ndarray:
        """Whether each ray meets anything within a distance."""
        count = len(directions)
        if self._scene is None or not count:
            return np.zeros(count, dtype=bool)
        distances = np.full(count, reach, np.float32)
        found = self._scene.run(origins, directions, distances, query="OCCLUDED")  # type: ignore[attr-defined]
        return found >= 0

    def at(
        self, hits: Hits, which: np.ndarray, directions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points, smooth normals that face the eye, and colours, of the rays `which`, all of which hit.

        Points are lifted from the flat triangle towards the smooth surface that its normals describe (Hanika 2021), so
        that the facets cast no shadows on each other.
        """
        triangle = hits.triangle[which]
        u, v = hits.u[which, None], hits.v[which, None]
        weights = (np.float32(1.0) - u - v, u, v)
        corners = [self.corners[triangle, k] for k in range(3)]
        normals = [self.normals[triangle, k] for k in range(3)]
        points = weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2]
        smooth = unit(weights[0] * normals[0] + weights[1] * normals[1] + weights[2] * normals[2])
        lift = np.zeros_like(points)
        for weight, corner, normal in zip(weights, corners, normals, strict=True):
            below = np.minimum(np.einsum("ni,ni->n", points - corner, normal), np.float32(0.0))
            lift += (weight * below[:, None]) * normal
        points -= lift
        flat = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        away = np.einsum("ni,ni->n", flat, directions[which]) > 0.0
        smooth[away] *= np.float32(-1.0)
        return points, smooth, self.colors[triangle]
