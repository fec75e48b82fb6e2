"""One evaluation of potential and gradient, inside compiled code, by the number of joints."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.figures import FIGURES, Body, chain
from benchmarks.inside import REASON, inside
from benchmarks.problems import random_problem
from benchmarks.prototypes import Prototypes, prototypes, twin_targets, worst_difference
from benchmarks.tables import Requirement, Section, Table
from benchmarks.timing import in_turns, ratio
from manikin.engines.work import Work
from manikin.kernels.memory.layout import IDENTITY, view_parts, view_space, view_sweep, view_tree
from manikin.kernels.pose.slope import evaluate

CHAINS = (31, 60, 120, 250, 500, 1000)
COLUMNS = ("figure", "joints", "goals", "µs", "ns a joint", "× Numba prototype", "× C++ prototype")


# Not cached on disk: the stamp of the cache covers the kernels in src only.
@inside(error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})
def evaluate_often(S, R, W, x, gradient, repeats):
    """The sum of the potentials of that many evaluations at x."""
    tree = view_tree(S, R, W)
    parts = view_parts(S, R)
    space = view_space(S, R)
    sweep = view_sweep(S, W)
    total = 0.0
    for _ in range(repeats):
        total += evaluate(S[IDENTITY] != 0, tree, parts, space.variable, sweep, x, gradient)[0]
    return total


def evaluation_timer(problem: mk.Problem, q: np.ndarray, repeats: int) -> Callable[[], float]:
    """A measure of the seconds of one evaluation at q."""
    packed = Work(problem.spec).packed
    arrays = packed.structure, packed.parameters, packed.workspace.copy()
    x = q[packed.variables]
    gradient = np.empty_like(x)
    evaluate_often(*arrays, x, gradient, 1)

    def measure() -> float:
        begin = perf_counter()
        evaluate_often(*arrays, x, gradient, repeats)
        return (perf_counter() - begin) / repeats

    return measure


def _numba_timer(
    ikn: Any, twin: Any, q: np.ndarray, targets: np.ndarray, repeats: int
) -> Callable[[], float]:
    """The same of the Numba prototype."""
    import numba

    evalg = ikn.evalg
    work = ikn.ws(twin)

    @numba.njit(error_model="numpy")
    def often(n, goals, parent, placement, kinds, sites, target, th, frames, forces, gradient, times):
        total = 0.0
        for _ in range(times):
            total += evalg(n, goals, parent, placement, kinds, sites, target, th, frames, forces, gradient)
        return total

    arguments = (twin.n, twin.ng, twin.parent, twin.X, twin.gi, twin.gs, targets, q, work.T, work.F, work.g)
    often(*arguments, 1)

    def measure() -> float:
        begin = perf_counter()
        often(*arguments, repeats)
        return (perf_counter() - begin) / repeats

    return measure


def _measure(body: Body, others: Prototypes | None, rounds: int) -> tuple[dict[str, float], float | None]:
    """Seconds of one evaluation by each, and the difference in forward kinematics."""
    drawn = random_problem(body, 0, reachable=True)
    repeats = max(20, 60_000 // body.n)
    problem = mk.Problem(body.figure, body.goals(drawn.targets))
    measures = {"ours": evaluation_timer(problem, drawn.start, repeats)}
    difference = None
    twin = others.twin(body) if others else None
    if others and others.figures is not None:
        difference = worst_difference(body, twin, others.figures)
        targets = twin_targets(body, drawn.targets)
        if others.compiled is not None:
            measures["numba"] = _numba_timer(others.compiled, twin, drawn.start, targets, repeats)
        solver = others.native_solver(twin)
        if solver is not None:
            gradient = np.empty(body.n)
            measures["c++"] = lambda: solver.evalrep(drawn.start, targets, gradient, repeats)
    return in_turns(measures, rounds), difference


def run(quick: bool = False) -> Section:
    """Measure the figures and chains; when quick, two of them, without the prototypes."""
    if REASON:
        return Section(
            "evaluation", "Potential and gradient at one pose.", [], notes=[f"Not measured: {REASON}."]
        )
    others = None if quick else prototypes()
    bodies = [make() for make in FIGURES.values()] if not quick else [FIGURES["arm7"]()]
    bodies += [chain(n) for n in ((31,) if quick else CHAINS)]
    table = Table("One evaluation", COLUMNS)
    differences = []
    for body in bodies:
        times, difference = _measure(body, others, 3 if quick else 25)
        mine = times["ours"]
        differences.append(difference)
        table.add(
            body.name,
            body.n,
            len(body.wishes),
            mine * 1e6,
            mine * 1e9 / body.n,
            ratio(mine, times.get("numba")),
            ratio(mine, times.get("c++")),
        )
    section = Section(
        "evaluation",
        "Potential and gradient at one pose, repeated inside compiled code; the least of 25 rounds taken in "
        "turns. Ours leaves out the motions that no goal depends on (10 of human120's 120).",
        [table],
        notes=list(others.reasons) if others else [],
    )
    known = [d for d in differences if d is not None]
    if known:
        section.notes.append(f"Forward kinematics differ from the prototypes' by at most {max(known):.1e} m.")
    if not quick:
        section.requirements = _requirements(table)
    return section


def _requirements(table: Table) -> list[Requirement]:
    rows = {row[0]: row for row in table.rows}
    growth = rows["chain1000"][4] / rows["chain31"][4]
    native = [row[6] for row in table.rows if row[6] is not None]
    worst = max(native) if native else None
    return [
        Requirement("time a joint at 1,000 joints over that at 31 (chains)", growth, 1.3),
        Requirement("largest ratio to the C++ prototype", worst, 1.5),
    ]
