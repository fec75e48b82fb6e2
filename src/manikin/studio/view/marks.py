"""Goals as what they are, in the colour of how well they are met, and the miss as a line with its length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Pose
from manikin.goals import Balance, Goal, Inside, Outside, Placement, Position
from manikin.pictures import color as light
from manikin.pictures.browser import indexed
from manikin.pictures.marks import Marks as Drawn
from manikin.pictures.more_marks import draw
from manikin.pictures.surface import Surface, joined
from manikin.studio.model.document import Document, Entry
from manikin.studio.model.making import describe
from manikin.studio.model.posing import Found, target_of
from manikin.studio.view.colors import CHOSEN, MISSED, OFF, REACHED, Color, met
from manikin.studio.view.names import unused
from manikin.studio.view.quaternion import wxyz_of

# Of a figure's size.
SIZE = 1.5
CLEAR = 0.28
# Corners of a mark's circles.
SECTORS = 12


@dataclass
class _Mark:
    """What is drawn of one entry: under `frame`, the goal as it was when it was drawn; beside it, the miss.

    color: of how well the goal is met. painted: of the nodes.
    """

    entry: Entry
    path: str
    nodes: list[Any]
    frame: Any
    drawn: Goal
    line: Any = None
    label: Any = None
    color: Color = OFF
    chosen: bool = False
    painted: Color | None = None


class GoalMarks:
    """The marks of a document's goals.

    `show` draws them anew; `follow` moves only what moves with the figure: misses, and the centre of mass.
    """

    def __init__(
        self, scene: Any, clicked: Callable[[int], None], grabbed: Callable[[int, Any], None]
    ) -> None:
        self._scene = scene
        self._clicked, self._grabbed = clicked, grabbed
        self._marks: dict[int, _Mark] = {}
        self._root = "/goals"
        scene.add_frame(self._root, show_axes=False)

    def show(self, document: Document, found: Found | None, selected: int | None) -> None:
        """All marks, for the goals as they are."""
        pose = document.pose
        wanted = {entry.key for entry in document.goals}
        for key in [key for key in self._marks if key not in wanted]:
            self._scene.remove_by_name(self._marks.pop(key).path)
        for entry in document.goals:
            self._draw(entry, pose, found, chosen=entry.key == selected)
        self.follow(document, found)

    def _draw(self, entry: Entry, pose: Pose, found: Found | None, *, chosen: bool) -> None:
        color = self.color(entry, found)
        old = self._marks.get(entry.key)
        if old is not None:
            if self._carried(old, entry):
                self._paint(old, color, chosen=chosen)
                return
            self._scene.remove_by_name(old.path)
        path = unused(f"{self._root}/goal")
        self._scene.add_frame(path, show_axes=False)
        frame = self._scene.add_frame(f"{path}/mark", show_axes=False)
        painted = CHOSEN if chosen else color
        mark = _Mark(entry, path, [], frame, entry.goal, color=color, chosen=chosen, painted=painted)
        self._marks[entry.key] = mark
        for k, (surface, own, opacity) in enumerate(_surfaces(entry.goal, pose)):
            vertices, faces = indexed(surface)
            if not len(faces):
                continue
            node = self._scene.add_mesh_simple(
                f"{path}/mark/{k}",
                vertices,
                faces,
                color=painted if own is None else own,
                opacity=opacity,
                side="double" if opacity is not None else "front",
                cast_shadow=False,
                receive_shadow=False,
            )
            node.on_click(self._click(entry.key))
            node.on_drag("left")(self._grab(entry.key))
            if own is None:
                mark.nodes.append(node)

    @staticmethod
    def _paint(mark: _Mark, color: Color, *, chosen: bool) -> None:
        """Another colour for a mark that stays: one that was made anew would fall from the hand that drags it."""
        mark.color, mark.chosen = color, chosen
        paint = CHOSEN if chosen else color
        if paint != mark.painted:
            mark.painted = paint
            for node in mark.nodes:
                node.color = paint

    @staticmethod
    def _carried(mark: _Mark, entry: Entry) -> bool:
        """Whether a mark that was drawn shows this entry's goal too, carried to its target where that moved."""
        if entry.goal is mark.entry.goal:
            mark.entry = entry
            return entry.goal.kind() in ("position", "placement", "pin", "inside", "outside")
        way = _carry(mark.drawn, entry.goal)
        if way is None:
            return False
        mark.entry = entry
        mark.frame.position = way[:3, 3]
        mark.frame.wxyz = wxyz_of(way[:3, :3])
        return True

    def _click(self, key: int) -> Callable[[Any], Any]:
        async def clicked(event: Any) -> None:
            self._clicked(key)

        return clicked

    def _grab(self, key: int) -> Callable[[Any], Any]:
        async def grabbed(event: Any) -> None:
            self._grabbed(key, event)

        return grabbed

    @staticmethod
    def color(entry: Entry, found: Found | None) -> Color:
        """How the mark of a goal is coloured: by whether it is met."""
        if not entry.active:
            return OFF
        if found is None or entry.key not in found.misses:
            return REACHED
        return met(*found.misses[entry.key])

    def follow(self, document: Document, found: Found | None) -> None:
        """Colours, and lines from where sites are to where they should be."""
        pose: Pose | None = None
        for mark in self._marks.values():
            color = self.color(mark.entry, found)
            self._paint(mark, color, chosen=mark.chosen)
            if color in (REACHED, OFF):
                self._hide(mark)
                continue
            pose = document.pose if pose is None else pose
            ends = miss_ends(_now(document, mark.entry).goal, pose)
            assert found is not None
            amount, unit, _ = found.misses[mark.entry.key]
            if ends is not None:
                self._show_miss(mark, ends, spoken(amount, unit), color)

    def _show_miss(self, mark: _Mark, ends: np.ndarray, text: str, color: Color) -> None:
        middle = ends.mean(axis=0)
        points = ends[None].astype(np.float32)
        if mark.line is None:
            colors = np.broadcast_to(np.array(color, np.uint8), (1, 2, 3))
            mark.line = self._scene.add_line_segments(
                f"{mark.path}/miss", points, colors, thickness=3.0, thickness_units="screen"
            )
            mark.label = self._scene.add_label(
                f"{mark.path}/length", text, position=middle, anchor="bottom-center", font_screen_scale=0.9
            )
            return
        mark.line.points = points
        mark.line.visible = mark.label.visible = True
        mark.label.position = middle
        if mark.label.text != text:
            mark.label.text = text

    @staticmethod
    def _hide(mark: _Mark) -> None:
        if mark.line is not None and mark.line.visible:
            mark.line.visible = mark.label.visible = False

    def colors(self) -> dict[int, Color]:
        """The colour of every goal's mark, by its number."""
        return {key: mark.color for key, mark in self._marks.items()}


