"""A clip in one picture: frames side by side, or one frame among the ghosts of others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import PoseError
from manikin.pictures.picture import picture

if TYPE_CHECKING:
    from PIL.Image import Image


def strip(
    motion: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    count: int = 6,
    times: Any = None,
    together: bool = False,
    size: tuple[int, int] = (320, 480),
    **options: Any,
) -> Image:
    """Frames of a motion in one picture, with their times.

    count: how many, evenly apart from the first to the last; or `times`, seconds.
    together: all in one place: the last, and the others as ghosts.
    size, options: of `picture`, the size of each panel.
    """
    if not (hasattr(motion, "sample") and hasattr(motion, "times")):
        raise PoseError(f"strip: expected a motion, got {motion!r}")
    if times is None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise PoseError(f"strip: count must be a whole number above zero, got {count!r}")
        times = np.linspace(motion.times[0], motion.times[-1], count)
    at = [float(time) for time in times]
    if not at:
        raise PoseError("strip: there are no times")
    poses = [motion.sample(time) for time in at]
    if together:
        return picture(poses[-1], path, size=size, ghosts=poses[:-1], **options)
    captions = [f"{time - float(motion.times[0]):.2f} s" for time in at]
    return picture(poses, path, size=size, captions=captions, columns=len(poses), **options)
