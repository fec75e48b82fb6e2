"""What the parts of a rig weigh: a mean man's shares, a body of its stature."""

from __future__ import annotations

import numpy as np

from manikin.figure import Segment
from manikin.figure.human.masses import LIMBS, TRUNK
from manikin.figure.human.natural import LEG_LENGTH
from manikin.retargeting.person.skeleton import SIDES, Skeleton

#: Kilograms of a body over its stature squared.
BODY = 22.5
#: How far beyond the wrist and the head's joint their masses are, of the legs' length; feet are weighed at the ankle's
#: foremost part.
HAND, HEAD, FOOT = 0.06, 0.13, 0.5


def weighed(bones: Skeleton) -> dict[str, Segment]:
    """The figure's segments with masses; those of a figure that has masses stay as they are."""
    segments = dict(bones.figure.segments)
    if any(segment.mass > 0.0 for segment in segments.values()):
        return segments
    whole = BODY * (bones.legs / LEG_LENGTH) ** 2
    parts = _parts(bones)
    total = sum(share for _, share, _ in parts)
    for name, share, place in parts:
        frame, old = bones.frames[name], segments[name]
        mass = whole * share / total
        at = frame[:3, :3].T @ (place - frame[:3, 3])
        together = old.mass + mass
        center = (old.mass * np.asarray(old.center_of_mass) + mass * at) / together
        segments[name] = Segment(name, together, center, None, old.shapes)
    return segments


def _parts(bones: Skeleton) -> list[tuple[str, float, np.ndarray]]:
    """Segment, share of the mass, and where it is at rest in the world."""
    shares = LIMBS["male"]
    known = bones.bones
    found = []

    def between(one: str, two: str, name: str) -> None:
        start, end = bones.at(one), bones.at(two)
        found.append((known[one], shares[name].mass, start + shares[name].center * (end - start)))

    for s in SIDES:
        between(f"{s}_hip", f"{s}_knee", "thigh")
        between(f"{s}_knee", f"{s}_ankle", "shank")
        ankle = bones.at(f"{s}_ankle")
        toe = bones.at(f"{s}_toe") if f"{s}_toe" in known else ankle + 0.25 * bones.legs * bones.body[:, 0]
        found.append((known[f"{s}_ankle"], shares["foot"].mass, ankle + FOOT * (toe - ankle)))
        if all(f"{s}_{part}" in known for part in ("shoulder", "elbow", "wrist")):
            between(f"{s}_shoulder", f"{s}_elbow", "upper_arm")
            between(f"{s}_elbow", f"{s}_wrist", "forearm")
            wrist, way = bones.at(f"{s}_wrist"), bones.at(f"{s}_wrist") - bones.at(f"{s}_elbow")
            beyond = wrist + HAND * bones.legs * way / max(float(np.linalg.norm(way)), 1e-12)
            found.append((known[f"{s}_wrist"], shares["hand"].mass, beyond))
    top = _top(bones)
    up = np.array([0.0, 0.0, 1.0])
    if "head" in known:
        found.append((known["head"], shares["head"].mass, bones.at("head") + HEAD * bones.legs * up))
    upper, middle, lower = (mass for mass, _, _ in TRUNK["male"])
    chest = known.get("chest", bones.root)
    way = top - bones.middle
    found.append((bones.root, lower, bones.middle + 0.15 * way))
    found.append((chest, middle, bones.middle + 0.45 * way))
    found.append((chest, upper, bones.middle + 0.8 * way))
    return found


def _top(bones: Skeleton) -> np.ndarray:
    """Midway between the shoulders, or the chest's joint, or a trunk's length above the hips."""
    own = [bones.at(f"{s}_shoulder") for s in SIDES if f"{s}_shoulder" in bones.bones]
    if len(own) == 2:
        return np.asarray(np.mean(own, axis=0))
    return np.asarray(bones.middle + 0.55 * bones.legs * np.array([0.0, 0.0, 1.0]))
