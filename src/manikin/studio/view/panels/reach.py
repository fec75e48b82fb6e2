"""Reach: the zone of a site, as a surface that one sees through."""

from __future__ import annotations

from importlib.util import find_spec

from manikin.studio.model.reaching import PITCHES, Zone
from manikin.studio.model.session import FIGURE, GOALS, POSE, SELECTION, THINGS
from manikin.studio.view.panels.panel import Panel, box, put, shown, text


def available() -> bool:
    """Whether what makes surfaces is installed (the extra ``reach``); without it there is no such tab."""
    return find_spec("skimage") is not None


class ReachPanel(Panel):
    """Show the zone, with progress, and take it away."""

    title = "Reach"
    about = frozenset((FIGURE, SELECTION, POSE, GOALS, THINGS))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        gui.add_html(
            box("Every point that a part can be brought to while all other goals hold, feet and balance too.")
        )
        self._site = self.changes(
            gui.add_dropdown(
                "Of",
                tuple(self.document.figure.sites),
                initial_value=self.session.site,
                hint="Click a part of the figure to choose it.",
            ),
            lambda e: self.session.select_site(e.target.value),
        )
        self._pitch = gui.add_slider(
            "Step (cm)",
            100 * PITCHES[0],
            100 * PITCHES[1],
            1.0,
            8.0,
            hint="Half the step takes eight times as long.",
        )
        self.clicks(
            gui.add_button("Show the zone"),
            lambda e: self.studio.zones.show(self.session.site, self._pitch.value / 100.0),
        )
        self._remove = self.clicks(
            gui.add_button("Take it away", visible=False), lambda e: self.studio.zones.remove()
        )
        self._progress = gui.add_progress_bar(0.0, visible=False)
        self._cancel = self.clicks(
            gui.add_button("Cancel", visible=False), lambda e: self.studio.zones.cancel()
        )
        self._words = gui.add_html(box(""))

    def progress(self, share: float | None) -> None:
        """Show how far it is; None for none."""
        shown(self._progress, visible=share is not None)
        shown(self._cancel, visible=share is not None)
        if share is not None:
            self._progress.value = 100.0 * share

    def say(self, zone: Zone | None, *, fresh: bool = True) -> None:
        """The zone in words."""
        shown(self._remove, visible=zone is not None)
        if zone is None:
            self._words.content = box("")
            return
        words = f"{zone.site.replace('_', ' ')}: {zone.volume:.2f} m³, in steps of {100 * zone.pitch:.0f} cm."
        words = words[:1].upper() + words[1:]
        if not fresh:
            words += " Something has changed since: show it again."
        self._words.content = box(text(words))

    def refresh(self, what: frozenset[str]) -> None:
        """The chosen site; whether the zone is still of what is asked for."""
        if FIGURE in what:
            sites = tuple(self.document.figure.sites)
            if tuple(self._site.options) != sites:
                self._site.options = sites
        put(self._site, self.session.site)
        self.studio.zones.look()
