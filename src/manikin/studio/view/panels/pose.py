"""The first tab: presets, switches, the chosen part, undo."""

from __future__ import annotations

from typing import Any

from manikin.studio.model import presets
from manikin.studio.model.document import has_feet
from manikin.studio.model.parts import parts
from manikin.studio.model.session import FIGURE, GOALS, POSE, SELECTION, WORDS
from manikin.studio.view.panels.panel import Panel, box, put, shown, text

NONE = "none"
#: Parts that keep their direction when they are dragged, if that is asked.
ENDS = ("hand", "foot")


class PosePanel(Panel):
    """Presets, feet, balance, the chosen part, undo and redo, and how the goals are met in words."""

    title = "Pose"
    about = frozenset((POSE, GOALS, FIGURE, SELECTION, WORDS))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        self._hint = gui.add_html(
            box("Drag any part of the figure, or its handle. Drag beside it to look around.")
        )
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
        self._part = self.changes(
            gui.add_dropdown(
                "Part",
                (NONE, *parts(self.document.figure)),
                initial_value=NONE,
                hint="Click its handle: rings turn it. The pin beside the handle keeps it where it is.",
            ),
            lambda event: self.session.choose("" if event.target.value == NONE else event.target.value),
        )
        self._pinned = self.changes(
            gui.add_checkbox("Pinned", False, hint="P, or a click on its pin."),
            lambda event: self.session.pin(self.session.part, event.target.value),
        )
        self._oriented = self.changes(
            gui.add_checkbox("Keeps direction", False, hint="O. It does not turn when it is dragged."),
            lambda event: self.session.orient(self.session.part, event.target.value),
        )
        self._handles = self.changes(
            gui.add_checkbox("Handles", True, hint="What parts are dragged, turned and pinned by."),
            lambda event: self.studio.picture.show_handles(event.target.value, self.session),
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
        known = parts(document.figure)
        options = (NONE, *known)
        if tuple(self._part.options) != options:
            self._part.options = options
        name = self.session.part if self.session.part in known else ""
        put(self._part, name or NONE)
        shown(self._part, visible=bool(known))
        shown(self._handles, visible=bool(known))
        shown(self._pinned, visible=bool(name))
        shown(self._oriented, visible=bool(name) and known[name].kind in ENDS)
        if name:
            put(self._pinned, self.session.pinned(name) is not None)
            put(self._oriented, name in self.session.oriented)
        history = self.session.history
        shown(self._undo, disabled=history.can_undo is None, label=f"Undo {history.can_undo or ''}".strip())
        shown(self._redo, disabled=history.can_redo is None, label=f"Redo {history.can_redo or ''}".strip())
        if FIGURE in what:
            options = ("choose", *presets.names(document))
            if tuple(self._preset.options) != options:
                self._preset.options = options
        words = self.session.words
        self._words.content = box("<br>".join(text(line) for line in words.splitlines()))
