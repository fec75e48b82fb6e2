"""The report's comparison: what the metric of the projection method learns by BFGS and by DFP, and the search's δ₂."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.figures import FIGURES, Body
from benchmarks.problems import RandomProblem, random_problems
from benchmarks.tables import Requirement, Section, Table

COLUMNS = (
    "figure",
    "problems",
    "update",
    "iterations, median",
    "iterations, mean",
    "evaluations, mean",
    "reached or stationary, %",
    "evaluations beside bfgs",
)
SEARCH_COLUMNS = ("figure", "problems", "δ₂", "iterations, mean", "evaluations, mean")
UPDATES = ("bfgs", "dfp", "bfgs_only")
DELTAS = (0.1, 0.5, 0.9)
_OF_A_PERSON = 4


def solved(
    body: Body, drawn: Sequence[RandomProblem], options: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Iterations and evaluations of each solve, and the share that came to an end by itself."""
    problem = mk.Problem(body.figure, body.goals(drawn[0].targets))
    iterations, evaluations, ended = [], [], 0
    for one in drawn:
        problem = body.with_targets(problem, one.targets)
        found = problem.solve(one.start, method="projection", options=options)
        iterations.append(found.iterations)
        evaluations.append(found.evaluations)
        ended += found.status != "iteration_limit"
    return np.array(iterations), np.array(evaluations), ended / len(drawn)


def run(quick: bool = False) -> Section:
    """Solve the same problems with each formula, and with each δ₂."""
    usual_count = 4 if quick else 60
    table = Table("BFGS against DFP (28, 29)", COLUMNS)
    search = Table("How slack the line search is (26)", SEARCH_COLUMNS)
    more = []
    for name in ("arm7", "tree16") if quick else FIGURES:
        body = FIGURES[name]()
        # In plain NumPy a person's solve takes seconds.
        count = min(usual_count, _OF_A_PERSON) if name == "human120" else usual_count
        for reachable in (True, False):
            kind = "reachable" if reachable else "out of reach"
            drawn = random_problems(body, count, reachable=reachable)
            usual = 0.0
            for update in UPDATES:
                steps, evaluations, ended = solved(body, drawn, {"update": update})
                usual = usual or float(evaluations.mean())
                beside = float(evaluations.mean()) / usual
                table.add(
                    body.name,
                    kind,
                    update,
                    float(np.median(steps)),
                    float(steps.mean()),
                    float(evaluations.mean()),
                    100.0 * ended,
                    beside,
                )
                more += [beside] if update == "dfp" else []
            for delta in DELTAS:
                steps, evaluations, _ = solved(body, drawn, {"delta_2": delta})
                search.add(body.name, kind, delta, float(steps.mean()), float(evaluations.mean()))
    return Section(
        "updates",
        "The report found BFGS better than DFP; the same problems by both, counted in steps and evaluations. "
        "`bfgs` is the report's step 5, which takes DFP where σᵀy < yᵀHy; `bfgs_only` never does.",
        [table, search],
        []
        if quick
        else [
            Requirement("evaluations by DFP beside BFGS, least of all rows", min(more), 1.0, at_least=True)
        ],
    )
