"""Speeds and accelerations as users give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure.figure import Figure


def limit(figure: Figure, given: Any, default: np.ndarray | None, what: str) -> np.ndarray:
    """The greatest speed or acceleration of each degree of freedom, (n,), infinite where there is none.

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
