"""A figure as plain data that JSON can hold, exact, and back."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Coupling, Figure, Follow, Joint, Loop, Segment, Shape, Site
from manikin.figure.swing import Ellipse, Polygon


def figure_record(figure: Figure) -> dict[str, Any]:
    """All that a figure was made of; no limit is None, and so is a frame that is the identity."""
    stiffness = figure._base_stiffness
    return {
        "name": figure.name,
        "root": figure.root,
        "base": figure.base,
        "location": _frame(figure.location),
        "mount": _frame(figure.mount),
        "base_stiffness": None if stiffness is None else np.asarray(stiffness, dtype=np.float64).tolist(),
        "segments": [_segment(segment) for segment in figure.segments.values()],
        "joints": [_joint(joint) for joint in figure._given_joints.values()],
        "sites": [
            {"name": site.name, "segment": site.segment, "placement": _frame(site.placement)}
            for site in figure._given_sites.values()
        ],
        "couplings": [
            {
                "coefficients": dict(entry.coefficients),
                "lower": _end(entry.lower),
                "upper": _end(entry.upper),
                "name": entry.name,
            }
            for entry in figure._given_couplings
        ],
        "loops": [
            {"site": loop.site, "other": loop.other, "kind": loop.kind, "name": loop.name}
            for loop in figure.loops
        ],
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
        [_read_segment(entry, mesh) for entry in record["segments"]],
        [_read_joint(entry) for entry in record["joints"]],
        [Site(entry["name"], entry["segment"], entry["placement"]) for entry in record["sites"]],
        root=record["root"],
        base=record["base"],
        location=record["location"],
        mount=record["mount"],
        base_stiffness=record["base_stiffness"],
        couplings=[
            Coupling(
                entry["coefficients"],
                -inf if entry["lower"] is None else entry["lower"],
                inf if entry["upper"] is None else entry["upper"],
                str(entry["name"]),
            )
            for entry in record["couplings"]
        ],
        loops=[
            Loop(entry["site"], entry["other"], entry["kind"], entry["name"]) for entry in record["loops"]
        ],
    )


def _frame(matrix: np.ndarray) -> list[list[float]] | None:
    return None if np.array_equal(matrix, np.eye(4)) else matrix.tolist()


def _end(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _segment(segment: Segment) -> dict[str, Any]:
    return {
        "name": segment.name,
        "mass": segment.mass,
        "center_of_mass": segment.center_of_mass.tolist(),  # type: ignore[union-attr]
        "inertia": None if segment.inertia is None else segment.inertia.tolist(),
        "shapes": [
            {
                "kind": shape.kind,
                "size": shape.size.tolist(),
                "placement": _frame(shape.placement),
                "mesh": shape.mesh,
                "scale": shape.scale.tolist(),  # type: ignore[union-attr]
                "color": None if shape.color is None else shape.color.tolist(),  # type: ignore[union-attr]
            }
            for shape in segment.shapes
        ],
    }


def _read_segment(entry: dict[str, Any], mesh: Callable[[str], str]) -> Segment:
    shapes = tuple(
        Shape(
            shape["kind"],
            shape["size"],
            shape["placement"],
            None if shape["mesh"] is None else mesh(shape["mesh"]),
            shape["scale"],
            shape["color"],
        )
        for shape in entry["shapes"]
    )
    return Segment(entry["name"], entry["mass"], entry["center_of_mass"], entry["inertia"], shapes)


def _joint(joint: Joint) -> dict[str, Any]:
    swing: Any = None
    if isinstance(joint.swing, Ellipse):
        swing = {"radii": joint.swing.radii.tolist(), "center": joint.swing.center.tolist()}
    elif isinstance(joint.swing, Polygon):
        swing = {"points": joint.swing.points.tolist()}
    return {
        "name": joint.name,
        "parent": joint.parent,
        "child": joint.child,
        "motion": joint.motion,
        "placement": _frame(joint.placement),
        "child_placement": _frame(joint.child_placement),
        "swing": swing,
        "axes": [
            {
                "name": axis.name,
                "lower": _end(axis.lower),
                "upper": _end(axis.upper),
                "rest": axis.rest,
                "stiffness": axis.stiffness,
                "velocity": _end(axis.velocity),
                "follow": None
                if axis.follow is None
                else {"coefficients": dict(axis.follow.coefficients), "offset": axis.follow.offset},
                "description": axis.description,
            }
            for axis in joint.axes
        ],
    }


def _read_joint(entry: dict[str, Any]) -> Joint:
    axes = entry["axes"]
    options: dict[str, Any] = {
        key: [axis[key] for axis in axes] for key in ("lower", "upper", "rest", "stiffness", "velocity")
    }
    swing = entry["swing"]
    if swing is not None:
        limit = Polygon(swing["points"]) if "points" in swing else Ellipse(swing["radii"], swing["center"])
        options["swing"] = limit
    return Joint(
        entry["name"],
        entry["parent"],
        entry["child"],
        entry["motion"],
        entry["placement"],
        entry["child_placement"],
        dofs=[axis["name"] for axis in axes],
        follow=[
            None
            if axis["follow"] is None
            else Follow(axis["follow"]["coefficients"], axis["follow"]["offset"])
            for axis in axes
        ],
        descriptions=[axis["description"] for axis in axes],
        **options,
    )
