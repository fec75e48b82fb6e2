"""Values of a rig as values of the person that was made of it: every bone turned as in the clip, inside its range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.figure import Figure, rotations, transforms

if TYPE_CHECKING:
    from manikin.retargeting.person.joints import Made
    from manikin.retargeting.person.person import Person

#: Sine of the bend up to which a hinge's plane is not known, and from which it is; the angle from which it bends the
#: other way, radians.
STRAIGHT, BENT, OPPOSITE = 0.05, 0.15, 2.0


def values(who: Person, q: np.ndarray) -> np.ndarray:
    """The person's values (T, n)."""
    figure, source = who.figure, who.source
    frames = _frames(source, q)
    found = np.tile(figure.rest, (len(q), 1))
    at = {name: k for k, name in enumerate(figure.dofs)}
    _root(who, frames, found)
    old = {name: k for k, name in enumerate(source.dofs)}
    for joint in figure.joints.values():
        for axis in joint.axes:
            if axis.name in old and joint.name != "root":
                found[:, at[axis.name]] = q[:, old[axis.name]]
    turned = _turned(who, frames)
    for one in who.made:
        if one.axes is None:
            continue
        joint = one.joint
        motion = joint.placement[:3, :3].T @ turned[joint.name] @ joint.child_placement[:3, :3]
        if len(one.uses) == 3:
            taken = rotations.to_swing_twist(motion, np.eye(3))
        else:  # its frame is the body's, its axes are given in it
            taken = rotations.to_swing_twist(one.axes.T @ motion @ one.axes, np.eye(3))
        for k, axis in zip(one.uses, joint.axes, strict=True):
            found[:, at[axis.name]] = taken[:, k]
    return np.clip(found, figure.lower, figure.upper)


def _turned(who: Person, frames: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """How each joint that was made turns its bone, (T, 3, 3); before knees and elbows, which are hinges here, thighs
    and upper arms turn about themselves until the next bone lies in the hinge's plane."""
    turns = {name: frame[:, :3, :3].copy() for name, frame in frames.items()}
    made = {one.joint.child: one for one in who.made if one.axes is not None}
    for one in made.values():
        above = made.get(one.joint.parent)
        if one.joint.motion == "ball" or above is None or above.joint.motion != "ball":
            continue
        if not one.joint.name.endswith(("knee", "elbow")):
            continue
        _into_plane(one, above, turns)
    return {
        one.joint.name: np.swapaxes(turns[one.joint.parent], 1, 2) @ turns[one.joint.child]
        for one in made.values()
    }


def _into_plane(hinge: Made, ball: Made, turns: dict[str, np.ndarray]) -> None:
    """Turn the bone of a ball joint about itself so that the bone of the hinge after it is turned about the hinge."""
    assert hinge.axes is not None
    upper, lower = turns[ball.joint.child], turns[hinge.joint.child]
    along = -np.array([0.0, 0.0, 1.0])  # where both point, standing
    axis = hinge.axes[:, hinge.uses[0] if len(hinge.uses) == 1 else 1]
    bone = upper @ (hinge.joint.placement[:3, :3] @ along)
    now = upper @ (hinge.joint.placement[:3, :3] @ axis)
    way = lower @ (hinge.joint.child_placement[:3, :3] @ along)
    wanted = np.cross(bone, way)
    bent = np.linalg.norm(wanted, axis=1)
    if _flexes_backwards(axis, along):
        wanted = -wanted
    wanted /= np.maximum(bent, 1e-9)[:, None]
    angle = np.arctan2((np.cross(now, wanted) * bone).sum(axis=1), (now * wanted).sum(axis=1))
    share = np.clip((bent - STRAIGHT) / (BENT - STRAIGHT), 0.0, 1.0) * (np.abs(angle) < OPPOSITE)
    turns[ball.joint.child] = rotations.from_vectors((share * angle)[:, None] * bone) @ upper


def _flexes_backwards(axis: np.ndarray, along: np.ndarray) -> bool:
    """Whether a positive turn about the axis leads away from bone × way."""
    return float(axis @ np.cross(along, np.cross(axis, along))) < 0.0


def _frames(figure: Figure, q: np.ndarray) -> dict[str, np.ndarray]:
    """The frames of the segments, (T, 4, 4) each."""
    own = {site.segment: site for site in figure.sites.values()}
    found = figure.forward(q, [own[name].name for name in figure.segments])
    return {
        name: found[:, k] @ transforms.inverse(own[name].placement) for k, name in enumerate(figure.segments)
    }


def _root(who: Person, frames: dict[str, np.ndarray], found: np.ndarray) -> None:
    """Where the base is carried, against its location, as three slides and a rotation vector."""
    figure = who.figure
    base = frames[figure.root] @ transforms.inverse(figure.mount)
    moved = transforms.inverse(figure.location) @ base
    found[:, :3] = moved[:, :3, 3]
    found[:, 3:6] = rotations.to_vectors(moved[:, :3, :3])
