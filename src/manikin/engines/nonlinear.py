"""Cones on swings and closed loops, before the methods that know ranges and linear constraints only.

Such a method may leave a cone or a loop alone when it cannot move it. Otherwise it refuses, rather than return a pose
that breaks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Cone, Figure, Loop

if TYPE_CHECKING:
    from manikin.plan.packing import Packed

# Points of a line that are looked at for one inside a cone.
_LINE = 257


def concerned_cones(packed: Packed) -> tuple[Cone, ...]:
    """The cones whose swing the solve may move."""
    movable = _movable(packed)
    return tuple(cone for cone in packed.origin[0].cones if movable[cone.first] or movable[cone.second])


def concerned_loops(packed: Packed) -> tuple[Loop, ...]:
    """The loops whose sites the solve may move against each other."""
    return _moved_loops(packed, _movable(packed))


def closable(packed: Packed) -> bool:
    """Whether some loop could be closed, or opened, by what is free, though no goal asks for it."""
    return bool(packed.origin[0].loops and _moved_loops(packed, packed.origin[1]))


def _moved_loops(packed: Packed, movable: np.ndarray) -> tuple[Loop, ...]:
    """The loops whose sites these coordinates move against each other."""
    figure = packed.origin[0]
    tree = figure.tree
    found = []
    for loop in figure.loops:
        ways = [_way(figure, name) for name in (loop.site, loop.other)]
        between = ways[0] ^ ways[1]
        axes = {tree.axis[m] + c for m in between for c in range(1 if tree.kind[m] <= 1 else 3)}
        drives = np.isin(tree.drive_axis, list(axes))
        if movable[tree.drive_dof[drives]].any():
            found.append(loop)
    return tuple(found)


def concerned(packed: Packed) -> bool:
    """Whether the solve may move the swing of a cone, or a loop."""
    figure = packed.origin[0]
    return bool(figure.cones and concerned_cones(packed)) or bool(figure.loops and concerned_loops(packed))


def _movable(packed: Packed) -> np.ndarray:
    """Mask of the coordinates that may move: as variables, or to bring a start into a linear constraint."""
    figure, free, couplings = packed.origin
    movable = np.zeros(figure.n, bool)
    movable[packed.variables] = True
    for coupling in couplings:
        places = [figure.index(name) for name in coupling.coefficients]
        movable[places] |= free[places]
    return movable


def _way(figure: Figure, site: str) -> set[int]:
    """The motions from a site to the root."""
    tree = figure.tree
    motion = int(tree.segment_motion[list(figure.segments).index(figure.site(site).segment)])
    way = set()
    while motion >= 0:
        way.add(motion)
        motion = int(tree.parent[motion])
    return way


def refuse(packed: Packed, method: str) -> None:
    """A SolveError, in words, if the solve may move the swing of a cone, or a loop."""
    figure = packed.origin[0]
    knows = f"method {method!r} knows ranges and linear constraints only"
    for cone in concerned_cones(packed):
        joint = figure.dof(figure.dofs[cone.first]).joint
        raise SolveError(
            f"{knows}, and the swing of joint {joint!r} is limited by a cone; figure.with_polygons() puts a polygon "
            "inside every cone"
        )
    for loop in concerned_loops(packed):
        raise SolveError(f"{knows}, and the figure has a closed loop, {loop.name!r}")


def bring_in(figure: Figure, q: np.ndarray, begun: np.ndarray | None = None) -> None:
    """Move every swing that is outside its cone inside it and its ranges, in place: to the nearest one there, where the
    ranges cut nothing off the cone.

    begun: where q was drawn from. A swing of which one coordinate stayed there moves by the other alone, if that can
    bring it in, since what stayed is not free.
    """
    for cone in figure.cones:
        if 1.0 < cone.value(q) < np.inf:
            goal = None if begun is None else _beside(figure, cone, q, begun)
            q[:] = _inside(figure, cone, q) if goal is None else _towards(cone, q, goal)


def _beside(figure: Figure, cone: Cone, q: np.ndarray, begun: np.ndarray) -> np.ndarray | None:
    """A swing inside that differs from q's in what did not stay where it began; None if both stayed, both moved, or
    there is none.
    """
    swing = [cone.first, cone.second]
    moved = q[swing] != begun[swing]
    if moved.sum() != 1:
        return None
    if cone.value(begun) <= 1.0:
        return begun[swing]
    low, high = figure.lower[swing][moved][0], figure.upper[swing][moved][0]
    tried = np.tile(q, (_LINE, 1))
    tried[:, np.array(swing)[moved][0]] = np.linspace(low, high, _LINE)
    values = cone.value(tried)
    least = int(np.argmin(values))
    return tried[least, swing] if values[least] <= 1.0 else None


def bring_in_fixed(packed: Packed, q: np.ndarray) -> None:
    """The same of the swings that nothing of the solve moves."""
    figure = packed.origin[0]
    for cone in figure.cones:
        if 1.0 < cone.value(q) < np.inf and cone not in concerned_cones(packed):
            q[:] = _inside(figure, cone, q)
            packed.note().began = q.copy()


def _inside(figure: Figure, cone: Cone, q: np.ndarray) -> np.ndarray:
    """Into the cone and into the box, in turns; towards the rest, which is in both, if that takes long."""
    swing = [cone.first, cone.second]
    for _ in range(20):
        q = cone.brought_in(q)
        q[swing] = np.clip(q[swing], figure.lower[swing], figure.upper[swing])
        if cone.value(q) <= 1.0:
            return q
    return _towards(cone, q, figure.rest[swing])


def _towards(cone: Cone, q: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """q with its swing on the edge of the cone, on the straight way to a swing that is inside."""
    swing = [cone.first, cone.second]
    end = q[swing].copy()
    low, high = 0.0, 1.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        q[swing] = goal + middle * (end - goal)
        low, high = (middle, high) if cone.value(q) <= 1.0 else (low, middle)
    q[swing] = goal + low * (end - goal)
    return q
