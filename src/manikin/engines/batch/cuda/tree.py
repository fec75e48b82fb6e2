"""Trees whose variables move one axis each, which the kernel searches axis by axis (`kernels.gpu.tree_step`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.batch.cuda import body
from manikin.kernels.gpu import body_layout as kernel, sources
from manikin.plan.columns import Columns

if TYPE_CHECKING:
    from manikin.engines.work import Work


def suits(work: Work) -> bool:
    """Whether every variable moves one axis, every axis is moved by one variable at most, and a thread has room."""
    fast = work.fast
    assert fast is not None
    part = fast.columns
    moved = set(_moves(part))
    axes, variables = {(i, which) for i, which, _ in moved}, {variable for _, _, variable in moved}
    if not len(moved) == len(axes) == len(variables):
        return False
    tree, parts = work.packed.sections.tree, work.packed.sections.parts
    there = junctions(tree.parent, parts.motion)
    n = work.figure.n
    return size_of(n, len(moved), len(parts.kind), int(there.max()) + 1) <= sources.TREE_ROOMS[-1]


def _moves(part: Columns) -> list[tuple[int, int, int]]:
    """Of every entry of a column: motion, component, variable."""
    block = np.repeat(np.arange(len(part.length)), np.diff(part.begin))
    variable = part.variable[block, part.column]
    return list(zip(part.motion.tolist(), part.component.tolist(), variable.tolist(), strict=True))


def junctions(parent: np.ndarray, motions: np.ndarray) -> np.ndarray:
    """The number of each motion among those that carry goals or branch, −1 of others."""
    child = np.arange(1, len(parent))
    apart = parent[child] != child - 1
    some = np.union1d(motions, parent[child][apart & (parent[child] > 0)])
    number = np.full(len(parent), -1, np.int32)
    number[some] = np.arange(len(some))
    return number


def size_of(n: int, axes: int, terms: int, junctions: int) -> int:
    """Numbers that a thread remembers."""
    return n + kernel.AXIS_SIZE * axes + kernel.TARGET * terms + kernel.JUNCTION_SIZE * junctions + 9


class Tables(body.Tables):
    """Tree, axes, limits and goals as the kernel takes them."""

    def _fit(self, part: Columns) -> None:
        moves = _moves(part)
        which = {move: s for s, move in enumerate(moves)}
        motions = int(self.counts[kernel.MOTIONS])
        ordered = sorted(which)
        self.begin = np.searchsorted([motion for motion, _, _ in ordered], np.arange(motions + 2))
        self.entries = np.array([(i, k, self.variables[v]) for i, k, v in ordered]).reshape(-1, kernel.ENTRY)
        self.shares = self.shares[[which[move] for move in ordered]]
        self.junction = junctions(self.tree[:, kernel.PARENT], self.terms[:, kernel.TERM_MOTION])
        self.counts[kernel.ENTRIES] = len(ordered)
        self.counts[kernel.JUNCTIONS] = self.junction.max() + 1
        terms = int(self.counts[kernel.TERMS])
        size = size_of(self.n, len(ordered), terms, int(self.counts[kernel.JUNCTIONS]))
        self._take_room(sources.TREE, sources.TREE_ROOMS, size)
        self.strips = self.lengths = self.columns_of = self.shared = np.zeros(1, np.int32)
