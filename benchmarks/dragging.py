"""A hand dragged along a closed path in a session, each target handed over with the call."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from benchmarks.drag_cases import (
    BALANCE,
    NATURALLY,
    PATHS,
    SOFT,
    Case,
    human_cases,
    loop_path,
    other_cases,
    robot_cases,
)
from benchmarks.drag_oracle import flaws
from benchmarks.drag_stationary import from_optimum
from benchmarks.drift import add_drift
from benchmarks.tables import Requirement, Section, Table

#: Seconds once round the path above which no further rounds are worth their time.
LONG = 1.0
COLUMNS = (
    "figure",
    "held by",
    "variables",
    "met, %",
    "median µs",
    "95 % µs",
    "over position",
    "over soft feet",
    "over the same without",
    "from the objective's optimum, about °",
)
#: Of so many answers one is looked at for that.
SAMPLED = 10
#: At most this many times the median time of soft feet, and this many µs.
PINNED, PINNED_MICROSECONDS = 4.0, 100.0
#: At most this many times the median time of the same goals without an obstacle, without a posture, and without that
#: which people take.
OBSTACLE, POSTURE, NATURAL = 3.0, 1.5, 1.5
ABOUT = (
    "A hand dragged round a closed path: new target in with the call, answer out, from the answer before; the least of "
    "some rounds for every target, the cases of a figure in turns. Met: by forward kinematics in NumPy, the hand "
    "within 0.1 mm, soft feet within 0.1 mm and 1 mrad, what is hard, every limit and every loop to 1e-8. *Over the "
    "same without*: a hold of the feet over soft feet, else over the same goals less the obstacle, the objective or "
    "the last level. From the objective's optimum: what goals and active limits do not balance of its gradient, over "
    "its weights, the joint that has most of it."
)


@dataclass
class Dragged:
    """A case on its way: the least seconds for every target, and what the oracle found wrong with the answers."""

    case: Case
    path: np.ndarray
    seconds: np.ndarray = field(init=False)
    wrong: Counter[str] = field(default_factory=Counter)
    flawless: int = 0
    left: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.problem = self.case.problem()
        self.session = self.problem.session()
        self.count = len(self.problem.goals)
        self.seconds = np.full(len(self.path), np.inf)
        self.first = self._begin()

    def _targets(self, point: np.ndarray) -> list[np.ndarray | None]:
        return self.case.targets(self.count, point)

    def _begin(self) -> np.ndarray:
        """Where the hand is at the path's last point, so that no round begins with a jump."""
        here = self.problem.figure.forward(self.problem.q0, [self.problem.goals[0].site])[0, :3, 3]
        for share in np.linspace(0.1, 1.0, 10):
            self.session.solve(self._targets(here + share * (self.path[-1] - here)))
        return np.array(self.session.q)

    def round(self) -> np.ndarray:
        """Once along the path; the answers, (targets, n)."""
        session, answers = self.session, []
        session.reset(self.first)
        handed = [self._targets(point) for point in self.path]
        for number, targets in enumerate(handed):
            begin = perf_counter()
            q = session.solve(targets).q
            taken = perf_counter() - begin
            self.seconds[number] = min(self.seconds[number], taken)
            answers.append(q)
        return np.array(answers)

    def check(self, answers: np.ndarray) -> None:
        """Have the oracle look at every answer."""
        before = self.first
        minded = self.case.minded or self.count
        figure, goals = self.problem.figure, self.problem.goals
        for number, (point, q) in enumerate(zip(self.path, answers, strict=True)):
            targets = self._targets(point)[:minded]
            found = flaws(figure, goals[:minded], targets, before, q)
            self.wrong.update(found)
            self.flawless += not found
            left = from_optimum(figure, goals, before, q) if number % SAMPLED == 0 else None
            self.left += [] if left is None else [left]
            before = q

    @property
    def met(self) -> float:
        """Per cent of the answers in which the oracle finds nothing wrong."""
        return 100.0 * self.flawless / len(self.path)

    @property
    def median(self) -> float:
        """Seconds."""
        return float(np.median(self.seconds))


