"""Rows of plain goals and their columns, as `search.rows` has them, in a thread's own memory."""

from __future__ import annotations

import math

from manikin.kernels.gpu.body_layout import (
    AIM,
    ENTRY,
    ENTRY_COLUMN,
    ENTRY_MOTION,
    ENTRY_PART,
    FORM_COLUMNS,
    FORM_FIRST,
    FORM_POINT,
    FORM_ROWS,
    HALF_TURN,
    LINE,
    P_AXES,
    P_TARGET,
    P_WEIGHT,
    PARAMETERS,
    PLANE,
    SLIDES,
    SLOT,
    SLOT_FORM,
    SLOT_FROM,
    SLOT_TO,
    SLOT_WIDTH,
    SLOTS,
    TARGET,
    TERMS,
    TINY,
    WIDTH,
)
from manikin.kernels.gpu.unroll import known, local, part


@part
def declare_rows(row):
    """What three rows are made of: the frame F of the motion and the site p in it, the rows e, and of their derivative
    h, a, t, d and ``flat`` (`columns`); the root of the weight is a scalar, ``w``."""
    row.F = local(12)
    row.p = local(3)
    row.e = local(3)
    row.t = local(3)
    row.d = local(3)


@part
def site(data, W, base, at, row):
    """The frame that lies at ``base``, and in it the point of the term whose parameters are at ``at``."""
    for c in range(12):
        row.F[c] = W[base + c]
    for r in range(3):
        row.p[r] = (
            row.F[9 + r]
            + row.F[3 * r] * data.figures[at]
            + row.F[3 * r + 1] * data.figures[at + 1]
            + row.F[3 * r + 2] * data.figures[at + 2]
        )


@part
def direction(F, figures, at, u):
    """A direction of the frame F in the world."""
    for r in range(3):
        u[r] = F[3 * r] * figures[at] + F[3 * r + 1] * figures[at + 1] + F[3 * r + 2] * figures[at + 2]


@part
def write_rows(data, thread, W, block, s, row):
    """Three rows, the s-th, and their columns."""
    rows = thread.rows + 3 * s
    for r in range(3):
        W[rows + r] = row.e[r]
    columns(data, thread, W, block, s, row)


@part
def columns(data, thread, W, block, s, row):
    """Columns of three rows: h ṙ (less what is along d, or only that, as ``flat`` says) + a ω + ω × t.

    flat: 0 all of ṙ, 1 without what is along d, 2 only what is along d, as the first row.
    """
    u = local(3)
    y = local(3)
    o = local(3)
    strip = thread.jacobian + 3 * s * data.counts[WIDTH]
    last = -1
    for j in range(data.begin[block], data.begin[block + 1]):
        base = thread.frames + 12 * data.entries[ENTRY * j + ENTRY_MOTION]
        which = data.entries[ENTRY * j + ENTRY_PART]
        f = data.shares[j]
        for r in range(3):
            u[r] = W[base + 3 * r + 2]
            o[r] = row.p[r] - W[base + 9 + r]
        if which >= 0:
            from_spin = thread.spins + 9 * data.entries[ENTRY * j + ENTRY_MOTION] + 3 * which
            for r in range(3):
                u[r] = W[from_spin + r]
        if which == SLIDES:
            for r in range(3):
                y[r] = row.h * u[r]
        else:
            for r in range(3):
                i = known((r + 1) % 3)
                k = known((r + 2) % 3)
                y[r] = row.h * (u[i] * o[k] - u[k] * o[i])
        if row.flat > 0:
            along = y[0] * row.d[0] + y[1] * row.d[1] + y[2] * row.d[2]
            if row.flat == 1:
                for r in range(3):
                    y[r] -= along * row.d[r]
            else:
                y[0] = along
                y[1] = 0.0
                y[2] = 0.0
        if which != SLIDES:
            for r in range(3):
                i = known((r + 1) % 3)
                k = known((r + 2) % 3)
                y[r] += row.a * u[r] + u[i] * row.t[k] - u[k] * row.t[i]
        column = data.entries[ENTRY * j + ENTRY_COLUMN]
        to = strip + 3 * column
        if column == last:
            for r in range(3):
                W[to + r] += f * y[r]
        else:
            for r in range(3):
                W[to + r] = f * y[r]
        last = column


