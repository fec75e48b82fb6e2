"""Things in the room, the gizmo that moves what is chosen, and the limits that hold the figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from manikin.figure import Figure
from manikin.pictures.browser import indexed
from manikin.pictures.surface import box, ring
from manikin.studio.model.document import Document, Thing
from manikin.studio.model.groups import clinical
from manikin.studio.model.posing import target_of
from manikin.studio.view.colors import CHOSEN, LIMIT, SUPPORT, THING
from manikin.studio.view.moving import Mover
from manikin.studio.view.names import unused
from manikin.studio.view.quaternion import matrix_of, wxyz_of

Moved = Callable[[int, np.ndarray, int, str], None]
# The radius of a ring about a large joint, metres, and how many are shown.
RING = 0.055
# Of the figure's extent, that labels are apart in height: more than a line of text at the usual distance.
LABEL_GAP = 0.05
MOST_RINGS = 4
# Of the joints of one label, that are named.
TOLD = 2
# A ring of no more than this share is about a finger.
SMALL = 0.4


class Things:
    """Boxes, as they stand."""

    def __init__(self, scene: Any, clicked: Callable[[int], None]) -> None:
        self._scene, self._clicked = scene, clicked
        self._shown: dict[int, tuple[Thing, Any]] = {}
        scene.add_frame("/things", show_axes=False)

    def show(self, document: Document, selected: int | None) -> None:
        """All of them, as the document has them."""
        wanted = {thing.key: thing for thing in document.things}
        for key in [key for key in self._shown if key not in wanted]:
            self._shown.pop(key)[1].remove()
        for key, thing in wanted.items():
            old = self._shown.get(key)
            color = CHOSEN if key == selected else SUPPORT if thing.role == "support" else THING
            if old is None or old[0].size != thing.size:
                if old is not None:
                    old[1].remove()
                vertices, faces = indexed(box(*thing.size))
                node = self._scene.add_mesh_simple(
                    unused("/things/box"),
                    vertices,
                    faces,
                    color=color,
                    opacity=0.45 if thing.role == "off" else None,
                    receive_shadow=False,
                )
                node.on_click(self._click(key))
            else:
                node = old[1]
                node.color = color
                node.opacity = 0.45 if thing.role == "off" else None
            node.position = np.array(thing.center)
            node.wxyz = wxyz_of(thing.rotation)
            self._shown[key] = (thing, node)

    def _click(self, key: int) -> Callable[[Any], Any]:
        async def clicked(event: Any) -> None:
            self._clicked(key)

        return clicked


class Gizmo:
    """Arrows and rings at what is chosen; a goal that is a point has no rings."""

    def __init__(self, scene: Any, moved: Moved) -> None:
        self._scene, self._moved = scene, moved
        self._key: int | None = None
        self._handle: Any = None
        self._turns = False
        self.held = False

    def show(self, document: Document, selected: int | None) -> None:
        """At the chosen goal or thing, or nowhere."""
        frame, turns = _place(document, selected)
        if frame is None or selected is None:
            self._remove()
            return
        if self._handle is None or self._key != selected or self._turns != turns:
            self._remove()
            self._key, self._turns = selected, turns
            self._handle = self._scene.add_transform_controls(
                unused("/gizmo"), scale=0.22, line_width=3.0, disable_rotations=not turns, depth_test=False
            )
            self._handle.on_update(self._update)
        if not self.held:
            self._handle.position = frame[:3, 3]
            self._handle.wxyz = wxyz_of(frame[:3, :3])

    async def _update(self, event: Any) -> None:
        self.held = event.phase != "end"
        if self._key is None:
            return
        frame = np.eye(4)
        frame[:3, 3] = event.target.position
        frame[:3, :3] = matrix_of(event.target.wxyz)
        self._moved(self._key, frame, event.client_id, event.phase)

    def _remove(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle, self._key = None, None
            self.held = False


def _place(document: Document, selected: int | None) -> tuple[np.ndarray | None, bool]:
    """The frame of what is chosen, and whether it turns."""
    for thing in document.things:
        if thing.key == selected:
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = thing.rotation, thing.center
            return frame, True
    for entry in document.goals:
        if entry.key == selected:
            found = target_of(entry.goal)
            if found is not None and entry.goal.kind() == "orientation":
                found[:3, 3] = document.pose.position(entry.goal.site)
            return found, entry.goal.kind() in ("placement", "orientation")
    return None, False


@cache
def _ring() -> tuple[np.ndarray, np.ndarray]:
    return indexed(ring(RING, 0.006, sectors=40))


def _ring_size(figure: Figure, name: str) -> float:
    """How large a joint's ring is, as a share of the largest: by the thickness of the segment that it moves."""
    joint = figure.joints[figure.dof(name).joint]
    shapes = [shape for shape in figure.segments[joint.child].shapes if shape.kind != "mesh"]
    thick = max((min(float(edge) for edge in shape.size) for shape in shapes), default=RING)
    return float(np.clip(1.6 * thick / RING, 0.25, 1.0))


