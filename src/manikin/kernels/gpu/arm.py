"""One thread a problem: an arm of N axes one after another and one site, searched in registers.

Each thread takes the next problem from a counter and searches from its given start; a search that ends short draws
the next start from a table, until one reaches or there are no more. Threads of a warp are then at different problems
and at different starts of them, but all at the same instruction: one pass of the loop is one step of the search for
each.

A step is that of damped least squares inside the limits. With e the residuals (position, and rotation as 2 sin(θ/2)
about its axis, each times its weight), J their columns, and J′ the columns of the axes that are free:

    d = J′ᵀ (J′ J′ᵀ + λ)⁻¹ e,    λ = damping · ‖e‖²,

six rows whatever N is. An axis is held while it is on a limit and the gradient Jᵀe pushes beyond. The step is
shortened to at most `reach` an axis, then kept within the limits axis by axis (the two-metric projection of
Bertsekas). Steps are not taken back: where the residual does not fall by a share within a few steps, the search is
given up for the next start.

Everything is written with loops and small arrays, to be unrolled for a given N (`unroll`), and with names that a
target has its own of: `take` (the next problem).
"""

from __future__ import annotations

import math

import numpy as np

from manikin.kernels.gpu.unroll import known, local, part

#: Numbers of a placement: rotation by rows, then position. The chain has N + 1: one before each axis, and the site's.
PLACEMENT = 12
#: Settings: weight of position and of rotation; squares of the misses to stop at; damping and its least; longest
#: step of an axis; fall: within `patience` steps the square of the residuals has to fall below this share of what it
#: was.
WEIGHT_P, WEIGHT_R, STOP_P, STOP_R, DAMPING, LEAST, REACH, FALL, SETTINGS = range(9)
#: Whole settings: steps of a search at most, patience, further starts at most; numbers of a target, which of them the
#: point begins with and from one to the next of it, which the rotation begins with (−1: none) and from row to row of
#: it.
STEPS, PATIENCE, FURTHER, NUMBERS, POINT, POINT_STEP, ROTATION, ROTATION_STEP, WHOLE = range(9)
#: Columns of a report: further starts that were needed (−1: not reached), and all steps.
REPORT = 2

_FAR = 1e30
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
def take_target(numbers, whole, chain, mine, G, t):
    """The target's point t, and its rotation seen from the last axis, G = R_target R_siteᵀ."""
    for k in range(3):
        t[k] = np.float32(numbers[mine + whole[POINT] + k * whole[POINT_STEP]])
    if whole[ROTATION] < 0:
        for k in range(9):
            G[k] = 0.0
    else:
        for r in range(3):
            at = mine + whole[ROTATION] + r * whole[ROTATION_STEP]
            u = np.float32(numbers[at])
            v = np.float32(numbers[at + 1])
            w = np.float32(numbers[at + 2])
            for c in range(3):
                a = known(PLACEMENT * N + 3 * c)
                G[3 * r + c] = u * chain[a] + v * chain[a + 1] + w * chain[a + 2]


def search(
    numbers, starts, seeds, found, report, counter, whole, chain, slide, lower, upper, low, width, setting
):
    """Search problem after problem until there are none.

    numbers: (problems or 1, NUMBERS) targets. starts: (problems or 1, N). seeds: (further, N) shares of the ranges.
    found: (problems, N), the ends reached, or the nearest. report: (problems, REPORT). low, width: where seeds are
    drawn from; about the start where ``low`` is beyond −1e30.
    """
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
    count = report.shape[0] // REPORT
    problem = take(counter)
    fresh = True
    further = 0
    steps = 0
    total = 0
    begun = 0
    best = _FAR
    before = _FAR
    while problem < count:
        if fresh:
            fresh = False
            mine = 0
            if numbers.shape[0] > whole[NUMBERS]:
                mine = problem * whole[NUMBERS]
            take_target(numbers, whole, chain, mine, G, t)
            begun = 0
            if starts.shape[0] > N:
                begun = problem * N
            for j in range(N):
                x[j] = np.float32(starts[begun + j])
            further = 0
            steps = 0
            total = 0
            best = _FAR
            before = _FAR
        place(chain, slide, x, R, p, axis, origin)
        compare(chain, setting, R, p, G, t, e, square)
        met = square[0] <= setting[STOP_P] and square[1] <= setting[STOP_R]
        size = 0.0
        for r in range(6):
            size += e[r] * e[r]
        over = steps >= whole[STEPS]
        if steps % whole[PATIENCE] == 0:
            over = over or size > setting[FALL] * before
            before = size
        if met or over:
            if met or size < best:
                best = size
                for j in range(N):
                    found[problem * N + j] = x[j]
            if met or further >= whole[FURTHER]:
                report[REPORT * problem] = further if met else -1
                report[REPORT * problem + 1] = total
                fresh = True
                problem = take(counter)
            else:
                for j in range(N):
                    x[j] = low[j]
                    if x[j] < -_FAR:
                        x[j] = np.float32(starts[begun + j]) - 0.5 * width[j]
                    x[j] = min(max(x[j] + seeds[further * N + j] * width[j], lower[j]), upper[j])
                further += 1
                steps = 0
                before = _FAR
        else:
            columns(slide, setting, p, axis, origin, J)
            hold(lower, upper, x, e, J)
            damping[0] = setting[DAMPING] * size + setting[LEAST]
            solve_rows(J, e, damping, L, y)
            move(setting, lower, upper, x, J, y)
            steps += 1
            total += 1
