"""How far two poses are apart, and the same pose with whole turns taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from manikin.engines.work import Work


def distance(work: Work, q: np.ndarray, other: np.ndarray) -> float:
    """How far two poses are apart: the root of Σ stiffness · difference², a whole turn being none."""
    packed = work.packed
    difference = (q - other)[packed.variables]
    turns = packed.sections.space.periodic != 0
    difference[turns] -= 2.0 * np.pi * np.round(difference[turns] / (2.0 * np.pi))
    metric = packed.sections.space.metric[packed.variables]
    return float(np.sqrt((difference**2 / metric).sum()))


def unwound(work: Work, q: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The same pose with whole turns taken out, where the ranges allow, so that it is nearest to the start."""
    packed = work.packed
    space = packed.sections.space
    places = packed.variables[space.periodic != 0]
    moved = q.copy()
    moved[places] -= 2.0 * np.pi * np.round((q - start)[places] / (2.0 * np.pi))
    inside = (moved >= space.lower) & (moved <= space.upper)
    result = np.where(inside, moved, q)
    result.setflags(write=False)
    return result
