"""Moving pictures: GIF and MP4 of a list of poses, or of a motion."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import MissingExtraError, PoseError
from manikin.files import whole_file
from manikin.pictures import files
from manikin.pictures.camera import Camera, Frame, fitted
from manikin.pictures.extra import COMMAND, need
from manikin.pictures.picture import checked_size, ground_level
from manikin.pictures.render import quality_of, render
from manikin.pictures.subject import Bodies, Parts, parts_of, subject_of

if TYPE_CHECKING:
    from manikin.goals import Goal

Progress = Callable[[int, int], None]


def animate(
    poses: Any,
    path: str | os.PathLike[str],
    *,
    rate: float = 25.0,
    goals: Iterable[Goal] = (),
    things: Iterable[Any] = (),
    size: tuple[int, int] = (480, 480),
    camera: Camera | None = None,
    view: str | tuple[float, float] = "three-quarter",
    ground: bool | float = True,
    color: Any = None,
    meshes: str = "read",
    look: str = "shapes",
    quality: str = "draft",
    loop: bool = True,
    ghosts: int = 0,
    progress: Progress | None = None,
) -> Path:
    """Write poses as a ``.gif`` or ``.mp4``, whole or not at all; returns the path.

    poses: poses, solutions or figures, one a frame; or a motion, with `times` in seconds and `sample(t)`, which is
        sampled `rate` times a second.
    rate: frames per second (Hz); a GIF counts in hundredths of a second, so its are rounded to 100/k.
    size: pixels; the sides of an MP4 are rounded up to even numbers.
    camera: by default one place from which nothing is cut off in any frame, along `view`.
    ghosts: how many other frames, evenly apart, are seen through in every one; 0 for none.
    progress: called after each frame with how many are done and how many there are.

    The other options are those of `picture`.
    """
    suffix = files.suffix_of(path, (".gif", ".mp4"))
    if not 0.0 < rate <= 240.0:
        raise PoseError(f"animate: rate must lie between 0 and 240, got {rate!r}")
    width, height = checked_size(size)
    if suffix == ".mp4":
        width, height = width + width % 2, height + height % 2
        _need_ffmpeg()
    need("PIL.Image", "an animation")
    wanted, shown = tuple(goals), tuple(things)
    subjects = [subject_of(each, wanted) for each in _poses(poses, rate)]
    faint = _spread([subject.pose for subject in subjects], ghosts)
    rays = quality_of(quality)
    bodies = Bodies(color, meshes, look, rays.off)

    def parts() -> Iterator[Parts]:
        return (parts_of(subject, bodies, (), shown, faint) for subject in subjects)

    extent, levels = 0.0, []

    def clouds() -> Iterator[np.ndarray]:
        nonlocal extent
        for panel in parts():
            extent = max(extent, panel.extent)
            levels.append(ground_level([panel], ground))
            yield panel.points()

    # All frames are gone through before the first is drawn, also where the camera is given, for the ground's sake.
    around = fitted(clouds(), view, (width, height), Frame())
    eye = camera or around
    level = min((found for found in levels if found is not None), default=None)

    def frames() -> Iterator[np.ndarray]:
        for done, panel in enumerate(parts(), start=1):
            yield render(panel.scene(level, extent), eye, (width, height), rays)
            if progress is not None:
                progress(done, len(subjects))

    with whole_file(path) as beside:
        (_write_gif if suffix == ".gif" else _write_mp4)(beside, frames(), rate, loop)
    return Path(path)


def _poses(poses: Any, rate: float) -> list[Any]:
    if hasattr(poses, "sample") and hasattr(poses, "times"):
        first, last = float(poses.times[0]), float(poses.times[-1])
        count = int(np.floor((last - first) * rate + 1e-9)) + 1
        found = [poses.sample(first + k / rate) for k in range(count)]
    elif isinstance(poses, Sequence):
        found = list(poses)
    else:
        raise PoseError(f"animate: expected a list of poses or a motion, got {poses!r}")
    if not found:
        raise PoseError("animate: there are no poses")
    return found


def _spread(poses: list[Any], count: int) -> list[Any]:
    """So many of the poses, evenly apart, the first and the last among them."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise PoseError(f"animate: ghosts must be a whole number, 0 or more, got {count!r}")
    return (
        [poses[k] for k in sorted({round(k) for k in np.linspace(0, len(poses) - 1, count)})] if count else []
    )


def _write_gif(path: Path, frames: Iterable[np.ndarray], rate: float, loop: bool) -> None:
    """All frames in one palette, so that what stands still does not flicker."""
    image_module = need("PIL.Image", "an animation")
    arrays = list(frames)
    some = arrays[:: max(1, len(arrays) // 6)]
    palette = image_module.fromarray(np.concatenate(some)).quantize(256, dither=0)
    noise = _noise(arrays[0].shape)
    images = [
        image_module.fromarray(np.clip(array + noise, 0, 255).astype(np.uint8)).quantize(
            palette=palette, dither=0
        )
        for array in arrays
    ]
    options: dict[str, Any] = {"loop": 0} if loop else {}
    images[0].save(
        path,
        format="GIF",
        save_all=True,
        append_images=images[1:],
        duration=max(20, 10 * round(100.0 / rate)),
        **options,
    )


def _noise(shape: tuple[int, ...]) -> np.ndarray:
    """(h, w, 1): at most ±1.5 levels in a fixed fine pattern (interleaved gradient noise) that hides the palette."""
    y, x = np.mgrid[: shape[0], : shape[1]]
    return 3.0 * ((52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1.0)) % 1.0 - 0.5)[..., None]


def _need_ffmpeg() -> None:
    need("imageio", "an MP4")
    try:
        need("imageio_ffmpeg", "an MP4")
    except MissingExtraError as problem:
        raise MissingExtraError(f"an MP4 needs the package 'imageio-ffmpeg': {COMMAND}") from problem


def _write_mp4(path: Path, frames: Iterable[np.ndarray], rate: float, loop: bool) -> None:
    writer = need("imageio.v2", "an MP4").get_writer(
        path,
        format="FFMPEG",
        fps=rate,
        codec="libx264",
        quality=8,
        macro_block_size=2,
        ffmpeg_log_level="error",
    )
    try:
        for frame in frames:
            writer.append_data(frame)
    finally:  # as a context manager, the writer would stay open after an error
        writer.close()
