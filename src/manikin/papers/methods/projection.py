"""Variable metric steps projected on the active limits (Zhao and Badler, *Real time inverse kinematics*, 1989)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.papers.projection.active_set import Constraints
from manikin.papers.projection.descent import STATIONARY, Choices, Descent
from manikin.papers.projection.metric import UPDATES
from manikin.papers.projection.potential import Total
from manikin.papers.projection.saddles import Way, departed, ways_out
from manikin.papers.view import View

#: δ₁ and δ₂ of the line search (26): Powell's.
POWELL = (1e-4, 0.5)
_MOST_SADDLES = 20
# Ways out of the first saddle that are tried besides the first.
_MOST_OTHERS = 3


def run(
    view: View,
    update: str = "bfgs",
    delta_1: float = POWELL[0],
    delta_2: float = POWELL[1],
    iterations: int | None = None,
) -> dict[str, Any]:
    """Minimise P(θ) = Σ wᵢ Pᵢ(θ) (2) subject to the ranges and the linear couplings (3), by steps 0 to 5.

    `projection.descent` has the steps and their departures from print. At a stationary point the curvature is looked
    at (`projection.saddles`): of the ways out of the first saddle the one that ends lowest is taken. Regions,
    obstacles, ranges and circles are potentials as those of section 3, the square of what is missing; a potential in
    Python is added as it is.

    update: ``"bfgs"``, step 5 of the report, which takes the DFP formula (29) where σᵀy < yᵀHy and the BFGS
        formula (28) elsewhere; ``"dfp"`` and ``"bfgs_only"``, the one formula always.
    delta_1, delta_2: δ₁ and δ₂ of the line search (26), 0 < δ₁ < δ₂ < 1 and δ₁ < ½.
    iterations: how many at most; by default 200 and 20 a variable, far more than an ordinary solve takes.

    Records ``potential``, P where it ended.
    """
    chosen = Choices(
        _formula(update), _deltas(delta_1, delta_2), _most(iterations, 200 + 20 * len(view.variables))
    )
    total = Total(view)
    metric = np.diag(1.0 / view.figure.stiffness[view.variables])
    descent = Descent(total, Constraints.of(view.limits), metric, chosen)
    x, branch = _descended(descent, view.start.copy())
    best = descent.P, x
    try:
        for saddle, way in _others(descent, branch, view.start, met=total.met(x)):
            if total.met(best[1]) or descent.iterations >= chosen.iterations:
                break
            begun = departed(descent, saddle, way)
            if begun is not None:
                x = _descended(descent, begun)[0]
                if total.met(x) or best[0] > descent.P:
                    best = descent.P, x
    finally:  # the time may be over
        view.way.append(best[1])
    return {"potential": best[0]}


def _descended(descent: Descent, x: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, list[Way]] | None]:
    """Where a descent from x ends, saddles left; and the first of them with the ways out of it."""
    branch = None
    for _ in range(_MOST_SADDLES):
        x, status = descent.run(x)
        ways = ways_out(descent) if status == STATIONARY else []
        if ways and branch is None:
            branch = x, ways
        left = departed(descent, x, ways[0]) if ways else None
        if left is None:
            break
        x = left
    descent.P = descent.total(x)[0]
    return x, branch


def _others(
    descent: Descent, branch: tuple[np.ndarray, list[Way]] | None, start: np.ndarray, *, met: bool
) -> Iterator[tuple[np.ndarray, Way]]:
    """The other ways out of the first saddle; then that in which something leaves its limit at the start that is just
    on it, with nothing pushing."""
    if met:
        return
    if branch is not None:
        yield from ((branch[0], way) for way in branch[1][1 : 1 + _MOST_OTHERS])
    descent.stand(start)
    yield from ((start, way) for way in ways_out(descent, at_start=True)[:1])


def _formula(update: Any) -> str:
    if not isinstance(update, str) or update not in UPDATES:
        raise SolveError(
            f"method 'projection': unknown update {update!r}; expected one of: {', '.join(sorted(UPDATES))}"
        )
    return update


def _deltas(first: Any, second: Any) -> tuple[float, float]:
    """δ₁ and δ₂, as (26) asks them to be."""
    for name, value in (("delta_1", first), ("delta_2", second)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < 1.0:
            raise SolveError(f"method 'projection': {name} must be a number between 0 and 1, got {value!r}")
    if not first < min(second, 0.5):
        raise SolveError(
            f"method 'projection': delta_1 must be below delta_2 and below 0.5, got {first:g} and {second:g}"
        )
    return float(first), float(second)


def _most(given: Any, usual: int) -> int:
    if given is None:
        return usual
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise SolveError(f"method 'projection': iterations must be a whole number above zero, got {given!r}")
    return int(given)
