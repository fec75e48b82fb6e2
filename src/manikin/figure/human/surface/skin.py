"""A body one can look at: one smooth skin over a human figure, made once, carried by its segments.

The flesh (`flesh`) melts together on a grid (`field`), marching cubes finds its surface, and every vertex follows the
segments that it lies on (`weights`). Hands, feet and head are made on finer grids; their surfaces run a little into
the body's, which is the same surface there. Eyes, brows and lips are pieces of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from manikin.errors import FigureError, MissingExtraError
from manikin.figure.figure import Figure
from manikin.figure.human.surface.field import Blob, Grid, cone, egg, smooth_minimum
from manikin.figure.human.surface.flesh import blobs
from manikin.figure.human.surface.weights import weigh
from manikin.figure.pose import Pose
from manikin.figure.skin import Skin

#: Degrees: arms and legs apart, fingers spread, for the skin to be made in.
BIND = {
    "shoulder_abduction": 50.0,
    "hip_abduction": 14.0,
    "index_mcp_spread": 7.0,
    "ring_mcp_spread": 7.0,
    "little_mcp_spread": 14.0,
    "thumb_cmc_abduction": 12.0,
}
#: Metres between grid points at 1.75 m of stature: body, head, feet, hands.
SPACING = {"body": 0.0085, "head": 0.0042, "foot": 0.0050, "hand": 0.0030}
SKIN, LIPS, BROWS, WHITE, IRIS = (
    (0.820, 0.640, 0.520),
    (0.690, 0.400, 0.370),
    (0.250, 0.180, 0.140),
    (0.950, 0.945, 0.930),
    (0.160, 0.120, 0.100),
)
# How far the pieces run into each other, metres.
_OVERLAP = 0.012
# Metres: the radius of an eye of a grown person of 1.75 m, that of the manikin's own (`head.add_eyes`).
_EYE = 0.0112


@dataclass(frozen=True)
class _Patch:
    """A piece of the surface: its box, and the half-spaces (point, normal out) that end it."""

    low: np.ndarray
    high: np.ndarray
    spacing: float
    ends: tuple[tuple[np.ndarray, np.ndarray], ...]


def human_skins(figure: Figure) -> tuple[Skin, ...]:
    """The skins of a figure made by `human`: body, brows, lips and eyes, to draw or to export; made once a figure.

    It needs scikit-image, of the extra ``pictures``.
    """
    known = known_skins(figure)
    if not known:
        known = figure.__dict__["_human_skins"] = _make(figure)
    return known


def known_skins(figure: Figure) -> tuple[Skin, ...]:
    """Those that were made already; none where they were not."""
    return figure.__dict__.get("_human_skins", ())


def not_skin(figure: Figure) -> list[str]:
    """The segments that are no part of a person, such as what is held: they keep their own shapes."""
    own = _own_segments()
    return [name for name in figure.segments if name not in own]


@lru_cache(maxsize=1)
def _own_segments() -> frozenset[str]:
    from manikin.figure.human import human

    return frozenset(human().segments)


def _make(figure: Figure) -> tuple[Skin, ...]:
    if "left_thigh" not in figure.segments or "t3" not in figure.segments or "vertex" not in figure.sites:
        raise FigureError(f"figure {figure.name!r}: skins are for figures made by human()")
    pose = bind_pose(figure)
    flesh = blobs(figure, pose)
    scale = float(figure.pose().position("vertex")[2] - figure.pose().position("left_heel")[2]) / 1.75
    pieces = [_surface(flesh, patch) for patch in _patches(flesh, pose, scale)]
    vertices, triangles = _joined(pieces)
    segments, joints, weights = weigh(figure, pose, flesh, vertices, triangles, scale)
    frames = pose.matrices()
    bind = np.linalg.inv(np.array([frames[name] for name in segments]))
    skins = [Skin("body", vertices, triangles, segments, bind, joints, weights, SKIN)]
    skins += _features(flesh["head"], pose, _face_scale(figure))
    return tuple(skins)


def bind_pose(figure: Figure) -> Pose:
    """The pose that the skin is made in, on the figure's own root."""
    values = {}
    for side in ("left", "right"):
        for name, angle in BIND.items():
            if f"{side}_{name}" in figure.dofs:
                values[f"{side}_{name}"] = np.radians(angle)
    return figure.pose(values)


