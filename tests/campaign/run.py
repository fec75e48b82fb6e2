"""The campaign: batches of cases in child processes, so that a hang or a crash is a finding, and a report of all."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: Seconds without a word from a child after which it hangs.
PATIENCE = 120.0
REPOSITORY = Path(__file__).resolve().parents[2]


def batch(first: int, count: int) -> None:
    """In a child: cases one by one, a line of JSON before and one after each."""
    from tests.campaign.case import run_case, warm

    warm()
    for seed in range(first, first + count):
        print(json.dumps({"begin": seed}), flush=True)
        print(json.dumps(run_case(seed)), flush=True)


def _lines(first: int, count: int, patience: float) -> Iterator[dict[str, Any] | str]:
    """What a child says, line by line; at the end in words how it ended where it did not end well."""
    command = [sys.executable, "-m", "tests.campaign", "batch", str(first), str(count)]
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
    rest, heard = b"", time.monotonic()
    try:
        while True:
            if waiting.select(timeout=1.0):
                chunk = child.stdout.read()
                if chunk == b"":
                    break
                *lines, rest = (rest + (chunk or b"")).split(b"\n")
                heard = time.monotonic()
                yield from (json.loads(line) for line in lines)
            elif time.monotonic() - heard > patience:
                yield f"it hangs: nothing for {patience:.0f} s"
                return
        if child.wait() != 0:
            yield f"the process died with code {child.returncode}"
    finally:
        waiting.close()
        child.kill()
        child.wait()
        child.stdout.close()


class Report:
    """Counts by figure, goal and outcome, and every finding."""

    def __init__(self) -> None:
        self.cases = self.solves = self.compared = 0
        self.outcomes: Counter[str] = Counter()
        self.goals: Counter[str] = Counter()
        self.figures: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.findings: list[dict[str, Any]] = []
        self.begun = time.time()

    def add(self, case: dict[str, Any]) -> None:
        """Count a case."""
        self.cases += 1
        self.solves += case.get("solves", 0)
        self.compared += case.get("compared", 0)
        self.outcomes[case["status"]] += 1
        for goal in case.get("goals", ()):
            self.goals[f"{goal} {case['status']}"] += 1
        for feature in case.get("figure", ()):
            self.figures[feature] += 1
        if "scale" in case:
            self.figures[f"scale {case['scale']:g}"] += 1
        if "refusal" in case:
            self.refusals[case["refusal"].split(":")[0]] += 1
        if case["found"]:
            self.findings.append({"seed": case["seed"], "found": case["found"]})

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "cases": self.cases,
            "solves": self.solves,
            "prepared_against_fresh": self.compared,
            "seconds": time.time() - self.begun,
            "outcomes": dict(self.outcomes.most_common()),
            "goals": dict(sorted(self.goals.items())),
            "figures": dict(sorted(self.figures.items())),
            "refusals": dict(self.refusals.most_common()),
            "findings": self.findings,
        }


def campaign(
    first: int,
    count: int,
    *,
    size: int = 500,
    patience: float = PATIENCE,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Run ``count`` cases from the seed ``first`` on, ``size`` in one child process."""
    report = Report()
    seed, end = first, first + count
    while seed < end:
        last = min(seed + size, end)
        running = None
        for said in _lines(seed, last - seed, patience):
            if isinstance(said, str):
                report.add({"seed": running, "status": "lost", "found": [said]})
                break
            if "begin" in said:
                running = said["begin"]
            else:
                report.add(said)
                seed, running = said["seed"] + 1, None
        else:
            seed = last
            if progress is not None:
                progress(report)
            continue
        seed = (seed if running is None else running) + 1
    return report
