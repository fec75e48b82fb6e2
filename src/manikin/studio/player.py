"""Plays the key frames, thirty times a second, in the session's own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

RATE = 30.0


class Player:
    """A clock.

    tick: called with seconds since the start of the motion; ends: called when it stops by itself.
    """

    def __init__(self, tick: Callable[[float], None], ended: Callable[[], None]) -> None:
        self._tick, self._ended = tick, ended
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.loop = False

    @property
    def playing(self) -> bool:
        """Whether it runs."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    def play(self, first: float, last: float) -> None:
        """Run from the first to the last second; again and again where `loop` is set."""
        self.stop()
        self._stop = stop = threading.Event()

        def run() -> None:
            begin = perf_counter()
            while not stop.wait(1.0 / RATE):
                t = first + perf_counter() - begin
                if t >= last:
                    if not self.loop:
                        self._tick(last)
                        break
                    begin = perf_counter()
                    t = first
                self._tick(t)
            stop.set()
            self._ended()

        self._thread = threading.Thread(target=run, name="manikin-player", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop where it is."""
        self._stop.set()
