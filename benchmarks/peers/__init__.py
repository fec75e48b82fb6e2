"""Other programs for inverse kinematics on the same problems: ``python -m benchmarks peers``.

    python -m benchmarks.peers.setup               set the peers up, once (``.peers/``, a few minutes)
    python -m benchmarks peers --write             everything, and the table in RESULTS.md
    python -m benchmarks peers --write --resume    go on with a run that was interrupted
    python -m benchmarks peers --quick             few problems of each work
    python -m benchmarks peers --quick --only manikin,roboticstoolbox,pytracik,panda,ur5
                                                   these programs on these robots: what to run while tuning

``--only`` takes names of programs, of works (``panda-random``) and beginnings of them (``panda``), in any order;
without a program all run, without a work all are done.

A peer lives in an environment of its own (`setup`) and is driven by one file of `adapters`, in a process of its own,
which reads the problems of one work from a file (`protocol`) and writes its answers to another. The problems are made
once from a seed (`works`) on URDF files stripped to what kinematics needs (`robots`), the same for all. Answers are
judged by Pinocchio (`judge`), never by the solver's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.tables import Section


def run(quick: bool = False, only: Sequence[str] = (), resume: bool = False) -> Section:
    """Run the works that ``only`` chooses, all by default, and report."""
    # Workers import this package in environments that have none of our dependencies.
    from benchmarks.peers.report import report

    return report(quick=quick, only=only, resume=resume)
