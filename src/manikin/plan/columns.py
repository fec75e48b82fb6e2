"""Which variables move which goals: the columns that the rows of the least-squares method have.

Every motion that carries goals makes a block. Its columns are the variables on the way from the root to it, those
nearest to the root first, so that two limbs of one figure have their first columns in common. Where that does not hold
(a joint that follows another limb's) the blocks concerned all get the columns of all of them.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from manikin.kernels.memory import layout
from manikin.kernels.search.residuals import ROTATES, SLIDES
from manikin.kernels.tree.dispatch import ROTATE, SLIDE
from manikin.kernels.tree.joints import MOTIONS

#: order: the parts, those with variables in common next to each other; of each (in that order) its block, and the same
#: for parts that depend on each other through others, its group. The columns of block b are sums over the entries
#: begin[b] … begin[b + 1], ordered by column: what a motion's component (`ROTATES`, `SLIDES`, or which axis of a block
#: of three) does. Of each block the number of its columns, their variables, and the column of each variable (or −1);
#: how many columns, the first ones of both, two blocks have in common.
Columns = namedtuple(
    "Columns", "order block group begin motion component column length variable place shared"
)

#: An entry of a column: variable, motion, which of its coordinates, drive (−1: none; such an entry counts nothing).
Entry = tuple[int, int, int, int]
# The components of motions by one value; of others each axis in the spins is one.
_COMPONENTS = {ROTATE: [ROTATES], SLIDE: [SLIDES]}


def has_columns(tree: layout.Tree) -> np.ndarray:
    """Mask of the motions that the search by columns knows, with all that carry them: turns and slides, of one value or
    three, by sums of multiples of coordinates. An axis value that follows a curve, or with a twist that is neither, is
    a row by itself (`kernels.residuals`).
    """
    kinds = list(MOTIONS.values())
    curved = np.zeros(len(tree.offset) + 1, bool)
    curved[tree.curves.curve_axis] = True
    known = np.ones(len(tree.parent), bool)
    for i in range(1, len(known)):
        first, number = tree.axis[i], tree.kind[i]
        plain = number in _COMPONENTS or kinds[number].twist is None
        known[i] = known[tree.parent[i]] and plain and not curved[first : first + tree.size[i]].any()
    return known


def drives_of(tree: layout.Tree, variable_of: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The drives of each axis value, first[v] … first[v + 1]: the variable and the coefficient of each."""
    drives = np.flatnonzero(variable_of[tree.drive_dof] >= 0)
    drives = drives[np.argsort(tree.drive_axis[drives], kind="stable")]
    count = np.bincount(tree.drive_axis[drives], minlength=len(tree.offset))
    first = np.concatenate(([0], np.cumsum(count)))
    return first, variable_of[tree.drive_dof[drives]], tree.drive_coefficient[drives]


