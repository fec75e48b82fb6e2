"""Screws of a tree's axes, and what its goals ask of the twists of the motions that carry them.

An axis that moves by itself is a twist: u, and the velocity that it gives to a point. Rows of a goal are linear in the
twist ν = (ω, v) of the motion that carries its site, v being the velocity at a point c in the middle of all sites:
three rows are C ν, 3 × 6, whatever the goal is. Only CᵀC and Cᵀe are kept, per motion with goals (`tree_step`).

A junction is a motion with goals, or one that branches. A thread remembers, one after the other: coordinates; per axis
its direction, a point on it and what `tree_step` leaves there (AXIS_SIZE numbers); targets; per junction its frame and
CᵀC, Cᵀe (JUNCTION_SIZE); three axes of a ball.
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.gpu.body_layout import (
    AXES,
    AXIS,
    AXIS_SIZE,
    ENTRY,
    ENTRY_PART,
    JUNCTION_SIZE,
    JUNCTIONS,
    KIND,
    MOTION,
    MOTIONS,
    P_STOP,
    PARAMETERS,
    PARENT,
    ROTATE,
    SLIDE,
    SUMS,
    SWING_TWIST,
    TARGET,
    TERM,
    TERM_ALIKE,
    TERM_KIND,
    TERM_MOTION,
    TERMS,
    TWIST_SWING,
)
from manikin.kernels.gpu.body_rows import residual, site
from manikin.kernels.gpu.body_tree import turn_about_z, turn_by_vector, value_of
from manikin.kernels.gpu.unroll import known, local, part


@part
def identity(F):
    """The world's own frame."""
    for k in range(12):
        F[k] = 0.0
    for k in range(3):
        F[4 * k] = 1.0


@part
def remember(W, F, junction, junctions):
    """Keep the frame of a junction; others (−1) are not needed again."""
    if junction >= 0:
        to = junctions + JUNCTION_SIZE * junction
        for c in range(12):
            W[to + c] = F[c]


@part
def place_axes(
    W, counts, tree, junction, first, dofs, coefficients, begin, entries, figures, row, axes, junctions, spins
):
    """Direction and a point of every axis that moves, and the frames of junctions (as `body_tree.place`)."""
    F = local(12)
    v = local(1)
    offset = row + 12 * (counts[MOTIONS] + 1)
    identity(F)
    world = junction[0]
    remember(W, F, world, junctions)
    last = 0
    for i in range(1, counts[MOTIONS] + 1):
        j = tree[MOTION * i + PARENT]
        kind = tree[MOTION * i + KIND]
        k = tree[MOTION * i + AXIS]
        at = row + 12 * i
        if j != last:
            if j == 0:
                identity(F)
            else:
                base = junctions + JUNCTION_SIZE * junction[j]
                for c in range(12):
                    F[c] = W[base + c]
        for r in range(3):
            x = F[3 * r]
            y = F[3 * r + 1]
            z = F[3 * r + 2]
            F[9 + r] += x * figures[at + 9] + y * figures[at + 10] + z * figures[at + 11]
            for c in range(3):
                F[3 * r + c] = x * figures[at + c] + y * figures[at + 3 + c] + z * figures[at + 6 + c]
        value_of(W, first, dofs, coefficients, figures, offset, k, v)
        v0 = v[0]
        if kind == ROTATE:
            turn_about_z(F, v0)
        elif kind == SLIDE:
            for r in range(3):
                F[9 + r] += v0 * F[3 * r + 2]
        else:
            k1 = k + 1
            k2 = k + 2
            value_of(W, first, dofs, coefficients, figures, offset, k1, v)
            v1 = v[0]
            value_of(W, first, dofs, coefficients, figures, offset, k2, v)
            v2 = v[0]
            if kind == TWIST_SWING:
                for r in range(3):
                    W[spins + 6 + r] = F[3 * r + 2]
                turn_about_z(F, v2)
            w2 = v2
            three = kind > TWIST_SWING
            if not three:
                w2 = 0.0
            turn_by_vector(F, W, spins, v0, v1, w2, three)
            if kind == SWING_TWIST:
                for r in range(3):
                    W[spins + 6 + r] = F[3 * r + 2]
                turn_about_z(F, v2)
        for s in range(begin[i], begin[i + 1]):
            which = entries[ENTRY * s + ENTRY_PART]
            to = axes + AXIS_SIZE * s
            for r in range(3):
                W[to + 3 + r] = F[9 + r]
            if which >= 0:
                from_spin = spins + 3 * which
                for r in range(3):
                    W[to + r] = W[from_spin + r]
            else:
                for r in range(3):
                    W[to + r] = F[3 * r + 2]
        own = junction[i]
        remember(W, F, own, junctions)
        last = i


