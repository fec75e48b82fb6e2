"""An earlier version beside this one, measured in turns: ``MANIKIN_EARLIER=PATH python -m benchmarks earlier``.

PATH is a checkout of that version (``git worktree add PATH be79e7b``).

Each of the benchmarks that both versions have is run in its quick form by each version's own code, in processes of
their own, in turns; the least of the rounds counts. A cell of a table is compared where both have the table, the row
and the column, and the column is a time or a rate. Our own part of the peers' problems is compared likewise, from a
new target to its answer.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.tables import Requirement, Section, Table

CHECKOUT = Path(__file__).resolve().parents[1]
SECTIONS = ("evaluation", "iteration", "solves", "overhead", "human", "arms", "vocabulary")
#: Rows of programs that are not ours: what changes there is noise.
OTHERS = ("EAIK",)
#: Of a time now over the time then; what is more than this is not noise.
NO_SLOWER = 1.05
COLUMNS = ("benchmark", "what", "column", "then", "now", "time now over then")
ABOUT = (
    "An earlier version, of which MANIKIN_EARLIER names a checkout, beside this one: every benchmark that both have, "
    "in its quick form, by each version's own code, in turns, the least of the rounds; of the peers' problems our own "
    "part, from a new target to its answer. Rates are compared as times."
)
_CODE = """
import importlib, json, sys
section = importlib.import_module("benchmarks." + sys.argv[1]).run(quick=True)
print(json.dumps([[t.title, t.columns, t.rows] for t in section.tables], default=str))
"""
_TIME = re.compile(r"(^|\W)(µs|ms|ns)(\W|$)")
_RATE = re.compile(r"a second")
Key = tuple[str, str, str]


def earlier() -> Path | None:
    """The checkout of the earlier version, where there is one."""
    given = os.environ.get("MANIKIN_EARLIER")
    if not given:
        return None
    path = Path(given).resolve()
    if not (path / "src" / "manikin").is_dir():
        raise SystemExit(f"MANIKIN_EARLIER: {path} is no checkout of Manikin: it has no src/manikin")
    return path


def run_in(checkout: Path, *command: str) -> str:
    """What a Python command prints that is run by a checkout's own code."""
    path = os.pathsep.join([str(checkout), str(checkout / "src")])
    done = subprocess.run(
        [sys.executable, *command],
        # What runs there compares nothing itself.
        env={**os.environ, "PYTHONPATH": path, "MANIKIN_EARLIER": ""},
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stderr.strip() or "no message").splitlines()[-1]
        raise SystemExit(f"{checkout}: {' '.join(command[-2:])} failed: {said}")
    return done.stdout


def cells(tables: Iterable[tuple[str, list[str], list[list[object]]]]) -> dict[Key, float]:
    """The times, and the inverse of the rates, by table, row and column.

    A row is named by its text; those of equal text are numbered.
    """
    found: dict[Key, float] = {}
    for title, columns, rows in tables:
        seen: Counter[str] = Counter()
        for row in rows:
            label = ", ".join(str(cell) for cell in row if isinstance(cell, str))
            seen[label] += 1
            label = label if seen[label] == 1 else f"{label} ({seen[label]})"
            for column, cell in zip(columns, row, strict=True):
                if isinstance(cell, bool) or not isinstance(cell, (int, float)) or not cell > 0.0:
                    continue
                if _TIME.search(column):
                    found[title, label, column] = float(cell)
                elif _RATE.search(column):
                    found[title, label, column] = 1.0 / float(cell)
    return found


def least(old: Path, name: str, rounds: int) -> tuple[dict[Key, float], dict[Key, float]]:
    """Both versions' cells of a benchmark, the least of the rounds, in turns."""
    both: tuple[dict[Key, float], dict[Key, float]] = ({}, {})
    for _ in range(rounds):
        for checkout, kept in zip((old, CHECKOUT), both, strict=True):
            for key, value in cells(json.loads(run_in(checkout, "-c", _CODE, name).splitlines()[-1])).items():
                kept[key] = min(kept.get(key, np.inf), value)
        print(f"  earlier: {name}", file=sys.stderr, flush=True)
    return both


def _peers(old: Path, rounds: int, count: int) -> list[tuple[str, float, float, float, float]]:
    """Each work's name, and medians and 95th percentiles of the earlier version and of this one, target to answer."""
    import tempfile

    from benchmarks.peers import works

    found = []
    for name in works.KINDS:
        with tempfile.TemporaryDirectory(prefix="earlier-") as folder:
            work, answers = Path(folder) / "work.npz", Path(folder) / "answers.npz"
            works.make(name).cut(count).save(work)
            best = np.full((2, 2), np.inf)
            for _ in range(rounds):
                for index, checkout in enumerate((old, CHECKOUT)):
                    run_in(checkout, "-m", "benchmarks.peers.adapters.manikin", str(work), str(answers))
                    with np.load(answers) as stored:
                        # Version 0.1.0 timed handing the target over apart.
                        seconds = stored["seconds"] + stored.get("aiming", 0.0)
                    best[index] = np.minimum(best[index], np.percentile(seconds, [50, 95]))
        (then, then_slow), (now, now_slow) = best.tolist()
        found.append((name, then, now, then_slow, now_slow))
        print(f"  earlier: {name}", file=sys.stderr, flush=True)
    return found


def run(quick: bool = False) -> Section:
    """Both versions on everything that both have; when quick, on little."""
    section = Section("earlier", ABOUT)
    old = earlier()
    if old is None:
        section.notes.append("Not measured: MANIKIN_EARLIER does not name a checkout of an earlier version.")
        return section
    table = Table("Then and now", COLUMNS)
    section.tables.append(table)
    ratios: dict[str, float] = {}
    others: list[float] = []
    for name in SECTIONS[:1] if quick else SECTIONS:
        before, after = least(old, name, 1 if quick else 5)
        for key in sorted(before.keys() & after.keys()):
            title, label, column = key
            over = after[key] / before[key]
            table.add(name, f"{title}: {label}" if label else title, column, before[key], after[key], over)
            if label in OTHERS:
                others.append(over)
            else:
                ratios[f"{name}: {title}: {label}: {column}"] = over
    for name, then, now, then_slow, now_slow in [] if quick else _peers(old, 2, 200):
        for what, first, second in (("median µs", then, now), ("95 % µs", then_slow, now_slow)):
            table.add("peers", name, what, first * 1e6, second * 1e6, second / first)
            ratios[f"peers: {name}: {what}"] = second / first
    slower = sorted((name for name, ratio in ratios.items() if ratio > NO_SLOWER), key=lambda n: -ratios[n])
    worst = max(ratios, key=lambda name: ratios[name])
    section.requirements.append(
        Requirement(f"largest time now over then ({worst})", ratios[worst], NO_SLOWER)
    )
    section.notes.append(
        f"{len(ratios)} times compared, {len(slower)} of them more than {NO_SLOWER - 1.0:.0%} longer than then, "
        f"geometric mean {np.exp(np.mean(np.log(list(ratios.values())))):.3g} of then."
    )
    if others:
        section.notes.append(
            f"Other programs among the rows, the same both times, took {min(others):.3g} to {max(others):.3g} of then: "
            "so much is noise."
        )
    return section
