"""`manikin demo`: the main job on a robot arm of seven joints, with no files needed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from manikin.cli.output import AsJson, duration, errors_in_a_line, plain_table, print_json, quantity

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.goals import Goal
    from manikin.solvers import Solution

REPEATS = 21

JOINTS = (
    # name, axis, height above the joint before (m), lower, upper and rest (degrees)
    ("waist", "z", 0.32, -170, 170, 0),
    ("shoulder", "y", 0.00, -100, 110, 30),
    ("upper_arm", "z", 0.19, -170, 170, 0),
    ("elbow", "y", 0.19, 0, 145, 70),
    ("forearm", "z", 0.18, -170, 170, 0),
    ("wrist", "y", 0.18, -110, 110, 60),
    ("flange", "z", 0.00, -175, 175, 0),
)
TOOL_LENGTH = 0.11


@dataclass(frozen=True)
class Case:
    """One thing to show: its title and its goals."""

    title: str
    goals: Sequence[Goal]


def demo(json: AsJson = False) -> None:
    """Solve three problems for a robot arm: one in reach, one out of reach, and several goals at once."""
    if not json:
        typer.echo("Compiling what is not compiled yet; this happens once.", err=True)
    with errors_in_a_line():
        figure = arm()
        results = [(case, *timed(figure, case)) for case in cases()]
    if json:
        print_json([as_data(figure, *result) for result in results])
    else:
        print_results(figure, results)


def arm() -> Figure:
    """An arm whose shoulder, elbow and wrist turn and bend in turns; straight up, it is 1.17 m tall."""
    from math import radians

    from manikin.figure import Figure, Joint, Segment, Site

    names = ["base", *(f"{name}_link" for name, *_ in JOINTS)]
    joints = [
        Joint.revolute(
            name,
            names[i],
            names[i + 1],
            axis,
            placement=(0.0, 0.0, height),
            lower=radians(lower),
            upper=radians(upper),
            rest=radians(rest),
        )
        for i, (name, axis, height, lower, upper, rest) in enumerate(JOINTS)
    ]
    sites = [Site("tool", names[-1], (0.0, 0.0, TOOL_LENGTH)), Site("elbow", "elbow_link")]
    return Figure("arm", [Segment(name) for name in names], joints, sites)


def cases() -> list[Case]:
    """What the demo shows; the tool points along the z axis of its site."""
    import numpy as np

    from manikin.goals import Aim, OnLine, OnPlane, Placement

    down = np.diag([-1.0, 1.0, -1.0])
    return [
        Case("in reach", [Placement("tool", [0.45, 0.15, 0.35], down)]),
        Case("out of reach", [Placement("tool", [1.10, 0.15, 0.35], down)]),
        Case(
            "several",
            [
                Aim("tool", at=[0.80, 0.10, 0.0], axis=(0.0, 0.0, 1.0)),
                OnLine("tool", point=[0.45, 0.0, 0.40], direction=[0.0, 1.0, 0.0]),
                OnPlane("elbow", point=[0.0, 0.0, 0.55], normal=[0.0, 0.0, 1.0]),
            ],
        ),
    ]


def timed(figure: Figure, case: Case) -> tuple[Solution, float]:
    """The solution, and the median time of repeated solves, the first of which may have to compile."""
    from manikin.solvers import solve

    solution = solve(figure, case.goals)
    return solution, statistics.median(solve(figure, case.goals).seconds for _ in range(REPEATS))


def as_data(figure: Figure, case: Case, solution: Solution, seconds: float) -> dict[str, Any]:
    """One result as the JSON shows it."""
    return {"case": case.title, "dofs": figure.n} | solution.to_dict() | {"seconds": seconds}


def print_results(figure: Figure, results: Sequence[tuple[Case, Solution, float]]) -> None:
    """Print one table of all cases, then the reasons for each that is not reached."""
    from rich.console import Console

    numbers = ("DOF", "miss", "iterations", "time")
    table = plain_table(
        "case", "DOF", "goal", "site", "miss", "status", "iterations", "time", numbers=numbers
    )
    for case, solution, seconds in results:
        goals = solution.to_dict()["goals"]
        for i, goal in enumerate(goals):
            first = i == 0
            table.add_row(
                case.title if first else "",
                str(figure.n) if first else "",
                goal["kind"],
                goal["site"],
                quantity(goal["miss"], goal["unit"]),
                solution.status if first else "",
                str(solution.iterations) if first else "",
                duration(seconds) if first else "",
            )
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(table)
    for case, solution, _ in results:
        if not solution.reached:
            console.print(f"\n{case.title}:\n{solution.explain()}")
