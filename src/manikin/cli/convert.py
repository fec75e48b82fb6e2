"""`manikin convert`: a figure and its clips from one format to another."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.info import Base, Unit, Up, clip_entry
from manikin.cli.output import AsJson, Within, errors_in_a_line, print_json

if TYPE_CHECKING:
    from manikin.formats.contents import Contents, Note


def convert(
    source: Annotated[
        Path, typer.Argument(help="The file to read: .urdf .xml .bvh .glb .gltf .vrm .fig .npz")
    ],
    target: Annotated[Path, typer.Argument(help="The file to write, in the format of its suffix.")],
    clip: Annotated[str | None, typer.Option(help="Only this clip, by name.")] = None,
    base: Annotated[Base | None, typer.Option(help="How the figure's root stands in the world.")] = None,
    unit: Unit = None,
    up: Up = None,
    to_unit: Annotated[
        str | None, typer.Option(help="Length unit of the written BVH file: m, cm, mm or inch.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Frames per second of the written clip (Hz), BVH or glTF.")
    ] = None,
    within: Within = None,
    json: AsJson = False,
) -> None:
    """Convert a figure with its clips, and say what the new format cannot hold."""
    with errors_in_a_line():
        from dataclasses import replace

        from manikin.formats import read, save

        reading = {"base": None if base is None else base.value, "unit": number(unit), "up": up}
        if base is None and source.suffix.lower() == target.suffix.lower() == ".bvh":
            reading["base"] = "channels"  # so that every number stays as it is
        contents = read(source, within=within, **options(source, "read", reading))
        if clip is not None:
            chosen = (contents.clip(clip),)
            contents = replace(contents, clips=chosen)
        written = save(contents, target, **options(target, "write", {"unit": number(to_unit), "rate": rate}))
    if json:
        print_json(report(source, target, contents, written))
    else:
        print_report(source, target, contents, written)


def number(text: str | None) -> str | float | None:
    """A unit's name, or metres where it is a number."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def options(path: Path, what: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; one that the file's format does not know is an error."""
    from manikin.errors import FormatError
    from manikin.formats import room_of

    found = {key: value for key, value in given.items() if value is not None}
    if found:
        known = inspect.signature(getattr(importlib.import_module(room_of(path)), what)).parameters
        if not any(entry.kind is inspect.Parameter.VAR_KEYWORD for entry in known.values()):
            for key in found:
                if key not in known:
                    raise FormatError(f"{path}: {key} is no option of {path.suffix} files")
    return found


def report(source: Path, target: Path, contents: Contents, written: tuple[Note, ...]) -> dict[str, Any]:
    """What was converted, as JSON can hold it."""
    figure = contents.figure
    return {
        "source": str(source),
        "target": str(target),
        "figure": figure.name,
        "segments": len(figure.segments),
        "dofs": figure.n,
        "clips": [clip_entry(clip) for clip in contents.clips],
        "skins": len(contents.skins),
        "read": [note.to_dict() for note in contents.notes],
        "written": [note.to_dict() for note in written],
    }


def print_report(source: Path, target: Path, contents: Contents, written: tuple[Note, ...]) -> None:
    """Print what was converted and what was not."""
    figure = contents.figure
    counts = f"{len(figure.segments)} segments, {figure.n} degrees of freedom, {len(contents.clips)} clips"
    typer.echo(f"{source} → {target}: {figure.name}, {counts}")
    for title, notes in (("reading", contents.notes), ("writing", written)):
        for note in notes:
            typer.echo(f"  {title}: {note.kind}: {note}")
