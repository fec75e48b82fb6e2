"""The table of solves, and what must hold in it."""

from __future__ import annotations

from benchmarks.peers.compare import against, median, ratio, slow
from benchmarks.peers.runner import OURS, Outcome
from benchmarks.peers.works import KINDS
from benchmarks.tables import Requirement, Table

#: How many times shorter ours must be, the median and the 95th percentile: of an arm by how it starts, of a body.
ARMS: dict[str, tuple[float, float | None]] = {"random": (4.0, 5.0), "near": (4.0, None)}
BODIES = (5.0, 10.0)
COLUMNS = (
    "work",
    "program",
    "solved, %",
    "claimed, %",
    "median µs",
    "95 % µs",
    "its median over ours",
    "its 95 % over ours",
    "beyond a limit",
)


def solve_table(robot: str, outcomes: dict[str, dict[str, Outcome]]) -> Table:
    """Every program on every work of a robot."""
    table = Table(f"Solves: {robot}", COLUMNS)
    for name, found in outcomes.items():
        ours = found.get(OURS)
        for outcome in (o for o in found.values() if o.done):
            table.add(
                name,
                outcome.program,
                100.0 * outcome.solved,
                100.0 * outcome.claimed,
                outcome.median * 1e6,
                outcome.slow * 1e6,
                ratio(outcome, ours, median),
                ratio(outcome, ours, slow),
                outcome.beyond,
            )
    return table


def solve_requirements(name: str, found: dict[str, Outcome]) -> list[Requirement]:
    """All solved, and so many times faster than the fastest peer."""
    ours = found.get(OURS)
    if ours is None or not ours.done:
        return []
    lines = [Requirement(f"{name}: solved by ours, %", 100.0 * ours.solved, 100.0, at_least=True)]
    usual, rare = ARMS[KINDS[name].start] if len(ours.work.tips) == 1 else BODIES
    lines += against(found, median, f"{name}: median", usual)
    if rare is not None:
        lines += against(found, slow, f"{name}: 95th percentile", rare)
    return lines
