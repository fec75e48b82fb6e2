"""The kinds of goal by name: those of this package, and those that others add.

A goal is added by decorating its class with `register`. A package that has some declares an entry point of the group
``manikin.goals`` that loads their module; it is loaded when a name is asked for that is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from manikin.errors import GoalError

if TYPE_CHECKING:
    from manikin.goals.goal import Goal

    Kind = TypeVar("Kind", bound=type[Goal])

GROUP = "manikin.goals"
#: The kinds known by now, by their name in files.
KINDS: dict[str, type[Goal]] = {}


def register(kind: Kind) -> Kind:
    """Let scene files, the studio and all that lists goals know this class; a decorator."""
    name = kind.kind()
    if name in KINDS:
        raise GoalError(f"there is a goal of the kind {name!r} already: {KINDS[name].__qualname__}")
    KINDS[name] = kind
    return kind


def kinds() -> Mapping[str, type[Goal]]:
    """All kinds by name, those of installed packages too."""
    _load_installed()
    return dict(sorted(KINDS.items()))


@cache
def _load_installed() -> None:
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        entry.load()