def one_each(
    first: np.ndarray, which: np.ndarray, coefficient: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same drives where an axis value without one has one that counts nothing: mostly there is then one a value."""
    count = np.diff(first)
    alone = first[:-1][count == 0]
    which, coefficient = np.insert(which, alone, 0), np.insert(coefficient, alone, 0.0)
    return np.concatenate(([0], np.cumsum(np.maximum(count, 1)))), which, coefficient


def arrange(
    tree: layout.Tree, moved: np.ndarray, first: np.ndarray, which: np.ndarray, variables: int
) -> tuple[Columns, np.ndarray]:
    """The columns of parts on these motions, and of each entry the drive whose share it takes, −1 for none.

    first, which: the drives of each axis value, and the variable of each.
    """
    motions = list(dict.fromkeys(moved.tolist()))
    if not motions:
        none = np.zeros(0, np.int64)
        tables = np.zeros((0, 0), np.int64), np.zeros((0, variables), np.int64), np.zeros((0, 0), np.int64)
        return Columns(none, none, none, np.zeros(1, np.int64), none, none, none, none, *tables), none
    entries = _on_the_way(tree, first, which, motions)
    columns = [list(dict.fromkeys(entry[0] for entry in own)) for own in entries]
    common = _common(columns, variables)
    groups = _together(common > 0)
    wrong = common != _first_alike(columns)
    for group in set(groups[wrong.any(axis=1)].tolist()):
        members = np.flatnonzero(groups == group).tolist()
        union = list(dict.fromkeys(v for b in members for v in columns[b]))
        for b in members:
            has = set(columns[b])
            entries[b] += [(v, motions[b], ROTATES, -1) for v in union if v not in has]
            columns[b] = union
    return _tables(moved, variables, motions, groups, columns, entries)


def _on_the_way(
    tree: layout.Tree, first: np.ndarray, which: np.ndarray, motions: list[int]
) -> list[list[Entry]]:
    """The entries of each block: all drives of all motions from the root to its own."""
    parent, kind, size, axis = (array.tolist() for array in (tree.parent, tree.kind, tree.size, tree.axis))
    begin, variable = np.asarray(first).tolist(), np.asarray(which).tolist()
    found: dict[int, list[Entry]] = {0: []}
    for motion in range(1, max(motions) + 1):
        value = axis[motion]
        components = _COMPONENTS.get(kind[motion], [*range(size[motion])])
        found[motion] = found[parent[motion]] + [
            (variable[s], motion, component, s)
            for c, component in enumerate(components)
            for s in range(begin[value + c], begin[value + c + 1])
        ]
    return [list(found[motion]) for motion in motions]


def _common(columns: Sequence[list[int]], variables: int) -> np.ndarray:
    """How many variables two blocks have in common, blocks × blocks."""
    has = np.zeros((len(columns), variables), np.int64)
    for b, own in enumerate(columns):
        has[b, own] = 1
    return has @ has.T


def _first_alike(columns: Sequence[list[int]]) -> np.ndarray:
    """How many of their first columns are the same, blocks × blocks."""
    table = np.full((len(columns), max(map(len, columns)) + 1), -1)
    for b, own in enumerate(columns):
        table[b, : len(own)] = own
    return ((table[:, None] != table) | (table < 0)).argmax(axis=2)


def _together(coupled: np.ndarray) -> np.ndarray:
    """A number for each block, the same for those that are coupled, directly or through others: the first's."""
    groups = np.arange(len(coupled))
    for b, row in enumerate(coupled):
        joined = np.isin(groups, groups[row | (np.arange(len(row)) == b)])
        groups[joined] = groups[joined].min()
    return groups


def _tables(
    moved: np.ndarray,
    variables: int,
    motions: list[int],
    groups: np.ndarray,
    columns: list[list[int]],
    entries: list[list[Entry]],
) -> tuple[Columns, np.ndarray]:
    """All of it as arrays."""
    number = {motion: b for b, motion in enumerate(motions)}
    blocks = [number[motion] for motion in moved.tolist()]
    order = sorted(range(len(blocks)), key=lambda t: (groups[blocks[t]], blocks[t]))
    place = np.full((len(motions), variables), -1)
    variable = np.zeros((len(motions), max(map(len, columns))), np.int64)
    flat: list[tuple[int, int, int, int]] = []
    begin = [0]
    for b, own in enumerate(columns):
        variable[b, : len(own)] = own
        place[b, own] = np.arange(len(own))
        at = {v: k for k, v in enumerate(own)}
        flat += sorted(
            ((motion, component, at[v], s) for v, motion, component, s in entries[b]),
            key=lambda entry: entry[2],
        )
        begin.append(len(flat))
    motion, component, column, tie = np.array(flat, np.int64).reshape(-1, 4).T
    found = Columns(
        order=np.array(order),
        block=np.array([blocks[t] for t in order]),
        group=np.array([groups[blocks[t]] for t in order]),
        begin=np.array(begin),
        motion=motion,
        component=component,
        column=column,
        length=np.array([len(own) for own in columns]),
        variable=variable,
        place=place,
        shared=_first_alike(columns),
    )
    return found, tie
