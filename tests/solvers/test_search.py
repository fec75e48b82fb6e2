"""Later rounds of starts on threads: the same answer and the same counts as with one; the time limit holds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.problems import moved

import manikin as mk
from manikin.engines.starts import search
from manikin.engines.work import Work

from .samples import ROBOTS, check, random_pose, robot
from .test_auto import placements
from .test_lm_linear import ROWS, aim, cases


def told(found: mk.Solution) -> tuple:
    return (
        found.q.tobytes(),
        found.status,
        found.cost,
        found.iterations,
        found.evaluations,
        found.starts,
    )


def same_with_threads(problem: mk.Problem, start, **options) -> mk.Solution:
    alone = problem.solve(start, threads=1, **options)
    for threads in (2, 3, None):
        assert told(problem.solve(start, threads=threads, **options)) == told(alone)
    return alone


@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_out_of_reach_the_answer_is_that_of_one_thread(name):
    problem, drawn = placements(name, 6, 31, distance=1.6)
    for start, target in drawn:
        problem = moved(problem, 0, **target)
        same_with_threads(problem, start)
        assert same_with_threads(problem, start, restarts=150).starts == 151


def test_a_start_found_late_is_found_by_all(monkeypatch):
    monkeypatch.setattr(search, "ROUND", 2)
    monkeypatch.setattr(search, "QUICK", 2)
    monkeypatch.setattr(search, "_PART", 1)
    pack = Work._pack_plain

    def one_by_one(work: Work) -> None:
        pack(work)
        work.fast.together = False

    monkeypatch.setattr(Work, "_pack_plain", one_by_one)
    problem, drawn = placements("panda", 300, 32)
    late = 0
    for start, target in drawn:
        problem = moved(problem, 0, **target)
        found = check(same_with_threads(problem, start))
        assert found.reached
        late += found.starts > 3
    assert late > 3


def test_a_humanoid_with_four_placements_is_posed_alike():
    figure, rng = robot("talos"), np.random.default_rng(33)
    sites = ROBOTS["talos"][2]
    problem = mk.Problem(
        figure, [mk.Placement(site, np.zeros(3), np.eye(3)) for site in sites], tolerance=(1e-3, 1e-2)
    )
    for reach in (1.0, 1.0, 1.5):
        pose = random_pose(figure, rng)
        for place, site in enumerate(sites):
            frame = pose.matrix(site)
            problem = moved(problem, place, position=reach * frame[:3, 3], orientation=frame[:3, :3])
        check(same_with_threads(problem, random_pose(figure, rng)), tolerance=(1e-3, 1e-2))


def test_a_g1_with_four_placements_is_posed_alike(monkeypatch):
    sites = ["left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link"]
    monkeypatch.setitem(ROBOTS, "g1", ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free", tuple(sites)))
    figure, rng = robot("g1"), np.random.default_rng(40)
    problem = mk.Problem(
        figure, [mk.Placement(site, np.zeros(3), np.eye(3)) for site in sites], tolerance=(1e-3, 1e-2)
    )
    for case in range(6):
        pose = random_pose(figure, rng)
        for place, site in enumerate(sites):
            frame = pose.matrix(site)
            problem = moved(
                problem, place, position=frame[:3, 3] * (1.0 + 0.3 * (case % 2)), orientation=frame[:3, :3]
            )
        check(same_with_threads(problem, random_pose(figure, rng)), tolerance=(1e-3, 1e-2))


@pytest.mark.parametrize("reach", [1.0, 2.0])
def test_a_torso_among_rows_is_posed_alike(reach):
    problem, drawn = cases(ROWS, 4, reach, 34, "placement")
    for start, targets in drawn:
        problem = aim(problem, targets)
        check(same_with_threads(problem, start), ROWS)
        check(same_with_threads(problem, start, restarts=40), ROWS)


def test_among_rows_it_never_ends_above_the_start_alone_and_reaches_more():
    problem, drawn = cases(ROWS, 40, 1.0, 35, "placement")
    alone = reached = 0
    for start, targets in drawn:
        problem = aim(problem, targets)
        one, found = problem.solve(start, method="lm"), check(problem.solve(start), ROWS)
        assert found.reached or found.cost <= one.cost * (1.0 + 1e-12)
        alone += one.reached
        reached += found.reached
    assert reached >= 39 and reached > alone


def test_among_rows_several_solutions_keep_them_and_are_apart():
    problem, drawn = cases(ROWS, 3, 1.0, 36)
    for start, targets in drawn:
        problem = aim(problem, targets)
        found = check(problem.solve(start, solutions=3, restarts=16), ROWS)
        assert found.reached and len(found.alternatives) == 2
        for other in found.alternatives:
            check(other, ROWS)
        nearest = check(problem.solve(start, nearest=True, restarts=16), ROWS)
        begun = np.array(start.q)
        away = [np.linalg.norm(one.q - begun) for one in (found, *found.alternatives)]
        assert np.linalg.norm(nearest.q - begun) <= min(away) + 1e-9


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [False, True])
def test_when_the_time_is_up_no_further_seed_is_begun(monkeypatch, threads, rows):
    if rows:
        problem, drawn = cases(ROWS, 1, 2.5, 37)
        start, targets = drawn[0]
        problem = aim(problem, targets)
    else:
        problem, drawn = placements("panda", 1, 38, distance=2.0)
        start, target = drawn[0]
        problem = moved(problem, 0, **target)
    every = problem.solve(start, restarts=200, threads=1)
    assert every.starts == 201
    ticks = itertools.count()
    monkeypatch.setattr(search, "perf_counter", lambda: 0.0 if next(ticks) < 30 else np.inf)
    found = check(problem.solve(start, restarts=200, threads=threads, time_limit=1e6), ROWS if rows else ())
    assert 1 < found.starts < 201


def test_ties_alone_are_solved_in_lanes():
    figure, rng = robot("panda"), np.random.default_rng(39)
    rows = ["panda_joint2 = 0.5 * panda_joint4 + 0.8"]
    reached = 0
    for _ in range(20):
        pose = mk.solve(random_pose(figure, rng), [], constraints=rows).pose
        goal = mk.Placement(
            "panda_hand_tcp", pose.position("panda_hand_tcp"), pose.matrix("panda_hand_tcp")[:3, :3]
        )
        problem = mk.Problem(random_pose(figure, rng), [goal], constraints=rows)
        found = check(problem.solve(threads=1), rows)
        assert told(found) == told(problem.solve(threads=2))
        values = dict(zip(figure.dofs, found.q, strict=True))
        assert abs(mk.Coupling.parse(rows[0]).value(values) - mk.Coupling.parse(rows[0]).lower) < 1e-12
        reached += found.reached
    assert reached >= 19
