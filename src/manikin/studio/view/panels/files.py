"""Files: save, open, upload, export."""

from __future__ import annotations

from typing import Any

from manikin.studio.exports import CLIPS
from manikin.studio.model.session import FIGURE
from manikin.studio.view.panels.panel import Panel, Use, box, shown, text

NONE = "none"
OWN = "json"


class FilesPanel(Panel):
    """Scenes and what can be made of them."""

    title = "File"
    about = frozenset((FIGURE,))

    def build(self) -> None:
        """Make the controls."""
        gui, studio = self.gui, self.studio
        self._state = gui.add_html(box(""))
        self._name = gui.add_text("Name", studio.files.name)
        self.clicks(gui.add_button("Save", hint="Ctrl+S"), lambda e: studio.save(self._name.value, e.client))
        self._open = gui.add_dropdown("Scenes here", (NONE, *studio.files.scenes()), initial_value=NONE)
        self.clicks(gui.add_button("Open"), self._opened)
        self.clicks(gui.add_button("New"), lambda e: studio.new())
        self._upload = gui.add_upload_button(
            "Upload a scene, a pose or a figure",
            hint="Scene .toml; pose or clip .json; figure .urdf .xml .bvh .glb .gltf .vrm .fig .osim .npz",
        )
        self._upload.on_upload(self._uploaded)
        with gui.add_folder("Export", expand_by_default=True):
            for label, what in (
                ("Scene (.toml)", "scene"),
                ("Pose (.json)", "pose"),
                ("Picture (.png)", "picture"),
                ("Video of the key frames (.mp4)", "video"),
                ("Web page (.html)", "page"),
            ):
                self.clicks(gui.add_button(label), self._exporting(what))
            self._clip = gui.add_dropdown("Clip as", (OWN, *CLIPS), initial_value=OWN)
            self.clicks(gui.add_button("Clip of the key frames"), self._export_clip)
            self._progress = gui.add_progress_bar(0.0, visible=False)
            self._cancel = self.clicks(
                gui.add_button("Cancel", visible=False), lambda e: studio.exports.cancel()
            )

    def _exporting(self, what: str) -> Use:
        return lambda event: self.studio.export(what, event.client)

    def _export_clip(self, event: Any) -> None:
        chosen = self._clip.value
        self.studio.export("clip" if chosen == OWN else chosen, event.client)

    def _opened(self, event: Any) -> None:
        if self._open.value != NONE:
            self.studio.open_scene(self._open.value)

    def _uploaded(self, event: Any) -> None:
        file = event.target.value
        self.studio.ask(lambda: self.studio.take_upload(file.name, file.content, event.client), event.client)

    def progress(self, share: float | None) -> None:
        """Show how far an export is; None for none."""
        shown(self._progress, visible=share is not None)
        shown(self._cancel, visible=share is not None)
        if share is not None:
            self._progress.value = 100.0 * share

    def say(self, words: str) -> None:
        """Show where the scene is kept."""
        content = box(text(words))
        if self._state.content != content:
            self._state.content = content
        options = (NONE, *self.studio.files.scenes())
        if tuple(self._open.options) != options:
            self._open.options = options

    def refresh(self, what: frozenset[str]) -> None:
        """Nothing of the session is shown here."""
