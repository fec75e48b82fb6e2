"""The rows of goals that are about a point of a site."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manikin.residuals.block import Block, equal


def coordinates(site: str, weight: float, point: ArrayLike, directions: np.ndarray, *, hard: bool) -> Block:
    """The site's coordinates along ``directions`` (rows) from ``point``, all 0."""
    return Block(
        "coordinates",
        **equal(weight, len(directions)),
        site=site,
        hard=hard,
        target="point",
        point=np.asarray(point),
        directions=directions,
    )
