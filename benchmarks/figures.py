"""Synthetic figures of 7, 16, 31 and 120 degrees of freedom, and chains of any length.

They are those of the prototypes (`prototypes`): same tree, axes, limits, goals and weights, so that both solve
the same problems. Every segment's frame is aligned with the world's at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import pi
from typing import Any

import numpy as np

import manikin as mk

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
MIRRORED_Z = (0.0, 0.0, -1.0)
MIRRORED_Y = (0.0, -1.0, 0.0)

# The prototypes minimise ½ Σ w‖e‖² with w = 1 for positions and 0.3 for each axis; these weights say the same.
_POINT = 0.5
_AXIS = 0.3
_ONE_RADIAN = 180.0 / pi


@dataclass(frozen=True)
class Wish:
    """A goal before it has a target.

    kind: ``"position"``, ``"placement"`` (with the x and y axes), ``"direction"`` (the x axis), ``"plane"``.
    """

    kind: str
    site: str

    def arguments(self, target: np.ndarray) -> dict[str, Any]:
        """The goal's arguments for this target frame, 4×4."""
        position, rotation = target[:3, 3], target[:3, :3]
        if self.kind == "position":
            return {"target": position}
        if self.kind == "placement":
            return {"position": position, "orientation": rotation}
        if self.kind == "direction":
            return {"target": rotation}
        return {"point": position, "normal": rotation[:, 2]}

    def goal(self, target: np.ndarray) -> mk.Goal:
        """The goal for this target frame, 4×4."""
        arguments = self.arguments(target)
        if self.kind == "position":
            return mk.Position(self.site, weight=_POINT, **arguments)
        if self.kind == "placement":
            return mk.Placement(
                self.site,
                position_share=_POINT / (_POINT + _AXIS),
                axes=(1.0, 1.0, 0.0),
                degrees_per_metre=_ONE_RADIAN,
                weight=_POINT + _AXIS,
                **arguments,
            )
        if self.kind == "direction":
            return mk.Orientation(self.site, axes=X, degrees_per_metre=_ONE_RADIAN, weight=_AXIS, **arguments)
        return mk.OnPlane(self.site, weight=_POINT, **arguments)


@dataclass(frozen=True)
class Body:
    """A figure, what is asked of it, and the point from which targets are scaled outwards.

    ``reach`` is how far from there the sites can be, where a random pose (of a chain, curled up) says too little
    of it.
    """

    figure: mk.Figure
    wishes: tuple[Wish, ...]
    center: np.ndarray
    reach: float | None = None

    @property
    def name(self) -> str:
        """The figure's name."""
        return self.figure.name

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return self.figure.n

    def frames(self, q: np.ndarray) -> np.ndarray:
        """Frames of the sites that have wishes, (wishes, 4, 4), by the NumPy forward kinematics of Pose."""
        pose = self.figure.pose(q)
        return np.array([pose.matrix(wish.site) for wish in self.wishes])

    def goals(self, targets: np.ndarray) -> list[mk.Goal]:
        """The goals for these target frames."""
        return [wish.goal(target) for wish, target in zip(self.wishes, targets, strict=True)]

    def with_targets(self, problem: mk.Problem, targets: np.ndarray) -> mk.Problem:
        """The same problem with these targets."""
        return problem.with_goals(tuple(self.goals(targets)))


