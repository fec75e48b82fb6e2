"""Runs what was asked for and puts the section together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import manikin
from benchmarks.figures import human120
from benchmarks.peers import far, setup, unfinished, works
from benchmarks.peers.compare import RELIABLE
from benchmarks.peers.far_table import add_far
from benchmarks.peers.path_table import path_requirements, path_table
from benchmarks.peers.runner import OURS, PROGRAMS, Outcome, run_work
from benchmarks.peers.solve_table import solve_requirements, solve_table
from benchmarks.problems import random_problems
from benchmarks.recheck import reached
from benchmarks.tables import Requirement, Section, Table

QUICK, QUICK_ARM = 50, 200
LARGE = 500
COLUMNS = ("program", "version", "used as")
ABOUT = (
    "Other programs on the same problems, each in an environment and a process of its own, prepared once, on one "
    "core with one thread; rounds in turns, the least median and the least 95th percentile of them. Timed is what a "
    "user does: new targets in, as arrays of numbers, answer out, and all that the program wants between. Panda, UR5 "
    "and two arms that nothing was tuned on, xArm7 and Z1: one pose (0.1 mm, 1 mrad). G1, a humanoid of 29 joints: "
    "both hands' and both feet's positions, or poses (1 mm, 10 mrad), on a fixed, a free or a bounded base (six joints "
    "with limits); Talos, iCub and Romeo: those poses on a free and a bounded base. Targets can be "
    "reached inside the limits. Solved: by Pinocchio, every goal within tolerance and every limit kept to 1e-6. The "
    f"fastest peer is one that solves at least {RELIABLE:.0%} and holds the limits itself (EAIK does not); where it is "
    "a closed form made for the arm (ssik), a second line is against the fastest that takes any robot."
)


def report(quick: bool = False, only: Sequence[str] = (), resume: bool = False) -> Section:
    """Run what ``only`` chooses, less what an interrupted run has done already, and say what was found."""
    programs, names = chosen(only)
    if not resume:
        unfinished.clear()
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name in names:
        work = works.make(name)
        if quick:
            work = work.cut(QUICK if len(work.tips) > 1 else QUICK_ARM)
        found = unfinished.stored(work, programs)
        if found is None:
            found = run_work(work, programs, rounds=2 if quick else 3)
            unfinished.store(work, found)
        outcomes[name] = {outcome.program: outcome for outcome in found}
    section = Section("peers", ABOUT, [_programs(programs, outcomes)])
    _add_solves(section, outcomes)
    if far.WORK in outcomes:
        add_far(section, outcomes[far.WORK])
    paths = {name: found for name, found in outcomes.items() if works.KINDS[name].path}
    if paths:
        section.tables.append(path_table(paths))
    for name, found in paths.items():
        section.requirements += path_requirements(name, found)
    if not only:
        section.requirements.append(_large(20 if quick else LARGE))
    if quick:
        section.notes.append(
            f"A quick run: the first {QUICK_ARM} problems of an arm and {QUICK} of a body, two rounds."
        )
    unfinished.clear()
    return section


def chosen(only: Sequence[str]) -> tuple[list[str], list[str]]:
    """The programs and the works that these names mean; all where none is named."""
    programs = [program for program in PROGRAMS if program in only]
    rest = [name for name in only if name not in PROGRAMS]
    for name in rest:
        if not works.chosen([name]):
            known = ", ".join([*PROGRAMS, *works.KINDS])
            raise SystemExit(
                f"--only: no program is named {name!r} and no work begins so; expected one of: {known}"
            )
    return programs or list(PROGRAMS), works.chosen(rest)


def _programs(programs: Sequence[str], outcomes: dict[str, dict[str, Outcome]]) -> Table:
    """Versions, how each was used, and what it could not do and why."""
    table = Table("The programs", COLUMNS)
    for program in programs:
        version = manikin.__version__ if program == OURS else setup.version(program)
        tried = [found[program] for found in outcomes.values()]
        said = dict.fromkeys(o.rounds[0].settings for o in tried if o.done)
        refusals = dict.fromkeys(f"{o.work.robot}: {o.reason}" for o in tried if o.reason)
        table.add(program, version, "; ".join([*said, *refusals]).replace("|", "/"))
    return table


def _add_solves(section: Section, outcomes: dict[str, dict[str, Outcome]]) -> None:
    kinds = [works.KINDS[name] for name in outcomes]
    kinds = [kind for kind in kinds if kind.reachable and not kind.path]
    for robot in dict.fromkeys(kind.robot for kind in kinds):
        of_robot = {kind.name: outcomes[kind.name] for kind in kinds if kind.robot == robot}
        section.tables.append(solve_table(robot, of_robot))
    for kind in kinds:
        section.requirements += solve_requirements(kind.name, outcomes[kind.name])


def _large(count: int) -> Requirement:
    """120 degrees of freedom and 12 goals that can be reached, from a start near the middle of the ranges."""
    body = human120()
    drawn = random_problems(body, count, reachable=True)
    problem = manikin.Problem(body.figure, body.goals(drawn[0].targets))
    met = 0
    for one in drawn:
        problem = body.with_targets(problem, one.targets)
        met += reached(body, np.asarray(problem.solve(one.start).q), one.targets)
    what = "120 DOF, 12 goals within reach: solved by ours, %"
    return Requirement(what, 100.0 * met / count, 99.0, at_least=True)
