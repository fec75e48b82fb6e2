"""One problem, solved some thousand times in every way, and all answers judged at once."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from time import perf_counter, process_time
from typing import Any

import numpy as np
from tests.campaign import calls
from tests.campaign.calls import Draw, Log
from tests.campaign.figures import arm, figure, pose, scale_of, start
from tests.campaign.goals import goals, met_goals, plain_goals
from tests.campaign.judge import findings
from tests.campaign.robots import robot

import manikin as mk
from manikin.errors import ManikinError

#: Solves of one call at most, and seconds of the processor for all calls of a problem.
MOST, BUDGET, COSTLY = 2000, 0.3, 0.01
#: Of one call that takes a whole path or batch.
MOST_AT_ONCE, IN_LANES, LANES = 10_000, 50_000, 4_000
#: Seconds for a problem with goals that are met, which are hard half of the time.
BUDGET_MET = 0.45
#: Seeds from here on are of the even mix: fewer arms in lanes, more people and robots, every kind of goal met and hard
#: half of the time. Those below make what they made when something was found with them.
EVEN = 8_000_000
_LOOPS = {
    "carefully": calls.carefully,
    "solve": calls.solve,
    "options": calls.with_options,
    "targets": calls.with_targets,
    "followed": calls.followed,
    "replaced": calls.replaced,
    "dt": calls.in_time,
}
_BATCHES = ("path", "many", "tracker")
#: Every way of calling, in the order of their random numbers.
CALLS = (*_LOOPS, *_BATCHES)


@cache
def _human(stature: float) -> mk.Figure:
    return mk.human(stature=stature, fingers=False)


class Series:
    """What one seed makes: a figure, goals, a problem."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = rng = np.random.default_rng([seed, 7])
        self.even = seed >= EVEN
        shares = (0.1, 0.28, 0.6) if self.even else (0.06, 0.15, 0.6)
        kind = rng.random()
        self.kind = "random"
        if kind < shares[0]:
            self.kind, self.body = "human", _human(float(rng.choice([1.55, 1.75, 1.95])))
        elif kind < shares[1]:
            self.kind, self.body = robot(rng)
        elif kind < shares[2]:
            self.kind, self.body = "arm", arm(rng)
        else:
            self.body = figure(rng)
        self.start = start(self.body, rng)
        self.there = pose(self.body, rng)
        self.met = self.even and rng.random() < 0.7
        plain = not self.met and rng.random() < (0.85 if self.kind == "arm" else 0.5)
        self.near = self.met or (plain and rng.random() < 0.85)
        self.goals = (met_goals if self.met else plain_goals if plain else goals)(self.body, self.there, rng)
        if any(isinstance(goal, mk.Objective) and self.body.n == 0 for goal in self.goals):
            self.goals = []
        scale = min(scale_of(self.body), 1.0)
        self.tolerance = (1e-4 * scale, 1e-3) if rng.random() < 0.5 else (1e-4, 1e-3)
        self.free: list[str] | None = None
        if rng.random() < 0.25 and self.body.n > 1:
            count = int(rng.integers(1, self.body.n))
            self.free = [str(name) for name in rng.choice(self.body.dofs, count, replace=False)]
        self.levels: Any = self.goals
        if len(self.goals) > 1 and rng.random() < 0.15:
            self.levels = [self.goals[:1], self.goals[1:]]
        self.found: list[dict[str, Any]] = []
        self.counts: dict[str, int] = {}
        self.statuses: Counter[str] = Counter()
        self.slowest = 0.0
        self.refusal = ""

    def problem(self) -> mk.Problem:
        """A fresh one."""
        return mk.Problem(self.start, self.levels, free=self.free, tolerance=self.tolerance)

    def run(self, budget: float = BUDGET, counts: dict[str, int] | None = None) -> dict[str, Any]:
        """All calls, for so many seconds of the processor, or so many solves of each; as JSON can hold it."""
        begin = process_time()
        try:
            self._run(BUDGET_MET if self.met and budget == BUDGET else budget, counts)
        except ManikinError as error:
            self.refusal = f"{type(error).__name__}: {error}"
            if not str(error).strip():
                self._find("make", 0, "an error without words")
        except Exception as error:
            self._find("make", 0, f"{type(error).__name__}: {error}")
        return {
            "seed": self.seed,
            "solves": sum(self.counts.values()),
            "counts": self.counts,
            "statuses": dict(self.statuses),
            "figure": self.kind,
            "features": self._features(),
            "scale": scale_of(self.body),
            "goals": [goal.kind() + ("!" if getattr(goal, "hard", False) else "") for goal in self.goals],
            "found": self.found,
            "slowest": self.slowest,
            "cpu": process_time() - begin,
            **({"refusal": self.refusal} if self.refusal else {}),
        }

    def _misleading(self) -> list[mk.Potential]:
        """Potentials with a wrong gradient."""
        potentials = [goal for goal in self.goals if isinstance(goal, mk.Potential)]
        return [goal for goal in potentials if goal.function.factor != 1.0]  # type: ignore[attr-defined]

    def _refused(self, problem: mk.Problem, draw: Draw) -> None:
        """Solves with a wrong gradient: each refuses it by name, or ends where it is 0 and nothing can be told."""
        (wrong,) = self._misleading()[:1]
        self.counts["refused"] = 0
        for k, begun in enumerate(draw.starts(draw.rng(90, 0), 6)):
            self.counts["refused"] += 1
            try:
                found = problem.solve(begun, restarts=0)
            except ManikinError as error:
                self.refusal = f"{type(error).__name__}: {error}"
                if "gradient" not in str(error):
                    self._find("refused", k, f"not for its gradient: {error}")
                return
            place, axes = _frame(found.pose, wrong.site)
            off = np.abs(wrong.function(place, axes)[1]).max() * scale_of(self.body)  # the half that is wrong
            if found.feasible and off > 1e-3 and wrong.evaluate(place, axes)[0] > wrong.tolerance:
                self._find("refused", k, f"a wrong gradient was taken: {found.status}")

    def _run(self, budget: float, counts: dict[str, int] | None) -> None:
        problem = self.problem()
        about = self.there.q if self.met else None
        draw = Draw(self.body, list(problem.goals), self.seed, near=self.near, about=about)
        if self._misleading():
            self._refused(problem, draw)
            return
        moving = any(shape is not None for shape in draw.shapes)
        functions = any(isinstance(goal, mk.Potential) for goal in self.goals)
        limited = bool(np.isfinite(self.body.velocity).any())
        wanted = [
            name
            for name in CALLS
            if (moving or name not in ("targets", "followed", "replaced", "path", "tracker"))
            and ((limited and not functions) or name != "dt")
            and (self.levels is self.goals or name != "tracker")
        ]
        first, *others = wanted
        order = [first, *(others[k] for k in np.random.default_rng(self.seed).permutation(len(others)))]
        cost, opened = 1e-5, process_time()
        for name in order:
            number, share = CALLS.index(name), budget / len(wanted)
            if counts is None and (process_time() - opened > 2.0 * budget or cost > COSTLY):
                break  # a costly one: its other ways are left to other problems
            if counts is not None and name not in counts:
                continue
            begin = process_time()
            if name in _LOOPS:
                log = Log()
                end = begin + share

                def stop(done: int, end: float = end, name: str = name) -> bool:
                    if counts is not None:
                        return done >= counts[name]
                    return done >= (8 if name == "carefully" else MOST) or (
                        done >= 2 and process_time() > end
                    )

                try:
                    _LOOPS[name](problem, draw, log, stop, number)
                except ManikinError as error:
                    self._find(name, len(log.q), f"refused: {type(error).__name__}: {error}")
                except Exception as error:
                    self._find(name, len(log.q), f"{type(error).__name__}: {error}")
                if name != "dt":
                    cost = max(cost, (process_time() - begin) / max(len(log.q), 1))
                self._judge(name, log, problem)
                continue
            most = MOST if name == "tracker" else MOST_AT_ONCE
            size = int(np.clip(share / cost, 2, most)) if counts is None else counts[name]
            if counts is None and name == "many" and self.kind == "arm" and self.near and cost < 3e-4:
                size = (
                    LANES if self.even else IN_LANES
                )  # four in the lanes of a register, at a few microseconds each
            self._batch(name, problem, draw, size)

    def _batch(self, name: str, problem: mk.Problem, draw: Draw, size: int) -> None:
        rng = draw.rng(CALLS.index(name), 0)
        self.counts[name] = size
        try:
            if name == "path":
                answers = calls.path(problem, draw, size, 0, rng)
            elif name == "many":
                answers = calls.many(problem, draw, size, self.free, self.levels, rng)
            else:
                answers = calls.tracked(self.there, draw, self.free, self.tolerance, size, rng)
        except ManikinError as error:
            self._find(name, 0, f"refused: {type(error).__name__}: {error}")
            return
        except Exception as error:
            self._find(name, 0, f"{type(error).__name__}: {error}")
            return
        self.statuses.update(
            {"reached": int(answers.reached.sum()), "not reached": int((~answers.reached).sum())}
        )
        for k, words in [*findings(answers), *getattr(answers, "extra", ())]:
            self._find(name, k, words)

    def _judge(self, name: str, log: Log, problem: mk.Problem) -> None:
        self.counts[name] = len(log.q)
        self.slowest = max(self.slowest, log.slowest)
        self.statuses.update(log.status)
        if not log.q:
            return
        for k, words in [*log.found, *findings(log.answers(problem, self.tolerance))]:
            self._find(name, k, words)

    def _find(self, call: str, index: int, words: str) -> None:
        if len(self.found) < 20:
            self.found.append({"call": call, "index": index, "what": words})

    def _features(self) -> list[str]:
        body = self.body
        found = [body.base] if body.base != "fixed" else []
        for name, has in (
            ("cones", body.cones),
            ("loops", body.loops),
            ("couplings", body.couplings),
            ("followers", body.followers),
            ("free", self.free),
            ("levels", self.levels is not self.goals),
        ):
            if has:
                found.append(name)
        for joint in body.joints.values():
            if joint.motion not in found and self.kind == "random":
                found.append(joint.motion)
        return found


def _frame(pose: mk.Pose, site: str) -> tuple[np.ndarray, np.ndarray]:
    at = pose.matrix(site)
    return at[:3, 3], at[:3, :3]


def run_series(seed: int, budget: float = BUDGET, counts: dict[str, int] | None = None) -> dict[str, Any]:
    """One series; whatever goes wrong while it is made is a finding too."""
    try:
        series = Series(seed)
    except Exception as error:
        what = {"call": "make", "index": 0, "what": f"{type(error).__name__}: {error}"}
        return {"seed": seed, "solves": 0, "found": [what]}
    begin = perf_counter()
    told = series.run(budget, counts)
    told["wall"] = perf_counter() - begin
    json.dumps(told, allow_nan=False)
    return told
