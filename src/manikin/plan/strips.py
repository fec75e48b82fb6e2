"""Parts of plain goals as the search in strips, the lanes and the projection method read them.

Those know the five kinds of 1989 (`kernels.residuals.potentials`), 32 numbers each; a part says which it is:

    ``"coordinates"``   of three rows a POINT, of two a LINE, of one a PLANE
    ``"turn"``, ``"axes"``, ``"aim"`` along a fixed direction   AXES, of which all or some are minded
    ``"aim"`` at a point   AIM

So they take parts of a site seen from the world, whose ranges are single points, soft.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.residuals import errors as kinds
from manikin.residuals import Block

if TYPE_CHECKING:
    from manikin.plan.packing import Packed

# A goal is followed to this share of its tolerance before the solver stops.
STOP_SHARE = 0.01
_BY_ROWS = (0, kinds.PLANE, kinds.LINE, kinds.POINT)
_NO_TARGET = [0.0] * 3
_NO_AXES = np.eye(3).ravel().tolist()
_HALVES = [0.5, 0.5, 0.5]


def strip_kind(part: Block) -> int:
    """Which of the five kinds a part is."""
    if part.kind == "coordinates":
        return _BY_ROWS[part.rows]
    return kinds.AIM if part.kind == "aim" and not part.components else kinds.AXES


def write_part(
    packed: Packed,
    t: int,
    part: Block,
    tolerance: tuple[float, float],
    *,
    active: bool = True,
    instead: Block | None = None,
) -> None:
    """The numbers of part t: its site in the motion's frame, target, weights, tolerances.

    instead: the part of the same site that stands there.
    """
    p = packed.part_parameters[t]
    if instead is None or instead.site_axes is not part.site_axes:
        frame = packed.frames[part.site][1]
        turn = frame[:3, :3]
        p[kinds.SITE : kinds.SITE + 3] = frame[:3, 3]
        axes = np.tile(turn @ part.site_axes[0], 3) if strip_kind(part) == kinds.AIM else turn.T.ravel()
        p[kinds.SITE_AXES : kinds.SITE_AXES + 9] = axes
    weight, halves, least = part.weight.item(0), _HALVES, 1.0
    if part.kind == "coordinates":
        target, directions, allowed = part.point.tolist(), _directions(part), tolerance[0]
    else:
        allowed = tolerance[1]
        if part.kind == "aim" and not part.components:
            target, directions = part.point.tolist(), _NO_AXES
        else:
            target, directions, least = _NO_TARGET, part.turn.T.ravel().tolist(), 0.5
            if part.components:
                weight, halves, least = _weights(part)
    numbers = [*target, *directions, weight if active else 0.0, *halves, (STOP_SHARE * allowed) ** 2 * least]
    p[kinds.TARGET : kinds.TOLERANCE + 1] = [*numbers, allowed]


def _weights(part: Block) -> tuple[float, list[float], float]:
    """The weight of the axis of an orientation that weighs most, half of what share of it each has, and the least."""
    each = (2.0 * part.weight[:: part.rows // len(part.components)]).tolist()
    most = max(each)
    halves = [0.0, 0.0, 0.0]
    for k, weight in zip(part.components, each, strict=True):
        halves[k] = 0.5 * weight / most if most > 0.0 else 0.5
    return most, halves, min(half for half in halves if half > 0.0)


def _directions(part: Block) -> list[float]:
    """ν of a LINE or a PLANE, three times; of a POINT nothing that is read."""
    if part.rows == 3:
        return _NO_AXES
    if part.rows == 1:
        return 3 * part.directions[0].tolist()
    (a, b, c), (x, y, z) = part.directions.tolist()
    return 3 * [b * z - c * y, c * x - a * z, a * y - b * x]
