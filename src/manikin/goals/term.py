"""What a goal asks of the solver: one term, or two."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

_EYE = np.eye(3)
_ORIGIN = np.zeros(3)


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """A weighted sum of squares of a site's position and axes; `kernels.rows.terms` has the formulas.

    kind: ``"point"``, ``"line"``, ``"plane"``, ``"axes"`` or ``"aim"``.
    target: the point p.
    directions: rows: the target axes g₁ g₂ g₃, or ν in the first.
    site_axes: rows, in the site's frame: its own axes, or the pointing axis in the first.
    weight: w, times c² for angles.
    axis_weights: a₁ a₂ a₃ of ``"axes"``.
    """

    kind: str
    site: str
    weight: float
    target: np.ndarray = field(default_factory=lambda: _ORIGIN)
    directions: np.ndarray = field(default_factory=lambda: _EYE)
    site_axes: np.ndarray = field(default_factory=lambda: _EYE)
    axis_weights: tuple[float, float, float] = (1.0, 1.0, 1.0)

    @property
    def unit(self) -> str:
        """Unit of the miss: ``"m"`` or ``"rad"``."""
        return "rad" if self.kind in ("axes", "aim") else "m"
