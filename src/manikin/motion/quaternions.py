"""Rotations as unit quaternions, w first, (…, 4), and their series (4, …, 4): exp, log, swing and twist."""

from __future__ import annotations

import numpy as np

from manikin.motion import series


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quaternion of the rotation a · b."""
    w, v, x, u = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate(
        [w * x - (v * u).sum(axis=-1, keepdims=True), w * u + x * v + np.cross(v, u)], axis=-1
    )


def conjugate(a: np.ndarray) -> np.ndarray:
    """The inverse rotation's."""
    return a * np.array([1.0, -1.0, -1.0, -1.0])


def exp(vector: np.ndarray) -> np.ndarray:
    """Of a rotation vector (…, 3): (cos θ/2, sin(θ/2)/θ · v)."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * vector], axis=-1)


def log(a: np.ndarray) -> np.ndarray:
    """The rotation vector (…, 3), at most π long; of a half turn either of the two."""
    a = np.where(a[..., :1] < 0.0, -a, a)
    sine = np.linalg.norm(a[..., 1:], axis=-1, keepdims=True)
    safe = np.where(sine > 0.0, sine, 1.0)
    factor = np.where(sine > 1e-8, 2.0 * np.arctan2(sine, a[..., :1]) / safe, 2.0)
    return factor * a[..., 1:]


def from_swing_twist(values: np.ndarray) -> np.ndarray:
    """exp([s1, s2, 0]) · Rz(t) of (…, 3) values s1, s2, t."""
    swing = np.concatenate([values[..., :2], np.zeros_like(values[..., :1])], axis=-1)
    twist = np.zeros_like(swing)
    twist[..., 2] = values[..., 2]
    return product(exp(swing), exp(twist))


def series_exp(vector: np.ndarray) -> np.ndarray:
    """exp of a series of rotation vectors, (4, …, 3) to (4, …, 4)."""
    half = 0.5 * vector
    square = sum(series.product(half[..., k], half[..., k]) for k in range(3))
    cosine, sine = series.waves(np.asarray(square))
    return np.stack([cosine, *(series.product(sine, half[..., k]) for k in range(3))], axis=-1)


def series_product(fixed: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """A constant rotation (…, 4) times a series (4, …, 4)."""
    return product(np.broadcast_to(fixed, moving.shape), moving)


def series_vector(a: np.ndarray) -> np.ndarray:
    """The rotation vectors, at most π long, of a series of quaternions, (4, …, 4) to (4, …, 3)."""
    a = a * np.where(a[0, ..., :1] < 0.0, -1.0, 1.0)
    return _vector(a[..., 0], a[..., 1:])


def _vector(cosine: np.ndarray, sines: np.ndarray) -> np.ndarray:
    square = sum(series.product(sines[..., k], sines[..., k]) for k in range(sines.shape[-1]))
    factor = 2.0 * series.angle_over_sine(np.asarray(square), cosine)
    return np.stack([series.product(factor, sines[..., k]) for k in range(sines.shape[-1])], axis=-1)


def series_swing_twist(a: np.ndarray) -> np.ndarray:
    """Swing and twist, exp([s1, s2, 0]) · Rz(t), of a series of quaternions, (4, …, 4) to (4, …, 3); |s| ≤ π, |t| ≤ π.

    With the swing a half turn the twist is not defined: 0 is taken, and derivatives mean nothing there.
    """
    a = a * np.where(a[0, ..., :1] < 0.0, -1.0, 1.0)
    w, x, y, z = (a[..., k] for k in range(4))
    square = series.product(w, w) + series.product(z, z)
    flat = square[0] < 1e-28
    one = np.zeros_like(square)
    one[0] = 1.0
    cosine = series.root(np.where(flat, one, square))
    ct = series.quotient(np.where(flat, one, w), cosine)
    st = series.quotient(np.where(flat, 0.0, z), cosine)
    sines = np.stack(
        [series.product(x, ct) - series.product(y, st), series.product(y, ct) + series.product(x, st)],
        axis=-1,
    )
    twist = 2.0 * series.angle(st, ct)
    swing = _vector(np.where(flat, 0.0, cosine), sines)
    return np.concatenate([swing, twist[..., None]], axis=-1)
