"""`manikin demo`: the results of the report of 1989 on our figure, with pictures; or a robot arm."""

from __future__ import annotations

import statistics
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.output import AsJson, duration, errors_in_a_line, errors_of, plain_table, print_json
from manikin.errors import FormatError, MissingExtraError

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.problem import Problem
    from manikin.result import Solution

REPEATS = 21


class Show(StrEnum):
    """What the demo shows."""

    report = "report"
    robot = "robot"


Shown = dict[str, Any]


def demo(
    show: Annotated[
        Show, typer.Argument(help="The report's results on a human figure, or a robot arm.")
    ] = Show.report,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the pictures.")] = Path(
        "manikin-demo"
    ),
    picture: Annotated[bool, typer.Option(help="Draw a picture of each start and result.")] = True,
    json: AsJson = False,
) -> None:
    """Reproduce figures 4, 5 and 7 of Zhao and Badler (1989), print the results and draw them."""
    with errors_in_a_line():
        shown = _report() if show is Show.report else _robot()
        written = _draw(shown, output, quiet=json) if picture else []
    if json:
        print_json([_as_data(case) for case in shown])
        return
    _print(shown)
    for path in written:
        typer.echo(f"picture: {path}")


def _solved(title: str, problem: Problem, start: Pose, then: float | None) -> Shown:
    """A case, its solution, and the median time of repeated solves (the first may have to compile)."""
    solution = problem.solve()
    seconds = statistics.median(problem.solve().seconds for _ in range(REPEATS))
    dofs = len(problem.variables)
    return {
        "title": title,
        "start": start,
        "solution": solution,
        "dofs": dofs,
        "seconds": seconds,
        "then": then,
    }


def _report() -> list[Shown]:
    from manikin.cli.report import cases
    from manikin.problem import Problem

    return [
        _solved(
            f"Figure {case.figure}: {case.title}",
            Problem(case.start, case.goals, free=case.free),
            case.start,
            case.seconds_then,
        )
        for case in cases()
    ]


def _robot() -> list[Shown]:
    from manikin.cli.robot import arm, cases
    from manikin.problem import Problem

    figure = arm()
    return [_solved(case.title, Problem(figure, case.goals), figure.pose(), None) for case in cases()]


def _draw(shown: list[Shown], folder: Path, *, quiet: bool) -> list[Path]:
    """One picture a case, start and result side by side; none, with the reason, where the extra is missing."""
    from manikin.pictures import side_by_side

    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, case in enumerate(shown, 1):
            path = folder / f"{number}-{case['title'].split(': ')[-1].replace(' ', '-')}.png"
            side_by_side(case["start"], case["solution"], path, captions=("start", "found"), size=(480, 600))
            written.append(path)
    except OSError as problem:
        raise FormatError(f"{folder}: the pictures cannot be written: {problem.strerror}") from problem
    except MissingExtraError as missing:
        if not quiet:
            typer.echo(f"no pictures: {missing}", err=True)
    return written


def _as_data(case: Shown) -> dict[str, Any]:
    """One case as the JSON shows it."""
    solution: Solution = case["solution"]
    data = {"case": case["title"], "dofs": case["dofs"]} | solution.to_dict() | {"seconds": case["seconds"]}
    if case["then"] is not None:
        data |= {"seconds_then": case["then"], "ratio": case["then"] / case["seconds"]}
    return data


def _print(shown: list[Shown]) -> None:
    """Print a table of the cases, one of their goals' misses, and the reasons for each that is not reached."""
    from rich.console import Console

    reported = any(case["then"] is not None for case in shown)
    columns = ["figure" if reported else "case", "DOF", "goals", "status", "iterations", "now"] + (
        ["1989", "ratio"] if reported else []
    )
    cases = plain_table(*columns, numbers=("DOF", "goals", "iterations", "now", "1989", "ratio"))
    cases.padding = (0, 1, 0, 0)
    misses = plain_table("case", "goal", "site", "error", numbers=("error",))
    for case in shown:
        solution: Solution = case["solution"]
        row = [
            case["title"].removeprefix("Figure "),
            str(case["dofs"]),
            str(len(solution.goals)),
            solution.status,
            str(solution.iterations),
            duration(case["seconds"]),
        ]
        if case["then"] is not None:
            row += [duration(case["then"]), f"{case['then'] / case['seconds']:,.0f}"]
        cases.add_row(*row)
        for place, goal in enumerate(solution.to_dict()["goals"]):
            title = case["title"] if place == 0 else ""
            misses.add_row(title, goal["kind"], goal["site"], errors_of(goal))
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(cases)
    console.print()
    console.print(misses)
    for case in shown:
        if not case["solution"].reached:
            console.print(f"\n{case['title']}:\n{case['solution'].explain()}\n")
