"""A rig as a tree of segments hung from its hips, with the roles of its bones and where everything is at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure, Pose
from manikin.retargeting.roles import guess, needed

#: Roles along each limb, from the trunk outwards.
LIMBS = (("hip", "knee", "ankle", "toe"), ("shoulder", "elbow", "wrist"))
SIDES = ("left", "right")
#: Of a bone that is shorter than this share of the legs nobody can say where it points.
SHORT = 0.02
#: Of its length: how far a leg that stands comes down at least.
STANDING = 0.5


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The tree.

    bones, sites: the segment and the site of each role. parents: of every segment but the root. rest: a pose in which
    it stands upright. frames: of every segment there, in the world. body: axes of the body there, columns forward,
    left, up. middle: midway between the hips.
    """

    figure: Figure
    bones: Mapping[str, str]
    sites: Mapping[str, str]
    root: str
    parents: Mapping[str, str]
    rest: Pose
    frames: Mapping[str, np.ndarray]
    body: np.ndarray
    middle: np.ndarray

    def at(self, role: str) -> np.ndarray:
        """Where a role is at rest."""
        return np.asarray(self.rest.position(self.sites[role]))

    def path(self, segment: str, above: str) -> list[str]:
        """The segments from below `above` down to this one."""
        found = [segment]
        while self.parents.get(found[-1], above) != above:
            found.append(self.parents[found[-1]])
        return found[::-1]

    def hangs_from(self, segment: str, above: str) -> bool:
        """Whether one segment is the other or below it."""
        while segment != above:
            if segment not in self.parents:
                return False
            segment = self.parents[segment]
        return True

    @property
    def lying(self) -> bool:
        """Whether its legs do not stand at rest."""
        return any(self.at(f"{s}_hip")[2] - self.at(f"{s}_ankle")[2] < STANDING * self.legs for s in SIDES)

    @property
    def legs(self) -> float:
        """Thigh and shank together, metres."""
        return float(
            np.mean(
                [
                    np.linalg.norm(self.at(f"{s}_knee") - self.at(f"{s}_hip"))
                    + np.linalg.norm(self.at(f"{s}_ankle") - self.at(f"{s}_knee"))
                    for s in SIDES
                ]
            )
        )


def skeleton(
    figure: Figure, given: Mapping[str, str] | None = None, rest: np.ndarray | None = None
) -> Skeleton:
    """The skeleton of a figure, by its roles; what is no person is refused.

    rest: values at which it stands upright, by default at rest.
    """
    roles = guess(figure, given)
    needed(roles)
    pose = figure.pose() if rest is None else Pose(figure, rest)
    bones = {role: _bone(figure, pose, roles[role]) for role in roles.sites}
    for side in SIDES:
        own = [bones[f"{side}_{part}"] for part in ("hip", "knee", "ankle")]
        if len(set(own)) < len(own):
            raise FigureError(
                f"figure {figure.name!r}: {side} hip, knee and ankle are not three segments but {', '.join(own)}"
            )
    frames = {name: np.asarray(frame) for name, frame in pose.matrices().items()}
    root = bones["pelvis"]
    parents = _hung(figure, root)
    _rehang(parents, bones)
    found = Skeleton(figure, bones, roles.sites, root, parents, pose, frames, np.eye(3), np.zeros(3))
    if found.legs > 0.0 and found.lying:
        raise FigureError(
            f"figure {figure.name!r}: it does not stand upright at rest: its knees are not above its ankles"
        )
    middle = 0.5 * (found.at("left_hip") + found.at("right_hip"))
    if found.legs <= 0.0:
        raise FigureError(f"figure {figure.name!r}: its legs have no length at rest")
    return Skeleton(figure, bones, roles.sites, root, parents, pose, frames, _body(found), middle)


def _bone(figure: Figure, pose: Pose, site: str) -> str:
    """The segment that begins at a site: its own, or one that hangs from it there."""
    own, place, frames = figure.site(site).segment, pose.position(site), pose.matrices()
    near = {
        name: float(np.linalg.norm(frames[name][:3, 3] - place))
        for name in (own, *(joint.child for joint in figure.joints.values() if joint.parent == own))
    }
    size = float(np.ptp([frame[:3, 3] for frame in frames.values()], axis=0).max())
    nearest = min(near, key=lambda name: near[name])
    return nearest if near[own] > SHORT * size > near[nearest] else own


def _hung(figure: Figure, root: str) -> dict[str, str]:
    """The parent of each segment when the figure hangs from this one."""
    beside: dict[str, list[str]] = {}
    for joint in figure.joints.values():
        if joint.parent != "world":
            beside.setdefault(joint.parent, []).append(joint.child)
            beside.setdefault(joint.child, []).append(joint.parent)
    parents: dict[str, str] = {}
    order = [root]
    for name in order:  # it grows as it is walked
        for other in beside.get(name, ()):
            if other != root and other not in parents:
                parents[other] = name
                order.append(other)
    return parents


def _rehang(parents: dict[str, str], bones: Mapping[str, str]) -> None:
    """Bones that are steered from elsewhere, as feet that hang from a rig's root, hang from the bone before them."""
    for side in SIDES:
        for limb in LIMBS:
            known = [bones[f"{side}_{part}"] for part in limb if f"{side}_{part}" in bones]
            for above, below in pairwise(known):
                way = below
                while way != above and way in parents:
                    way = parents[way]
                if way != above:
                    parents[below] = above


def _body(found: Skeleton) -> np.ndarray:
    """Forward, left, up: left from hip to hip, up as the world's."""
    across = (found.at("left_hip") - found.at("right_hip")) * (1.0, 1.0, 0.0)
    wide = float(np.linalg.norm(across))
    left = across / wide if wide > SHORT * found.legs else np.array([0.0, 1.0, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    return np.column_stack([np.cross(left, up), left, up])
