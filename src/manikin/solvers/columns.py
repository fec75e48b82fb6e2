"""Which variables move which goals: the columns that the rows of the least-squares method have.

Every motion that carries goals makes a block. Its columns are the variables on the way from the root to it, those
nearest to the root first, so that two limbs of one figure have their first columns in common. Where that does not hold
(a joint that follows another limb's) the blocks concerned all get the columns of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.kernels import layout
from manikin.kernels.lm_layout import ROTATES, SLIDES, Columns, no_columns
from manikin.kernels.terms import AXES
from manikin.kernels.tree import SLIDE

#: An entry of a column: variable, motion, which of its coordinates, drive (−1: none; such an entry counts nothing).
Entry = tuple[int, int, int, int]


def arrange(
    tree: layout.Tree, terms: layout.Terms, first: np.ndarray, which: np.ndarray, variables: int
) -> tuple[Columns, np.ndarray]:
    """The columns of these terms, and of each entry the drive whose share it takes, −1 for none.

    first, which: the drives of each axis value, and the variable of each.
    """
    motions = list(dict.fromkeys(terms.motion.tolist()))
    if not motions:
        return no_columns(variables), np.zeros(0, np.int64)
    entries = [_on_the_way(tree, first, which, motion) for motion in motions]
    columns = [list(dict.fromkeys(entry[0] for entry in own)) for own in entries]
    groups = _together(columns)
    for group in set(groups):
        members = [b for b, own in enumerate(groups) if own == group]
        if not _nested([columns[b] for b in members]):
            union = list(dict.fromkeys(v for b in members for v in columns[b]))
            for b in members:
                entries[b] += [(v, motions[b], ROTATES, -1) for v in union if v not in columns[b]]
                columns[b] = union
    return _tables(terms, variables, motions, groups, columns, entries)


def _on_the_way(tree: layout.Tree, first: np.ndarray, which: np.ndarray, motion: int) -> list[Entry]:
    """The entries of a block: all drives of all motions from the root to this one."""
    found: list[Entry] = []
    while motion > 0:
        kind, value = int(tree.kind[motion]), int(tree.axis[motion])
        parts = [0, 1, 2] if kind > SLIDE else [SLIDES if kind == SLIDE else ROTATES]
        found[:0] = [
            (int(which[s]), motion, part, s)
            for c, part in enumerate(parts)
            for s in range(first[value + c], first[value + c + 1])
        ]
        motion = int(tree.parent[motion])
    return found


def _together(columns: Sequence[list[int]]) -> list[int]:
    """A number for each block, the same for those that have variables in common, directly or through others."""
    group = list(range(len(columns)))
    owner: dict[int, int] = {}
    for b, own in enumerate(columns):
        for v in own:
            old, new = group[b], group[owner.setdefault(v, b)]
            group = [new if g == old else g for g in group]
    return group


def _nested(columns: Sequence[list[int]]) -> bool:
    """Whether what two of these have in common are always the first of both."""
    return all(
        set(one[_common(one, other) :]).isdisjoint(other[_common(one, other) :])
        for one in columns
        for other in columns
    )


def _common(one: list[int], other: list[int]) -> int:
    """How many of the first are the same."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _tables(
    terms: layout.Terms,
    variables: int,
    motions: list[int],
    groups: list[int],
    columns: list[list[int]],
    entries: list[list[Entry]],
) -> tuple[Columns, np.ndarray]:
    """All of it as arrays."""
    blocks = [motions.index(motion) for motion in terms.motion.tolist()]
    order = sorted(range(len(blocks)), key=lambda t: (groups[blocks[t]], blocks[t]))
    place = np.full((len(motions), variables), -1)
    variable = np.zeros((len(motions), max(1, *map(len, columns))), np.int64)
    flat: list[tuple[int, int, int, int]] = []
    begin = [0]
    for b, own in enumerate(columns):
        place[b, own] = np.arange(len(own))
        variable[b, : len(own)] = own
        ordered = sorted(entries[b], key=lambda entry: own.index(entry[0]))
        flat += [(motion, part, own.index(v), s) for v, motion, part, s in ordered]
        begin.append(len(flat))
    motion, part, column, tie = np.array(flat, np.int64).reshape(-1, 4).T
    found = Columns(
        order=np.array(order),
        block=np.array([blocks[t] for t in order]),
        group=np.array([groups[blocks[t]] for t in order]),
        begin=np.array(begin),
        motion=motion,
        part=part,
        column=column,
        length=np.array([len(own) for own in columns]),
        variable=variable,
        place=place,
        shared=np.array([[_common(one, other) for other in columns] for one in columns]),
        strips=sum(3 if kind == AXES else 1 for kind in terms.kind),
    )
    return found, tie
