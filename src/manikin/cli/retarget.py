"""`manikin retarget`: a clip on another figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.convert import number
from manikin.cli.info import Unit, Up
from manikin.cli.output import AsJson, errors_in_a_line, plain_table, print_json
from manikin.cli.play import read_clip
from manikin.cli.progress import progress_bar
from manikin.errors import FormatError

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.motion import Motion
    from manikin.retargeting import Retargeted


def retarget(
    clip: Annotated[Path, typer.Argument(help="A file with motion: .bvh .glb .vrm .npz …")],
    figure: Annotated[str, typer.Argument(help='The figure to move: its file, or "human".')] = "human",
    stature: Annotated[float | None, typer.Option(help="Stature of the human, m.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the clip with its figure: .npz .bvh .glb .vrm."),
    ] = None,
    animation: Annotated[Path | None, typer.Option(help="Write an animation: .gif or .mp4.")] = None,
    sole: Annotated[
        float | None,
        typer.Option(help="Ankle height above the ground when standing, m."),
    ] = None,
    velocity: Annotated[
        float | None,
        typer.Option(
            help="Velocity limit of every joint, rad/s, and of the root, m/s. Default: the figure's, and at most twice "
            "the source's."
        ),
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Frames per second (Hz). Default: the clip's.")] = None,
    name: Annotated[
        str | None, typer.Option("--clip", help="Name of the clip, if the file has several.")
    ] = None,
    unit: Unit = None,
    up: Up = None,
    json: AsJson = False,
) -> None:
    """Transfer a motion to another figure and report contact and tracking errors."""
    with errors_in_a_line():
        from manikin.retargeting import retarget as taken_over

        source = read_clip(clip, clip=name, unit=number(unit), up=up)
        source = source if rate is None else source.resample(rate)
        motion = taken_over(source, _figure(figure, stature), sole=sole, velocity=velocity)
        written: list[str] = []
        notes: list[dict[str, Any]] = []
        if output is not None:
            from manikin.formats import save

            notes = [note.to_dict() for note in save(motion, output)]
            written.append(str(output))
        if animation is not None:
            from manikin.pictures import animate

            with progress_bar("drawing", shown=not json) as advance:
                animate(motion, animation, progress=advance)
            written.append(str(animation))
    data = summary(motion, source) | {"written": written, "notes": notes}
    if json:
        print_json(data)
    else:
        _print(data, motion)


def _figure(to: str, stature: float | None) -> Figure:
    from manikin.figure.human import human
    from manikin.formats import load

    if to == "human":
        return human(stature)
    if stature is not None:
        raise FormatError(f"--stature is the human's; {to} has a size of its own")
    return load(to, base="free") if Path(to).suffix.lower() in (".urdf", ".xml", ".mjcf") else load(to)


def summary(motion: Retargeted, source: Motion) -> dict[str, Any]:
    """How well it does, as JSON can hold it."""
    touches = motion.touch_misses(source)
    return {
        "figure": motion.figure.name,
        "frames": len(motion),
        "seconds": motion.duration,
        "scale": motion.scale,
        "slip": motion.slip(),
        "roles": motion.roles.to_dict(),
        "source_roles": motion.source_roles.to_dict(),
        "contacts": {role: float(mask.mean()) for role, mask in motion.contacts.items()},
        "touches": {" ".join(pair): float(miss.max()) for pair, miss in touches.items()},
        "frames_passed": int(motion.passed.sum()),
        "share_of_speed": motion.hurry,
        "below_ground": float(motion.below.max()),
        "told": list(motion.notes),
        "misses": {role: float(miss.max()) for role, miss in motion.misses.items()},
    }


def _print(data: dict[str, Any], motion: Retargeted) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{data['frames']} frames over {data['seconds']:.4g} s on {data['figure']}, scale {data['scale']:.3g}; "
        f"standing feet and hands move {1e3 * data['slip']:.2g} mm at most",
        markup=False,
    )
    if data["touches"]:
        told = ", ".join(f"{pair} {1e3 * miss:.2g} mm" for pair, miss in data["touches"].items())
        console.print(f"hands that touch are off by at most: {told}", markup=False)
    if data["frames_passed"] or data["share_of_speed"] > 1.0:
        console.print(
            f"{data['frames_passed']} frames pass from one pose to another; the fastest joint uses "
            f"{100.0 * data['share_of_speed']:.0f} % of its speed",
            markup=False,
        )
    table = plain_table("part", "site", "of the source", "farthest off, mm")
    for role, site in motion.roles.sites.items():
        miss = data["misses"].get(role)
        own = motion.source_roles.sites.get(role, "–")
        table.add_row(role, site, own, "–" if miss is None else f"{1e3 * miss:.1f}")
    console.print(table)
    for text in data["told"]:
        console.print(f"note: {text}", markup=False)
    for note in data["notes"]:
        console.print(f"{note['kind']}: {note['text']}", markup=False)
    for path in data["written"]:
        console.print(f"written: {path}", markup=False)
