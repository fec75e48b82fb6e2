"""The human figure: the report's three results, whole-body solves, and a picture."""

from __future__ import annotations

from statistics import median
from time import process_time

import numpy as np

import manikin as mk
from benchmarks.tables import Requirement, Section, Table
from manikin.cli.report import cases
from manikin.engines.starts.restarts import random_start
from manikin.engines.work import Work

REPORT_COLUMNS = (
    "case",
    "DOF",
    "status",
    "iterations",
    "µs",
    "s in 1989",
    "ratio",
    "P over the best of random starts",
)
BODY_COLUMNS = ("figure", "DOF", "solves", "median µs", "95 % µs", "iterations", "reached, %")


def report(rounds: int, starts: int) -> tuple[Table, list[Requirement]]:
    """The three results: time now and in 1989; out of reach, the potential over the best of many random starts."""
    table = Table(
        "The report of 1989",
        REPORT_COLUMNS,
    )
    requirements = []
    for case in cases():
        problem = mk.Problem(case.start, case.goals, free=case.free)
        found = problem.solve()
        seconds = median(problem.solve().seconds for _ in range(rounds))
        ratio = None
        if not found.reached:
            rng = np.random.default_rng(0)
            work = Work(problem.spec)
            best = min(problem.solve(random_start(work, problem.q0, rng)).cost for _ in range(starts))
            ratio = found.cost / best
            requirements.append(
                Requirement(f"figure {case.figure}: P over the best of {starts} starts", ratio, 1.01)
            )
        title = f"figure {case.figure}: {case.title}"
        row = (title, len(problem.variables), found.status, found.iterations, seconds * 1e6)
        table.add(*row, case.seconds_then, case.seconds_then / seconds, ratio)
        requirements.append(Requirement(f"figure {case.figure}: milliseconds", seconds * 1e3, 1.0))
    return table, requirements


def whole_body(count: int) -> Table:
    """Both hands and the gaze to random places, the feet kept; reached by an independent forward kinematics."""
    table = Table(
        "Whole body: both hands, gaze, both feet",
        BODY_COLUMNS,
    )
    for name, options in (
        ("full", {}),
        ("no fingers", {"fingers": False}),
        ("bent spine", {"spine": "bend"}),
    ):
        body = mk.human(stature=1.75, **options)
        rest = body.pose()
        feet = [
            mk.Placement(
                f"{side}_foot", rest.position(f"{side}_foot"), rest.matrix(f"{side}_foot"), weight=10.0
            )
            for side in ("left", "right")
        ]
        hands = [mk.Position("right_hand", np.zeros(3)), mk.Position("left_hand", np.zeros(3))]
        gaze = mk.Aim("eyes", np.zeros(3))
        problem = mk.Problem(rest, [*hands, gaze, *feet])
        rng = np.random.default_rng(1)
        times, steps, reached = [], 0, 0
        for _ in range(count):
            middle = rng.uniform([0.3, -0.2, 0.8], [0.55, 0.2, 1.5])
            apart = np.array([0.0, rng.uniform(0.1, 0.3), 0.0])
            targets = [middle - apart, middle + apart, middle, None, None]
            found = min((problem.solve(targets=targets) for _ in range(3)), key=lambda one: one.seconds)
            times.append(found.seconds * 1e6)
            steps += found.iterations
            misses = [np.linalg.norm(found.pose.position(g.site) - g.target) for g in found.goals[:2]]
            inside = (found.q >= body.lower).all() and (found.q <= body.upper).all()
            reached += bool(found.reached and max(misses) <= 1e-4 and inside)
        ends = np.percentile(times, [50, 95]).tolist()
        table.add(name, body.n, count, *ends, steps / count, 100.0 * reached / count)
    return table


def drawing() -> tuple[Table, Requirement]:
    """CPU seconds of a picture of 800 × 800."""
    from manikin.pictures import picture

    table = Table("A picture of 800 × 800", ("subject", "CPU s"))
    body = mk.human()
    picture(body, size=(100, 100))
    begin = process_time()
    picture(body)
    seconds = process_time() - begin
    table.add("the human at rest", seconds)
    return table, Requirement("CPU seconds of a picture", seconds, 3.0)


def run(quick: bool = False) -> Section:
    """Measure all three."""
    table, requirements = report(3 if quick else 51, 20 if quick else 1000)
    tables = [table, whole_body(3 if quick else 200)]
    if not quick:
        picture_table, requirement = drawing()
        tables.append(picture_table)
        requirements.append(requirement)
    return Section(
        "human", "The human figure, prepared once, from rest.", tables, [] if quick else requirements
    )
