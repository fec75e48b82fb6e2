"""Limits on speed, acceleration and jerk as users give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure.figure import Figure


@dataclass(frozen=True, eq=False)
class Limits:
    """The most that each degree of freedom's velocity, acceleration and jerk may be, (n,) each; infinite for none.

    They hold from sample to sample: v_k = (x_k − x_{k−1})/dt, a_k = (v_k − v_{k−1})/dt, j_k = (a_k − a_{k−1})/dt.
    """

    velocity: np.ndarray
    acceleration: np.ndarray
    jerk: np.ndarray

    @classmethod
    def given(
        cls, figure: Figure, velocity: Any, acceleration: Any, jerk: Any, usual: np.ndarray | None
    ) -> Limits:
        """Those that a user gives; usual: the velocities where none are given."""
        return cls(
            limit(figure, velocity, usual, "velocity"),
            limit(figure, acceleration, None, "acceleration"),
            limit(figure, jerk, None, "jerk"),
        )

    @property
    def any(self) -> bool:
        """Whether there is any limit."""
        return any(np.isfinite(most).any() for most in self.all)

    @property
    def all(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocity, acceleration and jerk, in this order."""
        return self.velocity, self.acceleration, self.jerk


def limit(figure: Figure, given: Any, default: np.ndarray | None, what: str) -> np.ndarray:
    """The greatest speed, acceleration or jerk of each degree of freedom, (n,), infinite where there is none.

    given: None for the default; False for none; a number for all; n numbers; or numbers by name or pattern.
    """
    none = np.full(figure.n, np.inf)
    if given is None:
        return none if default is None else np.array(default)
    if given is False:
        return none
    if isinstance(given, Mapping):
        found = none if default is None else np.array(default)
        for pattern, value in given.items():
            try:
                found[figure.select(pattern)] = float(value)
            except (TypeError, ValueError):
                raise SolveError(
                    f"{what}: the limit of {pattern!r} must be a number, got {value!r}"
                ) from None
    else:
        try:
            found = np.broadcast_to(np.asarray(given, dtype=np.float64), (figure.n,)).copy()
        except (TypeError, ValueError):
            raise SolveError(
                f"{what}: expected a number, {figure.n} numbers or numbers by name, got {given!r}"
            ) from None
    if not (found > 0.0).all():
        raise SolveError(f"{what}: limits must be positive, got {given!r}")
    return found
