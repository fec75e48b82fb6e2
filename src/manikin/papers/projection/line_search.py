"""How far to go along a direction: Powell's two conditions (26), tried by cubic Hermite interpolation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# How often it tries.
_TRIALS = 25

#: P and ∇P at a point.
Function = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Trial:
    """P, its gradient and its slope along the direction at γ."""

    gamma: float
    value: float
    gradient: np.ndarray
    slope: float


def search(
    P: Function,
    point: Callable[[float], np.ndarray],
    begin: Trial,
    direction: np.ndarray,
    first: float,
    longest: float,
    delta: tuple[float, float],
) -> tuple[Trial, bool]:
    """The γ ≤ ``longest`` found, and whether it satisfies (26), or the first of it at ``longest``.

    (26) asks P(θ + γ s) ≤ P(θ) + δ₁ γ gᵀs and g(θ + γ s)ᵀs ≥ δ₂ gᵀs. With γ ≤ 1, as printed, no point may satisfy
    both, so the way ends only at the first constraint, at ``longest``.
    """
    left, right = begin, None
    gamma = min(first, longest)
    for trial in range(_TRIALS):
        value, gradient = P(point(gamma))
        here = Trial(gamma, value, gradient, float(gradient @ direction))
        last = trial == _TRIALS - 1
        if not value <= begin.value + delta[0] * gamma * begin.slope:
            right = here
        elif here.slope < delta[1] * begin.slope and gamma < longest and not last:
            ahead = _beyond(left, here)
            left = here
            if right is None:
                gamma = min(ahead, longest)
                continue
        else:
            return here, True
        if last:
            break
        gamma = _between(left, right)
    return here, False


def _beyond(left: Trial, here: Trial) -> float:
    """A longer step, where the cubic through the last two points is least, if that is beyond them."""
    guess = _cubic(left, here)
    if not guess > here.gamma:
        guess = 10.0 * here.gamma
    return min(max(guess, 1.5 * here.gamma), 10.0 * here.gamma)


def _between(left: Trial, right: Trial) -> float:
    """A step between two, where the cubic through them is least, not too near to either."""
    span = right.gamma - left.gamma
    guess = _cubic(left, right)
    if math.isnan(guess):
        guess = left.gamma + 0.5 * span
    return min(max(guess, left.gamma + 0.1 * span), left.gamma + 0.9 * span)


def _cubic(a: Trial, b: Trial) -> float:
    """Where the cubic with the values and slopes of both is least; NaN if it has no minimum."""
    span = b.gamma - a.gamma
    z = 3.0 * (a.value - b.value) / span + a.slope + b.slope
    square = z * z - a.slope * b.slope
    if not square >= 0.0:
        return math.nan
    root = math.copysign(math.sqrt(square), span)
    below = b.slope - a.slope + 2.0 * root
    return math.nan if below == 0.0 else b.gamma - span * (b.slope + root - z) / below
