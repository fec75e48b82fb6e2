"""What two sizes of one figure have in common: all that says how arrays are laid out, none of the numbers in them."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from manikin.figure.figure import Figure


class Structure(NamedTuple):
    """A figure without its lengths, masses and limits: names, kinds, and what hangs on what. Hashable.

    Figures of equal structure have trees whose integers are the same, and a problem packed for one has the sections of
    the other; only parameters differ. Multipliers of couplings are part of it, since an equality among coordinates may
    be solved for one of them; so is which ends of a range are infinite, since a turn without limits wraps.
    """

    root: str
    base: str
    segments: tuple[tuple[Any, ...], ...]
    """Name, whether it has a mass, whether its inertia is known, the kinds of its shapes."""
    joints: tuple[tuple[Any, ...], ...]
    """Name, parent, child, the kinds of its motions, the names of its axes."""
    sites: tuple[tuple[str, str], ...]
    """Name and segment."""
    dofs: tuple[tuple[Any, ...], ...]
    """Name, whether its lower and its upper limit are infinite, whether it wraps."""
    drives: tuple[Any, ...]
    """Which degree of freedom drives which axis; whether each drives its own, one to one."""
    couplings: tuple[tuple[Any, ...], ...]
    """Name, multipliers, whether the lower and the upper end are infinite, whether they are one."""
    cones: tuple[tuple[int, int], ...]
    """The two degrees of freedom of each."""
    loops: tuple[tuple[str, str, str], ...]
    """Site, other site, kind."""


def structure(figure: Figure) -> Structure:
    """The structure of a figure."""
    tree = figure.tree
    return Structure(
        root=figure.root,
        base=figure.base,
        segments=tuple(
            (name, part.mass > 0.0, part.inertia is not None, tuple(shape.kind for shape in part.shapes))
            for name, part in figure.segments.items()
        ),
        joints=tuple(
            (
                name,
                joint.parent,
                joint.child,
                tuple(step.kind for step in joint.steps),
                tuple(axis.name for axis in joint.axes),
            )
            for name, joint in figure.joints.items()
        ),
        sites=tuple((name, site.segment) for name, site in figure.sites.items()),
        dofs=tuple(
            (dof.name, isinf(dof.lower), isinf(dof.upper), dof.wraps) for dof in map(figure.dof, figure.dofs)
        ),
        drives=(tuple(tree.drive_axis.tolist()), tuple(tree.drive_dof.tolist()), tree.identity),
        couplings=tuple(
            (
                coupling.name,
                tuple(coupling.coefficients.items()),
                isinf(coupling.lower),
                isinf(coupling.upper),
                coupling.equality,
            )
            for coupling in figure.couplings
        ),
        cones=tuple((cone.first, cone.second) for cone in figure.cones),
        loops=tuple((loop.site, loop.other, loop.kind) for loop in figure.loops),
    )
