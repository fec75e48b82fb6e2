"""Whole turns: the same configuration of hinges, told by other values."""

from __future__ import annotations

import numpy as np

from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.serial import TURN, Serial

#: A coordinate this near to its start has not moved, and a value this far beyond its range is on the limit.
STILL = 1e-9


def nearest_turn(chain: Serial, block: Block, value: np.ndarray, aim: float) -> np.ndarray:
    """Values of a hinge's coordinate plus whole turns: the nearest to ``aim`` inside its range, NaN where none is."""
    j = int(block.coordinates[0])
    turn = 2.0 * np.pi / abs(float(chain.steps[block.first].drive[0, j]))
    lower, upper = chain.rules.lower[j], chain.rules.upper[j]
    value = value + turn * np.round((aim - value) / turn)
    value = np.where(value > upper + STILL, value - turn * np.ceil((value - upper - STILL) / turn), value)
    value = np.where(value < lower - STILL, value + turn * np.ceil((lower - STILL - value) / turn), value)
    return np.where(value <= upper + STILL, np.clip(value, lower, upper), np.nan)


def unwound(chain: Serial, blocks: list[Block], q: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Configurations with whole turns taken out of hinges that nothing ties, as near to the start as ranges allow."""
    tied = (chain.rules.A != 0.0).any(axis=0)
    q = q.copy()
    for block in blocks:
        j = int(block.coordinates[0])
        if block.kind == TURN and len(block.coordinates) == 1 and not tied[j]:
            q[j] = nearest_turn(chain, block, q[j], start[j])
    return q
