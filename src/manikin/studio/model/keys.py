"""Key frames: poses at times, and a motion through them.

`motion_of` is the one place that interpolates. It hands back anything with ``times``, ``sample(t)`` and ``figure``,
which is what `manikin.motion` gives where it is installed; the plain spline here takes its place where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Figure, Pose
from manikin.studio.extra import need
from manikin.studio.model.document import Document, Key

LEAST_GAP = 0.01


class Moving(Protocol):
    """A motion: its figure, its times in seconds, and a pose at any time between."""

    figure: Figure
    times: Any

    def sample(self, t: float) -> Pose:
        """The pose at a time."""
        ...


class Spline:
    """A monotone cubic through each value (Fritsch and Carlson 1980): no angle goes beyond the key frames that it runs
    between, so that what was inside the ranges stays inside. Free bases turn by the shortest way (slerp)."""

    def __init__(self, figure: Figure, keys: Sequence[Key]) -> None:
        PchipInterpolator = need("scipy.interpolate").PchipInterpolator
        turns = need("scipy.spatial.transform")

        self.figure = figure
        self.times = np.array([key.time for key in keys])
        q = np.array([key.q for key in keys])
        self._curve = PchipInterpolator(self.times, q) if len(keys) > 1 else None
        self._first = q[0]
        self._turn = (
            turns.Slerp(self.times, turns.Rotation.from_rotvec(q[:, 3:6]))
            if figure.base == "free" and len(keys) > 1
            else None
        )

    def sample(self, t: float) -> Pose:
        """The pose at a time; before the first and after the last key frame it is theirs."""
        if self._curve is None:
            return Pose(self.figure, self._first)
        at = float(np.clip(t, self.times[0], self.times[-1]))
        q = np.array(self._curve(at))
        if self._turn is not None:
            q[3:6] = self._turn(at).as_rotvec()
        return Pose(self.figure, q)


_made: list[tuple[Figure, tuple[Key, ...], Moving]] = []


def motion_of(document: Document) -> Moving:
    """The motion through a document's key frames, made once for as long as they stay."""
    if not document.keys:
        raise ManikinError("there are no key frames yet: pose the figure and add one")
    for figure, frames, motion in _made:
        if figure is document.figure and frames is document.keys:
            return motion
    found = _make(document.figure, document.keys)
    _made[:] = [(document.figure, document.keys, found)]
    return found


def _make(figure: Figure, frames: tuple[Key, ...]) -> Moving:
    if len(frames) > 1:
        try:
            motion = import_module("manikin.motion")
        except ImportError:
            return Spline(figure, frames)
        poses = [Pose(figure, frame.q) for frame in frames]
        made: Moving = motion.Motion.of(poses, [frame.time for frame in frames], ends="clamped")
        return made
    return Spline(figure, frames)


def with_key(document: Document, time: float, q: np.ndarray) -> Document:
    """A key frame at a time, in the place of one that is there."""
    if not 0.0 <= time <= 3600.0:
        raise ManikinError(f"the time of a key frame must be between 0 and 3600 seconds, got {time:g}")
    frozen = np.array(q)
    frozen.flags.writeable = False
    others = [key for key in document.keys if abs(key.time - time) >= LEAST_GAP]
    return document.changed(keys=tuple(sorted([*others, Key(time, frozen)], key=lambda key: key.time)))


def moved_key(document: Document, number: int, time: float) -> Document:
    """A key frame at another time."""
    key = next((each for each in document.keys if each.key == number), None)
    if key is None:
        raise ManikinError("there is no such key frame any more; it was deleted meanwhile")
    if any(abs(each.time - time) < LEAST_GAP for each in document.keys if each.key != number):
        raise ManikinError(f"there is a key frame at {time:g} s already; choose another time")
    if not 0.0 <= time <= 3600.0:
        raise ManikinError(f"the time of a key frame must be between 0 and 3600 seconds, got {time:g}")
    moved = (replace(each, time=time) if each.key == number else each for each in document.keys)
    return document.changed(keys=tuple(sorted(moved, key=lambda each: each.time)))
