"""The tables and what must hold in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import manikin
from benchmarks.figures import human120
from benchmarks.peers import far, setup, works
from benchmarks.peers.judge import SLACK, Judge
from benchmarks.peers.runner import OURS, PROGRAMS, Outcome, run_work
from benchmarks.problems import random_problems
from benchmarks.recheck import reached
from benchmarks.tables import Requirement, Section, Table

#: What a peer must solve, of all, for its time to count as a time to solve them.
RELIABLE = 0.95
#: EAIK knows no limits: the adapter chooses among its solutions.
HOLD_NO_LIMITS = ("eaik",)
#: They are made for one arm of six or seven hinges at a time, beforehand.
CLOSED_FORMS = ("eaik", "ssik")
#: Kept to beginnings of the works' names: (work, median, 95th percentile), how many times shorter ours must be.
ARMS = (
    ("panda-random", 4.0, 5.0),
    ("ur5-random", 3.0, 5.0),
    ("panda-near", 2.0, None),
    ("ur5-near", 2.0, None),
)
BODIES = (5.0, 10.0)
TRACK_TIMES, TRACK_STEP = 4.0, 1.2
QUICK, QUICK_ARM = 50, 200
LARGE = 500

PROGRAM_COLUMNS = ("program", "version", "used as")
SOLVE_COLUMNS = (
    "work",
    "program",
    "solved, %",
    "claimed, %",
    "median µs",
    "95 % µs",
    "its median over ours",
    "its 95 % over ours",
    "handing over, µs",
    "with it, its median over ours",
    "beyond a limit",
)
FAR_COLUMNS = (
    "program",
    "median µs",
    "95 % µs",
    "within 1 % of the best, %",
    "median P over the best",
    "95 % P over the best",
    "slope below 1e-6 (1 + P), %",
    "beyond a limit",
)
PATH_COLUMNS = (
    "work",
    "program",
    "within tolerance, %",
    "median µs",
    "95 % µs",
    "its median over ours",
    "handing over, µs",
    "with it, its median over ours",
    "largest step, rad",
)


def report(quick: bool = False, only: Sequence[str] = ()) -> Section:
    """Run what ``only`` chooses and say what was found."""
    programs, names = chosen(only)
    section = Section("peers", _about())
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name in names:
        work = works.make(name)
        if quick:
            work = work.cut(QUICK if work.robot == "g1" else QUICK_ARM)
        outcomes[name] = {o.program: o for o in run_work(work, programs, rounds=2 if quick else 3)}
    section.tables.append(_programs(programs, outcomes))
    solved = [name for name in names if works.KINDS[name].reachable and not works.KINDS[name].path]
    for robot in dict.fromkeys(works.KINDS[name].robot for name in solved):
        chosen_works = [name for name in solved if works.KINDS[name].robot == robot]
        section.tables.append(_solves(robot, {name: outcomes[name] for name in chosen_works}))
    for name in solved:
        section.requirements += _solve_requirements(name, outcomes[name])
    if far.WORK in outcomes:
        _far(section, outcomes[far.WORK])
    paths = {name: outcomes[name] for name in names if works.KINDS[name].path}
    if paths:
        _paths(section, paths)
    if not only and OURS in programs:
        section.requirements.append(_large(20 if quick else LARGE))
    return section


def chosen(only: Sequence[str]) -> tuple[list[str], list[str]]:
    """The programs and the works that these names mean; all where none is named."""
    programs = [program for program in PROGRAMS if program in only]
    rest = [name for name in only if name not in PROGRAMS]
    for name in rest:
        if not works.chosen([name]):
            known = ", ".join([*PROGRAMS, *works.KINDS])
            raise ValueError(f"neither a program nor a work begins with {name!r}; known are: {known}")
    return programs or list(PROGRAMS), works.chosen(rest)


def _about() -> str:
    return (
        "Other programs on the same problems, each in an environment and a process of its own, prepared once, on one core "
        "with one thread; rounds in turns, the least median and the least 95th percentile of them. Panda and UR5: one pose "
        "(0.1 mm, 1 mrad); G1, a humanoid of 29 joints: both hands' and both feet's positions, or poses (1 mm, 10 mrad), on a fixed "
        "or a free base. Targets can be reached inside the limits. Solved: by Pinocchio, every goal within tolerance and every "
        "limit kept to 1e-6. Handing over: setting targets and start in the program's own types, not part of the time. "
        f"A peer counts as the fastest among those that solve {RELIABLE:.0%} and hold the limits themselves."
    )


def _programs(programs: Sequence[str], outcomes: dict[str, dict[str, Outcome]]) -> Table:
    table = Table("The programs", PROGRAM_COLUMNS)
    for program in programs:
        version = manikin.__version__ if program == OURS else setup.version(program)
        tried = [found[program] for found in outcomes.values()]
        said = list(dict.fromkeys(o.rounds[0].settings for o in tried if o.done))
        refusals = list(dict.fromkeys(f"{o.work.robot}: {o.reason}" for o in tried if o.reason))
        table.add(program, version, "; ".join(said + refusals).replace("|", "/"))
    return table


def _ratio(other: Outcome, ours: Outcome | None, value: Callable[[Outcome], float]) -> float | None:
    return value(other) / value(ours) if ours is not None and ours.done else None


def _median(outcome: Outcome) -> float:
    return outcome.median


def _slow(outcome: Outcome) -> float:
    return outcome.slow


def _whole(outcome: Outcome) -> float:
    return outcome.median + outcome.aiming


def _solves(robot: str, outcomes: dict[str, dict[str, Outcome]]) -> Table:
    table = Table(f"Solves: {robot}", SOLVE_COLUMNS)
    for name, found in outcomes.items():
        ours = found.get(OURS)
        for outcome in (o for o in found.values() if o.done):
            table.add(
                name,
                outcome.program,
                100.0 * outcome.solved,
                100.0 * outcome.claimed,
                outcome.median * 1e6,
                outcome.slow * 1e6,
                _ratio(outcome, ours, _median),
                _ratio(outcome, ours, _slow),
                outcome.aiming * 1e6,
                _ratio(outcome, ours, _whole),
                outcome.beyond,
            )
    return table


def _fastest(
    found: dict[str, Outcome], value: Callable[[Outcome], float], without: Sequence[str] = HOLD_NO_LIMITS
) -> Outcome | None:
    """The fastest peer that solves nearly all and holds the limits."""
    able = (o for o in found.values() if o.done and o.program not in (OURS, *without))
    return min((o for o in able if o.solved >= RELIABLE), key=value, default=None)


def _against(
    found: dict[str, Outcome],
    value: Callable[[Outcome], float],
    what: str,
    bound: float,
    without: Sequence[str] = HOLD_NO_LIMITS,
) -> Requirement:
    """How many times longer the fastest peer takes."""
    ours, peer = found.get(OURS), _fastest(found, value, without)
    times = None if peer is None else _ratio(peer, ours, value)
    return Requirement(
        f"{what}, {peer.program if peer else 'no peer'}'s over ours", times, bound, at_least=True
    )


def _solve_requirements(name: str, found: dict[str, Outcome]) -> list[Requirement]:
    ours = found.get(OURS)
    if ours is None or not ours.done:
        return []
    lines = [Requirement(f"{name}: solved by ours, %", 100.0 * ours.solved, 100.0, at_least=True)]
    bounds = next(((m, s) for work, m, s in ARMS if work == name), BODIES)
    for value, label, bound in ((_median, "median", bounds[0]), (_slow, "95th percentile", bounds[1])):
        if bound is None:
            continue
        lines.append(_against(found, value, f"{name}: {label}", bound))
        general = _fastest(found, value, CLOSED_FORMS)
        if general is not _fastest(found, value):
            what = f"{name}: {label} (without closed forms)"
            lines.append(_against(found, value, what, bound, CLOSED_FORMS))
    return lines


def _far(section: Section, found: dict[str, Outcome]) -> None:
    """Quality against the best that is known, and time beside it."""
    stored = far.stored_best()
    if stored is None:
        section.notes.append(
            "The stored best is of other problems: compute it anew, python -m benchmarks.peers.far."
        )
        return
    work = next(iter(found.values())).work
    judge = Judge(work)
    potentials = {
        program: np.array([far.potential(judge, q, t) for q, t in zip(o.q, work.targets, strict=True)])
        for program, o in found.items()
        if o.done
    }
    # Where a limit is left a lower potential is no merit.
    inside = {p: np.array([v.beyond <= SLACK for v in found[p].verdicts]) for p in potentials}
    best = stored[: len(work.targets)].copy()
    for program, values in potentials.items():
        best = np.where(inside[program], np.minimum(best, values), best)
    better = int((best < stored[: len(best)] * (1.0 - 1e-6)).sum())
    table = Table(f"Out of reach: {far.WORK}, one to four of four goals", FAR_COLUMNS)
    for program, values in potentials.items():
        outcome = found[program]
        slopes = [far.projected_slope(judge, q, t) for q, t in zip(outcome.q, work.targets, strict=True)]
        still = 100.0 * float(np.mean(np.array(slopes) <= 1e-6 * (1.0 + values)))
        near = 100.0 * float(np.mean((values <= 1.01 * best) & inside[program]))
        over = values / best
        table.add(
            program,
            outcome.median * 1e6,
            outcome.slow * 1e6,
            near,
            float(np.median(over)),
            float(np.percentile(over, 95)),
            still,
            outcome.beyond,
        )
        if program == OURS:
            section.requirements += [
                Requirement(f"{far.WORK}: projected slope below 1e-6 (1 + P), %", still, 99.9, at_least=True),
                Requirement(
                    f"{far.WORK}: within 1 % of the best of 1,000 starts, %", near, 99.0, at_least=True
                ),
            ]
    section.tables.append(table)
    section.notes.append(
        f"Out of reach: the best is the least of {far.STARTS} starts of ours (stored) and of all answers here; {better} of "
        f"{len(best)} problems have a better answer here than stored. A peer that loops stops when its worst goal no longer "
        "comes nearer."
    )


def largest_step(outcome: Outcome) -> float:
    """The farthest that a joint moves between samples."""
    way = np.vstack([outcome.work.starts[:1], outcome.q])[:, outcome.work.first_joint :]
    return float(np.abs(np.diff(way, axis=0)).max())


def _paths(section: Section, paths: dict[str, dict[str, Outcome]]) -> None:
    table = Table("Following a path, each sample from the last answer", PATH_COLUMNS)
    for name, found in paths.items():
        ours = found.get(OURS)
        for outcome in (o for o in found.values() if o.done):
            table.add(
                name,
                outcome.program,
                100.0 * outcome.solved,
                outcome.median * 1e6,
                outcome.slow * 1e6,
                _ratio(outcome, ours, _median),
                outcome.aiming * 1e6,
                _ratio(outcome, ours, _whole),
                largest_step(outcome),
            )
        if ours is None or not ours.done:
            continue
        section.requirements.append(
            Requirement(f"{name}: within tolerance by ours, %", 100.0 * ours.solved, 100.0, at_least=True)
        )
        exact = {p: o for p, o in found.items() if p == OURS or (o.done and o.solved == 1.0)}
        steps = [largest_step(o) for p, o in exact.items() if p != OURS]
        step = largest_step(ours) / min(steps) if steps else None
        section.requirements.append(
            Requirement(f"{name}: largest step over the smoothest peer's", step, TRACK_STEP)
        )
        section.requirements.append(_against(exact, _median, f"{name}: median", TRACK_TIMES))
        if _fastest(exact, _median, CLOSED_FORMS) is not _fastest(exact, _median):
            what = f"{name}: median (without closed forms)"
            section.requirements.append(_against(exact, _median, what, TRACK_TIMES, CLOSED_FORMS))
    section.tables.append(table)


def _large(count: int) -> Requirement:
    """120 degrees of freedom and 12 goals that can be reached, from a start near the middle of the ranges."""
    body = human120()
    drawn = random_problems(body, count, reachable=True)
    problem = manikin.Problem(body.figure, body.goals(drawn[0].targets))
    met = 0
    for one in drawn:
        body.set_targets(problem, one.targets)
        met += reached(body, np.asarray(problem.solve(one.start).q), one.targets)
    return Requirement(
        "120 DOF, 12 goals within reach: solved by ours, %", 100.0 * met / count, 99.0, at_least=True
    )
