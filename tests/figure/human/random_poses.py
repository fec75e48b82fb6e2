"""Random poses inside all limits and couplings of a figure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from manikin.figure import Figure, Pose


def random_poses(figure: Figure, count: int, seed: int = 0, spread: float = 1.0) -> Iterator[Pose]:
    """Uniform in the box, then brought inside the couplings one by one towards the rest pose, which is inside all."""
    rng = np.random.default_rng(seed)
    lower = np.where(np.isfinite(figure.lower), figure.lower, -1.0)
    upper = np.where(np.isfinite(figure.upper), figure.upper, 1.0)
    rows = []
    for coupling in figure.couplings:
        row = np.zeros(figure.n)
        for name, factor in coupling.coefficients.items():
            row[figure.index(name)] = factor
        rows.append((row, np.flatnonzero(row), coupling.lower, coupling.upper))
    for _ in range(count):
        q = spread * rng.uniform(lower, upper)
        for _ in range(100):
            inside = True
            for row, places, low, high in rows:
                value = row @ q
                end = high if value > high else low
                if low <= value <= high:
                    continue
                inside = False
                q[places] *= end / value * (1.0 - 1e-12)
            for cone in figure.cones:
                if cone.value(q) > 1.0:
                    inside = False
                    q[:] = cone.brought_in(q)
            if inside:
                break
        assert inside
        yield Pose(figure, q)
