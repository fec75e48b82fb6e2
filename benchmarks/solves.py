"""Whole solves from Python by the size of the figure, against the prototypes on the same problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

import manikin as mk
from benchmarks.figures import FIGURES, Body
from benchmarks.problems import RandomProblem, random_problems
from benchmarks.prototypes import Prototypes, prototypes, twin_targets
from benchmarks.recheck import reached
from benchmarks.tables import Section, Table

# The prototypes stop where Manikin does: at a micrometre, or where the projected gradient is this small.
_PTOL, _GTOL = 5e-13, 1e-8
COLUMNS = (
    "figure",
    "problems",
    "method",
    "median µs",
    "95 % µs",
    "iterations",
    "evaluations",
    "reached, %",
    "median P",
    "its median time over ours",
)


@dataclass
class Runs:
    """One method's results, one entry a problem."""

    seconds: list[float] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    evaluations: list[int] = field(default_factory=list)
    reached: list[bool] = field(default_factory=list)
    potential: list[float] = field(default_factory=list)


# Seconds, q, potential, iterations, evaluations.
Result = tuple[float, np.ndarray, float, int, int]
Solver = Callable[[RandomProblem], Result]


METHODS = ("auto", "lm", "projection")


def _ours(body: Body, first: RandomProblem, method: str) -> Solver:
    problem = mk.Problem(body.figure, body.goals(first.targets))

    def solve(drawn: RandomProblem) -> Result:
        own = body.with_targets(problem, drawn.targets)
        begin = perf_counter()
        found = own.solve(drawn.start, method=method)
        seconds = perf_counter() - begin
        return seconds, found.q, found.cost, found.iterations, found.evaluations

    return solve


def _numba(body: Body, others: Prototypes, budget: int, name: str) -> Solver:
    ikn, twin = others.compiled, others.twin(body)
    assert ikn is not None
    work = ikn.ws(twin)
    call = getattr(ikn, name)

    def solve(drawn: RandomProblem) -> Result:
        q, targets = drawn.start.copy(), twin_targets(body, drawn.targets)
        begin = perf_counter()
        call(twin, work, q, targets, budget, _PTOL, _GTOL)
        return perf_counter() - begin, q, float(work.out[0]), int(work.out[1]), int(work.out[2])

    return solve


def _native(body: Body, others: Prototypes, budget: int) -> Solver:
    solver = others.native_solver(others.twin(body))
    assert solver is not None
    out = np.zeros(8)

    def solve(drawn: RandomProblem) -> Result:
        q, targets = drawn.start.copy(), twin_targets(body, drawn.targets)
        begin = perf_counter()
        solver.zb(q, targets, budget, _PTOL, _GTOL, out)
        return perf_counter() - begin, q, float(out[0]), int(out[1]), int(out[2])

    return solve


def _solvers(body: Body, first: RandomProblem, others: Prototypes | None) -> dict[str, Solver]:
    budget = 200 + 20 * body.n
    solvers = {f"Manikin, {method}": _ours(body, first, method) for method in METHODS}
    if others and others.compiled is not None:
        solvers["Numba prototype, projection"] = _numba(body, others, budget, "zb_call")
        solvers["Numba prototype, LM"] = _numba(body, others, budget, "lm_call")
    if others and others.native is not None:
        solvers["C++ prototype"] = _native(body, others, budget)
    return solvers


def measure(
    body: Body, count: int, rounds: int, others: Prototypes | None, *, reachable: bool
) -> dict[str, Runs]:
    """Every method on every problem, in turns; the time is the least of the rounds."""
    drawn = random_problems(body, count, reachable=reachable)
    solvers = _solvers(body, drawn[0], others)
    runs = {name: Runs() for name in solvers}
    for solve in solvers.values():
        solve(drawn[0])
    for one in drawn:
        times: dict[str, list[float]] = {name: [] for name in solvers}
        for turn in range(rounds):
            for name, solve in solvers.items():
                seconds, q, potential, iterations, evaluations = solve(one)
                times[name].append(seconds)
                if turn == 0:
                    runs[name].potential.append(potential)
                    runs[name].iterations.append(iterations)
                    runs[name].evaluations.append(evaluations)
                    runs[name].reached.append(reached(body, q, one.targets))
        for name in solvers:
            runs[name].seconds.append(min(times[name]))
    return runs


def run(quick: bool = False) -> Section:
    """200 problems of each kind for each figure; when quick 5, without the prototypes."""
    others = None if quick else prototypes()
    count, rounds = (5, 1) if quick else (200, 3)
    table = Table("Whole solves", COLUMNS)
    for make in FIGURES.values():
        body = make()
        for reachable in (True, False):
            runs = measure(body, count, rounds, others, reachable=reachable)
            base = float(np.median(runs["Manikin, auto"].seconds))
            for name, found in runs.items():
                median = float(np.median(found.seconds))
                table.add(
                    body.name,
                    "reachable" if reachable else "out of reach",
                    name,
                    median * 1e6,
                    float(np.percentile(found.seconds, 95)) * 1e6,
                    float(np.median(found.iterations)),
                    float(np.median(found.evaluations)),
                    100.0 * float(np.mean(found.reached)),
                    float(np.median(found.potential)),
                    median / base,
                )
    return Section(
        "solves",
        "From Python, prepared once, targets set outside the timing; the least of 3 rounds taken in turns. "
        "`auto` goes on from other starts where the first misses; the others have the one start. "
        "Reached: every goal within 0.1 mm and 1 mrad and every limit kept, by "
        "an independent forward kinematics. Out of reach: targets 1.5 times as far from the base; some of them "
        "can still be reached.",
        [table],
        notes=list(others.reasons) if others else [],
    )
