"""A bar that shows how far long work has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with how much is done and how much there is; None where nothing is to be shown.

    The bar is on stderr, and goes when the work is done.
    """
    if quiet:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, whole: int) -> None:
            bar.update(task, completed=done, total=whole)

        yield advance
