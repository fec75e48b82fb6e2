"""Rows of plain goals and their columns, as `search.rows` has them, in a thread's own memory."""

from __future__ import annotations

import math

from manikin.kernels.gpu.body_layout import (
    _HALF_TURN,
    _TINY,
    AIM,
    AXES,
    ENTRY,
    ENTRY_COLUMN,
    ENTRY_MOTION,
    ENTRY_PART,
    FORM_COLUMNS,
    FORM_FIRST,
    FORM_POINT,
    FORM_ROWS,
    LINE,
    P_AXES,
    P_STOP,
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
    TERM,
    TERM_ALIKE,
    TERM_BLOCK,
    TERM_KIND,
    TERM_MOTION,
    TERMS,
    WIDTH,
)
from manikin.kernels.gpu.unroll import known, local, part


@part
def site(W, base, figures, at, F, p):
    """The frame that lies at ``base``, and in it the point of the term whose parameters are at ``at``."""
    for c in range(12):
        F[c] = W[base + c]
    for r in range(3):
        p[r] = (
            F[9 + r]
            + F[3 * r] * figures[at]
            + F[3 * r + 1] * figures[at + 1]
            + F[3 * r + 2] * figures[at + 2]
        )


@part
def direction(F, figures, at, u):
    """A direction of the frame F in the world."""
    for r in range(3):
        u[r] = F[3 * r] * figures[at] + F[3 * r + 1] * figures[at + 1] + F[3 * r + 2] * figures[at + 2]


@part
def columns(W, begin, entries, shares, block, frames, spins, strip, p, h, a, t, d, flat):
    """Columns of a strip: h ṙ (less what is along d, or only that, as ``flat`` says) + a ω + ω × t.

    flat: 0 all of ṙ, 1 without what is along d, 2 only what is along d, as the first row.
    """
    u = local(3)
    y = local(3)
    o = local(3)
    last = -1
    for j in range(begin[block], begin[block + 1]):
        base = frames + 12 * entries[ENTRY * j + ENTRY_MOTION]
        which = entries[ENTRY * j + ENTRY_PART]
        f = shares[j]
        for r in range(3):
            u[r] = W[base + 3 * r + 2]
            o[r] = p[r] - W[base + 9 + r]
        if which >= 0:
            from_spin = spins + 9 * entries[ENTRY * j + ENTRY_MOTION] + 3 * which
            for r in range(3):
                u[r] = W[from_spin + r]
        if which == SLIDES:
            for r in range(3):
                y[r] = h[0] * u[r]
        else:
            for r in range(3):
                i = known((r + 1) % 3)
                k = known((r + 2) % 3)
                y[r] = h[0] * (u[i] * o[k] - u[k] * o[i])
        if flat[0] > 0:
            along = y[0] * d[0] + y[1] * d[1] + y[2] * d[2]
            if flat[0] == 1:
                for r in range(3):
                    y[r] -= along * d[r]
            else:
                y[0] = along
                y[1] = 0.0
                y[2] = 0.0
        if which != SLIDES:
            for r in range(3):
                i = known((r + 1) % 3)
                k = known((r + 2) % 3)
                y[r] += a[0] * u[r] + u[i] * t[k] - u[k] * t[i]
        column = entries[ENTRY * j + ENTRY_COLUMN]
        to = strip + 3 * column
        if column == last:
            for r in range(3):
                W[to + r] += f * y[r]
        else:
            for r in range(3):
                W[to + r] = f * y[r]
        last = column


