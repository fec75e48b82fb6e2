"""Where a figure's parts should be, so that every bone points as the source's does, at the target's own lengths.

With s the ratio of the legs' lengths, the middle of the hips is s times the source's above the ground; hips and
shoulders lie across it as the source's do, as wide as the target's; thighs, shanks, arms and head follow, bone by bone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.figure import Figure, Shape
from manikin.retargeting.roles import Roles

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
    sole = _sole(figure, roles, at)
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


def _sole(figure: Figure, roles: Roles, at: dict[str, np.ndarray]) -> float:
    """The height of the soles at rest: of the lowest toe, or shape or site of a foot's segment."""
    heights = [float(p[0, 2]) for name, p in at.items() if name.endswith(("_toe", "_ankle"))]
    feet = {figure.site(roles[f"{side}_ankle"]).segment for side in ("left", "right")}
    near = [site for site in figure.sites.values() if site.segment in feet]
    if near:
        frames = figure.forward(figure.rest, [site.name for site in near])
        heights += frames[:, 2, 3].tolist()
    for name in feet:
        frame = figure.forward(figure.rest, name)[0]
        heights += [_lowest(shape, frame) for shape in figure.segments[name].shapes if shape.kind != "mesh"]
    return min(heights)


def _lowest(shape: Shape, segment: np.ndarray) -> float:
    """The lowest point of a shape on a segment at a frame; of round ends as if they were balls."""
    frame = segment @ shape.placement
    down, height, size = np.abs(frame[2, :3]), float(frame[2, 3]), np.asarray(shape.size, dtype=np.float64)
    if shape.kind == "box":
        return height - float(down @ (0.5 * size))
    if shape.kind == "sphere":
        return height - float(size[0])
    if shape.kind == "ellipsoid":
        return height - float(np.linalg.norm(down * size))
    if shape.kind == "tapered_capsule":
        return min(height - float(size[0]), height + float(frame[2, 2] * size[2] - size[1]))
    if shape.kind == "cylinder":
        return height - float(0.5 * size[1] * down[2] + size[0] * np.hypot(down[0], down[1]))
    return height - float(0.5 * size[1] * down[2] + size[0])


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
