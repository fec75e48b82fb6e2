"""What a reach map says of a pose besides whether it reaches: discomfort, manipulability, the limits that it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from manikin.figure import Figure

#: Known measures: their unit, and what they are.
KNOWN = {
    "discomfort": ("1", "Σ ((q − rest)/(upper − lower))², of what moves"),
    "manipulability": ("m³", "√det(J Jᵀ) of the site's position by what moves"),
    "limits": ("1", "how many of what moves are on an end of their range"),
}
# Of a range: so near to its end is on it.
_ON = 1e-6


def discomfort(figure: Figure, q: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Of poses (count, n), over the coordinates ``moved`` that have a range."""
    spread = figure.upper[moved] - figure.lower[moved]
    kept = moved[np.isfinite(spread) & (spread > 0.0)]
    return (((q[:, kept] - figure.rest[kept]) / (figure.upper[kept] - figure.lower[kept])) ** 2).sum(axis=1)


def manipulability(figure: Figure, q: np.ndarray, site: str, moved: np.ndarray) -> np.ndarray:
    """Yoshikawa's measure of the site's position."""
    result = np.empty(len(q))
    for first in range(0, len(q), 2048):
        jacobian = figure.jacobian(np.ascontiguousarray(q[first : first + 2048]), site)[:, :3, moved]
        square = np.linalg.det(jacobian @ np.swapaxes(jacobian, 1, 2))
        result[first : first + 2048] = np.sqrt(np.maximum(square, 0.0))
    return result


def limits(figure: Figure, q: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many coordinates are on an end of their range; and which has the least room, where one is, else −1."""
    if not len(moved):
        return np.zeros(len(q), np.int16), np.full(len(q), -1, np.int16)
    low, high = figure.lower[moved], figure.upper[moved]
    with np.errstate(invalid="ignore"):
        spread = np.where(np.isfinite(high - low), high - low, 1.0)
        room = np.minimum(q[:, moved] - low, high - q[:, moved]) / np.where(spread > 0.0, spread, 1.0)
    on = room <= _ON
    tightest = np.where(on.any(axis=1), moved[np.argmin(room, axis=1)], -1)
    return on.sum(axis=1).astype(np.int16), tightest.astype(np.int16)
