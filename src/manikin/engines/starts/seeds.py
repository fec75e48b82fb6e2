"""Where searches begin besides the given start: points spread over the ranges, each known by its number.

Number k is the fractional part of shift + k α, α the fractional parts of the square roots of the primes (a Kronecker
sequence: evenly spread in any number of dimensions), the shift drawn with ``seed``. Coordinates without limits are
spread about the start, turns by half a turn and slides by a metre to either side. A free root stays where the start
has it, since one step of the solver moves it anywhere, but is turned all ways. In `kernels.search.lanes` some of the
first of these points keep to the inner half of the ranges, and a free root is fitted to the goals.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from manikin.figure import Figure


@cache
def _alphas(count: int) -> np.ndarray:
    """Fractional parts of the square roots of the first primes."""
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % p for p in primes if p * p <= number):
            primes.append(number)
        number += 1
    return np.sqrt(np.array(primes, float)) % 1.0


def spread(figure: Figure, variables: np.ndarray, bounds: Any, lower: np.ndarray, upper: np.ndarray) -> None:
    """Write where seeds are drawn from, for variables with these ends."""
    limited = np.isfinite(lower) & np.isfinite(upper)
    dofs = [figure.dof(figure.dofs[j]) for j in variables]
    width = np.array([2.0 * np.pi if dof.unit == "rad" else 2.0 for dof in dofs])
    if figure.base != "fixed":
        width[[dof.joint == "root" and dof.unit != "rad" for dof in dofs]] = 0.0
    with np.errstate(invalid="ignore"):
        bounds.width[:] = np.where(limited, upper - lower, width)
    bounds.low[:] = np.where(limited, lower, -np.inf)
    bounds.alpha[:] = _alphas(len(variables))


def shift(bounds: Any, seed: int) -> None:
    """Choose the sequence that belongs to a seed."""
    bounds.shift[:] = np.random.default_rng(seed).random(len(bounds.shift))


def point(bounds: Any, start: np.ndarray, number: int) -> np.ndarray:
    """Point ``number`` (from 1) of the sequence, for a start with these variables; the kernels compute the same."""
    u = (bounds.shift + number * bounds.alpha) % 1.0
    low = np.where(bounds.low > -np.inf, bounds.low, start - 0.5 * bounds.width)
    return np.clip(low + u * bounds.width, bounds.true_lower, bounds.true_upper)
