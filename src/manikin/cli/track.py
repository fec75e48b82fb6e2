"""`manikin track`: a scene whose goals move, solved over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from manikin.cli.output import (
    NOT_REACHED,
    AsJson,
    Within,
    duration,
    errors_in_a_line,
    plain_table,
    print_json,
    quantity,
)
from manikin.cli.progress import progress_bar
from manikin.errors import FormatError

if TYPE_CHECKING:
    from manikin.motion import Tracked


def track(
    scene: Annotated[
        Path, typer.Argument(help="A scene file (TOML); its goals are approached, or follow --targets.")
    ],
    output: Annotated[Path | None, typer.Option(help="Write the motion to this file (.npz).")] = None,
    targets: Annotated[
        Path | None,
        typer.Option(
            help="Recorded targets: an .npz with `times` and, for each goal that moves, an array called by the goal's "
            "site; or a .csv with columns time, x, y, z for the first goal. NaN where there is none."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long, where nothing recorded says so.")] = 2.0,
    rate: Annotated[float, typer.Option(help="Samples a second.")] = 100.0,
    acceleration: Annotated[
        float | None, typer.Option(help="No degree of freedom accelerates more, rad/s² or m/s².")
    ] = None,
    jerk: Annotated[
        float | None, typer.Option(help="Nor changes its acceleration faster, rad/s³ or m/s³.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option(help="None is faster, rad/s or m/s; by default what the figure says.")
    ] = None,
    gif: Annotated[Path | None, typer.Option(help="Write a moving picture: .gif or .mp4.")] = None,
    within: Within = None,
    json: AsJson = False,
) -> None:
    """Follow goals over time, inside ranges, speeds, accelerations and jerks.

    The exit status is 0 if all goals are met all the time, 1 if not, 2 for an error.
    """
    from time import perf_counter

    with errors_in_a_line():
        from manikin.formats.scene import read_scene
        from manikin.motion import track as follow

        if output is not None and output.suffix.lower() != ".npz":
            raise FormatError(f"{output}: a motion is saved as .npz")
        found = read_scene(scene, within=within)
        times, goals = _goals(found, targets, seconds, rate)
        start = found.start
        if found.constraints:
            start = found.figure.with_couplings(*found.constraints).pose(start.q)
        options = {key: found.options[key] for key in ("free", "fixed", "tolerance") if key in found.options}
        begin = perf_counter()
        with progress_bar("tracking", shown=not json) as advance:
            motion = follow(
                start,
                goals,
                times,
                velocity=speed,
                acceleration=acceleration,
                jerk=jerk,
                name=scene.stem,
                progress=advance,
                **options,
            )
        spent = perf_counter() - begin
        if output is not None:
            motion.save(output)
        if gif is not None:
            from manikin.pictures import animate

            with progress_bar("drawing", shown=not json) as advance:
                animate(motion, gif, progress=advance)
    data = _summary(motion, goals, spent)
    if json:
        print_json(data)
    else:
        _print(data)
    if not data["reached"]:
        raise typer.Exit(NOT_REACHED)


def _goals(scene: Any, targets: Path | None, seconds: float, rate: float) -> tuple[np.ndarray, list[Any]]:
    """The times, and the scene's goals with targets that move: along straight lines from the start, or as recorded."""
    from manikin.goals.target import shape_of, target_of
    from manikin.motion.keyframes import _now
    from manikin.motion.paths import Line
    from manikin.motion.timed import Along

    if not (seconds > 0.0 and rate > 0.0):
        raise FormatError("--seconds and --rate must be positive")
    listed = list(scene.goals)
    if any(isinstance(entry, list) for entry in listed):
        raise FormatError(f"{scene.path}: goals are tracked together; leave out their levels")
    if targets is None:
        times = np.arange(round(seconds * rate) + 1) / rate
        pose = scene.start
        moving: list[Any] = []
        for goal in listed:
            if shape_of(goal) is None:
                moving.append(goal)
                continue
            end = target_of(goal)
            moving.append(Along(goal, Line(_now(pose, goal, end), end)))
        return times, moving
    times, recorded = _recorded(targets, listed)
    unknown = set(recorded) - {goal.site for goal in listed}
    if unknown:
        raise FormatError(f"{targets}: no goal of the scene has the site {sorted(unknown)[0]!r}")
    return times, [Along(goal, recorded[goal.site]) if goal.site in recorded else goal for goal in listed]


def _recorded(path: Path, goals: list[Any]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times and targets by site from an .npz or a .csv file."""
    from manikin.archive import Archive
    from manikin.files import read_text
    from manikin.markers.files.trc import MOST_BYTES

    try:
        if path.suffix.lower() == ".npz":
            archive = Archive(path, "targets")
            arrays = {name: np.asarray(archive.array(name), dtype=np.float64) for name in archive.names}
            if "times" not in arrays:
                raise FormatError(f"{path}: it has no array 'times'")
            return arrays.pop("times"), arrays
        if path.suffix.lower() == ".csv":
            table = np.genfromtxt(read_text(path, "CSV", MOST_BYTES).split("\n"), delimiter=",", names=True)
            columns = table.dtype.names or ()
            if not {"time", "x", "y", "z"} <= set(columns):
                raise FormatError(f"{path}: it needs the columns time, x, y and z, got {', '.join(columns)}")
            if not goals:
                raise FormatError(f"{path}: the scene has no goal for these targets")
            points = np.stack([np.atleast_1d(table[name]) for name in ("x", "y", "z")], axis=1)
            return np.atleast_1d(table["time"]), {goals[0].site: points}
    except FormatError:
        raise
    except (ValueError, IndexError, TypeError) as problem:
        raise FormatError(f"{path}: cannot be read: {problem}") from None
    raise FormatError(f"{path}: recorded targets are read from .npz and .csv files")


def _summary(motion: Tracked, goals: list[Any], spent: float) -> dict[str, Any]:
    rows = []
    for k, entry in enumerate(goals):
        goal = getattr(entry, "goal", entry)
        errors = motion.errors[:, k]
        known = errors[np.isfinite(errors)]
        rows.append(
            {
                "kind": goal.kind(),
                "site": goal.site,
                "unit": goal.unit,
                "worst": float(known.max()) if len(known) else None,
                "mean": float(known.mean()) if len(known) else None,
            }
        )
    return {
        "samples": len(motion),
        "seconds": motion.duration,
        "reached": bool(motion.reached.all()),
        "samples_reached": int(motion.reached.sum()),
        "samples_lagging": int(motion.lagging.sum()),
        "violations": [str(one) for one in motion.violations],
        "goals": rows,
        "spent": spent,
    }


def _print(data: dict[str, Any]) -> None:
    from rich.console import Console

    table = plain_table("goal", "site", "worst miss", "mean miss", numbers=("worst miss", "mean miss"))
    for goal in data["goals"]:
        cells = ["–" if goal[key] is None else quantity(goal[key], goal["unit"]) for key in ("worst", "mean")]
        table.add_row(goal["kind"], goal["site"], *cells)
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    console.print(
        f"\n{data['samples_reached']} of {data['samples']} samples reached, "
        f"{data['samples_lagging']} behind by limits, {duration(data['spent'])}",
        markup=False,
    )
    for violation in data["violations"]:
        console.print(f"does not hold: {violation}", markup=False)
