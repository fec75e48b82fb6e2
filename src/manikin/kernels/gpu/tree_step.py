"""A damped step of a tree, one axis after the other: from the ends to the root, and back.

What the goals beyond an axis ask of the twist ν of the motion that carries it is ½ νᵀPν + bᵀν. An axis s (a screw,
times the variable's share) adds s d to it, at the price ½ λ d². The best d, whatever ν is, and what is left to ask:

    d = −(sᵀb + Uᵀν) / D,  U = P s,  D = sᵀP s + λ
    P ← P − U Uᵀ / D,      b ← b − U (sᵀb) / D

This is the minimum of ‖J d + e‖² + λ ‖d‖², of the same step as `body_step`, in a time and a memory that grow with the
number of axes alone: neither J nor a factor is there (Featherstone's articulated bodies, of goals instead of masses).
It takes variables that move one axis each.
"""

from __future__ import annotations

from manikin.kernels.gpu.body_layout import (
    AXIS_SIZE,
    AXIS_STEP,
    AXIS_U,
    ENTRIES,
    ENTRY,
    ENTRY_COLUMN,
    ENTRY_PART,
    JUNCTION_SIZE,
    MOTION,
    MOTIONS,
    PARENT,
    SLIDES,
    SUMS,
)
from manikin.kernels.gpu.body_step import shorten_rotation_vectors
from manikin.kernels.gpu.unroll import known, local, part


@part
def screw(W, at, which, share, centre, s):
    """The twist that a variable gives: the axis at ``at``, about the centre, times its share."""
    u = local(3)
    o = local(3)
    for r in range(3):
        u[r] = share * W[at + r]
    if which == SLIDES:
        for r in range(3):
            s[r] = 0.0
            s[3 + r] = u[r]
    else:
        for r in range(3):
            o[r] = W[at + 3 + r] - centre[r]
            s[r] = u[r]
        for r in range(3):
            i = known((r + 1) % 3)
            k = known((r + 2) % 3)
            s[3 + r] = o[i] * u[k] - o[k] * u[i]


@part
def eliminate(data, thread, W):
    """From the ends to the root: of every axis U / D and sᵀb / D; zero where it is on a limit and pushed beyond."""
    P = local(21)
    b = local(6)
    f = local(6)
    s = local(6)
    U = local(6)
    motions = data.counts[MOTIONS]
    for back in range(motions):
        i = motions - back
        joined = False
        if back > 0:
            joined = data.tree[MOTION * (i + 1) + PARENT] == i
        if not joined:
            for k in range(21):
                P[k] = 0.0
            for k in range(6):
                b[k] = 0.0
                f[k] = 0.0
        if data.junction[i] >= 0:
            at = thread.junctions + JUNCTION_SIZE * data.junction[i] + SUMS
            for k in range(21):
                P[k] += W[at + k]
            for k in range(6):
                b[k] += W[at + 21 + k]
                f[k] += W[at + 27 + k]
        for earlier in range(data.begin[i + 1] - data.begin[i]):
            m = data.begin[i + 1] - 1 - earlier
            at = thread.axes + AXIS_SIZE * m
            which = data.entries[ENTRY * m + ENTRY_PART]
            j = data.entries[ENTRY * m + ENTRY_COLUMN]
            share = data.shares[m]
            screw(W, at, which, share, thread.centre, s)
            g = 0.0
            asked = 0.0
            for r in range(6):
                g += s[r] * f[r]
                asked += s[r] * b[r]
            x = W[j]
            held = (g < 0.0 and x >= data.figures[thread.upper + j]) or (
                g > 0.0 and x <= data.figures[thread.lower + j]
            )
            D = 0.0
            for r in range(6):
                U[r] = 0.0
                for c in range(6):
                    k = known(max(r, c) * (max(r, c) + 1) // 2 + min(r, c))
                    U[r] += P[k] * s[c]
                D += U[r] * s[r]
            inverse = 1.0 / (max(D, 0.0) + thread.damping)
            if held:
                inverse = 0.0
            asked *= inverse
            for r in range(6):
                b[r] -= U[r] * asked
                over = U[r] * inverse
                for c in range(r + 1):
                    k = known(r * (r + 1) // 2 + c)
                    P[k] -= over * U[c]
                W[at + AXIS_U + r] = over
            W[at + AXIS_STEP] = asked
        j = data.tree[MOTION * i + PARENT]
        if j != i - 1 and j > 0:
            at = thread.junctions + JUNCTION_SIZE * data.junction[j] + SUMS
            for k in range(21):
                W[at + k] += P[k]
            for k in range(6):
                W[at + 21 + k] += b[k]
                W[at + 27 + k] += f[k]


@part
def back_substitute(data, thread, W):
    """From the root to the ends: the step, each coordinate by at most ``reach`` and within its limits; vectors near a
    whole turn are wound back."""
    nu = local(6)
    s = local(6)
    longest = thread.reach
    for k in range(6):
        nu[k] = 0.0
    last = 0
    for i in range(1, data.counts[MOTIONS] + 1):
        j = data.tree[MOTION * i + PARENT]
        if j != last:
            if j == 0:
                for k in range(6):
                    nu[k] = 0.0
            else:
                at = thread.junctions + JUNCTION_SIZE * data.junction[j]
                for k in range(6):
                    nu[k] = W[at + k]
        for m in range(data.begin[i], data.begin[i + 1]):
            at = thread.axes + AXIS_SIZE * m
            which = data.entries[ENTRY * m + ENTRY_PART]
            share = data.shares[m]
            d = -W[at + AXIS_STEP]
            for r in range(6):
                d -= W[at + AXIS_U + r] * nu[r]
            screw(W, at, which, share, thread.centre, s)
            for r in range(6):
                nu[r] += s[r] * d
            d *= data.scale[data.entries[ENTRY * m + ENTRY_COLUMN]]
            W[at + AXIS_STEP] = d
            longest = max(longest, abs(d))
        if data.junction[i] >= 0:
            at = thread.junctions + JUNCTION_SIZE * data.junction[i]
            for k in range(6):
                W[at + k] = nu[k]
        last = i
    f = thread.reach / longest
    for m in range(data.counts[ENTRIES]):
        j = data.entries[ENTRY * m + ENTRY_COLUMN]
        d = W[thread.axes + AXIS_SIZE * m + AXIS_STEP]
        if d != 0.0:
            W[j] = min(max(W[j] + f * d, data.figures[thread.lower + j]), data.figures[thread.upper + j])
    shorten_rotation_vectors(data, W)
