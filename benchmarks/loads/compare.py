"""Two versions, each alive in a process of its own, that take short turns on the same load."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.loads.load import Load

CHECKOUT = Path(__file__).resolve().parents[2]
#: Seconds of a turn, unless one solve takes longer; so noise that lasts longer than that meets both versions.
TURN = 4e-3
#: Seconds that a load may take, after which no further round begins; there is always one with each pair of processes,
#: of a slow load with one pair.
BUDGET = 20.0
#: A round that takes less than so many seconds is made more often: it costs little, and its times are noisier.
LEAST = 0.1
#: A median that fell by less in the last third of the rounds has settled.
SETTLED = 0.995
#: Above this many seconds a solve, reading what was found costs nothing beside it: not measured apart.
READ = 1e-3
#: Bytes by which the stacks of two pairs of processes are apart.
PADDING = 1000
#: Square metres: added to both costs of a ratio, so that answers within a tenth of a millimetre compare as equal.
MET = 1e-8


class Version:
    """One version of the package, served by a process of its own.

    copy: where the version is copied to first, since where a file lies in memory, and how long its name is, changes the
    times of the same code by some per cent. padding: so many bytes more in the environment, which shift the stack.
    """

    def __init__(self, source: Path, copy: Path, padding: int = 0) -> None:
        self.source = source.resolve()
        if not (self.source / "manikin").is_dir():
            raise SystemExit(f"{source} has no folder manikin: name the src of a checkout")
        shutil.copytree(self.source / "manikin", copy / "manikin")
        path = os.pathsep.join([str(copy), str(CHECKOUT)])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.loads.child"],
            env={**os.environ, "PYTHONPATH": path, "PADDING": "x" * padding},
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        found, self.kernels = self.ask("about")
        if Path(found) != copy.resolve():
            raise SystemExit(f"{self.source} was asked for, and {found} imported")

    def ask(self, name: str, *arguments: object) -> Any:
        """The reply to a request."""
        assert self._process.stdin is not None and self._process.stdout is not None
        pickle.dump((name, arguments), self._process.stdin)
        self._process.stdin.flush()
        try:
            good, reply = pickle.load(self._process.stdout)
        except EOFError:
            raise Broken(f"the process ended with {self._process.wait()}") from None
        if not good:
            raise Broken(reply)
        return reply

    def end(self) -> None:
        """Let the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Broken(Exception):
    """A version cannot do what a load asks for; the reason."""


@dataclass
class Compared:
    """A load's result; times are those of the version after over those of the version before, problem by problem.

    plain: without reading `reached`; None where a solve is so long that it makes no difference.
    reached: claimed, before and after. met: judged by the plain forward kinematics of the version before.
    cost: the sum over the problems, before and after. worst: the largest ratio of the costs of one problem.
    differ: answers that are apart by more than 1e-12, and by more than 1e-6.
    unsteady: answers of each version that are not the same, bit by bit, in all of its processes.
    """

    family: str
    name: str
    problems: int
    rounds: int
    before_us: float
    after_us: float
    median: float
    p95: float
    total: float
    plain_median: float | None
    plain_p95: float | None
    reached: tuple[int, int]
    met: tuple[int, int]
    cost: tuple[float, float]
    worst: float
    differ: tuple[int, int]
    unsteady: tuple[int, int]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self)


#: A process of the version before, and one of the version after.
Pair = tuple[Version, Version]


def pairs(before: Path, after: Path, count: int, folder: Path) -> list[Pair]:
    """So many processes of each version, each pair with another place of its stack."""
    found = []
    for number in range(count):
        copies = (folder / f"{side}{number}" for side in "ab")
        one, other = (
            Version(source, copy, PADDING * number)
            for source, copy in zip((before, after), copies, strict=True)
        )
        found.append((one, other))
    return found


