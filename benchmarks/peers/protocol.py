"""What a worker reads and writes, and its loop. Needs NumPy alone: it runs in the peers' environments too.

Configurations are in Pinocchio's order: with a free base x y z and the quaternion x y z w first, then the joints in
the order of ``joints``. Targets are 4×4 matrices in the world; of a goal of kind ``"position"`` only the last column
counts.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

#: Problems solved before the clock starts: caches fill, what compiles compiles.
WARM = 3
_ARRAYS = ("lower", "upper", "starts", "targets", "seeds")


@dataclass
class Work:
    """The problems of one kind.

    tips, kinds: the frames that have goals, and ``"pose"`` or ``"position"`` for each.
    metres, radians: within which a goal counts as met.
    follow: each problem starts where the last one ended; ``starts`` counts for the first alone.
    reachable: whether the targets were taken from a configuration inside the limits.
    seeds: configurations to begin again from, for programs that have no restarts of their own.
    """

    name: str
    robot: str
    urdf: str
    root: str
    base: str
    tips: list[str]
    kinds: list[str]
    joints: list[str]
    metres: float
    radians: float
    follow: bool
    reachable: bool
    lower: np.ndarray = field(repr=False)
    upper: np.ndarray = field(repr=False)
    starts: np.ndarray = field(repr=False)
    targets: np.ndarray = field(repr=False)
    seeds: np.ndarray = field(repr=False)

    @property
    def free(self) -> bool:
        """Whether the base moves freely."""
        return self.base == "free"

    @property
    def first_joint(self) -> int:
        """Where the joints begin in a configuration."""
        return 7 if self.free else 0

    def cut(self, count: int) -> Work:
        """The first problems only."""
        values = {**self.__dict__, "starts": self.starts[:count], "targets": self.targets[:count]}
        return Work(**values)

    def save(self, path: Path) -> None:
        """Write the file that a worker reads."""
        values = {k: v for k, v in self.__dict__.items() if k not in _ARRAYS}
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        np.savez(path, meta=json.dumps(values), **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Work:
        """Read it back."""
        with np.load(path) as stored:
            return cls(**json.loads(str(stored["meta"])), **{name: stored[name] for name in _ARRAYS})


@dataclass
class Answers:
    """What a worker found, one row a problem.

    seconds: from a new target to its answer, by the clock, less what the core gave to other processes meanwhile.
    claimed: whether the program says that it met the goals.
    settings: how it was used, in words.
    """

    q: np.ndarray
    seconds: np.ndarray
    claimed: np.ndarray
    settings: str

    def save(self, path: str | Path) -> None:
        """Write the file that the judge reads."""
        np.savez(path, **asdict(self))

    @classmethod
    def load(cls, path: str | Path) -> Answers:
        """Read it back."""
        with np.load(path) as stored:
            values: dict[str, Any] = {name: stored[name] for name in stored.files}
        values["settings"] = str(values["settings"])
        return cls(**values)


class Solver(Protocol):
    """A program prepared for one work."""

    #: How it is used, in words.
    settings: str

    def ready(self, start: np.ndarray, targets: np.ndarray, number: int) -> None:
        """Lay the next problem out as a user of the program has it; not timed.

        That is arrays of NumPy: the start in the program's order of joints, of every goal 4×4 numbers or 3, for the tip
        that the program knows. What it wants instead of them (transforms of its own, quaternions, a new program of
        constraints) is made in `solve`.
        """

    def solve(self) -> None:
        """New targets in, answer out: all that a user does for them, which is what is timed."""

    def answer(self) -> tuple[np.ndarray, bool]:
        """The configuration that was found, in Pinocchio's order, and whether it is claimed to meet the goals."""


class Refused(Exception):
    """A work that a program cannot do, with the reason."""


def _timed(call: Callable[[], None]) -> float:
    """Seconds of a call.

    On a busy machine a process is put aside for milliseconds at a time, which would fall on slow programs mostly. Time
    of the processor (of all threads together, which share the core) does not count that, but reading it costs half a
    microsecond; so it stands in only where it is the less.
    """
    worked = time.process_time()
    begin = time.perf_counter()
    call()
    passed = time.perf_counter() - begin
    return min(passed, time.process_time() - worked)


def work_through(solver: Solver, work: Work) -> Answers:
    """Every problem once, in order, after a few to warm up."""
    count = len(work.targets)
    answers = Answers(np.full_like(work.starts, np.nan), np.zeros(count), np.zeros(count, bool), "")
    for number in range(min(WARM, count)):
        solver.ready(work.starts[number], work.targets[number], number)
        solver.solve()
    gc.collect()
    gc.disable()
    start = work.starts[0]
    for number in range(count):
        if not work.follow:
            start = work.starts[number]
        solver.ready(start, work.targets[number], number)
        answers.seconds[number] = _timed(solver.solve)
        q, answers.claimed[number] = solver.answer()
        answers.q[number] = start = q
    gc.enable()
    answers.settings = solver.settings
    return answers


def serve(make: Callable[[Work], Solver]) -> None:
    """Be a worker: ``adapter.py WORK ANSWERS``; a refusal is a line on standard output and exit status 3."""
    work = Work.load(sys.argv[1])
    try:
        solver = make(work)
    except Refused as refusal:
        print(refusal)
        sys.exit(3)
    work_through(solver, work).save(sys.argv[2])
