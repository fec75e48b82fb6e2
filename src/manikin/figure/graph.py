"""The tree that the joints make of the segments: checked, and walked from any segment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from manikin.errors import FigureError
from manikin.figure.checks import near
from manikin.figure.joint import Joint


def natural_root(figure: str, segments: Sequence[str], joints: Mapping[str, Joint]) -> str:
    """The only segment that is nobody's child, after making sure that all the others hang from it."""
    where = f"figure {figure!r}"
    parents = _parents(where, segments, joints)
    roots = [segment for segment in segments if segment not in parents]
    looped = _loop(segments, parents)
    if looped:
        raise FigureError(
            f"{where}: the joints {', '.join(map(repr, looped))} make a cycle; a figure is a tree"
        )
    if len(roots) > 1:
        raise FigureError(
            f"{where}: the segments are not connected: {', '.join(map(repr, roots))} are nobody's child; "
            "only the root may be, so join the others by joints"
        )
    return roots[0]


def _parents(where: str, segments: Sequence[str], joints: Mapping[str, Joint]) -> dict[str, Joint]:
    """The joint above each segment that has one."""
    known = set(segments)
    parents: dict[str, Joint] = {}
    for joint in joints.values():
        for role, segment in (("parent", joint.parent), ("child", joint.child)):
            if segment not in known:
                raise FigureError(
                    f"{where}: joint {joint.name!r}: unknown {role} segment {segment!r}; "
                    f"{near(segment, segments)}"
                )
        other = parents.get(joint.child)
        if other is not None:
            raise FigureError(
                f"{where}: segment {joint.child!r} has two parents: {other.parent!r} by joint {other.name!r} "
                f"and {joint.parent!r} by joint {joint.name!r}; a figure is a tree"
            )
        parents[joint.child] = joint
    return parents


def _loop(segments: Sequence[str], parents: Mapping[str, Joint]) -> list[str]:
    """The names of joints that make a cycle, or none."""
    done: set[str] = set()
    for start in segments:
        path: dict[str, str] = {}
        segment = start
        while segment in parents and segment not in done:
            if segment in path:
                names = list(path.values())
                return names[list(path).index(segment) :][::-1]
            path[segment] = parents[segment].name
            segment = parents[segment].parent
        done.update(path)
        done.add(segment)
    return []


def walk(root: str, joints: Mapping[str, Joint]) -> Iterator[tuple[Joint, bool]]:
    """The joints depth first from `root`, each with whether it is met from its child's side.

    At each segment the joint that is met backwards comes last, the others in the order of `joints`.
    """
    below: dict[str, list[Joint]] = {}
    above: dict[str, Joint] = {}
    for joint in joints.values():
        below.setdefault(joint.parent, []).append(joint)
        above[joint.child] = joint

    def leaving(segment: str, arrived: Joint | None) -> list[tuple[Joint, bool]]:
        edges = [(joint, False) for joint in below.get(segment, []) if joint is not arrived]
        if segment in above and above[segment] is not arrived:
            edges.append((above[segment], True))
        return edges[::-1]

    stack = leaving(root, None)
    while stack:
        joint, backwards = stack.pop()
        yield joint, backwards
        stack += leaving(joint.parent if backwards else joint.child, joint)