def compare(load: Load, pairs: Sequence[Pair], rounds: int, budget: float = BUDGET) -> Compared:
    """Both versions on a load: answers first, then so many rounds of short turns; the least time of each counts."""
    before = pairs[0][0]
    names, *_ = [[version.ask("make", load) for version in pair] for pair in pairs]
    if sorted(names[0]) != sorted(names[1]):
        raise Broken(f"the versions name the coordinates differently: {names[0]}, {names[1]}")
    everything = list(range(len(load.targets)))
    answered = [[version.ask("answers", everything) for version in pair] for pair in pairs]
    answers = answered[0]
    unsteady = [
        int(np.any([pair[k][0] != answers[k][0] for pair in answered], axis=(0, 2)).sum()) for k in (0, 1)
    ]
    order = [names[1].index(name) for name in names[0]]
    q = answers[0][0], answers[1][0][:, order]
    judged = [before.ask("judge", each) for each in q]
    least, done = _times(load, pairs, answers[0][2], rounds, budget)
    ratios = {read: times[1] / times[0] for read, times in least.items()}
    apart = np.abs(q[1] - q[0]).max(axis=1, initial=0.0)
    (cost, met), (cost_after, met_after) = judged
    plain = ratios.get(False)
    return Compared(
        load.family,
        load.name,
        len(everything),
        done,
        *(1e6 * float(np.median(times)) for times in least[True]),
        float(np.median(ratios[True])),
        float(np.percentile(ratios[True], 95)),
        float(least[True][1].sum() / least[True][0].sum()),
        None if plain is None else float(np.median(plain)),
        None if plain is None else float(np.percentile(plain, 95)),
        (int(answers[0][1].sum()), int(answers[1][1].sum())),
        (int(met.sum()), int(met_after.sum())),
        (float(cost.sum()), float(cost_after.sum())),
        float(((cost_after + MET) / (cost + MET)).max()),
        (int((apart > 1e-12).sum()), int((apart > 1e-6).sum())),
        (unsteady[0], unsteady[1]),
    )


def _times(
    load: Load, pairs: Sequence[Pair], once: np.ndarray, rounds: int, budget: float
) -> tuple[dict[bool, np.ndarray], int]:
    """The least seconds of both versions, (2, problems), with `reached` read and without; and the number of rounds.

    once: the seconds of each problem in a first run.
    """
    everything = list(range(len(load.targets)))
    parts = [everything] if load.path else list(_turns(once))
    kinds = [True] if np.median(once) > READ else [True, False]
    least = {read: np.full((2, len(everything)), np.inf) for read in kinds}
    begin, enough = perf_counter(), 1 if load.slow else len(pairs)
    medians: list[np.ndarray] = []
    for done in count(1):
        _round(pairs[done % len(pairs)], parts, least, done)
        medians.append(np.median(least[True], axis=1))
        spent = perf_counter() - begin
        measured = done >= rounds and spent > LEAST * rounds and _settled(medians)
        if measured or (done >= enough and spent > budget):
            break
    return least, done


def _settled(medians: list[np.ndarray]) -> bool:
    """Whether neither version's median fell in the last third of the rounds: after a busy spell it does."""
    return bool((medians[-1] >= SETTLED * medians[2 * len(medians) // 3]).all())


def _turns(seconds: np.ndarray) -> Iterator[list[int]]:
    """Problems in short turns."""
    part: list[int] = []
    for index in range(len(seconds)):
        part.append(index)
        if seconds[part].sum() > TURN:
            yield part
            part = []
    if part:
        yield part


def _round(versions: Pair, parts: list[list[int]], least: dict[bool, np.ndarray], number: int) -> None:
    """Every part once by each version, the one that begins changing from turn to turn."""
    for turn, part in enumerate(parts, number):
        for read, times in least.items():
            for k in (0, 1) if turn % 2 else (1, 0):
                warm = bool(not np.isfinite(times[k, part]).all() or times[k, part[0]] < READ)
                taken = versions[k].ask("turn", part, read, warm)
                times[k, part] = np.minimum(times[k, part], taken)
