"""How each bone is turned when a person stands upright, arms hanging: the zero of all angles.

Bones of arms and legs are turned on the shortest way from where they point at rest to straight down, each after the
bone that carries it. Spread arms whose palms face down so come to hang with the palms to the body, as the human
figure's do. Trunk, feet and all else stay as they are at rest.
"""

from __future__ import annotations

import numpy as np

from manikin.retargeting.person.skeleton import SHORT, SIDES, Skeleton

#: A hand that is bent farther than this at rest does not tell by its fingers where it points, cosine.
BENT = 0.5
_DOWN = np.array([0.0, 0.0, -1.0])


def neutral(bones: Skeleton) -> dict[str, np.ndarray]:
    """The rotation of every segment in the body's axes, (3, 3), where all angles are zero."""
    turns: dict[str, np.ndarray] = {bones.root: np.eye(3)}
    own = _turned(bones)
    for name in bones.parents:  # parents come first
        _turn(bones, name, own, turns)
    return {name: bones.body.T @ turns[name] @ bones.frames[name][:3, :3] for name in turns}


def _turn(
    bones: Skeleton, name: str, own: dict[str, np.ndarray | None], turns: dict[str, np.ndarray]
) -> np.ndarray:
    """The turn of a segment from rest to neutral, in the world."""
    if name not in turns:
        above = _turn(bones, bones.parents[name], own, turns)
        if name not in own:
            turns[name] = above
        else:
            way = own[name]
            turns[name] = np.eye(3) if way is None else shortest(above @ way, _DOWN) @ above
    return turns[name]


def _turned(bones: Skeleton) -> dict[str, np.ndarray | None]:
    """Where limbs' bones point at rest; None for those that stay as they are."""
    found: dict[str, np.ndarray | None] = {}
    for side in SIDES:
        for start, end in (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist")):
            one, two = f"{side}_{start}", f"{side}_{end}"
            if one in bones.bones and two in bones.bones:
                way = bones.at(two) - bones.at(one)
                if np.linalg.norm(way) > SHORT * bones.legs:
                    found[bones.bones[one]] = way
        found[bones.bones[f"{side}_ankle"]] = None
        way = _fingers(bones, side)
        if way is not None:
            found[bones.bones[f"{side}_wrist"]] = way
    return found


def _fingers(bones: Skeleton, side: str) -> np.ndarray | None:
    """From the wrist to where its fingers begin, in the middle; None where it has none or is bent."""
    if f"{side}_wrist" not in bones.bones or f"{side}_elbow" not in bones.bones:
        return None
    hand = bones.bones[f"{side}_wrist"]
    wrist = bones.at(f"{side}_wrist")
    roots = [
        bones.frames[name][:3, 3]
        for name, above in bones.parents.items()
        if above == hand and "thumb" not in name.lower()
    ]
    way = np.mean(roots, axis=0) - wrist if roots else np.zeros(3)
    length, fore = np.linalg.norm(way), wrist - bones.at(f"{side}_elbow")
    if length < SHORT * bones.legs or way @ fore < BENT * length * np.linalg.norm(fore):
        return None
    return np.asarray(way)


def shortest(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The rotation by the least angle that turns one direction to another; about the x axis where they are opposite."""
    a, b = one / np.linalg.norm(one), other / np.linalg.norm(other)
    v, c = np.cross(a, b), float(a @ b)
    if c < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    w = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + w + w @ w / (1.0 + c)