def _patches(flesh: Mapping[str, Sequence[Blob]], pose: Pose, scale: float) -> list[_Patch]:
    every = [blob.bounds() for own in flesh.values() for blob in own]
    margin = 0.03 * scale
    low = np.min([low for low, _ in every], axis=0) - margin
    high = np.max([high for _, high in every], axis=0) + margin
    overlap = _OVERLAP * scale
    ends, patches = [], []
    jaw = pose.position("head") - 0.045 * scale * pose.matrix("head")[:3, 2]
    cuts = [("head", jaw, pose.matrix("head")[:3, 2], ["head", *(f"c{k}" for k in range(1, 8))], "head")]
    for side in ("left", "right"):
        wrist, hand = pose.matrix(f"{side}_wrist"), pose.matrix(f"{side}_hand")
        own = [name for name in flesh if name.startswith(f"{side}_") and _of_hand(name)]
        cuts.append(("hand", wrist[:3, 3], hand[:3, 0], [*own, f"{side}_radius"], "hand"))
        ankle = pose.position(f"{side}_ankle") + 0.01 * scale * np.array([0.0, 0.0, 1.0])
        cuts.append(
            (
                "foot",
                ankle,
                np.array([0.0, 0.0, -1.0]),
                [f"{side}_foot", f"{side}_toes", f"{side}_shank"],
                "foot",
            )
        )
    for _, point, away, own, kind in cuts:
        ends.append((point + overlap * away, away))
        mine = [blob.bounds() for name in own for blob in flesh.get(name, ())]
        first = np.min([a for a, _ in mine], axis=0) - margin
        last = np.max([b for _, b in mine], axis=0) + margin
        # The box is cut where the piece ends, as far as an axis of the grid allows.
        axis = int(np.argmax(np.abs(away)))
        if abs(away[axis]) > 0.7:
            if away[axis] > 0.0:
                first[axis] = max(first[axis], point[axis] - 0.06 * scale)
            else:
                last[axis] = min(last[axis], point[axis] + 0.06 * scale)
        patches.append(_Patch(first, last, SPACING[kind] * scale, ((point - overlap * away, -away),)))
    return [_Patch(low, high, SPACING["body"] * scale, tuple(ends)), *patches]


def _of_hand(name: str) -> bool:
    return name.split("_")[1] in ("hand", "thumb", "index", "middle", "ring", "little")


def _surface(flesh: Mapping[str, Sequence[Blob]], patch: _Patch) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of the flesh's surface in a patch, open where it ends."""
    grid = Grid.around(patch.low, patch.high, patch.spacing)
    for own in flesh.values():
        for blob in own:
            grid.add(blob)
    try:
        from skimage.measure import marching_cubes
    except ImportError:
        raise MissingExtraError(
            "a skin needs the package 'scikit-image': pip install 'manikin[pictures]'"
        ) from None
    vertices, faces, _, _ = marching_cubes(grid.values, 0.0, spacing=(grid.spacing,) * 3)
    vertices = vertices.astype(float) + grid.origin
    # Triangles with their corners to the left of the outside.
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    if np.einsum("ij,ij->", a - vertices.mean(axis=0), np.cross(b - a, c - a)) < 0.0:
        faces = faces[:, ::-1]
    keep = np.ones(len(vertices), bool)
    for point, normal in patch.ends:
        if len(patch.ends) > 1:
            # The body ends at a hand only where the hand is, not all along the plane of its wrist.
            near = np.linalg.norm(vertices - point, axis=1) < 50.0 * patch.spacing
            keep &= ~(near & ((vertices - point) @ normal > 0.0))
        else:
            keep &= (vertices - point) @ normal < 0.0
    return _kept(vertices, faces, keep)


