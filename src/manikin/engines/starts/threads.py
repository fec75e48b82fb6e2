"""Pieces of work done side by side by threads, their results in order, as if one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeVar

from manikin.errors import SolveError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from manikin.engines.least_squares import LeastSquares
    from manikin.plan.packing import Packed

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Team:
    """Threads, each with a workspace of its own; made when there is work for more than one."""

    def __init__(self, packed: Packed, fast: LeastSquares, threads: int) -> None:
        self.packed, self.fast, self.threads = packed, fast, threads
        self._pool: ThreadPoolExecutor | None = None
        self._rooms: SimpleQueue[tuple[Packed, LeastSquares]] = SimpleQueue()

    def close(self) -> None:
        """Let the threads go, once they have finished what they are at."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    @contextmanager
    def each(
        self, work: Callable[[Packed, LeastSquares, Piece], Result], pieces: Sequence[Piece], *, aside: bool
    ) -> Iterator[Iterator[Result]]:
        """``work(packed, fast, piece)`` of each piece, in order; what nobody asks for any more is not begun, nor what
        follows an error.

        aside: by threads. Otherwise, and with one thread, each is done when it is asked for.
        """
        if not aside or self.threads == 1 or len(pieces) == 1:
            yield (work(self.packed, self.fast, piece) for piece in pieces)
            return
        if self._pool is None:
            count = self.threads
            for _ in range(count):
                packed = replace(self.packed, workspace=self.packed.workspace.copy())
                self._rooms.put((packed, self.fast.twin(packed)))
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(count, thread_name_prefix="manikin")
        failed: list[int] = []  # which pieces raised an error: nobody gets to what comes after them
        futures = [
            self._pool.submit(self._do, work, piece, number, failed) for number, piece in enumerate(pieces)
        ]
        try:
            yield (future.result() for future in futures)
        finally:
            for future in futures:
                future.cancel()

    def _do(
        self,
        work: Callable[[Packed, LeastSquares, Piece], Result],
        piece: Piece,
        number: int,
        failed: list[int],
    ) -> Result:
        if failed and number > min(failed):
            raise SolveError("an earlier piece failed")
        room = self._rooms.get()
        try:
            return work(*room, piece)
        except BaseException:
            failed.append(number)
            raise
        finally:
            self._rooms.put(room)
