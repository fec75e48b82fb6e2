"""Slow work beside the session: one at a time, with progress, and it can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable

from manikin.errors import ManikinError


class Cancelled(ManikinError):
    """The user stopped it."""


class Beside:
    """A thread of its own for one job at a time.

    what: what is being made, in a word, for messages.
    progress: called with the share that is done, and with None at the end.
    failed: called with a message.
    """

    def __init__(
        self, what: str, progress: Callable[[float | None], None], failed: Callable[[str], None]
    ) -> None:
        self._what, self._progress, self._failed = what, progress, failed
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def run(self, job: Callable[[], None]) -> None:
        """Run a job beside everything else."""
        if self._thread is not None and self._thread.is_alive():
            raise ManikinError(f"another {self._what} is being made; wait for it, or cancel it")
        self._stop.clear()

        def guarded() -> None:
            try:
                job()
            except Cancelled:
                self._failed(f"the {self._what} was cancelled")
            except ManikinError as problem:
                self._failed(str(problem))
            except Exception as problem:  # of an encoder or a renderer
                self._failed(f"the {self._what} failed: {problem}")
            finally:
                self._progress(None)

        self._progress(0.0)
        self._thread = threading.Thread(target=guarded, name=f"manikin-{self._what}", daemon=True)
        self._thread.start()

    def done(self, share: float) -> None:
        """To be called by the job now and then: shows how far it is, and ends it where it was cancelled."""
        if self._stop.is_set():
            raise Cancelled("cancelled")
        self._progress(share)

    def cancel(self) -> None:
        """Stop what is being made."""
        self._stop.set()

    def wait(self, timeout: float) -> bool:
        """Wait for what is being made; False where it takes longer."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True
