"""The least turn of one coordinate that leaves the goal in reach of those after it.

The start itself is tried, then turns between the start and the witness. The next set rules out most of them. The last
joints in closed form, or a search from several configurations, decide on the others. The nearest that succeeds is the
new witness, and the gap to the next nearer turn that failed is narrowed.

A turn found is feasible for certain. That no nearer one is, the sets prove only where they rule it out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.reach.hierarchy.last_links import LastLinks
from manikin.reach.hierarchy.meet import MET, meet
from manikin.reach.hierarchy.seeds import Seeds
from manikin.reach.hierarchy.turns import STILL, unwound

# Turns that are tried between the start and the witness, and searches for each; one search, from the witness, where the
# gap is no more than this, in radians or metres.
_TURNS, _EACH, _CLOSE = 12, 3, 1e-3
# The gap at which a turn is no longer narrowed, and the most rounds.
_NARROW, _NARROWINGS = 1e-6, 8
# Where a narrowed turn is tried once more, as shares of the way back to the start, and how often at most.
_BACK, _AGAIN = np.array([1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4]), 4
_AROUND = np.array([-1e-1, -1e-2, -1e-3, -1e-4, -1e-5, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1])

#: Turns that failed, with |r| of what the search missed; 0.0 where a set ruled them out.
Failed = dict[float, float]


@dataclass(frozen=True, eq=False)
class LeastTurn:
    """The last of the coordinates ``fixed``, of block i; those before it stay.

    seen: the goal in the block's frame; None where the coordinate moves nothing and is only tied to others.
    """

    seeds: Seeds
    last: LastLinks | None
    i: int
    seen: np.ndarray | None
    start: np.ndarray
    fixed: np.ndarray

    @property
    def j(self) -> int:
        """The coordinate."""
        return int(self.fixed[-1])

    @property
    def aim(self) -> float:
        """Its start, inside its range."""
        rules = self.seeds.chain.rules
        return float(np.clip(self.start[self.j], rules.lower[self.j], rules.upper[self.j]))

    def lowered(self, q: np.ndarray) -> np.ndarray:
        """The witness with this coordinate as near to its start as can be."""
        aim, away, rules = self.aim, abs(float(q[self.j]) - self.aim), self.seeds.chain.rules
        if away <= STILL:
            return q
        shares = np.arange(_TURNS) / _TURNS
        turns = np.unique(np.concatenate([aim + away * shares, aim - away * shares]))
        turns = turns[(turns >= rules.lower[self.j]) & (turns <= rules.upper[self.j])]
        found, failed = self._tried(turns[np.argsort(np.abs(turns - aim), kind="stable")], q, _EACH)
        q = q if found is None else found
        for _ in range(_AGAIN):
            q = self._narrowed(failed, q)
            good = float(q[self.j])
            if abs(good - aim) <= STILL:
                break
            # What failed from an earlier witness may succeed from one that is nearer.
            found, failed = self._tried(good + _BACK * (aim - good), q, _EACH)
            if found is None:
                break
            q = found
        return q

    def _narrowed(self, failed: Failed, q: np.ndarray) -> np.ndarray:
        """The witness brought nearer to the next turn that failed, until nothing is left between."""
        aim = self.aim
        for _ in range(_NARROWINGS):
            good = float(q[self.j])
            nearer = [t for t in failed if (t - aim) * (good - aim) >= 0.0 and abs(t - aim) < abs(good - aim)]
            bad = max(nearer, key=lambda t: abs(t - aim), default=aim)
            if abs(good - aim) <= STILL or abs(good - bad) <= _NARROW:
                break
            each = _EACH if abs(good - bad) > _CLOSE else 1
            found, more = self._tried(bad + _shares(failed, good, bad) * (good - bad), q, each)
            failed = failed | more
            q = q if found is None else found
        return q

    def _tried(self, turns: np.ndarray, q: np.ndarray, each: int) -> tuple[np.ndarray | None, Failed]:
        """The configuration of the first turn that leaves the goal in reach, None where none does; and what failed
        before it.
        """
        chain, block = self.seeds.chain, self.seeds.blocks[self.i]
        many = np.repeat(q[:, None], len(turns), axis=1)
        many[self.j] = turns
        may, inner = np.arange(len(turns)), None
        if self.seen is not None and block.coordinates[-1] == self.j:  # the block is complete
            inner = chain.undone(np.repeat(self.seen, len(turns), axis=1), many, block.first, block.last)
            may = may[self.seeds.sets[self.i + 1].distance(inner) <= STILL]
            inner = inner[:, may]
        misses, found = np.zeros(len(turns)), None
        if len(may):
            found, at, misses[may] = self._decided(many[:, may], inner, q, each)
            if found is not None:
                turns = turns[: may[at]]
        return found, {float(turn): float(miss) for turn, miss in zip(turns, misses, strict=False)}

    def _decided(
        self, many: np.ndarray, inner: np.ndarray | None, q: np.ndarray, each: int
    ) -> tuple[np.ndarray | None, int, np.ndarray]:
        """Of these configurations the first whose turn leaves the goal in reach, completed; its place; and all misses.

        inner: the goal as the next block sees it, where the block is complete.
        """
        seeds, chain = self.seeds, self.seeds.chain
        count = many.shape[1]
        if inner is not None and self.last is not None and self.last.is_all_after(self.fixed, len(q)):
            full, good = self.last.legal(inner, many, self.start, seeds.size)
            at = int(np.argmax(good.any(axis=1)))
            found = full[:, at, int(np.argmax(good[at]))] if good[at].any() else None
            return found, at, np.zeros(count)
        free = np.setdiff1d(np.arange(len(q)), self.fixed)
        if each > 1 and len(free):
            many = np.repeat(many, each, axis=1)
            other = np.arange(many.shape[1]) % each > 0  # the first search begins at the witness
            if inner is not None and self.i + 1 < len(seeds.blocks):
                more = seeds.by_sets(inner, many[:, ::each], self.i + 1, each - 1)
            else:
                more = seeds.by_chance(count * (each - 1))
            many[np.ix_(free, other)] = more[free]
        first = seeds.blocks[self.i].first
        goal = chain.tips(q[:, None], first) if self.seen is None else self.seen
        goals = np.repeat(goal, many.shape[1], axis=1)
        ends, misses = meet(chain, seeds.size, goals, many, first, free, in_order=True)
        misses = misses.reshape(count, -1)
        at = int(np.argmax((misses < MET).any(axis=1)))
        if misses[at].min() >= MET:
            return None, 0, misses.min(axis=1)
        found = ends.reshape(len(q), count, -1)[:, at, int(np.argmin(misses[at]))]
        nearer = unwound(chain, seeds.blocks, found[:, None], self.start)[:, 0]
        nearer[self.fixed] = found[self.fixed]
        return nearer, at, misses.min(axis=1)


def _shares(failed: Failed, good: float, bad: float) -> np.ndarray:
    """Where to try between a turn that failed and one that did not, nearest to the former first.

    What is missed shrinks evenly towards the set, so two failures say where it is nothing. Turns are tried closely
    around that place, and evenly.
    """
    even = np.arange(1, 8) / 8.0
    beyond = [t for t in failed if (t - bad) * (bad - good) > 0.0]
    nearest = min(beyond, key=lambda t: abs(t - bad), default=None)
    if nearest is None or not failed[nearest] > failed.get(bad, 0.0) > 0.0:
        return even
    share = failed[bad] / (failed[nearest] - failed[bad]) * (bad - nearest) / (good - bad)
    both = np.concatenate([even, share + _AROUND])
    return np.sort(both[(both > 1e-7) & (both < 1.0 - 1e-7)])
