"""``python -m benchmarks [names] [--quick] [--only …] [--write]``."""

from __future__ import annotations

import argparse
import importlib
import sys

from benchmarks import results

NAMES = (
    "evaluation",
    "iteration",
    "solves",
    "overhead",
    "scipy_peers",
    "human",
    "arms",
    "vocabulary",
    "updates",
    "dragging",
    "reading",
    "batch",
    "reach",
)
#: Only when named: they take long, and other programs, set up by ``python -m benchmarks.peers.setup``, or an earlier
#: version, of which MANIKIN_EARLIER names a checkout, or a graphics card, or a browser.
ON_REQUEST = ("motion", "captures", "hierarchy", "peers", "earlier", "gpu", "cluster", "pictures")


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks; 1 when a requirement is not met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"which ones: {', '.join(NAMES)}, all of them by default; or {', '.join(ON_REQUEST)}",
    )
    parser.add_argument(
        "--quick", action="store_true", help="few problems, no prototypes: does it run at all?"
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="A,B,…",
        help="for peers: these programs and works alone (manikin,placo,panda-near)",
    )
    parser.add_argument(
        "--resume", action="store_true", help="for peers: go on with a run that was interrupted"
    )
    parser.add_argument("--write", action="store_true", help="put the results in benchmarks/RESULTS.md")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in (*NAMES, *ON_REQUEST)]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; expected one of: {', '.join((*NAMES, *ON_REQUEST))}")
    only = [name for name in chosen.only.split(",") if name]
    if (only or chosen.resume) and chosen.names != ["peers"]:
        parser.error("--only and --resume are for the peers: python -m benchmarks peers --only …")
    sections = []
    for name in chosen.names or NAMES:
        more = {"only": only, "resume": chosen.resume} if name == "peers" else {}
        section = importlib.import_module(f"benchmarks.{name}").run(quick=chosen.quick, **more)
        print(section.text(), end="\n\n", flush=True)
        sections.append(section)
    if chosen.write:
        results.write(sections, (*NAMES, *ON_REQUEST))
    return 1 if any(r.met is False for section in sections for r in section.requirements) else 0


if __name__ == "__main__":
    sys.exit(main())
