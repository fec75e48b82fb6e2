"""The centre of mass and what it has to stay above, while the figure moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Figure
from manikin.figure.sole import outline
from manikin.goals import Balance
from manikin.pictures.browser import indexed
from manikin.pictures.surface import sphere
from manikin.studio.model.document import Document
from manikin.studio.model.gestures import settled
from manikin.studio.view.colors import MISSED, REACHED, Color
from manikin.studio.view.moving import Mover
from manikin.studio.view.names import unused

LIFT = 0.004
# Corners that a polygon may have more before its mesh is made anew.
SPARE = 8


class BalanceMark:
    """A ball at the centre of mass, its plumb line, its foot on the ground and the polygon of the support."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._nodes: dict[str, Any] = {}
        self._mover = Mover([])
        self._root = ""
        self._corners = np.zeros((0, 3))
        self._color: Color | None = None
        self._standing: tuple[np.ndarray, np.ndarray] | None = None
        self._known: tuple[Figure, str | Sequence[str] | None, list[int], np.ndarray] | None = None

    def show(self, document: Document) -> None:
        """Follow the figure; nothing is shown where no balance is kept."""
        entry = next((entry for entry in document.balances() if entry.active), None)
        if entry is None:
            self.remove()
            return
        try:
            goal = settled(document, entry.goal)
            if not isinstance(goal, Balance):  # no foot stands
                self.remove()
                return
            corners = self._outline(document, goal)
            center = document.pose.center_of_mass()
        except ManikinError:
            self.remove()
            return
        inside = _inside(corners, center) >= getattr(entry.goal, "margin", 0.0) - 1e-4
        color = REACHED if inside else MISSED
        if not self._nodes:
            self._make(color)
        elif color != self._color:
            self._paint(color)
        if corners is not self._corners:
            self._polygon(corners, color)
        ground = float(corners[:, 2].min()) + LIFT
        below = np.array([center[0], center[1], ground])
        self._mover.shift((0, 1), np.array([center, below]))
        self._nodes["line"].points = np.array([[center, below]], np.float32)

    def _outline(self, document: Document, goal: Balance) -> np.ndarray:
        """The corners of the support; those of before while all its points stay, as under pinned feet."""
        points = self._points(document, goal)
        before = self._standing
        if before is None or before[0].shape != points.shape or np.abs(before[0] - points).max() > 1e-4:
            before = self._standing = points, outline(points)
        return before[1]

    def _points(self, document: Document, goal: Balance) -> np.ndarray:
        """The points of support in the world; which they are is found out once for a figure and what supports it."""
        figure = document.figure
        if self._known is None or self._known[0] is not figure or self._known[1] != goal.support:
            listed = goal.settle(document.pose).points()
            index = [_frame_index(figure, name) for name, _ in listed]
            self._known = (figure, goal.support, index, np.array([point for _, point in listed]))
        _, _, index, points = self._known
        placed = document.pose.frames[index]
        return np.einsum("nij,nj->ni", placed[:, :3, :3], points) + placed[:, :3, 3]

    def _make(self, color: Color) -> None:
        self._color = color
        options: dict[str, Any] = {"color": color, "cast_shadow": False, "receive_shadow": False}
        vertices, faces = indexed(sphere(0.018, sectors=12))
        self._root = unused("/balance")
        self._scene.add_frame(self._root, show_axes=False)
        self._nodes["ball"] = self._scene.add_mesh_simple(
            f"{self._root}/centre of mass", vertices, faces, **options
        )
        self._nodes["foot"] = self._scene.add_mesh_simple(
            f"{self._root}/foot", 0.6 * vertices, faces, **options
        )
        self._nodes["line"] = self._scene.add_line_segments(
            f"{self._root}/plumb line",
            np.zeros((1, 2, 3), np.float32),
            color,
            thickness=2.0,
            thickness_units="screen",
        )
        self._mover = Mover([self._nodes["ball"], self._nodes["foot"]])

    def _paint(self, color: Color) -> None:
        self._color = color
        for name, node in self._nodes.items():
            if name == "line":
                node.colors = np.broadcast_to(np.array(color, np.uint8), np.shape(node.colors)).copy()
            else:
                node.color = color

    def _polygon(self, corners: np.ndarray, color: Color) -> None:
        self._corners = corners
        if len(corners) < 3:
            return
        area = self._nodes.get("area")
        if area is not None and len(corners) < len(area.vertices):
            area.vertices = fan(corners, len(area.vertices))
            return
        vertices = fan(corners, len(corners) + 1 + SPARE)
        rim = np.arange(1, len(vertices))
        faces = np.stack([np.zeros_like(rim), rim, np.roll(rim, -1)], axis=1).astype(np.uint32)
        self._nodes["area"] = self._scene.add_mesh_simple(
            f"{self._root}/support",
            vertices,
            faces,
            color=color,
            opacity=0.3,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )

    def remove(self) -> None:
        """Take it away."""
        if self._nodes:
            self._scene.remove_by_name(self._root)
            self._nodes.clear()
            self._corners = np.zeros((0, 3))


def fan(corners: np.ndarray, count: int) -> np.ndarray:
    """A polygon's middle and its corners, flat, a little above the lowest, as so many vertices: the last corner is
    repeated, so that a polygon of other corners has the same faces."""
    flat = corners.astype(np.float32)
    flat[:, 2] = corners[:, 2].min() + LIFT
    more = np.broadcast_to(flat[-1], (count - 1 - len(flat), 3))
    return np.concatenate([flat.mean(axis=0)[None], flat, more])


def _frame_index(figure: Figure, name: str) -> int:
    """Where a pose has the frame of a site, or of ``segment:`` and its name."""
    segment = name.removeprefix("segment:")
    return figure.segment_index[segment] if segment != name else figure.frame_index[name]


def _inside(corners: np.ndarray, point: np.ndarray) -> float:
    """How far a point is inside a polygon seen from above, its corners counter-clockwise."""
    if len(corners) < 3:
        return -1.0
    sides = (np.roll(corners, -1, axis=0) - corners)[:, :2]
    lengths = np.maximum(np.linalg.norm(sides, axis=1), 1e-12)
    away = point[:2] - corners[:, :2]
    return float(((sides[:, 0] * away[:, 1] - sides[:, 1] * away[:, 0]) / lengths).min())
