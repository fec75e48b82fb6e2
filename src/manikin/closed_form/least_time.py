"""Between two states of n joints in the least number of samples, within speed and acceleration.

Samples have steps v₁ … v_N over the times dt₁ … dt_N. Between the step v₀ that led to x₀ and the step v₁' that will
lead on from x₁, with a the acceleration's limit and τ the time between the middles of two steps,

    v_k ∈ [L_k, U_k],   L_k = max(v₀ − a τ₀ₖ, v₁' − a τₖ₁, −speed),   U_k = min(v₀ + a τ₀ₖ, v₁' + a τₖ₁, speed),

bound all steps that keep the limits, and a joint can cover the distance d in N samples if and only if
Σ dt L ≤ d ≤ Σ dt U. Of the ways to do it, v_k = c clipped to [L_k, U_k], with one c for all samples, goes no farther
beyond x₀ and x₁ than braking from v₀, or gathering v₁', takes anyway. So a box of ranges that allows any way of N
samples allows this one. With c + s a k in the place of c, −1 ≤ s ≤ 1, the joint's value is lower on its way if s > 0,
and higher if s < 0 (`lean`): what couplings and cones may need.
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
    lean: np.ndarray | None = None,
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
    if lean is None or not np.isfinite(acceleration).all():
        return _leveled(low, high, weight, distance)
    ramp = lean * up
    return ramp + _leveled(low - ramp, high - ramp, weight, distance - (weight * ramp).sum(axis=0))


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
    lean: np.ndarray | None = None,
) -> np.ndarray | None:
    """`steps_between` over so many samples of one unit of time each."""
    k = np.arange(1.0, count + 1.0)
    return steps_between(
        distance, before, after, k, count + 1.0 - k, np.ones(count), speed, acceleration, lean
    )


def coverable(
    distances: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    counts: np.ndarray,
    speed: np.ndarray,
    acceleration: np.ndarray,
) -> np.ndarray:
    """Which of M meetings are possible, (M,): distances (M, n) in so many samples (M,), and then a step of `after`
    (M, n). The same as whether `even_steps` finds steps, in closed form for all of them together.
    """
    n, a = counts[:, None], acceleration
    possible = (np.abs(after) <= speed * (1.0 + _ROUNDING)) & (
        np.abs(before - after) <= a * (n + 1.0) * (1.0 + _ROUNDING)
    )
    slack = _ROUNDING * (1.0 + np.abs(distances))
    possible &= distances <= _farthest(before, after, n, speed, a) + slack
    possible &= -distances <= _farthest(-before, -after, n, speed, a) + slack
    return np.asarray(possible.all(axis=1))


def _farthest(
    before: np.ndarray, after: np.ndarray, n: np.ndarray, speed: np.ndarray, a: np.ndarray
) -> np.ndarray:
    """Σ_k min(before + a k, after + a (n + 1 − k), speed) over k = 1 … n: speeding up, full speed, slowing down."""
    if not np.isfinite(a).all():
        return np.broadcast_to(n * speed, after.shape)
    # The last k at which speeding up is the lesser.
    turn = np.floor((after - before + a * (n + 1.0)) / (2.0 * a))
    up = np.clip(np.minimum(np.floor((speed - before) / a), turn), 0.0, n)
    down = np.clip(np.minimum(np.floor((speed - after) / a), n - turn), 0.0, n)
    full = n - up - down
    with np.errstate(invalid="ignore"):
        at_speed = np.where(full > 0.0, full * speed, 0.0)
    risen = up * before + 0.5 * a * up * (up + 1.0)
    return np.asarray(risen + down * after + 0.5 * a * down * (down + 1.0) + at_speed)
