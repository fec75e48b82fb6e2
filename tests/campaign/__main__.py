"""``python -m tests.campaign run --kind series --solves 10000000 --report campaign.json``, or ``seed series 1234``.

kinds: case (one problem, every call judged by itself), series (one problem, thousands of solves), fresh (prepared
problems beside fresh ones), history (the same call after other calls, bit by bit), explained (what is said of
failures), motion (tracked, streamed, interpolated, refined, edited), zone (maps, workspaces, studies), capture (known
motions followed), person (people asked for several things: how long it takes), round (through files and back), urdf
and toml (mutated files).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.campaign.run import FILES, KINDS, Report, batch, campaign, merged, versions, worker
from tests.campaign.timed import JUDGED

from manikin.files import whole_file


def _save(report: Report, path: Path) -> None:
    with whole_file(path) as beside, open(beside, "w") as file:
        json.dump(report.to_dict(), file, indent=1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="seeds in child processes; exit 1 where something was found")
    run.add_argument("--kind", choices=KINDS, default="case")
    run.add_argument("--cases", type=int, default=10_000, help="seeds at most")
    run.add_argument(
        "--solves", type=int, help="end when so many solves, comparisons or explanations are done"
    )
    run.add_argument("--first", type=int, default=0, help="the first seed")
    run.add_argument("--size", type=int, default=500, help="seeds a child process")
    run.add_argument(
        "--report", type=Path, help="where to write the report, as JSON; goes on with the one there"
    )
    one = commands.add_parser("seed", help="one seed, in this process")
    one.add_argument("kind", choices=KINDS)
    one.add_argument("seed", type=int)
    part = commands.add_parser("batch", help="seeds one by one, a line each")
    part.add_argument("kind", choices=KINDS)
    part.add_argument("first", type=int)
    part.add_argument("count", type=int)
    merge = commands.add_parser("merge", help="reports as one file, those of one kind as one")
    merge.add_argument("into", type=Path)
    merge.add_argument("reports", type=Path, nargs="+")
    memory = commands.add_parser("memory", help="so many solves in this process, and what memory they take")
    memory.add_argument("solves", type=int)
    memory.add_argument("--report", type=Path)
    given = parser.parse_args()
    os.environ[JUDGED] = "1"
    if given.command == "merge":
        kinds: dict[str, list[dict[str, Any]]] = {}
        for path in given.reports:
            told = json.loads(path.read_text())
            kinds.setdefault(told.get("kind", "memory"), []).append(told)
        with whole_file(given.into) as beside, open(beside, "w") as file:
            json.dump({kind: merged(reports) for kind, reports in kinds.items()}, file, indent=1)
        return 0
    if given.command == "memory":
        from tests.campaign.memory import run_memory

        told = run_memory(given.solves, lambda done: print(f"{done} solves", file=sys.stderr))
        text = json.dumps({**told, "versions": versions()}, indent=1)
        if given.report:
            with whole_file(given.report) as beside, open(beside, "w") as file:
                file.write(text)
        else:
            print(text)
        return bool(told["found"])
    if given.command == "batch":
        batch(given.kind, given.first, given.count)
        return 0
    if given.command == "seed":
        found = worker(given.kind)(given.seed)
        print(json.dumps(found, indent=2))
        return bool(found["found"])
    report = None
    if given.report and given.report.exists():
        report = Report.from_dict(json.loads(given.report.read_text()))
    counted = {"fresh": "compared", "explained": "explained", **dict.fromkeys(FILES, "files")}
    done = counted.get(given.kind, "solves")

    def enough(report: Report) -> bool:
        return given.solves is not None and report.totals[done] >= given.solves

    def progress(report: Report) -> None:
        found = len(report.findings)
        print(f"{report.seeds} seeds, {report.totals[done]} {done}, {found} findings", file=sys.stderr)
        if given.report:
            _save(report, given.report)

    report = campaign(
        given.first,
        given.cases,
        kind=given.kind,
        size=given.size,
        report=report,
        enough=enough,
        progress=progress,
    )
    if given.report:
        _save(report, given.report)
    else:
        print(json.dumps(report.to_dict(), indent=1))
    return bool(report.findings)


if __name__ == "__main__":
    sys.exit(main())
