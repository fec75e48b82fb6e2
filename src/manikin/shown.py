"""What notebooks show of an object: its class says that it can be shown, the package at its root (`by`) how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Gives what has ``html(subject)`` and ``png(subject)``; set when `manikin` is imported.
by: Callable[[], Any] | None = None


class Shown:
    """A thing that notebooks show."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """What notebooks show: a view that turns with the mouse."""
        return None if by is None else by().html(self)

    def _repr_png_(self) -> bytes | None:
        """A picture for where scripts are not run; None without the extra ``pictures``."""
        return None if by is None else by().png(self)
