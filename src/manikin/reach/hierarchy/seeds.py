"""Configurations that a search begins at: those that the sets propose, and legal ones by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.serial import Serial
from manikin.reach.hierarchy.table import Distance

# Values of a block that are looked at in the sets.
_VALUES = 128
# The distance, of the chain's length, that a looked-at value may be from the last set, which has no thickness.
_THICK = 1e-3


@dataclass(frozen=True, eq=False)
class Seeds:
    """A chain, its sets W[1] … W[n + 1], its length in metres, and a source of chance."""

    chain: Serial
    blocks: list[Block]
    sets: list[Distance]
    size: float
    rng: np.random.Generator

    def by_chance(self, count: int) -> np.ndarray:
        """Anywhere in the ranges, (coordinates, count)."""
        lower, upper = self.chain.rules.finite
        return self.rng.uniform(lower[:, None], upper[:, None], (len(lower), count))

    def by_sets(self, points: np.ndarray, near: np.ndarray, first: int, count: int) -> np.ndarray:
        """From block ``first`` on, values that bring the point into the next set; ``count`` for each point.

        The first one takes the values nearest to ``near``, the others some by chance.
        points: in the block's frame, (3, m); near: (coordinates, m). Returns (coordinates, m · count).
        """
        q, x = np.repeat(near, count, axis=1), np.repeat(points, count, axis=1)
        every = np.arange(q.shape[1])
        nearest = (every % count == 0)[:, None]
        for i in range(first, len(self.blocks)):
            block = self.blocks[i]
            values = self._values(block, near[:, 0])
            S = values.shape[1]
            many = np.repeat(q, S, axis=1)
            many[block.coordinates] = np.tile(values, len(every))
            seen = self.chain.undone(np.repeat(x, S, axis=1), many, block.first, block.last)
            distance = self.sets[i + 1].distance(seen).reshape(-1, S)
            thick = _THICK * self.size if i + 2 == len(self.sets) else 0.0
            may = distance <= distance.min(axis=1, keepdims=True) + thick
            if len(block.coordinates) == 1:
                may = _inner(may)
            away = np.abs(values[:, None, :] - q[block.coordinates][:, :, None]).sum(axis=0)
            score = np.where(nearest, -away, self.rng.random(may.shape))
            chosen = np.argmax(np.where(may, score, -np.inf), axis=1)
            q[block.coordinates] = values[:, chosen]
            x = seen.reshape(3, -1, S)[:, every, chosen]
        return q

    def _values(self, block: Block, start: np.ndarray) -> np.ndarray:
        """Values of a block's coordinates, (coordinates, count): evenly for one, legal ones by chance for several."""
        rules, free = self.chain.rules, block.coordinates
        lower, upper = (ends[free] for ends in rules.finite)
        if len(free) == 1:
            return np.linspace(lower, upper, _VALUES).T
        values = self.rng.uniform(lower[:, None], upper[:, None], (len(free), 4 * _VALUES))
        values = np.concatenate([np.clip(start[free], lower, upper)[:, None], values], axis=1)
        good = rules.possible(free, values, np.zeros_like(values))
        return values[:, good] if good.any() else values


def _inner(may: np.ndarray) -> np.ndarray:
    """Inside a stretch of values rather than at its end, where there is an inside."""
    inner = may.copy()
    inner[:, 1:-1] &= may[:, :-2] & may[:, 2:]
    return np.where(inner.any(axis=1, keepdims=True), inner, may)
