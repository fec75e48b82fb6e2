"""`manikin study`: a population and a layout from a file; who can reach what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.output import AsJson, duration, errors_in_a_line, plain_table, print_json
from manikin.cli.progress import progress_bar

if TYPE_CHECKING:
    from manikin.reach.outcome import Study

_SHOWN = 20


def study(
    file: Annotated[Path | None, typer.Argument(help="A study file (TOML); --example prints one.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Zarr folder for the results; an interrupted study resumes from it."
        ),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, as tcp://host:8786.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page of HTML about it.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Plot the fraction of people at each point: .png, .svg.")
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print a study file that runs, to begin with.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Run a study: who of a population reaches which points. Interrupted studies resume from --output."""
    with errors_in_a_line():
        from manikin.errors import FormatError
        from manikin.formats.study import EXAMPLE, read_study

        if example:
            typer.echo(EXAMPLE, nl=False)
            return
        if file is None:
            raise FormatError("study: give a study file; manikin study --example prints one to begin with")
        from manikin.reach.studies import study as run

        read = read_study(file)
        with progress_bar("chunks", shown=not json) as progress:
            found = run(
                read.people, read.points, path=output, cluster=cluster, progress=progress, **read.options
            )
        if report is not None:
            from manikin.reach.report import write_report

            write_report(found, report, title=file.stem)
        if plot is not None:
            from manikin.reach.drawing import plot_study

            plot_study(found, plot)
        told = found.to_dict()
    if json:
        print_json(told)
    else:
        print_study(found, told)


def print_study(found: Study, told: dict[str, Any]) -> None:
    """Print what was found, and the points that fewest reach."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{told['people']} people, {told['women']} of them women; {len(told['points'])} points with {told['site']}; "
        f"{duration(told['seconds'])}",
        markup=False,
    )
    best = ", ".join(f"{value:.3f}" for value in told["best"]["point"])
    console.print(
        f"{100 * told['all_points']:.1f} % reach all of them; the best place is ({best}) m, which "
        f"{100 * told['best']['share']:.1f} % reach",
        markup=False,
    )
    if told["decides"]:
        console.print(f"what decides most: {told['decides'].replace('_', ' ')}", markup=False)
    table = plain_table(
        "x",
        "y",
        "z",
        "share %",
        "not found %",
        "95 % interval",
        "mean miss mm",
        "decides",
        numbers=("x", "y", "z", "share %", "not found %"),
    )
    for row in sorted(told["points"], key=lambda row: row["share"])[:_SHOWN]:
        low, high = row["interval"]
        table.add_row(
            *(f"{value:.3f}" for value in row["point"]),
            f"{100 * row['share']:.1f}",
            f"{100 * row['open']:.1f}",
            f"{100 * low:.1f} – {100 * high:.1f}",
            f"{1000 * row['mean_miss']:.0f}",
            (row["decides"] or "").replace("_", " "),
        )
    console.print(table)
    if len(told["points"]) > _SHOWN:
        console.print(f"(the {_SHOWN} points that fewest reach; --json has all)", markup=False)
