"""Checks of what a limb is asked for: placements and joint values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels.limb import limb as kernel

# A rotation may be this far from orthonormal.
_ORTHONORMAL = 1e-6


def placement(target: Any) -> np.ndarray:
    """A target as a 4×4 array, or a SolveError that says what is wrong with it."""
    matrix = target
    if not (type(target) is np.ndarray and target.dtype == np.float64 and target.flags.c_contiguous):
        matrix = np.ascontiguousarray(target, dtype=np.float64)
    if matrix.shape != (4, 4):
        raise SolveError(f"arm: expected a target of shape (4, 4), got {matrix.shape}")
    if not kernel.is_placement(matrix, _ORTHONORMAL):
        raise SolveError("arm: the target's upper left 3×3 is not a rotation, or some number is not finite")
    return matrix


def placements(targets: Any) -> np.ndarray:
    """Targets as an array (N, 4, 4), or a SolveError that names the first that is none."""
    matrices = np.ascontiguousarray(targets, dtype=np.float64)
    if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
        raise SolveError(f"arm: expected targets of shape (N, 4, 4), got {matrices.shape}")
    turns = matrices[:, :3, :3]
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(np.einsum("nki,nkj->nij", turns, turns) - np.eye(3)).max(axis=(1, 2))
        good = (
            (off < _ORTHONORMAL) & (np.linalg.det(turns) > 0.0) & np.isfinite(matrices[:, :3, 3]).all(axis=1)
        )
    if not good.all():
        raise SolveError(
            f"arm: target {int(np.argmin(good))}: its upper left 3×3 is not a rotation, or some number is not finite"
        )
    return matrices


def point(position: Any) -> np.ndarray:
    """A position as an array of 3, or a SolveError."""
    result = np.ascontiguousarray(position, dtype=np.float64)
    if result.shape != (3,) or not np.isfinite(result).all():
        raise SolveError(f"arm: expected a position of 3 finite numbers, got {position!r}")
    return result


def values(given: np.ndarray | Sequence[float], virtual: int) -> np.ndarray:
    """Joint values as the closed form's seven, a virtual one at zero, or a SolveError."""
    result = np.asarray(given, dtype=np.float64)
    count = 7 if virtual < 0 else 6
    if result.shape != (count,) or not np.isfinite(result).all():
        raise SolveError(f"arm: expected {count} finite start values, got {given!r}")
    return result if virtual < 0 else np.insert(result, virtual, 0.0)


def real(rows: np.ndarray, virtual: int) -> np.ndarray:
    """Rows of the closed form's seven values without the virtual one, if there is one."""
    # It is the first or the last.
    return rows if virtual < 0 else rows[..., 1:] if virtual == 0 else rows[..., :6]
