"""Cyclic coordinate descent, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.papers.follow import counts
from manikin.papers.hinges import (
    axis_of,
    best_change,
    carried_by,
    hinges,
    no_equalities,
    only_positions,
    reach,
)
from manikin.papers.view import View

CONSTRAINTS = False


def run(view: View, iterations: int = 500) -> dict[str, Any]:
    """One joint after the other, from the tips to the root, to where it brings the end effectors nearest.

    With one variable free the potential Σ w‖r − X‖² is known in closed form (`hinges.best_change`), so each turn is
    exact and ends inside the joint's limits and the couplings that it is in. Hinges and slides only, positions only,
    any number of them; couplings that are equalities are refused, since no coordinate moves alone in one.

    iterations: rounds over all joints at most.
    """
    counts(view, iterations=iterations)
    parts = only_positions(view)
    no_equalities(view)
    chain = hinges(view)[::-1]
    carriers = [carried_by(view, part.site) for part in parts]
    x = view.start.copy()
    for _ in range(iterations):
        if view.near(view.rows(x)):
            break
        before = x.copy()
        for hinge in chain:
            moved = [part for part, by in zip(parts, carriers, strict=True) if hinge.motion in by]
            if not moved:
                continue
            axis, point = axis_of(view, x, hinge)
            placed = view.at(x)
            i = hinge.variable
            low, high = reach(view, x, i)
            change = best_change(
                hinge,
                axis,
                point,
                np.array([placed.matrix(part.site)[:3, 3] for part in moved]),
                np.array([part.point for part in moved]),
                np.array([part.scale[0] ** 2 for part in moved]),
                low,
                high,
            )
            x = x.copy()
            x[i] = min(max(x[i] + change, view.lower[i]), view.upper[i])
        view.moved(x)
        if np.abs(x - before).max() < 1e-12:
            break
    return {}
