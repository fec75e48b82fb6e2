"""`manikin track`: goals that move, followed over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from manikin.cli import given as options
from manikin.cli.info import Base, Unit, Up
from manikin.cli.output import (
    NOT_REACHED,
    AsJson,
    Quiet,
    Within,
    duration as spoken,
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
    figure: options.FigureArgument,
    targets: Annotated[
        Path | None,
        typer.Argument(
            help="Recorded targets: an .npz with `times` and, for each goal that moves, an array called by the goal's "
            "site; or a .csv with columns time, x, y, z for the first goal. NaN for none. Without it the goals are "
            "approached along straight lines."
        ),
    ] = None,
    goal: options.Goals = None,
    look_at: options.LookAts = None,
    pin: options.Pins = None,
    balance: options.Balances = False,
    posture: options.Posture = None,
    obstacle: options.Obstacles = None,
    start: options.Start = None,
    free: options.Free = None,
    fixed: options.Fixed = None,
    tolerance: options.Tolerance = None,
    rate: Annotated[float, typer.Option(help="Samples per second (Hz).")] = 100.0,
    duration: Annotated[float, typer.Option(help="Duration, s (recorded targets have their own).")] = 2.0,
    velocity: Annotated[
        float | None, typer.Option(help="Velocity limit of every joint, rad/s or m/s. Default: the figure's.")
    ] = None,
    acceleration: Annotated[
        float | None, typer.Option(help="Acceleration limit of every joint, rad/s² or m/s².")
    ] = None,
    jerk: Annotated[float | None, typer.Option(help="Jerk limit of every joint, rad/s³ or m/s³.")] = None,
    base: Annotated[Base | None, typer.Option(help="How the figure's root stands in the world.")] = None,
    unit: Unit = None,
    up: Up = None,
    stature: options.Stature = None,
    sex: options.Sex = None,
    percentile: options.Percentile = None,
    age: options.Age = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the motion to this file: .npz .bvh .glb .mot …"),
    ] = None,
    animation: Annotated[Path | None, typer.Option(help="Write an animation: .gif or .mp4.")] = None,
    within: Within = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Follow goals over time within joint ranges, and velocity, acceleration and jerk limits.

    Exit status: 0 if all goals are met all the time, 1 if not, 2 for an error.
    """
    from time import perf_counter

    with errors_in_a_line():
        from manikin.formats import room_of
        from manikin.motion import track as follow

        if output is not None:
            room_of(output, "write")
        wanted = options.Wanted(
            base=base,
            unit=unit,
            up=up,
            stature=stature,
            sex=sex,
            percentile=percentile,
            age=age,
            goals=goal,
            look_at=look_at,
            pins=pin,
            balance=balance,
            posture=posture,
            obstacles=obstacle,
            start=start,
            free=free,
            fixed=fixed,
            tolerance=tolerance,
        )
        found = options.given(figure, wanted, within)
        times, goals = _goals(found, targets, duration, rate)
        begin_pose = found.start
        if found.constraints:
            begin_pose = begin_pose.figure.with_couplings(*found.constraints).pose(begin_pose.q)
        known = {key: found.options[key] for key in ("free", "fixed", "tolerance") if key in found.options}
        begin = perf_counter()
        with progress_bar("tracking", shown=not json and not quiet) as advance, found.blamed():
            motion = follow(
                begin_pose,
                goals,
                times,
                velocity=velocity,
                acceleration=acceleration,
                jerk=jerk,
                name=found.name,
                progress=advance,
                **known,
            )
        spent = perf_counter() - begin
        if output is not None:
            if output.suffix.lower() == ".npz":
                motion.save(output)
            else:
                from manikin.formats import save

                save(motion, output)
        if animation is not None:
            from manikin.pictures import animate

            with progress_bar("drawing", shown=not json and not quiet) as advance:
                animate(motion, animation, progress=advance)
    data = _summary(motion, goals, spent)
    if json:
        print_json(data)
    elif not quiet:
        _print(data)
    if not data["reached"]:
        raise typer.Exit(NOT_REACHED)


def _goals(
    scene: options.Given, targets: Path | None, seconds: float, rate: float
) -> tuple[np.ndarray, list[Any]]:
    """The times, and the goals with targets that move: along straight lines from the start, or as recorded."""
    from manikin.goals.target import shape_of, target_of
    from manikin.motion.keyframes import where_now
    from manikin.motion.paths import Line
    from manikin.motion.timed import Along

    if not (seconds > 0.0 and rate > 0.0):
        raise FormatError("--duration and --rate must be positive")
    listed = list(scene.goals)
    if any(isinstance(entry, list) for entry in listed):
        raise FormatError(f"{scene.file}: goals are tracked together; leave out their levels")
    if targets is None:
        times = np.arange(round(seconds * rate) + 1) / rate
        pose = scene.start
        moving: list[Any] = []
        for goal in listed:
            if shape_of(goal) is None:
                moving.append(goal)
                continue
            end = target_of(goal)
            moving.append(Along(goal, Line(where_now(pose, goal, end), end)))
        return times, moving
    times, recorded = _recorded(targets, listed)
    unknown = set(recorded) - {goal.site for goal in listed}
    if unknown:
        raise FormatError(f"{targets}: no goal has the site {sorted(unknown)[0]!r}")
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
                raise FormatError(f"{path}: there is no goal for these targets")
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
        row: dict[str, Any] = {"kind": goal.kind(), "site": goal.site}
        for name, errors in (
            ("position", motion.position_errors),
            ("orientation", motion.orientation_errors),
        ):
            known = errors[np.isfinite(errors[:, k]), k]
            if len(known):
                row[f"{name}_error"] = {"largest": float(known.max()), "mean": float(known.mean())}
        rows.append(row)
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


#: Errors of a goal in the summary, and their units.
_ERRORS = {"position_error": "m", "orientation_error": "rad"}


def _print(data: dict[str, Any]) -> None:
    from rich.console import Console

    table = plain_table(
        "goal", "site", "largest error", "mean error", numbers=("largest error", "mean error")
    )
    for goal in data["goals"]:
        errors = [(goal[name], unit) for name, unit in _ERRORS.items() if name in goal]
        cells = [
            " and ".join(quantity(error[key], unit) for error, unit in errors) or "–"
            for key in ("largest", "mean")
        ]
        table.add_row(goal["kind"], goal["site"], *cells)
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    console.print(
        f"\n{data['samples_reached']} of {data['samples']} samples reached, "
        f"{data['samples_lagging']} behind by limits, {spoken(data['spent'])}",
        markup=False,
    )
    for violation in data["violations"]:
        console.print(f"does not hold: {violation}", markup=False)
