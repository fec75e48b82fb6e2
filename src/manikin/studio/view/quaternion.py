"""Quaternions (w, x, y, z), as the browser wants them, of many rotations at once."""

from __future__ import annotations

import numpy as np


def _linear() -> np.ndarray:
    """(9, 16): what carries the entries of a rotation to 4 q qᵀ, row after row, but for the ones on its diagonal."""
    entries = np.eye(9).reshape(3, 3, 9)
    m00, m11, m22 = entries[0, 0], entries[1, 1], entries[2, 2]
    a, b, c = entries[2, 1], entries[0, 2], entries[1, 0]
    d, e, f = entries[1, 2], entries[2, 0], entries[0, 1]
    rows = [
        [m00 + m11 + m22, a - d, b - e, c - f],
        [a - d, m00 - m11 - m22, c + f, b + e],
        [b - e, c + f, m11 - m00 - m22, a + d],
        [c - f, b + e, a + d, m22 - m00 - m11],
    ]
    return np.array(rows).reshape(16, 9).T.copy()


_ROWS = _linear()
_DIAGONAL = np.eye(4).ravel()


def wxyz_of(rotations: np.ndarray) -> np.ndarray:
    """(…, 4) with w ≥ 0 of rotation matrices (…, 3, 3): the largest of the four components is found first, so that no
    digits are lost near half turns (Shepperd 1978)."""
    r = np.asarray(rotations, dtype=np.float64)
    r = np.asarray(rotations, dtype=np.float64)
    rows = (r.reshape(-1, 9) @ _ROWS + _DIAGONAL).reshape(-1, 4, 4)
    which = np.diagonal(rows, axis1=1, axis2=2).argmax(axis=1)
    found = rows[np.arange(len(rows)), which]
    found *= (np.where(found[:, 0] < 0.0, -1.0, 1.0) / np.sqrt(np.einsum("ni,ni->n", found, found)))[:, None]
    return found.reshape(*r.shape[:-2], 4)


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
