"""Going down the chain: each coordinate, from the root outwards, turns only as much as it has to.

A configuration that meets the goal is carried along. It witnesses that the goal is in W[i+1], so no joint is ever
undone. Each coordinate is brought as near to its start as can be (`least`), those before it staying where they are, and
the configuration with it. The last joints are solved for in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.last_links import LastLinks
from manikin.reach.hierarchy.least import LeastTurn
from manikin.reach.hierarchy.meet import MET, meet
from manikin.reach.hierarchy.seeds import Seeds
from manikin.reach.hierarchy.serial import Serial
from manikin.reach.hierarchy.table import Distance
from manikin.reach.hierarchy.turns import STILL, unwound

# How many configurations are searched from for the witness: by the sets, then by chance. Later rounds have more.
_BY_SETS, _BY_CHANCE = 10, 6


@dataclass(frozen=True, eq=False)
class Descent:
    """A chain with its sets W[1] … W[n + 1], of which the first is not used, and its last joints in closed form.

    size: how long the chain is, metres.
    """

    chain: Serial
    blocks: list[Block]
    sets: list[Distance]
    size: float
    last: LastLinks | None

    def order(self) -> np.ndarray:
        """The coordinates from the root outwards; those that only couplings concern come last."""
        own = np.concatenate([block.coordinates for block in self.blocks])
        return np.append(own, np.setdiff1d(np.arange(len(self.chain.dofs)), own))

    def witness(self, point: np.ndarray, start: np.ndarray, rounds: range) -> tuple[np.ndarray, float]:
        """A configuration that brings the site to a point of frame 0, or comes nearest, and |r| there.

        rounds: of searches, from more configurations in each.
        """
        seeds = Seeds(self.chain, self.blocks, self.sets, self.size, np.random.default_rng(rounds.start))
        every = np.arange(len(start))
        best, miss = self.chain.rules.clipped(start[:, None]), np.inf
        for k in rounds:
            tried = [seeds.by_sets(point, start[:, None], 0, _BY_SETS * (1 + k))]
            tried += [start[:, None]] if k == 0 else []
            q = np.concatenate([*tried, seeds.by_chance(_BY_CHANCE * (1 + 2 * k))], axis=1)
            q, misses = meet(self.chain, self.size, np.repeat(point, q.shape[1], axis=1), q, 0, every)
            met = misses < MET
            if met.any():
                q = unwound(self.chain, self.blocks, q[:, met], start)
                return q.T[_first_of(np.abs(q - start[:, None])[self.order()])], 0.0
            if misses.min() < miss:
                best, miss = q[:, [int(np.argmin(misses))]], float(misses.min())
        return unwound(self.chain, self.blocks, best, start)[:, 0], miss

    def lowered(self, point: np.ndarray, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The configuration with every coordinate, those nearer to the root first, as near to its start as can be."""
        fixed: list[int] = []
        seen: np.ndarray | None = point
        for i, block in enumerate(self.blocks):
            assert seen is not None
            if self.last is not None and block.first == self.last.first:
                q = self._solved(seen, q, start)
                fixed += self.last.coordinates.tolist()
                break
            for j in block.coordinates.tolist():
                fixed.append(j)
                q = self._polished(i, seen, self._least(i, seen, start, fixed).lowered(q), fixed)
            seen = self.chain.undone(seen, q[:, None], block.first, block.last)
        for j in self.order()[len(fixed) :].tolist():
            fixed.append(j)
            q = self._least(len(self.blocks) - 1, None, start, fixed).lowered(q)
        return q

    def _polished(self, i: int, seen: np.ndarray, q: np.ndarray, fixed: list[int]) -> np.ndarray:
        """The configuration with what is left of the miss taken out, the last of ``fixed`` moving with those after it.

        A least turn is where the goal is only just in reach, so its miss is that which is allowed. A next set without
        thickness (the sphere of a wrist) would be missed by as much.
        """
        free = np.setdiff1d(np.arange(len(q)), fixed[:-1])
        # Where links are in one line a joint changes the miss by second order only: hardly any damping.
        found, miss = meet(self.chain, self.size, seen, q[:, None], self.blocks[i].first, free, damping=1e-12)
        return found[:, 0] if miss[0] < MET else q

    def _least(self, i: int, seen: np.ndarray | None, start: np.ndarray, fixed: list[int]) -> LeastTurn:
        seeds = Seeds(self.chain, self.blocks, self.sets, self.size, np.random.default_rng(1))
        return LeastTurn(seeds, self.last, i, seen, start, np.array(fixed))

    def _solved(self, point: np.ndarray, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The last joints: of all legal solutions the nearest, compared joint by joint."""
        assert self.last is not None
        found, good = self.last.legal(point, q[:, None], start, self.size)
        found = np.append(found[:, 0, good[0]], q[:, None], axis=1)
        away = np.abs(found - start[:, None])[self.last.coordinates]
        return found.T[_first_of(np.round(away / STILL))]


def _first_of(away: np.ndarray) -> int:
    """The column that comes first, compared row by row."""
    order = np.lexsort(away[::-1])
    return int(order.flat[0])
