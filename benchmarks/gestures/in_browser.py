"""The gestures in Chromium: the mouse goes to where a handle is seen, and leads it."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gestures.seen import Answer, Seen, scale_of
from benchmarks.gestures.table import Gesture
from benchmarks.gestures.without_browser import along, taken_at
from manikin.studio.model.document import Document

WIDE, HIGH = 1400, 800
#: The free part of the window, left of the panel.
FREE = 1000
PATIENCE = 120.0
#: Of a figure's size, from where it is looked at.
AWAY = 2.0


class Hand:
    """A browser's mouse on a running studio."""

    def __init__(self, studio: Any, page: Any) -> None:
        self.studio, self.page = studio, page

    def make(
        self, gesture: Gesture, document: Document, picture: Path | None = None
    ) -> tuple[Seen, list[Answer]]:
        """Make a gesture on a fresh document; what was seen, and what only a browser shows."""
        studio, page, session = self.studio, self.page, self.studio.session
        self._do(lambda: session.open(document, "new"))
        if gesture.prepare is not None:
            self._do(lambda: gesture.prepare(session))  # type: ignore[misc]
        before, steps = session.document.pose, len(session.history)
        scale = scale_of(before)
        place, _ = taken_at(gesture, before, session.document)
        ways = along(gesture, scale)
        self._look(gesture)
        way: list[Any] = []
        led: list[np.ndarray] = []

        def heard(what: frozenset[str]) -> None:
            for drag in session._drags.values():
                way.append(session.document.pose)
                led.append(drag.place.copy())

        session.listen(heard)
        try:
            x, y = self._pixel(place)
            page.mouse.move(x, y)
            page.wait_for_timeout(300)
            page.mouse.down()
            for each in ways:
                page.mouse.move(*self._pixel(place + each))
                page.wait_for_timeout(25)
            self._settle()
            end = time.monotonic() + PATIENCE
            while studio.worker._jobs and time.monotonic() < end:
                time.sleep(0.02)
            self._do(session.explain)
            words = session.words
            page.mouse.up()
            self._settle()
        finally:
            session._listeners.remove(heard)
        more: list[Answer] = []
        offer = page.get_by_role("dialog")
        if offer.count():
            more.append(
                (f"a dialog says: {offer.inner_text().splitlines()[0]}", "pinned" in offer.inner_text())
            )
        if picture is not None:
            page.wait_for_timeout(1500)
            page.screenshot(path=str(picture), type="jpeg", quality=80)
        if offer.count():
            page.keyboard.press("Escape")
            offer.wait_for(state="hidden", timeout=1000 * PATIENCE)
        target = place + ways[-1 if not gesture.circle else gesture.steps // 2]
        after = session.document.pose
        return Seen(before, way, led, after, scale, len(session.history) - steps, words, place, target), more

    def _do(self, job: Any) -> None:
        self.studio.worker.post(job)
        if not self.studio.worker.drain(PATIENCE):
            raise TimeoutError("the studio did not answer")

    def _settle(self) -> None:
        self.page.wait_for_timeout(200)
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.studio.worker.drain(PATIENCE)

    def _look(self, gesture: Gesture) -> None:
        """Look at the whole figure from where the gesture is seen in its plane."""
        low, high = self.studio.picture._body.extent()
        view = np.array(gesture.view) / np.linalg.norm(gesture.view)
        self._target = 0.5 * (low + high)
        self._eye = self._target + AWAY * float((high - low).max()) * view
        camera = next(iter(self.studio.viser.get_clients().values())).camera
        with self.studio.viser.atomic():
            camera.position, camera.look_at = self._eye, self._target
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if np.allclose(camera.position, self._eye, atol=1e-3) and np.allclose(
                camera.look_at, self._target, atol=1e-3
            ):
                break
            time.sleep(0.05)
        self._fov = float(camera.fov)
        self._settle()
        self.page.wait_for_timeout(600)

    def _pixel(self, point: np.ndarray) -> tuple[float, float]:
        """Where a point of the world is seen."""
        forward = self._target - self._eye
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, forward)
        away = np.asarray(point) - self._eye
        size = HIGH / 2 / math.tan(self._fov / 2) / (away @ forward)
        return WIDE / 2 + size * float(away @ right), HIGH / 2 - size * float(away @ up)
