"""Scheme 1 of tolani-badler-1996: all solutions at a given swivel angle."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb import (
    MOST,
    OFFSET,
    SHOULDER,
    SHOULDER_KIND,
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
from manikin.kernels.limb_families import families
from manikin.kernels.spherical import rotation_of
from manikin.kernels.vector import dot
from manikin.kernels.views import view1, view2, view3


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


@kernel(entry=True)
def solve_at(spec, target, phi, out):
    """Solutions of one target (4, 4) at φ as coordinates in ``out`` (9, 7); returns how many."""
    p, r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    rows = view2(out, 0, MOST + 1, 7)
    count = at_swivel(spec, p, r, phi, rows)
    for i in range(count):
        to_coordinates(spec, rows, i)
    return count


@kernel(entry=True)
def solve_all(spec, targets, phis, out, counts):
    """Solutions of N targets (N, 4, 4), each at its φ, in ``out`` (N, 9, 7), their numbers in ``counts``.

    Rows beyond the number mean nothing.
    """
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    for i in range(targets.shape[0]):
        p, r = wanted(spec, samples, i)
        rows = view2(out, i * (MOST + 1) * 7, MOST + 1, 7)
        count = at_swivel(spec, p, r, phis[i], rows)
        for k in range(count):
            to_coordinates(spec, rows, k)
        counts[i] = count


@kernel(entry=True)
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


@kernel(entry=True)
def swivel_frame(spec, target, out):
    """n̂, û and v̂ of a target as rows of ``out``, in the limb's frame."""
    p, _r = wanted(spec, view3(target, 0, 1, 4, 4), 0)
    n, u, v = around(spec, p)
    for j in range(3):
        out[0, j] = n[j]
        out[1, j] = u[j]
        out[2, j] = v[j]
