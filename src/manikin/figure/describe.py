"""A figure in words and numbers, for printing and for JSON."""

from __future__ import annotations

from math import isfinite
from typing import Any

from manikin.figure import graph
from manikin.figure.curve import Curve
from manikin.figure.figure import Figure


def describe(figure: Figure) -> dict[str, Any]:
    """Tree, degrees of freedom and ranges, followers, couplings, cones, loops, sites, mass; None for no limit."""
    return {
        "name": figure.name,
        "base": figure.base,
        "root": figure.root,
        "location": figure.location.tolist(),
        "mass": figure.mass,
        "segments": _segments(figure),
        "dofs": [_dof(figure, name) for name in figure.dofs],
        "followers": {
            name: {"coefficients": dict(follow.coefficients), "offset": follow.offset}
            | ({} if follow.curve is None else {"curve": _curve(follow.curve)})
            for name, follow in figure.followers.items()
        },
        "couplings": [{"name": coupling.name, "text": str(coupling)} for coupling in figure.couplings],
        "cones": [
            {
                "joint": figure.dof(figure.dofs[cone.first]).joint,
                "dofs": [figure.dofs[cone.first], figure.dofs[cone.second]],
                "center": [cone.center_1, cone.center_2],
                "radii": [cone.radius_1, cone.radius_2],
            }
            for cone in figure.cones
        ],
        "loops": [
            {"name": loop.name, "site": loop.site, "other": loop.other, "kind": loop.kind}
            for loop in figure.loops
        ],
        "sites": [
            {"name": site.name, "segment": site.segment, "placement": site.placement.tolist()}
            for site in figure.sites.values()
        ],
    }


def _curve(curve: Curve) -> dict[str, Any]:
    return {"breaks": curve.breaks.tolist(), "coefficients": curve.coefficients.tolist()}


def _segments(figure: Figure) -> list[dict[str, Any]]:
    """The segments depth first from the root, each with its parent, the joint between them and its depth."""
    joints = {
        name: joint for name, joint in figure.joints.items() if figure.base == "fixed" or name != "root"
    }
    depth = {figure.root: 0}
    above: dict[str, tuple[str | None, str | None]] = {figure.root: (None, None)}
    for joint, backwards in graph.walk(figure.root, joints):
        near, far = (joint.child, joint.parent) if backwards else (joint.parent, joint.child)
        depth[far] = depth[near] + 1
        above[far] = (near, joint.name)
    return [
        {
            "name": name,
            "parent": above[name][0],
            "joint": above[name][1],
            "motion": figure.joints[above[name][1] or ""].motion if above[name][1] else None,
            "depth": depth[name],
            "mass": figure.segments[name].mass,
        }
        for name in depth
    ]


def _dof(figure: Figure, name: str) -> dict[str, Any]:
    dof = figure.dof(name)
    return {
        "name": name,
        "joint": dof.joint,
        "unit": dof.unit,
        "lower": dof.lower if isfinite(dof.lower) else None,
        "upper": dof.upper if isfinite(dof.upper) else None,
        "rest": dof.rest,
        "stiffness": dof.stiffness,
        "velocity": dof.velocity if isfinite(dof.velocity) else None,
        "effort": dof.effort if isfinite(dof.effort) else None,
        "wraps": dof.wraps,
        "description": dof.description,
    }
