"""No joint faster than it may be: where a pose flips into another, limbs pass over in quintics, contacts held.

Which of several poses fits best changes now and then, at once; the clip that is followed frame by frame then jumps. The
coordinates of a limb that is too fast leave the clip before the jump and meet it again after it, C² (`passages`), the
contacts of the frames between are made exact again (`held`), and what that made too fast is passed once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from manikin.closed_form.passages import fitting, too_fast, window
from manikin.figure import Figure
from manikin.motion.edit import brought_in
from manikin.motion.tracking import unrolled
from manikin.retargeting.bones import unit
from manikin.retargeting.contacts import spans
from manikin.retargeting.held import Contacts
from manikin.retargeting.roles import Roles

#: By default a joint may be as many times as fast as the source's fastest bone, and this fast anyway, rad/s.
FASTER, ANYWAY = 2.0, 10.0
#: And a root along its way, m/s.
ON_ITS_WAY = 2.0
#: How often spans are widened at most.
_ROUNDS = 8

_BONES = ("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")


def usual_speeds(
    figure: Figure, times: np.ndarray, source: Mapping[str, np.ndarray], scale: float
) -> np.ndarray:
    """The speeds (n,) that a clip is kept within unless others are given, rad/s and m/s.

    Of a joint its own (URDF), but no more than `FASTER` times that of the source's fastest bone, or `ANYWAY`; of a
    root's way as many times the hips', scaled, or `ON_ITS_WAY`. Turns of the root, whose rotation vector may go fast
    where the figure does not, have none.
    """
    found = np.full(figure.n, max(ANYWAY, FASTER * fastest_bone(times, source)))
    if figure.velocity is not None:
        found = np.minimum(found, figure.velocity)
    hips = 0.5 * (source["left_hip"] + source["right_hip"])
    found[:3] = max(ON_ITS_WAY, FASTER * scale * _fastest(times, hips))
    found[3:6] = np.inf
    return found


def fastest_bone(times: np.ndarray, source: Mapping[str, np.ndarray]) -> float:
    """How fast the fastest bone of the limbs turns, rad/s; 0 of one frame."""
    fastest = 0.0
    for side in ("left", "right"):
        for chain in _BONES:
            for one, two in pairwise(f"{side}_{part}" for part in chain):
                if one in source and two in source:
                    fastest = max(fastest, _fastest(times, unit(source[two] - source[one])))
    return fastest


def _fastest(times: np.ndarray, points: np.ndarray) -> float:
    """The greatest speed of points (T, 3); 0 of one. A single step that is faster than both beside it is a jump, as
    from a T-pose, and counts as twice theirs at most."""
    speeds = np.linalg.norm(np.diff(points, axis=0), axis=1) / np.diff(times)
    if len(speeds) > 1:
        beside = np.maximum(np.append(speeds[1:], 0.0), np.insert(speeds[:-1], 0, 0.0))
        speeds = np.minimum(speeds, 2.0 * beside)
    return float(speeds.max(initial=0.0))


def limbs(figure: Figure, roles: Roles) -> list[np.ndarray]:
    """The coordinates of each arm, then of legs and trunk together, then each of the others alone.

    A leg that stands cannot leave its path alone without its foot: what carries it has to go along.
    """
    moves = {
        role: np.abs(figure.jacobian(figure.rest, site)).max(axis=0) > 1e-12
        for role, site in roles.sites.items()
    }
    nothing = np.zeros(figure.n, bool)
    found: list[np.ndarray] = []
    taken = nothing.copy()
    for side, other in (("left", "right"), ("right", "left")):
        own = moves.get(f"{side}_elbow", nothing) | moves.get(f"{side}_wrist", nothing)
        own &= ~moves.get(f"{other}_shoulder", nothing) & ~moves["pelvis"] & ~taken
        found.append(np.flatnonzero(own))
        taken |= own
    body = np.logical_or.reduce(list(moves.values())) & ~taken
    found += [np.flatnonzero(body), *(np.array([k]) for k in np.flatnonzero(~taken & ~body))]
    return [limb for limb in found if len(limb)]


def beyond(
    figure: Figure, times: np.ndarray, q: np.ndarray, speed: np.ndarray, acceleration: np.ndarray
) -> float:
    """The greatest share of a limit on speed or acceleration that the clip uses; more than 1 breaks it."""
    if len(q) < 2:
        return 0.0
    x, dt = unrolled(figure, q), np.diff(times)[:, None]
    v = np.diff(x, axis=0) / dt
    most = float((np.abs(v) / speed).max())
    if len(q) > 2:
        a = np.diff(v, axis=0) / (0.5 * (dt[1:] + dt[:-1]))
        most = max(most, float((np.abs(a) / acceleration).max()))
    return most


class Windows:
    """Spans of frames in which a group of coordinates leaves the clip x (T, k) and meets it again, C²."""

    def __init__(self, times: np.ndarray, x: np.ndarray, speed: np.ndarray, acceleration: np.ndarray) -> None:
        self.times, self.x, self.limits = times, x, (speed, acceleration)
        self.spans: list[tuple[int, int]] = []

    def too_fast(self, x: np.ndarray) -> np.ndarray:
        """(T − 1,): the steps of other values x (T, k) that are too fast, or too sharp at one of their ends."""
        fast, sharp = too_fast(x, self.times, *self.limits)
        return fast | np.append(sharp, False) | np.insert(sharp, 0, False) if len(x) > 2 else fast

    def grow(self, steps: np.ndarray) -> np.ndarray:
        """Widen what spans one of the steps, (T − 1,) of bool, and say which steps had a span, (T − 1,)."""
        found, covered = [], np.zeros(len(steps), bool)
        for low, high in self.spans:
            if steps[low:high].any():
                covered[low:high] = True
                more = max(1, (high - low) // 6)
                low, high = max(low - more, 0), min(high + more, len(self.x) - 1)
            found.append((low, high))
        self.spans = found
        return covered

    def add(self, steps: np.ndarray) -> None:
        """A span about each of the steps, (T − 1,) of bool, wide enough for the limits; then what overlaps is one."""
        self.spans += [fitting(self.x, self.times, low, high, *self.limits) for low, high in spans(steps)]
        merged: list[tuple[int, int]] = []
        for low, high in sorted(self.spans):
            if merged and low <= merged[-1][1] + 1:
                low, high = merged[-1][0], max(high, merged.pop()[1])
                low, high = fitting(self.x, self.times, low, high, *self.limits)
            while merged and low <= merged[-1][1] + 1:
                low, high = merged[-1][0], max(high, merged.pop()[1])
            merged.append((low, high))
        self.spans = merged

    def passed(self) -> tuple[np.ndarray, np.ndarray]:
        """The values with quintics in all spans, and the frames that these moved, (T,)."""
        x, moved = self.x.copy(), np.zeros(len(self.x), bool)
        for low, high in self.spans:
            x[low : high + 1] = window(self.x, self.times, low, high)
            moved[low + 1 : high] = True
        return x, moved


def steadied(
    figure: Figure,
    roles: Roles,
    times: np.ndarray,
    q: np.ndarray,
    speed: np.ndarray,
    acceleration: np.ndarray,
    contacts: Contacts,
) -> tuple[np.ndarray, np.ndarray]:
    """The clip within speeds and accelerations, (n,) each, and which frames were led off for it, (T,).

    The contacts that q has are kept.
    Spans grow until nothing is too fast; of a clip that is too fast as a whole, the slowest that was found.
    """
    moved = np.zeros(len(q), bool)
    least = beyond(figure, times, q, speed, acceleration)
    if least <= 1.0:
        return q, moved
    contacts = contacts.like(q)
    x, groups = unrolled(figure, q), limbs(figure, roles)
    windows = [Windows(times, x[:, g], speed[g], acceleration[g]) for g in groups]
    best, now = q, x
    for _ in range(_ROUNDS):
        steps = [w.too_fast(now[:, g]) for w, g in zip(windows, groups, strict=True)]
        some = np.logical_or.reduce(steps)
        covered = np.logical_or.reduce([w.grow(some) for w in windows])
        for own, w in zip(steps, windows, strict=True):
            w.add(own & ~covered)
        here, changed = x.copy(), np.zeros(len(q), bool)
        for w, g in zip(windows, groups, strict=True):
            here[:, g], frames = w.passed()
            changed |= frames
        found = contacts.held(np.where(changed[:, None], brought_in(figure, here), q), changed)
        now = unrolled(figure, found)
        share = beyond(figure, times, found, speed, acceleration)
        if share < least:
            best, least, moved = found, share, changed
        if least <= 1.0:
            break
    return best, moved