def _now(document: Document, entry: Entry) -> Entry:
    """The entry as the document has it; a drag moves its goal without drawing all marks anew."""
    for other in document.goals:
        if other.key == entry.key:
            return other
    return entry


def _carry(drawn: Goal, goal: Goal) -> np.ndarray | None:
    """The motion, 4×4, that carries the mark of one goal to that of another; None where they differ in more than their
    target, or the mark hangs on the figure too."""
    if type(drawn) is not type(goal) or not isinstance(goal, (Position, Placement)):
        return None
    one, other = drawn.arguments(), goal.arguments()
    if any(
        not np.array_equal(np.asarray(one[name]), np.asarray(other[name]))
        for name in one
        if name not in ("target", "position", "orientation", "weight", "hard")
    ):
        return None
    start, end = target_of(drawn), target_of(goal)
    assert start is not None and end is not None
    return end @ np.linalg.inv(start)


def _surfaces(goal: Goal, pose: Pose) -> list[tuple[Surface, Color | None, float | None]]:
    """What stands for a goal: surfaces, each with a colour of its own or that of the goal, and how clear it is."""
    if isinstance(goal, Balance):  # it moves with the figure: `view.balance`
        return []
    drawn = Drawn(SIZE, sectors=SECTORS)
    try:
        draw(drawn, pose, goal, {"m": True, "rad": True, "": True})  # the miss is a line of its own
    except ManikinError:
        return []
    found: list[tuple[Surface, Color | None, float | None]] = []
    for surfaces, opacity in ((drawn.solid, None), (drawn.clear, CLEAR)):
        by_color: dict[bytes, list[Surface]] = {}
        for surface in surfaces:
            paint = b"" if surface.colors is None else np.ascontiguousarray(surface.colors[0]).tobytes()
            by_color.setdefault(paint, []).append(Surface(surface.corners, surface.normals))
        for paint, parts in by_color.items():
            own = None
            if paint:
                shown = light.encoded(np.frombuffer(paint, np.float32))
                red, green, blue = (round(255 * float(part)) for part in shown)
                own = None if (red, green, blue) in (REACHED, MISSED) else (red, green, blue)
            found.append((joined(parts), own, opacity))
    return found


def miss_ends(goal: Goal, pose: Pose) -> np.ndarray | None:
    """From where a site is to where its goal wants it, (2, 3); None where a miss is no way between points."""
    if isinstance(goal, Balance):
        return None
    if isinstance(goal, (Inside, Outside)) or not goal.site or goal.site not in pose.figure.sites:
        return None
    frame = target_of(goal)
    if frame is None:
        return None
    here, there = pose.position(goal.site), frame[:3, 3]
    kind = goal.kind()
    if kind == "on_line":
        along = np.asarray(goal.direction)  # type: ignore[attr-defined]
        there = there + ((here - there) @ along) * along
    elif kind == "on_plane":
        normal = np.asarray(goal.normal)  # type: ignore[attr-defined]
        there = here - ((here - there) @ normal) * normal
    elif kind == "orientation":
        return None
    return np.array([here, there])


def spoken(amount: float, unit: str) -> str:
    """A miss as its label shows it: 12 mm, 1.25 m, 8°."""
    if unit == "rad":
        return f"{np.degrees(amount):.0f}°" if amount > 0.02 else f"{np.degrees(amount):.1f}°"
    return f"{1000 * amount:.0f} mm" if amount < 0.1 else f"{amount:.2f} m"


def title(entry: Entry) -> str:
    """An entry as the list shows it."""
    return describe(entry.goal)
