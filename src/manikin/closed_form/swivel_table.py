"""A table of swivel angles learned from recorded poses, and what it says in between.

The space around the shoulder is a box of nodes; each holds a point (cos φ, sin φ), and between nodes they are mixed
trilinearly, so that φ has no seam at ±π. The nodes are the least-squares fit to the samples,

    Σ |mix(xᵢ) − (cos φᵢ, sin φᵢ)|² + λ Σ |second differences of neighbouring nodes|²,

whose second term carries the table on to where no sample was. φ counts positive away from the body, so one table
serves both sides.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import atan2
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError, SolveError
from manikin.files import read_text, whole_file

_FORMAT = "manikin swivel table 1"
_MOST_BYTES = 16 << 20
_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class SwivelTable:
    """Swivel angles over the position of the hand: ahead of the shoulder, to its own side, up, metres.

    low, high: the corners of the box (3,). nodes: (a, b, c, 2), the cosine and sine at each node.
    """

    low: np.ndarray
    high: np.ndarray
    nodes: np.ndarray

    def __post_init__(self) -> None:
        for name in ("low", "high", "nodes"):
            try:
                array = np.asarray(getattr(self, name), dtype=np.float64)
            except (TypeError, ValueError):
                raise SolveError(
                    f"swivel table: {name} must be numbers, got {getattr(self, name)!r}"
                ) from None
            if not np.isfinite(array).all():
                raise SolveError(f"swivel table: {name} must be finite numbers")
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.low.shape != (3,) or self.high.shape != (3,) or not (self.low < self.high).all():
            raise SolveError(
                f"swivel table: expected corners low < high of 3 numbers, got {self.low}, {self.high}"
            )
        shape = self.nodes.shape
        if len(shape) != 4 or shape[3] != 2 or min(shape[:3]) < 2:
            raise SolveError(
                f"swivel table: expected nodes of shape (a, b, c, 2), each at least 2, got {shape}"
            )

    @classmethod
    def fit(cls, points: Any, swivels: Any, size: int = 6, smoothing: float = 1e-3) -> SwivelTable:
        """The table of samples: points (N, 3) and their φ (N,), positive away from the body.

        size: nodes a side. smoothing: λ, how much a bend between nodes counts beside the samples' mean.
        """
        x, phi = np.asarray(points, dtype=np.float64), np.asarray(swivels, dtype=np.float64)
        if x.ndim != 2 or x.shape[1:] != (3,) or len(x) == 0 or phi.shape != (len(x),):
            raise SolveError(
                f"swivel table: expected points (N, 3) and N angles, got {x.shape} and {phi.shape}"
            )
        if not (np.isfinite(x).all() and np.isfinite(phi).all()):
            raise SolveError("swivel table: the samples must be finite")
        if size < 2 or not 0.0 < smoothing < np.inf:
            raise SolveError(
                f"swivel table: needs size ≥ 2 and smoothing > 0, got {size!r} and {smoothing!r}"
            )
        low, high = x.min(axis=0), x.max(axis=0)
        margin = np.maximum(0.02 * (high - low), 0.01)
        low, high = low - margin, high + margin
        shape = (size, size, size)
        places, weights = _mix(x, low, high, shape)
        bends = _bends(size) * np.sqrt(smoothing * len(x) / size**3)
        triangle, seen = bends, np.zeros((len(bends), 2))
        # The triangle of a QR factorisation holds all that the samples so far say of the nodes.
        for first in range(0, len(x), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            rows = np.zeros((len(x[some]), size**3))
            np.put_along_axis(rows, places[some], weights[some], axis=1)
            angles = np.column_stack([np.cos(phi[some]), np.sin(phi[some])])
            q, triangle = np.linalg.qr(np.vstack([triangle, rows]))
            seen = q.T @ np.vstack([seen, angles])
        found = np.linalg.solve(triangle, seen)
        return cls(low, high, found.reshape(*shape, 2))

    def swivel(self, position: Any) -> float:
        """φ at a point (3), positive away from the body; beyond the box, that of its nearest point."""
        x = np.asarray(position, dtype=np.float64)
        if x.shape != (3,) or not np.isfinite(x).all():
            raise SolveError(f"swivel table: expected a point of 3 finite numbers, got {position!r}")
        places, weights = _mix(x[None], self.low, self.high, self.nodes.shape[:3])
        cosine, sine = weights[0] @ self.nodes.reshape(-1, 2)[places[0]]
        return atan2(float(sine), float(cosine))

    def to_json(self) -> str:
        """The table as JSON."""
        return json.dumps(
            {
                "format": _FORMAT,
                "low": self.low.tolist(),
                "high": self.high.tolist(),
                "nodes": self.nodes.tolist(),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> SwivelTable:
        """The table of `to_json`; a FormatError says what is wrong with another text."""
        try:
            data = json.loads(text)
            if not isinstance(data, dict) or data.get("format") != _FORMAT:
                raise FormatError(f"swivel table: expected JSON with format {_FORMAT!r}")
            return cls(*(np.array(data[name], dtype=np.float64) for name in ("low", "high", "nodes")))
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError, SolveError) as error:
            raise FormatError(f"swivel table: not a table: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the table as JSON."""
        with whole_file(path) as beside:
            beside.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> SwivelTable:
        """Read a table that `save` wrote."""
        try:
            return cls.from_json(read_text(path, "swivel table", _MOST_BYTES))
        except FormatError as error:
            raise error if str(path) in str(error) else FormatError(f"{path}: {error}") from None


def _mix(
    x: np.ndarray, low: np.ndarray, high: np.ndarray, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The eight nodes around each point (N, 8), by number, and their shares (N, 8)."""
    cells = np.array(shape) - 1
    t = np.clip((x - low) / (high - low), 0.0, 1.0) * cells
    corner = np.minimum(t.astype(np.int64), cells - 1)
    part = t - corner
    places, weights = [], []
    for k in range(8):
        bit = np.array([(k >> 2) & 1, (k >> 1) & 1, k & 1])
        places.append(np.ravel_multi_index((corner + bit).T, shape))
        weights.append(np.where(bit, part, 1.0 - part).prod(axis=1))
    return np.stack(places, axis=1), np.stack(weights, axis=1)


def _bends(size: int) -> np.ndarray:
    """Second differences along each axis, and first ones, a hundredth as strong, which settle what is left."""
    numbers = np.arange(size**3).reshape(size, size, size)
    eye = np.eye(size**3)
    found = []
    for axis in range(3):
        line = np.moveaxis(numbers, axis, 0)
        first, middle, last = eye[line[:-2].ravel()], eye[line[1:-1].ravel()], eye[line[2:].ravel()]
        found.append(first - 2.0 * middle + last)
        found.append(0.01 * (eye[line[:-1].ravel()] - eye[line[1:].ravel()]))
    return np.vstack(found)
