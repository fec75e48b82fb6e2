"""Cones on the swings of ball joints, for the methods that know ranges and linear constraints only.

A method may leave a cone alone when it cannot move its swing. Otherwise it refuses, rather than return a pose outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Cone, Figure

if TYPE_CHECKING:
    from manikin.solvers.packing import Packed


def concerned(packed: Packed) -> tuple[Cone, ...]:
    """The cones whose swing the solve may move: as a variable, or to bring a start into a linear constraint."""
    figure, free, couplings = packed.origin
    movable = np.zeros(figure.n, bool)
    movable[packed.variables] = True
    for coupling in couplings:
        places = [figure.index(name) for name in coupling.coefficients]
        movable[places] |= free[places]
    return tuple(cone for cone in figure.cones if movable[cone.first] or movable[cone.second])


def refuse(packed: Packed, method: str) -> None:
    """A SolveError, in words, if the solve may move the swing of a cone."""
    for cone in concerned(packed):
        figure = packed.origin[0]
        joint = figure.dof(figure.dofs[cone.first]).joint
        raise SolveError(
            f"method {method!r} knows ranges and linear constraints only, and the swing of joint {joint!r} is "
            "limited by a cone; figure.with_polygons() puts a polygon inside every cone"
        )


def bring_in(figure: Figure, q: np.ndarray) -> None:
    """Move every swing that is outside its cone inside it and its ranges, in place: to the nearest one there, where the
    ranges cut nothing off the cone.
    """
    for cone in figure.cones:
        if 1.0 < cone.value(q) < np.inf:
            q[:] = _inside(figure, cone, q)


def _inside(figure: Figure, cone: Cone, q: np.ndarray) -> np.ndarray:
    """Into the cone and into the box, in turns; towards the rest, which is in both, if that takes long."""
    swing = [cone.first, cone.second]
    for _ in range(20):
        q = cone.brought_in(q)
        q[swing] = np.clip(q[swing], figure.lower[swing], figure.upper[swing])
        if cone.value(q) <= 1.0:
            return q
    end, rest = q[swing].copy(), figure.rest[swing]
    low, high = 0.0, 1.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        q[swing] = rest + middle * (end - rest)
        low, high = (middle, high) if cone.value(q) <= 1.0 else (low, middle)
    q[swing] = rest + low * (end - rest)
    return q
