"""Where parts in contact should be: standing feet and hands at one place, hands on the body where they are on the
source's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.retargeting.contacts import spans


def stand(
    times: np.ndarray,
    aims: dict[str, np.ndarray],
    standing: Mapping[str, np.ndarray],
    heights: Mapping[str, np.ndarray],
    spots: Mapping[str, np.ndarray] | None = None,
) -> set[str]:
    """Lead `aims` of what stands to the one place where it stands, and name these roles.

    What a part is off while it stands fades between. heights: above the ground when standing, (T,), of which the median
    is taken. spots: places (T, 3) of some roles, taken as they are where they are finite.
    """
    found = set()
    for role, mask in standing.items():
        if role not in aims or not mask.any():
            continue
        place = aims[role].copy()
        for low, high in spans(mask):
            spot = np.median(aims[role][low:high], axis=0)
            spot[2] = np.median(heights[role][low:high])
            place[low:high] = spot
        if spots is not None and role in spots:
            place = np.where(np.isfinite(spots[role]), spots[role], place)
        off = place - aims[role]
        known = np.flatnonzero(mask)
        for k in range(3):
            aims[role][:, k] += np.interp(times, times[known], off[known, k])
        aims[role][mask] = place[mask]
        found.add(role)
    return found


def rolled_over(
    ankle: np.ndarray, toe: np.ndarray, at: np.ndarray, flat: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """When a toe stands while its ankle does not, (T,) of bool, and where it is to be, (T, 3), NaN where nothing says.

    ankle, toe: when they stand, (T,). at: where the ankle is, (T, 3). flat: the way from there to the toe of a foot
    that is flat, (T, 3). A foot rolls over its toe where that was, or will be, while it is flat: so nothing jumps.
    """
    spots = np.full(at.shape, np.nan)
    spots[ankle] = (at + flat)[ankle]
    alone = toe & ~ankle
    for low, high in spans(alone):
        if low > 0 and ankle[low - 1]:
            spots[low:high] = spots[low - 1]
        elif high < len(ankle) and ankle[high]:
            spots[low:high] = spots[high]
    return alone, spots


def touch(
    source: Mapping[str, np.ndarray],
    aims: Mapping[str, np.ndarray],
    at: Mapping[str, np.ndarray],
    near: Mapping[tuple[str, str], np.ndarray],
    scale: float,
) -> dict[str, np.ndarray]:
    """Where hands that touch should be, (T, 3) by role.

    The way from part to hand is s times the source's, from where the part is (`at`): with n how near they are,
    aim + Σ n (part + s away − aim) / max(1, Σ n). Two hands share the way between them.
    """
    found: dict[str, np.ndarray] = {}
    for hand in dict.fromkeys(hand for hand, _ in near):
        moved, total = np.zeros_like(aims[hand]), np.zeros(len(aims[hand]))
        for (one, part), share in near.items():
            if one != hand or part not in at:
                continue
            away = scale * (source[hand] - source[part])
            both = part.endswith("_wrist")
            way = (aims if both else at)[part] + away - aims[hand]
            moved += share[:, None] * (0.5 * way if both else way)
            total += share
        found[hand] = aims[hand] + moved / np.maximum(total, 1.0)[:, None]
    return found
