"""Runs the works: one process a program and round, in turns, on one core, with a line of progress for each."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.peers import setup
from benchmarks.peers.judge import Judge, Verdict
from benchmarks.peers.protocol import Answers, Work

OURS = "manikin"
PROGRAMS = (OURS, *setup.POSING)
#: One more round is worth its time only where noise can decide.
LONG = 10.0
LIMIT = 900.0
_CHECKOUT = Path(__file__).resolve().parents[2]
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass
class Outcome:
    """What a program made of a work: its rounds and the judge's verdicts on the first, or why there is nothing."""

    program: str
    work: Work
    rounds: list[Answers] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    reason: str = ""

    @property
    def done(self) -> bool:
        """Whether there are answers."""
        return bool(self.rounds)

    @property
    def q(self) -> np.ndarray:
        """The answers that were judged."""
        return self.rounds[0].q

    @property
    def median(self) -> float:
        """Seconds of the median solve, the least of the rounds."""
        return min(float(np.median(answers.seconds)) for answers in self.rounds)

    @property
    def slow(self) -> float:
        """Seconds of the 95th percentile, the least of the rounds."""
        return min(float(np.percentile(answers.seconds, 95)) for answers in self.rounds)

    @property
    def solved(self) -> float:
        """The part that the judge accepts."""
        return float(np.mean([verdict.met for verdict in self.verdicts]))

    @property
    def claimed(self) -> float:
        """The part that the program says it solved."""
        return float(np.mean(self.rounds[0].claimed))

    @property
    def beyond(self) -> float:
        """How far the worst answer is outside its limits."""
        return max(verdict.beyond for verdict in self.verdicts)


def idlest_core() -> int | None:
    """The core that did least in the last moment; None where that cannot be seen."""
    stat = Path("/proc/stat")
    if not stat.is_file() or not hasattr(os, "sched_getaffinity"):
        return None

    def idle() -> dict[int, int]:
        lines = [line.split() for line in stat.read_text().splitlines()]
        return {int(row[0][3:]): int(row[4]) for row in lines if row[0][:3] == "cpu" and row[0] != "cpu"}

    before = idle()
    time.sleep(0.1)
    gained = {core: count - before.get(core, count) for core, count in idle().items()}
    allowed = [core for core in gained if core in os.sched_getaffinity(0)]
    return max(allowed, key=lambda core: gained[core]) if allowed else None


def run_once(program: str, work_file: Path, folder: Path) -> Answers | str:
    """One round of one program in a process of its own; or in one line why there is none."""
    ours = program == OURS
    python = sys.executable if ours else str(setup.python_of(program))
    path = os.pathsep.join(str(p) for p in ([_CHECKOUT, _CHECKOUT / "src"] if ours else [_CHECKOUT]))
    answers, core = folder / f"{program}.npz", idlest_core()
    command = [python, "-m", f"benchmarks.peers.adapters.{program}", str(work_file), str(answers)]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path},
            cwd=_CHECKOUT,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
            preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),
        )
    except subprocess.TimeoutExpired:
        return f"not done after {LIMIT:.0f} s"
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        said = lines[-1].strip() if lines else "no message"
        return said if done.returncode == 3 else f"failed ({done.returncode}): {said}"
    return Answers.load(answers)


def run_work(work: Work, programs: Sequence[str], rounds: int) -> list[Outcome]:
    """Every program on one work, in turns: A, B, …, A, B, …"""
    outcomes = [Outcome(program, work) for program in programs]
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        folder = Path(name)
        work.save(folder / "work.npz")
        for turn in range(rounds):
            for outcome in outcomes:
                _turn(outcome, folder, turn)
    judge_all(work, outcomes)
    return outcomes


def judge_all(work: Work, outcomes: Sequence[Outcome]) -> None:
    """The judge's verdicts on every program's first round."""
    judge = Judge(work)
    for outcome in outcomes:
        if outcome.done:
            outcome.verdicts = [judge.judge(q, t) for q, t in zip(outcome.q, work.targets, strict=True)]


def _turn(outcome: Outcome, folder: Path, turn: int) -> None:
    if outcome.reason or (turn and outcome.rounds[0].seconds.sum() > LONG):
        return
    if outcome.program != OURS and setup.version(outcome.program) is None:
        outcome.reason = setup.reason(outcome.program)
        return
    found = run_once(outcome.program, folder / "work.npz", folder)
    if isinstance(found, str):
        # A later round that fails would leave numbers of half a comparison.
        outcome.reason, outcome.rounds = found, []
    else:
        outcome.rounds.append(found)
    said = outcome.reason or f"median {outcome.median * 1e6:.1f} µs"
    print(f"  {outcome.work.name}, round {turn + 1}, {outcome.program}: {said}", file=sys.stderr, flush=True)
