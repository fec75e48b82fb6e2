"""Rigid transforms as 4×4 matrices and as rows of twelve numbers (rotation by rows, then position)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_EYE = np.eye(4)


def inverse(transform: np.ndarray) -> np.ndarray:
    """The inverse of a rigid transform: rotation Rᵀ, position −Rᵀp."""
    result = _EYE.copy()
    result[:3, :3] = transform[:3, :3].T
    result[:3, 3] = -transform[:3, :3].T @ transform[:3, 3]
    return result


def rotation(matrix: np.ndarray) -> np.ndarray:
    """The 4×4 transform of a 3×3 rotation."""
    result = _EYE.copy()
    result[:3, :3] = matrix
    return result


def translation(vector: Sequence[float] | np.ndarray) -> np.ndarray:
    """The 4×4 transform that moves by `vector`."""
    result = _EYE.copy()
    result[:3, 3] = vector
    return result


def pack(transform: np.ndarray) -> np.ndarray:
    """Twelve numbers: the rotation row by row, then the position."""
    return np.concatenate([transform[:3, :3].ravel(), transform[:3, 3]])


def unpack(row: np.ndarray) -> np.ndarray:
    """The 4×4 transform of twelve numbers."""
    result = _EYE.copy()
    result[:3, :3] = row[:9].reshape(3, 3)
    result[:3, 3] = row[9:]
    return result


def skew(v: Sequence[float] | np.ndarray) -> np.ndarray:
    """[v], the matrix with [v]u = v × u."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def turn_z(angle: float) -> np.ndarray:
    """Rz(angle), the 3×3 rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def exp(w: Sequence[float] | np.ndarray) -> np.ndarray:
    """exp([w]) = I + sin θ/θ [w] + (1 − cos θ)/θ² [w]², θ = |w| (Rodrigues)."""
    angle = math.sqrt(float(np.dot(w, w)))
    k = skew(w)
    half = _sinc(0.5 * angle)
    return np.eye(3) + _sinc(angle) * k + 0.5 * half * half * (k @ k)


def left_jacobian(w: Sequence[float] | np.ndarray) -> np.ndarray:
    """J in ω = J ẇ, the angular velocity of exp([w]): I + (1−cos θ)/θ² [w] + (θ−sin θ)/θ³ [w]²."""
    square = float(np.dot(w, w))
    angle = math.sqrt(square)
    half = _sinc(0.5 * angle)
    if angle < 0.05:  # the series; its first dropped term is θ⁸/39 916 800
        third = 1 / 6 - square / 120 + square**2 / 5040 - square**3 / 362880
    else:
        third = (angle - math.sin(angle)) / (square * angle)
    k = skew(w)
    return np.eye(3) + 0.5 * half * half * k + third * (k @ k)


def log(matrix: np.ndarray) -> np.ndarray:
    """The rotation vector w with exp([w]) = R, |w| ≤ π.

    By way of the unit quaternion, so that it is accurate near 0 and near π too.
    """
    r = matrix
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    # Four multiples of the quaternion (w, x, y, z); the one with the largest pivot is best conditioned.
    pivots = [trace, r[0, 0], r[1, 1], r[2, 2]]
    k = int(np.argmax(pivots))
    if k == 0:
        quaternion = [1.0 + trace, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    elif k == 1:
        quaternion = [r[2, 1] - r[1, 2], 1.0 + 2.0 * r[0, 0] - trace, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]]
    elif k == 2:
        quaternion = [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], 1.0 + 2.0 * r[1, 1] - trace, r[1, 2] + r[2, 1]]
    else:
        quaternion = [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], 1.0 + 2.0 * r[2, 2] - trace]
    if quaternion[0] < 0.0:
        quaternion = [-entry for entry in quaternion]
    v = np.array(quaternion[1:])
    sine = float(np.linalg.norm(v))
    if sine == 0.0:
        return np.zeros(3)
    return (2.0 * math.atan2(sine, quaternion[0]) / sine) * v


def unit_quaternions(matrices: np.ndarray) -> np.ndarray:
    """(T, 4), x y z w, of unit length, of rotations (T, 3, 3); of either sign.

    From the largest of the four squares, so that nothing is divided by what is near zero (Shepperd 1978).
    """
    r = matrices
    trace = np.trace(r, axis1=1, axis2=2)
    x, y, z = r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]
    pivot = np.argmax(np.stack([trace, x, y, z], axis=1), axis=1)
    skew = np.stack([r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]], axis=1)
    both = r + np.swapaxes(r, 1, 2)
    found = np.empty((len(r), 4))
    upright = pivot == 0
    found[upright, :3], found[upright, 3] = skew[upright], 1.0 + trace[upright]
    for k in range(3):
        rows = pivot == k + 1
        found[rows, :3] = both[rows, k]
        found[rows, k] = 1.0 + 2.0 * r[rows, k, k] - trace[rows]
        found[rows, 3] = skew[rows, k]
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def basis(axis: np.ndarray) -> np.ndarray:
    """A rotation whose third column is the unit vector `axis`, so that it takes z to it."""
    x, y, z = axis.tolist()
    sizes = abs(x), abs(y), abs(z)
    least = sizes.index(min(sizes))
    first = 0.0 - axis[least] * axis
    first[least] += 1.0
    first /= math.sqrt(first.dot(first))
    a, b, c = first.tolist()
    return np.array([[a, y * c - z * b, x], [b, z * a - x * c, y], [c, x * b - y * a, z]])


def _sinc(angle: float) -> float:
    return math.sin(angle) / angle if angle > 1e-9 else 1.0
