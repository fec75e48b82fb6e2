"""Towards given values of the degrees of freedom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from manikin.errors import GoalError, PoseError
from manikin.figure import Figure, Pose
from manikin.goals.objective import Objective
from manikin.goals.registry import register
from manikin.residuals.block import Block


@register
@dataclass(frozen=True, eq=False)
class Posture(Objective):
    """Towards given values of the degrees of freedom: Σ wⱼ (q − q₀)ⱼ².

    q: n values, a pose, or values by name (then only those are minded); the rest values by default.
    weights: n of them, or by name; 1 by default.

    A free or planar base is minded only where q or weights name it.
    """

    q: Any = None
    _: KW_ONLY
    weights: Any = None
    weight: float = 1.0
    noun = "posture"

    def _check(self) -> None:
        for name in ("q", "weights"):
            value = getattr(self, name)
            if value is None:
                continue
            if name == "q" and isinstance(value, Pose):
                value = value.q
            try:
                numbers = (
                    {str(key): float(v) for key, v in value.items()}
                    if isinstance(value, Mapping)
                    else np.array(value, dtype=np.float64)
                )
            except (TypeError, ValueError):
                raise GoalError(f"{self.label()}: {name} must be numbers, or numbers by name") from None
            flat = np.array(list(numbers.values())) if isinstance(numbers, dict) else numbers
            if flat.ndim != 1 or not np.isfinite(flat).all():
                raise GoalError(f"{self.label()}: {name} must be finite numbers, got {value!r}")
            if name == "weights" and (flat < 0.0).any():
                raise GoalError(f"{self.label()}: weights must not be negative, got {value!r}")
            if isinstance(numbers, np.ndarray):
                numbers.flags.writeable = False
            self._set(name, numbers)

    def parts(self) -> tuple[Block, ...]:
        """A row for every coordinate that is minded."""
        figure = self.pose.figure
        origin, given = self._column(figure, self.q, figure.rest, "q")
        weights, weighed = self._column(figure, self.weights, np.ones(figure.n), "weights")
        minded = weights > 0.0
        if isinstance(self.q, Mapping):
            minded &= given
        base = np.array(
            [figure.dof(name).joint == "root" and figure.base != "fixed" for name in figure.dofs], bool
        )
        minded &= ~base | weighed | (given if isinstance(self.q, Mapping) else False)
        places = np.flatnonzero(minded)
        return self._linear(places, weights[places], np.ones(len(places)), origin[places], moves=True)

    def _column(
        self, figure: Figure, value: Any, default: np.ndarray, name: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """n values, and which of them were given."""
        result, given = np.array(default, dtype=np.float64), np.zeros(figure.n, bool)
        if isinstance(value, Mapping):
            for dof, entry in value.items():
                try:
                    place = figure.index(dof)
                except PoseError as problem:
                    raise GoalError(f"{self.label()}: {name}: {problem}") from None
                result[place], given[place] = entry, True
        elif value is not None:
            if len(value) != figure.n:
                raise GoalError(f"{self.label()}: {name} must have {figure.n} numbers, got {len(value)}")
            result[:], given[:] = value, True
        return result, given
