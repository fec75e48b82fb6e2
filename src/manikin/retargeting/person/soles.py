"""Where a rig's soles are: corners under each foot, from its skin, its shapes, or else from its ankle and toe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure, Pose
from manikin.figure.skin import Skin
from manikin.figure.sole import sole
from manikin.retargeting.person.skeleton import Skeleton

#: Of the legs' length: how far above the lowest point others are of the sole; and a foot that nothing shows the form
#: of, beyond its ankle and toe, and half its width.
THICK = 0.02
BEHIND, BEFORE, HALF, TALL = 0.07, 0.20, 0.05, 0.09


@dataclass(frozen=True)
class Sole:
    """Under one foot at rest, in the world: heel and toe, the way to the left, half its width."""

    heel: np.ndarray
    toe: np.ndarray
    left: np.ndarray
    half: float

    @property
    def middle(self) -> np.ndarray:
        """Midway between heel and toe."""
        return np.asarray(0.5 * (self.heel + self.toe))

    @property
    def corners(self) -> list[np.ndarray]:
        """At the heel, then at the toe."""
        across = self.half * self.left
        return [self.heel + across, self.heel - across, self.toe + across, self.toe - across]


def sole_of(bones: Skeleton, side: str, skins: Sequence[Skin]) -> Sole:
    """The sole of one foot."""
    foot = _foot(bones, side)
    points = _points(bones, foot, skins)
    ankle = bones.at(f"{side}_ankle")
    forward = _forward(bones, side)
    left = np.cross([0.0, 0.0, 1.0], forward)
    if len(points) < 3:
        toe = (
            bones.at(f"{side}_toe") if f"{side}_toe" in bones.bones else ankle + BEFORE * bones.legs * forward
        )
        low = (
            min(float(toe[2]), float(ankle[2]) - TALL * bones.legs)
            if len(points) == 0
            else float(points[:, 2].min())
        )
        along = max(float((toe - ankle) @ forward), 0.5 * BEFORE * bones.legs)
        heel = np.array([*(ankle - BEHIND * bones.legs * forward)[:2], low])
        return Sole(heel, np.array([*(ankle + along * forward)[:2], low]), left, HALF * bones.legs)
    low = float(points[:, 2].min())
    under = points[points[:, 2] <= low + THICK * bones.legs]
    along, across = (under - ankle) @ forward, (under - ankle) @ left
    middle = 0.5 * (across.min() + across.max())
    base = np.array([*(ankle + middle * left)[:2], low])
    half = max(0.5 * float(np.ptp(across)), 0.01 * bones.legs)
    return Sole(base + along.min() * forward, base + along.max() * forward, left, half)


def _foot(bones: Skeleton, side: str) -> list[str]:
    """The segments of a foot: the ankle's and all below."""
    ankle = bones.bones[f"{side}_ankle"]
    return [name for name in bones.figure.segments if bones.hangs_from(name, ankle)]


def _points(bones: Skeleton, foot: list[str], skins: Sequence[Skin]) -> np.ndarray:
    """Points of a foot at rest, in the world: of skins those that it carries most of, of shapes their undersides."""
    found = [np.zeros((0, 3))]
    rest = bones.rest
    for skin in skins:
        carried = np.array([name in foot for name in skin.segments])
        own = (skin.weights * carried[skin.joints]).sum(axis=1) > 0.5
        if own.any():
            found.append(skin.posed(rest)[own])
    if len(np.concatenate(found)) == 0:
        found += [_of_shapes(bones.figure, rest, name) for name in foot if bones.figure.segments[name].shapes]
    return np.concatenate(found)


def _of_shapes(figure: Figure, rest: Pose, name: str) -> np.ndarray:
    try:
        corners = np.array([corner for _, corner in sole(figure, name, "person")])
    except GoalError:
        return np.zeros((0, 3))
    frame = rest.matrices()[name]
    return np.asarray(corners @ frame[:3, :3].T + frame[:3, 3])


def _forward(bones: Skeleton, side: str) -> np.ndarray:
    """Which way the foot points at rest, level: to its toe, or as the body does."""
    body = bones.body[:, 0]
    if f"{side}_toe" not in bones.bones:
        return body
    way = (bones.at(f"{side}_toe") - bones.at(f"{side}_ankle")) * (1.0, 1.0, 0.0)
    length = float(np.linalg.norm(way))
    return way / length if length > 0.05 * bones.legs and way @ body > 0.5 * length else body
