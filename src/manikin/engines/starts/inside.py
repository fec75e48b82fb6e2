"""Starts brought into the ranges and linear constraints, to the nearest point there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import PoseError
from manikin.kernels.memory.state import DONE, REFUSED, REPAIR, TIDY
from manikin.kernels.pose.limits import bring_in as to_nearest

if TYPE_CHECKING:
    from manikin.plan.packing import Packed


def bring_in(packed: Packed, q: np.ndarray) -> bool:
    """Move q into the ranges and all linear constraints, those too that have nothing to do with the goals; False, and q
    as it was, where they contradict each other.

    Where a constraint was broken, ``packed.notes`` tells where q was moved to.
    """
    task = to_nearest(packed.structure, packed.parameters, packed.workspace, q)
    if task == REFUSED:
        raise not_finite(packed, q)
    if task == TIDY:
        whole = packed.everything()
        task = to_nearest(whole.structure, whole.parameters, whole.workspace, q)
    if task == REPAIR:
        packed.note().began = q.copy()
    return task in (DONE, REPAIR)


def not_finite(packed: Packed, q: np.ndarray) -> PoseError:
    """The error for a start with a NaN or an infinity, naming the first."""
    place = int(np.flatnonzero(~(np.abs(q) < 1e9))[0])
    return PoseError(
        f"the start must be finite and below 1e9: {packed.origin[0].dofs[place]!r} is {q[place]}"
    )
