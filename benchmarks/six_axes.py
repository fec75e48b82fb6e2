"""Robots of six hinges in closed form: `SixAxis` beside `Arm` and the packages of the extra ``analytic``."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np

import manikin as mk
from benchmarks.inside import inside
from benchmarks.tables import Table
from benchmarks.timing import in_turns, seconds_of
from manikin.kernels.six_axis import six_axis as entries
from manikin.kernels.six_axis.solve import nearest_row, six_axis

COLUMNS = ("who", "solutions a target", "one call, µs", "over arrays, solves a second", "calls, of ours")
_NAMES = {"eaik": "EAIK", "ssik": "ssik"}


def wristed() -> mk.Figure:
    """Two hinges that meet, one, and a spherical wrist: a robot that `Arm` and all of the packages solve."""
    heights = (0.3, 0.0, 0.4, 0.35, 0.0, 0.0)
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({a})", placement=(0, 0, h), lower=-3.1, upper=3.1)
        for i, (a, h) in enumerate(zip("zyyzyz", heights, strict=True))
    ]
    return mk.Figure("six", [f"s{i}" for i in range(7)], joints, [mk.Site("tip", "s6", (0.02, 0.01, 0.1))])


def universal() -> mk.Figure:
    """Three parallel hinges in the middle, lengths as of a UR5."""
    places = (
        (0, 0, 0.0892),
        (0, 0.1359, 0),
        (0.425, -0.1197, 0),
        (0.3923, 0, 0),
        (0, 0.093, 0),
        (0, 0, -0.0947),
    )
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({a})", placement=place, lower=-3.1, upper=3.1)
        for i, (a, place) in enumerate(zip(("z", "y", "y", "y", "-z", "y"), places, strict=True))
    ]
    return mk.Figure("universal", [f"s{i}" for i in range(7)], joints, [mk.Site("tip", "s6", (0, 0.0823, 0))])


@inside
def _all_of_many(spec, targets, near, out):
    """All solutions of each target, inside compiled code where Numba compiles."""
    total = 0
    for i in range(len(targets)):
        total += six_axis(spec, targets[i], near[i], out)
    return total


@inside
def _nearest_of_many(spec, targets, near, lower, upper, best):
    """The solution of each target that is nearest to where the robot is, likewise."""
    total = 0
    for i in range(len(targets)):
        total += nearest_row(spec, targets[i], near[i], lower, upper, best)
    return total


def _beside(title: str, figure: mk.Figure, with_arm: bool, count: int, rounds: int) -> Table:
    """All solutions of one robot, by everyone who solves it."""
    table = Table(title, COLUMNS)
    own = mk.SixAxis(figure, "tip", backend="own")
    spec, lower, upper = own._own.spec, own.lower, own.upper
    rng = np.random.default_rng(1)
    made = rng.uniform(lower, upper, (count, 6))
    targets = np.array([own.pose(q).matrix("tip") for q in made])
    near = np.clip(made + rng.normal(scale=0.1, size=made.shape), lower, upper)
    some = list(targets[:20])
    out, best = np.empty((entries.MOST, 6)), np.empty(6)
    calls: dict[str, Callable[[np.ndarray], int]] = {
        "SixAxis": lambda target: len(own.solve(target)),
        "the nearest only (nearest_row)": lambda target: nearest_row(
            spec, target, near[0], lower, upper, best
        ),
    }
    arrays: dict[str, Callable[[], object]] = {
        "SixAxis": lambda: _all_of_many(spec, targets, near, out),
        "the nearest only (nearest_row)": lambda: _nearest_of_many(spec, targets, near, lower, upper, best),
    }
    if with_arm:
        arm = mk.Arm(figure, None, site="tip")
        calls["Arm"] = lambda target: len(arm.solve(target))
        arrays["Arm"] = lambda: arm.solve_many(targets)
    _add_packages(figure, targets, calls, arrays)
    found = {name: float(np.mean([call(target) for target in some])) for name, call in calls.items()}
    measures = {
        f"call {name}": lambda call=call: seconds_of(lambda: [call(target) for target in some]) / len(some)
        for name, call in calls.items()
    }
    for run in arrays.values():
        run()
    measures |= {f"array {name}": lambda run=run: seconds_of(run) / count for name, run in arrays.items()}
    times = in_turns(measures, rounds)
    for name in calls:
        call, array = times[f"call {name}"], times.get(f"array {name}")
        table.add(name, found[name], call * 1e6, array and 1.0 / array, call / times["call SixAxis"])
    for name in _NAMES.values():
        if name not in calls:
            table.add(f"{name}: not installed", None, None, None, None)
    return table


def _add_packages(figure: mk.Figure, targets: np.ndarray, calls: dict, arrays: dict) -> None:
    """The packages of the extra ``analytic`` that are installed: their own calls, and `SixAxis` through them."""
    for backend, name in _NAMES.items():
        try:
            through = mk.SixAxis(figure, "tip", backend=backend)
        except mk.MissingExtraError:
            continue
        # The package's own call, on a target in its own terms, without our checks and limits.
        raw = through._solve
        calls[name] = lambda target, raw=raw: len(raw(target))
        calls[f"SixAxis through {name}"] = lambda target, through=through: len(through.solve(target))
        if backend == "eaik":
            robot = import_module("eaik.IK_HP").HPRobot(through._h, through._p)
            arrays[name] = lambda robot=robot: robot.IK_batched(targets, 1)


def tables(count: int, rounds: int) -> list[Table]:
    """A robot with a spherical wrist and one with three parallel axes."""
    return [
        _beside("Six hinges with a spherical wrist, all solutions, one core", wristed(), True, count, rounds),
        _beside(
            "Six hinges, three of them parallel (a UR5's lengths), all solutions, one core",
            universal(),
            False,
            count,
            rounds,
        ),
    ]
