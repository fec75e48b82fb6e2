"""``python -m tests.campaign run --cases 20000 --report campaign.json``, or ``seed 1234`` for one case alone."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.campaign.run import Report, batch, campaign


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="cases in child processes; exit 1 where something was found")
    run.add_argument("--cases", type=int, default=10_000)
    run.add_argument("--first", type=int, default=0, help="the first seed")
    run.add_argument("--size", type=int, default=500, help="cases a child process")
    run.add_argument("--report", type=Path, help="where to write the report, as JSON")
    one = commands.add_parser("seed", help="one case, in this process")
    one.add_argument("seed", type=int)
    part = commands.add_parser("batch", help="cases one by one, a line each")
    part.add_argument("first", type=int)
    part.add_argument("count", type=int)
    given = parser.parse_args()
    if given.command == "batch":
        batch(given.first, given.count)
        return 0
    if given.command == "seed":
        from tests.campaign.case import run_case

        found = run_case(given.seed)
        print(json.dumps(found, indent=2))
        return bool(found["found"])

    def progress(report: Report) -> None:
        print(
            f"{report.cases} cases, {report.solves} solves, {len(report.findings)} findings", file=sys.stderr
        )
        if given.report:
            given.report.write_text(json.dumps(report.to_dict(), indent=1))

    report = campaign(given.first, given.cases, size=given.size, progress=progress)
    if given.report:
        given.report.write_text(json.dumps(report.to_dict(), indent=1))
    else:
        print(json.dumps(report.to_dict(), indent=1))
    return bool(report.findings)


if __name__ == "__main__":
    sys.exit(main())
