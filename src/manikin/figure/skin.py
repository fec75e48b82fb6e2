"""A surface that moves with a figure: each vertex follows some segments, by weights (linear blend skinning).

With Wⱼ the frame of segment j in the world and Bⱼ its bind matrix, a vertex v is Σⱼ wⱼ Wⱼ Bⱼ v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import transforms
from manikin.figure.checks import frozen

if TYPE_CHECKING:
    from manikin.figure import Pose


@dataclass(frozen=True, eq=False)
class Skin:
    """Vertices, triangles, and which segments carry each vertex.

    vertices: (V, 3). triangles: (F, 3), indices of vertices.
    segments: the names of those that carry it; bind: (J, 4, 4), one a segment, from the vertices' frame to the
        segment's.
    joints, weights: (V, k): for each vertex k indices into `segments`, and how much each counts; weights sum to one.
    color: red, green and blue from 0 to 1, or None.
    """

    name: str
    vertices: Any
    triangles: Any
    segments: Sequence[str]
    bind: Any
    joints: Any
    weights: Any
    color: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        where = f"skin {self.name!r}"
        vertices, weights = frozen(self.vertices), frozen(self.weights)
        bind = frozen(self.bind)
        triangles = np.array(self.triangles, dtype=np.int64)
        joints = np.array(self.joints, dtype=np.int64)
        count, held = len(vertices), len(self.segments)
        if vertices.shape != (count, 3) or triangles.ndim != 2 or triangles.shape[1] != 3:
            raise FigureError(f"{where}: expected vertices (V, 3) and triangles (F, 3)")
        if bind.shape != (held, 4, 4) or joints.shape != weights.shape or len(joints) != count:
            raise FigureError(f"{where}: expected bind (segments, 4, 4), joints and weights (V, k)")
        if not np.isfinite(vertices).all() or not np.isfinite(weights).all() or not np.isfinite(bind).all():
            raise FigureError(f"{where}: its numbers must be finite")
        if triangles.size and (triangles.min() < 0 or triangles.max() >= count):
            raise FigureError(f"{where}: a triangle has a vertex that is not there")
        if joints.size and (joints.min() < 0 or joints.max() >= held):
            raise FigureError(f"{where}: a vertex follows a segment that is not there")
        for array in (triangles, joints):
            array.flags.writeable = False
        self.__dict__.update(
            vertices=vertices,
            triangles=triangles,
            segments=tuple(self.segments),
            bind=bind,
            joints=joints,
            weights=weights,
        )

    def posed(self, pose: Pose, *, dual: bool = False) -> np.ndarray:
        """Where the vertices are at a pose, in the world, (V, 3).

        dual: by dual quaternions instead of blended matrices (Kavan and others 2008, ACM Trans. Graph. 27:105): the
            blend of two motions is a rigid motion too, so that a shoulder turned far does not collapse. Files and
            viewers know matrices only.
        """
        frames = pose.matrices()
        moved = np.array([frames[name] for name in self.segments]) @ self.bind
        if dual:
            return self._dual(moved)
        whole = np.column_stack([self.vertices, np.ones(len(self.vertices))])
        result = np.zeros((len(whole), 3))
        for k in range(self.joints.shape[1]):
            place = np.einsum("vij,vj->vi", moved[self.joints[:, k], :3], whole)
            result += self.weights[:, k : k + 1] * place
        return result

    def _dual(self, moved: np.ndarray) -> np.ndarray:
        """v' = R(q) v + 2 (t q*) with q, t the normalised sums of the parts' unit quaternions and dual parts.

        Quaternions of a vertex are first brought to the hemisphere of the one that counts most.
        """
        turn = transforms.unit_quaternions(moved[:, :3, :3])  # x, y, z, w
        shift = np.column_stack([moved[:, :3, 3], np.zeros(len(moved))])
        half = 0.5 * _product(shift, turn)
        first = turn[np.take_along_axis(self.joints, self.weights.argmax(axis=1)[:, None], axis=1)[:, 0]]
        real, dual = np.zeros((len(self.vertices), 4)), np.zeros((len(self.vertices), 4))
        for k in range(self.joints.shape[1]):
            own = turn[self.joints[:, k]]
            weight = self.weights[:, k] * np.where((own * first).sum(axis=1) < 0.0, -1.0, 1.0)
            real += weight[:, None] * own
            dual += weight[:, None] * half[self.joints[:, k]]
        length = np.maximum(np.linalg.norm(real, axis=1), 1e-12)[:, None]
        real, dual = real / length, dual / length
        back = real * [-1.0, -1.0, -1.0, 1.0]
        place = _product(real, _product(np.column_stack([self.vertices, np.zeros(len(real))]), back))
        return place[:, :3] + 2.0 * _product(dual, back)[:, :3]

    def posed_normals(self, vertices: np.ndarray) -> np.ndarray:
        """Unit normals at vertices that `posed` gave, (V, 3): the mean of the triangles' around, by area."""
        a, b, c = (vertices[self.triangles[:, k]] for k in range(3))
        area = np.cross(b - a, c - a)
        total = np.zeros_like(vertices)
        for axis in range(3):
            for k in range(3):
                total[:, axis] += np.bincount(self.triangles[:, k], area[:, axis], len(vertices))
        return total / np.maximum(np.linalg.norm(total, axis=1), 1e-30)[:, None]


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of quaternions (…, 4), the real part last."""
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    return np.concatenate(
        [s * v + t * u + np.cross(u, v), s * t - (u * v).sum(axis=-1, keepdims=True)], axis=-1
    )
