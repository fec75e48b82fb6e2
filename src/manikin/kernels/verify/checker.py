"""What the verifier knows of a kind of residuals: a file of `kinds`, sharing no code with those that searches use."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: One thing that is checked, as kernels see it: arrays R and W of `layout`; w and begun, where the frames of the pose
#: and of the start begin in W; hull, where there is room for points; the centre of mass; the coordinates q; its motion
#: a, base motion b and parameters from o on; whether it means the start; its ranges, R from low and high on; how many.
Atom = namedtuple("Atom", "R W w begun hull center q a b o follows low high count")

#: What the parameters begin with: the frames of the site or segment and of its base; the number of points and, of each,
#: its motion and place (4); nothing.
FRAMES, POINTS, NOTHING = range(3)


@dataclass(frozen=True, eq=False)
class Checker:
    """How far a pose is from what some rows ask, in metres or radians, by the definition of their kind.

    miss: kernel (c), c an `Atom`. numbers: the kind's own parameters, from the block. begins: what these stand behind.
    segment: whether the block names a segment, with shapes, in place of a site. weighs: whether the centre of mass is
    read. targets: where a target of the call lies among the kind's own numbers, and how far from there each further
    axis of it.
    """

    miss: Any
    numbers: Callable[[Any], Any]
    begins: int = FRAMES
    segment: bool = False
    weighs: bool = False
    targets: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class NotChecked:
    """A kind whose rows are not checked, and why."""

    reason: str
