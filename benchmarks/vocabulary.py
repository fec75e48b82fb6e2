"""Goals beyond the report's: what hard goals, regions and obstacles cost an iteration, and what whole solves take."""

from __future__ import annotations

from statistics import median

import numpy as np

import manikin as mk
from benchmarks.tables import Requirement, Section, Table
from benchmarks.timing import in_turns
from manikin.cli.report import cases

FEET = ("left_foot", "right_foot")
REGION_COLUMNS = ("DOF", "µs an iteration", "more for one goal, %")
OBSTACLE_COLUMNS = ("obstacles", "variables", "reached", "iterations", "µs an iteration", "ratio")
SOLVE_COLUMNS = ("goals", "solves", "reached, %", "median ms", "95 % ms")


def _per_iteration(problem: mk.Problem, solves: int) -> float:
    """Seconds an iteration of solves from the start, the least over some."""
    found = [problem.solve(method="lm") for _ in range(solves)]
    return min(one.seconds / max(one.iterations, 1) for one in found)


def _inactive(rounds: int) -> tuple[Table, list[Requirement]]:
    """Four goals at 31 degrees of freedom, with one inactive region goal, and with eleven."""
    case = cases()[1]
    pose = case.start if isinstance(case.start, mk.Pose) else case.start.pose()
    sites = ("right_hand", "left_hand", "right_elbow", "left_elbow")
    far = np.array([0.6, 0.0, 0.3])
    goals = [mk.Position(site, pose.position(site) + far) for site in sites]
    ball = mk.Ball(pose.position("right_hand"), 20.0)

    def problem(count: int) -> mk.Problem:
        return mk.Problem(
            pose, [*goals, *(mk.Inside("right_hand", ball) for _ in range(count))], free=case.free
        )

    one, more = problem(1), problem(11)
    least = in_turns(
        {"one": lambda: _per_iteration(one, 3), "eleven": lambda: _per_iteration(more, 3)}, rounds
    )
    share = (least["eleven"] - least["one"]) / 10.0 / least["one"]
    table = Table("An inactive region goal beside four positions", REGION_COLUMNS)
    table.add(len(one.variables), least["one"] * 1e6, 100.0 * share)
    return table, [Requirement("inactive region goal, share of an iteration", share, 0.05)]


def _obstacles(rounds: int) -> tuple[Table, list[Requirement]]:
    """All segments of the human against 20 obstacles within a metre."""
    body = mk.human()
    rest = body.pose()
    rng = np.random.default_rng(0)
    balls = []
    while len(balls) < 20:
        center = rest.position("chest") + rng.uniform(-1.0, 1.0, 3)
        near = min(np.linalg.norm(center - rest.position(site)) for site in body.sites)
        if near > 0.25:
            balls.append(mk.Ball(center, 0.06))
    up = np.array([0.25, 0.0, 0.3])
    hands = [mk.Position(hand, rest.position(hand) + up) for hand in ("left_hand", "right_hand")]
    feet = [mk.Pin(foot) for foot in FEET]
    table = Table("Every segment of the human kept out of 20 obstacles", OBSTACLE_COLUMNS)
    problems = {
        "none": mk.Problem(rest, [*hands, *feet]),
        "20, hard": mk.Problem(rest, [*hands, *feet, *(mk.Outside("*", ball, hard=True) for ball in balls)]),
        "20, soft": mk.Problem(rest, [*hands, *feet, *(mk.Outside("*", ball, hard=False) for ball in balls)]),
    }
    least = in_turns({name: lambda p=p: _per_iteration(p, 2) for name, p in problems.items()}, rounds)
    requirements = []
    for name, problem in problems.items():
        found = problem.solve(method="lm")
        ratio = least[name] / least["none"]
        table.add(name, len(problem.variables), found.reached, found.iterations, least[name] * 1e6, ratio)
        if name != "none":
            requirements.append(Requirement(f"obstacles ({name}), iteration over that without", ratio, 10.0))
    return table, requirements


def _solves(count: int) -> Table:
    """Whole solves with hard goals on the human."""
    body = mk.human()
    rest = body.pose()
    feet = [mk.Pin(foot) for foot in FEET]
    table = Table("Whole solves", SOLVE_COLUMNS)
    asked = {
        "hand, pinned feet": [*feet],
        "hand, pinned feet, balance": [*feet, mk.Balance(margin=0.02, hard=True)],
        "hand, pinned feet, out of 1 box": [
            *feet,
            mk.Outside("*", mk.Box(center=[0.45, 0.0, 0.7], size=[0.5, 1.2, 0.04]), hard=True),
        ],
    }
    for name, goals in asked.items():
        problem = mk.Problem(rest, [mk.Position("right_hand", np.zeros(3)), *goals])
        rng = np.random.default_rng(1)
        times, reached = [], 0
        for _ in range(count):
            way = rng.normal(size=3)
            hand = [0.35, -0.25, 1.15] + 0.25 * way / np.linalg.norm(way)
            found = problem.solve(targets=[hand, *(None for _ in problem.goals[1:])])
            times.append(found.seconds * 1e3)
            reached += found.reached
        table.add(name, count, 100.0 * reached / count, median(times), float(np.percentile(times, 95)))
    return table


def run(*, quick: bool = False) -> Section:
    """Everything, as one section of the results."""
    inactive, first = _inactive(2 if quick else 20)
    obstacles, second = _obstacles(1 if quick else 5)
    tables = [inactive, obstacles, _solves(5 if quick else 100)]
    told = "Hard goals, regions and obstacles; the descent from one start unless it is a whole solve."
    return Section("vocabulary", told, tables, [] if quick else [*first, *second])
