"""Sines and cosines of many angles at once, for the judge alone: one loop without branches, which LLVM makes lanes of.

x = k π/2 + r with |r| ≤ π/4, π/2 in three parts of which the first two have 33 bits, so that their products with k are
exact; sin r and cos r by their series up to r¹⁵ and r¹⁶, which leaves 5e-17; then the quadrant says which is which.
Beyond a million, and for what is not finite, the C library answers.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

#: π/2 = A + B + C to 118 bits.
A, B, C = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
PER = 2.0 / math.pi
#: Adding and taking away this rounds to a whole number.
WHOLE = 1.5 * 2.0**52
FAR = 1e6
_S3, _S5, _S7, _S9 = -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0
_S11, _S13, _S15 = -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0
_C4, _C6, _C8, _C10 = 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3628800.0
_C12, _C14, _C16 = 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0


@kernel(exact=True)
def sine_series(r, z):
    """sin r, z = r²."""
    s = _S9 + z * (_S11 + z * (_S13 + z * _S15))
    return r + r * z * (_S3 + z * (_S5 + z * (_S7 + z * s)))


@kernel(exact=True)
def cosine_series(z):
    """cos √z."""
    c = _C10 + z * (_C12 + z * (_C14 + z * _C16))
    return 1.0 - 0.5 * z + z * z * (_C4 + z * (_C6 + z * (_C8 + z * c)))


@kernel(exact=True)
def circle(angles, sines, cosines, count):
    """Sines and cosines of ``count`` angles; three views."""
    for i in range(count):
        x = angles[i]
        k = (x * PER + WHOLE) - WHOLE
        r = ((x - k * A) - k * B) - k * C
        z = r * r
        s = sine_series(r, z)
        c = cosine_series(z)
        m = k - 4.0 * ((k * 0.25 + WHOLE) - WHOLE)  # the quadrant: 0, 1, −1, or 2 by either sign
        size = abs(m)
        odd = size == 1.0
        sine = c if odd else s
        cosine = s if odd else c
        over = size == 2.0
        sines[i] = -sine if over or m == -1.0 else sine
        cosines[i] = -cosine if over or m == 1.0 else cosine
    for i in range(count):
        if not abs(angles[i]) < FAR:
            sines[i] = math.sin(angles[i])
            cosines[i] = math.cos(angles[i])
