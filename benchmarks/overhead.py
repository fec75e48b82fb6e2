"""What a call costs besides the work: prepared, one-off, and in a new process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from time import perf_counter

import manikin as mk
from benchmarks import calls
from benchmarks.earlier import CHECKOUT, earlier, run_in
from benchmarks.evaluation import evaluation_timer
from benchmarks.figures import FIGURES, Body
from benchmarks.inside import REASON
from benchmarks.peers.robots import ROBOTS, plain
from benchmarks.problems import random_problem
from benchmarks.tables import Requirement, Section, Table
from benchmarks.timing import in_turns, ratio, seconds_of

CALL_COLUMNS = (
    "figure",
    "evaluation, µs",
    "Problem.solve, µs",
    "less the evaluation",
    "solve, µs",
    "less the evaluation ",
)
USER_COLUMNS = ("call", "µs", "earlier version, µs", "now over then")
PROCESS_COLUMNS = ("in a new process", "least, s", "most, s", "CPU, s", "runs")

_IMPORT = "from time import perf_counter as t; b = t(); import manikin; print(t() - b)"
_FIRST_SOLVE = """
import manikin as mk
joints = [
    mk.Joint.revolute(f"j{i}", f"s{i}", f"s{i + 1}", "zy"[i % 2], placement=(0, 0, 0.2), lower=-2, upper=2)
    for i in range(7)
]
figure = mk.Figure("arm", [f"s{i}" for i in range(8)], joints)
result = mk.solve(figure, [mk.Position("s7", [0.5, 0.2, 0.8])])
assert result.reached
"""


def _calls(body: Body, rounds: int, repeats: int) -> dict[str, float]:
    """Least seconds of an evaluation, of a prepared solve at its solution, and of a one-off solve there."""
    drawn = random_problem(body, 1, reachable=True)
    goals = body.goals(drawn.targets)
    problem = mk.Problem(body.figure, goals)
    # Once more from there: a search ends within half the tolerance, a start so near is brought nearer still.
    found = problem.solve(problem.solve(drawn.start).q)
    pose, q = found.pose, found.q.copy()
    again = problem.solve(q)
    if again.evaluations != 1:
        raise RuntimeError(
            f"{body.name}: a solve at its solution took {again.evaluations} evaluations, not 1"
        )
    return in_turns(
        {
            "evaluation": (lambda: 0.0) if REASON else evaluation_timer(problem, q, repeats),
            "prepared": lambda: seconds_of(lambda: problem.solve(q), repeats),
            "once": lambda: seconds_of(lambda: mk.solve(pose, goals), max(1, repeats // 20)),
        },
        rounds,
    )


class Process:
    """A new interpreter running some code: its times in seconds from start to end, its output and its errors."""

    def __init__(self, code: str, **environment: str) -> None:
        path = os.pathsep.join(
            [str(Path(mk.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        used, begin = _children(), perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        self.seconds = perf_counter() - begin
        self.cpu = _children() - used
        self.output, self.errors = done.stdout, done.stderr.strip()


def _children() -> float:
    """Processor seconds of all processes started from here that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _warm(runs: int) -> tuple[list[float], list[Process]]:
    """Seconds to import, and processes that solve once with the kernels in the cache, in turns."""
    Process(_FIRST_SOLVE)
    imports, solves = [], []
    for _ in range(runs):
        imports.append(float(Process(_IMPORT).output))
        solves.append(Process(_FIRST_SOLVE))
    return imports, solves


