"""The zone that is within reach, on the figure, cut open."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manikin.errors import SolveError
from manikin.figure import Figure, Pose, Shape, transforms
from manikin.pictures.picture import picture
from manikin.reach.surface import Surface

if TYPE_CHECKING:
    from PIL.Image import Image

ZONE = (0.20, 0.52, 0.72)


def picture_zone(
    pose: Figure | Pose,
    zone: Surface,
    path: str | os.PathLike[str] | None = None,
    *,
    cut: str | None = "y",
    at: float | None = None,
    **options: Any,
) -> Image:
    """A picture of the zone on the figure, cut open so that the figure shows.

    cut: the axis across which it is cut, only what lies beyond ``at`` (by default the figure's root) being shown; None
    shows all of it. The options are those of `manikin.pictures.picture`.
    """
    body = pose if isinstance(pose, Pose) else pose.pose()
    root = body.matrix(body.figure.root)
    shown_zone = zone
    if cut is not None:
        if cut not in ("x", "y", "z"):
            raise SolveError(f"picture_zone: the zone is cut across 'x', 'y' or 'z', got {cut!r}")
        k = "xyz".index(cut)
        shown_zone = zone.beyond(k, float(root[k, 3]) if at is None else at)
    if not len(shown_zone.faces):
        raise SolveError("picture_zone: nothing is left of the zone on this side of the cut")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "zone.stl"
        # Of a zone cut open one looks at the inside.
        faces = shown_zone.faces if cut is None else shown_zone.faces[:, ::-1]
        Surface(shown_zone.vertices, faces).save(file)
        shape = Shape("mesh", (), transforms.inverse(root), mesh=str(file), color=ZONE)
        segments = [
            segment if name != body.figure.root else _with_shape(segment, shape)
            for name, segment in body.figure.segments.items()
        ]
        shown = body.figure.replace(segments=segments)
        return picture(shown.pose(body.q), path, **options)


def _with_shape(segment: Any, shape: Shape) -> Any:
    return replace(segment, shapes=(*segment.shapes, shape))
