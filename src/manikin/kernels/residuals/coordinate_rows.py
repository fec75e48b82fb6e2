"""Rows of the coordinates themselves: their slopes are by coordinates, not by axis values."""

from __future__ import annotations

from manikin.kernels.jit import kernel


@kernel
def scaled_coordinate(M, q, o, i):
    """scale (qⱼ − origin), of j, scale and origin at entry i of those from parameter o on, three numbers each."""
    p = M.parameters
    return p[o + 3 * i + 1] * (q[int(p[o + 3 * i])] - p[o + 3 * i + 2])


@kernel
def no_wrench(M, t):
    """The rows of part t are all looked at, and no force on a motion is their derivative."""
    for r in range(M.first[t], M.first[t] + M.count[t]):
        M.near[r] = 1.0
        for c in range(6):
            M.wrench[r, c] = 0.0
