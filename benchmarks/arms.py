"""The closed form: solves over arrays, tracked samples, one call from Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time

import numpy as np

import manikin as mk
from benchmarks import arm_limits, six_axes
from benchmarks.tables import Requirement, Section, Table
from benchmarks.timing import in_turns, seconds_of

#: What tolani-badler-1996 measured on a 200-MHz workstation.
PAPER = 20_000.0
COLUMNS = ("limb", "solutions a target", "solves a second", "of the paper's", "one call, µs")
FORESIGHT_COLUMNS = ("limb", "how", "samples a second", "greatest step, rad")
GIRDLE_COLUMNS = (
    "hand frames",
    "found",
    "called unreachable",
    "worst miss",
    "one solve, ms",
    "samples a second",
    "of the same arm with the girdle held",
)
TRACK_COLUMNS = ("limb", "samples a second", "of the paper's", "one step, µs", "followed exactly, of all")


def iiwa(one_sign: bool = False) -> mk.Arm:
    """A robot of 7 hinges; its elbow bends both ways, or with ``one_sign`` only one, as a person's does."""
    heights = (0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081)
    limits = (2.967, 2.094, 2.967, 2.094, 2.967, 2.094, 3.054)
    joints = [
        mk.Joint(
            f"A{i + 1}",
            f"link{i}",
            f"link{i + 1}",
            f"R({axis})",
            placement=(0, 0, height),
            lower=0.0 if one_sign and i == 3 else -limit,
            upper=limit,
        )
        for i, (height, axis, limit) in enumerate(
            zip(heights, ("z", "y", "z", "-y", "z", "y", "z"), limits, strict=True)
        )
    ]
    return mk.Arm(mk.Figure("iiwa", [f"link{i}" for i in range(8)], joints), ("A1", "A4", "A7"))


def _solves(arm: mk.Arm, count: int, rounds: int) -> tuple[float, float, float]:
    """Solutions a target, seconds a solve over an array, seconds a call."""
    rng = np.random.default_rng(0)
    targets = np.array([arm.pose(rng.uniform(arm.lower, arm.upper)).matrix(arm.site) for _ in range(count)])
    swivels = rng.uniform(-np.pi, np.pi, count)

    def over_array() -> float:
        begin = perf_counter()
        arm.solve_many(targets, swivels)
        return (perf_counter() - begin) / count

    _, counts = arm.solve_many(targets, swivels)
    one = targets[int(np.argmax(counts))]
    over_array()
    arm.solve(one, 0.3)
    times = in_turns(
        {"array": over_array, "call": lambda: seconds_of(lambda: arm.solve(one, 0.3), 300)}, rounds
    )
    return float(counts.mean()), times["array"], times["call"]


def eight(arm: mk.Arm, start: np.ndarray, count: int, wide: float = 0.2) -> np.ndarray:
    """A figure of eight of the hand, within its reach."""
    u = np.linspace(0.0, 2 * np.pi, count)
    targets = np.tile(arm.pose(start).matrix(arm.site), (count, 1, 1))
    targets[:, 1, 3] += wide * np.sin(u)
    targets[:, 2, 3] += 0.5 * wide * np.sin(2 * u) - 0.25 * wide
    return targets


def _tracks(arm: mk.Arm, count: int, rounds: int) -> tuple[float, float, float]:
    """Seconds a sample over an array, seconds a step, and the part of samples that were followed exactly."""
    start = np.array([0.1, 0.6, 0.1, 1.2, 0.2, 0.8, 0.3])
    targets = eight(arm, start, count)
    tracker = mk.ArmTracker(arm, start)
    _, statuses = tracker.follow(targets)

    def fresh(run: Callable[[], object]) -> float:
        tracker.restart(start)
        begin = perf_counter()
        run()
        return (perf_counter() - begin) / count

    def steps() -> None:
        for target in targets:
            tracker.step(target)

    steps()
    times = in_turns(
        {"array": lambda: fresh(lambda: tracker.follow(targets)), "step": lambda: fresh(steps)}, rounds
    )
    return times["array"], times["step"], float((statuses == 0).mean())


def _foresight(count: int) -> Table:
    """The figure of eight, as a stream and planned."""
    table = Table("A figure of eight, as a stream and with foresight", FORESIGHT_COLUMNS)
    arm, start = iiwa(), np.array([0.1, 0.6, 0.1, 1.2, 0.2, 0.8, 0.3])
    targets = eight(arm, start, count)
    start = mk.ArmTracker(arm, start).step(targets[0]).copy()
    tracker = mk.ArmTracker(arm, start)
    for how, follow in (("stream", tracker.follow), ("foresight", tracker.foresee)):
        taken = np.inf
        for _ in range(3):
            tracker.restart(start)
            begin = perf_counter()
            rows, _ = follow(targets)
            taken = min(taken, perf_counter() - begin)
        steps = np.linalg.norm(np.diff(np.vstack([start, rows]), axis=0), axis=1)
        table.add("iiwa, elbow both ways", how, count / taken, float(steps.max()))
        tracker.restart(start)
    return table


