"""Numbers with their first three derivatives by time, as truncated power series.

A series is an array whose first axis has four entries c, so that x(t + s) = c₀ + c₁ s + c₂ s² + c₃ s³ + O(s⁴): the
k-th derivative is k! c_k. All functions work along that axis and elementwise over the others. They carry the
derivatives of a curve of rotations over to the coordinates of a figure exactly, without differences.
"""

from __future__ import annotations

from math import factorial

import numpy as np

ORDER = 4
FACTORIALS = np.array([1.0, 1.0, 2.0, 6.0])
# Below this the power series of a function is used, above it the closed form.
_SMALL = 0.25


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a · b."""
    return np.stack([sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(ORDER)])


def quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, b₀ not 0."""
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    for k in range(ORDER):
        result[k] = (a[k] - sum(b[k - j] * result[j] for j in range(k))) / b[0]
    return result


def root(a: np.ndarray) -> np.ndarray:
    """√a, a₀ above 0."""
    result = np.zeros_like(a)
    result[0] = np.sqrt(a[0])
    for k in range(1, ORDER):
        inner = sum(result[j] * result[k - j] for j in range(1, k))
        result[k] = (a[k] - inner) / (2.0 * result[0])
    return result


def composed(derivatives: np.ndarray, a: np.ndarray) -> np.ndarray:
    """f(a), from f and its first three derivatives at a₀."""
    move = a.copy()
    move[0] = 0.0
    square = product(move, move)
    result = derivatives[1] * move + 0.5 * derivatives[2] * square
    result = result + derivatives[3] / 6.0 * product(square, move)
    result[0] += derivatives[0]
    return result


def angle(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """atan2(y, x), from its rate (x ẏ − y ẋ)/(x² + y²); x and y not both 0."""
    rate = quotient(
        product(x, _derived(y)) - product(y, _derived(x)),
        product(x, x) + product(y, y),
    )
    result = np.empty_like(rate)
    result[0] = np.arctan2(y[0], x[0])
    for k in range(1, ORDER):
        result[k] = rate[k - 1] / k
    return result


def _derived(a: np.ndarray) -> np.ndarray:
    """ȧ; its last entry, which is not known, is not used."""
    result = np.zeros_like(a)
    for k in range(1, ORDER):
        result[k - 1] = k * a[k]
    return result


def stumpff(x: np.ndarray, count: int = 8) -> np.ndarray:
    """c_k(x) = Σ_j (−x)^j/(2j + k)! for k below `count`: cos √x, sin √x/√x, (1 − cos √x)/x, …, (count, …), x ≥ 0.

    Their derivatives are c_k' = ½ (k c_{k+2} − c_{k+1}).
    """
    small = x < _SMALL
    near = np.where(small, x, 0.0)
    far = np.where(small, 1.0, x)
    size = np.sqrt(far)
    result = np.empty((count, *x.shape))
    closed = [np.cos(size), np.sin(size) / size]
    for k in range(2, count):
        closed.append((1.0 / factorial(k - 2) - closed[k - 2]) / far)
    for k in range(count):
        total = np.zeros_like(near)
        for j in range(9, -1, -1):
            total = 1.0 / factorial(2 * j + k) - near * total
        result[k] = np.where(small, total, closed[k])
    return result


def waves(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """cos √x and sin √x/√x of a series x, x₀ ≥ 0."""
    c = stumpff(x[0])
    cosine = np.stack([c[0], -0.5 * c[1], -0.25 * (c[3] - c[2]), np.zeros_like(c[0])])
    cosine[3] = -0.5 * _second(c, 1)
    sine = np.stack([c[1], 0.5 * (c[3] - c[2]), _second(c, 1), _third(c, 1)])
    return composed(cosine, x), composed(sine, x)


def _first(c: np.ndarray, k: int) -> np.ndarray:
    return 0.5 * (k * c[k + 2] - c[k + 1])


def _second(c: np.ndarray, k: int) -> np.ndarray:
    return 0.5 * (k * _first(c, k + 2) - _first(c, k + 1))


def _third(c: np.ndarray, k: int) -> np.ndarray:
    return 0.5 * (k * _second(c, k + 2) - _second(c, k + 1))


def angle_over_sine(sine_squared: np.ndarray, cosine: np.ndarray) -> np.ndarray:
    """atan2(s, c)/s of series s² ≥ 0 and c with s² + c² = 1: the factor that makes a quaternion's vector an angle.

    Where s is small and c above 0 it is a power series in s²/c², 1/c Σ (−s²/c²)^j/(2j + 1); elsewhere the quotient.
    """
    small = (sine_squared[0] < 1e-2) & (cosine[0] > 0.0)
    ones = np.zeros_like(cosine)
    ones[0] = 1.0
    c = np.where(small, cosine, ones)
    ratio = quotient(np.where(small, sine_squared, 0.0), product(c, c))
    x = ratio[0]
    derivatives = np.zeros((4, *x.shape))
    for order in range(4):
        for j in range(15, order - 1, -1):
            factor = factorial(j) / factorial(j - order) * (-1.0) ** j / (2 * j + 1)
            derivatives[order] = derivatives[order] + factor * x ** (j - order)
    near = quotient(composed(derivatives, ratio), c)
    safe = sine_squared[0] > 0.0
    square = np.where(small | ~safe, ones, sine_squared)
    sine = root(square)
    far = quotient(angle(sine, np.where(small, ones, cosine)), sine)
    return np.where(small, near, far)
