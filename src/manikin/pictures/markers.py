"""Pictures of a figure with the markers that it follows: each marker measured, and the way from the figure's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import PoseError
from manikin.files import whole_file
from manikin.goals import Ball, Position
from manikin.pictures.color import REACHED
from manikin.pictures.extra import need
from manikin.pictures.picture import picture

if TYPE_CHECKING:
    from manikin.markers.tracked import Tracked

#: A marker that is no further off than this is drawn as met, metres.
NEAR = 0.01
RADIUS = 0.012


def markers_picture(
    tracked: Tracked,
    path: str | os.PathLike[str] | None = None,
    *,
    frames: int | Sequence[int] = 5,
    size: tuple[int, int] = (420, 640),
    view: str | tuple[float, float] = (60.0, 8.0),
    quality: str = "good",
) -> Any:
    """A strip of frames side by side, each with its markers: green balls within 1 cm, orange ones with a rod to where
    the figure has the marker.

    frames: how many, spread over the motion, or which.
    """
    if tracked.measured is None:
        raise PoseError(
            "a picture with markers needs markers that were measured; this motion follows sensors alone"
        )
    picked = (
        np.unique(np.linspace(0, len(tracked) - 1, frames).round().astype(int)).tolist()
        if isinstance(frames, int)
        else list(frames)
    )
    figure = tracked.markers.on(tracked.figure)
    image_module = need("PIL.Image", "a picture")
    panels = []
    for frame in picked:
        goals, things = [], []
        for k, label in enumerate(tracked.labels):
            if label in tracked.measured and not np.isnan(place := tracked.measured[label][frame]).any():
                if tracked.marker_errors[frame, k] > NEAR:
                    goals.append(Position(label, place))
                else:
                    things.append((Ball(place, RADIUS), REACHED))
        pose = figure.pose(tracked.q[frame])
        panels.append(
            picture(
                pose,
                goals=goals,
                things=things,
                size=size,
                view=view,
                quality=quality,
                caption=f"{tracked.times[frame] - tracked.times[0]:.2f} s, {1e3 * tracked.rms[frame]:.0f} mm",
            )
        )
    strip = image_module.new(
        "RGB", (sum(panel.width for panel in panels), max(panel.height for panel in panels))
    )
    across = 0
    for panel in panels:
        strip.paste(panel, (across, 0))
        across += panel.width
    if path is not None:
        with whole_file(path) as beside:
            strip.save(beside, format="PNG", optimize=True)
    return strip
