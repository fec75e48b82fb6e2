"""Checks of a goal's arguments, each stored as it is used."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import GoalError

if TYPE_CHECKING:
    from manikin.goals.goal import Goal

# How far a rotation matrix may be from orthonormal: numbers printed to six digits.
_ROTATION_TOLERANCE = 1e-5
# A matrix nearer to one than this is taken as it is.
_ROUNDING = 1e-13
# Metres; what lies beyond is a mistake, and its square would overflow.
_FARTHEST = 1e12


def number(goal: Goal, name: str) -> float:
    """The finite number under ``name``, stored as a float."""
    value = getattr(goal, name)
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: {name} must be a number, got {value!r}") from None
    if not math.isfinite(result):
        raise GoalError(f"{goal.label()}: {name} must be finite, got {result}")
    object.__setattr__(goal, name, result)
    return result


def vector(goal: Goal, name: str) -> np.ndarray:
    """The three finite numbers under ``name``, stored as a read-only array."""
    value = getattr(goal, name)
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: {name} must be three numbers, got {value!r}") from None
    if result.shape != (3,):
        raise GoalError(f"{goal.label()}: {name} must be three numbers, got shape {result.shape}")
    x, y, z = result.tolist()
    if not (abs(x) <= _FARTHEST and abs(y) <= _FARTHEST and abs(z) <= _FARTHEST):
        if not np.isfinite(result).all():
            raise GoalError(f"{goal.label()}: {name} must be finite, got {result.tolist()}")
        raise GoalError(f"{goal.label()}: {name} is farther than {_FARTHEST:g} m away: {result.tolist()}")
    result.flags.writeable = False
    object.__setattr__(goal, name, result)
    return result


def direction(goal: Goal, name: str) -> np.ndarray:
    """The vector under ``name``, of any length but zero, stored with length 1."""
    given = vector(goal, name)
    length = float(np.linalg.norm(given))
    if length < 1e-12:
        raise GoalError(f"{goal.label()}: {name} has no direction, its length is {length:g}")
    result = unit(given, length)
    result.flags.writeable = False
    object.__setattr__(goal, name, result)
    return result


def unit(given: np.ndarray, length: float) -> np.ndarray:
    """A vector of this length made 1 long; one that is so to rounding stays as it is, so that doing it again changes
    nothing: a goal that was changed is then the goal as it would have been made.
    """
    return given.copy() if abs(length - 1.0) < 1e-15 else given / length


def rotation(goal: Goal, name: str) -> np.ndarray:
    """The rotation under ``name``, stored as a read-only 3×3 matrix.

    It may be given as a 3×3 matrix, a 4×4 transform (its position is ignored) or a SciPy ``Rotation``.
    """
    value = getattr(goal, name)
    if hasattr(value, "as_matrix"):
        value = value.as_matrix()
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: {name} must be a rotation, got {value!r}") from None
    if result.shape == (4, 4):
        result = result[:3, :3].copy()
    if result.shape != (3, 3):
        raise GoalError(
            f"{goal.label()}: {name} must be a 3×3 rotation matrix, a 4×4 transform or a Rotation, "
            f"got shape {result.shape}"
        )
    off = _off_rotation(*result.ravel().tolist())
    if not off < _ROTATION_TOLERANCE:
        if not np.isfinite(result).all():
            raise GoalError(f"{goal.label()}: {name} must be finite, got {result.tolist()}")
        raise GoalError(f"{goal.label()}: {name} is not a rotation matrix: {result.tolist()}")
    if off > _ROUNDING:
        u, _, vt = np.linalg.svd(result)
        result = u @ vt
    result.flags.writeable = False
    object.__setattr__(goal, name, result)
    return result


def frame(goal: Goal, name: str) -> np.ndarray:
    """The transform under ``name``, 4×4, stored read-only."""
    try:
        result = np.array(getattr(goal, name), dtype=np.float64)
    except (TypeError, ValueError):
        result = np.zeros(0)
    if result.shape != (4, 4) or not np.array_equal(result[3], [0.0, 0.0, 0.0, 1.0]):
        raise GoalError(f"{goal.label()}: {name} must be a 4×4 transform, got {getattr(goal, name)!r}")
    point = result[:3, 3].copy()
    if not (np.abs(point) < _FARTHEST).all():
        raise GoalError(f"{goal.label()}: {name} must be finite, got {result.tolist()}")
    rotation(goal, name)
    result[:3, :3] = getattr(goal, name)
    result.flags.writeable = False
    object.__setattr__(goal, name, result)
    return result


def _off_rotation(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float
) -> float:
    """How far the matrix of these rows is from a rotation: the largest entry of RRᵀ − I, infinite for a mirror image.

    Written out, since a dragged target is checked sixty times a second and more.
    """
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
        return math.inf
    square = max(
        abs(a * a + b * b + c * c - 1.0), abs(d * d + e * e + f * f - 1.0), abs(g * g + h * h + i * i - 1.0)
    )
    return max(square, abs(a * d + b * e + c * f), abs(a * g + b * h + c * i), abs(d * g + e * h + f * i))


def check_degrees_per_metre(goal: Goal) -> None:
    """A positive number under ``degrees_per_metre``."""
    degrees = number(goal, "degrees_per_metre")
    if degrees <= 0.0:
        raise GoalError(f"{goal.label()}: degrees_per_metre must be positive, got {degrees:g}")


def angle_weight(weight: float, degrees_per_metre: float) -> float:
    """w c², c of equation (10): what the squares of angles are multiplied by to weigh as those of lengths do."""
    c = 180.0 / (math.pi * degrees_per_metre)
    return weight * c * c
