"""One case of the campaign, from its seed alone: a figure, goals, and calls on them, each judged."""

from __future__ import annotations

import copy
import json
import os
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.campaign.figures import figure, pose, scale_of, start
from tests.campaign.goals import goals, moved
from tests.campaign.judge import of_solution
from tests.campaign.timed import timed

import manikin as mk
from manikin.errors import ManikinError

#: Seconds beyond a time limit's double that a call may take: a loaded machine's.
GRACE = 0.5


class Case:
    """What one seed makes, and what was found with it."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = rng = np.random.default_rng(seed)
        self.body = figure(rng)
        self.start = start(self.body, rng)
        self.there = pose(self.body, rng)
        self.goals = goals(self.body, self.there, rng)
        scale = min(scale_of(self.body), 1.0)
        self.tolerance = (1e-4 * scale, 1e-3) if rng.random() < 0.5 else (1e-4, 1e-3)
        self.free: list[str] | None = None
        if rng.random() < 0.25 and self.body.n > 1:
            count = int(rng.integers(1, self.body.n))
            self.free = [str(name) for name in rng.choice(self.body.dofs, count, replace=False)]
        self.levels = len(self.goals) > 1 and rng.random() < 0.2
        self.time_limit = float(rng.choice([0.02, 0.2])) if rng.random() < 0.1 else None
        self.restarts = None if rng.random() < 0.3 else int(rng.integers(0, 3))
        self.found: list[str] = []
        self.solves = 0
        self.compared = 0

    def problem(self, listed: list[mk.Goal] | None = None) -> mk.Problem:
        """The problem, with these goals in place of its own."""
        listed = self.goals if listed is None else listed
        asked: Any = [listed[:1], listed[1:]] if self.levels else listed
        return mk.Problem(self.start, asked, free=self.free, tolerance=self.tolerance)

    def solved(self, problem: mk.Problem, what: str) -> mk.Solution:
        """A solve, judged."""
        solution, late = timed(
            self.time_limit,
            GRACE,
            lambda: problem.solve(restarts=self.restarts, time_limit=self.time_limit),
        )
        self.solves += 1
        if late is not None:
            self.found.append(f"{what}: {late}")
        self.found += [f"{what}: {each}" for each in of_solution(solution, self.start.q, self.tolerance)]
        return solution

    def run(self) -> dict[str, Any]:
        """All that is done with it, as JSON can hold it."""
        try:
            status = self._run()
        except ManikinError as error:
            status = "refused"
            self.refusal = f"{type(error).__name__}: {error}"
            if not str(error).strip():
                self.found.append("an error without words")
        except Exception as error:
            status = "crashed"
            self.found.append(f"{type(error).__name__}: {error}")
        return {
            "seed": self.seed,
            "status": status,
            "solves": self.solves,
            "compared": self.compared,
            "scale": scale_of(self.body),
            "dofs": self.body.n,
            "figure": self._features(),
            "goals": [goal.kind() + ("!" if getattr(goal, "hard", False) else "") for goal in self.goals],
            "found": self.found,
            **({"refusal": self.refusal} if status == "refused" else {}),
        }

    def _features(self) -> list[str]:
        body = self.body
        found = [body.base] if body.base != "fixed" else []
        for name, has in (
            ("cones", body.cones),
            ("loops", body.loops),
            ("couplings", body.couplings),
            ("followers", body.followers),
            ("free", self.free),
            ("levels", self.levels),
        ):
            if has:
                found.append(name)
        return found

    def _run(self) -> str:
        fresh = self.problem()
        solution = self.solved(fresh, "fresh")
        if self.time_limit is None:
            self._prepared(solution)
        extra = self.rng.random()
        if extra < 0.1:
            self._words(solution)
        if self.time_limit is None and extra < 0.05:
            ways: list[Callable[[mk.Problem, mk.Solution], None]] = [self._copies, self._threads, self._fork]
            ways[int(self.rng.integers(3))](fresh, solution)
        return solution.status

    def _prepared(self, fresh: mk.Solution) -> None:
        """A problem made with other targets, solved, then replaced by one with the goals: it answers as a fresh one."""
        others = [moved(goal, self.there, self.rng) for goal in self.goals]
        if all(other is goal for other, goal in zip(others, self.goals, strict=True)):
            return
        problem = self.problem(others)
        if self.rng.random() < 0.5:
            self.solved(problem, "before")
        again = self.solved(problem.with_goals(tuple(self.goals)), "prepared")
        self.compared += 1
        self._same("prepared", again, fresh)

    def _same(self, what: str, one: mk.Solution, other: mk.Solution) -> None:
        if one.q.tobytes() != other.q.tobytes() or one.status != other.status:
            self.found.append(f"{what}: another answer than the original")

    def _words(self, solution: mk.Solution) -> None:
        """What is told of it can be told, without NaN."""
        json.dumps(solution.to_dict(), allow_nan=False)
        words = solution.explain()
        if not words.strip() or "nan" in words.split():
            self.found.append(f"words: {words!r}")

    def _copies(self, problem: mk.Problem, solution: mk.Solution) -> None:
        for what, other in (
            ("copy", copy.copy(problem)),
            ("deep copy", copy.deepcopy(problem)),
            ("pickle", pickle.loads(pickle.dumps(problem))),
        ):
            self._same(what, self.solved(other, what), solution)
        self._same("the original after copies", self.solved(problem, "after copies"), solution)

    def _threads(self, problem: mk.Problem, solution: mk.Solution) -> None:
        """One problem solved by several threads at once."""
        answers: list[mk.Solution | None] = [None] * 3

        def work(k: int) -> None:
            answers[k] = problem.solve(restarts=self.restarts)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(len(answers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.solves += len(answers)
        for answer in answers:
            if answer is None:
                self.found.append("threads: no answer")
            else:
                self._same("threads", answer, solution)

    def _fork(self, problem: mk.Problem, solution: mk.Solution) -> None:
        """A child of this process solves on."""
        child = os.fork()
        if child == 0:
            same = False
            try:
                again = problem.solve(restarts=self.restarts)
                same = again.q.tobytes() == solution.q.tobytes()
            finally:
                os._exit(0 if same else 1)
        _, code = os.waitpid(child, 0)
        self.solves += 1
        if code != 0:
            self.found.append("fork: another answer, or none")


def warm() -> None:
    """Load what is compiled, so that a time limit is not spent on that."""
    body = mk.Figure(
        "warm 1", ["a", "b"], [mk.Joint("j", "a", "b", "R(y)")], [mk.Site("p", "b", [1.0, 0.0, 0.0])]
    )
    for goal in (mk.Position("p", [0.0, 0.0, 3.0]), mk.Position("p", [0.0, 0.0, 3.0], hard=True)):
        mk.solve(body, [goal, mk.Aim("p", [0.0, 3.0, 1.0])], restarts=70).explain()


def run_case(seed: int) -> dict[str, Any]:
    """One case; whatever goes wrong while it is made is a finding too."""
    try:
        case = Case(seed)
    except Exception as error:
        return {"seed": seed, "status": "not made", "found": [f"making: {type(error).__name__}: {error}"]}
    return case.run()
