"""``python -m tests.mutants --count 100 --seed 0``: random mutants, and whether the tests notice them.

Each is run against the tests that are about its module, then against those of its package, then against all that
`make test` runs, until one notices it. The report has every mutant that was not noticed, to be looked at: one that
changes nothing is no finding.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from tests.mutants.mutate import VARIABLE, faults

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = REPOSITORY / "src" / "manikin"
#: What runs only on a graphics card, in a browser, or while something is compiled.
LEFT_OUT = ("kernels/gpu", "engines/batch/cuda", "studio/view", "toolchain", "notebook")
#: Where the tests of a package are that has no folder of its own.
TESTS = {
    **dict.fromkeys(("engines", "plan", "problem", "result", "verify", "residuals"), ("solvers", "batch")),
    "closed_form": ("solvers", "posture"),
    "papers": ("solvers/papers",),
}
#: Seconds of the processor that the tests of one mutant may take.
PATIENCE = 1800


def mutants(seed: int, count: int, under: str = "") -> list[tuple[Path, int, int, str]]:
    """Random faults: the file, the number of the fault in it, the line, in words. Every fault is as likely."""
    every = []
    for path in sorted(SOURCES.rglob("*.py")):
        name = path.relative_to(SOURCES).as_posix()
        if name.startswith(under) and not name.startswith(LEFT_OUT):
            every += [(path, k, line, words) for k, (line, words) in enumerate(faults(path.read_text()))]
    chosen = np.random.default_rng(seed).choice(len(every), min(count, len(every)), replace=False)
    return [every[int(k)] for k in chosen]


def related(path: Path) -> tuple[list[str], list[str]]:
    """The test files that are about a module, named as it is or naming it, and the others of its package."""
    name = path.relative_to(SOURCES)
    package, stem = name.parts[0], path.stem if path.stem != "__init__" else path.parent.name
    dotted = "manikin." + ".".join(name.with_suffix("").parts).removesuffix(".__init__")
    folder = REPOSITORY / "tests"
    files = sorted(folder.rglob("test_*.py"))
    named = [each for each in files if stem.strip("_") in each.stem]
    naming = [each for each in files if dotted in (text := each.read_text()) or f"import {stem}\n" in text]
    folders = TESTS.get(package, (package,))
    own = [each for each in files if each.relative_to(folder).as_posix().startswith(folders)]
    if package == "kernels":
        own = sorted((folder / "kernels").rglob("test_*.py"))
    about = list(dict.fromkeys([*named, *naming]))
    return [str(each) for each in about], [str(each) for each in own if each not in about]


def noticed(path: Path, number: int, tests: list[str]) -> str:
    """Which test noticed a fault; "" where none did."""
    if not tests:
        return ""
    here = str(REPOSITORY)
    paths = [str(REPOSITORY / "tests" / "mutants" / "hook"), str(REPOSITORY / "src"), here]
    told = {VARIABLE: f"{path}:{number}", "MANIKIN_MUTANTS_FROM": here, "PYTHONPATH": os.pathsep.join(paths)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "--no-header",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    run = subprocess.run(
        [*command, "-m", "not long", *tests],
        cwd=REPOSITORY,
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE)),
    )
    if run.returncode in (0, 5):
        return ""
    lines = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0][:200] if lines else f"ended with {run.returncode}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="begin with this one of them")
    parser.add_argument("--under", default="", help="a folder of the package, or one file")
    parser.add_argument(
        "--depth", type=int, default=3, help="1: tests about the module, 2: its package's, 3: all"
    )
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    found: list[dict[str, Any]] = []
    for k, (path, number, line, words) in enumerate(mutants(given.seed, given.count, given.under)):
        if k < given.first:
            continue
        name = path.relative_to(SOURCES).as_posix()
        by = ""
        for tests in (*related(path), ["tests"])[: given.depth]:
            by = by or noticed(path, number, tests)
        found.append({"file": name, "line": line, "fault": words, "number": number, "noticed": by})
        print(json.dumps(found[-1]), flush=True)
        if given.report:
            given.report.write_text(json.dumps({"seed": given.seed, "mutants": found}, indent=1))
    caught = sum(bool(each["noticed"]) for each in found)
    print(f"{caught} of {len(found)} noticed", file=sys.stderr)
    return int(caught < len(found))


if __name__ == "__main__":
    sys.exit(main())
