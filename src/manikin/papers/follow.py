"""Towards a target by way of intermediate ones (section 3), with whatever step a method takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.papers.view import View

#: A step dθ at θ for the rows dX still wanted; ``share`` is the part of the way that it covers.
Step = Callable[[np.ndarray, np.ndarray, float], np.ndarray]

SPACINGS = ("even", "smooth")


def shares(intermediate: int, spacing: str, method: str) -> np.ndarray:
    """Where on the way the targets lie, from just above 0 to 1, the intermediate ones first.

    ``"even"``: Yᵢ = Y + i/(M+1) (X − Y). ``"smooth"``: the same with 10 s³ − 15 s⁴ + 6 s⁵ for s, which starts and
    ends without velocity or acceleration.
    """
    if isinstance(intermediate, bool) or not isinstance(intermediate, int) or intermediate < 0:
        raise SolveError(
            f"method {method!r}: intermediate must be a whole number, not negative, got {intermediate!r}"
        )
    if spacing not in SPACINGS:
        raise SolveError(
            f"method {method!r}: unknown spacing {spacing!r}; expected one of: {', '.join(SPACINGS)}"
        )
    s = np.arange(1, intermediate + 2) / (intermediate + 1)
    return s if spacing == "even" else s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def follow(
    view: View,
    step: Step,
    intermediate: int,
    spacing: str,
    corrections: int,
    iterations: int,
) -> dict[str, Any]:
    """Take ``corrections`` steps to each intermediate target, and up to ``iterations`` more to the last.

    Returns the trajectory: the variables at each target, (targets, variables).
    """
    counts(view, corrections=corrections, iterations=iterations)
    where = shares(intermediate, spacing, view.method)
    begin = view.start.copy()
    targets = [view.between(begin, share) for share in where]
    x, passed, before = begin, [], 0.0
    for share, Y in zip(where, targets, strict=True):
        for k in range(corrections):
            dX = view.rows(x, Y)
            if k > 0 and view.near(dX):
                break
            x = view.moved(x + step(x, dX, share - before if k == 0 else 0.0))
        before = share
        passed.append(x)
    for _ in range(iterations):
        dX = view.rows(x)
        if view.near(dX):
            break
        x = view.moved(x + step(x, dX, 0.0))
    passed[-1] = x
    return {"trajectory": np.array(passed)}


def counts(view: View, **options: Any) -> None:
    """Check that these options are whole numbers, not negative."""
    for name, value in options.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise SolveError(
                f"method {view.method!r}: {name} must be a whole number, not negative, got {value!r}"
            )


def positive(value: Any, name: str, method: str, *, zero: bool = False) -> float:
    """The option as a positive number."""
    good = isinstance(value, (int, float)) and np.isfinite(value) and (value > 0 or (zero and value == 0))
    if not good:
        raise SolveError(f"method {method!r}: {name} must be a positive number, got {value!r}")
    return float(value)
