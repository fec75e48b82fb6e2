"""The free root of a packed problem, where it can be moved as a whole: see `kernels.search.rigid_fit`."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.kernels.search.layout import NO_ROOT
from manikin.kernels.tree.sweep import ROTATION_VECTOR, SLIDE


def free_root(
    tree: Any,
    first: np.ndarray,
    which: np.ndarray,
    coefficient: np.ndarray,
    limited: np.ndarray,
) -> tuple[int, int]:
    """The first of the root's six variables and of its motions, or `NO_ROOT`.

    first, which, coefficient: the drives of each axis value, the variable of each and its factor; limited: whether a
    variable has a limit. It is one where everything hangs on three slides and a rotation vector whose six variables
    follow each other, are without limits, and drive nothing else: then it can take the figure anywhere.
    """
    motions = np.flatnonzero(tree.parent[1:] == 0) + 1
    if len(motions) != 1 or len(tree.parent) < motions[0] + 4:
        return NO_ROOT
    motion = int(motions[0])
    kinds, parents = tree.kind[motion : motion + 4], tree.parent[motion + 1 : motion + 4]
    if not (
        np.array_equal(kinds, [SLIDE, SLIDE, SLIDE, ROTATION_VECTOR])
        and np.array_equal(parents, np.arange(motion, motion + 3))
        and (tree.parent[motion + 4 :] >= motion + 3).all()
    ):
        return NO_ROOT
    values = [*tree.axis[motion : motion + 4].tolist(), *(tree.axis[motion + 3] + [1, 2]).tolist()]
    if any(first[k + 1] - first[k] != 1 for k in values) or tree.offset[values].any():
        return NO_ROOT
    drives = first[values]
    variables = which[drives]
    alone = np.isin(which, variables).sum() == 6
    in_order = np.array_equal(variables, np.arange(variables[0], variables[0] + 6))
    if not (alone and in_order and (coefficient[drives] == 1.0).all() and not limited[variables].any()):
        return NO_ROOT
    return int(variables[0]), motion
