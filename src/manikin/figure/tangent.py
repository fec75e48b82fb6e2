"""A figure whose curves are replaced by their tangents at a pose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manikin.figure.figure import Figure
from manikin.figure.joint import Follow
from manikin.figure.pose import Pose


def tangent(figure: Figure, q: Any = None) -> Figure:
    """Every curve f of u = offset + Σ c·q becomes f(u₀) + f′(u₀) (u − u₀), linear; a figure without curves stays."""
    if not figure.tree.curves:
        return figure
    values = (q if isinstance(q, Pose) else figure.pose(q)).values()
    axes = figure.axes
    joints = [
        replace(joint, follow=[_straight(axes[axis.name], axis.follow, values) for axis in joint.axes])
        if any(axes[axis.name].curve is not None for axis in joint.axes)
        else joint
        for joint in figure.given.joints.values()
    ]
    return figure.replace(joints=joints)


def _straight(resolved: Follow, given: Follow | None, values: Any) -> Follow | None:
    curve = resolved.curve
    if curve is None:
        return given
    argument = resolved.offset + sum(c * values[name] for name, c in resolved.coefficients.items())
    slope = float(curve(argument, 1))
    coefficients = {name: slope * c for name, c in resolved.coefficients.items()}
    return Follow(coefficients, float(curve(argument)) - slope * (argument - resolved.offset))
