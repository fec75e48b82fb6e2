"""A swing as another swing's direction sees it, and its derivatives: `figure.lean` in scalars.

With θ = |s|, k = sin θ/θ and m = (cos θ − k)/θ²,

    d = (s2 k, −s1 k, cos θ),   ∂d/∂s1 = (s1 s2 m, −k − s1² m, −s1 k),   ∂d/∂s2 = (k + s2² m, −s1 s2 m, −s2 k);

with e = exp([c1, c2, 0])ᵀ d, cos ϑ = e3, f = ϑ/sin ϑ and w = (1 − f cos ϑ)/sin² ϑ,

    σ = (−e2 f, e1 f),   ∂σ1 = −f ∂e2 + w e2 ∂e3,   ∂σ2 = f ∂e1 − w e1 ∂e3.

From c = 0 it is s itself. Opposite to c, where no way is nearer than another, σ = (π, 0), its derivatives zero.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

# Below this angle the series have all digits.
_SMALL = 1e-3
# Nearer than this to straight back there is no way.
_OPPOSITE = 1e-12


@kernel
def _turned_back(c1, c2, x, y, z):
    """exp([c1, c2, 0])ᵀ of a vector."""
    angle = math.sqrt(c1 * c1 + c2 * c2)
    if angle == 0.0:
        return x, y, z
    a = c1 / angle
    b = c2 / angle
    s = math.sin(angle)
    c = math.cos(angle)
    along = (a * x + b * y) * (1.0 - c)
    return x * c - b * z * s + a * along, y * c + a * z * s + b * along, z * c - (a * y - b * x) * s


@kernel
def seen_swing(c1, c2, s1, s2):
    """(σ1, σ2, ∂σ1/∂s1, ∂σ1/∂s2, ∂σ2/∂s1, ∂σ2/∂s2)."""
    if c1 == 0.0 and c2 == 0.0:
        return s1, s2, 1.0, 0.0, 0.0, 1.0
    square = s1 * s1 + s2 * s2
    angle = math.sqrt(square)
    cosine = math.cos(angle)
    if angle < _SMALL:
        k = 1.0 - square / 6.0 * (1.0 - square / 20.0)
        m = -(1.0 - square / 10.0) / 3.0
    else:
        k = math.sin(angle) / angle
        m = (cosine - k) / square
    x, y, z = _turned_back(c1, c2, s2 * k, -s1 * k, cosine)
    x1, y1, z1 = _turned_back(c1, c2, s1 * s2 * m, -k - s1 * s1 * m, -s1 * k)
    x2, y2, z2 = _turned_back(c1, c2, k + s2 * s2 * m, -s1 * s2 * m, -s2 * k)
    h = math.sqrt(x * x + y * y)
    if h < _OPPOSITE and z < 0.0:
        return math.pi, 0.0, 0.0, 0.0, 0.0, 0.0
    lean = math.atan2(h, z)
    if lean < _SMALL:
        f = 1.0 + lean * lean / 6.0 * (1.0 + 7.0 * lean * lean / 60.0)
        w = 1.0 / 3.0 + 2.0 * lean * lean / 15.0
    else:
        f = lean / h
        w = (1.0 - f * z) / (h * h)
    return (
        -y * f,
        x * f,
        -f * y1 + w * y * z1,
        -f * y2 + w * y * z2,
        f * x1 - w * x * z1,
        f * x2 - w * x * z2,
    )
