"""A solve stops at its time limit and at Ctrl-C, and leaves no memory behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.engines import levels
from manikin.kernels.levels.descent import descend

REPOSITORY = Path(__file__).resolve().parents[2]
FEET = [mk.Pin("left_foot"), mk.Pin("right_foot")]
TABLE = mk.Box(lower=[0.22, -1.0, 0.85], upper=[1.0, 1.0, 0.9])
HOPELESS = {
    "plain": [mk.Position("right_hand", [3.0, 0.0, 1.0]), mk.Position("left_hand", [-3.0, 0.0, 1.0])],
    "balance": [mk.Position("right_hand", [3.0, 0.0, 1.0]), *FEET, mk.Balance(hard=True)],
    "regions": [
        mk.Position("right_hand", [1.5, 0.0, 1.0], hard=True),
        *FEET,
        mk.Balance(hard=True),
        mk.Outside("*", TABLE, hard=True),
    ],
    "levels": [
        [mk.Position("right_hand", [2.0, 0.0, 1.0])],
        [mk.Position("left_hand", [0.0, 2.0, 1.0])],
        FEET,
    ],
    "choices": [mk.AnyOf([mk.Position("right_hand", [2.0 + k, 0.0, 1.0]) for k in range(12)]), *FEET],
}


def test_an_objective_that_is_followed_after_all_goals_are_met_stops_at_the_time_limit():
    """Steps, not seconds: with no time there are fewer than with all of it."""
    body = mk.human(fingers=False)
    start = body.pose(np.clip(body.rest + 0.3, body.lower, body.upper))
    elbow = mk.Swivel(("right_shoulder", "right_elbow", "right_wrist"), 0.5)
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.2]), mk.KineticEnergy(), elbow]
    problem = mk.Problem(start, goals, natural=False)
    patient, hasty = problem.solve(restarts=0), problem.solve(restarts=0, time_limit=1e-9)
    assert patient.reached and hasty.reached
    assert 2 * hasty.iterations < patient.iterations


class Clock:
    """A clock that says how often it was read, so that a time limit is a number of readings on any machine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.readings = 0
        for name, module in list(sys.modules.items()):
            if name.startswith("manikin.") and hasattr(module, "perf_counter"):
                monkeypatch.setattr(module, "perf_counter", self.read)

    def read(self) -> float:
        self.readings += 1
        return float(self.readings)


@pytest.mark.parametrize("name", HOPELESS)
@pytest.mark.parametrize("limit", [8, 40, 150])
def test_a_solve_stops_as_soon_as_it_sees_that_its_time_is_over(name, limit, monkeypatch):
    problem = mk.Problem(mk.human(fingers=False), HOPELESS[name])
    problem.solve(restarts=200, time_limit=0.05, threads=1)  # loads whatever is loaded at its first use
    clock = Clock(monkeypatch)
    found = problem.solve(restarts=200, time_limit=limit, threads=1)
    assert clock.readings < limit + 12
    assert not found.reached and np.isfinite(found.q).all()


@pytest.mark.parametrize("name", HOPELESS)
def test_with_a_time_limit_the_careful_method_is_always_run_by_chunks(name, monkeypatch):
    """What lies between two readings is bounded by steps, since its time would be the machine's."""
    problem = mk.Problem(mk.human(fingers=False), HOPELESS[name])
    budgets = []

    def noted(*arguments):
        budgets.append(arguments[-2])
        return descend(*arguments)

    monkeypatch.setattr(levels, "descend", noted)
    problem.solve(restarts=8, time_limit=1e9, threads=1)
    assert budgets
    assert max(budgets) <= 10


# Processes that a shell has put in the background, and their children, ignore Ctrl-C until they say otherwise.
CODE = """
import signal
import manikin as mk
signal.signal(signal.SIGINT, signal.default_int_handler)
from tests.solvers.test_bounded_time import HOPELESS
body = mk.human(fingers=False)
for name, goals in HOPELESS.items():
    problem = mk.Problem(body, goals)
    problem.solve(time_limit=0.05)
    try:
        print("ready", flush=True)
        while True:
            problem.solve(restarts=100_000)
    except KeyboardInterrupt:
        print(name, flush=True)
"""


def test_ctrl_c_ends_a_long_solve_of_every_kind():
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
    child = subprocess.Popen(
        [sys.executable, "-c", CODE],
        env={**os.environ, "PYTHONPATH": path},
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    try:
        for name in HOPELESS:
            assert child.stdout.readline().strip() == "ready"
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline().strip() == name
        assert child.wait() == 0
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def _resident() -> float:
    """Megabytes of memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(count: int, every: int) -> float:
    """Megabytes by which a process grows from the first third of so many solves to their end."""
    body = mk.human(fingers=False)
    plain = mk.Problem(body, [mk.Position("right_hand", [0.4, -0.3, 1.1])])
    mixed = mk.Problem(body, [mk.Position("right_hand", [0.4, -0.3, 1.1]), *FEET, mk.Balance()])
    begun = 0.0
    for k in range(count):
        at = np.array([0.4, -0.3 + 1e-4 * (k % 100), 1.1])
        found = plain.solve(targets=[at])
        if k % every == 0:
            found = mixed.solve(targets=[at, None, None, None])
            found.explain()
            assert found.reached and plain.solve(targets=[at]).measured
        if k == count // 3:
            begun = _resident()
    return _resident() - begun


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to read memory from")
def test_solves_leave_no_memory_behind():
    assert growth(15_000, 50) < 2.0


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to read memory from")
def test_ten_million_solves_leave_no_memory_behind():
    assert growth(10_000_000, 1000) < 4.0