@part
def gather(W, counts, terms, junction, figures, row_terms, share, goals, junctions, centre, size, missed):
    """CᵀC and Cᵀe of the junctions, about the middle of all sites; the square of the rows, how many terms are not met.

    A junction's sums: CᵀC, the lower half row by row (21), Cᵀe as it shrinks (6) and as it is (6).
    """
    F = local(12)
    p = local(3)
    d = local(3)
    t = local(3)
    e = local(3)
    h = local(1)
    a = local(1)
    w = local(1)
    flat = local(1)
    minded = local(1)
    square = local(1)
    C = local(18)
    for r in range(3):
        centre[r] = 0.0
    for q in range(counts[TERMS]):
        base = junctions + JUNCTION_SIZE * junction[terms[TERM * q + TERM_MOTION]]
        for r in range(3):
            centre[r] += W[base + 9 + r]
    share_of_one = 1.0 / np.float32(counts[TERMS])
    for r in range(3):
        centre[r] *= share_of_one
    for s in range(counts[JUNCTIONS]):
        for k in range(SUMS, JUNCTION_SIZE):
            W[junctions + JUNCTION_SIZE * s + k] = 0.0
    size[0] = 0.0
    missed[0] = 0
    for q in range(counts[TERMS]):
        kind = terms[TERM * q + TERM_KIND]
        at = row_terms + PARAMETERS * q
        goal = goals + TARGET * q
        base = junctions + JUNCTION_SIZE * junction[terms[TERM * q + TERM_MOTION]]
        sums = base + SUMS
        site(W, base, figures, at, F, p)
        square[0] = 0.0
        strips = 1
        if kind == AXES and terms[TERM * q + TERM_ALIKE] == 0:
            strips = 3
        for strip in range(strips):
            residual(W, figures, at, goal, kind, strip, strips, F, p, e, h, a, t, d, w, flat, minded, square)
            if minded[0] > 0:
                for r in range(3):
                    e[r] *= w[0]
                    size[0] += e[r] * e[r]
                twist_rows(p, centre, h, a, t, d, flat, C)
                for r in range(6):
                    for c in range(r + 1):
                        k = known(r * (r + 1) // 2 + c)
                        W[sums + k] += C[r] * C[c] + C[6 + r] * C[6 + c] + C[12 + r] * C[12 + c]
                    pull = C[r] * e[0] + C[6 + r] * e[1] + C[12 + r] * e[2]
                    W[sums + 21 + r] += pull
                    W[sums + 27 + r] += pull
        if square[0] > share[0] * figures[at + P_STOP]:
            missed[0] += 1


@part
def twist_rows(p, centre, h, a, t, d, flat, C):
    """Three rows by the six components of the twist: h ṙ (with d and ``flat`` as `body_rows.columns`) + a ω + ω × t."""
    o = local(3)
    for r in range(3):
        o[r] = h[0] * (p[r] - centre[r])
        for c in range(3):
            C[6 * r + c] = 0.0
            C[6 * r + 3 + c] = 0.0
        C[7 * r + 3] = h[0]
    for r in range(3):
        i = known((r + 1) % 3)
        k = known((r + 2) % 3)
        C[6 * r + i] = o[k]
        C[6 * r + k] = -o[i]
    if flat[0] > 0:
        for c in range(6):
            along = C[c] * d[0] + C[6 + c] * d[1] + C[12 + c] * d[2]
            if flat[0] == 1:
                for r in range(3):
                    C[6 * r + c] -= along * d[r]
            else:
                C[c] = along
                C[6 + c] = 0.0
                C[12 + c] = 0.0
    for r in range(3):
        i = known((r + 1) % 3)
        k = known((r + 2) % 3)
        C[7 * r] += a[0]
        C[6 * r + i] += t[k]
        C[6 * r + k] -= t[i]
