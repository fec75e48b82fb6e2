"""Checks of what a closed form is asked for: placements, joint values, swivel angles."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels.limb import limb as kernel

# A rotation may be this far from orthonormal.
_ORTHONORMAL = 1e-6


def array_of(given: Any, what: str, who: str = "arm") -> np.ndarray:
    """Numbers as a contiguous array, or a SolveError that names the argument."""
    try:
        return np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise SolveError(f"{who}: {what} must be numbers, got {given!r}") from None


def number(given: Any, what: str, who: str = "arm") -> float:
    """A finite number, or a SolveError that names the argument."""
    try:
        result = float(given)
    except (TypeError, ValueError):
        raise SolveError(f"{who}: {what} must be a number, got {given!r}") from None
    if not isfinite(result):
        raise SolveError(f"{who}: {what} must be finite, got {result}")
    return result


def placement(target: Any, who: str = "arm") -> np.ndarray:
    """A target as a 4×4 array, or a SolveError that says what is wrong with it."""
    matrix = target
    if not (type(target) is np.ndarray and target.dtype == np.float64 and target.flags.c_contiguous):
        matrix = array_of(target, "the target", who)
    if matrix.shape != (4, 4):
        raise SolveError(f"{who}: expected a target of shape (4, 4), got {matrix.shape}")
    if not kernel.is_placement(matrix, _ORTHONORMAL):
        raise SolveError(f"{who}: the target {_no_placement(matrix)}")
    return matrix


def _no_placement(matrix: np.ndarray) -> str:
    """What keeps a 4×4 from being a placement."""
    if not np.isfinite(matrix).all():
        return f"must be finite, got {matrix.tolist()}"
    if np.abs(matrix[3] - [0.0, 0.0, 0.0, 1.0]).max() > _ORTHONORMAL:
        return f"must have 0 0 0 1 as its last row, got {matrix[3].tolist()}"
    return f"has no rotation as its upper left 3×3: {matrix[:3, :3].tolist()}"


def placements(targets: Any) -> np.ndarray:
    """Targets as an array (N, 4, 4), or a SolveError that names the first that is none."""
    matrices = array_of(targets, "the targets")
    if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
        raise SolveError(f"arm: expected targets of shape (N, 4, 4), got {matrices.shape}")
    turns = matrices[:, :3, :3]
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(np.einsum("nki,nkj->nij", turns, turns) - np.eye(3)).max(axis=(1, 2))
        good = (off < _ORTHONORMAL) & (np.linalg.det(turns) > 0.0)
        good &= np.isfinite(matrices[:, :3, 3]).all(axis=1)
        good &= np.abs(matrices[:, 3] - [0.0, 0.0, 0.0, 1.0]).max(axis=1) <= _ORTHONORMAL
    if not good.all():
        first = int(np.argmin(good))
        raise SolveError(f"arm: target {first} {_no_placement(matrices[first])}")
    return matrices


def swivels(given: Any, count: int) -> np.ndarray:
    """Swivel angles, one for all or one each, as an array of this length, or a SolveError."""
    wishes = array_of(given, "the swivels")
    if wishes.shape not in ((), (1,), (count,)):
        raise SolveError(f"arm: expected one swivel or {count} of them, got shape {wishes.shape}")
    if not np.isfinite(wishes).all():
        raise SolveError("arm: the swivels must be finite")
    return np.ascontiguousarray(np.broadcast_to(wishes, count))


def point(position: Any, what: str = "the position") -> np.ndarray:
    """A position as an array of 3, or a SolveError."""
    result = array_of(position, what)
    if result.shape != (3,) or not np.isfinite(result).all():
        raise SolveError(f"arm: {what} must be 3 finite numbers, got {position!r}")
    return result


def coordinates(given: Any, count: int, who: str = "arm", what: str = "joint values") -> np.ndarray:
    """Joint values as an array of this length, or a SolveError."""
    result = array_of(given, f"the {what}", who)
    if result.shape != (count,) or not np.isfinite(result).all():
        raise SolveError(f"{who}: expected {count} finite {what}, got {given!r}")
    return result


def values(given: np.ndarray | Sequence[float], virtual: int) -> np.ndarray:
    """Joint values as the closed form's seven, a virtual one at zero, or a SolveError."""
    result = coordinates(given, 7 if virtual < 0 else 6, what="start values")
    return result if virtual < 0 else np.insert(result, virtual, 0.0)


def real(rows: np.ndarray, virtual: int) -> np.ndarray:
    """Rows of the closed form's seven values without the virtual one, if there is one."""
    # It is the first or the last.
    return rows if virtual < 0 else rows[..., 1:] if virtual == 0 else rows[..., :6]
