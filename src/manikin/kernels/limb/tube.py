"""A way through the swivel angle made finer: dynamic programming within a tube around it.

Each sample's nodes are the way's own φ and some beside it, a step h apart, of its family and of those of the samples
before and after. As in `limb_foresight` the greatest step is made least, then Σ(step)². The way itself is among the
nodes, so nothing gets worse; the caller repeats this with smaller h.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.foresight import apart
from manikin.kernels.limb.limb import (
    SHOULDER,
    SHOULDER_KIND,
    hinge_angle,
    swivel_at,
    to_coordinates,
    to_values,
    wanted,
)
from manikin.kernels.limb.position import brought_within_reach
from manikin.kernels.limb.roots import inside
from manikin.kernels.limb.spherical import rotation_of
from manikin.kernels.limb.swivel import reference_frame
from manikin.kernels.limb.track import family_of
from manikin.kernels.memory.views import view1, view2, view3

HALF = 4
EACH = 2 * HALF + 1
MOST_NODES = 3 * EACH


@kernel
def _nodes(spec, targets, i, t, count, h, phis, families, rows, own_phis, own_families):
    """The nodes of sample i, number t of the way: rows, φ and family (−1: no node)."""
    for k in range(MOST_NODES):
        own_families[t, k] = -1
    p, r = wanted(spec, targets, i)
    ok, _projected, p, delta = brought_within_reach(spec, p)
    if not ok:
        return False
    any_node = False
    for source in range(3):
        # Its own family first, then those of its neighbours where they differ.
        other = t if source == 0 else (max(t - 1, 0) if source == 1 else min(t + 1, count - 1))
        family = families[other]
        if source > 0 and (family == families[t] or (source == 2 and family == families[max(t - 1, 0)])):
            continue
        fine, t4 = hinge_angle(spec, delta, family // 4)
        if not fine:
            continue
        frame = reference_frame(spec, p, t4)
        for part in range(EACH):
            k = source * EACH + part
            phi = phis[other] + h * (part - HALF)
            if inside(spec, frame, t4, r, phi, family, rows, k):
                to_coordinates(spec, rows, k)
                own_phis[t, k] = phi
                own_families[t, k] = family
                any_node = True
    return any_node


@kernel
def _sweep(t, first, all_rows, own_families, periods, limit, largest, costs, back):
    """Bring the costs of the nodes of sample t up from those of the one before."""
    rows = view2(all_rows, t * MOST_NODES * 7, MOST_NODES, 7)
    before = view2(all_rows, max(t - 1, 0) * MOST_NODES * 7, MOST_NODES, 7)
    for k in range(MOST_NODES):
        best = math.inf
        origin = -1
        if own_families[t, k] >= 0:
            for i in range(MOST_NODES if t > 0 else 1):
                if t > 0 and (own_families[t - 1, i] < 0 or costs[t - 1, i] >= best):
                    continue
                d = apart(before, i, rows, k, periods) if t > 0 else apart(first, 0, rows, k, periods)
                if d > limit:
                    continue
                last = costs[t - 1, i] if t > 0 else 0.0
                x = max(last, d) if largest else last + d
                if x < best:
                    best = x
                    origin = i
        costs[t, k] = best
        back[t, k] = origin


@kernel(
    entry="f8[:], f8[:,:,:], i8, f8[:,:], f8[:], f8, f8[:], i8[:], f8[:,:,:], f8[:,:], i8[:,:], "
    "f8[:,:], i8[:,:] -> f8"
)
def narrow(
    spec, targets, begin, start, periods, h, phis, families, room, own_phis, own_families, costs, back
):
    """Better the way ``phis``, ``families`` from sample ``begin`` on, in place; returns its greatest step squared.

    Infinity, and the way as it was, where some node of it is not within the limits. ``room`` holds (n, 27, 7) numbers.
    """
    count = phis.shape[0]
    if count == 0:
        return 0.0
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    first = view2(start, 0, 1, 7)
    for t in range(count):
        rows = view2(room, t * MOST_NODES * 7, MOST_NODES, 7)
        if not _nodes(spec, samples, begin + t, t, count, h, phis, families, rows, own_phis, own_families):
            return math.inf
    limit = math.inf
    for turn in range(2):
        for t in range(count):
            _sweep(t, first, room, own_families, periods, limit, turn == 0, costs, back)
        best = 0
        for k in range(MOST_NODES):
            if costs[count - 1, k] < costs[count - 1, best]:
                best = k
        if costs[count - 1, best] == math.inf:
            return math.inf
        if turn == 0:
            limit = costs[count - 1, best] * (1.0 + 1e-9) + 1e-18
    for t in range(count - 1, -1, -1):
        phis[t] = own_phis[t, best]
        families[t] = own_families[t, best]
        best = back[t, best]
    return limit


@kernel(entry="f8[:], f8[:,:,:], i8, f8[:], i8[:], f8[:,:] -> b1")
def postures(spec, targets, begin, phis, families, out):
    """The coordinates (n, 7) of a way; returns whether every one is within the limits."""
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    rows = view2(out, 0, phis.shape[0], 7)
    for t in range(phis.shape[0]):
        p, r = wanted(spec, samples, begin + t)
        ok, _projected, p, delta = brought_within_reach(spec, p)
        fine, t4 = hinge_angle(spec, delta, families[t] // 4)
        frame = reference_frame(spec, p, t4)
        if not (ok and fine and inside(spec, frame, t4, r, phis[t], families[t], rows, t)):
            return False
        to_coordinates(spec, rows, t)
    return True


@kernel(entry="f8[:], f8[:,:,:], i8, f8[:,:], f8[:], i8[:], f8[:]")
def describe(spec, targets, begin, rows, phis, families, space):
    """The φ and the family of coordinates (n, 7) that reach the targets from ``begin`` on."""
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    values = view2(space, 0, 1, 7)
    given = view2(rows, 0, rows.shape[0], 7)
    for t in range(rows.shape[0]):
        to_values(spec, given, t, values)
        p, _r = wanted(spec, samples, begin + t)
        _ok, _projected, p, delta = brought_within_reach(spec, p)
        kind = int(spec[SHOULDER_KIND])
        shoulder = rotation_of(spec, SHOULDER, kind, values[0, 0], values[0, 1], values[0, 2])
        phis[t] = swivel_at(spec, p, shoulder, values[0, 3])
        family = 2 * family_of(spec, 0, values, 0) + family_of(spec, 1, values, 0)
        fine0, t4 = hinge_angle(spec, delta, 0)
        fine1, other = hinge_angle(spec, delta, 1)
        second = fine1 and (not fine0 or abs(other - values[0, 3]) < abs(t4 - values[0, 3]))
        families[t] = family + (4 if second else 0)


@kernel(entry="f8[:], f8[:,:,:], i8[:]")
def is_projected(spec, targets, found):
    """Which targets (T, 4, 4) are beyond what the hinge can reach, as 0 or 1."""
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    flags = view1(found, 0, targets.shape[0])
    for i in range(targets.shape[0]):
        p, _r = wanted(spec, samples, i)
        flags[i] = 1 if brought_within_reach(spec, p)[1] else 0
