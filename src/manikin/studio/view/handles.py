"""The handles of a person's parts, each with its pin, and the rings that turn the chosen one.

They are drawn over the body (`server/handles.js`). A ball carries hips, chest, head, hands and feet; elbows and knees
have a diamond, a pole that their limb swings to. The pin stands beside it: pale where the part is free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.figure import Figure
from manikin.goals import Pin
from manikin.pictures.browser import indexed
from manikin.pictures.surface import sphere
from manikin.studio.model.document import Document
from manikin.studio.model.parts import Part, parts
from manikin.studio.view.colors import CHOSEN, FREE, HANDLE, PINNED
from manikin.studio.view.moving import Mover
from manikin.studio.view.names import unused
from manikin.studio.view.quaternion import matrix_of, wxyz_of

Grabbed = Callable[[str, Any], None]
Turned = Callable[[str, np.ndarray, Any], None]
Clicked = Callable[[str, Any], None]

#: Of the figure's height: a handle's radius, a pin's height, how far above its handle it stands, a ring's radius.
BALL, PIN, ABOVE, RING = 0.013, 0.030, 0.020, 0.16
POLES = ("elbow", "knee")


class Handles:
    """The handles of one figure; none of figures that are no people."""

    def __init__(
        self, scene: Any, grabbed: Grabbed, clicked: Clicked, pinned: Clicked, turned: Turned
    ) -> None:
        self._scene = scene
        self._grabbed, self._clicked, self._pinned, self._turned = grabbed, clicked, pinned, turned
        self._figure: Figure | None = None
        self._root = ""
        self._parts: dict[str, Part] = {}
        self._mover = Mover([])
        self._index: list[int] = []
        self._nodes: dict[str, tuple[Any, Any]] = {}
        self._places = np.zeros((0, 3))
        self._ring: Any = None
        self._ring_of = ""
        self._size = 1.0
        self.held = False
        self.on = True

    def show(self, document: Document, chosen: str) -> None:
        """The handles of a document's figure where they are, its pins as they are, rings about the chosen part."""
        if document.figure is not self._figure:
            self._make(document)
        on = {entry.goal.site for entry in document.goals if entry.active and isinstance(entry.goal, Pin)}
        for name, (grip, pin) in self._nodes.items():
            _paint(grip, CHOSEN if name == chosen else HANDLE)
            _paint(pin, PINNED if self._parts[name].site in on else FREE)
        self._show_ring(document, chosen)
        self.follow(document)

    def follow(self, document: Document) -> None:
        """Go with the figure."""
        if document.figure is not self._figure or not self._parts:
            return
        frames = document.pose.frames[self._index]
        places = frames[:, :3, 3]
        moved = np.flatnonzero((np.abs(places - self._places) > 2e-6).any(axis=1))
        self._mover.shift(moved.tolist(), places[moved])
        self._places[moved] = places[moved]
        if self._ring is not None and not self.held:
            frame = frames[list(self._parts).index(self._ring_of)]
            self._ring.position, self._ring.wxyz = frame[:3, 3], wxyz_of(frame[None, :3, :3])[0]

    def _make(self, document: Document) -> None:
        figure = self._figure = document.figure
        self._remove_ring()
        if self._root:
            self._scene.remove_by_name(self._root)
        self._root = unused("/handles")
        self._scene.add_frame(self._root, show_axes=False, visible=self.on)
        self._parts, self._nodes = parts(figure), {}
        self._index = [figure.frame_index[part.site] for part in self._parts.values()]
        self._places = np.full((len(self._parts), 3), np.inf)
        frames = document.pose.frames
        self._size = float(np.ptp(frames[:, 2, 3])) if self._parts else 1.0
        self._mover = Mover([self._draw(part) for part in self._parts.values()])

    def _draw(self, part: Part) -> Any:
        path = f"{self._root}/{part.name}"
        node = self._scene.add_frame(path, show_axes=False)
        options: dict[str, Any] = {"cast_shadow": False, "receive_shadow": False}
        vertices, faces = _diamond() if part.kind in POLES else indexed(sphere(1.0, sectors=10))
        grip = self._scene.add_mesh_simple(
            f"{path}/grip",
            BALL * self._size * vertices,
            faces,
            color=HANDLE,
            opacity=0.85,
            flat_shading=True,
            **options,
        )
        grip.on_drag("left")(_bound(self._grabbed, part.name))
        grip.on_click(_bound(self._clicked, part.name))
        vertices, faces = _pin()
        pin = self._scene.add_mesh_simple(
            f"{path}/pin",
            self._size * (PIN * vertices + [0.0, 0.0, ABOVE]),
            faces,
            color=FREE,
            opacity=0.85,
            flat_shading=True,
            **options,
        )
        pin.on_click(_bound(self._pinned, part.name))
        self._nodes[part.name] = grip, pin
        return node

    def _show_ring(self, document: Document, chosen: str) -> None:
        part = self._parts.get(chosen)
        if part is None or part.kind in POLES or not self.on:
            self._remove_ring()
            return
        if self._ring is not None and self._ring_of == chosen:
            return
        self._remove_ring()
        self._ring_of = chosen
        self._ring = self._scene.add_transform_controls(
            unused("/turn"),
            scale=RING * self._size,
            line_width=3.0,
            disable_axes=True,
            disable_sliders=True,
            depth_test=False,
        )
        self._ring.on_update(self._update)

    async def _update(self, event: Any) -> None:
        self.held = event.phase != "end"
        frame = np.eye(4)
        frame[:3, 3] = event.target.position
        frame[:3, :3] = matrix_of(event.target.wxyz)
        self._turned(self._ring_of, frame, event)

    def _remove_ring(self) -> None:
        if self._ring is not None:
            self._ring.remove()
            self._ring, self._ring_of, self.held = None, "", False

    def switch(self, on: bool, document: Document, chosen: str) -> None:
        """Show the handles, or do not."""
        self.on = on
        self._figure = None
        self.show(document, chosen)


