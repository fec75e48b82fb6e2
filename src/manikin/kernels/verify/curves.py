"""Axis values that follow curves, as the verifier works them out: for one pose, and for four in lanes."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import select
from manikin.kernels.verify.layout import (
    ATOMS,
    CURVE_NUMBERS,
    CURVES,
    DRIVES,
    FIELDS,
    HEADER,
    MASSES,
    MOTIONS,
    NEEDED,
    PIECES,
    POWERS,
)


@kernel(exact=True)
def follow_curves(I, R, W, values):  # noqa: E741
    """Replace the curves' arguments among the axis values, from W[values] on, by the curves' values.

    Each piece holds from its edge on.
    """
    if I[CURVES] == 0:
        return
    whole = HEADER + 3 * I[MOTIONS] + 2 * I[DRIVES] + I[MASSES] + FIELDS * I[ATOMS] + I[NEEDED]
    number = I[CURVE_NUMBERS]
    pieces = I[PIECES]
    powers = I[POWERS]
    for c in range(I[CURVES]):
        k = values + I[whole + c]
        x = W[k]
        y = 0.0 * x
        for p in range(I[whole + I[CURVES] + c], I[whole + I[CURVES] + c + 1]):
            t = x - R[number + pieces + p]
            piece = 0.0 * x
            for d in range(powers - 1, -1, -1):
                piece = piece * t + R[number + 2 * pieces + p * powers + d]
            y = select(x < R[number + p], y, piece)
        W[k] = y
