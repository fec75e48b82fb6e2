"""A kind of residuals that the package does not have: how far a site is from a point.

`test_kinds` loads it in a process of its own, before any kernel was compiled without it.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

import manikin as mk
from manikin.goals.registry import register as register_goal
from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import difference, dot, scaled, vector
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.frames import (
    OWN,
    SITE_PLACE,
    all_near,
    into,
    out_of,
    set_force,
    site_numbers,
)
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.verify.algebra import at3, minus, size
from manikin.kernels.verify.checker import Checker
from manikin.kernels.verify.layout import OWN as CHECKED
from manikin.kernels.verify.seen import beyond, place_seen
from manikin.residuals import Block, register
from manikin.residuals.block import rows


@kernel
def _measure(M, sweep, t):
    """‖r − p‖; the force is along r − p, and none where that has no length."""
    o = M.offset[t]
    row = M.first[t]
    r = world_point(sweep.frames, M.motion[t], vector(M.parameters, o + SITE_PLACE))
    e = difference(into(sweep.frames, M.base[t], r), vector(M.parameters, o + OWN))
    distance = math.sqrt(dot(e, e))
    along = scaled(e, 1.0 / distance if distance > 1e-12 else 0.0)
    M.value[row] = distance
    set_force(M.wrench, row, r, out_of(sweep.frames, M.base[t], along))
    all_near(M, t)


@kernel(exact=True)
def _miss(c):
    """‖r − p‖ outside its range."""
    distance = size(minus(place_seen(c, c.w), at3(c.R, c.o + CHECKED)))
    return beyond(distance, c.R[c.low], c.R[c.high])


KIND = Kind(_measure, lambda part, at: site_numbers(at, at.point), targets={"point": OWN})
CHECK = Checker(_miss, lambda part: [part.point], targets={"point": (0, 0)})
register("distance", KIND, CHECK)


@register_goal
@dataclass(frozen=True, eq=False)
class Away(mk.Goal):
    """A site at a distance from a point: metres, from the least to the greatest."""

    point: tuple[float, float, float]
    least: float
    greatest: float
    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    noun = "shell"

    def parts(self) -> tuple[Block, ...]:
        """One distance."""
        ranges = rows(self.weight, [self.least], [self.greatest])
        return (Block("distance", **ranges, site=self.site, point=np.array(self.point), hard=self.hard),)
