"""What the browsers show of a session, and what they do to it with the mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Pose
from manikin.figure.human.surface import human_skins, known_skins, not_skin
from manikin.studio.model import session as changes
from manikin.studio.model.dragging import PinnedError
from manikin.studio.model.groups import is_finger
from manikin.studio.model.state import uploads_folder
from manikin.studio.view.balance import BalanceMark
from manikin.studio.view.body import Body
from manikin.studio.view.handles import Handles
from manikin.studio.view.marks import GoalMarks
from manikin.studio.view.offer import Offer
from manikin.studio.view.room import Gizmo, LimitMarks, Things
from manikin.studio.view.skin import skins_of
from manikin.studio.view.stage import first_look, set_stage
from manikin.studio.view.zone import ZoneMark

if TYPE_CHECKING:
    from manikin.pictures.camera import Camera
    from manikin.studio.app import Studio
    from manikin.studio.model.document import Document
    from manikin.studio.model.session import Session

GHOSTS = 6
AT_LIMIT = 1e-5


class Picture:
    """The scene in the browser: stage, figure, goals, things, gizmo, limits, ghosts."""

    def __init__(self, viser: Any, studio: Studio, *, shadows: bool = True) -> None:
        self._viser, self._studio = viser, studio
        self._body: Body | None = None
        self.worn = "wood"
        self.ghosts = False
        self._ghost_bodies: list[Body] = []
        self._began: np.ndarray | None = None
        self._came: tuple[str, ...] = ()
        scene = viser.scene
        set_stage(viser, shadows=shadows)
        self._goals = GoalMarks(scene, studio.clicked_mark, self._grabbed_goal)
        self._things = Things(scene, studio.clicked_mark)
        self._gizmo = Gizmo(scene, studio.moved)
        self.limits = LimitMarks(scene)
        self._balance = BalanceMark(scene)
        self.zone = ZoneMark(scene)
        self.handles = Handles(
            scene, self._grabbed_handle, studio.clicked_part, studio.clicked_pin, self._turned
        )
        self.offer = Offer(studio)

    def set_shadows(self, on: bool) -> None:
        """With shadows, or quicker without."""
        set_stage(self._viser, shadows=on)

    def show_handles(self, on: bool, session: Session) -> None:
        """With handles on the figure, or without."""
        with self._viser.atomic():
            self.handles.switch(on, session.document, session.part)

    @contextmanager
    def without_handles(self, session: Session) -> Iterator[None]:
        """Without handles for as long as this lasts."""
        on = self.handles.on
        self.show_handles(False, session)
        try:
            yield
        finally:
            self.show_handles(on, session)

    def rebuild(self, session: Session) -> None:
        """Draw the figure anew."""
        document = session.document
        with self._viser.atomic():
            if self._body is not None:
                self._body.remove()
            self._body = self._made(document, document.q, "/figure")
            self._body.on_grab(self._grabbed, self._clicked)
        first_look(self._viser, *self._body.extent())

    def wear(self, look: str, session: Session) -> None:
        """Show a person as wood, with a skin, or as bones."""
        self.worn = look
        self.rebuild(session)
        self.dress(session)

    def dress(self, session: Session) -> None:
        """Make the skin that is wanted and not there yet; a body that is being resized is of wood meanwhile."""
        figure = session.document.figure
        if self.worn == "skin" and session.document.source.is_human and not known_skins(figure):
            try:
                human_skins(figure)
            except ManikinError:
                self.worn = "wood"
                raise
            self.rebuild(session)

    def _made(self, document: Document, q: np.ndarray, root: str, opacity: float | None = None) -> Body:
        # What was uploaded names files of the one who made it; those of this machine are none of its business.
        foreign = uploads_folder() in Path(document.source.kind).parents
        if document.source.is_human and self.worn != "wood":
            return Body(
                self._viser.scene,
                document.figure,
                q,
                root,
                opacity=opacity,
                skins=known_skins(document.figure) if self.worn == "skin" else (),
                bare=not_skin(document.figure),
                bones=self.worn == "bones",
            )
        return Body(
            self._viser.scene,
            document.figure,
            q,
            root,
            skip_meshes=foreign,
            opacity=opacity,
            skins=skins_of(document.source),
        )

    def refresh(self, session: Session, what: frozenset[str]) -> None:
        """Show what changed."""
        document = session.document
        assert self._body is not None
        if changes.FIGURE in what and self._body.figure is not document.figure:
            self.rebuild(session)
        with self._viser.atomic():
            if changes.POSE in what:
                self._body.show(document.pose)
                self._balance.show(document)
                self.limits.follow(document)
                self.handles.follow(document)
            if {changes.GOALS, changes.FIGURE, changes.SELECTION} & what and not self._gizmo.held:
                self._goals.show(document, session.found, session.selected)
                self._balance.show(document)
            elif changes.POSE in what:
                self._goals.follow(document, session.found)
            if {changes.GOALS, changes.FIGURE, changes.SELECTION} & what and not self.handles.held:
                self.handles.show(document, session.part)
            if {changes.THINGS, changes.SELECTION} & what:
                self._things.show(document, session.selected)
            if {changes.SELECTION, changes.GOALS, changes.THINGS, changes.FIGURE} & what:
                self._gizmo.show(document, session.selected)
            if {changes.WORDS, changes.FIGURE} & what:
                self.limits.show(document, session.limits or self._still_at_limit(document))
            if {changes.KEYS, changes.FIGURE} & what:
                self._show_ghosts(document)
        if self._studio.look_again:
            self._studio.look_again = False
            first_look(self._viser, *self._body.extent())
            for client in self._viser.get_clients().values():
                self.look(client)

    def _show_ghosts(self, document: Document) -> None:
        for body in self._ghost_bodies:
            body.remove()
        self._ghost_bodies.clear()
        if self.ghosts:
            for k, frame in enumerate(document.keys[:GHOSTS]):
                self._ghost_bodies.append(self._made(document, frame.q, f"/ghost {k}", opacity=0.25))

    def show_pose(self, q: np.ndarray) -> None:
        """Only the figure, at other values; for recordings."""
        assert self._body is not None
        self._body.show(Pose(self._body.figure, q))

    def _grabbed(self, segment: str, event: Any) -> None:
        self._dragged(lambda who, point: self._studio.session.drag_start(who, segment, point), event)

    def _grabbed_handle(self, name: str, event: Any) -> None:
        self._dragged(lambda who, point: self._studio.session.handle_start(who, name, point), event)

    def _turned(self, name: str, frame: np.ndarray, event: Any) -> None:
        """The rings of a handle were turned."""
        session, who = self._studio.session, ("turn", event.client_id)
        if event.phase == "start":
            place = frame[:3, 3].copy()

            def start() -> None:
                self._take(lambda: session.handle_start(who, name, place, turn=True), event.client)

            self._studio.ask(start, event.client)
        self._studio.ask(lambda: session.turn_to(who, frame), event.client, key=("turn", who))
        if event.phase == "end":
            self._studio.ask(lambda: session.drag_end(who), event.client)

    def _take(self, take: Callable[[], None], client: Any) -> None:
        """Begin a drag; of what is pinned offer to unpin it instead."""
        self.offer.withdraw(client)
        self._began = np.array(self._studio.session.document.q)
        try:
            take()
        except PinnedError as problem:
            self.offer.unpin(client, problem)

    def _grabbed_goal(self, key: int, event: Any) -> None:
        self._dragged(lambda who, point: self._studio.session.drag_goal_start(who, key, point), event)

    def _dragged(self, take: Callable[[int, np.ndarray], None], event: Any) -> None:
        session, who = self._studio.session, event.client_id
        if event.phase == "start":
            point = np.array(event.start_position)

            def start() -> None:
                self._take(lambda: take(who, point), event.client)

            self._studio.ask(start, event.client)
        point_now = np.array(event.end_position)

        def move() -> None:
            session.drag_to(who, point_now)
            self._mark_limits(session)

        self._studio.ask(move, event.client, key=("drag", who))
        if event.phase == "end":

            def end() -> None:
                session.drag_end(who)
                self._mark_limits(session)  # what was displaced has gone back

            self._studio.ask(end, event.client)

    def _mark_limits(self, session: Session) -> None:
        """Rings about joints that came to a limit during this drag."""
        document = session.document
        if self._began is None or len(self._began) != len(document.q):
            return
        figure, q = document.figure, document.q
        ends = (np.abs(q - figure.lower) < AT_LIMIT) | (np.abs(q - figure.upper) < AT_LIMIT)
        came = ends & (np.abs(q - self._began) > 0.02)
        moved = (figure.dofs[k] for k in np.flatnonzero(came))
        names = tuple(name for name in moved if not is_finger(figure, name))  # fingers follow the hand
        if names != self._came or not self.limits.shown:
            self._came = names
            self.limits.show(document, names)

    def _still_at_limit(self, document: Document) -> tuple[str, ...]:
        """What came to a limit in the last drag and is there still."""
        figure, q = document.figure, document.q
        found = []
        for name in self._came:
            if name in figure.dofs:
                k = figure.index(name)
                if min(abs(q[k] - figure.lower[k]), abs(q[k] - figure.upper[k])) < AT_LIMIT:
                    found.append(name)
        return tuple(found)

    def _clicked(self, segment: str, event: Any) -> None:
        self._studio.clicked_segment(segment, event.client)

    def look_at_zone(self) -> None:
        """Have browsers that look from inside the zone, or from close by, step back until they see all of it."""
        zone = self.zone.zone
        if zone is None:
            return
        low, high = zone.vertices.min(axis=0), zone.vertices.max(axis=0)
        middle = 0.5 * (low + high).astype(np.float64)
        radius = 0.5 * float(np.linalg.norm(high - low))
        for client in self._viser.get_clients().values():
            camera = client.camera
            away = np.array(camera.position) - np.array(camera.look_at)
            wanted = 0.8 * radius / np.tan(0.5 * float(camera.fov))
            distance = float(np.linalg.norm(np.array(camera.position) - middle))
            if distance < wanted and float(np.linalg.norm(away)) > 1e-6:
                with client.atomic():
                    camera.look_at = middle
                    camera.position = middle + wanted * away / np.linalg.norm(away)

    def look(self, client: Any) -> None:
        """Turn a browser's camera to the figure."""
        camera = self._viser.initial_camera
        client.camera.position = camera.position
        client.camera.look_at = camera.look_at

    @staticmethod
    def camera_of(client: Any) -> Camera | None:
        """Where a browser looks from, for a picture of the same view."""
        from manikin.pictures.camera import Camera

        camera = client.camera
        position, target = np.array(camera.position), np.array(camera.look_at)
        if float(np.linalg.norm(target - position)) < 1e-6:
            return None
        return Camera(position, target, float(np.clip(np.degrees(camera.fov), 1.0, 120.0)))