def _cold() -> Process:
    """A process that solves once with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        process = Process(_FIRST_SOLVE, NUMBA_CACHE_DIR=folder)
        if not any(Path(folder).rglob("*.nbc")):
            raise RuntimeError("the kernels were not compiled into the empty cache")
    return process


def _user_calls(rounds: int) -> tuple[Table, list[Requirement], str]:
    """Calls as a user makes them (`calls`), beside an earlier version's where there is a checkout of it."""
    table = Table("Calls as a user makes them", USER_COLUMNS)
    try:
        files = [str(plain(ROBOTS[name])) for name in ("panda", "ur5")]
    except metadata.PackageNotFoundError:
        return (
            table,
            [],
            "Calls as a user makes them: not measured, since example-robot-data is not installed.",
        )
    old = earlier()
    least: dict[str, dict[str, float]] = {"now": {}, "then": {}}
    for _ in range(rounds):
        for name, checkout in (("now", CHECKOUT), ("then", old)):
            if checkout is None:
                continue
            found = json.loads(run_in(checkout, calls.__file__, *files, "10" if rounds == 1 else "60"))
            least[name] = {k: min(v, least[name].get(k, v)) for k, v in found.items()}
    for name, now in least["now"].items():
        then = least["then"].get(name)
        table.add(name, now * 1e6, None if then is None else then * 1e6, ratio(now, then))
    lines = [
        Requirement(f"{name}, µs", now * 1e6, 3.0)
        for name, now in least["now"].items()
        if name in {calls.AT_SOLUTION.format(arm) for arm in calls.TIPS}
    ]
    return table, lines, ""


def run(quick: bool = False) -> Section:
    """Measure calls and new processes; when quick, few, and the processes not at all."""
    rounds, repeats = (3, 200) if quick else (15, 2000)
    calls = Table("Started at the solution", CALL_COLUMNS)
    worst = {"prepared": 0.0, "once": 0.0}
    for make in FIGURES.values():
        body = make()
        times = {name: seconds * 1e6 for name, seconds in _calls(body, rounds, repeats).items()}
        left = {name: times[name] - times["evaluation"] for name in worst}
        if body.n <= 31:
            worst = {name: max(worst[name], left[name]) for name in worst}
        calls.add(
            body.name, times["evaluation"], times["prepared"], left["prepared"], times["once"], left["once"]
        )
    section = Section(
        "overhead",
        "A prepared problem and a one-off `solve` (its figure seen before), both started at the solution, so "
        "that one evaluation is all the work there is; calls as a user makes them, new target in and answer out; and "
        "new processes, from the interpreter's start to its end. The earlier version is the checkout that "
        "MANIKIN_EARLIER names.",
        [calls],
        [
            Requirement(
                "Problem.solve less one evaluation, up to 31 degrees of freedom, µs", worst["prepared"], 3.0
            ),
            Requirement("solve less one evaluation, up to 31 degrees of freedom, µs", worst["once"], 200.0),
        ],
    )
    if REASON:
        section.notes.append(f"One evaluation is counted in what is left: to time it apart {REASON}.")
    user, lines, reason = _user_calls(1 if quick else 3)
    if reason:
        section.notes.append(reason)
    else:
        section.tables.append(user)
        section.requirements += lines
    if not quick:
        _add_processes(section)
    return section


def _add_processes(section: Section) -> None:
    table = Table("New processes", PROCESS_COLUMNS)
    imports, warm = _warm(7)
    cold = [_cold() for _ in range(3)]
    table.add("import manikin", min(imports), max(imports), None, len(imports))
    for what, group in (("kernels in the cache", warm), ("empty cache", cold)):
        times = [process.seconds for process in group]
        cpu = min(process.cpu for process in group)
        table.add(f"first solution, {what}", min(times), max(times), cpu, len(times))
    said = min((process.errors for process in cold), key=len)
    section.tables.append(table)
    section.requirements += [
        Requirement("import, s", min(imports), 0.3),
        Requirement("first solution with the cache, s", min(p.seconds for p in warm), 1.0),
        Requirement("first solution without, s", min(p.seconds for p in cold), 20.0),
        Requirement(
            "lines on stderr that say why it takes so long", float(len(said.splitlines())), 1.0, at_least=True
        ),
    ]
    section.notes.append(f"Said on stderr with an empty cache:\n\n    {said}")
