"""The posture people take, evaluated: the network of `figure.human.natural`, and its coordinates as a figure's.

One call of some 20 µs: features in the frame of the feet, two hidden layers, the 32 coordinates shared out to the
figure's own, the root placed in the world, everything inside ranges and linear rows.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

#: Sizes: points and directions that are given, groups, features, inputs, styles, learned coordinates, those of the
#: root.
POINTS, DIRECTIONS, GROUPS, FEATURES, INPUTS, STYLES, LEARNED, ROOT = 6, 7, 8, 39, 52, 5, 32, 6
#: Groups: left and right foot, the pelvis.
LEFT_FOOT, RIGHT_FOOT, PELVIS = 2, 3, 6
#: Numbers of ``body``: stature, an elbow's spread, the least share of a spread, the root's place at rest.
STATURE, ELBOW, SUREST, LOCATION = 0, 1, 2, 3
_ROUNDS = 3
_NO_HEADING = 0.05


@kernel
def _frame(given, which):
    """Origin and heading of the feet that are given; of both where none is, or both are."""
    left = which[LEFT_FOOT] != 0.0
    right = which[RIGHT_FOOT] != 0.0
    a = 1.0 if left or not right else 0.0
    b = 1.0 if right or not left else 0.0
    s = 1.0 / (a + b)
    x = s * (a * given[6] + b * given[9])
    y = s * (a * given[7] + b * given[10])
    z = s * (a * given[8] + b * given[11])
    d = 3 * POINTS
    u = a * given[d] + b * given[d + 6]
    v = a * given[d + 1] + b * given[d + 7]
    if a * b != 0.0 and u * u + v * v < _NO_HEADING:  # feet the opposite way, or on their toes
        u = given[d]
        v = given[d + 1]
    return x, y, z, math.atan2(v, u)


@kernel
def _layer(x, weights, first, columns, out, smooth):
    """out = x W + b, then x / (1 + e⁻ˣ) where ``smooth``; W lies in rows from ``first``, b behind it."""
    rows = x.shape[0]
    bias = first + rows * columns
    for j in range(columns):
        out[j] = weights[bias + j]
    for i in range(rows):
        v = x[i]
        if v != 0.0:
            at = first + i * columns
            for j in range(columns):
                out[j] += v * weights[at + j]
    if smooth:
        for j in range(columns):
            out[j] = out[j] / (1.0 + math.exp(-out[j]))
    return bias + columns


@kernel
def _composed(heading, x, y, z):
    """The rotation vector of a turn about z after the rotation (x, y, z), no longer than π."""
    length = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * length
    k = math.sin(half) / length if length > 1e-9 else 0.5
    w = math.cos(half)
    a = k * x
    b = k * y
    c = k * z
    cz = math.cos(0.5 * heading)
    sz = math.sin(0.5 * heading)
    w, a, b, c = cz * w - sz * c, cz * a - sz * b, cz * b + sz * a, cz * c + sz * w
    if w < 0.0:
        w, a, b, c = -w, -a, -b, -c
    sine = math.sqrt(a * a + b * b + c * c)
    f = 2.0 * math.atan2(sine, w) / sine if sine > 1e-9 else 2.0
    return f * a, f * b, f * c


@kernel
def _bring_in(q, lower, upper, starts, columns, values, row_lower, row_upper):
    """q into its ranges and, by the shortest way for each in turn, into linear rows."""
    for j in range(q.shape[0]):
        q[j] = min(max(q[j], lower[j]), upper[j])
    for _ in range(_ROUNDS):
        worst = 0.0
        for r in range(row_lower.shape[0]):
            s = 0.0
            square = 0.0
            for t in range(starts[r], starts[r + 1]):
                s += values[t] * q[columns[t]]
                square += values[t] * values[t]
            off = min(max(s, row_lower[r]), row_upper[r]) - s
            if off == 0.0 or square == 0.0:
                continue
            worst = max(worst, abs(off))
            f = off * (1.0 + 1e-9) / square
            for t in range(starts[r], starts[r + 1]):
                j = columns[t]
                q[j] = min(max(q[j] + f * values[t], lower[j]), upper[j])
        if worst <= 1e-12:
            break


@kernel(entry=True)
def prefer(
    network,
    hidden,
    scaling,
    order,
    body,
    index,
    learned,
    share,
    ranges,
    starts,
    columns,
    values,
    row_lower,
    row_upper,
    given,
    style,
    q,
    work,
    out,
):
    """The posture into ``out``: n values, n weights, the styles' chances.

    network: layers one behind the other (`_layer`); hidden: their widths.
    scaling: shift and inverse scale of the features, mean and spread of the coordinates, their least and greatest.
    order: of the features among points and directions; then the group that each belongs to.
    index, learned, share: which coordinate takes which share of which learned one.
    ranges: lower, upper, weight of what was not learned; (3, n).
    starts, columns, values, row_lower, row_upper: the figure's linear constraints, row by row.
    given: points and directions in the world, then which groups are given.
    style: the number of one, or −1. q: the coordinates of what was not learned.
    """
    n = q.shape[0]
    first = 3 * (POINTS + DIRECTIONS)
    which = given[first:]
    ox, oy, oz, heading = _frame(given, which)
    c = math.cos(heading)
    s = math.sin(heading)
    stature = body[STATURE]
    x = work[:INPUTS]
    for f in range(FEATURES):
        k = order[f]
        g = order[FEATURES + f]
        x[f] = 0.0
        if which[g] == 0.0:
            continue
        axis = k % 3
        p = k - axis
        u = given[p]
        v = given[p + 1]
        w = given[p + 2]
        unit = 1.0
        if p < 3 * POINTS:
            u -= ox
            v -= oy
            w -= oz
            unit = 1.0 / stature
        value = c * u + s * v if axis == 0 else (c * v - s * u if axis == 1 else w)
        x[f] = (unit * value - scaling[f]) * scaling[FEATURES + f]
    for g in range(GROUPS):
        x[FEATURES + g] = which[g]
    for k in range(STYLES):
        x[FEATURES + GROUPS + k] = 1.0 if k == style else 0.0
    at = INPUTS
    start = 0
    layers = hidden.shape[0]
    for layer in range(layers):
        y = work[at : at + hidden[layer]]
        start = _layer(x, network, start, hidden[layer], y, layer < layers - 1)
        at += hidden[layer]
        x = y
    z = 2 * FEATURES
    value = work[at : at + LEARNED]
    spread = work[at + LEARNED : at + 2 * LEARNED]
    for k in range(LEARNED):
        wide = scaling[z + LEARNED + k]
        m = scaling[z + k] + wide * x[k]
        value[k] = min(max(m, scaling[z + 2 * LEARNED + k]), scaling[z + 3 * LEARNED + k])
        spread[k] = wide * max(math.exp(min(max(x[LEARNED + k], -4.0), 2.0)), body[SUREST])
    for j in range(n):
        out[j] = q[j]
        out[n + j] = ranges[2, j]
    elbow = body[ELBOW]
    for t in range(index.shape[0]):
        k = learned[t]
        out[index[t]] = share[t] * value[k]
        precision = elbow / spread[k]
        out[n + index[t]] = precision * precision / share[t]
    if body[LOCATION + 3] != 0.0:
        if which[LEFT_FOOT] + which[RIGHT_FOOT] + which[PELVIS] > 0.0:
            px = stature * value[0]
            py = stature * value[1]
            out[0] = ox + c * px - s * py - body[LOCATION]
            out[1] = oy + s * px + c * py - body[LOCATION + 1]
            out[2] = oz + stature * value[2] - body[LOCATION + 2]
            out[3], out[4], out[5] = _composed(heading, value[3], value[4], value[5])
        for k in range(ROOT):
            precision = elbow / (spread[k] * (stature if k < 3 else 1.0))
            out[n + k] = precision * precision
    _bring_in(out[:n], ranges[0], ranges[1], starts, columns, values, row_lower, row_upper)
    most = -math.inf
    for k in range(STYLES):
        most = max(most, x[2 * LEARNED + k])
    total = 0.0
    for k in range(STYLES):
        e = math.exp(x[2 * LEARNED + k] - most)
        out[2 * n + k] = e
        total += e
    for k in range(STYLES):
        out[2 * n + k] /= total
