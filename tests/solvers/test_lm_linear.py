"""Least squares among linear constraints: kept to rounding, never worse than `projection`, the same every time."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk

from .samples import chain, check, random_pose, robot
from .test_constraints import TORSO
from .test_equalities import TIES

ROWS = [
    "bend1 + bend2 <= 0.3",
    "lean1 + lean2 >= -0.2",
    "twist1 + twist2 + right_shoulder_x <= 0.4",
]
SITES = ["left_palm", "right_palm"]


def worst(figure: mk.Figure, rows: list[str], q: np.ndarray) -> float:
    """How far q is outside the ranges and the linear constraints."""
    values = dict(zip(figure.dofs, q, strict=True))
    outside = max(float((figure.lower - q).max()), float((q - figure.upper).max()))
    for row in [*figure.couplings, *map(mk.Coupling.parse, rows)]:
        outside = max(outside, row.lower - row.value(values), row.value(values) - row.upper)
    return outside


def cases(rows: list[str], count: int, reach: float, seed: int, kind: str = "position"):
    """A prepared problem and (start, targets): of poses that keep the rows, or so many times as far."""
    rng = np.random.default_rng(seed)
    goals = [
        mk.Position(site, np.zeros(3)) if kind == "position" else mk.Placement(site, np.zeros(3), np.eye(3))
        for site in SITES
    ]
    problem = mk.Problem(TORSO, goals, constraints=rows)
    drawn = []
    for _ in range(count):
        pose = mk.solve(random_pose(TORSO, rng), [], constraints=rows).pose
        start = mk.solve(random_pose(TORSO, rng), [], constraints=rows).pose
        drawn.append((start, [pose.matrix(site) for site in SITES]))
    return problem, [(start, [at(frame, reach, kind) for frame in frames]) for start, frames in drawn]


def at(frame: np.ndarray, reach: float, kind: str) -> dict:
    place = reach * frame[:3, 3]
    return {"target": place} if kind == "position" else {"position": place, "orientation": frame[:3, :3]}


def aim(problem: mk.Problem, targets: list[dict]) -> mk.Problem:
    """The problem with these targets."""
    for place, target in enumerate(targets):
        problem = moved(problem, place, **target)
    return problem


@pytest.mark.parametrize("rows", [ROWS, TIES, ROWS + TIES], ids=["rows", "ties", "both"])
@pytest.mark.parametrize("reach", [1.0, 2.5])
def test_every_end_keeps_ranges_and_rows_and_is_stationary_or_reached(rows, reach):
    problem, drawn = cases(rows, 20, reach, 1)
    for start, targets in drawn:
        problem = aim(problem, targets)
        found = check(problem.solve(start, method="lm"), rows)
        assert found.status in ("reached", "stationary")
        assert worst(TORSO, rows, found.q) < 1e-12


@pytest.mark.parametrize("kind", ["position", "placement"])
def test_as_many_are_reached_as_by_projection(kind):
    problem, drawn = cases(ROWS, 60, 1.0, 2, kind)
    ours = theirs = 0
    for start, targets in drawn:
        problem = aim(problem, targets)
        ours += problem.solve(start, method="lm").reached
        theirs += problem.solve(start, method="projection").reached
    assert ours >= theirs - 2


def test_from_where_projection_ends_nothing_is_gained_or_lost():
    problem, drawn = cases(ROWS, 20, 2.5, 3)
    for start, targets in drawn:
        problem = aim(problem, targets)
        theirs = problem.solve(start, method="projection")
        ours = problem.solve(theirs.q, method="lm")
        # Of a pose that is met to 1e-7 m the two compute P from points that are known to 1e-16 m.
        assert ours.cost <= theirs.cost * (1.0 + 1e-12) + 1e-21
        assert ours.cost == pytest.approx(theirs.cost, rel=1e-6)


def test_where_projection_is_stuck_a_panda_is_not():
    figure, rng = robot("panda"), np.random.default_rng(5)
    goal = mk.Position("panda_hand_tcp", random_pose(figure, rng).position("panda_hand_tcp"))
    rows = ["panda_joint1 + panda_joint2 <= 0.1"]
    assert check(mk.solve(figure, [goal], method="lm", constraints=rows), rows).reached
    assert not mk.solve(figure, [goal], method="projection", constraints=rows).reached


def test_with_few_variables_newtons_steps_end_where_projection_finds_nothing_to_gain():
    figure, rng = robot("panda"), np.random.default_rng(10)
    rows = ["panda_joint1 + panda_joint2 <= 0.1", "panda_joint2 - 0.5*panda_joint4 >= 1.0"]
    for _ in range(20):
        frame = random_pose(figure, rng).matrix("panda_hand_tcp")
        goal = mk.Placement("panda_hand_tcp", 1.8 * frame[:3, 3], frame[:3, :3])
        problem = mk.Problem(random_pose(figure, rng), [goal], constraints=rows)
        ours = check(problem.solve(method="lm"), rows)
        assert ours.status in ("stationary", "reached") and worst(figure, rows, ours.q) < 1e-12
        theirs = problem.solve(ours.q, method="projection")
        assert ours.reached or theirs.cost == pytest.approx(ours.cost, rel=1e-9)


def test_with_more_rows_of_goals_than_variables():
    figure = chain([0.4, 0.3, 0.2], ["R(y)", "R(x)", "R(z)"], lower=[-2.0] * 3, upper=[2.0] * 3)
    rng = np.random.default_rng(6)
    rows = ["j1 + j2 <= 0.3", "j2 - j3 >= -0.4"]
    for _ in range(20):
        frame = random_pose(figure, rng).matrix("tip")
        goals = [
            mk.Placement("tip", frame[:3, 3] + 0.1 * rng.normal(size=3), frame[:3, :3]) for _ in range(2)
        ]
        problem = mk.Problem(figure, goals, constraints=rows)
        ours = check(problem.solve(method="lm"), rows)
        theirs = problem.solve(ours.q, method="projection")
        assert ours.reached or theirs.cost == pytest.approx(ours.cost, rel=1e-9)
        assert check(problem.solve(), rows).cost <= ours.cost * (1.0 + 1e-12)
        assert worst(figure, rows, ours.q) < 1e-12


def test_equalities_among_many_coordinates_are_kept_too():
    figure = chain([0.2] * 8, ["R(y)", "R(x)"] * 4, lower=[-1.0] * 8, upper=[1.0] * 8)
    rows = [" + ".join(f"j{k}" for k in range(1, 9)) + " = 0.3", "j1 + j2 + j3 <= 0.2"]
    problem = mk.Problem(figure, [mk.Position("tip", [0.4, 0.3, 0.2])], constraints=rows)
    found = check(problem.solve(), rows)
    assert found.reached and worst(figure, rows, found.q) < 1e-12


def test_a_start_outside_is_brought_in_and_said_to_be():
    problem, drawn = cases(ROWS, 5, 1.0, 7)
    rng = np.random.default_rng(8)
    for _, targets in drawn:
        problem = aim(problem, targets)
        outside = random_pose(TORSO, rng, 1.0)
        found = check(problem.solve(outside, method="lm"), ROWS)
        if worst(TORSO, ROWS, np.array(outside.q)) > 1e-9:
            assert worst(TORSO, ROWS, found.q0) < 1e-9


def test_rows_that_contradict_each_other_are_said_to():
    rows = ["bend1 + bend2 <= 0.1", "bend1 + bend2 >= 0.2"]
    for method in ("lm", "auto"):
        goals = [mk.Position("left_palm", [0.3, 0.2, 1.0])]
        assert mk.solve(TORSO, goals, constraints=rows, method=method).status == "infeasible"


_AGAIN = """
import numpy as np
from tests.solvers.test_lm_linear import ROWS, TIES, aim, cases
for rows in (ROWS, TIES + ROWS):
    for reach in (1.0, 2.5):
        problem, drawn = cases(rows, 3, reach, 9)
        for start, targets in drawn:
            problem = aim(problem, targets)
            for method in METHODS:
                found = problem.solve(start, method=method)
                print(found.q.tobytes().hex(), found.cost, found.iterations, found.starts)
"""


def test_the_same_again_in_another_process_and_in_another_order():
    texts = []
    for methods in ("('lm', 'auto')", "('projection', 'auto', 'lm')"):
        code = _AGAIN.replace("METHODS", methods)
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        texts.append({line for line in run.stdout.splitlines() if line})
    assert len(texts[0]) > 12 and texts[0] <= texts[1]
