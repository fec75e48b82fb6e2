"""The studio itself: puts the session, the scene in the browser and the tabs together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from manikin.errors import FormatError, ManikinError
from manikin.studio import exports
from manikin.studio.exports import Exports
from manikin.studio.extra import need
from manikin.studio.files import LARGEST, Files, keep_upload, remove_left_over
from manikin.studio.help import SHORTCUTS, help_text
from manikin.studio.model import keys, session as changes
from manikin.studio.model.autosave import Autosave
from manikin.studio.model.document import Document, fresh
from manikin.studio.model.dragging import handle_of
from manikin.studio.model.groups import group_of, site_for
from manikin.studio.model.history import History
from manikin.studio.model.opening import opened
from manikin.studio.model.scene_read import document_of
from manikin.studio.model.session import Session
from manikin.studio.model.source import GIVEN, Source
from manikin.studio.player import Player
from manikin.studio.server.start import Served
from manikin.studio.server.uploads import bound_uploads
from manikin.studio.server.values import bound_values
from manikin.studio.view.panels.body import BodyPanel
from manikin.studio.view.panels.files import FilesPanel
from manikin.studio.view.panels.goals import GoalsPanel
from manikin.studio.view.panels.joints import JointsPanel
from manikin.studio.view.panels.keys import KeysPanel
from manikin.studio.view.panels.panel import Panel
from manikin.studio.view.panels.pose import ENDS, PosePanel
from manikin.studio.view.panels.reach import ReachPanel, available as reach_available
from manikin.studio.view.panels.room import RoomPanel
from manikin.studio.view.picture import Picture
from manikin.studio.view.stage import keep_above_ground
from manikin.studio.worker import Worker
from manikin.studio.zones import Zones

# Seconds: no tab is brought up to date more often while something moves, and no file written.
TABS = 0.5
WRITES = 2.0
HELP_SEEN = "manikin-help-seen"
P = TypeVar("P", bound=Panel)


class Studio:
    """A running studio.

    served: its web server. autosave: where it is kept while one works. files: the folder of its scenes. notice: a
    message to every browser that connects.
    """

    def __init__(
        self,
        served: Served,
        history: History,
        autosave: Autosave,
        files: Files,
        *,
        shadows: bool = True,
        notice: str = "",
    ) -> None:
        self.served, self.autosave, self.files = served, autosave, files
        self.viser = served.viser
        self.session = Session(history.document, history)
        self.notice = notice
        self.worker = Worker(self._failed, self._idle)
        # Writes what is kept: a disk may take its time, a drag may not wait for it.
        self.keeper = Worker(self._failed, lambda: None)
        self.player = Player(self._tick, self._ended)
        self.exports = Exports(self._progress, lambda words: self.tell("Export", words))
        self.zones = Zones(self)
        self.look_again = False
        self._client: Any = None
        self._dirty: set[str] = set()
        self._tabs_at = self._written_at = 0.0
        self._explained: Document | None = None
        self._opened = history.document
        self._worked = False
        self.shadows = shadows
        self.picture = Picture(self.viser, self, shadows=shadows)
        self.picture.rebuild(self.session)
        self._tabs = self._build_tabs()
        self._add_shortcuts()
        self.session.listen(self._changed)
        bound_uploads(self.viser, LARGEST, self._too_large)
        bound_values(self.viser, self._refused)
        self.viser.on_client_connect(self._greet)
        self.keeper.start()
        self.keeper.post(remove_left_over)
        self.worker.start()
        self.worker.post(lambda: self._changed(changes.ALL))

    def _build_tabs(self) -> dict[type[Panel], Panel]:
        gui = self.viser.gui
        gui.configure_theme(
            control_width="large", show_logo=False, show_share_button=False, brand_color=(166, 124, 82)
        )
        found: dict[type[Panel], Panel] = {}
        tabs = gui.add_tab_group()
        kinds: list[type[Panel]] = [PosePanel, GoalsPanel, JointsPanel, BodyPanel, RoomPanel, KeysPanel]
        if reach_available():
            kinds.append(ReachPanel)
        kinds.append(FilesPanel)
        for kind in kinds:
            with tabs.add_tab(kind.title):
                found[kind] = kind(self)
        return found

    def panel(self, kind: type[P]) -> P:
        """The tab of a kind."""
        found = self._tabs[kind]
        assert isinstance(found, kind)
        return found

    def _add_shortcuts(self) -> None:
        uses: dict[str, Callable[[Any], object]] = {
            "undo": self.undo,
            "redo": self.redo,
            "save": lambda client: self.save(self.files.name, client),
            "help": self.show_help,
            "add_goal": lambda client: self.session.add_goal("position"),
            "delete": lambda client: self._delete_chosen(),
            "key": lambda client: self.session.add_key(),
            "play": lambda client: self.play_or_stop(),
            "pin": lambda client: self._pin_chosen(),
            "orient": lambda client: self._orient_chosen(),
            "feet": lambda client: self.session.pin_feet(
                not any(e.active for e in self.session.document.pins())
            ),
            "balance": lambda client: self.session.keep_balance(
                not any(e.active for e in self.session.document.balances())
            ),
        }
        for name, key, modifier, words in SHORTCUTS:
            command = self.viser.gui.add_command(words, hotkey=key, modifier=modifier)
            command.on_trigger(self._triggered(uses[name]))

    def _triggered(self, use: Callable[[Any], object]) -> Callable[[Any], Any]:
        async def triggered(event: Any) -> None:
            self.ask(lambda: use(event.client), event.client)

        return triggered

    # Asking and telling.

    def ask(self, job: Callable[[], object], client: Any = None, key: object = None) -> None:
        """Do something in the session's thread; what goes wrong is told to the browser that asked."""

        def for_client() -> None:
            self._client = client
            try:
                with self.viser.atomic():  # browsers get all of it in one message
                    job()
            finally:
                self._client = None

        if key is None:
            self.worker.post(for_client)
        else:
            self.worker.latest(key, for_client)

    def tell(self, title: str, words: str, client: Any = None, *, good: bool = False) -> None:
        """A message, to one browser or to all."""
        for each in [client] if client is not None else list(self.viser.get_clients().values()):
            each.add_notification(
                title, words, color="green" if good else "orange", auto_close_seconds=4.0 if good else 12.0
            )

    def _failed(self, words: str) -> None:
        self.tell("That did not work", words, self._client)
        self._dirty |= changes.ALL  # controls go back to what is

    def _too_large(self, client: int, name: str) -> None:
        self.tell(
            "That did not work",
            f"{name} is larger than {LARGEST // 2**20} MB, the most that can be uploaded",
            self.viser.get_clients().get(client),
        )

    def _refused(self, client: int, words: str) -> None:
        self.tell("That did not work", words, self.viser.get_clients().get(client))

    def _greet(self, client: Any) -> None:
        """The help, for a browser that has not seen it."""
        self.picture.look(client)
        keep_above_ground(client)
        if self.notice:
            client.add_notification("Not restored", self.notice, color="orange", auto_close_seconds=None)
        try:
            seen = client.local_storage.get_item(HELP_SEEN, timeout=20.0)
        except TimeoutError:  # a browser that cannot say is told
            seen = None
        except RuntimeError:  # it has gone
            return
        if seen is None:
            client.local_storage.set_item(HELP_SEEN, "yes")
            self.show_help(client)

    def show_help(self, client: Any) -> None:
        """The short help."""
        modal = client.gui.add_modal("Manikin studio")
        with modal:
            client.gui.add_markdown(help_text())
            button = client.gui.add_button("Start")
        button.on_click(lambda event: modal.close())

    # What the session says.

    def _changed(self, what: frozenset[str]) -> None:
        self.picture.refresh(self.session, what)
        self._dirty |= what
        now = perf_counter()
        if now - self._tabs_at > TABS:
            self.worker.later("tabs", self._refresh_tabs_together)
        if now - self._written_at > WRITES:
            self._write()

    def _refresh_tabs_together(self) -> None:
        with self.viser.atomic():
            self._refresh_tabs()

    def _refresh_tabs(self) -> None:
        self._tabs_at = perf_counter()
        what, self._dirty = frozenset(self._dirty), set()
        problems = []
        for panel in self._tabs.values():
            if panel.about & what:
                try:
                    panel.refresh(panel.about & what)
                except Exception as problem:  # the other tabs are brought up to date all the same
                    problems.append(problem)
        if problems:
            raise problems[0]

    def _idle(self) -> None:
        """Nothing has come for a moment: words, tabs, the file."""
        if self._dirty:
            self._refresh_tabs()
        self._write()
        self._tidy()
        if self.player.playing:
            return
        self.picture.dress(self.session)
        document = self.session.document
        if document is not self._explained:
            self._explained = document
            try:
                self.session.explain()
            except ManikinError as problem:
                self.session.words = str(problem)
            self._refresh_tabs()

    def _write(self) -> None:
        """Have the document kept, and the list of scenes looked at."""
        self._written_at = perf_counter()
        document = self.session.document
        past, future = self.session.history.past, self.session.history.future
        panel = self.panel(FilesPanel)
        self._worked = self._worked or document is not self._opened

        def job() -> None:
            try:
                if self._worked:
                    self.autosave.write(document)
                    self.autosave.steps.write(past, future)
                panel.say(f"Kept as you work. Scenes are saved in {self.files.folder}")
            except FormatError as problem:
                panel.say(f"NOT kept: {problem}")

        self.keeper.latest("write", job)

    def _tidy(self) -> None:
        """Let go of messages about nodes that are gone: viser does so only when a browser comes."""
        collect = getattr(self.viser, "_run_garbage_collector", None)
        if collect is not None:
            collect()

    # Commands of the tabs and shortcuts.

    def undo(self, client: Any = None) -> None:
        """One step back."""
        if self.session.undo() is None:
            self.tell("Undo", "there is nothing to undo", client)

    def redo(self, client: Any = None) -> None:
        """One step forward."""
        if self.session.redo() is None:
            self.tell("Redo", "there is nothing to redo", client)

    def _pin_chosen(self) -> None:
        if self.session.part:
            self.session.pin(self.session.part)

    def _orient_chosen(self) -> None:
        name = self.session.part
        if name and handle_of(self.session.document, name).kind in ENDS:
            self.session.orient(name, name not in self.session.oriented)

    def _delete_chosen(self) -> None:
        if self.session.selected is not None:
            self.session.delete(self.session.selected)

    def save(self, name: str, client: Any = None) -> None:
        """Write the scene into the folder."""
        path = self.files.save(name, self.session.document)
        self.tell("Saved", str(path), client, good=True)

    def open_scene(self, name: str) -> None:
        """Open a scene of the folder."""
        self.session.open(self.files.open(name))
        self.look_again = True

    def new(self) -> None:
        """Begin again with the same kind of figure."""
        source = self.session.document.source
        if source.is_human:
            source = Source()
        self.session.open(fresh(source), "new")

    def take_upload(self, name: str, content: bytes, client: Any = None) -> None:
        """Open an uploaded file: a scene, a pose, or a figure. It is read as data; what is broken changes nothing."""
        suffix = Path(name).suffix.lower()
        if suffix in (".toml", ".json"):
            try:
                words = content.decode("utf-8")
            except UnicodeDecodeError:
                raise FormatError(f"{name}: is not text in UTF-8") from None
            if suffix == ".json":
                self._take_json(name, words)
            else:
                document = document_of(words, Path(name), files="none")
                self.session.open(document, f"open {name}")
        else:
            path = keep_upload(name, content)
            try:
                document = opened(Source.of_file(path))
            except FormatError as problem:
                path.unlink(missing_ok=True)
                raise FormatError(str(problem).replace(str(path), name)) from None
            self.session.open(document, f"open {name}")
            self.look_again = True
        self.tell("Opened", name, client, good=True)

    def _take_json(self, name: str, words: str) -> None:
        """A pose, or a clip, of the figure that is there, as exported."""
        document = self.session.document
        clip = exports.clip_from(name, words, document)
        if clip is None:
            self.session.set_pose(exports.pose_from(words, document).q, f"open {name}")
        else:
            self.session.lay_on_strip(*clip, f"open {name}")

    def export(self, what: str, client: Any) -> None:
        """Send a file to the browser."""
        document, name = self.session.document, self.files.name or "manikin"

        def send(file: str, content: bytes) -> None:
            client.send_file_download(file, content, save_immediately=True)

        if what == "scene":
            send(f"{name}.toml", exports.scene_bytes(document, self.files.folder))
        elif what == "pose":
            send(f"{name}.pose.json", exports.pose_bytes(document))
        elif what == "clip":
            send(f"{name}.clip.json", exports.clip_bytes(document))
        elif what in exports.CLIPS:
            content, notes = exports.clip_as(document, what)
            send(f"{name}.{what}", content)
            if notes:
                self.tell(f"{name}.{what}", "; ".join(notes[:3]), client)
        elif what == "page":
            with self.picture.without_handles(self.session):
                send(f"{name}.html", exports.page_bytes(self.viser, document, self.picture.show_pose))
        else:
            camera = self.picture.camera_of(client)
            make = self.exports.picture if what == "picture" else self.exports.video
            make(document, camera, self.picture.worn, send, name)

    def _progress(self, share: float | None) -> None:
        panel = self.panel(FilesPanel)
        panel.progress(share)

    def show_ghosts(self, on: bool) -> None:
        """All key frames at once, or not."""
        self.picture.ghosts = on
        self.picture.refresh(self.session, frozenset((changes.KEYS,)))

    # Playing.

    def play_or_stop(self) -> None:
        """Play the key frames, or stop."""
        panel = self.panel(KeysPanel)
        if self.player.playing:
            self.player.stop()
            return
        motion = keys.motion_of(self.session.document)
        self.player.play(float(motion.times[0]), float(motion.times[-1]))
        panel.playing(True)

    def _tick(self, t: float) -> None:
        def job() -> None:
            self.session.scrub(t)
            panel = self.panel(KeysPanel)
            panel.at(t)

        self.ask(job, key="play")

    def _ended(self) -> None:
        def job() -> None:
            self.session.play_end()
            panel = self.panel(KeysPanel)
            panel.playing(self.player.playing)

        self.ask(job)

    # What the picture says.

    def clicked_segment(self, segment: str, client: Any) -> None:
        """A part of the figure was clicked: new goals are for it, its joints are shown."""

        def job() -> None:
            figure = self.session.document.figure
            self.session.select(None)
            self.session.select_site(site_for(figure, segment))
            self.show_joints(segment)

        self.ask(job, client)

    def clicked_part(self, name: str, event: Any) -> None:
        """A part's handle was clicked: it is chosen, or not any more."""

        def job() -> None:
            session = self.session
            session.choose("" if session.part == name else name)
            if session.part:
                self.show_joints(session.document.figure.sites[session.site].segment)

        self.ask(job, event.client)

    def clicked_pin(self, name: str, event: Any) -> None:
        """A part's pin was clicked."""

        def job() -> None:
            self.picture.offer.withdraw(event.client)
            self.session.pin(name)

        self.ask(job, event.client)

    def show_joints(self, segment: str) -> None:
        """Show the joints of the part that a segment belongs to."""
        group = group_of(self.session.document.figure, segment)
        panel = self.panel(JointsPanel)
        if group is not None:
            panel.show_group(group)

    def clicked_mark(self, key: int) -> None:
        """A goal's mark or a thing was clicked."""
        self.ask(lambda: self.session.select(key))

    def moved(self, key: int, frame: np.ndarray, who: int, phase: str) -> None:
        """The gizmo moved what is chosen."""

        def job() -> None:
            document = self.session.document
            if any(thing.key == key for thing in document.things):
                x, y, z = (float(value) for value in frame[:3, 3])
                self.session.change_thing(
                    key, gesture=("gizmo", key, who), center=(x, y, z), rotation=np.array(frame[:3, :3])
                )
            else:
                self.session.move_goal(key, frame, gesture=("gizmo", key, who))
            if phase == "end":
                self.session.history.close_gesture()

        self.ask(job, key=("gizmo", key))

    # Ending.

    @property
    def url(self) -> str:
        """The address to open."""
        return self.served.url

    def close(self) -> None:
        """Keep everything and stop."""
        self.player.stop()
        self.zones.cancel()
        self.exports.cancel()
        self.worker.post(self._write)
        self.worker.close()
        self.keeper.close()
        self.served.stop()

    def wait(self) -> None:
        """Serve until interrupted."""
        threading.Event().wait()

    def _repr_html_(self) -> str:
        """In a notebook, the studio itself."""
        return f'<iframe src="{self.url}" width="100%" height="640" style="border:none"></iframe>'


def given_source(figure: Any) -> Source:
    """The source of a figure that was made in Python."""
    return Source(GIVEN, given=figure)


def available() -> None:
    """An error with the pip command where the extra is missing."""
    need()
