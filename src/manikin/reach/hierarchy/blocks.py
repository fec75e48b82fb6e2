"""The joints of the hierarchy: runs of motions that no coordinate ties to others.

W[i] = ∪ M_i(q) W[i+1] over the legal values of block i. A block is one hinge or slide as a rule. Motions are of one
block where one coordinate drives several of them (a shoulder girdle that follows the arm), where an equality ties their
coordinates, or where a ball joint swings. Inequalities between blocks are left out of the sets, which only makes the
sets larger.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from manikin.errors import FigureError
from manikin.reach.hierarchy.serial import SHIFT, TURN, VECTOR, Serial


@dataclass(frozen=True, eq=False)
class Block:
    """Motions ``first`` to ``last`` (exclusive), and the coordinates that drive them.

    kind: of a single motion, TURN or SHIFT; VECTOR for all else.
    low, high: the range of a single motion's value.
    """

    first: int
    last: int
    coordinates: np.ndarray
    kind: int
    low: float = 0.0
    high: float = 0.0


def blocks_of(chain: Serial, site: str) -> list[Block]:
    """The blocks of a chain, from the root outwards."""
    n = len(chain.dofs)
    drives = np.array([np.abs(step.drive).sum(axis=0) > 0.0 for step in chain.steps])
    spans = [_span(drives[:, j]) for j in range(n) if drives[:, j].any()]
    for row, low, high in zip(chain.rules.A, chain.rules.low, chain.rules.high, strict=True):
        if low == high:
            spans.append(_span(drives[:, row != 0.0].sum(axis=1) > 0))
    joined = np.zeros(len(chain.steps) - 1, bool)  # whether motion k and the next are of one block
    for first, last in spans:
        joined[first:last] = True
    edges = [0, *(np.flatnonzero(~joined) + 1).tolist(), len(chain.steps)]
    return [_block(chain, drives, a, b, site) for a, b in itertools.pairwise(edges)]


def _span(mask: np.ndarray) -> tuple[int, int]:
    """The first and the last motion of a mask; the same twice where there is none."""
    found = np.flatnonzero(mask)
    return (int(found[0]), int(found[-1])) if len(found) else (0, 0)


def _block(chain: Serial, drives: np.ndarray, first: int, last: int, site: str) -> Block:
    coordinates = np.flatnonzero(drives[first:last].any(axis=0))
    for step in chain.steps[first:last]:
        driving = step.drive.any(axis=0)
        endless = ~np.isfinite(np.stack([chain.rules.lower, chain.rules.upper])).all(axis=0) & driving
        if endless.any() and step.kind == SHIFT:
            raise FigureError(
                f"hierarchy of {site!r}: a slide without limits moves it, so its workspace has no end"
            )
        if endless.any() and (np.abs(step.drive[:, endless]).max(axis=0) != 1.0).any():
            raise FigureError(
                f"hierarchy of {site!r}: a degree of freedom without limits turns something more or less than itself; "
                "give it limits"
            )
    step = chain.steps[first]
    if last - first > 1 or step.kind == VECTOR:
        return Block(first, last, coordinates, VECTOR)
    lower, upper = chain.rules.finite
    ends = (
        np.sort(np.stack([step.drive[0] * lower, step.drive[0] * upper]), axis=0).sum(axis=1) + step.offset[0]
    )
    free = step.drive[0] != 0.0
    endless = step.kind == TURN and not np.isfinite([chain.rules.lower[free], chain.rules.upper[free]]).all()
    low, high = (-np.pi, np.pi) if endless else (float(ends[0]), float(ends[1]))
    return Block(first, last, coordinates, step.kind, low, high)
