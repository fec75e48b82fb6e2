"""`manikin solve`: solve a scene file and say how it went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    write_whole,
)

if TYPE_CHECKING:
    from manikin.result import Solution


def solve(
    scene: Annotated[Path, typer.Argument(help="A scene file (TOML).")],
    json: AsJson = False,
    output: Annotated[
        Path | None,
        typer.Option(help="Write the pose found to this file, as JSON. Also when a goal is missed."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the pose found, with its goals, to this PNG file.")
    ] = None,
    within: Within = None,
) -> None:
    """Solve a scene. The exit status is 0 if all goals are reached, 1 if not, 2 for an error."""
    with errors_in_a_line():
        from manikin.formats.scene import read_scene

        solution = read_scene(scene, within=within).solve()
        if output is not None:
            write_whole(output, solution.pose.to_json() + "\n")
        if picture is not None:
            from manikin.pictures import picture as draw

            draw(solution, picture)
            if not json:
                typer.echo(f"picture: {picture}", err=True)
    if json:
        print_json(solution.to_dict())
    else:
        print_solution(solution)
    if not solution.reached:
        raise typer.Exit(NOT_REACHED)


def print_solution(solution: Solution) -> None:
    """Print each goal's miss, the counts and the explanation."""
    from rich.console import Console

    table = plain_table("goal", "site", "miss", "reached", numbers=("miss",))
    for goal in solution.to_dict()["goals"]:
        miss = quantity(goal["miss"], goal["unit"])
        table.add_row(goal["kind"], goal["site"], miss, "yes" if goal["reached"] else "no")
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    console.print(
        f"\n{solution.status} after {solution.iterations} iterations, {duration(solution.seconds)}",
        markup=False,
    )
    console.print(solution.explain(), markup=False)
