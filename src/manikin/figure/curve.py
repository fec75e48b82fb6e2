"""Curves: functions of one number, made of polynomials in pieces, that an axis may follow.

With breaks b_1 < … < b_k there are k + 1 pieces. Piece i holds from b_i on (piece 0 before b_1) and is
Σ_p c[i, p] (x − o_i)^p, its origin o_i being b_i, b_1 for piece 0, and 0 where there are no breaks. Sums, multiples and
compositions of such curves are such curves again, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import factorial
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from manikin.errors import FigureError
from manikin.figure import checks, splines
from manikin.figure.segment import Record


@dataclass(frozen=True, eq=False)
class Curve(Record):
    """A function in polynomial pieces.

    breaks: (k,), ascending; none for one polynomial.
    coefficients: (k + 1, degree + 1), by ascending powers of x − origin; see the module.
    """

    breaks: Any
    coefficients: Any

    def __post_init__(self) -> None:
        where = "curve"
        breaks = checks.vector(self.breaks, (np.size(self.breaks),), f"{where}: breaks")
        if (np.diff(breaks) <= 0.0).any():
            raise FigureError(f"{where}: its breaks must ascend, got {breaks.tolist()}")
        shape = np.shape(self.coefficients)
        if len(shape) != 2 or shape[0] != len(breaks) + 1 or shape[1] == 0:
            raise FigureError(
                f"{where}: expected {len(breaks) + 1} rows of coefficients, one a piece, got shape {shape}"
            )
        self._set(
            breaks=breaks, coefficients=checks.vector(self.coefficients, shape, f"{where}: coefficients")
        )

    @property
    def origins(self) -> np.ndarray:
        """Where each piece's powers count from, (k + 1,)."""
        if not len(self.breaks):
            return np.zeros(1)
        return np.concatenate([self.breaks[:1], self.breaks])

    @property
    def degree(self) -> int:
        """The highest power of any piece."""
        return int(self.coefficients.shape[1]) - 1

    def __call__(self, x: Any, derivative: int = 0) -> np.ndarray:
        """The value, or a derivative, at x of any shape."""
        x = np.asarray(x, dtype=np.float64)
        piece = np.searchsorted(self.breaks, x, side="right")
        t = x - self.origins[piece]
        result = np.zeros_like(t)
        for p in range(self.degree, derivative - 1, -1):
            factor = float(np.prod(np.arange(p, p - derivative, -1.0)))
            result = result * t + factor * self.coefficients[piece, p]
        return result

    def extremes(self, low: float, high: float) -> tuple[float, float]:
        """The least and the greatest value between two ends, either of which may be infinite."""
        edges = [-np.inf, *self.breaks.tolist(), np.inf]
        found = [float(self(x)) for x in (low, high, *self.breaks) if low <= x <= high and np.isfinite(x)]
        for i, origin in enumerate(self.origins):
            piece = Polynomial(self.coefficients[i]).trim(0.0)
            ends = max(low, edges[i]), min(high, edges[i + 1])
            if ends[0] > ends[1]:
                continue
            if piece.degree() == 0:
                found.append(float(piece.coef[0]))
                continue
            turning = [float(root.real) + origin for root in piece.deriv().roots()]
            found += [float(self(x)) for x in turning if ends[0] <= x <= ends[1]]
            for end in ends:
                if np.isinf(end):
                    found.append(np.sign(piece.coef[-1]) * float(end) ** (2 - piece.degree() % 2))
        return min(found), max(found)

    @property
    def linear(self) -> tuple[float, float] | None:
        """(slope, offset) of a curve that is one straight line; None for others."""
        if len(self.breaks) or self.coefficients[0, 2:].any():
            return None
        row = self.coefficients[0]
        return (float(row[1]) if len(row) > 1 else 0.0), float(row[0])

    def scaled(self, factor: float, offset: float = 0.0) -> Curve:
        """offset + factor · this."""
        coefficients = factor * self.coefficients
        coefficients[:, 0] += offset
        return Curve(self.breaks, coefficients)

    def of_linear(self, slope: float, offset: float) -> Curve:
        """x ↦ this(slope · x + offset); the slope is not 0."""
        return self.after(Curve.polynomial([offset, slope]))

    def after(self, inner: Curve) -> Curve:
        """x ↦ this(inner(x)), whose breaks are the inner one's and where it crosses the outer one's."""
        breaks = sorted({*inner.breaks.tolist(), *_crossings(inner, self.breaks)})
        breaks = [b for k, b in enumerate(breaks) if k == 0 or b - breaks[k - 1] > 1e-12 * max(1.0, abs(b))]
        width = self.degree * inner.degree + 1
        origins = Curve(breaks, np.zeros((len(breaks) + 1, 1))).origins
        rows = np.zeros((len(breaks) + 1, width))
        for i, middle in enumerate(_middles(breaks)):
            here = int(np.searchsorted(inner.breaks, middle, side="right"))
            shifted = Polynomial(inner.coefficients[here])(
                Polynomial([origins[i] - inner.origins[here], 1.0])
            )
            there = int(np.searchsorted(self.breaks, inner(middle), side="right"))
            found = Polynomial(self.coefficients[there])(shifted - self.origins[there])
            rows[i, : len(found.coef)] = found.coef
        return Curve(breaks, rows)

    @classmethod
    def polynomial(cls, coefficients: Any) -> Curve:
        """One polynomial, by ascending powers of x."""
        return cls((), np.atleast_2d(np.asarray(coefficients, dtype=np.float64)))

    @classmethod
    def straight_pieces(cls, x: Any, y: Any) -> Curve:
        """Straight between the points, and on beyond the first and last."""
        x, y = _points(x, y)
        slopes = np.diff(y) / np.diff(x)
        inner = np.column_stack([y[1:-1], slopes[1:]])
        return cls(x[1:-1], [[y[0] + slopes[0] * (_first(x) - x[0]), slopes[0]], *inner])

    @classmethod
    def simm_spline(cls, x: Any, y: Any) -> Curve:
        """The cubic spline of SIMM and OpenSim (Forsythe, Malcolm and Moler 1977), straight beyond its ends.

        Twice continuously differentiable between the ends; the third derivative of the first and of the last piece is
        that of the cubic through the four points there. Through three points it is the parabola, through two the line.
        """
        x, y = _points(x, y)
        h, slopes = np.diff(x), np.diff(y) / np.diff(x)
        count = len(x)
        if count == 2:
            return cls.polynomial([y[0] - slopes[0] * x[0], slopes[0]])
        # σ_i is a sixth of the second derivative at x_i.
        matrix, right = np.zeros((count, count)), np.zeros(count)
        for i in range(1, count - 1):
            matrix[i, i - 1 : i + 2] = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
            right[i] = slopes[i] - slopes[i - 1]
        matrix[0, :2] = matrix[-1, -2:] = -1.0, 1.0
        if count > 3:
            right[0] = h[0] * _third_difference(x[:4], y[:4])
            right[-1] = h[-1] * _third_difference(x[-4:], y[-4:])
        sigma = np.linalg.solve(matrix, right)
        return cls._hermite(x, y, sigma)

    @classmethod
    def _hermite(cls, x: np.ndarray, y: np.ndarray, sigma: np.ndarray) -> Curve:
        """The cubic pieces with these sixths of second derivatives, straight beyond the ends."""
        h, slopes = np.diff(x), np.diff(y) / np.diff(x)
        first = slopes - h * (sigma[1:] + 2.0 * sigma[:-1])
        last = slopes[-1] + h[-1] * (sigma[-2] + 2.0 * sigma[-1])
        pieces = np.column_stack([y[:-1], first, 3.0 * sigma[:-1], np.diff(sigma) / h])
        return cls(x, [[y[0], first[0], 0.0, 0.0], *pieces, [y[-1], last, 0.0, 0.0]])

    @classmethod
    def natural_spline(cls, x: Any, y: Any, half_order: int = 2) -> Curve:
        """The natural interpolating spline of degree 2m − 1, m its half order; beyond its ends of degree m − 1."""
        x, y = _points(x, y)
        if half_order == 1:
            slopes = np.append(np.diff(y) / np.diff(x), 0.0)
            return cls(x, [[y[0], 0.0], *np.column_stack([y, slopes])])
        if len(x) < 2 * half_order:
            raise FigureError(
                f"curve: a natural spline of half order {half_order} needs {2 * half_order} points, got {len(x)}"
            )
        known = np.concatenate([y[:, None], splines.derivatives(x, y[:, None], half_order)[..., 0]], axis=1)
        rows = np.zeros((len(x) + 1, 2 * half_order))
        rows[1:-1] = splines.pieces(x, known[..., None])[..., 0]
        rows[-1, :half_order] = known[-1] / [factorial(p) for p in range(half_order)]
        rows[0, :half_order] = rows[1, :half_order]
        return cls(x, rows)


