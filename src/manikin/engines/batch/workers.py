"""Chunks of a batch done by threads, with progress; the compiled code holds no lock of Python's."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

import numpy as np

Worker = TypeVar("Worker")
Progress = Callable[[int, int], None]


def chunks(first: int, last: int, size: int) -> list[tuple[int, int]]:
    """Stretches of at most `size` that make up first … last."""
    return [(at, min(at + size, last)) for at in range(first, last, size)]


class Crew(Generic[Worker]):
    """Workers, each with memory of its own, and threads for them; both are made when first needed, and kept."""

    def __init__(self, make: Callable[[], Worker], threads: int) -> None:
        self._make, self.threads = make, threads
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        self._made = 0
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Crew[Worker]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def each(
        self,
        pieces: list[tuple[int, int]],
        work: Callable[[Worker, int, int], Any],
        progress: Progress | None = None,
        total: int = 0,
    ) -> None:
        """``work(worker, first, last)`` of each stretch; ``progress(done, total)`` after each, in the caller's thread.

        What is raised, an interrupt too, ends the rest.
        """
        while self._made < min(self.threads, len(pieces)):
            self._idle.put(self._make())
            self._made += 1

        def do(first: int, last: int) -> int:
            worker = self._idle.get()
            try:
                work(worker, first, last)
            finally:
                self._idle.put(worker)
            return last - first

        done = 0
        if self.threads == 1 or len(pieces) == 1:
            for piece in pieces:
                done += do(*piece)
                if progress is not None:
                    progress(done, total)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="manikin")
        futures = [self._pool.submit(do, *piece) for piece in pieces]
        try:
            for future in as_completed(futures):
                done += future.result()
                if progress is not None:
                    progress(done, total)
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def part_of(problems: slice | np.ndarray, first: int, last: int) -> slice | np.ndarray:
    """A stretch of some problems of a batch."""
    return (
        slice(problems.start + first, problems.start + last)
        if isinstance(problems, slice)
        else problems[first:last]
    )
