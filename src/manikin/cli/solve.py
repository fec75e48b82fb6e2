"""`manikin solve`: pose a figure by goals, or solve a scene file, and say how it went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli import given as options
from manikin.cli.info import Base, Unit, Up
from manikin.cli.output import (
    NOT_REACHED,
    AsJson,
    Quiet,
    Within,
    duration,
    errors_in_a_line,
    errors_of,
    plain_table,
    print_json,
    write_whole,
)

if TYPE_CHECKING:
    from manikin.result import Solution


def solve(
    figure: options.FigureArgument,
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
    restarts: Annotated[int | None, typer.Option(help="Further starts at most, if a goal is missed.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the further starts.")] = None,
    solutions: Annotated[int | None, typer.Option(help="Number of solutions, well apart.", min=1)] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which to stop.")] = None,
    threads: Annotated[int | None, typer.Option(help="Number of threads for further starts.", min=1)] = None,
    base: Annotated[Base | None, typer.Option(help="How the figure's root stands in the world.")] = None,
    unit: Unit = None,
    up: Up = None,
    stature: options.Stature = None,
    sex: options.Sex = None,
    percentile: options.Percentile = None,
    age: options.Age = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write the pose found to this file, as JSON, even if a goal is missed."
        ),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the pose found, with its goals, to this PNG file.")
    ] = None,
    within: Within = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Pose a figure by goals, or solve a scene. Lengths are metres, angles degrees.

    manikin solve human --goal right_hand=0.5,-0.3,1.3 --pin left_foot --pin right_foot --balance

    Exit status: 0 if all goals are reached, 1 if not, 2 for an error.
    """
    with errors_in_a_line():
        from manikin.problem import solve as find

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
        asked = options.given(figure, wanted, within)
        told: dict[str, Any] = {
            "restarts": restarts,
            "seed": seed,
            "solutions": solutions,
            "time_limit": time_limit,
            "threads": threads,
        }
        given = asked.options | {name: value for name, value in told.items() if value is not None}
        with asked.blamed():
            solution = find(asked.start, asked.goals, constraints=asked.constraints, **given)
        if output is not None:
            write_whole(output, solution.pose.to_json() + "\n")
        if picture is not None:
            from manikin.pictures import picture as draw

            draw(solution, picture)
            if not json and not quiet:
                typer.echo(f"picture: {picture}", err=True)
    if json:
        found = solution.to_dict()
        print_json(found | {"alternatives": [other.pose.values() for other in solution.alternatives]})
    elif not quiet:
        print_solution(solution)
    if not solution.reached:
        raise typer.Exit(NOT_REACHED)


def print_solution(solution: Solution) -> None:
    """Print each goal's error, the counts and the explanation."""
    from rich.console import Console

    table = plain_table("goal", "site", "error", "reached", numbers=("error",))
    for report in solution.goal_reports:
        reached = "yes" if report.reached else "no"
        table.add_row(report.goal.kind(), report.goal.site, errors_of(report.to_dict()), reached)
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    console.print(
        f"\n{solution.status} after {solution.iterations} iterations, {duration(solution.seconds)}",
        markup=False,
    )
    console.print(solution.explain(), markup=False)
    if solution.alternatives:
        console.print(f"{len(solution.alternatives)} more solutions (--json prints them)", markup=False)