def _kept(vertices: np.ndarray, faces: np.ndarray, keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The triangles all of whose corners are kept."""
    faces = faces[keep[faces].all(axis=1)]
    used = np.unique(faces)
    place = np.full(len(vertices), -1)
    place[used] = np.arange(len(used))
    return vertices[used], place[faces]


def _joined(pieces: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in pieces)])
    return (
        np.concatenate([vertices for vertices, _ in pieces]),
        np.concatenate([faces + start for (_, faces), start in zip(pieces, starts, strict=False)]),
    )


def _face_scale(figure: Figure) -> float:
    """How large the head is against that of a grown person of 1.75 m; a child's is larger than its stature says.

    Read off the manikin's own eyes, which grow with the head.
    """
    return float(figure.segments["left_eye"].shapes[0].size[0]) / _EYE


def _features(flesh: Sequence[Blob], pose: Pose, scale: float) -> list[Skin]:
    """Eyes that turn with the gaze, brows and lips: small closed surfaces on the head."""
    head = pose.matrix("head")
    frames = pose.matrices()
    found = []

    def piece(name: str, shapes: list[Blob], segment: str, color: Any) -> None:
        low = np.min([b.bounds()[0] for b in shapes], axis=0) - 0.004 * scale
        high = np.max([b.bounds()[1] for b in shapes], axis=0) + 0.004 * scale
        step = 0.0011 * scale
        patch = _Patch(low, high, step, ())
        vertices, triangles = _surface({segment: shapes}, patch)
        bind = np.linalg.inv(frames[segment])[None]
        ones = np.ones((len(vertices), 1))
        found.append(
            Skin(name, vertices, triangles, [segment], bind, np.zeros((len(vertices), 1), int), ones, color)
        )

    x, y, z = head[:3, :3].T
    eyes = {side: frames[f"{side}_eye"][:3, 3] for side in ("left", "right")}
    middle = 0.5 * (eyes["left"] + eyes["right"])
    mouth = middle - 0.066 * scale * z
    front = _front(flesh, mouth, x)
    turn = head[:3, :3].T
    lips = [
        egg(
            front + 0.0030 * scale * z - 0.002 * scale * x,
            np.array([0.0045, 0.024, 0.0032]) * scale,
            0.001,
            turn,
        ),
        egg(
            front - 0.0036 * scale * z - 0.002 * scale * x,
            np.array([0.0050, 0.020, 0.0042]) * scale,
            0.001,
            turn,
        ),
    ]
    piece("lips", lips, "head", LIPS)
    brows = []
    arch = np.array([[0.015, 0.0165], [0.028, 0.0200], [0.040, 0.0160]]) * scale
    for sign in (1.0, -1.0):
        points = [_front(flesh, middle + up * z + sign * across * y, x) for across, up in arch]
        brows += [cone(a, b, 0.0024 * scale, 0.0020 * scale, 0.002) for a, b in pairwise(points)]
    piece("brows", brows, "head", BROWS)
    for side in ("left", "right"):
        frame = frames[f"{side}_eye"]
        center, ahead = frame[:3, 3], frame[:3, 0]
        piece(f"{side} eye", [egg(center, np.full(3, _EYE * scale), 0.0)], f"{side}_eye", WHITE)
        piece(
            f"{side} iris",
            [
                egg(
                    center + 0.0079 * scale * ahead,
                    np.array([0.0038, 0.0056, 0.0056]) * scale,
                    0.0,
                    frame[:3, :3].T,
                )
            ],
            f"{side}_eye",
            IRIS,
        )
    return found


def _front(own: Sequence[Blob], point: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """Where a line ahead through a point of the head leaves its flesh."""
    t = np.linspace(-0.15, 0.15, 1201)
    points = point + t[:, None] * ahead
    value = np.full(len(t), 1.0)
    for blob in own:
        value = smooth_minimum(value, blob.distance(points), blob.width)
    inside = np.flatnonzero(value < 0.0)
    return points[inside[-1]] if len(inside) else point