@part
def residual(W, figures, at, goal, kind, strip, strips, F, p, e, h, a, t, d, w, flat, minded, square):
    """Three rows of a term, not weighted yet, and what their derivative is made of.

    It is h ṙ (see `columns` for d and ``flat``) + a ω + ω × t. w: the root of the rows' weight. minded: whether they
    count. square: the square of the miss, of terms of three strips summed up.
    """
    u = local(3)
    g = local(3)
    weight = figures[at + P_WEIGHT]
    flat[0] = 0
    minded[0] = 1
    h[0] = 0.0
    a[0] = 0.0
    for r in range(3):
        t[r] = 0.0
        d[r] = 0.0
    w[0] = math.sqrt(weight)
    if kind <= PLANE:
        h[0] = w[0]
        for r in range(3):
            e[r] = p[r] - W[goal + r]
            d[r] = W[goal + 3 + r]
        along = e[0] * d[0] + e[1] * d[1] + e[2] * d[2]
        if kind == LINE:
            flat[0] = 1
            for r in range(3):
                e[r] -= along * d[r]
        if kind == PLANE:
            flat[0] = 2
            e[0] = along
            e[1] = 0.0
            e[2] = 0.0
        square[0] = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    elif kind == AIM:
        first_axis = at + 3
        direction(F, figures, first_axis, u)
        for r in range(3):
            d[r] = W[goal + r] - p[r]
        away = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        inverse = 1.0 / math.sqrt(max(away, _TINY))
        flat[0] = 1
        h[0] = w[0] * inverse
        for r in range(3):
            d[r] *= inverse
            e[r] = u[r] - d[r]
            t[r] = w[0] * u[r]
        square[0] = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    elif strips == 1:
        trace = 0.0
        for r in range(3):
            e[r] = 0.0
        for c in range(3):
            axis = at + 3 + 3 * c
            direction(F, figures, axis, u)
            for r in range(3):
                g[r] = W[goal + 3 + 3 * c + r]
            for r in range(3):
                i = known((r + 1) % 3)
                k = known((r + 2) % 3)
                trace += u[r] * g[r]
                e[r] += u[k] * g[i] - u[i] * g[k]
        scalar = math.sqrt(max(0.25 * (1.0 + trace), _HALF_TURN))
        f = 0.5 / scalar
        w[0] = math.sqrt(2.0 * weight * figures[at + P_AXES])
        for r in range(3):
            e[r] *= f
            t[r] = 0.5 * w[0] * e[r]
        a[0] = w[0] * scalar
        square[0] = 2.0 * figures[at + P_AXES] * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
        if scalar < 0.1:
            square[0] = 2.0 * figures[at + P_AXES] * (4.0 - 4.0 * scalar * scalar)
    else:
        own = figures[at + P_AXES + strip]
        if own <= 0.0:
            minded[0] = 0
        axis = at + 3 + 3 * strip
        direction(F, figures, axis, u)
        w[0] = math.sqrt(weight * own)
        for r in range(3):
            e[r] = u[r] - W[goal + 3 + 3 * strip + r]
            t[r] = w[0] * u[r]
        square[0] += own * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2])


@part
def fill(
    W,
    counts,
    terms,
    begin,
    entries,
    shares,
    figures,
    row_terms,
    share,
    frames,
    spins,
    goals,
    rows,
    jacobian,
    size,
    missed,
):
    """Rows and columns of all terms; the square of the rows, and how many terms are not met."""
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
    size[0] = 0.0
    missed[0] = 0
    s = 0
    for q in range(counts[TERMS]):
        kind = terms[TERM * q + TERM_KIND]
        motion = terms[TERM * q + TERM_MOTION]
        block = terms[TERM * q + TERM_BLOCK]
        at = row_terms + PARAMETERS * q
        goal = goals + TARGET * q
        base = frames + 12 * motion
        site(W, base, figures, at, F, p)
        square[0] = 0.0
        strips = 1
        if kind == AXES and terms[TERM * q + TERM_ALIKE] == 0:
            strips = 3
        for strip in range(strips):
            residual(W, figures, at, goal, kind, strip, strips, F, p, e, h, a, t, d, w, flat, minded, square)
            if minded[0] > 0:
                to = rows + 3 * s
                for r in range(3):
                    e[r] *= w[0]
                    W[to + r] = e[r]
                    size[0] += e[r] * e[r]
                into = jacobian + 3 * s * counts[WIDTH]
                columns(W, begin, entries, shares, block, frames, spins, into, p, h, a, t, d, flat)
                s += 1
        if square[0] > share[0] * figures[at + P_STOP]:
            missed[0] += 1


@part
def take_targets(W, counts, slots, numbers, mine, terms_at, figures, goals):
    """Targets of the terms: the figure's own, and over them those of the problem."""
    for q in range(counts[TERMS]):
        for k in range(TARGET):
            W[goals + TARGET * q + k] = figures[terms_at + PARAMETERS * q + P_TARGET + k]
    for s in range(counts[SLOTS]):
        form = slots[SLOT * s + SLOT_FORM]
        width = slots[SLOT * s + SLOT_WIDTH]
        at = mine + slots[SLOT * s + SLOT_FROM]
        to = goals + slots[SLOT * s + SLOT_TO]
        if form == FORM_POINT:
            step = 1
            if width == 4:
                at += 3
                step = 4
            for k in range(3):
                W[to + k] = numbers[at + step * k]
        elif form == FORM_ROWS:
            for r in range(3):
                for c in range(3):
                    W[to + 3 * r + c] = numbers[at + width * r + c]
        elif form == FORM_COLUMNS:
            for r in range(3):
                for c in range(3):
                    W[to + 3 * c + r] = numbers[at + width * r + c]
        else:
            for r in range(3):
                W[to + r] = numbers[at + width * r + form - FORM_FIRST]
