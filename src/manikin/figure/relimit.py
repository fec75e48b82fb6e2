"""The same figure with other joint ranges, or other speed limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from manikin.errors import FigureError
from manikin.figure.figure import Figure


def with_limits(figure: Figure, limits: Mapping[str, tuple[float, float]]) -> Figure:
    """The figure with other ranges of some degrees of freedom; a rest value outside is moved to the nearest end."""
    for name in limits:
        figure.index(name)  # which says what is known instead
    joints = []
    left = dict(limits)
    for joint in figure.given.joints.values():
        names = [axis.name for axis in joint.axes]
        if not left.keys() & set(names):
            joints.append(joint)
            continue
        lower = [axis.lower for axis in joint.axes]
        upper = [axis.upper for axis in joint.axes]
        rest = [axis.rest for axis in joint.axes]
        for k, name in enumerate(names):
            if name in left:
                lower[k], upper[k] = left.pop(name)
                if not lower[k] < upper[k]:
                    raise FigureError(
                        f"figure {figure.name!r}: {name}: the lower limit must be below the upper one, "
                        f"got {lower[k]:g} and {upper[k]:g}"
                    )
                rest[k] = min(max(figure.dof(name).rest, lower[k]), upper[k])
        joints.append(replace(joint, lower=lower, upper=upper, rest=rest))
    if left:
        raise FigureError(
            f"figure {figure.name!r}: no joint has limits of its own for {', '.join(map(repr, left))}"
        )
    return figure.replace(joints=joints)


def with_velocity(figure: Figure, speeds: Mapping[str, float]) -> Figure:
    """The figure with other speed limits, rad/s or m/s; ∞ for none."""
    for name in speeds:
        figure.index(name)  # which says what is known instead
    joints, left = [], dict(speeds)
    for joint in figure.given.joints.values():
        names: Sequence[str] = [axis.name for axis in joint.axes]
        if left.keys() & set(names):
            velocity = [float(left.pop(axis.name, axis.velocity)) for axis in joint.axes]
            joint = replace(joint, velocity=velocity)
        joints.append(joint)
    if left:
        raise FigureError(
            f"figure {figure.name!r}: no joint has speed limits of its own for {', '.join(map(repr, left))}"
        )
    return figure.replace(joints=joints)