@dataclass
class _Draft:
    """A tree of hinges being written down, each by its axis and origin in the world at zero."""

    name: str
    parents: list[int] = field(default_factory=list)
    axes: list[tuple[float, ...]] = field(default_factory=list)
    origins: list[np.ndarray] = field(default_factory=list)
    ranges: list[tuple[float, float]] = field(default_factory=list)
    sites: list[mk.Site] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)

    def add(self, parent: int, axis: tuple[float, ...], origin: Any, lower: float, upper: float) -> int:
        """One more hinge; returns its number."""
        self.parents.append(parent)
        self.axes.append(axis)
        self.origins.append(np.asarray(origin, float))
        self.ranges.append((lower, upper))
        return len(self.parents) - 1

    def wish(self, kind: str, joint: int, place: Any) -> None:
        """A site at this place of the world at zero, carried by the joint, with a goal."""
        site = f"site{len(self.sites)}"
        self.sites.append(mk.Site(site, f"part{joint}", np.asarray(place, float) - self.origins[joint]))
        self.wishes.append(Wish(kind, site))

    def body(self, reach: float | None = None) -> Body:
        """The finished figure."""
        joints = []
        for i, (parent, axis, origin, ends) in enumerate(
            zip(self.parents, self.axes, self.origins, self.ranges, strict=True)
        ):
            offset = origin if parent < 0 else origin - self.origins[parent]
            carrier = "ground" if parent < 0 else f"part{parent}"
            joints.append(
                mk.Joint.revolute(
                    f"joint{i}", carrier, f"part{i}", axis, placement=offset, lower=ends[0], upper=ends[1]
                )
            )
        segments = ["ground", *(f"part{i}" for i in range(len(joints)))]
        figure = mk.Figure(self.name, segments, joints, self.sites)
        assert figure.dofs == tuple(joint.name for joint in joints)
        return Body(figure, tuple(self.wishes), np.array([0.0, 0.0, self.origins[0][2]]), reach)


def _spine(
    draft: _Draft, vertebrae: int, height: float = 1.0, spacing: float = 0.1, limit: float = 0.25
) -> int:
    joint = -1
    for v in range(vertebrae):
        for axis in (X, Y, Z):
            joint = draft.add(joint, axis, (0, 0, height + v * spacing), -limit, limit)
    return joint


def _arm(draft: _Draft, joint: int, side: int, z: float, *, forearm: bool) -> int:
    """Clavicle, shoulder, elbow, wrist; ``forearm`` adds a turn before the wrist. Returns the hand's joint."""
    clavicle, shoulder = (0, side * 0.05, z), (0, side * 0.2, z)
    elbow, wrist = (0, side * 0.5, z), (0, side * 0.75, z)
    joint = draft.add(joint, Z, clavicle, -0.3, 0.3)
    joint = draft.add(joint, X, clavicle, -0.3, 0.4)
    for axis, lower, upper in ((X, -2.0, 1.5), (Y, -2.8, 1.0), (Z, -1.5, 1.5)):
        joint = draft.add(joint, axis, shoulder, lower, upper)
    joint = draft.add(joint, Z if side < 0 else MIRRORED_Z, elbow, -0.05, 2.5)
    if forearm:
        joint = draft.add(joint, Y, wrist, -1.5, 1.5)
    joint = draft.add(joint, X, wrist, -1.2, 1.2)
    return draft.add(joint, Z, wrist, -0.5, 0.5)


def arm7() -> Body:
    """A robot arm of 7 hinges with a pose goal."""
    draft = _Draft("arm7")
    heights = (0.24, 0.34, 0.64, 0.74, 1.04, 1.14, 1.166)
    joint = -1
    for height, axis, limit in zip(
        heights,
        (Z, Y, Z, MIRRORED_Y, Z, Y, Z),
        (2.96, 2.09, 2.96, 2.09, 2.96, 2.09, 3.05),
        strict=True,
    ):
        joint = draft.add(joint, axis, (0, 0, height), -limit, limit)
    draft.wish("placement", joint, (0, 0, 1.35))
    return draft.body()


