"""Where a figure's parts should be, so that every bone points as the source's does, at the target's own lengths.

With s the ratio of the legs' lengths, the middle of the hips is s times the source's above the ground; hips and
shoulders lie across it as the source's do, as wide as the target's; thighs, shanks, arms and head follow, bone by bone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.figure import Figure
from manikin.retargeting.roles import Roles
from manikin.retargeting.soles import lowest

_LIMBS = (
    ("hip", "knee"),
    ("knee", "ankle"),
    ("ankle", "toe"),
    ("shoulder", "elbow"),
    ("elbow", "wrist"),
)


def unit(v: np.ndarray) -> np.ndarray:
    """Unit vectors (…, 3)."""
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


@dataclass(frozen=True, eq=False)
class Sizes:
    """Lengths of a figure at rest, metres: bones by role, hips' and shoulders' width, hips to shoulders, shoulders to
    head, and how high an ankle and a toe are above the sole when it stands."""

    bones: dict[str, float]
    hips: float
    shoulders: float
    trunk: float
    neck: float
    leg: float
    ankle: float
    toe: float


def points(figure: Figure, q: np.ndarray, roles: Roles) -> dict[str, np.ndarray]:
    """The positions of roles, (T, 3) each."""
    names = list(roles.sites)
    frames = figure.forward(np.atleast_2d(q), [roles[name] for name in names])
    return {name: frames[:, k, :3, 3] for k, name in enumerate(names)}


def sizes(figure: Figure, roles: Roles, q: np.ndarray | None = None) -> Sizes:
    """The lengths of a figure, at rest or at values q."""
    at = points(figure, figure.rest if q is None else q, roles)

    def apart(one: str, two: str) -> float:
        return float(np.linalg.norm(at[one][0] - at[two][0])) if one in at and two in at else 0.0

    bones = {}
    for side in ("left", "right"):
        for start, end in _LIMBS:
            if f"{side}_{start}" in at and f"{side}_{end}" in at:
                bones[f"{side}_{end}"] = apart(f"{side}_{start}", f"{side}_{end}")
    hips, shoulders = _middle(at, "hip"), _middle(at, "shoulder")
    leg = 0.5 * sum(bones[f"{side}_{part}"] for side in ("left", "right") for part in ("knee", "ankle"))
    trunk = (
        float(np.linalg.norm(shoulders[0] - hips[0])) if shoulders is not None and hips is not None else 0.0
    )
    neck = (
        float(np.linalg.norm(at["head"][0] - shoulders[0])) if "head" in at and shoulders is not None else 0.0
    )
    rest = figure.rest[None] if q is None else np.atleast_2d(q)
    sole = min(float(lowest(figure, roles, side, rest)[0]) for side in ("left", "right"))
    ankle = float(np.mean([at[f"{side}_ankle"][0, 2] for side in ("left", "right")])) - sole
    toes = [at[f"{side}_toe"][0, 2] - sole for side in ("left", "right") if f"{side}_toe" in at]
    return Sizes(
        bones,
        apart("left_hip", "right_hip"),
        apart("left_shoulder", "right_shoulder"),
        trunk,
        neck,
        leg,
        ankle,
        float(np.mean(toes)) if toes else 0.0,
    )


def _middle(at: dict[str, np.ndarray], part: str) -> np.ndarray | None:
    if f"left_{part}" not in at or f"right_{part}" not in at:
        return None
    return 0.5 * (at[f"left_{part}"] + at[f"right_{part}"])


def wanted(source: dict[str, np.ndarray], own: Sizes, scale: float, ground: float) -> dict[str, np.ndarray]:
    """The positions of the target's roles, (T, 3) each, for the source's, whose ground is at a height."""
    found: dict[str, np.ndarray] = {}
    hips = _middle(source, "hip")
    assert hips is not None
    middle = scale * (hips - np.array([0.0, 0.0, ground]))
    across = unit(source["left_hip"] - source["right_hip"])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        found[f"{side}_hip"] = middle + 0.5 * sign * own.hips * across
    shoulders = _middle(source, "shoulder")
    if shoulders is not None and own.trunk > 0.0:
        top = middle + own.trunk * unit(shoulders - hips)
        over = unit(source["left_shoulder"] - source["right_shoulder"])
        for side, sign in (("left", 1.0), ("right", -1.0)):
            found[f"{side}_shoulder"] = top + 0.5 * sign * own.shoulders * over
        if "head" in source and own.neck > 0.0:
            found["head"] = top + own.neck * unit(source["head"] - shoulders)
    for side in ("left", "right"):
        for start, end in _LIMBS:
            one, two = f"{side}_{start}", f"{side}_{end}"
            if one in found and two in source and one in source and two in own.bones:
                found[two] = found[one] + own.bones[two] * unit(source[two] - source[one])
    return found
