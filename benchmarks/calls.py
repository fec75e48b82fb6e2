"""Calls as a user makes them, in a process of its own: ``python calls.py PANDA.urdf UR5.urdf ROUNDS``.

It prints seconds by name, and runs by itself on any version of Manikin that is on the path, so that two can be measured
in turns (`overhead`). A version that takes no targets with the call is given them by `set`, as its users do.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np

import manikin as mk

AT_SOLUTION = "{}: a pose set and solved at its solution"
MATRIX = "{}: a new pose and the matrix of one site"
ONCE = "{}: one-off solve, at its solution"
HUMAN = "human()"
#: Seconds of calls between two looks at the clock: short, so that some are not interrupted.
CHUNK = 3e-4
TIPS = {"Panda": "panda_link8", "UR5": "tool0"}
_START = {"Panda": [0.1, -0.4, 0.2, -1.8, 0.1, 1.6, 0.7], "UR5": [0.3, -1.2, 1.1, -0.9, 0.8, 0.4]}
_WITH_CALL = "targets" in inspect.signature(mk.Problem.solve).parameters


def _arm(name: str, file: str) -> dict[str, Callable[[], object]]:
    """A pose for the arm's tip that is met where it begins; two poses in turn, so that each is new."""
    figure, tip = mk.load(file), TIPS[name]
    frames, ends = [], []
    for shift in (0.0, 0.05):
        q = np.array(_START[name]) + shift
        frame = np.array(figure.pose(q).matrix(tip))
        frames.append(frame)
        at = mk.Placement(tip, frame[:3, 3], frame[:3, :3])
        ends.append(np.array(mk.solve(figure.pose(q), [at]).q))
    points, turns = [f[:3, 3].copy() for f in frames], [f[:3, :3].copy() for f in frames]
    lists, state = [[frame] for frame in frames], [0]
    problem = mk.Problem(figure, [mk.Placement(tip, np.zeros(3), np.eye(3))])

    def with_call() -> object:
        state[0] = k = 1 - state[0]
        return problem.solve(ends[k], targets=lists[k]).q

    def by_set() -> object:
        state[0] = k = 1 - state[0]
        problem.set(0, position=points[k], orientation=turns[k])  # type: ignore[attr-defined]
        return problem.solve(ends[k]).q

    def matrix() -> object:
        state[0] = k = 1 - state[0]
        return figure.pose(ends[k]).matrix(tip)

    pose, goals = figure.pose(ends[0]), [mk.Placement(tip, points[0], turns[0])]
    return {
        AT_SOLUTION.format(name): with_call if _WITH_CALL else by_set,
        MATRIX.format(name): matrix,
        ONCE.format(name): lambda: mk.solve(pose, goals),
    }


def _human() -> dict[str, Callable[[], object]]:
    """The human made, posed, and solved where its hand and soft feet are."""
    figure = mk.human(stature=1.75)
    rest = figure.pose()
    values = [np.full(figure.n, shift) for shift in (0.0, 0.01)]
    goals: list[mk.Goal] = [mk.Position("right_hand", rest.position("right_hand"))]
    goals += [mk.Placement(f, rest.position(f), rest.matrix(f)) for f in ("left_foot", "right_foot")]
    state = [0]

    def matrix() -> object:
        state[0] = k = 1 - state[0]
        return figure.pose(values[k]).matrix("right_hand")

    return {
        MATRIX.format("human"): matrix,
        ONCE.format("human"): lambda: mk.solve(rest, goals),
        HUMAN: lambda: mk.human(stature=1.75),
    }


def measure(panda: str, ur5: str, rounds: int) -> dict[str, float]:
    """The least of some rounds, in turns, each long enough for the clock: seconds a call by name."""
    calls = {**_arm("Panda", panda), **_arm("UR5", ur5), **_human()}
    repeats, least = {}, dict.fromkeys(calls, np.inf)
    for name, call in calls.items():
        for _ in range(10):
            call()
        begin = perf_counter()
        call()
        repeats[name] = max(1, int(CHUNK / (perf_counter() - begin)))
    for _ in range(rounds):
        for name, call in calls.items():
            begin = perf_counter()
            for _ in range(repeats[name]):
                call()
            least[name] = min(least[name], (perf_counter() - begin) / repeats[name])
    return least


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
