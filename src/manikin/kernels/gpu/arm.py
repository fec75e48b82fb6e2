"""One thread a problem: an arm of N axes one after another and one site, searched in registers.

Threads take problems and starts as `queue` says. A step is that of damped least squares inside the limits. With e the
residuals (position, and rotation as 2 sin(θ/2) about its axis, each times its weight), J their columns, and J′ the
columns of the axes that are free:

    d = J′ᵀ (J′ J′ᵀ + λ)⁻¹ e,    λ = damping · ‖e‖²,

six rows whatever N is. An axis is held while it is on a limit and the gradient Jᵀe pushes beyond. The step is
shortened to at most `reach` an axis, then kept within the limits axis by axis (the two-metric projection of
Bertsekas). Steps are not taken back: where the residual does not fall by a share within a few steps, the search is
given up for the next start.

Everything is written with loops and small arrays, to be unrolled for a given N (`unroll`).
"""

from __future__ import annotations

import math

import numpy as np

from manikin.kernels.gpu.queue import (
    DAMPING,
    FAR,
    FIRST_COUNT,
    FIRST_SETTING,
    FURTHER,
    LEAST,
    REACH,
    close_problem,
    look,
    open_problem,
    open_queue,
    open_start,
)
from manikin.kernels.gpu.unroll import known, local, part, record

#: Numbers of a placement: rotation by rows, then position. The chain has N + 1: one before each axis, and the site's.
PLACEMENT = 12
#: Settings, behind those of `queue`: weight of position and of rotation; squares of the misses to stop at.
WEIGHT_P, WEIGHT_R, STOP_P, STOP_R, SETTINGS = range(FIRST_SETTING, FIRST_SETTING + 5)
#: Counts, behind those of `queue`: which number of a target the point begins with and from one to the next of it,
#: which the rotation begins with (−1: none) and from row to row of it.
POINT, POINT_STEP, ROTATION, ROTATION_STEP, COUNTS = range(FIRST_COUNT, FIRST_COUNT + 5)
#: What the kernel is given, in this order, and the types of arrays. numbers: (problems or 1, NUMBERS) targets. starts:
#: (problems or 1, N). seeds: (further, N) shares of the ranges. found: (problems, N), the ends reached, or the
#: nearest. report: (problems, REPORT). counter: the next problem.
ARRAYS = {
    **{"numbers": "f8", "starts": "f8", "seeds": "f4", "found": "f8"},
    **{"report": "i4", "counter": "i4", "counts": "i4"},
}
#: The scalars behind them, so many for N axes. chain: the placements. low, width: where seeds are drawn from; about the
#: start where ``low`` is beyond −1e30.
PER_AXIS = ("slide", "lower", "upper", "low", "width")

_TINY = 1e-12


@part
def place(chain, slide, x, R, p, axis, origin):
    """Frame of the last axis, R and p; axis and origin of each, in the world."""
    for k in range(9):
        R[k] = chain[k]
    for k in range(3):
        p[k] = chain[9 + k]
    for j in range(N):
        if j > 0:
            a = known(PLACEMENT * j)
            for r in range(3):
                p[r] += R[3 * r] * chain[a + 9] + R[3 * r + 1] * chain[a + 10] + R[3 * r + 2] * chain[a + 11]
            for r in range(3):
                u = R[3 * r]
                v = R[3 * r + 1]
                w = R[3 * r + 2]
                R[3 * r] = u * chain[a] + v * chain[a + 3] + w * chain[a + 6]
                R[3 * r + 1] = u * chain[a + 1] + v * chain[a + 4] + w * chain[a + 7]
                R[3 * r + 2] = u * chain[a + 2] + v * chain[a + 5] + w * chain[a + 8]
        turn = x[j]
        if slide[j] > 0.5:
            for r in range(3):
                p[r] += R[3 * r + 2] * x[j]
            turn = 0.0
        s = math.sin(turn)
        c = math.cos(turn)
        for r in range(3):
            u = R[3 * r]
            v = R[3 * r + 1]
            R[3 * r] = c * u + s * v
            R[3 * r + 1] = c * v - s * u
            axis[r, j] = R[3 * r + 2]
            origin[r, j] = p[r]


@part
def compare(chain, setting, R, p, G, t, e, square):
    """Residuals e, weighted, and the plain squares of both misses."""
    a = known(PLACEMENT * N)
    for r in range(3):
        p[r] += R[3 * r] * chain[a + 9] + R[3 * r + 1] * chain[a + 10] + R[3 * r + 2] * chain[a + 11]
        e[r] = t[r] - p[r]
    square[0] = e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
    trace = -1.0
    for k in range(9):
        trace += R[k] * G[k]
    for r in range(3):
        i = known((r + 1) % 3)
        k = known((r + 2) % 3)
        e[3 + r] = 0.0
        for c in range(3):
            e[3 + r] += R[3 * i + c] * G[3 * k + c] - R[3 * k + c] * G[3 * i + c]
    # Half the vector is sin θ about the axis; over cos θ/2 it is 2 sin θ/2, which grows up to half a turn.
    f = 0.5 / math.sqrt(max(0.25 * trace + 0.5, 1e-6))
    for r in range(3):
        e[3 + r] *= f
    square[1] = e[3] * e[3] + e[4] * e[4] + e[5] * e[5]
    for r in range(3):
        e[r] *= setting[WEIGHT_P]
        e[3 + r] *= setting[WEIGHT_R]


