"""Going down the chain: each coordinate, from the root outwards, turns only as much as it has to.

A configuration that meets the goal is carried along. It witnesses that the goal is in W[i+1], so no joint is ever
undone. At each coordinate the start itself is tried, then turns between the start and the witness. The sets rule out
most of them; a search from several configurations decides on the others. The first that succeeds is the new witness,
and the gap to the next nearer turn that failed is narrowed. The last joints are solved for in closed form.

A turn found is feasible for certain. That no nearer one is, the sets prove only where they rule it out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.last_links import LastLinks
from manikin.reach.hierarchy.meet import MET, meet
from manikin.reach.hierarchy.serial import TURN, Serial
from manikin.reach.hierarchy.table import Distance

# Values of a block that are looked at in the sets, and how many configurations are searched from for the witness: by
# the sets, then by chance, in rounds. Of 13,000 goals of legal poses of thirteen chains the first round met all but 40.
_VALUES = 128
_BY_SETS, _BY_CHANCE = 10, 6
# Turns that are tried between the start and the witness, and searches for each; one search, from the witness, where the
# gap is this small.
_TURNS, _EACH, _CLOSE = 12, 3, 1e-3
# The gap, in radians or metres, at which a turn is no longer narrowed, and the most rounds.
_NARROW, _NARROWINGS = 1e-6, 8
# Where a narrowed turn is tried once more, as shares of the way back to the start, and how often at most.
_BACK, _AGAIN = np.array([1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-4]), 4
# A coordinate this near to its start has not moved.
_STILL = 1e-9


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

    # ------------------------------------------------------------------ a first configuration

    def witness(self, point: np.ndarray, start: np.ndarray, rounds: range) -> tuple[np.ndarray, float]:
        """A configuration that brings the site to a point of frame 0, or comes nearest, and |r| there.

        rounds: of searches, from more configurations in each.
        """
        rng = np.random.default_rng(rounds.start)
        every = np.arange(len(start))
        best, miss = self.chain.rules.clipped(start[:, None])[:, 0], np.inf
        for k in rounds:
            seeds = [self._guided(point, start[:, None], 0, _BY_SETS * (1 + k), rng)]
            seeds += [start[:, None]] if k == 0 else []
            seeds.append(self._legal(_BY_CHANCE * (1 + 2 * k), rng))
            tried = np.concatenate(seeds, axis=1)
            goals = np.repeat(point, tried.shape[1], axis=1)
            q, misses = meet(self.chain, self.size, goals, tried, 0, every)
            met = np.flatnonzero(misses < MET)
            if len(met):
                q = self._unwound(q[:, met], start)
                away = np.abs(q - start[:, None])[self.order()]
                return q.T[_first_of(away)], 0.0
            if misses.min() < miss:
                best, miss = q[:, np.argmin(misses)], float(misses.min())
        return self._unwound(best[:, None], start)[:, 0], miss

    def _legal(self, count: int, rng: np.random.Generator) -> np.ndarray:
        lower, upper = self.chain.rules.finite
        return rng.uniform(lower[:, None], upper[:, None], (len(lower), count))

    def order(self) -> np.ndarray:
        """The coordinates from the root outwards; those that only couplings concern come last."""
        own = np.concatenate([block.coordinates for block in self.blocks])
        return np.append(own, np.setdiff1d(np.arange(len(self.chain.dofs)), own))

    def _unwound(self, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The same configurations with whole turns taken out of single hinges, as near to the start as ranges allow."""
        tied = (self.chain.rules.A != 0.0).any(axis=0)
        q = q.copy()
        for block in self.blocks:
            if block.kind != TURN or len(block.coordinates) != 1 or tied[block.coordinates[0]]:
                continue
            j = int(block.coordinates[0])
            q[j] = self._nearest_turn(block, q[j], start[j])
        return q

    def _nearest_turn(self, block: Block, value: np.ndarray, aim: float) -> np.ndarray:
        """A hinge's values plus whole turns: the nearest to ``aim`` inside its range, NaN where none is."""
        j = int(block.coordinates[0])
        turn = 2.0 * np.pi / abs(float(self.chain.steps[block.first].drive[0, j]))
        lower, upper = self.chain.rules.lower[j], self.chain.rules.upper[j]
        value = value + turn * np.round((aim - value) / turn)
        value = np.where(
            value > upper + _STILL, value - turn * np.ceil((value - upper - _STILL) / turn), value
        )
        value = np.where(
            value < lower - _STILL, value + turn * np.ceil((lower - _STILL - value) / turn), value
        )
        return np.where(value <= upper + _STILL, np.clip(value, lower, upper), np.nan)

    def _guided(
        self, points: np.ndarray, near: np.ndarray, block: int, count: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Configurations that the sets propose, (coordinates, count) for each point: from a block on, values that may
        bring the point into the next set. The first takes those nearest to ``near``, others one by chance.

        points: in the block's frame, (3, m); near: (coordinates, m). Returns (coordinates, m · count).
        """
        m = points.shape[1]
        q = np.repeat(near, count, axis=1)
        x = np.repeat(points, count, axis=1)
        first = np.tile(np.arange(count) == 0, m)
        for i in range(block, len(self.blocks)):
            own = self.blocks[i]
            values = self._values(own, near[:, 0], rng)
            S = values.shape[1]
            many = np.repeat(q, S, axis=1)
            many[own.coordinates] = np.tile(values, m * count)
            seen = self.chain.undone(np.repeat(x, S, axis=1), many, own.first, own.last)
            distance = self.sets[i + 1].distance(seen).reshape(m * count, S)
            may = distance <= distance.min(axis=1, keepdims=True) + 1e-3 * self.size * (
                i + 2 == len(self.sets)
            )
            if (
                len(own.coordinates) == 1
            ):  # inside a stretch of values rather than at its end, where there is an inside
                inner = may.copy()
                inner[:, 1:-1] &= may[:, :-2] & may[:, 2:]
                may = np.where(inner.any(axis=1, keepdims=True), inner, may)
            away = np.abs(values[:, None, :] - q[own.coordinates][:, :, None]).sum(axis=0)
            score = np.where(first[:, None], -away, rng.random(may.shape))
            chosen = np.argmax(np.where(may, score, -np.inf), axis=1)
            q[own.coordinates] = values[:, chosen]
            x = seen.reshape(3, m * count, S)[:, np.arange(m * count), chosen]
        return q

    def _values(self, block: Block, start: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Values of a block's coordinates, (coordinates, count): evenly for one, by chance for several."""
        rules, free = self.chain.rules, block.coordinates
        lower, upper = (ends[free] for ends in rules.finite)
        if len(free) == 1:
            return np.linspace(lower, upper, _VALUES).T
        values = rng.uniform(lower[:, None], upper[:, None], (len(free), 4 * _VALUES))
        values = np.concatenate([np.clip(start[free], lower, upper)[:, None], values], axis=1)
        good = rules.possible(free, values, np.zeros_like(values))
        return values[:, good] if good.any() else values

    # ------------------------------------------------------------------ the least turns

    def lowered(self, point: np.ndarray, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The configuration with every coordinate, those nearer to the root first, as near to its start as can be."""
        q = q.copy()
        fixed: list[int] = []
        seen = point
        for i, block in enumerate(self.blocks):
            if self.last is not None and block.first == self.last.first:
                return self._closed(seen, q, start)
            for j in block.coordinates.tolist():
                fixed.append(j)
                q = self._least(i, j, seen, q, start, np.array(fixed))
            seen = self.chain.undone(seen, q[:, None], block.first, block.last)
        for j in self.order()[len(fixed) :].tolist():
            fixed.append(j)
            q = self._least(len(self.blocks) - 1, j, None, q, start, np.array(fixed))
        return q

    def _closed(self, point: np.ndarray, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The last joints: of all solutions inside the ranges the nearest, compared joint by joint."""
        found, good = self._solved(point, q[:, None], start)
        if not good.any():
            return q
        found = np.append(found[:, 0, good[0]], q[:, None], axis=1)
        assert self.last is not None
        away = np.round(np.abs(found - start[:, None])[self.last.coordinates] / _STILL)
        return found.T[_first_of(away)]

    def _solved(self, points: np.ndarray, q: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All solutions of the last joints for points of their frame, and which are legal: (coordinates, count, 4)."""
        last = self.last
        assert last is not None
        values = last.solutions(points)
        count = points.shape[1]
        full = np.repeat(q[:, :, None], 4, axis=2)
        for k, j in enumerate(last.coordinates):
            block = self.blocks[len(self.blocks) - last.count + k]
            lower, upper = self.chain.rules.lower[j], self.chain.rules.upper[j]
            if block.kind == TURN:
                full[j] = self._nearest_turn(block, values[k], start[j])
            else:
                inside = (values[k] >= lower - _STILL) & (values[k] <= upper + _STILL)
                full[j] = np.where(inside, np.clip(values[k], lower, upper), np.nan)
        flat = full.reshape(len(full), -1)
        real = np.isfinite(flat).all(axis=0)
        tips = self.chain.tips(np.where(real, flat, 0.0), last.first)
        miss = np.linalg.norm(tips - np.repeat(points, 4, axis=1), axis=0)
        return full, (real & (miss < MET * self.size)).reshape(count, 4)

    def _least(
        self, i: int, j: int, seen: np.ndarray | None, q: np.ndarray, start: np.ndarray, fixed: np.ndarray
    ) -> np.ndarray:
        """Coordinate j of block i as near to its start as can be, those ``fixed`` before it staying.

        seen: the goal in the block's frame; None where the coordinate moves nothing.
        """
        rules = self.chain.rules
        aim = float(np.clip(start[j], rules.lower[j], rules.upper[j]))
        if abs(q[j] - aim) <= _STILL:
            return q
        rng = np.random.default_rng(1)
        away = abs(q[j] - aim)
        shares = np.arange(_TURNS) / _TURNS
        turns = np.unique(np.concatenate([aim + away * shares, aim - away * shares]))
        turns = turns[(turns >= rules.lower[j]) & (turns <= rules.upper[j])]
        turns = turns[np.argsort(np.abs(turns - aim), kind="stable")]
        found, failed = self._tried(i, j, turns, seen, q, start, fixed, _EACH, rng)
        q = q if found is None else found
        for _ in range(_AGAIN):
            q = self._narrowed(i, j, failed, aim, seen, q, start, fixed, rng)
            good = float(q[j])
            if abs(good - aim) <= _STILL:
                break
            # What failed from an earlier witness may succeed from one that is nearer.
            found, failed = self._tried(i, j, good + _BACK * (aim - good), seen, q, start, fixed, _EACH, rng)
            if found is None:
                break
            q = found
        return q

    def _narrowed(
        self,
        i: int,
        j: int,
        failed: dict[float, float],
        aim: float,
        seen: np.ndarray | None,
        q: np.ndarray,
        start: np.ndarray,
        fixed: np.ndarray,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """The witness brought nearer to the next turn that failed, until nothing is left between."""
        for _ in range(_NARROWINGS):
            good = float(q[j])
            side = np.array(
                [t for t in failed if (t - aim) * (good - aim) >= 0.0 and abs(t - aim) < abs(good - aim)]
            )
            bad = side[np.argmax(np.abs(side - aim))] if len(side) else aim
            if abs(good - aim) <= _STILL or abs(good - bad) <= _NARROW:
                break
            shares = self._shares(failed, good, bad)
            each = _EACH if abs(good - bad) > _CLOSE else 1
            found, more = self._tried(i, j, bad + shares * (good - bad), seen, q, start, fixed, each, rng)
            failed = failed | more
            q = q if found is None else found
        return q

    def _shares(self, failed: dict[float, float], good: float, bad: float) -> np.ndarray:
        """Where to try between a turn that failed and one that did not, nearest to the former first.

        What is missed shrinks evenly towards the set, so two failures say where it is nothing; turns are tried closely
        around that place, and evenly.
        """
        even = np.arange(1, 8) / 8.0
        beyond = [t for t in failed if (t - bad) * (bad - good) > 0.0]
        nearest = min(beyond, key=lambda t: abs(t - bad), default=None)
        if nearest is None or not failed[nearest] > failed[bad] > 0.0:
            return even
        share = failed[bad] / (failed[nearest] - failed[bad]) * (bad - nearest) / (good - bad)
        around = share + np.array([-1e-1, -1e-2, -1e-3, -1e-4, -1e-5, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1])
        both = np.concatenate([even, around])
        return np.sort(both[(both > 1e-7) & (both < 1.0 - 1e-7)])

    def _tried(
        self,
        i: int,
        j: int,
        turns: np.ndarray,
        seen: np.ndarray | None,
        q: np.ndarray,
        start: np.ndarray,
        fixed: np.ndarray,
        each: int,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray | None, dict[float, float]]:
        """The configuration of the first turn that leaves the goal in reach, None where none does; and the turns before
        it that failed, with what they missed.
        """
        block, later = self.blocks[i], self._later(i, j)
        many = np.repeat(q[:, None], len(turns), axis=1)
        many[j] = turns
        missed = {float(turn): 0.0 for turn in turns}
        rank = np.arange(len(turns))
        inner = None
        if seen is not None and later:
            inner = self.chain.undone(np.repeat(seen, len(turns), axis=1), many, block.first, block.last)
            rank = rank[self.sets[i + 1].distance(inner) <= _STILL]
        if not len(rank):
            return None, missed
        if inner is not None and self.last is not None and block.last == self.last.first and self._apart():
            full, good = self._solved(inner[:, rank], many[:, rank], start)
            met = np.flatnonzero(good.any(axis=1))
            if not len(met):
                return None, missed
            k = int(met[0])
            found = full[:, k, int(np.flatnonzero(good[k])[0])]
            return found, {t: m for t, m in missed.items() if t in set(turns[: rank[k]].tolist())}
        seeds = many[:, rank][:, :, None]
        if each > 1 and inner is not None and i + 1 < len(self.blocks):
            guided = self._guided(inner[:, rank], many[:, rank], i + 1, each - 1, rng)
            seeds = np.concatenate([seeds, guided.reshape(len(q), len(rank), each - 1)], axis=2)
        free = np.setdiff1d(np.arange(len(q)), fixed)
        if each > 1 and seeds.shape[2] == 1 and len(free):
            chance = np.repeat(seeds, each - 1, axis=2)
            legal = self._legal(len(rank) * (each - 1), rng)[free]
            chance[free] = legal.reshape(len(free), len(rank), each - 1)
            seeds = np.concatenate([seeds, chance], axis=2)
        each = seeds.shape[2]
        goals = self.chain.tips(q[:, None], block.first) if seen is None else seen
        flat = seeds.reshape(len(q), -1)
        ends, misses = meet(
            self.chain,
            self.size,
            np.repeat(goals, flat.shape[1], axis=1),
            flat,
            block.first,
            free,
            in_order=True,
        )
        misses = misses.reshape(len(rank), each)
        met = np.flatnonzero((misses < MET).any(axis=1))
        for k in range(len(rank) if not len(met) else int(met[0])):
            missed[float(turns[rank[k]])] = float(misses[k].min())
        if not len(met):
            return None, missed
        k = int(met[0])
        found = ends.reshape(len(q), len(rank), each)[:, k, int(np.argmin(misses[k]))]
        before = set(turns[: rank[k]].tolist())
        return self._settled(found, start, fixed), {t: m for t, m in missed.items() if t in before}

    def _settled(self, q: np.ndarray, start: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        """Whole turns taken out of what is not fixed."""
        nearer = self._unwound(q[:, None], start)[:, 0]
        nearer[fixed] = q[fixed]
        return nearer

    def _later(self, i: int, j: int) -> bool:
        """Whether j is the last coordinate of its block: then the next set says whether the goal is in it."""
        return bool(self.blocks[i].coordinates[-1] == j)

    def _apart(self) -> bool:
        """Whether every coordinate moves the site: none that only couplings concern is left over."""
        return sum(len(block.coordinates) for block in self.blocks) == len(self.chain.dofs)


def _first_of(away: np.ndarray) -> int:
    """The column that comes first, compared row by row."""
    order = np.lexsort(away[::-1])
    return int(order.flat[0])
