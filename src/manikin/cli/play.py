"""`manikin play`: a clip as a moving picture, a strip or a plot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.convert import number, options
from manikin.cli.info import Unit, Up
from manikin.cli.output import AsJson, errors_in_a_line, plain_table, print_json
from manikin.cli.progress import progress_bar
from manikin.errors import FormatError

if TYPE_CHECKING:
    from manikin.motion import Motion


def play(
    clip: Annotated[
        Path, typer.Argument(help="A clip: a file with motion, or .npz as `manikin track` writes it.")
    ],
    figure: Annotated[
        Path | None,
        typer.Option(help="The figure of an .npz clip that has none: its file; by default the human."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--clip", help="Name of the clip, if the file has several.")
    ] = None,
    unit: Unit = None,
    up: Up = None,
    animation: Annotated[Path | None, typer.Option(help="Write an animation: .gif or .mp4.")] = None,
    strip: Annotated[Path | None, typer.Option(help="Write frames side by side: .png.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Plot the angles against time: .png, .pdf or .svg.")
    ] = None,
    rate: Annotated[float, typer.Option(help="Frames per second of the animation (Hz).")] = 25.0,
    ghosts: Annotated[
        int, typer.Option(help="Number of neighbouring frames drawn as transparent ghosts.")
    ] = 0,
    times: Annotated[float, typer.Option(help="Playback speed factor.")] = 1.0,
    size: Annotated[int, typer.Option(help="Width and height, pixels.")] = 400,
    view: Annotated[str, typer.Option(help="front, side, back, top or three-quarter.")] = "three-quarter",
    json: AsJson = False,
) -> None:
    """Summarise a clip and draw it."""
    with errors_in_a_line():
        motion = read_clip(clip, figure, clip=name, unit=number(unit), up=up)
        if not times > 0.0:
            raise FormatError(f"--times must be positive, got {times:g}")
        shown = motion.retime(factor=1.0 / times) if times != 1.0 else motion
        written: list[str] = []
        if animation is not None:
            from manikin.pictures import animate

            with progress_bar("drawing", shown=not json) as advance:
                animate(
                    shown, animation, rate=rate, ghosts=ghosts, size=(size, size), view=view, progress=advance
                )
            written.append(str(animation))
        if strip is not None:
            from manikin.pictures import strip as draw

            draw(motion, strip, size=(size, size), view=view)
            written.append(str(strip))
        if plot is not None:
            motion.plot(plot)
            written.append(str(plot))
    data = summary(motion) | {"written": written}
    if json:
        print_json(data)
        return
    _print(data)


def read_clip(path: Path, figure: Path | None = None, clip: str | None = None, **given: Any) -> Motion:
    """The motion in a file: with its own figure, or an .npz of values alone on the figure of another file.

    given: options of the file's reader, None where not given.
    """
    if path.suffix.lower() == ".npz" and not _has_figure(path):
        from manikin.motion import Motion

        return Motion.load(read_figure(figure), path)
    from manikin.formats import load_motion

    if figure is not None:
        raise FormatError(f"{path}: the clip has a figure of its own; leave out --figure")
    return load_motion(path, clip=clip, **options(path, "read", given))


def _has_figure(path: Path) -> bool:
    """Whether an .npz holds a figure beside its clips; what is no archive is told by who reads it."""
    from manikin.archive import Archive

    try:
        names = Archive(path).names
    except FormatError:
        return False
    return "meta" in names and "values" not in names


def read_figure(path: Path | None) -> Any:
    """The figure in a file, on a free base where it may have one; the human by default."""
    if path is None:
        from manikin.figure.human import human

        return human()
    from manikin.formats import load

    return load(path)


def summary(motion: Motion) -> dict[str, Any]:
    """What there is to know of a clip, as JSON can hold it."""
    import numpy as np

    from manikin.motion.refine import jerk_of

    figure = motion.figure
    outside = np.maximum(figure.lower - motion.q, motion.q - figure.upper)
    worst = int(np.argmax(outside.max(axis=0))) if figure.n else 0
    speed = np.abs(motion.velocity()).max(axis=0) if len(motion) > 1 else np.zeros(figure.n)
    fastest = (
        int(np.argmax(np.where(np.arange(figure.n) < 6, 0.0, speed)))
        if figure.n > 6
        else int(np.argmax(speed))
    )
    return {
        "name": motion.name,
        "figure": figure.name,
        "keys": len(motion),
        "seconds": motion.duration,
        "rate": (len(motion) - 1) / motion.duration if motion.duration > 0.0 else None,
        "fastest": {"dof": figure.dofs[fastest], "speed": float(speed[fastest])},
        "outside": {"dof": figure.dofs[worst], "by": max(float(outside.max()), 0.0)},
        "jerk": jerk_of(motion.times, motion.q),
    }


def _print(data: dict[str, Any]) -> None:
    from rich.console import Console

    table = plain_table("", "")
    rate = "" if data["rate"] is None else f", {data['rate']:.4g} a second"
    table.add_row("clip", data["name"] or "–")
    table.add_row("figure", data["figure"])
    table.add_row("keys", f"{data['keys']} over {data['seconds']:.4g} s{rate}")
    table.add_row("fastest", f"{data['fastest']['dof']}, {data['fastest']['speed']:.3g} rad/s or m/s")
    beyond = data["outside"]
    inside = "all inside their ranges" if beyond["by"] <= 1e-9 else f"{beyond['dof']} by {beyond['by']:.3g}"
    table.add_row("outside", inside)
    table.add_row("jerk", f"{data['jerk']:.4g} (root mean square)")
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    for path in data["written"]:
        console.print(f"written: {path}", markup=False)
