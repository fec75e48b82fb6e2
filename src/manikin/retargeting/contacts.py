"""What touches what in a clip: feet and hands that stand, hands that are on another part of the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.motion.edit import smooth

#: Of the length of a leg: how low a foot or hand is that stands, and how far it goes in a second at most.
_LOW, _SLOW = 0.06, 0.35
_HAND_LOW = 0.14
#: Of the length of a leg: nearer than this, wrist and part are in contact; twice as far, they have nothing to do with
#: each other.
GRIP = 0.12
#: Seconds that are too short for a contact, or for a break of one.
_SHORT = 0.04


def still(
    times: np.ndarray, points: np.ndarray, low: float, slow: float, floor: float | None = None
) -> np.ndarray:
    """(T,): where a point (T, 3) is within `low` of a height, metres, by default its lowest, and slower than `slow`,
    m/s.

    Pauses and breaks shorter than 40 ms do not count; one frame alone stands if it is low.
    """
    if floor is None:
        floor = float(np.quantile(points[:, 2], 0.02))
    found = points[:, 2] < floor + low
    if len(times) == 1:
        return found
    found &= np.linalg.norm(np.gradient(points, times, axis=0), axis=1) < slow
    return _lasting(times, _lasting(times, found, False), True)


def _lasting(times: np.ndarray, found: np.ndarray, what: bool) -> np.ndarray:
    """Spans of `what` shorter than 40 ms turned round, but those at the ends."""
    result = found.copy()
    for low, high in spans(found == what):
        inner = low > 0 and high < len(found)
        if inner and times[high - 1] - times[low] < _SHORT:
            result[low:high] = not what
    return result


def spans(found: np.ndarray) -> list[tuple[int, int]]:
    """The spans [low, high) in which something holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], found, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def standing(
    times: np.ndarray,
    source: Mapping[str, np.ndarray],
    leg: float,
    ground: float,
    given: Mapping[str, Any] | None,
) -> dict[str, np.ndarray]:
    """When each ankle, toe and wrist stands, (T,) of bool, as found or given. A wrist only near the ground."""
    found = {}
    for role, points in source.items():
        if role.endswith(("_ankle", "_toe")):
            found[role] = still(times, points, _LOW * leg, _SLOW * leg)
        elif role.endswith("_wrist"):
            found[role] = still(times, points, _HAND_LOW * leg, _SLOW * leg, ground)
    for role, mask in (given or {}).items():
        array = np.asarray(mask, dtype=bool)
        if role not in found or array.shape != times.shape:
            known = ", ".join(found)
            raise FigureError(
                f"contacts: {role!r} must be one of {known}, with {len(times)} truth values, one a frame"
            )
        found[role] = array
    return found


def touching(source: Mapping[str, np.ndarray], leg: float) -> dict[tuple[str, str], np.ndarray]:
    """How near each wrist is to other parts: 1 in contact, 0 at twice that distance and farther, smooth between; (T,)
    by wrist and part, where it is ever more than 0."""
    found = {}
    for side, other in (("left", "right"), ("right", "left")):
        hand = f"{side}_wrist"
        parts = [f"{other}_{part}" for part in ("wrist", "elbow", "shoulder")] + ["head"]
        parts += [f"{one}_{part}" for one in (side, other) for part in ("hip", "knee", "ankle")]
        for part in parts:
            if hand in source and part in source:
                away = np.linalg.norm(source[hand] - source[part], axis=1)
                near = 1.0 - smooth(np.clip((away / leg - GRIP) / GRIP, 0.0, 1.0))
                if near.any():
                    found[hand, part] = near
    return found


def lasting(times: np.ndarray, near: np.ndarray, lead: float) -> np.ndarray:
    """(T,): 1 where `near` is, and from there smoothly to 0 within `lead` seconds before and after; 0 of no contact."""
    known = times[near >= 1.0]
    if len(known) == 0:
        return np.zeros(len(times))
    after = np.searchsorted(known, times)
    apart = np.minimum(
        np.abs(times - known[np.clip(after - 1, 0, None)]),
        np.abs(known[np.clip(after, None, len(known) - 1)] - times),
    )
    found: np.ndarray = 1.0 - smooth(np.clip(apart / lead, 0.0, 1.0))
    return found
