"""Which degrees of freedom may move: ``free=`` names those that may, ``fixed=`` those that may not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from manikin.errors import SolveError

if TYPE_CHECKING:
    from manikin.figure.figure import Figure

#: Names or patterns of degrees of freedom.
Names = str | Iterable[str] | None


def movable(figure: Figure, free: Names, fixed: Names) -> Names:
    """`free` without what is `fixed`; all but that where only `fixed` is given; None where neither is."""
    for name, given in (("free", free), ("fixed", fixed)):
        if given is not None and not isinstance(given, Iterable):
            raise SolveError(f"{name} must be names or patterns of degrees of freedom, got {given!r}")
    if fixed is None:
        return free
    stays = set(figure.select(fixed).tolist())
    may = range(figure.n) if free is None else figure.select(free).tolist()
    return [figure.dofs[place] for place in may if place not in stays]
