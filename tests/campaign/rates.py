"""How fast values change from sample to sample, beside limits: plain differences, nothing of the package's."""

from __future__ import annotations

import math

import numpy as np

import manikin as mk

#: What rounding may add to a limit, as a share of it, and of the largest value over the step.
SHARE, ROUNDING = 2e-9, 4e-16
NAMES = ("velocity", "acceleration", "jerk")


def unrolled(body: mk.Figure, q: np.ndarray) -> np.ndarray:
    """Values (T, n) of which those that come round go on: turns without limits, and rotation vectors w, which are also
    (|w| + 2πk) w/|w|. Swings without limits, which go on in more ways than can be told from their values, are 0.
    """
    x = q.copy()
    limited = np.isfinite(body.lower) | np.isfinite(body.upper)
    for joint in body.joints.values():
        first = 0
        for step in joint.steps:
            names = [axis.name for axis in joint.axes[first : first + len(step.labels)]]
            first += len(step.labels)
            if any(name not in body.dofs for name in names):
                continue
            columns = [body.index(name) for name in names]
            if step.kind.name == "rotation_vector" and not limited[columns].any():
                _continue_vectors(x, columns)
            elif step.kind.name == "swing_twist" and not limited[columns].any():
                x[:, columns] = 0.0
            else:
                for column in columns:
                    if body.dof(body.dofs[column]).unit == "rad" and not limited[column]:
                        x[:, column] = np.unwrap(x[:, column])
    return x


def _continue_vectors(x: np.ndarray, columns: list[int]) -> None:
    for t in range(1, len(x)):
        w, before = x[t, columns], x[t - 1, columns]
        size = float(np.linalg.norm(w))
        if size > 0.0:
            others = [w * (1.0 + 2.0 * math.pi * k / size) for k in range(-3, 4)]
            x[t, columns] = min(others, key=lambda one: float(np.linalg.norm(one - before)))


def broken(
    body: mk.Figure, times: np.ndarray, q: np.ndarray, limits: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, list[str]]:
    """Which samples (T,) end a difference beyond a limit, and in words which limits."""
    x, t = unrolled(body, q), times
    over, words = np.zeros(len(q), bool), []
    scale = np.abs(x).max(initial=0.0)
    for order, (name, most) in enumerate(zip(NAMES, limits, strict=True), start=1):
        if len(x) < 2:
            break
        x = np.diff(x, axis=0) / np.diff(t)[:, None]
        t = 0.5 * (t[1:] + t[:-1])
        rounding = 2.0**order * ROUNDING * scale / np.diff(times).min() ** order
        off = np.abs(x) - most * (1.0 + SHARE) - rounding
        bad = (off > 0.0) & np.isfinite(most)
        if bad.any():
            k, j = np.unravel_index(np.where(bad, np.abs(x) / most, 0.0).argmax(), x.shape)
            words.append(
                f"{name} of {body.dofs[j]} is {abs(x[k, j]) / most[j]:.6f} of its limit at {k + order}"
            )
        over[order:] |= bad.any(axis=1)
    return over, words
