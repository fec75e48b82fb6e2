"""Constraints c(q) = 0 of the caller's own (Korein and Badler, eqs. 2 and 23)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import SolveError

#: Of all n coordinates: the values, (m,) or one number, and their derivatives, (m, n) or (n,).
Function = Callable[[np.ndarray], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class Constraint:
    """c(q) = 0, for a method that takes equations: ``options={"constraints": [Constraint(c)]}``.

    function: of all n coordinates: the values c, and their derivatives by the coordinates.
    tolerance: ‖c‖ below which it counts as met, in the units of c.
    name: what messages and details call it.
    """

    function: Function
    tolerance: float = 1e-6
    name: str = "c"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise SolveError(
                f"constraint {self.name!r}: the function must be callable, got {self.function!r}"
            )
        good = isinstance(self.tolerance, (int, float)) and 0.0 < self.tolerance < np.inf
        if not good or isinstance(self.tolerance, bool):
            raise SolveError(
                f"constraint {self.name!r}: the tolerance must be a positive number, got {self.tolerance!r}"
            )

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """c, (m,), and its derivatives, (m, n)."""
        found = self.function(q.copy())
        try:
            values, derivatives = found
            c = np.atleast_1d(np.asarray(values, dtype=float))
            C = np.atleast_2d(np.asarray(derivatives, dtype=float))
        except (TypeError, ValueError):
            raise SolveError(
                f"constraint {self.name!r}: the function must give values and their derivatives, got {found!r}"
            ) from None
        if c.ndim != 1 or C.shape != (len(c), len(q)):
            raise SolveError(
                f"constraint {self.name!r}: {len(c)} values need derivatives of shape ({len(c)}, {len(q)}), "
                f"got {C.shape}"
            )
        if not (np.isfinite(c).all() and np.isfinite(C).all()):
            raise SolveError(f"constraint {self.name!r}: the function is not finite at q = {q.tolist()}")
        return c, C


def checked(given: Any, method: str) -> tuple[Constraint, ...]:
    """What was given under ``constraints``, as constraints."""
    listed = [given] if isinstance(given, Constraint) else given
    if not isinstance(listed, Sequence) or not all(isinstance(each, Constraint) for each in listed):
        raise SolveError(
            f"method {method!r}: constraints must be manikin.papers.Constraint, or a list of them, got {given!r}"
        )
    return tuple(listed)
