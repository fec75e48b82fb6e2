"""How the time of an iteration of the projection method grows with the number of variables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import manikin as mk
from benchmarks.figures import FIGURES, Body, chain
from benchmarks.problems import random_problems
from benchmarks.tables import Requirement, Section, Table
from benchmarks.timing import seconds_of

CHAINS = (7, 16, 31, 60, 120)
COLUMNS = (
    "figure",
    "variables",
    "problems",
    "iterations a solve",
    "evaluations an iteration",
    "µs an iteration",
)


def power(sizes: Sequence[float], times: Sequence[float]) -> float:
    """p of time = c·n^p, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def measure(body: Body, count: int, rounds: int, *, reachable: bool) -> tuple[int, float, float, float]:
    """Variables, iterations a solve, evaluations an iteration, and seconds an iteration, all costs included."""
    drawn = random_problems(body, count, reachable=reachable)
    problem = mk.Problem(body.figure, body.goals(drawn[0].targets))
    total, iterations, evaluations = 0.0, 0, 0
    for one in drawn:
        problem = body.with_targets(problem, one.targets)
        found = problem.solve(one.start, method="projection")
        iterations += found.iterations
        evaluations += found.evaluations
        total += min(seconds_of(lambda: problem.solve(one.start, method="projection")) for _ in range(rounds))  # noqa: B023
    return len(problem.variables), iterations / count, evaluations / iterations, total / iterations


def run(quick: bool = False) -> Section:
    """Measure chains and figures, reachable and not, and fit the power."""
    count, rounds = (3, 1) if quick else (40, 5)
    groups = {
        "chains": [chain(n) for n in ((7, 16) if quick else CHAINS)],
        "figures": [FIGURES[name]() for name in (("arm7", "tree16") if quick else FIGURES)],
    }
    table = Table("Time of an iteration", COLUMNS)
    fits = Table("Fit: time = c·nᵖ", ("figures", "problems", "p"))
    for group, bodies in groups.items():
        for reachable in (True, False):
            kind = "reachable" if reachable else "out of reach"
            sizes, times = [], []
            for body in bodies:
                n, steps, evaluations, seconds = measure(body, count, rounds, reachable=reachable)
                table.add(body.name, n, kind, steps, evaluations, seconds * 1e6)
                sizes.append(n)
                times.append(seconds)
            fits.add(group, kind, power(sizes, times))
    worst = max(float(p) for p in fits.column("p"))  # type: ignore[arg-type]
    return Section(
        "iteration",
        "Time of whole solves by projection over their iterations; nothing is subtracted.",
        [table, fits],
        [] if quick else [Requirement("largest power p", worst, 2.0)],
    )
