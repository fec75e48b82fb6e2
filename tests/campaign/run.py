"""The campaign: batches of seeds in child processes, so that a hang or a crash is a finding, and a report of all.

What a seed does is its kind's: a case (`case`), a problem solved some thousand times (`series`), prepared problems
beside fresh ones (`fresh`), the same call after other calls (`history`), explanations (`explained`), makers of
motions (`motions`), figures through files and back (`rounds`), maps, workspaces and studies (`zones`), captures of
known motions (`captures`), people asked for several things (`people`), files that were mutated (`tests.fuzz`). Each
gives a dictionary of counts with what was found.
"""

from __future__ import annotations

import json
import os
import platform
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

#: Seconds of the processor without a word from a child after which it hangs.
PATIENCE = 300.0
REPOSITORY = Path(__file__).resolve().parents[2]
FILES = ("urdf", "toml")
#: What is done with a seed: the module here, and its function.
_WORKERS = {
    "case": ("case", "run_case"),
    "series": ("series", "run_series"),
    "fresh": ("fresh", "run_fresh"),
    "history": ("history", "run_history"),
    "explained": ("explained", "run_explained"),
    "motion": ("motions", "run_motion"),
    "round": ("rounds", "run_round"),
    "zone": ("zones", "run_zone"),
    "capture": ("captures", "run_capture"),
    "person": ("people", "run_person"),
}
KINDS = (*_WORKERS, *FILES)


def worker(kind: str) -> Callable[[int], dict[str, Any]]:
    """What is done with a seed."""
    if kind in FILES:
        from tests.fuzz.run import run_files

        return partial(run_files, kind)
    module, function = _WORKERS[kind]
    found: Callable[[int], dict[str, Any]] = getattr(import_module(f"tests.campaign.{module}"), function)
    return found


def batch(kind: str, first: int, count: int) -> None:
    """In a child: seeds one by one, a line of JSON before and one after each."""
    from tests.campaign.case import warm

    work = worker(kind)
    if kind not in FILES:
        warm()
    for seed in range(first, first + count):
        print(json.dumps({"begin": seed}), flush=True)
        print(json.dumps(work(seed)), flush=True)


def _spent(child: int) -> float:
    """Seconds of the processor that a process has spent; where that is not told, those of the clock."""
    try:
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return time.monotonic()


def _lines(kind: str, first: int, count: int, patience: float) -> Iterator[dict[str, Any] | str]:
    """What a child says, line by line; at the end in words how it ended where it did not end well."""
    command = [sys.executable, "-m", "tests.campaign", "batch", kind, str(first), str(count)]
    path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert child.stdout is not None
    os.set_blocking(child.stdout.fileno(), False)
    waiting = selectors.DefaultSelector()
    waiting.register(child.stdout, selectors.EVENT_READ)
    rest, heard = b"", _spent(child.pid)
    try:
        while True:
            if waiting.select(timeout=1.0):
                chunk = child.stdout.read()
                if chunk == b"":
                    break
                *lines, rest = (rest + (chunk or b"")).split(b"\n")
                heard = _spent(child.pid)
                yield from (json.loads(line) for line in lines)
            elif _spent(child.pid) - heard > patience:
                yield f"it hangs: nothing for {patience:.0f} s of the processor"
                return
        if child.wait() != 0:
            yield f"the process died with code {child.returncode}"
    finally:
        waiting.close()
        child.kill()
        child.wait()
        child.stdout.close()


#: What of a seed's dictionary is added up, and what is counted by its words.
_SUMS = ("solves", "compared", "explained", "files", "cpu")


