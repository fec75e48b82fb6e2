"""A figure and its parts as plain data that JSON can hold, exact, and back."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Coupling, Curve, Figure, Follow, Joint, Loop, Segment, Shape, Site
from manikin.figure.swing import Ellipse, Polygon, SwingLimit


def figure_record(figure: Figure) -> dict[str, Any]:
    """All that a figure was made of; no limit is None, and so is a frame that is the identity."""
    stiffness = figure.given.base_stiffness
    return {
        "name": figure.name,
        "root": figure.root,
        "base": figure.base,
        "location": frame_record(figure.location),
        "mount": frame_record(figure.mount),
        "base_stiffness": None if stiffness is None else np.asarray(stiffness, dtype=np.float64).tolist(),
        "segments": [segment_record(segment) for segment in figure.segments.values()],
        "joints": [_joint(joint) for joint in figure.given.joints.values()],
        "sites": [
            {"name": site.name, "segment": site.segment, "placement": frame_record(site.placement)}
            for site in figure.given.sites.values()
        ],
        "couplings": [coupling_record(entry) for entry in figure.given.couplings],
        "loops": [
            {"site": loop.site, "other": loop.other, "kind": loop.kind, "name": loop.name}
            for loop in figure.loops
        ],
        "touching": [list(pair) for pair in figure.touching],
    }


def figure_from(record: Any, mesh: Callable[[str], str] = str) -> Figure:
    """The figure of a record; a FigureError if the record is not a figure's.

    mesh: makes of a mesh's path in the record that of the figure.
    """
    try:
        return _figure(record, mesh)
    except FigureError:
        raise
    except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise FigureError(f"the record is not a figure's: {error!r}") from None


def _figure(record: dict[str, Any], mesh: Callable[[str], str]) -> Figure:
    return Figure(
        record["name"],
        [segment_from(entry, mesh) for entry in record["segments"]],
        [_read_joint(entry) for entry in record["joints"]],
        [Site(entry["name"], entry["segment"], entry["placement"]) for entry in record["sites"]],
        root=record["root"],
        base=record["base"],
        location=record["location"],
        mount=record["mount"],
        base_stiffness=record["base_stiffness"],
        couplings=[coupling_from(entry) for entry in record["couplings"]],
        loops=[
            Loop(entry["site"], entry["other"], entry["kind"], entry["name"]) for entry in record["loops"]
        ],
        touching=record["touching"],
    )


def frame_record(matrix: np.ndarray) -> list[list[float]] | None:
    """A 4×4, or None for the identity."""
    return None if np.array_equal(matrix, np.eye(4)) else matrix.tolist()


def end_record(value: float) -> float | None:
    """One end of a range, or None if there is no limit."""
    return float(value) if isfinite(value) else None


def coupling_record(coupling: Coupling) -> dict[str, Any]:
    """A coupling."""
    return {
        "coefficients": dict(coupling.coefficients),
        "lower": end_record(coupling.lower),
        "upper": end_record(coupling.upper),
        "name": coupling.name,
    }


def coupling_from(entry: dict[str, Any]) -> Coupling:
    """The coupling of its record."""
    return Coupling(
        entry["coefficients"],
        -inf if entry["lower"] is None else entry["lower"],
        inf if entry["upper"] is None else entry["upper"],
        str(entry["name"]),
    )


def segment_record(segment: Segment) -> dict[str, Any]:
    """A segment with its mass and shapes."""
    return {
        "name": segment.name,
        "mass": segment.mass,
        "center_of_mass": segment.center_of_mass.tolist(),  # type: ignore[union-attr]
        "inertia": None if segment.inertia is None else segment.inertia.tolist(),
        "shapes": [shape_record(shape) for shape in segment.shapes],
    }


def segment_from(entry: dict[str, Any], mesh: Callable[[str], str]) -> Segment:
    """The segment of its record; mesh: where a mesh that it names lies."""
    shapes = tuple(shape_from(shape, mesh) for shape in entry["shapes"])
    return Segment(entry["name"], entry["mass"], entry["center_of_mass"], entry["inertia"], shapes)


def shape_record(shape: Shape) -> dict[str, Any]:
    """A shape."""
    return {
        "kind": shape.kind,
        "size": shape.size.tolist(),
        "placement": frame_record(shape.placement),
        "mesh": shape.mesh,
        "scale": shape.scale.tolist(),  # type: ignore[union-attr]
        "color": None if shape.color is None else shape.color.tolist(),  # type: ignore[union-attr]
    }


def shape_from(entry: dict[str, Any], mesh: Callable[[str], str]) -> Shape:
    """The shape of its record; mesh: where a mesh that it names lies."""
    named = None if entry["mesh"] is None else mesh(entry["mesh"])
    return Shape(entry["kind"], entry["size"], entry["placement"], named, entry["scale"], entry["color"])


def swing_record(swing: SwingLimit | None) -> dict[str, Any] | None:
    """The limit on a ball joint's swing, or None."""
    if isinstance(swing, Ellipse):
        return {"radii": swing.radii.tolist(), "center": swing.center.tolist()}
    return None if swing is None else {"points": swing.points.tolist()}


def swing_from(entry: dict[str, Any] | None) -> SwingLimit | None:
    """The limit of its record."""
    if entry is None:
        return None
    return Polygon(entry["points"]) if "points" in entry else Ellipse(entry["radii"], entry["center"])


def follow_record(follow: Follow | None) -> dict[str, Any] | None:
    """What an axis follows, or None."""
    if follow is None:
        return None
    curve = follow.curve
    return {
        "coefficients": dict(follow.coefficients),
        "offset": follow.offset,
        "curve": None
        if curve is None
        else {"breaks": curve.breaks.tolist(), "coefficients": curve.coefficients.tolist()},
    }


def follow_from(entry: dict[str, Any] | None) -> Follow | None:
    """The Follow of its record."""
    if entry is None:
        return None
    curve = entry["curve"]
    made = None if curve is None else Curve(curve["breaks"], curve["coefficients"])
    return Follow(entry["coefficients"], entry["offset"], made)


def _joint(joint: Joint) -> dict[str, Any]:
    return {
        "name": joint.name,
        "parent": joint.parent,
        "child": joint.child,
        "motion": joint.motion,
        "placement": frame_record(joint.placement),
        "child_placement": frame_record(joint.child_placement),
        "swing": swing_record(joint.swing),
        "axes": [
            {
                "name": axis.name,
                "lower": end_record(axis.lower),
                "upper": end_record(axis.upper),
                "rest": axis.rest,
                "stiffness": axis.stiffness,
                "velocity": end_record(axis.velocity),
                "effort": end_record(axis.effort),
                "follow": follow_record(axis.follow),
                "description": axis.description,
            }
            for axis in joint.axes
        ],
    }


def _read_joint(entry: dict[str, Any]) -> Joint:
    axes = entry["axes"]
    options: dict[str, Any] = {
        key: [axis[key] for axis in axes]
        for key in ("lower", "upper", "rest", "stiffness", "velocity", "effort")
    }
    return Joint(
        entry["name"],
        entry["parent"],
        entry["child"],
        entry["motion"],
        entry["placement"],
        entry["child_placement"],
        dofs=[axis["name"] for axis in axes],
        follow=[follow_from(axis["follow"]) for axis in axes],
        swing=swing_from(entry["swing"]),
        descriptions=[axis["description"] for axis in axes],
        **options,
    )
