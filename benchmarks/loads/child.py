"""One version in a process of its own: it is told on standard input what to solve, and answers on standard output."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.loads import api
from benchmarks.loads.load import Load, Wanted

#: How far what is hard may be off, in metres and radians, and a coordinate outside its range.
HARD, RANGE = 1e-6, 1e-9
#: Kinds of goals that are judged.
MEASURED = ("position", "placement", "aim", "pin")


class Prepared:
    """A load as this version has it."""

    def __init__(self, load: Load, figure: Any) -> None:
        self.load = load = _fresh(load)
        self.problem = api.problem(load, figure)
        names = api.dofs(self.problem)
        self.dofs = names
        rest = api.rest(self.problem)
        self.starts = [rest] * len(load.targets)
        if load.starts is not None:
            base = len(names) - len(load.dofs)
            order = [*range(base), *(base + load.dofs.index(name) for name in names[base:])]
            self.starts = [_own(row[order]) for row in load.starts]

    def turn(self, items: list[int], read: bool) -> tuple[np.ndarray, list[Any]]:
        """Solve some of the problems, or drag along all of them."""
        load = self.load
        if load.path:
            return api.follow(self.problem, self.starts[0], load.approach, load.targets, read)
        starts, targets = [self.starts[i] for i in items], [load.targets[i] for i in items]
        return api.solve_each(self.problem, starts, targets, read)

    def judge(self, index: int, q: np.ndarray) -> tuple[float, bool]:
        """The sum of the squares of what is missed of soft goals, and whether all is met, by plain forward kinematics.

        Regions, balance and objectives are not looked at. Pins are where the problem, or the path, started.
        """
        load = self.load
        sites = sorted({wanted.site for wanted in load.goals if wanted.kind in MEASURED})
        start = self.starts[0] if load.path else self.starts[index]
        now = dict(zip(sites, api.seen(self.problem, q, sites), strict=True))
        then = dict(zip(sites, api.seen(self.problem, start, sites), strict=True))
        cost, met = 0.0, api.outside(self.problem, q) <= RANGE
        for wanted, target in zip(load.goals, load.targets[index], strict=True):
            misses = _misses(wanted, target, now.get(wanted.site), then.get(wanted.site))
            hard = wanted.options.get("hard", wanted.kind == "pin")
            allowed = (HARD, HARD) if hard else load.tolerance
            met = met and all(miss <= most for miss, most in zip(misses, allowed, strict=True))
            cost += 0.0 if hard else float(np.square(misses).sum())
        return cost, bool(met)


def _misses(wanted: Wanted, target: Any, now: Any, then: Any) -> tuple[float, float]:
    """Metres and radians that a goal is missed by."""
    if wanted.kind == "position":
        return float(np.linalg.norm(now[:3, 3] - target)), 0.0
    if wanted.kind == "aim":
        away = target - now[:3, 3]
        return 0.0, _between(now[:3, 0], away / np.linalg.norm(away))
    if wanted.kind in MEASURED:
        there = then if target is None else target
        apart = float(np.linalg.norm(now[:3, :3] - there[:3, :3]))
        radians = 2.0 * float(np.arcsin(min(1.0, apart / np.sqrt(8.0))))
        return float(np.linalg.norm(now[:3, 3] - there[:3, 3])), radians
    return 0.0, 0.0


def _between(one: np.ndarray, other: np.ndarray) -> float:
    """The angle between two directions."""
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))


def _fresh(load: Load) -> Load:
    """The load with arrays as a user's own are.

    An array that was pickled has a type that equals NumPy's float64 and is another object, which a version may take
    for something unusual.
    """
    targets = [[None if each is None else _own(each) for each in given] for given in load.targets]
    approach = tuple([None if each is None else _own(each) for each in given] for given in load.approach)
    return replace(load, targets=targets, approach=approach)


def _own(array: np.ndarray) -> np.ndarray:
    made = np.empty(array.shape)
    made[...] = array
    return made


class Served:
    """The loads that this process has prepared; each method is a request."""

    def __init__(self) -> None:
        self._figures: dict[str, Any] = {}
        self._prepared: Prepared | None = None

    @property
    def _now(self) -> Prepared:
        assert self._prepared is not None
        return self._prepared

    def about(self) -> tuple[str, str]:
        """Where the package is, and which kernels it runs."""
        import manikin

        return str(Path(str(manikin.__file__)).resolve().parents[1]), api.compiled()

    def make(self, load: Load) -> list[str]:
        """Prepare a load; the names of the coordinates."""
        key = repr(sorted(load.figure.items()))
        if key not in self._figures:
            self._figures[key] = api.figure(dict(load.figure))
        self._prepared = Prepared(load, self._figures[key])
        gc.collect()
        return self._prepared.dofs

    def answers(self, items: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Solve once: q, whether it claims to have reached, and the seconds."""
        seconds, found = self._now.turn(items, True)
        return (
            np.array([solution.q for solution in found]),
            np.array([api.reached(solution) for solution in found]),
            seconds,
        )

    def turn(self, items: list[int], read: bool, warm: bool) -> np.ndarray:
        """The seconds of each, with the collector of garbage at rest."""
        if warm and not self._now.load.path:
            self._now.turn(items[:1], read)
        gc.disable()
        try:
            worked = process_time()
            seconds = self._now.turn(items, read)[0]
            if len(items) == 1:  # Long: the process may have been put aside meanwhile.
                seconds = np.minimum(seconds, process_time() - worked)
            return seconds
        finally:
            gc.enable()

    def judge(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cost and whether all is met, of every problem's answer."""
        judged = [self._now.judge(index, row) for index, row in enumerate(q)]
        return np.array([cost for cost, _ in judged]), np.array([met for _, met in judged])


def main() -> None:
    """Answer requests, (method, arguments), until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What anything prints goes to the errors.
    served = Served()
    while True:
        try:
            name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            reply = True, getattr(served, name)(*arguments)
        except Exception as error:
            reply = False, f"{type(error).__name__}: {error}"
        pickle.dump(reply, answers)
        answers.flush()


if __name__ == "__main__":
    main()
