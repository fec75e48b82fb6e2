"""Two versions on the same loads: the loads are what they say, the judge is independent, the ratios are right."""

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.loads import api, people, robots
from benchmarks.loads.__main__ import main
from benchmarks.loads.child import Prepared
from benchmarks.loads.compare import CHECKOUT, compare
from benchmarks.loads.load import Load, Wanted

LOADS = {f"{load.family} {load.name}": load for make in (robots.loads, people.loads) for load in make()}
#: A load in which nothing is out of reach.
WITHIN = ("A panda-near", "C talos-free-poses-near", "R talos-rows-random", "X panda-tied", "H reach-pins")


class Stub:
    """A version whose answers and times are known: 10 µs a problem, times a factor."""

    def __init__(self, factor: float, q: np.ndarray, cost: np.ndarray, names: list[str]) -> None:
        self.factor, self.q, self.cost, self.names = factor, q, cost, names
        self.asked: list[str] = []

    def ask(self, name, *arguments):
        self.asked.append(name)
        if name == "make":
            return self.names
        if name == "answers":
            return self.q, self.cost < 1e-6, np.full(len(self.q), 1e-5)
        if name == "turn":
            return self.factor * 1e-5 * np.linspace(1.0, 2.0, len(self.q))[arguments[0]]
        return self.cost if arguments[0] is self.q else arguments[0].sum(axis=1), np.ones(len(self.q), bool)


def test_ratios_are_of_the_version_after_over_the_one_before_problem_by_problem():
    load = LOADS["A panda-near"].cut(4)
    q = np.arange(8.0).reshape(4, 2)
    before = Stub(1.0, q, np.zeros(4), ["a", "b"])
    after = Stub(
        1.5, q[:, ::-1] + [[0.0, 0.0], [1e-13, 0.0], [1e-9, 0.0], [1e-3, 0.0]], np.ones(4), ["b", "a"]
    )
    found = compare(load, [(before, after)], 3, budget=0.1)
    ratios = [found.median, found.p95, found.total, found.plain_median]
    assert ratios == pytest.approx([1.5] * 4)
    assert found.reached == (4, 0) and found.differ == (2, 1)
    assert found.unsteady == (0, 0)
    assert found.rounds >= 3 and after.asked.count("turn") == before.asked.count("turn") == 2 * found.rounds


def test_loads_have_a_target_or_none_for_every_goal_and_names_of_their_own():
    assert len(LOADS) == sum(1 for make in (robots.loads, people.loads) for _ in make())
    assert {name[0] for name in LOADS} == set("ABCDERXSH")
    for load in LOADS.values():
        assert all(len(given) == len(load.goals) for given in load.targets)
        assert load.starts is None or len(load.starts) == len(load.targets)


@pytest.mark.parametrize("name", WITHIN)
def test_what_is_within_reach_is_claimed_and_judged_met(name):
    prepared = Prepared(LOADS[name].cut(5), api.figure(dict(LOADS[name].figure)))
    _, found = prepared.turn(list(range(5)), True)
    for index, solution in enumerate(found):
        cost, met = prepared.judge(index, solution.q)
        assert api.reached(solution) and met
        assert cost <= len(prepared.load.goals) * np.square(prepared.load.tolerance).sum()


def test_the_judge_measures_a_miss_that_is_known():
    """A hand 30 cm from its target, and a foot that was moved although it is pinned."""
    body = api.figure(people.HUMAN)
    goals = (Wanted("position", "right_hand"), Wanted("pin", "left_foot"))
    there = body.pose().position("right_hand")
    load = Load("H", "two", people.HUMAN, goals, [[there + [0.3, 0.0, 0.0], None]])
    prepared = Prepared(load, body)
    rest = np.array(body.rest)
    assert prepared.judge(0, rest) == (pytest.approx(0.09), False)
    at = Prepared(replace(load, targets=[[there, None]]), body)
    assert at.judge(0, rest)[1]
    moved = rest.copy()
    moved[list(body.dofs).index("left_knee")] += 0.01
    assert not at.judge(0, moved)[1]


def test_a_version_with_sessions_is_dragged_by_one():
    class Session:
        def __init__(self, start):
            self.q = start

        def solve(self, targets):
            self.q = self.q + targets[0]
            return self

        reached = True

    class Problem:
        def session(self, start):
            return Session(start)

    steps = [[np.array([1.0])], [np.array([2.0])]]
    seconds, found = api.follow(Problem(), np.array([0.0]), ([np.array([10.0])],), steps, True)
    assert len(seconds) == 2 and found[-1].q == [13.0]


def test_a_version_beside_itself_gives_the_same_answers_and_stores_them(tmp_path, capsys):
    out = tmp_path / "loads.json"
    source = str(CHECKOUT / "src")
    chosen = "panda-near,ur5-random,drag-hand,straight-leg"
    assert (
        main(
            [
                "--before",
                source,
                "--after",
                source,
                "--sets",
                chosen,
                "--quick",
                "--processes",
                "2",
                "--out",
                str(out),
            ]
        )
        == 0
    )
    stored = json.loads(out.read_text())
    assert not stored["failed"] and len(stored["loads"]) == 5
    for load in stored["loads"]:
        assert load["differ"] == load["unsteady"] == [0, 0] and load["worst"] == 1.0
        assert load["reached"][0] == load["reached"][1] == load["problems"]
    assert "H drag-hand-natural" in capsys.readouterr().out


def test_a_folder_without_the_package_is_refused_by_name(tmp_path):
    with pytest.raises(SystemExit, match="has no folder manikin"):
        main(["--before", str(tmp_path), "--sets", "panda-near"])
