"""``python -m benchmarks.loads --before CHECKOUT/src [--after …/src] [--sets A,R,drag] [--rounds N] [--quick]``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.loads.compare import BUDGET, CHECKOUT, Broken, Compared, Pair, compare, pairs
from benchmarks.loads.load import Load
from benchmarks.tables import shown

COLUMNS = (
    ("load", 30),
    ("N", 4),
    ("µs before", 10),
    ("after", 10),
    ("median", 7),
    ("95 %", 7),
    ("all", 7),
    ("unread", 7),
    ("95 %", 7),
    ("reached", 9),
    ("met", 9),
    ("cost before", 12),
    ("after", 12),
    ("worst", 8),
    (">1e-12", 7),
    (">1e-6", 6),
    ("unsteady", 8),
    ("rounds", 6),
)
ABOUT = """\
Times are those of the version after over those of the version before, problem by problem: the median ratio, the 95th
percentile and all time over all time, with `reached` read; then unread.
reached: claimed by the version, before/after. met: judged by plain forward kinematics, without regions, balance and
objectives. cost: squares of the misses of soft goals, m² and rad². worst: the largest ratio of the costs of a problem.
>1e-12, >1e-6: how many answers differ by more than that. unsteady: how many answers of each version are not the same,
bit by bit, in all of its processes."""


def main(arguments: list[str] | None = None) -> int:
    """Compare two versions, print a line for each load, and store all of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loads", description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="the src of the version before")
    parser.add_argument("--after", type=Path, default=CHECKOUT / "src", help="of the one after; this one")
    parser.add_argument("--sets", default="", help="families (A,R) and parts of names (drag, talos36); all")
    parser.add_argument("--processes", type=int, default=3, help="of each version; the least time counts")
    parser.add_argument("--rounds", type=int, default=15, help="of each load; short ones get more")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of each load, about")
    parser.add_argument("--quick", action="store_true", help="few problems, two rounds: does it run?")
    parser.add_argument(
        "--out", type=Path, default=CHECKOUT / "build" / "loads.json", help="where to store it"
    )
    given = parser.parse_args(arguments)
    chosen = list(_chosen([name for name in given.sets.split(",") if name]))
    if not chosen:
        parser.error(f"--sets {given.sets}: no load is called so")
    with TemporaryDirectory(prefix="loads-") as folder:
        return _run(given, chosen, pairs(given.before, given.after, given.processes, Path(folder)))


def _run(given: argparse.Namespace, chosen: list[Load], served: list[Pair]) -> int:
    """Compare, load by load."""
    before, after = served[0]
    print(f"{ABOUT}\n\nbefore: {before.source}, {before.kernels}\nafter:  {after.source}, {after.kernels}\n")
    print(" ".join(f"{name:>{width}}" for name, width in COLUMNS), flush=True)
    results: list[Compared] = []
    failed: dict[str, str] = {}
    for load in chosen:
        name = f"{load.family} {load.name}"
        load = load.cut(2 if load.slow else 5) if given.quick else load
        try:
            found = compare(load, served, 2 if given.quick else given.rounds, given.budget)
        except Broken as reason:
            failed[name] = str(reason)
            print(f"{name:>30} failed: {reason}", flush=True)
            continue
        results.append(found)
        print(_line(found), flush=True)
    _store(given.out, {"before": before.kernels, "after": after.kernels}, results, failed)
    for pair in served:
        for version in pair:
            version.end()
    return 1 if failed else 0


def _chosen(names: list[str]) -> Iterator[Load]:
    """The loads of some families, or with something in their names."""
    from benchmarks.loads import people, robots

    for made in (robots.loads(), people.loads()):
        for load in made:
            if not names or any(
                name == load.family or (len(name) > 1 and name in load.name) for name in names
            ):
                yield load


def _line(found: Compared) -> str:
    """One load's row."""
    cells: list[Any] = [f"{found.family} {found.name}", found.problems, found.before_us, found.after_us]
    ratios = found.median, found.p95, found.total, found.plain_median, found.plain_p95
    cells += ["–" if ratio is None else f"{ratio:.3f}" for ratio in ratios]
    cells += [f"{one}/{other}" for one, other in (found.reached, found.met)]
    cells += [*(f"{cost:.4e}" for cost in found.cost), f"{found.worst:.4f}", *found.differ]
    cells += [f"{found.unsteady[0]}/{found.unsteady[1]}", found.rounds]
    texts = [cell if isinstance(cell, str) else shown(cell) for cell in cells]
    return " ".join(f"{text:>{width}}" for text, (_, width) in zip(texts, COLUMNS, strict=True))


def _store(path: Path, versions: dict[str, str], results: list[Compared], failed: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = {"versions": versions, "loads": [found.to_dict() for found in results], "failed": failed}
    path.write_text(json.dumps(stored, indent=1), encoding="utf-8")
    print(f"\nstored in {path}")


if __name__ == "__main__":
    sys.exit(main())
