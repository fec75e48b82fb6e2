"""Pseudo-inverse control with a homogeneous term (section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.papers.follow import follow
from manikin.papers.inverse import is_general_inverse, pseudo_inverse
from manikin.papers.view import View

Inverse = Callable[[np.ndarray], np.ndarray]


def run(
    view: View,
    Z: Any = None,
    G1: Inverse | None = None,
    G2: Inverse | None = None,
    intermediate: int = 10,
    spacing: str = "even",
    corrections: int = 1,
    iterations: int = 50,
) -> dict[str, Any]:
    """dθ = G₁ dX + (I − G₂ J) Z (4.6), along intermediate targets; the limits are not known to it.

    J G J = J makes G a generalized inverse of J; (I − G₂ J) Z is the projection of Z on the null space of J (4.4),
    so that Z moves the joints and not, to first order, the end effectors. Z is the term for the whole way; each
    target takes its share, and the corrections after it none.

    Z: n values, one a degree of freedom of the figure, or a function of all coordinates q that gives them.
    G1, G2: functions of J that give a generalized inverse; the pseudo-inverse J⁺ by default.
    intermediate, spacing: how many targets on the way, ``"even"`` or ``"smooth"``.
    corrections: steps to each of them; iterations: further steps to the last.
    """
    term = homogeneous(view, Z)

    def step(x: np.ndarray, dX: np.ndarray, share: float) -> np.ndarray:
        J = view.jacobian(x)
        theta = _inverse(view, "G1", G1, J) @ dX
        if Z is not None and share > 0.0:
            z = share * term(x)
            theta = theta + z - _inverse(view, "G2", G2, J) @ (J @ z)
        return theta

    return follow(view, step, intermediate, spacing, corrections, iterations)


def _inverse(view: View, name: str, G: Inverse | None, J: np.ndarray) -> np.ndarray:
    if G is None:
        return pseudo_inverse(J)
    found = np.asarray(G(J), dtype=float)
    if found.shape != J.T.shape or not is_general_inverse(found, J):
        raise SolveError(
            f"method {view.method!r}: {name}(J) is not a generalized inverse: J G J = J must hold"
        )
    return found


def homogeneous(view: View, Z: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Z as a function of the variables, from n values or a function of all coordinates."""

    def term(x: np.ndarray) -> np.ndarray:
        values = Z(view.full(x)) if callable(Z) else Z
        try:
            array = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise SolveError(f"method {view.method!r}: Z must be numbers, got {values!r}") from None
        if array.shape != (view.figure.n,) or not np.isfinite(array).all():
            raise SolveError(
                f"method {view.method!r}: Z must be {view.figure.n} finite values, one a degree of freedom, "
                f"got shape {array.shape}"
            )
        return array[view.variables]

    if Z is not None:
        term(view.start)
    return term
