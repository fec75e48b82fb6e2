"""Scheme 1 of tolani-badler-1996: all solutions at a given swivel angle."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.families import families, is_new
from manikin.kernels.limb.lanes import BRANCH, FAMILY, FOUND, JOINT, ODD, PHI, solve_four
from manikin.kernels.limb.limb import (
    MOST,
    OFFSET,
    ROWS,
    SHOULDER,
    SHOULDER_KIND,
    WRIST_KIND,
    around,
    bent,
    hinge_angle,
    left_over,
    opening,
    shoulder_turn,
    swivel_at,
    to_coordinates,
    wanted,
)
from manikin.kernels.limb.spherical import SQUARE, rotation_of
from manikin.kernels.math.vector import dot
from manikin.kernels.memory.views import view1, view2, view3


@kernel
def at_swivel(spec, p, r, phi, out):
    """All solutions at the swivel angle φ; returns how many."""
    count = 0
    ok, delta = opening(spec, math.sqrt(dot(p, p)))
    if not ok:
        return 0
    n_hat, u_hat, v_hat = around(spec, p)
    for branch in range(2):
        ok, t4 = hinge_angle(spec, delta, branch)
        if not ok:
            continue
        _v, n, b = bent(spec, t4)
        shoulder = shoulder_turn(n_hat, u_hat, v_hat, n, b, phi)
        count = families(spec, shoulder, t4, left_over(spec, shoulder, t4, r), out, count)
    return count


@kernel(entry="f8[:], f8[:,:], f8, f8[:,:] -> i8")
def solve_at(spec, target, phi, out):
    """Solutions of one target (4, 4) at φ as coordinates in ``out`` (9, 7); returns how many."""
    p, r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    rows = view2(out, 0, MOST + 1, 7)
    count = at_swivel(spec, p, r, phi, rows)
    for i in range(count):
        to_coordinates(spec, rows, i)
    return count


@kernel
def _collect(spec, box, lane, rows):
    """Write the solutions that a lane of a box holds to ``rows`` (8, 7); returns how many."""
    count = 0
    for branch in range(2):
        at = FOUND + branch * BRANCH
        if box[at, lane] == 0.0:
            continue
        for f in range(2):
            one = at + 2 + f * FAMILY
            if box[one, lane] == 0.0:
                continue
            for g in range(2):
                other = at + 2 + JOINT + g * FAMILY
                if box[other, lane] == 0.0:
                    continue
                for j in range(3):
                    rows[count, j] = box[one + 1 + j, lane]
                    rows[count, 4 + j] = box[other + 1 + j, lane]
                rows[count, 3] = box[at + 1, lane]
                if is_new(rows, count):
                    count += 1
    return count


@kernel(entry="f8[:], f8[:,:,:], f8[:], f8[:,:], f8[:], f8[:,:,:], i8[:]")
def solve_all(spec, targets, phis, box, space, out, counts):
    """Solutions of N targets (N, 4, 4), each at its φ, in ``out`` (N, 8, 7), their numbers in ``counts``; NaN beyond.

    box: see `limb_lanes`; space: 63 numbers.
    """
    total = targets.shape[0]
    samples = view3(targets, 0, total, 4, 4)
    scratch = view2(space, 0, MOST + 1, 7)
    square = spec[SHOULDER_KIND] == SQUARE and spec[WRIST_KIND] == SQUARE and spec[ROWS] == 0.0
    for i in range(total):
        lane = i % 4
        if square and lane == 0:
            _fill(samples, phis, i, min(4, total - i), box)
            solve_four(spec, box)
        rows = view2(out, i * MOST * 7, MOST, 7)
        if square and box[ODD, lane] == 0.0:
            count = _collect(spec, box, lane, rows)
        else:
            p, r = wanted(spec, samples, i)
            count = at_swivel(spec, p, r, phis[i], scratch)
            for k in range(count):
                to_coordinates(spec, scratch, k)
                for j in range(7):
                    rows[k, j] = scratch[k, j]
        counts[i] = count
        for k in range(count, MOST):
            for j in range(7):
                rows[k, j] = math.nan


@kernel
def _fill(samples, phis, i, count, box):
    """Put targets i to i + count − 1 into a box; the last again in the lanes that are left."""
    for lane in range(4):
        k = i + min(lane, count - 1)
        for row in range(3):
            for column in range(4):
                box[4 * row + column, lane] = samples[k, row, column]
        box[PHI, lane] = phis[k]


@kernel(entry="f8[:], f8[:], f8[:,:] -> f8")
def swivel_of(spec, q, target):
    """φ of seven coordinates whose site is at the target."""
    p, _r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    x = view1(q, 0, 7)
    kind = int(spec[SHOULDER_KIND])
    values = view1(spec, OFFSET, 14)
    x1 = x[0] / values[7] + values[0]
    x2 = x[1] / values[8] + values[1]
    x3 = x[2] / values[9] + values[2]
    t4 = x[3] / values[10] + values[3]
    return swivel_at(spec, p, rotation_of(spec, SHOULDER, kind, x1, x2, x3), t4)


@kernel(entry="f8[:], f8[:,:], f8[:,:]")
def swivel_frame(spec, target, out):
    """n̂, û and v̂ of a target as rows of ``out``, in the limb's frame."""
    p, _r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    n, u, v = around(spec, p)
    for j in range(3):
        out[0, j] = n[j]
        out[1, j] = u[j]
        out[2, j] = v[j]