@part
def residual(data, W, at, goal, kind, strip, strips, row):
    """Three rows of a term, not weighted yet, and what their derivative is made of.

    It is h ṙ (see `columns` for d and ``flat``) + a ω + ω × t. w: the root of the rows' weight. weighted: whether they
    count. square: the square of the miss, of terms of three strips summed up.
    """
    u = local(3)
    g = local(3)
    weight = data.figures[at + P_WEIGHT]
    row.flat = 0
    row.weighted = 1
    row.h = 0.0
    row.a = 0.0
    for r in range(3):
        row.t[r] = 0.0
        row.d[r] = 0.0
    row.w = math.sqrt(weight)
    if kind <= PLANE:
        row.h = row.w
        for r in range(3):
            row.e[r] = row.p[r] - W[goal + r]
            row.d[r] = W[goal + 3 + r]
        along = row.e[0] * row.d[0] + row.e[1] * row.d[1] + row.e[2] * row.d[2]
        if kind == LINE:
            row.flat = 1
            for r in range(3):
                row.e[r] -= along * row.d[r]
        if kind == PLANE:
            row.flat = 2
            row.e[0] = along
            row.e[1] = 0.0
            row.e[2] = 0.0
        row.square = row.e[0] * row.e[0] + row.e[1] * row.e[1] + row.e[2] * row.e[2]
    elif kind == AIM:
        first_axis = at + 3
        direction(row.F, data.figures, first_axis, u)
        for r in range(3):
            row.d[r] = W[goal + r] - row.p[r]
        away = row.d[0] * row.d[0] + row.d[1] * row.d[1] + row.d[2] * row.d[2]
        inverse = 1.0 / math.sqrt(max(away, TINY))
        row.flat = 1
        row.h = row.w * inverse
        for r in range(3):
            row.d[r] *= inverse
            row.e[r] = u[r] - row.d[r]
            row.t[r] = row.w * u[r]
        row.square = row.e[0] * row.e[0] + row.e[1] * row.e[1] + row.e[2] * row.e[2]
    elif strips == 1:
        trace = 0.0
        for r in range(3):
            row.e[r] = 0.0
        for c in range(3):
            axis = at + 3 + 3 * c
            direction(row.F, data.figures, axis, u)
            for r in range(3):
                g[r] = W[goal + 3 + 3 * c + r]
            for r in range(3):
                i = known((r + 1) % 3)
                k = known((r + 2) % 3)
                trace += u[r] * g[r]
                row.e[r] += u[k] * g[i] - u[i] * g[k]
        scalar = math.sqrt(max(0.25 * (1.0 + trace), HALF_TURN))
        f = 0.5 / scalar
        row.w = math.sqrt(2.0 * weight * data.figures[at + P_AXES])
        for r in range(3):
            row.e[r] *= f
            row.t[r] = 0.5 * row.w * row.e[r]
        row.a = row.w * scalar
        row.square = (
            2.0
            * data.figures[at + P_AXES]
            * (row.e[0] * row.e[0] + row.e[1] * row.e[1] + row.e[2] * row.e[2])
        )
        if scalar < 0.1:
            row.square = 2.0 * data.figures[at + P_AXES] * (4.0 - 4.0 * scalar * scalar)
    else:
        own = data.figures[at + P_AXES + strip]
        if own <= 0.0:
            row.weighted = 0
        axis = at + 3 + 3 * strip
        direction(row.F, data.figures, axis, u)
        row.w = math.sqrt(weight * own)
        for r in range(3):
            row.e[r] = u[r] - W[goal + 3 + 3 * strip + r]
            row.t[r] = row.w * u[r]
        row.square += own * (row.e[0] * row.e[0] + row.e[1] * row.e[1] + row.e[2] * row.e[2])


@part
def read_targets(data, run, thread, W):
    """Targets of the terms: the figure's own, and over them those of the problem."""
    for q in range(data.counts[TERMS]):
        for k in range(TARGET):
            W[thread.goals + TARGET * q + k] = data.figures[thread.terms + PARAMETERS * q + P_TARGET + k]
    for s in range(data.counts[SLOTS]):
        form = data.slots[SLOT * s + SLOT_FORM]
        width = data.slots[SLOT * s + SLOT_WIDTH]
        at = run.targets + data.slots[SLOT * s + SLOT_FROM]
        to = thread.goals + data.slots[SLOT * s + SLOT_TO]
        if form == FORM_POINT:
            step = 1
            if width == 4:
                at += 3
                step = 4
            for k in range(3):
                W[to + k] = data.numbers[at + step * k]
        elif form == FORM_ROWS:
            for r in range(3):
                for c in range(3):
                    W[to + 3 * r + c] = data.numbers[at + width * r + c]
        elif form == FORM_COLUMNS:
            for r in range(3):
                for c in range(3):
                    W[to + 3 * c + r] = data.numbers[at + width * r + c]
        else:
            for r in range(3):
                W[to + r] = data.numbers[at + width * r + form - FORM_FIRST]
