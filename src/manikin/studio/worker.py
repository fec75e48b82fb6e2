"""The one thread that changes the session: commands in their order, of each drag only the latest."""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable
from time import perf_counter, thread_time

from manikin.errors import ManikinError

Job = Callable[[], object]
# Seconds without work after which what is slow, words and files, has its turn.
QUIET = 0.25
# Seconds after which what may wait has its turn among what may not.
OVERDUE = 1.0


class Worker(threading.Thread):
    """Runs jobs one after the other.

    failed: called with a message where a job raises: its own words for Manikin's errors.
    idle: called once after every spell of work, when nothing has come for a quarter of a second.
    """

    def __init__(self, failed: Callable[[str], None], idle: Callable[[], None]) -> None:
        super().__init__(name="manikin-studio", daemon=True)
        self._failed, self._idle = failed, idle
        self._jobs: deque[tuple[object, Job, float]] = deque()
        self._later: dict[object, tuple[Job, float]] = {}
        self._wake = threading.Condition()
        self._closing = False
        self._busy = False
        self.dropped = 0
        #: Of the last jobs under a key, seconds from its asking to its end, and of processor time.
        self.latencies: deque[tuple[float, float]] = deque(maxlen=4096)

    def post(self, job: Job) -> None:
        """Run a job after those before it."""
        with self._wake:
            self._jobs.append((None, job, perf_counter()))
            self._wake.notify()

    def latest(self, key: object, job: Job) -> None:
        """Run a job in the place of an earlier one of the same key that has not begun."""
        with self._wake:
            for place in range(len(self._jobs) - 1, -1, -1):
                known = self._jobs[place][0]
                if known is None:  # what was posted after it comes after it
                    break
                if known == key:
                    self._jobs[place] = (key, job, perf_counter())
                    self.dropped += 1
                    return
            self._jobs.append((key, job, perf_counter()))
            self._wake.notify()

    def later(self, key: object, job: Job) -> None:
        """Run a job, once for a key, when nothing else waits or a second has gone by: what is not to hold up a drag."""
        with self._wake:
            self._later.setdefault(key, (job, perf_counter()))
            self._wake.notify()

    def _next(self) -> tuple[object, Job, float] | None:
        """The job to be run now, under the lock; None where there is none."""
        if self._later:
            key = next(iter(self._later))
            job, asked = self._later[key]
            if not self._jobs or perf_counter() - asked > OVERDUE:
                del self._later[key]
                return None, job, asked
        return self._jobs.popleft() if self._jobs else None

    def run(self) -> None:
        """Work until closed."""
        worked = False
        while True:
            with self._wake:
                self._busy = False
                if not self._jobs and not self._later and not self._closing:
                    self._wake.notify_all()
                    self._wake.wait(QUIET if worked else None)
                entry = self._next()
                if entry is None and self._closing:
                    return
                self._busy = True
            if entry is None:
                if worked:
                    worked = False
                    self._guard(self._idle)
                continue
            key, job, begun = entry
            cpu = thread_time()
            self._guard(job)
            if key is not None:
                self.latencies.append((perf_counter() - begun, thread_time() - cpu))
            worked = True

    def _guard(self, job: Job) -> None:
        try:
            job()
        except ManikinError as problem:
            self._failed(str(problem))
        except Exception as problem:  # a bug: the session goes on, the log has where
            traceback.print_exc()
            self._failed(f"something went wrong inside the studio: {type(problem).__name__}: {problem}")

    def drain(self, timeout: float = 10.0) -> bool:
        """Wait until all that was posted is done; False where that took too long."""
        done = threading.Event()
        self.post(done.set)
        return done.wait(timeout)

    def close(self) -> None:
        """Finish what was posted, and end."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if threading.current_thread() is not self:
            self.join(10.0)
