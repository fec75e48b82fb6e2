"""What the coordinates of a figure may be together: ranges, linear couplings and swing cones."""

from __future__ import annotations

import numpy as np

from manikin.figure.figure import Figure
from manikin.motion.edit import brought_in, mixed

#: A range is held to this where values are made; couplings and cones to a little less than the judge allows them.
_RANGE, _LINEAR, _CONE = 1e-12, 9e-10, 9e-10


class Region:
    """The poses in which a figure's ranges, linear couplings and cones hold; loops are not among them."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        rows = np.zeros((len(figure.couplings), figure.n))
        for row, coupling in zip(rows, figure.couplings, strict=True):
            for name, factor in coupling.coefficients.items():
                row[figure.index(name)] = factor
        slack = _LINEAR * np.linalg.norm(rows, axis=1)
        self._rows = rows
        self._low = np.array([coupling.lower for coupling in figure.couplings]) - slack
        self._high = np.array([coupling.upper for coupling in figure.couplings]) + slack

    def holds(self, path: np.ndarray) -> bool:
        """Whether every pose of a path (N, n) is inside."""
        figure = self._figure
        if not ((path >= figure.lower - _RANGE) & (path <= figure.upper + _RANGE)).all():
            return False
        sums = path @ self._rows.T
        if not ((sums >= self._low) & (sums <= self._high)).all():
            return False
        return all((cone.value(path) <= 1.0 + _CONE).all() for cone in figure.cones)

    def nearest(self, q: np.ndarray) -> np.ndarray:
        """The pose (n,) itself where it is inside, or the nearest one that is."""
        return q if self.holds(q[None]) else brought_in(self._figure, q[None])[0]

    def between(self, start: np.ndarray, end: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Poses (N, n) on the way from one pose inside to another, at shares of it, 0 to 1."""
        count = len(shares)
        return mixed(self._figure, np.tile(start, (count, 1)), np.tile(end, (count, 1)), shares)
