"""Who it is: stature, mass, sex, percentile."""

from __future__ import annotations

from typing import Any

from manikin.figure.human.size import choose
from manikin.studio.model.session import FIGURE
from manikin.studio.view.panels.panel import Panel, box, put, shown, text
from manikin.studio.view.skin import LOOKS


class BodyPanel(Panel):
    """Sliders that resize the person while the goals hold."""

    title = "Body"
    about = frozenset((FIGURE,))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        self._facts = gui.add_html(box(""))
        self._stature = self.changes(
            gui.add_slider("Stature (cm)", 100.0, 220.0, 0.5, 175.0),
            lambda e: self._resize(e, stature=e.target.value / 100.0, percentile=None),
            latest=True,
        )
        self._mass = self.changes(
            gui.add_slider("Mass (kg)", 20.0, 180.0, 0.5, 80.0),
            lambda e: self._resize(e, mass=float(e.target.value)),
            latest=True,
        )
        self._sex = self.changes(
            gui.add_dropdown("Sex", ("male", "female"), initial_value="male"),
            lambda e: self._resize(e, sex=e.target.value, mass=None),
        )
        self._percentile = self.changes(
            gui.add_slider(
                "Percentile", 1.0, 99.0, 1.0, 50.0, hint="Of the population: sets stature and mass."
            ),
            lambda e: self._resize(e, percentile=float(e.target.value), stature=None, mass=None),
            latest=True,
        )
        self._look = self.changes(
            gui.add_dropdown("Look", LOOKS, initial_value=LOOKS[0]),
            lambda e: self.studio.picture.wear(e.target.value, self.session),
        )
        self.clicks(gui.add_button("Mean mass for the stature"), lambda e: self._resize(e, mass=None))

    def _resize(self, event: Any, **options: Any) -> None:
        self.session.resize(gesture=("resize", event.client_id, *options), **options)

    def refresh(self, what: frozenset[str]) -> None:
        """The person's numbers; of other figures what they are."""
        source, figure = self.document.source, self.document.figure
        for handle in (self._stature, self._mass, self._sex, self._percentile, self._look):
            shown(handle, visible=source.is_human)
        facts = f"{figure.name}: {len(figure.segments)} segments, {figure.n} degrees of freedom"
        if figure.mass > 0.0:
            facts += f", {figure.mass:.1f} kg"
        if source.is_human:
            options = source.options
            size = choose(
                options.get("stature"),
                options.get("mass"),
                options.get("sex", "male"),
                options.get("percentile"),
            )
            facts = (
                f"{size.sex}, {100 * size.stature:.1f} cm, {size.mass:.1f} kg; {figure.n} degrees of freedom"
            )
            put(self._stature, round(200.0 * size.stature) / 2.0)
            put(self._mass, round(2.0 * size.mass) / 2.0)
            put(self._sex, size.sex)
            if "percentile" in options:
                put(self._percentile, float(options["percentile"]))
        self._facts.content = box(text(facts))
