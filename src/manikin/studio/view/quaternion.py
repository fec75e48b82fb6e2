"""Quaternions (w, x, y, z), as the browser wants them, of many rotations at once."""

from __future__ import annotations

import numpy as np


def wxyz_of(rotations: np.ndarray) -> np.ndarray:
    """(…, 4) with w ≥ 0 of rotation matrices (…, 3, 3): the largest of the four components is found first, so that no
    digits are lost near half turns (Shepperd 1978)."""
    r = np.asarray(rotations, dtype=np.float64)
    m00, m11, m22 = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    squares = np.stack(
        [1 + m00 + m11 + m22, 1 + m00 - m11 - m22, 1 - m00 + m11 - m22, 1 - m00 - m11 + m22], axis=-1
    )
    which = squares.argmax(axis=-1)
    a, b, c = r[..., 2, 1], r[..., 0, 2], r[..., 1, 0]
    d, e, f = r[..., 1, 2], r[..., 2, 0], r[..., 0, 1]
    rows = np.stack(
        [
            np.stack([squares[..., 0], a - d, b - e, c - f], axis=-1),
            np.stack([a - d, squares[..., 1], c + f, b + e], axis=-1),
            np.stack([b - e, c + f, squares[..., 2], a + d], axis=-1),
            np.stack([c - f, b + e, a + d, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    found = np.take_along_axis(rows, which[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(found[..., :1] < 0.0, -found, found)


def matrix_of(wxyz: np.ndarray) -> np.ndarray:
    """The rotation matrix of one quaternion of any length but zero."""
    w, x, y, z = np.asarray(wxyz, dtype=np.float64) / np.linalg.norm(wxyz)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
