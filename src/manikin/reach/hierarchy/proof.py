"""Proofs that a goal is out of reach: a lower bound of its distance to W[1].

The first blocks' coordinates are divided into boxes. In each, the goal seen with these blocks undone stays within a way
δ of where the middle has it, so

    d(goal, W[1])  ≥  least over the boxes of  d(seen at the middle, W[i]) − δ.

Boxes whose bound is enough are done; the others are halved. One block is undone first. If the table of W[2] cannot tell
the goal from the set, W[2] is swept anew, with two blocks undone, and so on.
"""

from __future__ import annotations

import numpy as np

from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.serial import Serial
from manikin.reach.hierarchy.table import Distance

# Boxes that are looked at together.
_TOGETHER = 20_000
# A box in which the goal moves no farther, in metres, stands for its legal values, though its middle obey no equality.
_FINE = 1e-3


def lower_bound(
    chain: Serial,
    blocks: list[Block],
    sets: list[Distance],
    point: np.ndarray,
    depth: int,
    enough: float,
    budget: int,
    share: float = 0.2,
) -> float:
    """A proved lower bound of the distance to W[1] of a point of frame 0.

    sets: W[1], W[2], … W[n + 1], the first not used. depth: how many blocks are undone. share: the part of the table's
    own distance that the proof is carried to. 0.0 if the table's distance is not above ``enough`` somewhere, or more
    boxes than ``budget`` were needed.
    """
    free = np.unique(np.concatenate([block.coordinates for block in blocks[:depth]]))
    lower, upper = (ends[free] for ends in chain.rules.finite)
    last, inner = blocks[depth - 1].last, sets[depth]
    middle, half = 0.5 * (lower + upper)[:, None], 0.5 * (upper - lower)[:, None]
    turned = np.abs(np.concatenate([step.drive[:, free] for step in chain.steps[:last]])).sum(axis=0)[:, None]
    proved, least, looked = np.inf, np.inf, 0
    while middle.shape[1]:
        if looked + middle.shape[1] > budget:
            return 0.0
        looked += middle.shape[1]
        left: list[tuple[np.ndarray, np.ndarray]] = []
        for part in range(0, middle.shape[1], _TOGETHER):
            m, h = middle[:, part : part + _TOGETHER], half[:, part : part + _TOGETHER]
            q = np.zeros((len(chain.dofs), m.shape[1]))
            q[free] = m
            V, bent, off = chain.undone_with_slopes(
                np.repeat(point, m.shape[1], axis=1), q, h, (0, last), free
            )
            ways = np.linalg.norm(V[:, 1:], axis=0) * h
            bends = bent * (turned * h + 1e-9) / (turned * h + 1e-9).sum(axis=0)
            way = np.minimum(ways.sum(axis=0) + 0.5 * bent, off)
            distance = inner.distance(V[:, 0])
            legal = (way <= _FINE) | chain.rules.possible(free, m, np.zeros_like(m))
            if (distance[legal] <= enough).any():
                return 0.0
            least = min(least, float(distance[legal].min(initial=np.inf)))
            bound = distance - way
            done = bound > (max(enough, share * least) if np.isfinite(least) else enough)
            proved = min(proved, float(bound[done].min(initial=np.inf)))
            along = np.argmax((ways + bends)[:, ~done], axis=0)
            left += _halved(chain, free, m[:, ~done], h[:, ~done], along)
        middle = np.concatenate([m for m, _ in left], axis=1) if left else middle[:, :0]
        half = np.concatenate([h for _, h in left], axis=1) if left else half[:, :0]
    return proved if np.isfinite(proved) else 0.0


def _halved(
    chain: Serial, free: np.ndarray, middle: np.ndarray, half: np.ndarray, along: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Boxes cut in two along one coordinate each; the halves that may hold legal configurations."""
    found = []
    every = np.arange(len(along))
    smaller = half.copy()
    smaller[along, every] *= 0.5
    for sign in (-1.0, 1.0):
        moved = middle.copy()
        moved[along, every] += sign * smaller[along, every]
        good = chain.rules.possible(free, moved, smaller)
        found.append((moved[:, good], smaller[:, good]))
    return found
