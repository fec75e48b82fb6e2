"""The table of goals out of reach, and what must hold in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.peers import far
from benchmarks.peers.judge import SLACK, Judge
from benchmarks.peers.runner import OURS, Outcome
from benchmarks.tables import Requirement, Section, Table

COLUMNS = (
    "program",
    "median µs",
    "95 % µs",
    "within 1 % of the best, %",
    "median P over the best",
    "95 % P over the best",
    "slope below 1e-6 (1 + P), %",
    "beyond a limit",
)


@dataclass
class Quality:
    """One program's potentials, projected slopes, and whether each answer is inside the limits."""

    potential: np.ndarray
    slope: np.ndarray
    inside: np.ndarray

    def still(self) -> float:
        """Per cent of the answers where the slope is below 1e-6 (1 + P)."""
        return 100.0 * float(np.mean(self.slope <= 1e-6 * (1.0 + self.potential)))

    def near(self, best: np.ndarray) -> float:
        """Per cent within 1 % of the best."""
        return 100.0 * float(np.mean((self.potential <= 1.01 * best) & self.inside))


def quality(outcome: Outcome) -> Quality:
    """Measure a program's answers."""
    work, judge = outcome.work, Judge(outcome.work)
    pairs = list(zip(outcome.q, work.targets, strict=True))
    return Quality(
        np.array([far.potential(judge, q, targets) for q, targets in pairs]),
        np.array([far.projected_slope(judge, q, targets) for q, targets in pairs]),
        np.array([verdict.beyond <= SLACK for verdict in outcome.verdicts]),
    )


def add_far(section: Section, found: dict[str, Outcome]) -> None:
    """Quality against the best that is known, and time beside it."""
    stored = far.stored_best()
    if stored is None:
        section.notes.append("The stored best is of other problems: python -m benchmarks.peers.far.")
        return
    qualities = {program: quality(outcome) for program, outcome in found.items() if outcome.done}
    stored = stored[: len(next(iter(found.values())).work.targets)]
    best = stored.copy()
    for made in qualities.values():
        # Outside the limits a lower potential is no merit.
        best = np.where(made.inside, np.minimum(best, made.potential), best)
    table = Table(f"Out of reach: {far.WORK}, one to four of the four goals", COLUMNS)
    for program, made in qualities.items():
        over, outcome = made.potential / best, found[program]
        table.add(
            program,
            outcome.median * 1e6,
            outcome.slow * 1e6,
            made.near(best),
            float(np.median(over)),
            float(np.percentile(over, 95)),
            made.still(),
            outcome.beyond,
        )
    section.tables.append(table)
    if OURS in qualities:
        still, near = qualities[OURS].still(), qualities[OURS].near(best)
        section.requirements += [
            Requirement(f"{far.WORK}: projected slope below 1e-6 (1 + P), %", still, 99.9, at_least=True),
            Requirement(f"{far.WORK}: within 1 % of the best of 1,000 starts, %", near, 99.0, at_least=True),
        ]
    better = int((best < stored * (1.0 - 1e-6)).sum())
    section.notes.append(
        f"Out of reach: the best is the least of {far.STARTS} starts of ours (stored) and of all answers here; "
        f"{better} of {len(best)} problems have a better answer here than the stored one. All minimise the same sum, "
        "from the same start; the programs that step are given one try of up to 300 steps."
    )
