"""Key frames: a strip to add to, move along, play and look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.studio.model import keys
from manikin.studio.model.groups import clinical, groups
from manikin.studio.model.session import FIGURE, KEYS
from manikin.studio.view.colors import BRAND, css
from manikin.studio.view.panels.panel import Panel, box, put, shown

NONE = "none"
CURVES = 4
_STROKES = ("#3f74cc", "#d0483f", "#57a345", "#a67c52")


class KeysPanel(Panel):
    """Add, move, delete, play, loop, scrub; ghosts; angles plotted."""

    title = "Keys"
    about = frozenset((KEYS, FIGURE))

    def build(self) -> None:
        """Make the controls."""
        gui = self.gui
        self._strip = gui.add_html(box(""))
        self.clicks(gui.add_button("Add key frame", hint="K"), lambda e: self.session.add_key())
        self._play = self.clicks(gui.add_button("Play", hint="Space"), lambda e: self.studio.play_or_stop())
        self._loop = self.changes(
            gui.add_checkbox("Loop", False), lambda e: setattr(self.studio.player, "loop", e.target.value)
        )
        self._scrub = self.changes(
            gui.add_slider("Time (s)", 0.0, 1.0, 0.01, 0.0), self._scrubbed, latest=True
        )
        self._chosen = self.changes(gui.add_dropdown("Key frame", (NONE,), initial_value=NONE), self._choose)
        self._time = self.changes(gui.add_number("At (s)", 0.0, min=0.0, max=3600.0, step=0.1), self._move)
        self._delete = self.clicks(gui.add_button("Delete key frame"), self._remove)
        self._ghosts = self.changes(
            gui.add_checkbox("Ghosts", False, hint="All key frames at once."),
            lambda e: self.studio.show_ghosts(e.target.value),
        )
        self._part = self.changes(
            gui.add_dropdown(
                "Plot",
                tuple(groups(self.document.figure)),
                initial_value=next(iter(groups(self.document.figure))),
            ),
            lambda e: self._plot(),
        )
        self._plotted: Any = None
        self._place = gui.add_folder("Angles over time", expand_by_default=False)

    def _labels(self) -> dict[str, int]:
        return {
            f"{k}. at {frame.time:.2f} s": frame.key for k, frame in enumerate(self.document.keys, start=1)
        }

    def _key(self) -> int | None:
        return self._labels().get(self._chosen.value)

    def _choose(self, event: Any) -> None:
        key = self._key()
        frame = next((each for each in self.document.keys if each.key == key), None)
        if frame is not None:
            self._time.value = frame.time
            self.session.scrub(frame.time)
            self.session.play_end()
            put(self._scrub, frame.time)

    def _move(self, event: Any) -> None:
        key = self._key()
        if key is not None:
            self.session.move_key(key, float(event.target.value))

    def _remove(self, event: Any) -> None:
        key = self._key()
        if key is not None:
            self.session.delete(key)

    def _scrubbed(self, event: Any) -> None:
        self.studio.player.stop()
        self.session.scrub(float(event.target.value))

    def at(self, time: float) -> None:
        """Show where the motion is."""
        put(self._scrub, round(time, 2))

    def playing(self, on: bool) -> None:
        """Show whether it plays."""
        shown(self._play, label="Stop" if on else "Play")

    def refresh(self, what: frozenset[str]) -> None:
        """The strip, the list, the plot."""
        if FIGURE in what:
            parts = tuple(groups(self.document.figure))
            if tuple(self._part.options) != parts:
                self._part.options = parts
        frames = self.document.keys
        last = max(frames[-1].time if frames else 1.0, 0.01)
        shown(self._scrub, max=float(last), disabled=len(frames) < 1)
        shown(self._play, disabled=len(frames) < 2)
        labels = self._labels()
        options = (NONE, *labels)
        if tuple(self._chosen.options) != options:
            self._chosen.options = options
        ticks = "".join(
            f'<span title="{frame.time:.2f} s" style="position:absolute;left:{100 * frame.time / last:.1f}%;top:1px;'
            f"width:9px;height:9px;margin-left:-5px;transform:rotate(45deg);background:{css(BRAND)}"
            '"></span>'
            for frame in frames
        )
        strip = (
            '<div style="position:relative;height:12px;margin:6px 8px;border-bottom:2px solid #cfcac2">'
            f"{ticks}</div>{len(frames)} key frame{'s' if len(frames) != 1 else ''}"
        )
        self._strip.content = box(strip)
        self._plot()

    def _plot(self) -> None:
        """The angles that change most in the chosen part."""
        if self._plotted is not None:
            self._plotted.remove()
            self._plotted = None
        if len(self.document.keys) < 2:
            return
        figure = self.document.figure
        motion = keys.motion_of(self.document)
        times = np.linspace(float(motion.times[0]), float(motion.times[-1]), 120)
        q = np.degrees(np.array([motion.sample(float(t)).q for t in times]))
        members = groups(figure).get(self._part.value, ())
        places = sorted((figure.index(name) for name in members), key=lambda k: -float(np.ptp(q[:, k])))[
            :CURVES
        ]
        if not places:
            return
        series: list[dict[str, Any]] = [{"label": "s"}]
        series += [
            {"label": clinical(figure, figure.dofs[k]), "stroke": _STROKES[n], "width": 2}
            for n, k in enumerate(places)
        ]
        with self._place:
            self._plotted = self.gui.add_uplot(
                (times, *(q[:, k] for k in places)), tuple(series), scales={"x": {"time": False}}, aspect=1.4
            )
