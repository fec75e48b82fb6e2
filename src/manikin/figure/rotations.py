"""Rotations of whole clips: (T, 3, 3) from and to Euler angles, quaternions, rotation vectors, swing and twist.

Everything is vectorised over the first axis. Quaternions are (x, y, z, w), glTF's order.
"""

from __future__ import annotations

import math

import numpy as np

from manikin.figure.transforms import unit_quaternions

_TURN = 2.0 * math.pi


def about(letter: str, angles: np.ndarray) -> np.ndarray:
    """The turns about x, y or z, (T, 3, 3)."""
    k = "xyz".index(letter)
    i, j = (k + 1) % 3, (k + 2) % 3
    result = np.zeros((len(angles), 3, 3))
    c, s = np.cos(angles), np.sin(angles)
    result[:, k, k] = 1.0
    result[:, i, i] = result[:, j, j] = c
    result[:, i, j], result[:, j, i] = -s, s
    return result


def from_euler(order: str, angles: np.ndarray) -> np.ndarray:
    """e(order[0], θ1) e(order[1], θ2) …, (T, 3, 3), from (T, k) radians."""
    result = np.broadcast_to(np.eye(3), (len(angles), 3, 3))
    for k, letter in enumerate(order):
        result = result @ about(letter, angles[:, k])
    return result


def to_euler(order: str, matrices: np.ndarray) -> np.ndarray:
    """The (T, 3) angles of three different letters, each frame's nearest to those of the frame before.

    With i, j, k the order's axes and e = ±1 its parity, R = Ri(a) Rj(b) Rk(c) has R[i,k] = e sin b,
    R[j,k] = −e sin a cos b, R[i,j] = −e cos b sin c. Where cos b = 0 only a ± c counts, and a stays as it was.
    """
    i, j, k = ("xyz".index(letter) for letter in order)
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    r = matrices
    level = np.hypot(r[:, i, i], r[:, i, j])
    b = np.arctan2(e * r[:, i, k], level)
    a = np.arctan2(-e * r[:, j, k], r[:, k, k])
    c = np.arctan2(-e * r[:, i, j], r[:, i, i])
    result = np.stack([a, b, c], axis=1)
    before = np.zeros(3)
    for t in range(len(result)):
        if level[t] < 1e-9:
            rest = from_euler(order[1], -result[t, 1:2][None])[0] @ about(order[0], -before[:1])[0] @ r[t]
            result[t] = before[0], result[t, 1], math.atan2(e * rest[j, i], rest[j, j])
            result[t, 2] += _TURN * round((before[2] - result[t, 2]) / _TURN)
            before = result[t]
            continue
        first = result[t]
        other = np.array([first[0] + math.pi, math.pi - first[1], first[2] + math.pi])
        first = first + _TURN * np.round((before - first) / _TURN)
        other = other + _TURN * np.round((before - other) / _TURN)
        near, far = np.abs(first - before).sum(), np.abs(other - before).sum()
        result[t] = first if near <= far + 1e-9 else other
        before = result[t]
    return result


def quaternions(matrices: np.ndarray) -> np.ndarray:
    """(T, 4), x y z w, of unit length, each on the side of the one before."""
    return continued(unit_quaternions(matrices))


def continued(found: np.ndarray) -> np.ndarray:
    """Quaternions with the signs that keep neighbours near, the first with w ≥ 0."""
    if not len(found):
        return found
    flips = np.sign(np.einsum("ij,ij->i", found[1:], found[:-1]))
    signs = np.cumprod(np.concatenate([[1.0], np.where(flips == 0.0, 1.0, flips)]))
    first = -1.0 if found[0, 3] < 0.0 else 1.0
    return found * (first * signs)[:, None]


def from_quaternions(q: np.ndarray) -> np.ndarray:
    """(…, 3, 3) of quaternions x y z w, made of unit length first."""
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    x, y, z, w = np.moveaxis(q, -1, 0)
    result = np.empty((*q.shape[:-1], 3, 3))
    result[..., 0, 0] = 1 - 2 * (y * y + z * z)
    result[..., 0, 1] = 2 * (x * y - z * w)
    result[..., 0, 2] = 2 * (x * z + y * w)
    result[..., 1, 0] = 2 * (x * y + z * w)
    result[..., 1, 1] = 1 - 2 * (x * x + z * z)
    result[..., 1, 2] = 2 * (y * z - x * w)
    result[..., 2, 0] = 2 * (x * z - y * w)
    result[..., 2, 1] = 2 * (y * z + x * w)
    result[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return result


def to_vectors(matrices: np.ndarray) -> np.ndarray:
    """Rotation vectors, (T, 3), no longer than π."""
    q = quaternions(matrices)
    q = np.where(q[:, 3:] < 0.0, -q, q)
    sine = np.linalg.norm(q[:, :3], axis=1)
    angle = 2.0 * np.arctan2(sine, q[:, 3])
    scale = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-300)
    return q[:, :3] * scale[:, None]


def from_vectors(vectors: np.ndarray) -> np.ndarray:
    """exp([w]), (T, 3, 3)."""
    angle = np.linalg.norm(vectors, axis=1)
    half = 0.5 * np.sinc(0.5 * angle / math.pi)
    return from_quaternions(np.column_stack([vectors * half[:, None], np.cos(0.5 * angle)]))


def to_swing_twist(matrices: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """(T, 3): a ball joint's values, its twist about the third column of `turn`; the swing is at most π, the
    twist goes on from frame to frame without jumps.
    """
    x, y, z, w = quaternions(turn.T @ matrices @ turn).T
    level, upright = np.hypot(x, y), np.hypot(w, z)
    half = np.where(upright > 1e-12, np.arctan2(z, w), 0.0)
    size = 2.0 * np.arctan2(level, upright)
    scale = np.divide(size, level, out=np.full_like(level, 2.0), where=level > 1e-300)
    c, s = np.cos(half), np.sin(half)
    twist = np.unwrap(2.0 * half)
    twist -= _TURN * np.round(twist[:1] / _TURN) if len(twist) else 0.0
    return np.stack([(x * c - y * s) * scale, (x * s + y * c) * scale, twist], axis=1)


def from_swing_twist(values: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """exp([s1, s2, 0]) Rz(t) about the axes of `turn`, (T, 3, 3)."""
    swing = np.column_stack([values[:, :2], np.zeros(len(values))])
    return turn @ from_vectors(swing) @ about("z", values[:, 2]) @ turn.T
