"""The first tab: presets, the two switches, undo."""

from __future__ import annotations

from typing import Any

from manikin.studio.model import presets
from manikin.studio.model.document import has_feet
from manikin.studio.model.session import FIGURE, GOALS, POSE, WORDS
from manikin.studio.view.panels.panel import Panel, box, put, shown, text


class PosePanel(Panel):
    """Presets, feet, balance, undo and redo, and how the goals are met in words."""

    title = "Pose"
    about = frozenset((POSE, GOALS, FIGURE, WORDS))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        self._hint = gui.add_html(box("Drag any part of the figure. Drag beside it to look around."))
        self._preset = self.changes(
            gui.add_dropdown("Preset", ("choose", *presets.names(self.document)), initial_value="choose"),
            self._take_preset,
        )
        self._feet = self.changes(
            gui.add_checkbox("Feet pinned", True, hint="The feet stay where they are."),
            lambda event: self.session.pin_feet(event.target.value),
        )
        self._balance = self.changes(
            gui.add_checkbox("Balance kept", True, hint="The centre of mass stays above what supports it."),
            lambda event: self.session.keep_balance(event.target.value),
        )
        self.changes(
            gui.add_checkbox("Shadow", self.studio.shadows, hint="Quicker without, where there is no GPU."),
            lambda event: self.studio.picture.set_shadows(event.target.value),
        )
        self._undo = self.clicks(
            gui.add_button("Undo", hint="Ctrl+Z"), lambda event: self.studio.undo(event.client)
        )
        self._redo = self.clicks(
            gui.add_button("Redo", hint="Ctrl+Shift+Z"), lambda event: self.studio.redo(event.client)
        )
        self.clicks(gui.add_button("Help", hint="H"), lambda event: self.studio.show_help(event.client))
        self._words = gui.add_html(box(""))

    def _take_preset(self, event: Any) -> None:
        name = event.target.value
        if name != "choose":
            self.session.preset(name)
            self.studio.look_again = True
            event.target.value = "choose"

    def refresh(self, what: frozenset[str]) -> None:
        """Switches as they are, and the words."""
        document = self.document
        feet = has_feet(document.figure)
        shown(self._feet, visible=feet)
        shown(self._balance, visible=feet or bool(document.balances()))
        pins = document.pins()
        put(self._feet, bool(pins) and all(entry.active for entry in pins))
        put(self._balance, any(entry.active for entry in document.balances()))
        history = self.session.history
        shown(self._undo, disabled=history.can_undo is None, label=f"Undo {history.can_undo or ''}".strip())
        shown(self._redo, disabled=history.can_redo is None, label=f"Redo {history.can_redo or ''}".strip())
        if FIGURE in what:
            options = ("choose", *presets.names(document))
            if tuple(self._preset.options) != options:
                self._preset.options = options
        words = self.session.words
        self._words.content = box("<br>".join(text(line) for line in words.splitlines()))
