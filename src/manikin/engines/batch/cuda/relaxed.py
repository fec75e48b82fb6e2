"""What a card searches for where it does not take all that is asked: the plain goals, all of them soft.

A hard goal is searched as a soft one of the same weight, a pin as the place that its start has, levels as one; what is
no goal of a position, an orientation or an aim is left out. The CPU goes on from the card's answer with everything as
it was asked, in double precision.
"""

from __future__ import annotations

import numpy as np

from manikin.engines.batch import mixed
from manikin.engines.batch.inputs import Batch
from manikin.engines.work import Work
from manikin.errors import SolveError
from manikin.goals import Goal, Orientation, Pin, Placement, Position


def relaxed(work: Work, batch: Batch) -> tuple[Work, Batch]:
    """The problem and its batch as the card gets them."""
    _check(work, batch)
    goals: list[Goal] = []
    targets: dict[int, np.ndarray] = {}
    for k, goal in enumerate(work.goals):
        own = _soft(goal)
        if own is None:
            continue
        if isinstance(goal, Pin):
            targets[len(goals)] = _held(goal, batch)
        elif k in batch.targets:
            targets[len(goals)] = batch.targets[k]
        goals.append(own)
    if not goals:
        raise SolveError(
            'device="cuda": a card searches for positions, orientations, placements, lines, planes and aims, and none '
            'is among these goals; leave device="cpu"'
        )

    soft = work.spec.changed(goals=tuple(goals), ranks=(1,) * len(goals))
    return Work(soft), Batch(batch.count, batch.figures, batch.which, targets, batch.starts)


def _check(work: Work, batch: Batch) -> None:
    levels = work.levels
    if levels is None or not mixed.simple(levels, batch.targets) or levels.mixed.pull.to_start:
        raise SolveError(
            'device="cuda": functions in Python, alternatives and what prefers to stay near the start are answered one '
            'problem after the other; leave device="cpu" for them'
        )


def _soft(goal: Goal) -> Goal | None:
    """What the card may search for instead of this goal; None where that is nothing."""
    if isinstance(goal, Pin):
        held = [name.startswith("turn") for name in goal.coordinates()]
        place, turn = held.count(False), held.count(True)
        if (place, turn) == (3, 3):
            return Placement(goal.site, np.zeros(3), np.eye(3), weight=goal.weight)
        if (place, turn) == (3, 0):
            return Position(goal.site, np.zeros(3), weight=goal.weight)
        return Orientation(goal.site, np.eye(3), weight=goal.weight) if (place, turn) == (0, 3) else None
    if not goal.plain:
        return None
    return goal.changed(hard=False) if getattr(goal, "hard", False) else goal


def _held(pin: Pin, batch: Batch) -> np.ndarray:
    """Where a pin's site is at the start of each problem, (problems or 1, …), as the goal of `_soft` takes it."""
    rows = 1 if len(batch.starts) == 1 and len(batch.figures) == 1 else batch.count
    which = np.zeros(rows, np.int64) if batch.which is None else batch.which
    starts = np.broadcast_to(batch.starts, (rows, batch.starts.shape[1]))
    frames = np.empty((rows, 4, 4))
    for f in np.unique(which):
        figure, own = batch.figures[f], which == f
        frames[own] = figure.forward(np.clip(starts[own], figure.lower, figure.upper), [pin.site])[:, 0]
    held = {name.startswith("turn") for name in pin.coordinates()}
    return (
        frames
        if len(held) == 2
        else np.ascontiguousarray(frames[:, :3, :3] if True in held else frames[:, :3, 3])
    )
