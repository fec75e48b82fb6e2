"""The damping λ of a search: where it begins, and how it follows the steps."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import select

# λ to begin with, in units of the mean square of a row of J: on the goals, near them, and far from them.
_NO_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-4, 0.003, 0.3


@kernel
def first_damping(mean_square, far, near):
    """λ to begin with: a share of the mean square of J's rows that grows with P.

    far: P, of the sum of weights; below ``near`` λ grows with its square.
    """
    least = select(far < _NO_DAMPING, _NO_DAMPING, far)
    least = select(least > _LEAST_DAMPING, _LEAST_DAMPING, least)
    share = _MOST_DAMPING * far * select(far < near, far, 1.0)
    share = select(share < least, least, share)
    return select(share > _MOST_DAMPING, _MOST_DAMPING, share) * mean_square


@kernel
def next_damping(accepted, gain, remains, damping, growth):
    """λ and its growth after a step: less where the model was right, more where it failed (Nielsen 1999).

    gain: the fall of P over the predicted one; remains: the share of P that is left. Where the model was right λ falls
    to a tenth, or as the residual does if that is more: close to the goals convergence is then quadratic.
    """
    c = 2.0 * gain - 1.0
    shrink = 1.0 - c * c * c
    shrink = select(shrink < 0.3333, 0.3333, shrink)
    share = math.sqrt(select(remains < 0.01, select(remains < 0.0, 0.0, remains), 0.01))
    shrink = select(gain > 0.9, share, shrink)
    one = 1.0 + 0.0 * damping
    return damping * select(accepted, shrink, growth), select(accepted, 2.0 * one, 2.0 * growth)