def _points(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    x = checks.vector(x, (np.size(x),), "curve: x")
    y = checks.vector(y, x.shape, "curve: y")
    if len(x) < 2:
        raise FigureError(f"curve: it needs two or more points, got {len(x)}")
    if (np.diff(x) <= 0.0).any():
        raise FigureError(f"curve: x must ascend, got {x.tolist()}")
    return x, y


def _first(x: np.ndarray) -> float:
    """The origin of the piece before the first break of the inner points; 0 where there is none."""
    return float(x[1]) if len(x) > 2 else 0.0


def _third_difference(x: np.ndarray, y: np.ndarray) -> float:
    """The leading coefficient of the cubic through four points."""
    first = np.diff(y) / np.diff(x)
    second = np.diff(first) / (x[2:] - x[:2])
    return float((second[1] - second[0]) / (x[3] - x[0]))


def _middles(breaks: list[float]) -> list[float]:
    """A point inside every piece."""
    if not breaks:
        return [0.0]
    inner = [0.5 * (a + b) for a, b in pairwise(breaks)]
    return [breaks[0] - 1.0, *inner, breaks[-1] + 1.0]


def _crossings(inner: Curve, levels: np.ndarray) -> list[float]:
    """Where the inner curve passes one of the levels."""
    found: list[float] = []
    edges = [-np.inf, *inner.breaks.tolist(), np.inf]
    for i, origin in enumerate(inner.origins):
        piece = Polynomial(inner.coefficients[i]).trim(0.0)
        if piece.degree() == 0:
            continue
        for level in levels:
            for root in (piece - level).roots():
                x = float(root.real) + origin
                if abs(root.imag) < 1e-9 and edges[i] <= x <= edges[i + 1]:
                    found.append(x)
    return found