class Report:
    """Counts by figure, goal, call and outcome, the slowest, and every finding."""

    def __init__(self, kind: str, first: int) -> None:
        self.kind, self.first, self.next = kind, first, first
        self.seeds = 0
        self.totals: Counter[str] = Counter()
        self.counts: dict[str, Counter[str]] = {}
        self.findings: list[dict[str, Any]] = []
        self.slowest: list[tuple[float, int]] = []
        self.seconds, self._begun = 0.0, time.monotonic()

    @property
    def cases(self) -> int:
        """Seeds that were run."""
        return self.seeds

    @property
    def solves(self) -> int:
        """Solves that were judged."""
        return int(self.totals["solves"])

    def _count(self, name: str, words: Any, weight: float = 1) -> None:
        into = self.counts.setdefault(name, Counter())
        for word in [words] if isinstance(words, str) else words:
            into[word] += weight

    def add(self, told: dict[str, Any]) -> None:
        """Count what one seed gave."""
        self.seeds += 1
        solves = told.get("solves", 1)
        for name in _SUMS:
            self.totals[name] += told.get(name, 0)
        if "status" in told:
            self._count("outcomes", told["status"])
        for word, number in told.get("statuses", {}).items():
            self._count("outcomes", word, number)
        for word, number in told.get("counts", {}).items():
            self._count("calls", word, number)
        self._count("goals", set(told.get("goals", ())), solves)
        self._count("figures", told.get("features", ()), solves)
        if isinstance(told.get("figure"), str) or "figure" in told:
            self._count("figures", told["figure"], solves)
        if "scale" in told:
            self._count("scales", f"{told['scale']:g}", solves)
        if "refusal" in told:
            self._count("refusals", told["refusal"].split(":")[0])
        if told.get("slowest", 0.0) > 0.0:
            self.slowest = sorted([*self.slowest, (told["slowest"], told["seed"])], reverse=True)[:5]
        if told["found"]:
            own = {key: told[key] for key in ("counts",) if key in told}
            self.findings.append({"seed": told["seed"], "found": told["found"][:5], **own})

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; `from_dict` goes on from there."""
        return {
            "kind": self.kind,
            "first": self.first,
            "next": self.next,
            "seeds": self.seeds,
            **{name: self.totals[name] for name in _SUMS},
            "seconds": self.seconds + time.monotonic() - self._begun,
            "findings": self.findings,
            "slowest": [{"seconds": seconds, "seed": seed} for seconds, seed in self.slowest],
            **{name: dict(sorted(counts.items())) for name, counts in sorted(self.counts.items())},
            "versions": versions(),
        }

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> Report:
        """A report to go on with."""
        report = cls(told["kind"], told["first"])
        report.next, report.seeds = told["next"], told["seeds"]
        report.totals.update({name: told.get(name, 0) for name in _SUMS})
        for name in ("outcomes", "calls", "goals", "figures", "scales", "refusals"):
            if name in told:
                report.counts[name] = Counter(told[name])
        report.findings, report.seconds = told["findings"], told["seconds"]
        report.slowest = [(entry["seconds"], entry["seed"]) for entry in told["slowest"]]
        return report


def merged(told: list[dict[str, Any]]) -> dict[str, Any]:
    """Reports of one kind as one: what is counted added up, findings and commits listed."""
    first = told[0]
    total = {key: value for key, value in first.items() if key not in ("first", "next", "versions")}
    for other in told[1:]:
        for key, value in other.items():
            if isinstance(value, (int, float)) and key in total and key not in ("first", "next"):
                total[key] += value
            elif isinstance(value, list):
                total[key] = [*total.get(key, []), *value]
            elif isinstance(value, dict) and key != "versions":
                total[key] = dict(sorted((Counter(total.get(key, {})) + Counter(value)).items()))
    if "slowest" in total:
        total["slowest"] = sorted(total["slowest"], key=lambda each: -each["seconds"])[:5]
    total["runs"] = [
        {key: each[key] for key in ("first", "next", "solves", "versions") if key in each} for each in told
    ]
    return total


def versions() -> dict[str, str]:
    """What was run, and on what."""
    import numpy

    import manikin

    return {
        "manikin": manikin.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
    }


def _commit() -> str:
    """The commit that was run, "+" where something was changed since."""
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=10", "--match", "-"],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        )
        return said.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def campaign(
    first: int,
    count: int,
    *,
    kind: str = "case",
    size: int = 500,
    patience: float = PATIENCE,
    report: Report | None = None,
    enough: Callable[[Report], bool] = lambda report: False,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Run ``count`` seeds from ``first`` on, ``size`` in one child process, until ``enough`` says so."""
    report = Report(kind, first) if report is None else report
    seed, end = report.next, first + count
    while seed < end and not enough(report):
        last = min(seed + size, end)
        running = None
        for said in _lines(kind, seed, last - seed, patience):
            if isinstance(said, str):
                report.add({"seed": running, "status": "lost", "found": [said]})
                break
            if "begin" in said:
                running = said["begin"]
            else:
                report.add(said)
                seed, running = said["seed"] + 1, None
        else:
            report.next = seed = last
            if progress is not None:
                progress(report)
            continue
        report.next = seed = (seed if running is None else running) + 1
    return report
