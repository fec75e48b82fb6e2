"""Joints: sliders within their ranges, in clinical names, locks and limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from manikin.studio.model.groups import clinical, groups
from manikin.studio.model.session import FIGURE, JOINTS, POSE, SELECTION
from manikin.studio.view.colors import LIMIT, MISSED, REACHED, css
from manikin.studio.view.panels.panel import Panel, box, put, shown, text

# Of a range: nearer to an end than this is near it.
NEAR = 0.05
NONE = "-"


class JointsPanel(Panel):
    """One group of joints at a time."""

    title = "Joints"
    about = frozenset((POSE, JOINTS, FIGURE, SELECTION))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        names = tuple(groups(self.document.figure))
        self._group = self.changes(gui.add_dropdown("Part", names, initial_value=names[0]), self._regroup)
        self._bars = gui.add_html(box(""))
        self._folder = gui.add_folder("Angles")
        self._sliders: dict[str, Any] = {}
        with gui.add_folder("Lock and limits", expand_by_default=False):
            self._joint = self.changes(
                gui.add_dropdown("Joint", (NONE,), initial_value=NONE), lambda e: self.refresh(self.about)
            )
            self._locked = self.changes(
                gui.add_checkbox("Locked", False, hint="It stays as it is."),
                lambda e: self._with_joint(lambda name: self.session.lock(name, e.target.value)),
            )
            self._lower = gui.add_number("Lower limit", 0.0, step=1.0)
            self._upper = gui.add_number("Upper limit", 0.0, step=1.0)
            self.clicks(gui.add_button("Set limits"), lambda e: self._with_joint(self._set_limits))
        self._fill()

    def _members(self) -> tuple[str, ...]:
        found = groups(self.document.figure)
        return found.get(self._group.value, next(iter(found.values())))

    def _regroup(self, event: Any) -> None:
        self._fill()
        self.refresh(self.about)

    def show_group(self, name: str) -> None:
        """Show another part's joints."""
        if name in self._group.options and self._group.value != name:
            self._group.value = name
            self._fill()

    def _fill(self) -> None:
        """The sliders of the chosen part."""
        for slider in self._sliders.values():
            slider.remove()
        self._sliders.clear()
        figure = self.document.figure
        with self._folder:
            for name in self._members():
                low, high = self._ends(name)
                value = float(np.clip(self._value(name), low, high))
                step = 0.1 if figure.dof(name).unit == "rad" else 0.001
                slider = self.gui.add_slider(
                    clinical(figure, name), low, high, step, value, hint=figure.dof(name).description or None
                )
                self._sliders[name] = self.changes(slider, self._set(name), latest=True)
        self._joint.options = tuple(clinical(figure, name) for name in self._members()) or (NONE,)
        self._shown_joint = ""

    def _ends(self, name: str) -> tuple[float, float]:
        dof = self.document.figure.dof(name)
        wide = 180.0 if dof.unit == "rad" else 3.0
        low, high = dof.lower * self._unit(name), dof.upper * self._unit(name)
        low, high = (low if math.isfinite(low) else -wide), (high if math.isfinite(high) else wide)
        return (low, high) if high > low else (low, low + 1e-3)

    def _unit(self, name: str) -> float:
        return 180.0 / math.pi if self.document.figure.dof(name).unit == "rad" else 1.0

    def _value(self, name: str) -> float:
        return float(self.document.q[self.document.figure.index(name)]) * self._unit(name)

    def _set(self, name: str) -> Any:
        def use(event: Any) -> None:
            value = float(event.target.value) / self._unit(name)
            self.session.set_joint(name, value, gesture=("joint", name, event.client_id))

        return use

    def _with_joint(self, use: Any) -> None:
        labels = {clinical(self.document.figure, name): name for name in self._members()}
        name = labels.get(self._joint.value)
        if name is not None:
            use(name)

    def _set_limits(self, name: str) -> None:
        unit = self._unit(name)
        self.session.set_limits(name, self._lower.value / unit, self._upper.value / unit)
        self._fill()

    def refresh(self, what: frozenset[str]) -> None:
        """Values, and bars in the colour of how near they are to a limit."""
        figure = self.document.figure
        if FIGURE in what:
            names = tuple(groups(figure))
            if tuple(self._group.options) != names:
                self._group.options = names
            if set(self._sliders) != set(self._members()) or any(
                (slider.min, slider.max) != self._ends(name) for name, slider in self._sliders.items()
            ):
                self._fill()
        rows = []
        for name, slider in self._sliders.items():
            low, high = self._ends(name)
            value = self._value(name)
            put(slider, float(np.clip(value, low, high)))
            shown(slider, disabled=name in self.document.locked)
            rows.append(_bar(clinical(figure, name), value, low, high, locked=name in self.document.locked))
        self._bars.content = box("".join(rows))
        self._with_joint(self._show_joint)

    def _show_joint(self, name: str) -> None:
        put(self._locked, name in self.document.locked)
        if name != self._shown_joint:
            self._shown_joint = name
            low, high = self._ends(name)
            self._lower.value, self._upper.value = low, high


def _bar(name: str, value: float, low: float, high: float, *, locked: bool) -> str:
    """A name, a value, and where it is in its range: red at an end, orange near one."""
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    off = min(share, 1.0 - share)
    color = css(LIMIT if off < 1e-4 else MISSED if off < NEAR else REACHED)
    state = "at its limit" if off < 1e-4 else "near its limit" if off < NEAR else ""
    lock = " (locked)" if locked else ""
    return (
        f'<div title="{text(state)}" style="display:flex;align-items:center;gap:0.6em">'
        f'<span style="flex:1 1 55%;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">'
        f"{text(name)}{lock}</span>"
        f'<span style="flex:0 0 3.2em;text-align:right;color:{color}">{value:.0f}</span>'
        f'<span style="flex:0 0 5.5em;height:6px;border-radius:3px;background:#e3e3e3;position:relative">'
        f'<span style="position:absolute;left:{100 * share:.0f}%;top:-2px;width:5px;height:10px;'
        f'margin-left:-2px;border-radius:2px;background:{color}"></span></span></div>'
    )
