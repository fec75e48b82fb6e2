"""Where a rig's fingertips are: the point of each hand farthest from its wrist."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.figure.skin import Skin
from manikin.retargeting.person.skeleton import Skeleton

#: A segment, and a point of it at rest in the world.
Tip = tuple[str, np.ndarray]


def fingertip_of(bones: Skeleton, side: str, skins: Sequence[Skin]) -> Tip:
    """The vertex of the skins that a hand or its fingers carry most of, farthest from the wrist; without such skins the
    farthest origin of the hand's segments. The segment is the one that it moves with."""
    wrist = bones.at(f"{side}_wrist")
    own = [name for name in bones.figure.segments if bones.hangs_from(name, bones.bones[f"{side}_wrist"])]
    found: list[Tip] = [(name, bones.frames[name][:3, 3]) for name in own]
    for skin in skins:
        heaviest = skin.joints[np.arange(len(skin.joints)), skin.weights.argmax(axis=1)]
        vertices = np.flatnonzero(np.array([name in own for name in skin.segments])[heaviest])
        if len(vertices):
            points = skin.posed(bones.rest)[vertices]
            farthest = int(np.linalg.norm(points - wrist, axis=1).argmax())
            found.append((skin.segments[int(heaviest[vertices[farthest]])], points[farthest]))
    return max(found, key=lambda tip: float(np.linalg.norm(tip[1] - wrist)))
