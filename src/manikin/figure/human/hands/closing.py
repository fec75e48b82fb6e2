"""Digits that close until they touch.

All joints of a digit that still move turn together, each at its own pace. When a bone touches something, the joints
up to it stop and those beyond it go on, as fingers and underactuated grippers do; a joint at the end of its range
stops too. What is found is first contact: along the way no bone was ever inside the thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from manikin.figure.human.hands.contact import Thing
from manikin.figure.human.hands.hand import Hand

#: How fast joints close beside each other: proximal, middle, distal.
PACES = {"finger": (1.0, 1.15, 0.75), "thumb": (0.7, 1.0, 1.0)}
# A stage is scanned in steps of some 1 mm at a finger's tip, then between two steps as often as doubles allow.
_SCAN, _FINE, _ROUNDS = 96, 12, 10


@dataclass
class Closed:
    """Where a digit stopped: its joints' values in radians, and the bones that touch, by name."""

    values: dict[str, float]
    touching: list[str] = field(default_factory=list)


def close(
    hand: Hand,
    digit: str,
    things: Sequence[Thing],
    start: dict[str, float],
    *,
    only: Sequence[int] = (0, 1, 2),
    paces: Sequence[float] | None = None,
    gap: float = 0.0,
) -> Closed:
    """Close a digit from `start`, which has values of its joints (and of others), until its bones touch things.

    only: which of its joints move, 0 next to the palm. gap: metres at which it counts as touching.
    A bone that is inside a thing at the start touches it already.
    """
    joints, bones = hand.joints(digit), hand.bones(digit)
    pace = np.array(paces or PACES["thumb" if digit == "thumb" else "finger"], dtype=float)
    upper = np.array([hand.range(name)[1] for name in joints])
    value = np.array([start[name] for name in joints])
    fixed = {name: angle for name, angle in start.items() if name not in joints}
    moving = np.array([k in only for k in range(3)])
    touching: list[str] = []

    def clearances(t: np.ndarray) -> np.ndarray:
        """Of every bone, (t, 3), from the nearest thing."""
        angles = value + np.where(moving, pace, 0.0) * t[:, None]
        given = {**fixed, **dict(zip(joints, angles.T, strict=True))}
        capsules = hand.capsules(digit, given)
        return np.min([thing.clearance(capsules) for thing in things], axis=0) - gap

    while moving.any():
        room = np.where(moving, (upper - value) / pace, np.inf)
        last = float(room.min())
        # A bone whose joints have all stopped no longer counts.
        counts = np.array([moving[: k + 1].any() for k in range(3)])
        t, bone = _first(clearances, last, counts)
        value = np.minimum(value + np.where(moving, pace, 0.0) * t, upper)
        if bone is None:
            moving &= room > last + 1e-12
        else:
            moving[: bone + 1] = False
            touching.append(bones[bone])
    return Closed({**start, **dict(zip(joints, value.tolist(), strict=True))}, touching)


def _first(clearances: object, last: float, counts: np.ndarray) -> tuple[float, int | None]:
    """The first t up to `last` at which a bone that counts touches, and which; None where none does."""
    low, high, steps = 0.0, last, _SCAN
    bone = None
    for _ in range(_ROUNDS):
        t = np.linspace(low, high, steps + 1)
        free = np.where(counts, clearances(t), np.inf)  # type: ignore[operator]
        hit = np.flatnonzero((free <= 0.0).any(axis=1))
        if not len(hit):
            return high, bone
        bone = int(np.argmin(free[hit[0]]))
        if hit[0] == 0:
            return low, bone
        low, high, steps = float(t[hit[0] - 1]), float(t[hit[0]]), _FINE
    return low, bone
