"""Where parts' sites and segments are, and the parameters of each, targets in the frames of their bases."""

from __future__ import annotations

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure
from manikin.figure.checks import near
from manikin.figure.transforms import unpack
from manikin.plan.frames import (
    capsule_cones,
    enclosing_ball,
    moved_capsules,
    moved_primitives,
    region_ball,
)
from manikin.plan.packing import _site_frame
from manikin.residuals.block import Block

#: Kinds of parts: of a site's frame, of the shapes of segments.
POSE = ("coordinates", "turn", "rotation", "aim", "axes", "point", "affine", "ring")
SHAPES = ("clear", "apart", "egg")

#: A motion of the figure, −1 for the world, and a placement in its frame.
Frame = tuple[int, np.ndarray]
_WORLD = np.eye(4)


def frame_of(figure: Figure, name: str, *, segment: bool = False) -> Frame:
    """The motion that carries a site or segment, and its placement there; −1 for the world, also for ""."""
    if not name:
        return -1, _WORLD
    if segment:
        return segment_frame(figure, name)
    kept: dict[str, Frame] = figure.__dict__.setdefault("_site_frames", {})
    if name not in kept:
        kept[name] = _site_frame(figure, name)
    return kept[name]


def segment_frame(figure: Figure, name: str) -> Frame:
    """The motion that carries a segment, and its placement there."""
    kept: dict[str, Frame] = figure.__dict__.setdefault("_segment_frames", {})
    if not kept:
        tree = figure.tree
        for place, segment in enumerate(figure.segments):
            kept[segment] = int(tree.segment_motion[place]), unpack(tree.segment_placement[place])
    if name not in kept:
        raise GoalError(f"figure {figure.name!r} has no segment {name!r}; {near(name, figure.segments)}")
    return kept[name]


def point_frame(figure: Figure, name: str) -> Frame:
    """Of a point of support or of a limb: ``"segment:"`` before a segment's name, ``"motion:"`` before a number."""
    kind, _, rest = name.rpartition(":")
    if kind == "segment":
        return segment_frame(figure, rest)
    if kind == "motion":
        return int(rest), np.eye(4)
    return frame_of(figure, name)


def parameters(figure: Figure, part: Block) -> np.ndarray:
    """The parameters of a part, targets brought into the frame of the base's motion."""
    if part.kind in POSE:
        site = frame_of(figure, part.site, segment=part.segment)[1]
        return _pose_parameters(part, site, frame_of(figure, part.base)[1])
    if part.kind in SHAPES:
        return _shape_parameters(figure, part)
    if part.kind == "center":
        return np.concatenate([part.point, part.directions.ravel()])
    if part.kind in ("balance", "swivel"):
        frames = [(point_frame(figure, name)[1], point) for name, point in part.points]
        return np.concatenate([at[:3, :3] @ point + at[:3, 3] for at, point in frames])
    return part.numbers


def _pose_parameters(part: Block, site: np.ndarray, base: np.ndarray) -> np.ndarray:
    turn, place = site[:3, :3], site[:3, :3] @ part.at + site[:3, 3]
    b, at = base[:3, :3], base[:3, 3]
    point = b @ part.point + at
    if part.kind == "coordinates":
        own = [point, (part.directions @ b.T).ravel()]
    elif part.kind == "turn":
        own = [(b @ part.turn).ravel()]
    elif part.kind == "rotation":
        turn = turn @ part.site_axes
        own = [(b @ part.turn).ravel(), np.array(part.components, dtype=np.float64)]
    elif part.kind == "aim":
        fixed = part.numbers[0] != 0.0
        own = [part.site_axes.ravel(), b @ part.point if fixed else point, part.numbers]
    elif part.kind == "axes":
        own = [np.hstack([part.site_axes, part.directions @ b.T]).ravel()]
    elif part.kind == "affine":
        own = [_moved_affine(part.numbers.reshape(-1, 13), b, at).ravel()]
    else:
        primitives = moved_primitives(part.primitives, base)
        count = [np.array([float(len(primitives))])] if part.kind == "point" else []
        own = [*count, primitives.ravel()]
    return np.concatenate([turn.ravel(), place, *own])


def _moved_affine(rows: np.ndarray, b: np.ndarray, at: np.ndarray) -> np.ndarray:
    """c + f·r + ⟨A, R⟩ of a frame in the base's, as a function of that frame in the base's motion's."""
    force = rows[:, 1:4] @ b.T
    by_axes = b @ rows[:, 4:].reshape(-1, 3, 3)
    return np.column_stack([rows[:, 0] - force @ at, force, by_axes.reshape(-1, 9)])


def _shape_parameters(figure: Figure, part: Block) -> np.ndarray:
    place = segment_frame(figure, part.site)[1]
    base = frame_of(figure, part.base)[1]
    turn = base[:3, :3]
    if part.kind == "egg":
        center, half = part.numbers[:3], part.numbers[3:].reshape(3, 3)
        own = [place[:3, :3] @ center + place[:3, 3], (half @ place[:3, :3].T).ravel()]
        return np.concatenate([*own, turn @ part.point + base[:3, 3], turn @ part.directions[0]])
    capsules = moved_capsules(part.capsules, place)
    if part.kind == "clear":
        primitives = moved_primitives(part.primitives, base)
        return np.concatenate([[float(len(primitives))], primitives.ravel(), capsules.ravel()])
    others = moved_capsules(part.other_capsules, segment_frame(figure, part.other)[1])
    counts = [float(len(capsules)), float(len(others))]
    return np.concatenate([counts, capsules.ravel(), capsule_cones(others).ravel()])


def bounding_balls(figure: Figure, part: Block) -> tuple[np.ndarray, np.ndarray]:
    """The bounding balls of a part's shapes, and of its region or of the other segment's shapes."""
    if part.kind == "egg":
        place = segment_frame(figure, part.site)[1]
        radius = float(np.linalg.norm(part.numbers[3:].reshape(3, 3), axis=1).max())
        center = place[:3, :3] @ part.numbers[:3] + place[:3, 3]
        return np.array([*center, radius]), np.array([0.0, 0.0, 0.0, np.inf])
    own = enclosing_ball(moved_capsules(part.capsules, segment_frame(figure, part.site)[1]))
    if part.kind == "clear":
        return own, region_ball(moved_primitives(part.primitives, frame_of(figure, part.base)[1]))
    return own, enclosing_ball(moved_capsules(part.other_capsules, segment_frame(figure, part.other)[1]))