def _paint(node: Any, color: tuple[int, int, int]) -> None:
    if tuple(node.color) != color:
        node.color = color


def _bound(call: Callable[[str, Any], None], name: str) -> Callable[[Any], Any]:
    async def bound(event: Any) -> None:
        call(name, event)

    return bound


def _diamond() -> tuple[np.ndarray, np.ndarray]:
    """Eight faces."""
    vertices = 1.25 * np.array(
        [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32
    )
    ring = [0, 2, 1, 3]
    faces = [(ring[k], ring[(k + 1) % 4], 4) for k in range(4)] + [
        (ring[(k + 1) % 4], ring[k], 5) for k in range(4)
    ]
    return vertices, np.array(faces, np.uint32)


def _pin() -> tuple[np.ndarray, np.ndarray]:
    """A drawing pin of height 1 that stands on its point: a needle, and a head of two cones."""
    sectors = 8
    angle = 2.0 * np.pi * np.arange(sectors) / sectors
    rows = [(0.05, 0.5), (0.34, 0.62), (0.22, 0.8), (0.34, 1.0)]
    rings = [np.stack([r * np.cos(angle), r * np.sin(angle), np.full(sectors, z)], axis=1) for r, z in rows]
    vertices = np.concatenate([[[0.0, 0.0, 0.0]], *rings, [[0.0, 0.0, 1.0]]]).astype(np.float32)
    faces = []
    for k in range(sectors):
        after = (k + 1) % sectors
        faces.append((0, 1 + after, 1 + k))
        for row in range(len(rows) - 1):
            a, b = 1 + row * sectors + k, 1 + row * sectors + after
            faces += [(a, b, b + sectors), (a, b + sectors, a + sectors)]
        top = 1 + (len(rows) - 1) * sectors
        faces.append((top + k, top + after, len(vertices) - 1))
    return vertices, np.array(faces, np.uint32)
