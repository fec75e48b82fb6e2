"""Where goals want a site, and the rows of those that are about its point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manikin.residuals.block import Block, equal


@dataclass(frozen=True, eq=False)
class Place:
    """A point of the world, and how a site is turned there where that is asked for too."""

    point: np.ndarray
    rotation: np.ndarray | None = None


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
