"""What a call is about: the pose it begins at, and which degrees of freedom may move (``free=``, ``fixed=``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from manikin.errors import SolveError

if TYPE_CHECKING:
    from manikin.figure.figure import Figure
    from manikin.figure.pose import Pose

#: Names or patterns of degrees of freedom.
Names = str | Iterable[str] | None


def pose_of(figure: Any, who: str) -> Pose:
    """The pose that a call begins at: the one given, or a figure's at rest."""
    from manikin.figure.figure import Figure
    from manikin.figure.pose import Pose

    if not isinstance(figure, (Figure, Pose)):
        raise SolveError(f"{who}: the first argument must be a Figure or a Pose, got {figure!r}")
    return figure if isinstance(figure, Pose) else figure.pose()


def movable(figure: Figure, free: Names, fixed: Names) -> Names:
    """`free` without what is `fixed`; all but that where only `fixed` is given; None where neither is."""
    free, fixed = _listed("free", free), _listed("fixed", fixed)
    if fixed is None:
        return free
    stays = set(figure.select(fixed).tolist())
    may = range(figure.n) if free is None else figure.select(free).tolist()
    return [figure.dofs[place] for place in may if place not in stays]


def _listed(name: str, given: Names) -> list[str] | None:
    """Names or patterns as a list; None where none are given."""
    if given is None:
        return None
    try:
        found = [given] if isinstance(given, str) else list(given)
    except TypeError:
        raise SolveError(f"{name} must be names or patterns of degrees of freedom, got {given!r}") from None
    for entry in found:
        if not isinstance(entry, str):
            raise SolveError(
                f"{name} must be names or patterns of degrees of freedom, got {entry!r} among them"
            )
    return found