def _frames(arm: mk.Arm, count: int, seed: int) -> np.ndarray:
    """Where random values inside all limits and couplings have the hand, (count, 4, 4)."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < count:
        pose = arm.pose(rng.uniform(arm.lower, arm.upper))
        values = pose.values()
        if all(c.lower <= c.value(values) <= c.upper for c in arm.figure.couplings):
            found.append(pose.matrix(arm.site))
    return np.array(found)


def girdle(count: int, rounds: int) -> tuple[Table, list[Requirement]]:
    """The default human's arm, which moves the girdle that carries it: frames that it reaches, and a path followed."""
    arm = mk.Arm(mk.human(), "right")
    found = unreachable = 0
    worst = 0.0
    taken = []
    for target in _frames(arm, count, 0):
        begin = process_time()
        rows = arm.solve(target)
        taken.append(process_time() - begin)
        found += len(rows) > 0
        unreachable += not arm.check(target).reachable
        for row in rows:
            worst = max(worst, float(np.abs(arm.pose(row).matrix(arm.site) - target).max()))
    start = np.array([0.2, 0.9, 0.1, 1.4, 0.0, 0.0, 0.0])
    sample = {}
    for name, limb in (("moving", arm), ("held", mk.Arm(mk.human(girdle=False), "right"))):
        targets = eight(limb, start, 2000, 0.1)
        tracker = mk.ArmTracker(limb, start)
        rows, statuses = tracker.follow(targets)
        assert not statuses.any(), "the path is meant to be followed"
        for row, target in zip(rows, targets, strict=True):
            worst = max(worst, float(np.abs(limb.pose(row).matrix(limb.site) - target).max()))
        sample[name] = partial(_sample, tracker, start, targets)
    times = in_turns(sample, rounds)
    table = Table("The default human, whose girdle moves with the arm", GIRDLE_COLUMNS)
    share = times["held"] / times["moving"]
    table.add(count, found, unreachable, worst, 1e3 * float(np.mean(taken)), 1.0 / times["moving"], share)
    return table, [
        Requirement("human's hand frames not found", count - found, 0),
        Requirement("human's hand frames called unreachable", unreachable, 0),
        Requirement("human's hand, worst miss", worst, 1e-10),
        Requirement("human's tracked samples, of those with the girdle held", share, 2 / 3, at_least=True),
    ]


def _sample(tracker: mk.ArmTracker, start: np.ndarray, targets: np.ndarray) -> float:
    """Seconds a sample, of the processor."""
    tracker.restart(start)
    begin = process_time()
    tracker.follow(targets)
    return (process_time() - begin) / len(targets)


def run(quick: bool = False) -> Section:
    """Measure solves and tracking; when quick, few."""
    # Many short rounds: a busy machine interrupts a long one every time.
    count, rounds = (500, 3) if quick else (1000, 150)
    solves = Table("All solutions at a given swivel angle", COLUMNS)
    tracks = Table("Following a figure of eight, all candidates of the six fixed joints", TRACK_COLUMNS)
    rates: dict[str, float] = {}
    for name, arm in (("iiwa, elbow one way", iiwa(True)), ("iiwa, elbow both ways", iiwa())):
        solutions, array, call = _solves(arm, count, rounds)
        solves.add(name, solutions, 1.0 / array, 1.0 / array / PAPER, call * 1e6)
        sample, step, exact = _tracks(arm, 500, rounds)
        tracks.add(name, 1.0 / sample, 1.0 / sample / PAPER, step * 1e6, exact)
        # Of both limbs the slower.
        rates["solves"] = min(rates.get("solves", np.inf), 1.0 / array)
        rates["samples"] = min(rates.get("samples", np.inf), 1.0 / sample)
        rates["call"] = max(rates.get("call", 0.0), call * 1e6)
    human = mk.Arm(mk.human(girdle=False), "right")
    solutions, array, call = _solves(human, count, rounds)
    solves.add("human, girdle held, right", solutions, 1.0 / array, 1.0 / array / PAPER, call * 1e6)
    limited, kept = arm_limits.tables(*((5, 3, 3) if quick else (100, 30, 30)))
    moved, wanted = girdle(100 if quick else 10_000, 3 if quick else 20)
    return Section(
        "arms",
        "The limb of seven angles in closed form, one core; beside the 20,000 solves a second of tolani-badler-1996.",
        [
            solves,
            tracks,
            moved,
            _foresight(100 if quick else 2000),
            *limited,
            *six_axes.tables(100 if quick else 500, 2 if quick else 20),
        ],
        [
            Requirement("solves a second over arrays, elbow both ways", rates["solves"], 2e6, at_least=True),
            Requirement("tracked samples a second, elbow both ways", rates["samples"], 3e5, at_least=True),
            Requirement("one call from Python, µs", rates["call"], 3.0),
            *wanted,
            *kept,
        ],
    )
