"""The degrees of freedom of a chain: those between two parts of a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manikin.errors import FigureError
from manikin.figure.checks import near

if TYPE_CHECKING:
    from manikin.figure.figure import Figure
    from manikin.figure.joint import Joint

#: A segment's name, None for what holds the base.
_Node = str | None
#: A joint, and whether it is crossed from its child to its parent.
_Way = list[tuple["Joint", bool]]


def chain(figure: Figure, first: str, last: str) -> tuple[str, ...]:
    """The names of the degrees of freedom between two parts, in order from the first to the last, each once.

    They are all that the place of one part seen from the other depends on. An axis that follows others stands
    for what it follows.
    """
    ways = [_way(figure, start, end) for start in _ends(figure, first) for end in _ends(figure, last)]
    longest = max(ways, key=len)  # a joint is crossed, whichever side of it one comes from
    names: dict[str, None] = {}
    for joint, backwards in longest:
        for axis in reversed(joint.axes) if backwards else joint.axes:
            drivers = figure.axes[axis.name].coefficients
            names.update(dict.fromkeys(sorted(drivers, key=figure.index)))
    return tuple(names)


def _ends(figure: Figure, name: str) -> tuple[_Node, ...]:
    """The segment of this name; both segments of the joint; the segment of the site."""
    if name in figure.segments:
        return (name,)
    if name in figure.joints:
        joint = figure.joints[name]
        return (_parent(figure, joint), joint.child)
    if name in figure.sites:
        return (figure.sites[name].segment,)
    known = dict.fromkeys((*figure.segments, *figure.joints, *figure.sites))
    raise FigureError(
        f"figure {figure.name!r}: chain: no segment, joint or site {name!r}; {near(str(name), known)}"
    )


def _parent(figure: Figure, joint: Joint) -> _Node:
    return None if joint is figure.base_joint else joint.parent


def _way(figure: Figure, start: _Node, end: _Node) -> _Way:
    """The joints from one segment to another, in order; there is one way in a tree."""
    arrived: dict[_Node, tuple[_Node, Joint, bool] | None] = {start: None}
    edges: dict[_Node, list[tuple[_Node, Joint, bool]]] = {}
    for joint in figure.joints.values():
        parent = _parent(figure, joint)
        edges.setdefault(parent, []).append((joint.child, joint, False))
        edges.setdefault(joint.child, []).append((parent, joint, True))
    open_ends = [start]
    while open_ends and end not in arrived:
        here = open_ends.pop()
        for there, joint, backwards in edges.get(here, ()):
            if there not in arrived:
                arrived[there] = here, joint, backwards
                open_ends.append(there)
    way: _Way = []
    step = arrived[end]
    while step is not None:
        before, joint, backwards = step
        way.append((joint, backwards))
        step = arrived[before]
    return way[::-1]
