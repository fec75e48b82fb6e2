"""Which joints of a Peabody figure make its tree, which way they point, and which close a loop.

Peabody's figures are graphs (Zhao and Badler 1989, footnote 1). A figure here is a tree with loops, pairs of sites that
stay together; so a joint between two segments that earlier joints of the file connect already closes a loop.
"""

from __future__ import annotations

from collections.abc import Iterable

from manikin.formats.peabody.grammar import JointText


def ends(joint: JointText) -> tuple[str, str]:
    """The two segments of a joint."""
    assert joint.first is not None and joint.second is not None
    return joint.first[0], joint.second[0]


def split(segments: Iterable[str], joints: Iterable[JointText]) -> tuple[list[JointText], list[JointText]]:
    """The joints of a spanning tree, and those that close loops, both in the file's order."""
    above = {name: name for name in segments}

    def top(name: str) -> str:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    tree: list[JointText] = []
    closing: list[JointText] = []
    for joint in joints:
        first, second = (top(name) for name in ends(joint))
        if first == second or "loop" in joint.extension:
            closing.append(joint)
        else:
            above[second] = first
            tree.append(joint)
    return tree, closing


def backwards(root: str, tree: Iterable[JointText]) -> set[str]:
    """The names of the joints whose second segment is the parent.

    None of them if every joint can point as it is written, so that no segment has two parents. Otherwise all joints
    point away from the root.
    """
    tree = list(tree)
    if len({ends(joint)[1] for joint in tree}) == len(tree):
        return set()
    edges: dict[str, list[tuple[str, JointText]]] = {}
    for joint in tree:
        first, second = ends(joint)
        edges.setdefault(first, []).append((second, joint))
        edges.setdefault(second, []).append((first, joint))
    found, reached, waiting = set(), {root}, [root]
    while waiting:
        segment = waiting.pop()
        for other, joint in edges.get(segment, []):
            if other in reached:
                continue
            reached.add(other)
            waiting.append(other)
            if ends(joint)[0] != segment:
                found.add(joint.name)
    return found
