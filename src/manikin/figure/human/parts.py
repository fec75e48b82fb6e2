"""Collects the parts of a figure in the coordinates of its rest pose.

At rest every segment's frame stands along the world's axes, its origin on the joint that holds it. Limbs are written
once, for the left; a Side takes points, axes and frames to the other side. The mirror image of a turn by θ about u is
the turn by θ about (−u_x, u_y, −u_z): the same angle means the same movement on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import radians
from typing import Any

import numpy as np

from manikin.figure import transforms
from manikin.figure.coupling import Coupling
from manikin.figure.human.stiffness import LIMBS
from manikin.figure.joint import Follow, Joint
from manikin.figure.segment import Segment, Shape, Site
from manikin.figure.swing import Ellipse

Point = Sequence[float] | np.ndarray
MIRROR = np.diag([1.0, -1.0, 1.0])
_POINT, _AXIS = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])


@dataclass(frozen=True)
class Side:
    """The left, as written, or the right, mirrored."""

    name: str

    @property
    def left(self) -> bool:
        """Whether nothing is mirrored."""
        return self.name == "left"

    def of(self, what: str) -> str:
        """``"elbow"`` → ``"left_elbow"``."""
        return f"{self.name}_{what}"

    def point(self, point: Point) -> np.ndarray:
        """A point or a direction."""
        array = np.asarray(point, dtype=float)
        return array if self.left else array * _POINT

    def axis(self, axis: Point) -> np.ndarray:
        """The axis of a turn."""
        array = np.asarray(axis, dtype=float)
        return array if self.left else array * _AXIS

    def frame(self, rotation: np.ndarray) -> np.ndarray:
        """A frame whose x and z axes mirror and whose y axis completes them."""
        return rotation if self.left else MIRROR @ rotation @ MIRROR


SIDES = (Side("left"), Side("right"))


@dataclass
class Axis:
    """One axis of a joint: direction at rest, range in degrees, its name, and the sentence that explains it.

    stiffness: by default the `stiffness` table's for the name.
    """

    direction: Any
    name: str
    range: tuple[float, float] | None = None
    text: str = ""
    follow: Follow | None = None
    stiffness: float | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """All but the direction, hashable."""
        follow = None if self.follow is None else (*self.follow.coefficients.items(), self.follow.offset)
        return self.name, self.range, self.text, follow, self.stiffness


# The joints of the humans built before, without their places; there are a few hundred.
_JOINTS: dict[tuple[Any, ...], Joint] = {}


@dataclass
class Parts:
    """What a figure is made of, so far. Points are in the world, at rest."""

    segments: dict[str, Segment] = field(default_factory=dict)
    origins: dict[str, np.ndarray] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)

    def segment(self, name: str, origin: Point, shapes: Sequence[Shape] = ()) -> None:
        """A segment with its shapes, which are given in the world and carried to its frame."""
        at = np.asarray(origin, dtype=float)
        self.origins[name] = at
        self.segments[name] = Segment(name, shapes=tuple(shape.moved(-at) for shape in shapes))

    def weigh(self, name: str, mass: float, center: Point, inertia: Any = None) -> None:
        """Gives a segment its mass, its centre of mass (in the world) and its moments about x, y and z."""
        at = np.asarray(center, dtype=float) - self.origins[name]
        moments = None if inertia is None else np.diag(inertia)
        self.segments[name] = Segment(name, mass, at, moments, self.segments[name].shapes)

    def joint(self, name: str, parent: str, child: str, *axes: Axis) -> None:
        """A product of turns about the child's origin. All but its place is the same for every size."""
        motion = "*".join(f"R({_text(axis.direction)})" for axis in axes) or "fixed"
        key = (name, parent, child, motion, *(axis.key for axis in axes))
        joint = _JOINTS.get(key)
        if joint is None:
            joint = _JOINTS[key] = Joint(name, parent, child, motion, **_columns(axes))
        self.joints.append(joint.placed(self.origins[child] - self.origins[parent]))

    def ball(self, name: str, parent: str, child: str, *axes: Axis, swing: Ellipse | None = None) -> None:
        """A ball joint: two swings and a twist, about three axes at right angles in right-handed order."""
        turn = np.column_stack([np.asarray(axis.direction, dtype=float) for axis in axes])
        place = transforms.rotation(turn)
        place[:3, 3] = self.origins[child] - self.origins[parent]
        self.joints.append(
            Joint(
                name,
                parent,
                child,
                "ball",
                place,
                transforms.rotation(turn),
                swing=swing,
                **_columns(axes),
            )
        )

    def site(self, name: str, segment: str, point: Point, frame: np.ndarray | None = None) -> None:
        """A site at a point in the world, along the world's axes or those of `frame`."""
        place = transforms.translation(np.asarray(point, dtype=float) - self.origins[segment])
        if frame is not None:
            place[:3, :3] = frame
        self.sites.append(Site(name, segment, place))


def _columns(axes: Sequence[Axis]) -> dict[str, Any]:
    ranges = [(None, None) if axis.range is None else tuple(map(radians, axis.range)) for axis in axes]
    return {
        "lower": [lower for lower, _ in ranges],
        "upper": [upper for _, upper in ranges],
        "dofs": [axis.name for axis in axes],
        "follow": [axis.follow for axis in axes],
        "stiffness": [_stiffness(axis) for axis in axes],
        "descriptions": [axis.text for axis in axes],
    }


def _stiffness(axis: Axis) -> float:
    if axis.stiffness is not None:
        return axis.stiffness
    return LIMBS.get(axis.name.removeprefix("left_").removeprefix("right_"), 1.0)


def _text(direction: Any) -> str:
    return ",".join(repr(float(entry)) for entry in direction)
