"""A kind of residuals, what searches know of it: a file of `kinds`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from manikin.kernels.residuals.layout import NORM, ON_MOTIONS


@dataclass(frozen=True, eq=False)
class Kind:
    """Rows g(q) of one kind: their values and derivatives by kernels, and what these read.

    measure: kernel (M, sweep, t) of part t, which writes each row's value, whether it is near, and its wrench.
    parameters: the arrays that the kernels read, from the block and from where its frames are (`plan.places.Places`).
    attach: what the derivatives are by, as of `layout`: ON_MOTIONS, ON_MASS, ON_POINTS, ON_COORDINATES.
    miss: how the misses of rows are one number: NORM, LARGEST, CHORD, or a kernel (M, t).
    row: of ON_COORDINATES, kernel (M, q, t, i, row) that adds the slope of row i by the coordinates to ``row``.
    second: kernel (tree, M, sweep, t, force, slopes, by_value) for the second derivatives of Σ force · g of a part seen
        from the world, into ``sweep.tensors`` and ``by_value``; None to have them by differences of the wrenches.
    curvature: of ON_COORDINATES, kernel (M, q, t, force, variable_of, second) that adds those by coordinates; None
        where there are none, or where the rows only choose among equals.
    mean_start: kernel (M, frames, t) that lets the rows mean the frames of now; None where no goal wants that.
    balls: of shapes of segments, the bounding balls of the shapes and of what they are to be clear of.
    targets: where a target of the call, a "point" or a "turn", lies among the parameters, if it may.
    strip: which residual of three rows (`errors`) the rows are of a part seen from the world, if there are three that
        want to be 0 and weigh alike; −1 for none.
    polygon: whether the rows are the edges of one polygon, of which a step holds one at a time.
    """

    measure: Any
    parameters: Callable[[Any, Any], Any]
    attach: int = ON_MOTIONS
    miss: Any = NORM
    row: Any = None
    second: Any = None
    curvature: Any = None
    mean_start: Any = None
    balls: Callable[[Any, Any], Any] | None = None
    targets: Mapping[str, int] = field(default_factory=dict)
    strip: int = -1
    polygon: bool = False
