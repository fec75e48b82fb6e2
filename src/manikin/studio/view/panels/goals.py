"""Goals: the list, the chosen one, and new ones."""

from __future__ import annotations

from typing import Any

from manikin.studio.model.making import MAKERS
from manikin.studio.model.session import FIGURE, GOALS, POSE, SELECTION, WORDS
from manikin.studio.view.colors import css
from manikin.studio.view.marks import GoalMarks, spoken, title
from manikin.studio.view.panels.panel import Panel, box, put, shown, text

NONE = "none"


class GoalsPanel(Panel):
    """Add, choose, weigh, rank, switch and delete goals."""

    title = "Goals"
    about = frozenset((GOALS, FIGURE, SELECTION, POSE, WORDS))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        self._list = gui.add_html(box(""))
        self._chosen = self.changes(
            gui.add_dropdown("Chosen", (NONE,), initial_value=NONE, hint="Its gizmo moves it."), self._choose
        )
        self._active = self.changes(
            gui.add_checkbox("Switched on", True), lambda e: self._change(active=e.target.value)
        )
        self._hard = self.changes(
            gui.add_checkbox("Hard", False, hint="No pose misses it at all."),
            lambda e: self._change(hard=e.target.value),
        )
        self._weight = self.changes(
            gui.add_number("Weight", 1.0, min=0.0, max=1000.0, step=0.1),
            lambda e: self._change(gesture=("weight", e.client_id), weight=float(e.target.value)),
            latest=True,
        )
        self._level = self.changes(
            gui.add_number(
                "Rank", 1, min=1, max=9, step=1, hint="1 comes first; a rank yields to those above."
            ),
            lambda e: self._change(level=int(e.target.value)),
        )
        self._delete = self.clicks(gui.add_button("Delete goal"), lambda e: self._remove())
        gui.add_divider()
        self._kind = gui.add_dropdown("New goal", tuple(MAKERS), initial_value="position")
        self._site = self.changes(
            gui.add_dropdown(
                "On",
                tuple(self.document.figure.sites),
                initial_value=self.session.site,
                hint="Click a part of the figure to choose it.",
            ),
            lambda e: self.session.select_site(e.target.value),
        )
        self.clicks(gui.add_button("Add goal"), lambda e: self.session.add_goal(self._kind.value))
        self._words = gui.add_html(box(""))

    def _labels(self) -> dict[str, int]:
        return {f"{k}. {title(entry)}": entry.key for k, entry in enumerate(self.document.goals, start=1)}

    def _choose(self, event: Any) -> None:
        self.session.select(self._labels().get(event.target.value))

    def _change(self, **changes: Any) -> None:
        if self.session.selected is not None:
            self.session.change_goal(self.session.selected, **changes)

    def _remove(self) -> None:
        if self.session.selected is not None:
            self.session.delete(self.session.selected)

    def refresh(self, what: frozenset[str]) -> None:
        """The list with its colours, the chosen goal's numbers."""
        document, found = self.document, self.session.found
        if FIGURE in what:
            sites = tuple(document.figure.sites)
            if tuple(self._site.options) != sites:
                self._site.options = sites
        put(self._site, self.session.site)
        labels = self._labels()
        options = (NONE, *labels)
        if tuple(self._chosen.options) != options:
            self._chosen.options = options
        names = {key: label for label, key in labels.items()}
        put(self._chosen, names.get(self.session.selected or -1, NONE))
        entry = next((each for each in document.goals if each.key == self.session.selected), None)
        for handle in (self._active, self._hard, self._weight, self._level, self._delete):
            shown(handle, visible=entry is not None)
        if entry is not None:
            put(self._active, entry.active)
            shown(self._hard, visible="hard" in entry.goal.arguments())
            put(self._hard, bool(getattr(entry.goal, "hard", False)))
            put(self._weight, float(getattr(entry.goal, "weight", 1.0)))
            put(self._level, entry.level)
        rows = []
        for label, key in labels.items():
            color = css(GoalMarks.color(document.entry(key), found))
            how = "switched off"
            if document.entry(key).active:
                how = "met"
                if found is not None and key in found.misses and not found.misses[key][2]:
                    how = f"misses by {spoken(*found.misses[key][:2])}"
            rows.append(
                f'<div><span style="color:{color}">&#9679;</span> {text(label)} '
                f'<span style="color:{color}">{text(how)}</span></div>'
            )
        self._list.content = box("".join(rows) or "No goals yet.")
        words = self.session.words.splitlines()
        self._words.content = box("<br>".join(text(line) for line in words))
