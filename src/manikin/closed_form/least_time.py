"""Between two states of n joints in the least number of samples, within speed and acceleration.

Samples have steps v₁ … v_N over the times dt₁ … dt_N. Between the step v₀ that led to x₀ and the step v₁' that will
lead on from x₁, with a the acceleration's limit and τ the time between the middles of two steps,

    v_k ∈ [L_k, U_k],   L_k = max(v₀ − a τ₀ₖ, v₁' − a τₖ₁, −speed),   U_k = min(v₀ + a τ₀ₖ, v₁' + a τₖ₁, speed),

bound all steps that keep the limits, and a joint can cover the distance d in N samples if and only if
Σ dt L ≤ d ≤ Σ dt U. Of the ways to do it, v_k = c clipped to [L_k, U_k], with one c for all samples, goes no farther
beyond x₀ and x₁ than braking from v₀, or gathering v₁', takes anyway. So a box of ranges that allows any way of N
samples allows this one.
"""

from __future__ import annotations

import numpy as np

# What rounding may take from a limit, as a part of it, and from a distance, radians.
_ROUNDING = 1e-12
# Iterations for c; bisection alone would need as many.
_ITERATIONS = 60


def braking(step: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """The steps (m, n), the last of them zero or none at all, with which joints come to rest soonest after a step."""
    speed = np.abs(step)
    moving = speed > 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        count = int(np.ceil(np.max(np.where(moving, speed / acceleration, 0.0), initial=0.0) - _ROUNDING))
    after = np.arange(1, count + 1)[:, None]
    with np.errstate(invalid="ignore"):
        left: np.ndarray = np.maximum(speed - after * acceleration, 0.0)
    return np.sign(step) * left


def steps_between(
    distance: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    rise: np.ndarray,
    fall: np.ndarray,
    dt: np.ndarray,
    speed: np.ndarray,
    acceleration: np.ndarray,
) -> np.ndarray | None:
    """Speeds (N, n) that cover a distance (n,) in N samples, or None where no way keeps the limits.

    before, after: the speeds (n,) that lead to the first state and on from the last. rise, fall: the times (N,) from
    the middle of the step before to that of each, and from that of each to the step after. dt: the samples' times (N,).
    """
    with np.errstate(invalid="ignore"):
        up, down = rise[:, None] * acceleration, fall[:, None] * acceleration
    low = np.maximum(np.maximum(before - up, after - down), -speed)
    high = np.minimum(np.minimum(before + up, after + down), speed)
    slack = _ROUNDING * (1.0 + np.abs(distance))
    if (low > high + _ROUNDING * (np.abs(low) + np.abs(high))).any():
        return None
    high = np.maximum(high, low)
    weight = dt[:, None]
    if ((weight * low).sum(axis=0) > distance + slack).any():
        return None
    if ((weight * high).sum(axis=0) < distance - slack).any():
        return None
    return _leveled(low, high, weight, distance)


def _leveled(low: np.ndarray, high: np.ndarray, weight: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """c clipped to [low, high], with each joint's c such that the distance is covered: Newton's method in a bracket."""
    least, most = low.min(axis=0), high.max(axis=0)
    level = np.clip(distance / weight.sum(), least, most)
    for _ in range(_ITERATIONS):
        v = np.clip(level, low, high)
        left = distance - (weight * v).sum(axis=0)
        if (np.abs(left) <= 1e-15 * (1.0 + np.abs(distance))).all():
            break
        least = np.where(left > 0.0, level, least)
        most = np.where(left < 0.0, level, most)
        inside = (weight * ((low < level) & (level < high))).sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            newton = level + left / inside
        good = (inside > 0.0) & (newton > least) & (newton < most)
        level = np.where(left == 0.0, level, np.where(good, newton, 0.5 * (least + most)))
    return np.asarray(np.clip(level, low, high))


def even_steps(
    distance: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    count: int,
    speed: np.ndarray,
    acceleration: np.ndarray,
) -> np.ndarray | None:
    """`steps_between` over so many samples of one unit of time each."""
    k = np.arange(1.0, count + 1.0)
    return steps_between(distance, before, after, k, count + 1.0 - k, np.ones(count), speed, acceleration)
