"""Objects held in the hand: a segment welded to a site, with its own sites, shape and mass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks
from manikin.figure.figure import Figure
from manikin.figure.joint import Joint
from manikin.figure.segment import Segment, Shape, Site


def with_held(
    figure: Figure,
    name: str,
    at: str,
    *,
    size: Any = None,
    shape: Shape | None = None,
    mass: float = 0.0,
    placement: Any = None,
    sites: Mapping[str, Any] | None = None,
) -> Figure:
    """The figure with an object fixed to one of its sites.

    name: of the object, which becomes a segment and, at its middle, a site.
    at: the site that holds it.
    size, shape: the edges of a box, in metres, or any Shape in the object's frame; neither makes it invisible.
    mass: kilograms, spread evenly through a box, otherwise at the object's origin.
    placement: the object's frame in the site's, 4×4 or a 3-vector; by default they are the same.
    sites: more sites on the object, name: 4×4 or 3-vector in the object's frame.
    """
    where = f"held object {checks.name(name, 'held object')!r}"
    if size is not None and shape is not None:
        raise FigureError(f"{where}: give its size or its shape, not both")
    if name in figure.segments or name in figure.sites:
        raise FigureError(f"{where}: figure {figure.name!r} already has a segment or site of this name")
    holder = figure.site(at)
    if size is not None:
        shape = Shape("box", size)
    inertia = None
    if shape is not None and shape.kind == "box":
        x, y, z = shape.size
        inertia = mass / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    center = (0.0, 0.0, 0.0) if shape is None else shape.placement[:3, 3]
    if inertia is not None:
        turn = shape.placement[:3, :3] if shape is not None else np.eye(3)
        inertia = turn @ inertia @ turn.T
    segment = Segment(name, mass, center, inertia, () if shape is None else (shape,))
    place = holder.placement @ checks.placement(placement, f"{where}: placement")
    joint = Joint.fixed(f"{name}_grip", holder.segment, name, place)
    extra = [Site(key, name, value) for key, value in (sites or {}).items()]
    for site in extra:
        if site.name in figure.sites or site.name == name:
            raise FigureError(f"{where}: figure {figure.name!r} already has a site {site.name!r}")
    given = figure.given
    return figure.replace(
        segments=(*given.segments, segment),
        joints=(*given.joints.values(), joint),
        sites=(*given.sites.values(), *extra),
    )
