"""A figure with its segments scaled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure, Joint, Segment, Shape, Site, checks


def resized(figure: Figure, factors: Mapping[str, Any]) -> Figure:
    """The figure with some segments scaled: one number, or one along each axis of the segment's frame.

    What is fixed to a segment goes with it: the ends of its joints, sites, shapes (by the mean factor) and its
    centre of mass. Masses, ranges and axes stay. Slides stay as long as they are.
    """
    by = {name: _factor(figure, name, value) for name, value in factors.items()}

    def of(segment: str) -> np.ndarray:
        return by.get(segment, np.ones(3))

    def moved(place: np.ndarray, segment: str) -> np.ndarray:
        result = np.array(place)
        result[:3, 3] *= of(segment)
        return result

    segments = [_segment(part, of(name)) if name in by else part for name, part in figure.segments.items()]
    joints: list[Joint] = [
        joint.placed(moved(joint.placement, joint.parent), moved(joint.child_placement, joint.child))
        for joint in figure.given.joints.values()
    ]
    sites = [
        Site(site.name, site.segment, moved(site.placement, site.segment))
        for site in figure.given.sites.values()
    ]
    return figure.replace(segments=segments, joints=joints, sites=sites)


def _factor(figure: Figure, name: str, value: Any) -> np.ndarray:
    if name not in figure.segments:
        raise FigureError(
            f"figure {figure.name!r} has no segment {name!r}; {checks.near(str(name), figure.segments)}"
        )
    factor = np.broadcast_to(np.asarray(value, dtype=np.float64), (3,))
    if not np.isfinite(factor).all() or (factor <= 0.0).any():
        raise FigureError(f"segment {name!r}: its factors must be above 0, got {value!r}")
    return factor


def _segment(part: Segment, factors: np.ndarray) -> Segment:
    mean = float(np.cbrt(np.prod(factors)))
    inertia = None if part.inertia is None else part.inertia * mean**2
    shapes = tuple(_shape(shape, factors, mean) for shape in part.shapes)
    return replace(part, center_of_mass=part.center_of_mass * factors, inertia=inertia, shapes=shapes)


def _shape(shape: Shape, factors: np.ndarray, mean: float) -> Shape:
    place = np.array(shape.placement)
    place[:3, 3] *= factors
    return replace(shape, size=mean * shape.size, placement=place, scale=mean * np.asarray(shape.scale))
