"""Where searches begin besides the given start: points of a Kronecker sequence inside the ranges.

Number k is {shift + k α}, α the fractional parts of roots of primes: evenly spread in any number of dimensions and each
known by its number. Of every four the one with the least potential is searched from (a Panda's pose is then found in
44 % of tries, not 29 %). Every other of the first of them keeps to the inner half of the ranges, where joints have room
to either side (70 %; four poses of a humanoid: 50 to 85 % instead of 25 to 50). A root that moves freely is turned all
ways.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

#: Of the first seeds of the sequence, so many, every other is drawn from this inner share of the ranges.
FITTED, INNER = 16, 0.5
#: Points of the sequence that a seed is the lowest of.
OF_POINTS = 4
#: Columns of ``ends`` before the variables: where each search ended, and how.
END_POTENTIAL, END_TASK, END_ITERATIONS, END_X = range(4)


@kernel
def inner_share(number):
    """The share of the ranges that seed ``number`` of the sequence keeps to."""
    return INNER if number < FITTED and number % 2 == 0 else 1.0


@kernel
def drawn(u, share, low, width, start):
    """A value at the fractional part of u of this share of a range about its middle; without one, about the start."""
    u -= math.floor(u)
    if low > -math.inf:
        u = 0.5 + share * (u - 0.5)
    else:
        low = start - 0.5 * width
    return low + u * width


@kernel
def inside(bounds, i, value):
    """The value inside the range of variable i."""
    return min(max(value, bounds.true_lower[i]), bounds.true_upper[i])
