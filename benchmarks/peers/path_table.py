"""The table of paths followed sample by sample, and what must hold in it."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.compare import against, median, ratio
from benchmarks.peers.runner import OURS, Outcome
from benchmarks.tables import Requirement, Table

#: How many times shorter ours must be, and how many times as large its largest step may be.
TIMES, STEP = 4.0, 1.2
COLUMNS = (
    "work",
    "program",
    "within tolerance, %",
    "median µs",
    "95 % µs",
    "its median over ours",
    "largest step, rad",
)


def largest_step(outcome: Outcome) -> float:
    """The farthest that a joint moves between samples."""
    way = np.vstack([outcome.work.starts[:1], outcome.q])[:, outcome.work.first_joint :]
    return float(np.abs(np.diff(way, axis=0)).max())


def path_table(outcomes: dict[str, dict[str, Outcome]]) -> Table:
    """Every program on every path."""
    table = Table("Following a path, each sample from the last answer", COLUMNS)
    for name, found in outcomes.items():
        ours = found.get(OURS)
        for outcome in (o for o in found.values() if o.done):
            table.add(
                name,
                outcome.program,
                100.0 * outcome.solved,
                outcome.median * 1e6,
                outcome.slow * 1e6,
                ratio(outcome, ours, median),
                largest_step(outcome),
            )
    return table


def path_requirements(name: str, found: dict[str, Outcome]) -> list[Requirement]:
    """Within tolerance on every sample, as smooth as the smoothest peer that is, and so many times faster."""
    ours = found.get(OURS)
    if ours is None or not ours.done:
        return []
    exact = {p: o for p, o in found.items() if p == OURS or (o.done and o.solved == 1.0)}
    steps = [largest_step(o) for p, o in exact.items() if p != OURS]
    step = largest_step(ours) / min(steps) if steps else None
    return [
        Requirement(f"{name}: within tolerance by ours, %", 100.0 * ours.solved, 100.0, at_least=True),
        Requirement(f"{name}: largest step over the smoothest peer's", step, STEP),
        *against(exact, median, f"{name}: median", TIMES),
    ]
