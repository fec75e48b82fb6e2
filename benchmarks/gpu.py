"""Batches on a graphics card: a Panda's poses, a G1's four, the human with hands, gaze and feet.

Every answer is checked on the host, by forward kinematics in double precision and against limits and constraints,
before it counts. Three rates: of the kernel alone, by the card's own clock; of the card as a whole, arrays going
there and answers coming back; and of `solve_many`, which checks every answer by the CPU's own kernels.

Where robots cannot be read (no yourdfpy), MANIKIN_FIGURES names a folder with them as NPZ.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

import manikin as mk
from benchmarks.drag_oracle import FEET, Seen, inside_support
from benchmarks.tables import Requirement, Section, Table
from manikin.engines.batch.inputs import batch_of
from manikin.errors import DeviceError

METRES, RADIANS = 1e-4, 1e-3
COLUMNS = (
    "problem",
    "DOF",
    "problems",
    "solved, %",
    "kernel ms",
    "kernel, M/s",
    "with transfers, M/s",
    "solve_many, M/s",
    "solved by it, %",
    "steps",
    "further starts",
)


@dataclass
class Case:
    """Problems of one kind: targets of the goals, in their order, and how many solves a second are asked for."""

    name: str
    figure: mk.Figure
    goals: list[mk.Goal]
    targets: list[np.ndarray | None]
    starts: np.ndarray
    asked: float


def _robot(name: str, base: str) -> mk.Figure:
    folder = os.environ.get("MANIKIN_FIGURES")
    if folder:
        return mk.load(Path(folder) / f"{name}.npz")
    from benchmarks.peers.robots import ROBOTS, plain

    return mk.load(plain(ROBOTS[name]), base=base)


def panda(count: int, rng: np.random.Generator) -> Case:
    """Full poses that some configuration has, from random starts."""
    figure, site = _robot("panda", "fixed"), "panda_link8"
    q = rng.uniform(figure.lower, figure.upper, (count, figure.n))
    starts = rng.uniform(figure.lower, figure.upper, q.shape)
    goals: list[mk.Goal] = [mk.Placement(site, [0.4, 0.0, 0.4], np.eye(3))]
    return Case(
        "Panda, a pose", figure, goals, [np.ascontiguousarray(figure.forward(q, [site])[:, 0])], starts, 100e6
    )


def g1(count: int, rng: np.random.Generator) -> Case:
    """Both hands and feet of a humanoid whose root is free, as some configuration has them, from random starts."""
    figure = _robot("g1", "free")
    sites = ["left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link"]
    low = np.where(np.isfinite(figure.lower), figure.lower, -0.5)
    high = np.where(np.isfinite(figure.upper), figure.upper, 0.5)
    frames = figure.forward(rng.uniform(low, high, (count, figure.n)), sites)
    goals: list[mk.Goal] = [mk.Placement(site, np.zeros(3), np.eye(3)) for site in sites]
    targets: list[np.ndarray | None] = [np.ascontiguousarray(frames[:, k]) for k in range(len(sites))]
    return Case("G1, four poses", figure, goals, targets, rng.uniform(low, high, (count, figure.n)), 3e6)


def human(count: int, rng: np.random.Generator) -> Case:
    """Both hands at places before the body, the eyes on them, the feet where they stand."""
    figure = mk.human(stature=1.75)
    rest = figure.pose()
    feet = [
        mk.Placement(f"{side}_foot", rest.position(f"{side}_foot"), rest.matrix(f"{side}_foot"), weight=10.0)
        for side in ("left", "right")
    ]
    middle = rng.uniform([0.3, -0.2, 0.8], [0.55, 0.2, 1.5], (count, 3))
    apart = np.zeros((count, 3))
    apart[:, 1] = rng.uniform(0.1, 0.3, count)
    goals: list[mk.Goal] = [
        mk.Position("right_hand", np.zeros(3)),
        mk.Position("left_hand", np.zeros(3)),
        mk.Aim("eyes", np.zeros(3)),
        *feet,
    ]
    targets: list[np.ndarray | None] = [middle - apart, middle + apart, middle, None, None]
    return Case("human, hands, gaze, feet", figure, goals, targets, rest.q[None], 1e6)


def pinned(case: Case) -> Case:
    """The same with hard pins at the feet, in balance: the card takes the pins as places, the CPU does the rest."""
    feet = [mk.Pin(f"{side}_foot", weight=10.0) for side in ("left", "right")]
    goals = [*case.goals[:3], *feet, mk.Balance(margin=0.02, hard=True)]
    return Case(
        "the same, pinned hard, in balance", case.figure, goals, [*case.targets, None], case.starts, 1e6
    )


def solved(case: Case, q: np.ndarray) -> np.ndarray:
    """Of each answer whether it is inside limits and constraints and within the tolerances."""
    figure = case.figure
    good = (q >= figure.lower - 1e-9).all(axis=1) & (q <= figure.upper + 1e-9).all(axis=1)
    for row in figure.couplings:
        value = sum(c * q[:, figure.index(name)] for name, c in row.coefficients.items())
        good &= (value >= row.lower - 1e-9) & (value <= row.upper + 1e-9)
    for goal, target in zip(case.goals, case.targets, strict=True):
        if isinstance(goal, mk.Balance):
            continue
        frames = figure.forward(q, [goal.site])[:, 0]
        if isinstance(goal, mk.Aim):
            way = np.asarray(target) - frames[:, :3, 3]
            way /= np.linalg.norm(way, axis=1, keepdims=True)
            axis = frames[:, :3, :3] @ np.asarray(goal.axis)
            good &= 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(axis - way, axis=1), 1.0)) <= RADIANS
            continue
        if isinstance(goal, mk.Pin):
            target = figure.forward(case.starts, [goal.site])[:, 0]
        elif target is None:
            target = np.eye(4)[None]
            target[0, :3, :3], target[0, :3, 3] = goal.orientation, goal.position
        point = target if target.shape[1:] == (3,) else target[:, :3, 3]
        good &= np.linalg.norm(frames[:, :3, 3] - point, axis=1) <= METRES
        if target.shape[1:] == (4, 4):
            chord = np.linalg.norm((frames - target)[:, :3, :3], axis=(1, 2)) / np.sqrt(8.0)
            good &= 2.0 * np.arcsin(np.minimum(chord, 1.0)) <= RADIANS
    return good


def measure(case: Case, rounds: int, table: Table) -> Requirement:
    """One row."""
    from manikin.engines.batch.cuda import search
    from manikin.engines.batch.cuda.relaxed import relaxed
    from manikin.kernels.gpu import load

    def make(figure: mk.Figure, goals: Sequence[mk.Goal] = case.goals) -> mk.Problem:
        return mk.Problem(figure, goals)

    batch = batch_of(case.figure, case.goals, case.targets, case.starts, None)
    asked = make(case.figure), batch, make
    if any(isinstance(goal, mk.Pin) for goal in case.goals):
        asked = relaxed(*asked)
    batch = asked[1]
    tables = search.tables_of(*asked, None, 0)
    kernel, whole = [], []
    for _ in range(rounds + 1):
        begin = perf_counter()
        q, reports, seconds = search.search(tables, batch)
        whole.append(perf_counter() - begin)
        kernel.append(seconds)
    good = float(solved(case, q).mean())
    begin = perf_counter()
    answers = mk.solve_many(
        case.figure, case.goals, q0=case.starts, targets=case.targets, device="cuda", multistart=False
    )
    took = perf_counter() - begin
    checked = solved(case, answers.q)
    assert not (answers.reached & ~checked).any(), "an answer is called reached that is not"
    if isinstance(case.goals[-1], mk.Balance):
        few = np.flatnonzero(answers.reached)[:200]
        inside = [inside_support(Seen(case.figure, answers.q[k]), FEET) for k in few]
        assert min(inside) >= case.goals[-1].margin - 1e-8, "an answer is called in balance that is not"
    best, median = min(kernel[1:]), float(np.median(whole[1:]))
    million = batch.count / 1e6
    table.add(
        case.name,
        case.figure.n,
        batch.count,
        100.0 * good,
        1e3 * best,
        million / best,
        million / median,
        million / took,
        100.0 * float(answers.reached.mean()),
        float(reports[:, 1].mean()),
        float(np.maximum(reports[:, 0], 0).mean()),
    )
    return Requirement(
        f"{case.name}: solves a second of kernel time on {load.card().name}",
        good * batch.count / best,
        case.asked,
        at_least=True,
        but="" if good >= 0.999 else f"only {100 * good:.2f} % are solved",
    )


def run(quick: bool = False) -> Section:
    """All rows, where there is a card."""
    section = Section("gpu", __doc__ or "")
    table = Table("One graphics card: 1e-4 m and 1e-3 rad, limits", COLUMNS)
    try:
        from manikin.kernels.gpu import load

        card = load.card()
    except DeviceError as missing:
        section.notes.append(f"Not measured here: {missing}.")
        return section
    count = 20_000 if quick else 1_000_000
    rng = np.random.default_rng(13)
    cases = [panda(count, rng), g1(count, rng), human(count // 2, rng)]
    cases.append(pinned(cases[-1]))
    section.requirements += [measure(case, 2 if quick else 7, table) for case in cases]
    section.tables.append(table)
    section.notes.append(
        f"{card.name}, {card.multiprocessors} multiprocessors; {os.cpu_count()} CPU cores. PyRoki is not installed "
        "there."
    )
    return section
