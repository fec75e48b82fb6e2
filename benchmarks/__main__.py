"""``python -m benchmarks [names] [--quick] [--write]``."""

from __future__ import annotations

import argparse
import importlib
import sys

from benchmarks import results

NAMES = ("evaluation", "iteration", "solves", "overhead", "scipy_peers", "human", "arms")


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks; 1 when a requirement is not met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"which ones: {', '.join(NAMES)}; all by default"
    )
    parser.add_argument(
        "--quick", action="store_true", help="few problems, no prototypes: does it run at all?"
    )
    parser.add_argument("--write", action="store_true", help="put the results in benchmarks/RESULTS.md")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in NAMES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known are: {', '.join(NAMES)}")
    sections = []
    for name in chosen.names or NAMES:
        section = importlib.import_module(f"benchmarks.{name}").run(quick=chosen.quick)
        print(section.text(), end="\n\n", flush=True)
        sections.append(section)
    if chosen.write:
        results.write(sections, NAMES)
    return 1 if any(r.met is False for section in sections for r in section.requirements) else 0


if __name__ == "__main__":
    sys.exit(main())