def drag(cases: Sequence[Case], count: int, rounds: int) -> dict[str, Dragged]:
    """All cases of one figure, in turns."""
    path = loop_path(*PATHS[cases[0].figure], count)
    all_ = {case.name: Dragged(case, path) for case in cases}
    for dragged in all_.values():
        dragged.check(dragged.round())
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for dragged in all_.values():
                if dragged.seconds.sum() < LONG:
                    dragged.round()
    finally:
        gc.enable()
    return all_


def add_rows(table: Table, all_: dict[str, Dragged]) -> None:
    """A row for each case, with its ratios."""
    first = next(iter(all_.values())).median
    for dragged in all_.values():
        case = dragged.case
        table.add(
            case.figure,
            case.name,
            len(dragged.problem.variables),
            dragged.met,
            dragged.median * 1e6,
            float(np.percentile(dragged.seconds, 95)) * 1e6,
            dragged.median / first,
            dragged.median / all_[SOFT].median,
            dragged.median / all_[case.without].median,
            float(np.degrees(max(dragged.left))) if dragged.left else None,
        )


def requirements(all_: dict[str, Dragged]) -> list[Requirement]:
    """What must hold of the dragged human."""
    lines = [
        Requirement("human: answers in which the oracle finds nothing wrong, %", _least(all_), 100.0, True)
    ]
    held = all_[BALANCE].median
    lines += [
        Requirement(f"human: {BALANCE}, over soft feet", held / all_[SOFT].median, PINNED),
        Requirement(f"human: {BALANCE}, median µs", held * 1e6, PINNED_MICROSECONDS),
    ]
    balanced, soft = (all_[NATURALLY.format(name)].median for name in (BALANCE, SOFT))
    lines += [
        Requirement(f"human: {NATURALLY.format(BALANCE)}, over soft feet", balanced / soft, PINNED),
        Requirement(f"human: {NATURALLY.format(BALANCE)}, median µs", balanced * 1e6, PINNED_MICROSECONDS),
    ]
    for name, dragged in all_.items():
        over = dragged.median / all_[dragged.case.without].median
        what = f"human: {name}, over {dragged.case.without}"
        if "obstacle" in name:
            lines.append(Requirement(what, over, OBSTACLE))
        if "posture" in name:
            lines.append(Requirement(what, over, POSTURE))
        if dragged.case.natural:
            lines.append(Requirement(what, over, NATURAL))
    return lines


def _least(all_: dict[str, Dragged]) -> float:
    return min(dragged.met for dragged in all_.values())


def run(quick: bool = False) -> Section:
    """Drag everything round, and see what ten rounds leave; when quick, few targets."""
    count, rounds = (12, 1) if quick else (200, 7)
    table = Table("A dragged hand", COLUMNS)
    section = Section("dragging", ABOUT, [table])
    robot, reason = robot_cases()
    if reason:
        section.notes.append(reason)
    wrong: dict[str, Counter[str]] = {}
    by_figure: dict[str, list[Case]] = {}
    for case in [*human_cases(), *other_cases(), *robot]:
        by_figure.setdefault(case.figure, []).append(case)
    for figure, cases in by_figure.items():
        all_ = drag(cases, count, rounds)
        add_rows(table, all_)
        wrong.update({f"{figure}, {name}": d.wrong for name, d in all_.items() if d.wrong})
        if figure == "human":
            section.requirements += requirements(all_)
    section.notes += [
        f"Wrong with {name}: " + ", ".join(f"{what} ({times} times)" for what, times in found.items()) + "."
        for name, found in wrong.items()
    ]
    add_drift(section, *((3, 3, 12) if quick else (100, 10, 60)))
    return section
