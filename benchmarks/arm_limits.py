"""Limbs that follow random fast paths within ranges, speed and acceleration, and how long a flip takes them."""

from __future__ import annotations

from functools import partial
from time import process_time

import numpy as np
from tests.solvers.limited_paths import (
    LIMBS,
    draw,
    excess,
    known_flips,
    least_count,
    limb,
    limits,
    moving_flips,
    random_path,
    steady,
)

import manikin as mk
from benchmarks.tables import Requirement, Table
from manikin.closed_form.limited_follower import standing

COLUMNS = (
    "limb",
    "how",
    "paths",
    "refused as too fast",
    "most beyond a limit",
    "samples waited",
    "one sample, µs",
)
MOVING_COLUMNS = (
    "limb",
    "target meanwhile",
    "flips",
    "samples, of the least",
    "90 %",
    "within 10 % or a sample",
)
KNOWN_COLUMNS = ("limb", "windows", "longest, samples", "a tenth fewer would do")
FLIP_COLUMNS = ("limb", "flips", "samples, of the least", "worst", "within 10 % or a sample")


def _paths(name: str, count: int, known: bool) -> tuple[tuple[object, ...], float]:
    """A row of the table, and the most that any sample leaves a limit by."""
    arm, beyond, refused, waited, samples, taken = limb(name), 0.0, 0, 0, 0, 0.0
    for k in range(count):
        rng = np.random.default_rng([200 + known, k])
        start, targets = random_path(arm, rng)
        speed, acceleration = limits(rng)
        begin = process_time()
        try:
            if known:
                rows = arm.track(targets, start, speed=speed, acceleration=acceleration)
            else:
                tracker = mk.ArmTracker(arm, start, step=speed, acceleration=acceleration)
                rows, statuses = tracker.follow(targets)
                waited += int((statuses >= 16).sum())
        except mk.SolveError:
            refused += 1
            continue
        taken += process_time() - begin
        samples += len(targets)
        beyond = max(beyond, excess(arm, start, rows, speed, acceleration, from_rest=not known))
    how = "known path" if known else "stream"
    return (name, how, count, refused, beyond, waited, 1e6 * taken / max(samples, 1)), beyond


def _flips(name: str, count: int) -> tuple[object, ...]:
    """Jumps from a steady motion to another posture, beside the fewest samples that linear programming finds."""
    arm, ratios, within = limb(name), [], 0
    for k in range(count):
        rng = np.random.default_rng([202, k])
        start, other = draw(arm, rng, 0.05), draw(arm, rng, 0.0)
        speed, acceleration = limits(rng)
        follower = mk.ArmTracker(arm, start, step=speed, acceleration=acceleration)._follower
        assert follower is not None
        way = np.clip(draw(arm, rng, 0.05) - start, -0.5 * acceleration, 0.5 * acceleration)
        for i in range(10):
            goal = start + (i + 1.0) * way
            x = follower.step(goal, partial(steady, goal, way))
        if follower.passing:
            continue
        begin, taken = (x.copy(), way), 0
        while not np.array_equal(x, other):
            x = follower.step(other, partial(standing, other))
            taken += 1
        least = least_count(arm, begin, (other, np.zeros(7)), taken, speed, acceleration)
        ratios.append(taken / least)
        within += taken <= max(1.1 * least, least + 1)
    return name, len(ratios), float(np.median(ratios)), max(ratios), within / len(ratios)


def _moving(name: str, paths: int) -> list[tuple[object, ...]]:
    """Flips of streams whose target moves, beside the fewest samples for one who knows its whole path."""
    arm, found, rows = limb(name), [], []
    for k in range(paths):
        found += moving_flips(arm, np.random.default_rng([203, k]))
    for kind in ("goes on", "corner", "from the corner"):
        taken, least = (np.array([flip[i] for flip in found if flip[0] == kind], float) for i in (1, 2))
        within = (taken <= 1.1 * least) | (taken <= least + 1)
        of_least = np.quantile(taken / least, (0.5, 0.9)) if len(taken) else np.full(2, np.nan)
        rows.append(
            (name, kind, len(taken), *of_least.tolist(), float(within.mean()) if len(taken) else np.nan)
        )
    return rows


def _known(name: str, paths: int) -> tuple[object, ...]:
    """Windows in which a known path is left: how many, and how many of them linear programming makes shorter."""
    arm, found = limb(name), []
    for k in range(paths):
        found += known_flips(arm, np.random.default_rng([204, k]))
    return name, len(found), max(taken for taken, _ in found), sum(better for _, better in found)


def tables(paths: int, known: int, flips: int) -> tuple[list[Table], list[Requirement]]:
    """Paths as a stream and known, and flips."""
    table = Table("Random fast paths within ranges, couplings, speed and acceleration", COLUMNS)
    worst = 0.0
    for name in LIMBS:
        for count, whole in ((paths, False), (known, True)):
            row, beyond = _paths(name, count, whole)
            table.add(*row)
            worst = max(worst, beyond)
    jumps = Table("Flips from a steady motion, beside the least time by linear programming", FLIP_COLUMNS)
    for name in LIMBS:
        jumps.add(*_flips(name, flips))
    moving = Table(
        "Flips to a target that moves, beside the least time of one who knows its path", MOVING_COLUMNS
    )
    for name in LIMBS:
        for row in _moving(name, max(paths, 5)):
            moving.add(*row)
    foreseeable = [float(row[5]) for row in moving.rows if row[1] != "corner" and row[2]]  # type: ignore[arg-type]
    windows = Table("Known paths: windows in which they are left, beside linear programming", KNOWN_COLUMNS)
    for name in LIMBS:
        windows.add(*_known(name, max(known, 5)))
    longer = sum(int(row[3]) for row in windows.rows)  # type: ignore[call-overload]
    return [table, jumps, moving, windows], [
        Requirement("fast paths, most beyond a limit", worst, 1e-9),
        Requirement(
            "flips to a target that goes on, share within 10 %, least", min(foreseeable), 0.9, at_least=True
        ),
        Requirement("known paths, windows that a tenth fewer samples would do for", longer, 0),
    ]