@part
def columns(slide, setting, p, axis, origin, J):
    """What each axis does to the residuals, weighted: for a turn about u through o, u × (p − o) and u; for a slide,
    u."""
    for j in range(N):
        for r in range(3):
            i = known((r + 1) % 3)
            k = known((r + 2) % 3)
            J[r, j] = axis[i, j] * (p[k] - origin[k, j]) - axis[k, j] * (p[i] - origin[i, j])
            J[3 + r, j] = axis[r, j] * setting[WEIGHT_R]
        if slide[j] > 0.5:
            for r in range(3):
                J[r, j] = axis[r, j]
                J[3 + r, j] = 0.0
        for r in range(3):
            J[r, j] *= setting[WEIGHT_P]


@part
def hold(lower, upper, x, e, J):
    """Axes on a limit that the gradient pushes beyond lose their columns."""
    for j in range(N):
        g = 0.0
        for r in range(6):
            g += J[r, j] * e[r]
        if (g > 0.0 and x[j] >= upper[j]) or (g < 0.0 and x[j] <= lower[j]):
            for r in range(6):
                J[r, j] = 0.0


@part
def solve_rows(J, e, damping, L, y):
    """y = (J Jᵀ + λ)⁻¹ e by Cholesky's factor L; its diagonal is kept inverted."""
    for r in range(6):
        for c in range(r + 1):
            L[r, c] = 0.0
            for j in range(N):
                L[r, c] += J[r, j] * J[c, j]
        L[r, r] += damping[0]
    for c in range(6):
        for k in range(c):
            L[c, c] -= L[c, k] * L[c, k]
        L[c, c] = 1.0 / math.sqrt(max(L[c, c], _TINY))
        for r in range(c + 1, 6):
            for k in range(c):
                L[r, c] -= L[r, k] * L[c, k]
            L[r, c] *= L[c, c]
    for r in range(6):
        y[r] = e[r]
        for k in range(r):
            y[r] -= L[r, k] * y[k]
        y[r] *= L[r, r]
    for b in range(6):
        for k in range(6 - b, 6):
            y[5 - b] -= L[k, 5 - b] * y[k]
        y[5 - b] *= L[5 - b, 5 - b]


@part
def move(setting, lower, upper, x, J, y):
    """x + Jᵀ y, each axis by at most `reach` and within its limits."""
    longest = setting[REACH]
    for j in range(N):
        d = 0.0
        for r in range(6):
            d += J[r, j] * y[r]
        J[0, j] = d
        longest = max(longest, abs(d))
    share = setting[REACH] / longest
    for j in range(N):
        x[j] = min(max(x[j] + share * J[0, j], lower[j]), upper[j])


@part
def read_target(data, run, G, t):
    """The target's point t, and its rotation seen from the last axis, G = R_target R_siteᵀ."""
    for k in range(3):
        t[k] = np.float32(data.numbers[run.targets + data.counts[POINT] + k * data.counts[POINT_STEP]])
    if data.counts[ROTATION] < 0:
        for k in range(9):
            G[k] = 0.0
    else:
        for r in range(3):
            at = run.targets + data.counts[ROTATION] + r * data.counts[ROTATION_STEP]
            u = np.float32(data.numbers[at])
            v = np.float32(data.numbers[at + 1])
            w = np.float32(data.numbers[at + 2])
            for c in range(3):
                a = known(PLACEMENT * N + 3 * c)
                G[3 * r + c] = u * data.chain[a] + v * data.chain[a + 1] + w * data.chain[a + 2]


def search(data):
    """Search problem after problem until there are none. data: see `ARRAYS`."""
    run = record()
    x = local(N)
    R = local(9)
    p = local(3)
    G = local(9)
    t = local(3)
    e = local(6)
    y = local(6)
    square = local(2)
    damping = local(1)
    axis = local(3, N)
    origin = local(3, N)
    J = local(6, N)
    L = local(6, 6)
    open_queue(data, run)
    while run.problem < run.count:
        if run.fresh:
            open_problem(data, run, N)
            read_target(data, run, G, t)
            for j in range(N):
                x[j] = np.float32(data.starts[run.begin + j])
        place(data.chain, data.slide, x, R, p, axis, origin)
        compare(data.chain, data.setting, R, p, G, t, e, square)
        run.met = square[0] <= data.setting[STOP_P] and square[1] <= data.setting[STOP_R]
        run.size = 0.0
        for r in range(6):
            run.size += e[r] * e[r]
        look(data, run)
        if run.met or run.over:
            if run.met or run.size < run.best:
                run.best = run.size
                for j in range(N):
                    data.found[run.problem * N + j] = x[j]
            if run.met or run.further >= data.counts[FURTHER]:
                close_problem(data, run)
            else:
                for j in range(N):
                    x[j] = data.low[j]
                    if x[j] < -FAR:
                        x[j] = np.float32(data.starts[run.begin + j]) - 0.5 * data.width[j]
                    shifted = x[j] + data.seeds[run.further * N + j] * data.width[j]
                    x[j] = min(max(shifted, data.lower[j]), data.upper[j])
                open_start(run)
        else:
            columns(data.slide, data.setting, p, axis, origin, J)
            hold(data.lower, data.upper, x, e, J)
            damping[0] = data.setting[DAMPING] * run.size + data.setting[LEAST]
            solve_rows(J, e, damping, L, y)
            move(data.setting, data.lower, data.upper, x, J, y)
            run.steps += 1
            run.total += 1