def _spoken(names: list[str]) -> str:
    """Joints that are at their limits, those of both sides together."""
    said: list[str] = []
    for name in names:
        side, _, rest = name.partition(" ")
        other = {"Left": "Right", "Right": "Left"}.get(side)
        if other is not None and f"{other} {rest}" in names:
            name = f"Left and right {rest}"
        if name not in said:
            said.append(name)
    more = f" and {len(said) - TOLD} more" if len(said) > TOLD else ""
    return f"{', '.join(said[:TOLD])}{more}: at {'its limit' if len(names) == 1 else 'their limits'}"


class LimitMarks:
    """Red rings about the joints whose limits hold the figure, with their clinical names.

    Rings come and go many times in a drag: one that was made stays, and is shown again when it is wanted.
    """

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self.shown: tuple[str, ...] = ()
        self._figure: Figure | None = None
        self._nodes: dict[str, tuple[Any, Any]] = {}
        self._mover = Mover([])
        self._carriers: list[int] = []
        self._placements = np.zeros((0, 4, 4))
        scene.add_frame("/limits", show_axes=False)

    def show(self, document: Document, names: Iterable[str]) -> None:
        """Rings about these degrees of freedom's joints."""
        figure = document.figure
        if figure is not self._figure:
            self._forget(figure)
        joints = [name for name in names if name in figure.dofs and figure.dof(name).joint != "root"]
        # Large joints first: what holds a body is a shoulder or a knee before it is a finger, of which one will do.
        sizes = {name: _ring_size(figure, name) for name in joints}
        largest = max(sizes.values(), default=1.0)
        most = MOST_RINGS if largest > SMALL else 1
        alike = [name for name in joints if sizes[name] >= 0.5 * largest]
        wanted = tuple(sorted(alike, key=lambda name: -sizes[name])[:most])
        for name in self.shown:
            if name not in wanted:
                for node in self._nodes[name]:
                    node.visible = False
        for name in wanted:
            if name not in self._nodes:
                self._nodes[name] = self._make(document, name)
            elif name not in self.shown:
                self._nodes[name][0].visible = True
        if wanted != self.shown:
            self.shown = wanted
            joints_of = [figure.joints[figure.dof(name).joint] for name in wanted]
            self._mover = Mover([self._nodes[name][0] for name in wanted])
            self._carriers = [figure.segment_index[joint.child] for joint in joints_of]
            self._placements = np.array([joint.child_placement for joint in joints_of]).reshape(-1, 4, 4)
        self.follow(document)
        self._label(document)

    def _label(self, document: Document) -> None:
        """A label for each height, with the names of all joints there: side by side they would lie over each other."""
        figure = document.figure
        frames = document.pose.segment_frames
        gap = LABEL_GAP * float(np.ptp(frames[:, :3, 3], axis=0).max())
        heights: list[tuple[float, list[str]]] = []
        for name in self.shown:
            joint = figure.joints[figure.dof(name).joint]
            height = float((frames[figure.segment_index[joint.child]] @ joint.child_placement)[2, 3])
            near = next((names for other, names in heights if abs(other - height) < gap), None)
            if near is None:
                heights.append((height, [name]))
            else:
                near.append(name)
        for _, names in heights:
            for k, name in enumerate(names):
                self._nodes[name][1].visible = k == 0
            text = _spoken([clinical(figure, name) for name in names])
            if self._nodes[names[0]][1].text != text:
                self._nodes[names[0]][1].text = text

    def _forget(self, figure: Figure) -> None:
        """Take all rings away: they were another figure's."""
        for node, _ in self._nodes.values():
            node.remove()
        self._nodes.clear()
        self._figure, self.shown = figure, ()

    def _make(self, document: Document, name: str) -> tuple[Any, Any]:
        vertices, faces = _ring()
        path = unused(f"/limits/{name}")
        size = _ring_size(document.figure, name)
        node = self._scene.add_mesh_simple(
            path, size * vertices, faces, color=LIMIT, cast_shadow=False, receive_shadow=False
        )
        label = self._scene.add_label(
            f"{path}/name",
            f"{clinical(document.figure, name)}: at its limit",
            position=(0.06 * size, 0.06 * size, 0.06 * size),
            font_screen_scale=0.8,
            anchor="center-left",
        )
        return node, label

    def follow(self, document: Document) -> None:
        """Go with the figure."""
        if not self.shown:
            return
        if document.figure is not self._figure:
            self._forget(document.figure)
            return
        frames = document.pose.segment_frames[self._carriers] @ self._placements
        all_of_them = range(len(self.shown))
        self._mover.shift(all_of_them, frames[:, :3, 3])
        self._mover.turn(all_of_them, wxyz_of(frames[:, :3, :3]))
