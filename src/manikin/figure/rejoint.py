"""The same figure with a joint of three turns in the place of a ball joint, or the other way round; poses converted.

The rotation that the joint makes is the same; its coordinates are others. A box of limits on three angles is no box,
cone or polygon on swing and twist, so limits are never translated: they are given anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manikin.errors import FigureError, PoseError
from manikin.figure import euler
from manikin.figure.figure import Figure
from manikin.figure.joint import Joint
from manikin.figure.pose import Pose

_LIMITS = ("cone", "ellipse", "polygon", "twist", "swing", "lower", "upper")


def with_ball(figure: Figure, joint: str, axis: Any = "z", **options: Any) -> Figure:
    """The figure with a ball joint in the place of a joint of three turns, at rest in the same pose.

    axis: of the twist, in the joint's frame.
    options: those of `Joint.ball`. Where the old joint has ranges, new limits must be given; ``twist=(None, None)``
        leaves it without. Stiffness, and velocity and effort, unless given, are the old ones' mean and least.
    """
    old = _joint(figure, joint)
    if not _is_turns(old):
        raise FigureError(f"figure {figure.name!r}: joint {joint!r} is {old.motion!r}, not three turns")
    _check_limits(figure, old, options)
    rest = euler.swing_twist(_rotation(old, _values(figure.pose())), axis)
    new = Joint.ball(joint, old.parent, old.child, axis, **_kept(old, rest, options))
    return _exchanged(figure, old, new)


def with_turns(figure: Figure, joint: str, motion: str, **options: Any) -> Figure:
    """The figure with a product of three turns, such as ``"R(z)*R(x)*R(y)"``, in the place of a ball joint.

    options: those of Joint. Where the ball has limits, `lower` or `upper` must be given; ``lower=None`` leaves it
        without.
    """
    old = _joint(figure, joint)
    if not _is_ball(old):
        raise FigureError(f"figure {figure.name!r}: joint {joint!r} is {old.motion!r}, not a ball joint")
    _check_limits(figure, old, options)
    bare = Joint(joint, old.parent, old.child, motion)
    if not _is_turns(bare):
        raise FigureError(
            f"figure {figure.name!r}: joint {joint!r}: {motion!r} is not a product of three turns"
        )
    rest = euler.euler_angles(_axes(bare), _rotation(old, _values(figure.pose())))
    new = Joint(joint, old.parent, old.child, motion, **_kept(old, rest, options))
    return _exchanged(figure, old, new)


def converted(pose: Pose, figure: Figure, near: Pose | None = None) -> Pose:
    """The pose of another figure that has the same joints by name, some turned from three turns into balls or back.

    near: a pose of the other figure that the converted values are to be near to, for a motion without jumps; by default
        its rest.
    """
    wish = (figure.pose() if near is None else near).values()
    values, result = _values(pose), {}
    for name, joint in figure.joints.items():
        source = pose.figure.joints.get(name)
        if source is None:
            raise PoseError(
                f"pose of {pose.figure.name!r}: {figure.name!r} has a joint {name!r} that it has not"
            )
        own = [axis for axis in joint.axes if axis.follow is None]
        if source.motion == joint.motion:
            places = {axis.name: axis.name for axis in own}
            if [axis.name for axis in source.axes] != [axis.name for axis in joint.axes]:
                places = {
                    new.name: old.name for new, old in zip(joint.axes, source.axes, strict=True) if new in own
                }
            result.update({new: values[old] for new, old in places.items()})
            continue
        if not all(_is_turns(j) or _is_ball(j) for j in (source, joint)) or len(own) != 3:
            raise PoseError(
                f"pose of {pose.figure.name!r}: joint {name!r} is {source.motion!r} there and {joint.motion!r} in "
                f"{figure.name!r}; only three turns and ball joints convert"
            )
        found = _coordinates(joint, _rotation(source, values), [wish[axis.name] for axis in own])
        result.update(zip([axis.name for axis in own], found.tolist(), strict=True))
    return figure.pose(result)


def _joint(figure: Figure, name: str) -> Joint:
    if name not in figure.given.joints:
        raise FigureError(f"figure {figure.name!r}: it has no joint {name!r} to change")
    return figure.given.joints[name]


def _is_turns(joint: Joint) -> bool:
    return [step.kind.turns for step in joint.steps] == [True] * 3


def _is_ball(joint: Joint) -> bool:
    return [step.kind.swings for step in joint.steps] == [True]


def _axes(joint: Joint) -> list[np.ndarray]:
    return [step.turn[:, 2] for step in joint.steps]


def _values(pose: Pose) -> dict[str, float]:
    """The value of every axis by name, followers included."""
    values = pose.values()
    followers = {name: follow.value(values) for name, follow in pose.figure.followers.items()}
    return {**values, **followers}


def _rotation(joint: Joint, values: Mapping[str, float]) -> np.ndarray:
    at = [values[axis.name] for axis in joint.axes]
    if _is_ball(joint):
        return euler.swing_twist_rotation(at, joint.steps[0].turn[:, 2])
    return euler.euler_rotation(_axes(joint), at)


def _coordinates(joint: Joint, rotation: np.ndarray, near: Sequence[float]) -> np.ndarray:
    if _is_ball(joint):
        return euler.swing_twist(rotation, joint.steps[0].turn[:, 2], near)
    return euler.euler_angles(_axes(joint), rotation, near)


def _check_limits(figure: Figure, old: Joint, options: Mapping[str, Any]) -> None:
    limited = old.swing is not None or any(
        np.isfinite(axis.lower) or np.isfinite(axis.upper) for axis in old.axes
    )
    if limited and not any(key in options for key in _LIMITS):
        raise FigureError(
            f"figure {figure.name!r}: joint {old.name!r} has limits, which its new coordinates cannot have exactly; "
            "give new ones"
        )


def _kept(old: Joint, rest: np.ndarray, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the new joint takes over from the old one, unless the options say otherwise."""
    return {
        "placement": old.placement,
        "child_placement": old.child_placement,
        "rest": rest.tolist(),
        "stiffness": float(np.mean([axis.stiffness for axis in old.axes])),
        "velocity": min(axis.velocity for axis in old.axes),
        "effort": min(axis.effort for axis in old.axes),
        **options,
    }


def _exchanged(figure: Figure, old: Joint, new: Joint) -> Figure:
    """The figure with one joint for another, refused where something else depends on the old one's coordinates."""
    where = f"figure {figure.name!r}: joint {old.name!r}"
    names = {axis.name for axis in old.axes}
    for axis in old.axes:
        if axis.follow is not None:
            raise FigureError(f"{where}: {axis.name!r} follows others, so it cannot be changed")
    for joint in figure.joints.values():
        for axis in joint.axes:
            for driver in () if axis.follow is None else axis.follow.coefficients:
                if driver in names:
                    raise FigureError(
                        f"{where}: {axis.name!r} follows its {driver!r}, so it cannot be changed"
                    )
    for coupling in figure.given.couplings:
        if names & set(coupling.coefficients):
            raise FigureError(f"{where}: the coupling {coupling} depends on it, so it cannot be changed")
    joints = [new if joint is old else joint for joint in figure.given.joints.values()]
    return figure.replace(joints=joints)
