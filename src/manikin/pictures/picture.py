"""Pictures of figures, poses and solutions, one or several side by side, without a screen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from manikin.errors import PoseError
from manikin.figure import Figure, Pose
from manikin.files import whole_file
from manikin.pictures import files, text
from manikin.pictures.camera import Camera, Frame, fitted
from manikin.pictures.extra import need
from manikin.pictures.png import png_bytes
from manikin.pictures.render import quality_of, render
from manikin.pictures.subject import Bodies, Parts, is_solution, parts_of, subject_of

if TYPE_CHECKING:
    from PIL.Image import Image

    from manikin.goals import Goal
    from manikin.result import Solution

#: What one picture, or one panel of it, can show.
Drawable: TypeAlias = "Figure | Pose | Solution"

LARGEST = 16384
CAPTION = 0.038
TITLE = 0.036


def picture(
    subject: Drawable | Sequence[Drawable],
    path: str | os.PathLike[str] | None = None,
    *,
    goals: Iterable[Goal] = (),
    sites: Sequence[str] = (),
    things: Iterable[Any] = (),
    size: tuple[int, int] = (800, 800),
    camera: Camera | None = None,
    view: str | tuple[float, float] = "three-quarter",
    ground: bool | float = True,
    title: str | None = None,
    caption: str | None = None,
    captions: Sequence[str] | None = None,
    columns: int | None = None,
    together: bool = True,
    color: Any = None,
    meshes: str = "read",
    quality: str = "good",
    ghosts: Iterable[Pose] = (),
    look: str = "shapes",
) -> Image:
    """A picture of a figure at rest, a pose, or a solution with its goals; or of several, in panels of one picture.

    A goal's target is green where it is reached, orange where it is missed, with a rod from the site to it.

    path: a ``.png`` file, written whole or not at all; None for none.
    goals: drawn in every panel; a solution's own are drawn anyway.
    sites: names of sites whose frames are drawn.
    things: regions that stand in the picture, as a table or a pillar does, or pairs of a region and a colour. Those
        that an `Outside` goal keeps clear of are drawn anyway; half-spaces are not drawn as things.
    size: width and height in pixels, of each panel where there are several.
    camera: where to look from. By default it is as near as can be with nothing cut off along `view`, which is
        ``"front"``, ``"side"``, ``"back"``, ``"top"``, ``"three-quarter"``, or azimuth from the front towards the
        left and elevation, in degrees.
    ground: whether there is any, at height 0 or under the lowest point, whichever is lower; or its height in metres.
    title, caption, captions: a line at the top; one at the bottom, or one for each panel.
    columns: panels a row; by default all in one row up to four, then about as many columns as rows.
    together: whether all panels are seen from the same place, at the same scale.
    color: for shapes without a colour of their own: ``"#rrggbb"`` or three numbers from 0 to 1.
    meshes: ``"read"``, or ``"skip"`` to draw bones where a mesh's file cannot be read.
    quality: ``"draft"``, ``"good"`` or ``"best"``; how many rays are spent on light and edges. A draft's
        round shapes have fewer facets, and its file is packed less hard.
    ghosts: poses that are drawn too, in every panel, as if one saw through them.
    look: ``"shapes"``, those of the segments (of a human the artist's manikin, also ``"wood"``); ``"skin"``, a human in
        one smooth skin; ``"bones"``, rods from joint to joint.
    """
    image_module = need("PIL.Image", "a picture")
    if path is not None:
        files.suffix_of(path, (".png",))
    width, height = checked_size(size)
    several = isinstance(subject, Sequence) and not isinstance(subject, str)
    given: list[Any] = list(subject) if several else [subject]  # type: ignore[arg-type]
    if not given:
        raise PoseError("picture: there is nothing to draw: the list is empty")
    if caption is not None and captions is None and not several:
        captions = [caption]
    if captions is not None and len(captions) != len(given):
        raise PoseError(f"picture: expected {len(given)} captions, one a panel, got {len(captions)}")
    wanted = tuple(goals)
    rays = quality_of(quality)
    bodies = Bodies(color, meshes, look, rays.off)
    shown, faint = tuple(things), tuple(ghosts)
    panels = [parts_of(subject_of(each, wanted), bodies, sites, shown, faint) for each in given]
    across = _columns(len(given), columns)
    down = -(-len(given) // across)
    title_height = text.letter_size((across * width, down * height), TITLE) if title else 0
    caption_height = text.letter_size((width, height), CAPTION) if captions is not None else 0
    frame = _frame(height, round(2.0 * title_height), round(2.2 * caption_height))
    cameras = _cameras(panels, camera, view, (width, height), frame, together)
    result = image_module.new("RGB", (across * width, down * height), "#f4f2ee")
    level = ground_level(panels, ground)
    extent = max(panel.extent for panel in panels)
    for place, (panel, eye) in enumerate(zip(panels, cameras, strict=True)):
        row, column = divmod(place, across)
        scene = panel.scene(level, extent if together else panel.extent, framed=across > 1)
        pixels = render(scene, eye, (width, height), rays)
        result.paste(image_module.fromarray(pixels), (column * width, row * height))
        if captions is not None and captions[place]:
            middle, top = (column + 0.5) * width, (row + 1) * height - 1.75 * caption_height
            text.write(result, captions[place], middle, top, 0.94 * width, caption_height)
    if title:
        text.write(result, title, across * width / 2, 0.7 * title_height, 0.94 * across * width, title_height)
    if path is not None:
        with whole_file(path) as beside:
            beside.write_bytes(png_bytes(np.asarray(result), rays.packed))
    return result


def side_by_side(
    before: Drawable,
    after: Drawable,
    path: str | os.PathLike[str] | None = None,
    *,
    captions: Sequence[str] = ("before", "after"),
    goals: Iterable[Goal] = (),
    **options: Any,
) -> Image:
    """Two panels in one picture, seen from the same place; the options are those of `picture`.

    Where only one of the two is a solution, the other panel shows its goals too.
    """
    wanted = list(goals)
    for each in (before, after):
        if is_solution(each) and not (is_solution(before) and is_solution(after)):
            wanted += each.goals
    return picture([before, after], path, captions=captions, goals=wanted, **options)


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height in whole pixels."""
    try:
        width, height = (int(side) for side in size)
    except (TypeError, ValueError):
        raise PoseError(f"picture: size must be width and height in pixels, got {size!r}") from None
    if not (16 <= width <= LARGEST and 16 <= height <= LARGEST):
        raise PoseError(f"picture: size must be from 16 to {LARGEST} pixels a side, got {size!r}")
    return width, height


def ground_level(panels: Sequence[Parts], ground: bool | float) -> float | None:
    """The height of the ground, or None."""
    if ground is True:
        return min(0.0, *(panel.lowest() for panel in panels))
    return None if ground is False else float(ground)


def _columns(count: int, columns: int | None) -> int:
    if columns is None:
        return count if count <= 4 else int(np.ceil(np.sqrt(count * 1.34)))
    if columns < 1:
        raise PoseError(f"picture: columns must be at least 1, got {columns}")
    return min(columns, count)


def _frame(height: int, above: int, below: int) -> Frame:
    margin = 0.06
    return Frame(top=min(margin + above / height, 0.3), bottom=min(margin + below / height, 0.3))


def _cameras(
    panels: Sequence[Parts],
    camera: Camera | None,
    view: Any,
    size: tuple[int, int],
    frame: Frame,
    together: bool,
) -> list[Camera]:
    if camera is not None:
        return [camera] * len(panels)
    if together:
        return [fitted((panel.points() for panel in panels), view, size, frame)] * len(panels)
    return [fitted([panel.points()], view, size, frame) for panel in panels]
