"""What a run has measured so far, so that one that was interrupted can go on: ``python -m benchmarks peers --resume``.

Each work is stored when all programs are through with it, and everything is removed when the run ends: numbers of
different states of the code never meet in one table. A work counts as done only with the same problems and programs.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence

from benchmarks.peers.protocol import Answers, Work
from benchmarks.peers.runner import Outcome, judge_all
from benchmarks.peers.setup import ROOT

FOLDER = ROOT / "unfinished"


def clear() -> None:
    """Forget everything."""
    shutil.rmtree(FOLDER, ignore_errors=True)


def store(work: Work, outcomes: Sequence[Outcome]) -> None:
    """Keep a work that all programs are through with; the list of them comes last, as the sign that it is whole."""
    folder = FOLDER / work.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    work.save(folder / "work.npz")
    for outcome in outcomes:
        for number, answers in enumerate(outcome.rounds):
            answers.save(folder / f"{outcome.program}-{number}.npz")
    listed = {o.program: {"rounds": len(o.rounds), "reason": o.reason} for o in outcomes}
    (folder / "done.json").write_text(json.dumps(listed), encoding="utf-8")


def stored(work: Work, programs: Sequence[str]) -> list[Outcome] | None:
    """The outcomes of a work that an interrupted run was through with; None when there are none of these problems."""
    folder = FOLDER / work.name
    if not (folder / "done.json").is_file():
        return None
    listed = json.loads((folder / "done.json").read_text(encoding="utf-8"))
    earlier = Work.load(folder / "work.npz")
    if list(listed) != list(programs) or earlier.targets.tobytes() != work.targets.tobytes():
        return None
    outcomes = [
        Outcome(
            program,
            work,
            [Answers.load(folder / f"{program}-{number}.npz") for number in range(entry["rounds"])],
            reason=entry["reason"],
        )
        for program, entry in listed.items()
    ]
    judge_all(work, outcomes)
    return outcomes
