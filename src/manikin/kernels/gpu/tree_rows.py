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
    AXIS_SIZE,
    ENTRY,
    ENTRY_PART,
    JUNCTION_SIZE,
    JUNCTIONS,
    MOTION,
    MOTIONS,
    PARENT,
    SUMS,
    TERM,
    TERM_MOTION,
    TERMS,
)
from manikin.kernels.gpu.body_tree import advance, identity
from manikin.kernels.gpu.unroll import known, local, part


@part
def remember(thread, W, F, junction):
    """Keep the frame of a junction; others (−1) are not needed again."""
    if junction >= 0:
        to = thread.junctions + JUNCTION_SIZE * junction
        for c in range(12):
            W[to + c] = F[c]


@part
def place_axes(data, thread, W):
    """Direction and a point of every axis that moves, and the frames of junctions (as `body_tree.place`)."""
    F = local(12)
    identity(F)
    own = data.junction[0]
    remember(thread, W, F, own)
    last = 0
    for i in range(1, data.counts[MOTIONS] + 1):
        j = data.tree[MOTION * i + PARENT]
        if j != last:
            if j == 0:
                identity(F)
            else:
                base = thread.junctions + JUNCTION_SIZE * data.junction[j]
                for c in range(12):
                    F[c] = W[base + c]
        advance(data, thread, W, i, F, thread.spins)
        for s in range(data.begin[i], data.begin[i + 1]):
            which = data.entries[ENTRY * s + ENTRY_PART]
            to = thread.axes + AXIS_SIZE * s
            for r in range(3):
                W[to + 3 + r] = F[9 + r]
            if which >= 0:
                from_spin = thread.spins + 3 * which
                for r in range(3):
                    W[to + r] = W[from_spin + r]
            else:
                for r in range(3):
                    W[to + r] = F[3 * r + 2]
        own = data.junction[i]
        remember(thread, W, F, own)
        last = i


@part
def clear_sums(data, thread, W):
    """The middle of all sites' motions, which twists are seen from; no sums yet.

    A junction's sums: CᵀC, the lower half row by row (21), Cᵀe as it shrinks (6) and as it is (6).
    """
    for r in range(3):
        thread.centre[r] = 0.0
    for q in range(data.counts[TERMS]):
        base = thread.junctions + JUNCTION_SIZE * data.junction[data.terms[TERM * q + TERM_MOTION]]
        for r in range(3):
            thread.centre[r] += W[base + 9 + r]
    share_of_one = 1.0 / np.float32(data.counts[TERMS])
    for r in range(3):
        thread.centre[r] *= share_of_one
    for s in range(data.counts[JUNCTIONS]):
        for k in range(SUMS, JUNCTION_SIZE):
            W[thread.junctions + JUNCTION_SIZE * s + k] = 0.0


@part
def add_rows(thread, W, base, row):
    """CᵀC and Cᵀe of three rows, to the sums of the junction that lies at ``base``."""
    C = local(18)
    sums = base + SUMS
    twist_rows(thread, row, C)
    for r in range(6):
        for c in range(r + 1):
            k = known(r * (r + 1) // 2 + c)
            W[sums + k] += C[r] * C[c] + C[6 + r] * C[6 + c] + C[12 + r] * C[12 + c]
        pull = C[r] * row.e[0] + C[6 + r] * row.e[1] + C[12 + r] * row.e[2]
        W[sums + 21 + r] += pull
        W[sums + 27 + r] += pull


@part
def twist_rows(thread, row, C):
    """Three rows by the six components of the twist: h ṙ (with d and ``flat`` as `body_rows.columns`) + a ω + ω × t."""
    o = local(3)
    for r in range(3):
        o[r] = row.h * (row.p[r] - thread.centre[r])
        for c in range(3):
            C[6 * r + c] = 0.0
            C[6 * r + 3 + c] = 0.0
        C[7 * r + 3] = row.h
    for r in range(3):
        i = known((r + 1) % 3)
        k = known((r + 2) % 3)
        C[6 * r + i] = o[k]
        C[6 * r + k] = -o[i]
    if row.flat > 0:
        for c in range(6):
            along = C[c] * row.d[0] + C[6 + c] * row.d[1] + C[12 + c] * row.d[2]
            if row.flat == 1:
                for r in range(3):
                    C[6 * r + c] -= along * row.d[r]
            else:
                C[c] = along
                C[6 + c] = 0.0
                C[12 + c] = 0.0
    for r in range(3):
        i = known((r + 1) % 3)
        k = known((r + 2) % 3)
        C[7 * r] += row.a
        C[6 * r + i] += row.t[k]
        C[6 * r + k] -= row.t[i]
