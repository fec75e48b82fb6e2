"""Where the sites and segments of blocks are, and the parameters that the kernels of each kind read."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure
from manikin.figure.checks import near
from manikin.figure.transforms import unpack
from manikin.kernels.residuals.kinds import KINDS
from manikin.plan.packing import site_frame
from manikin.residuals.block import Block

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
        kept[name] = site_frame(figure, name)
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


def of_segments(part: Block) -> bool:
    """Whether what a block measures is a segment, with its shapes, and not a site."""
    return part.segment or KINDS[part.kind].balls is not None


class Places:
    """Where the frames of a block are in those of the motions that carry them: what its kind's parameters come from."""

    def __init__(self, figure: Figure, part: Block) -> None:
        self.figure, self.part = figure, part

    @cached_property
    def site(self) -> np.ndarray:
        """The frame of the site or segment, its origin at the point of it that is measured (4×4)."""
        at = frame_of(self.figure, self.part.site, segment=of_segments(self.part))[1].copy()
        at[:3, 3] = at[:3, :3] @ self.part.at + at[:3, 3]
        return at

    @cached_property
    def base(self) -> np.ndarray:
        """The frame of the base (4×4)."""
        return frame_of(self.figure, self.part.base)[1]

    @property
    def turn(self) -> np.ndarray:
        """The base's axes (3×3)."""
        return self.base[:3, :3]

    @property
    def point(self) -> np.ndarray:
        """The block's point."""
        return self.turn @ self.part.point + self.base[:3, 3]

    @cached_property
    def other(self) -> np.ndarray:
        """The frame of the other segment (4×4)."""
        return segment_frame(self.figure, self.part.other)[1]

    @property
    def points(self) -> np.ndarray:
        """The block's points, in one row."""
        frames = [(point_frame(self.figure, name)[1], point) for name, point in self.part.points]
        return np.concatenate([at[:3, :3] @ point + at[:3, 3] for at, point in frames])


def parameters(figure: Figure, part: Block) -> np.ndarray:
    """The parameters of a block, targets brought into the frame of the base's motion."""
    return np.hstack(KINDS[part.kind].parameters(part, Places(figure, part)), dtype=np.float64)