def tree16() -> Body:
    """A trunk of 4 hinges and four legs of 3, with four position goals."""
    draft = _Draft("tree16")
    trunk = -1
    for k, axis in enumerate((X, Y, Z, Y)):
        trunk = draft.add(trunk, axis, (0, 0, 0.2 * k), -0.8, 0.8)
    tips = []
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        joint = draft.add(trunk, Z, (0.1 * x, 0.1 * y, 0.7), -1.2, 1.2)
        joint = draft.add(joint, Y, (0.1 * x, 0.1 * y, 0.7), -1.5, 1.5)
        joint = draft.add(joint, Y, (0.3 * x, 0.3 * y, 0.7), -2.0, 2.0)
        tips.append((joint, (0.5 * x, 0.5 * y, 0.7)))
    for joint, place in tips:
        draft.wish("position", joint, place)
    return draft.body()


def torso31() -> Body:
    """A spine of 15 hinges and two arms of 8, with two position goals."""
    draft = _Draft("torso31")
    top = _spine(draft, 5)
    left = _arm(draft, top, 1, 1.5, forearm=False)
    right = _arm(draft, top, -1, 1.5, forearm=False)
    draft.wish("position", left, (0, 0.85, 1.5))
    draft.wish("position", right, (0, -0.85, 1.5))
    return draft.body()


def _finger(draft: _Draft, hand: int, side: int, x: float, y: float) -> int:
    bends = ((-1.5, 0.3), (-1.7, 0.0), (-1.2, 0.0)) if side > 0 else ((-0.3, 1.5), (0.0, 1.7), (0.0, 1.2))
    joint = draft.add(hand, Z, (x, y, 1.5), -0.3, 0.3)
    for reach, (lower, upper) in zip((0.0, 0.04, 0.08), bends, strict=True):
        joint = draft.add(joint, X, (x, y + side * reach, 1.5), lower, upper)
    return joint


def _leg(draft: _Draft, side: int) -> int:
    y = side * 0.1
    joint = -1
    for axis, lower, upper in ((X, -0.6, 0.6), (Y, -2.0, 0.6), (Z, -0.7, 0.7)):
        joint = draft.add(joint, axis, (0, y, 0.95), lower, upper)
    joint = draft.add(joint, Y, (0, y, 0.5), 0.0, 2.4)
    joint = draft.add(joint, Y, (0, y, 0.08), -0.7, 0.7)
    joint = draft.add(joint, X, (0, y, 0.08), -0.4, 0.4)
    return draft.add(joint, Y, (0.15, y, 0.02), -0.5, 0.5)


def human120() -> Body:
    """A whole body: goals for ten fingertips, the head's direction, and a foot on a plane."""
    draft = _Draft("human120")
    top = _spine(draft, 14, 1.0, 0.035, 0.12)
    head = top
    for axis in (X, Y, Z):
        head = draft.add(head, axis, (0, 0, 1.55), -0.7, 0.7)
    draft.add(head, Y, (0.05, 0, 1.6), 0.0, 0.4)
    for y in (0.03, -0.03):
        draft.add(head, Z, (0.1, y, 1.7), -0.5, 0.5)
    tips = []
    for side in (1, -1):
        hand = _arm(draft, top, side, 1.5, forearm=True)
        for k in range(5):
            x, y = 0.04 * (k - 2), side * (0.84 if k else 0.79)
            tips.append((_finger(draft, hand, side, x, y), (x, y + side * 0.12, 1.5)))
    left, _right = _leg(draft, 1), _leg(draft, -1)
    for joint, place in tips:
        draft.wish("position", joint, place)
    draft.wish("direction", head, (0, 0, 1.7))
    draft.wish("plane", left, (0.2, 0.1, 0))
    return draft.body()


def chain(n: int) -> Body:
    """n hinges along a metre, their axes x, y, z in turn, with one position goal at the tip."""
    draft = _Draft(f"chain{n}")
    joint = -1
    for i in range(n):
        joint = draft.add(joint, (X, Y, Z)[i % 3], (0, 0, i / n), -1.5, 1.5)
    draft.wish("position", joint, (0, 0, 1.05))
    return draft.body(reach=1.05)


FIGURES: dict[str, Callable[[], Body]] = {
    "arm7": arm7,
    "tree16": tree16,
    "torso31": torso31,
    "human120": human120,
}
