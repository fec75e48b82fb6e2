"""Chunks of a batch done by threads, with progress; the compiled code holds no lock of Python's."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import Generic, TypeVar

Worker = TypeVar("Worker")
Progress = Callable[[int, int], None]


def chunks(first: int, last: int, size: int) -> list[tuple[int, int]]:
    """Stretches of at most `size` that make up first … last."""
    return [(at, min(at + size, last)) for at in range(first, last, size)]


class Crew(Generic[Worker]):
    """Workers, each with memory of its own; one is made when a thread first needs it."""

    def __init__(self, make: Callable[[], Worker], threads: int) -> None:
        self._make, self.threads = make, threads
        self._idle: SimpleQueue[Worker] = SimpleQueue()

    def each(
        self,
        pieces: list[tuple[int, int]],
        work: Callable[[Worker, int, int], None],
        progress: Progress | None,
        total: int,
    ) -> None:
        """``work(worker, first, last)`` of each stretch; ``progress(done, total)`` after each, in the caller's thread.

        What is raised, an interrupt too, ends the rest.
        """
        done = 0
        threads = min(self.threads, len(pieces))
        workers = [self._make() for _ in range(threads)]
        if threads <= 1:
            for first, last in pieces:
                work(workers[0], first, last)
                done += last - first
                if progress is not None:
                    progress(done, total)
            return
        for worker in workers:
            self._idle.put(worker)

        def do(first: int, last: int) -> int:
            worker = self._idle.get()
            try:
                work(worker, first, last)
            finally:
                self._idle.put(worker)
            return last - first

        with ThreadPoolExecutor(threads, thread_name_prefix="manikin") as pool:
            futures = [pool.submit(do, *piece) for piece in pieces]
            try:
                for future in as_completed(futures):
                    done += future.result()
                    if progress is not None:
                        progress(done, total)
            except BaseException:
                for future in futures:
                    future.cancel()
                raise
