"""The options of ``"projection"``: what the report leaves to choose, so that its comparisons can be run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels.projection.projection import BFGS, DFP, SWITCH
from manikin.kernels.projection.solve import OPTION_DELTA_1, OPTION_DELTA_2, OPTION_UPDATE, POWELL
from manikin.solvers.pack.packing import Packed

UPDATES = {"bfgs": SWITCH, "dfp": DFP, "bfgs_only": BFGS}
"""How the metric learns from a step: ``"bfgs"``, step 5 of the report, which takes the DFP formula (29) where
σᵀy < yᵀHy and the BFGS formula (28) elsewhere; ``"dfp"`` and ``"bfgs_only"``, the one formula always."""
KNOWN = ("update", "delta_1", "delta_2", "iterations")


def with_options(packed: Packed, options: Mapping[str, Any]) -> Packed:
    """The problem with these options in parameters of its own; the workspace is shared.

    update: one of `UPDATES`; ``"bfgs"`` by default.
    delta_1, delta_2: δ₁ and δ₂ of the line search (26), 0 < δ₁ < δ₂ < 1 and δ₁ < ½; by default Powell's 0.0001 and 0.5.
    iterations: how many at most; by default far more than an ordinary solve takes.
    """
    if not isinstance(options, Mapping):
        raise SolveError(f"method 'projection': options must map names to values, got {options!r}")
    for name in options:
        if name not in KNOWN:
            raise SolveError(f"method 'projection' has no option {name!r}; known are: {', '.join(KNOWN)}")
    update = options.get("update", "bfgs")
    if not isinstance(update, str) or update not in UPDATES:
        raise SolveError(
            f"method 'projection': unknown update {update!r}; known are: {', '.join(sorted(UPDATES))}"
        )
    first, second = _deltas(options)
    told = packed.copy()
    told.budget = _budget(options.get("iterations", packed.budget))
    told.sections.space.option[[OPTION_DELTA_1, OPTION_DELTA_2, OPTION_UPDATE]] = (
        first,
        second,
        UPDATES[update],
    )
    return told


def _deltas(options: Mapping[str, Any]) -> tuple[float, float]:
    """δ₁ and δ₂, as (26) asks them to be."""
    found = []
    for name, usual in zip(("delta_1", "delta_2"), POWELL, strict=True):
        value = options.get(name, usual)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < 1.0:
            raise SolveError(f"method 'projection': {name} must be a number between 0 and 1, got {value!r}")
        found.append(float(value))
    first, second = found
    if not first < min(second, 0.5):
        raise SolveError(
            f"method 'projection': delta_1 must be below delta_2 and below 0.5, got {first:g} and {second:g}"
        )
    return first, second


def _budget(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise SolveError(f"method 'projection': iterations must be a whole number above zero, got {value!r}")
    return int(value)
