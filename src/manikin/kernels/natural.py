"""The posture people take, evaluated: the network of `figure.human.natural`, and its coordinates as a figure's.

Features in the frame of the feet, two hidden layers, the 32 coordinates shared out to the figure's own, the root placed
in the world, everything inside ranges and linear rows: some 2 µs, of which 1 is the second layer, 98 kB of numbers.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2

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
def find_frame(given, which):
    """Origin and heading of the feet that are given, its cosine and sine; of both where none is, or both are."""
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
    heading = math.atan2(v, u)
    return x, y, z, heading, math.cos(heading), math.sin(heading)


#: What `prefer` is told, as views; see there.
Posture = namedtuple(
    "Posture",
    "network hidden scaling order body index learned share ranges starts columns values row_lower row_upper",
)
#: Numbers of ``given``: points, directions, which groups are.
GIVEN = 3 * (POINTS + DIRECTIONS) + GROUPS
#: The features of both wrists come first: what a dragged hand changes.
WRISTS = 6
#: Numbers of a workspace before those of the layers: inputs, and as many as keep what follows aligned.
BEFORE_LAYERS = 64
# tanh z = z P(z²) / Q(z²) to 1e-8 of z tanh z where |z| is no more than the limit: what a fit of least largest error
# gave.
_LIMIT, _HALF, _ONE = np.float32(8.0), np.float32(0.5), np.float32(1.0)
_P0, _P1, _P2, _P3, _P4 = (
    np.float32(c)
    for c in (9.999998022e-01, 1.341004074e-01, 3.531004605e-03, 2.123444637e-05, 1.431715843e-08)
)
_Q1, _Q2, _Q3, _Q4 = (
    np.float32(c) for c in (4.674332336e-01, 2.600922307e-02, 3.345314528e-04, 8.149134725e-07)
)


@kernel
def _smooth(out):
    """x / (1 + e⁻ˣ) = x/2 (1 + tanh x/2) of every number, in single precision; the loop vectorises."""
    for j in range(out.shape[0]):
        half = _HALF * out[j]
        z = min(max(half, -_LIMIT), _LIMIT)
        s = z * z
        above = z * (_P0 + s * (_P1 + s * (_P2 + s * (_P3 + s * _P4))))
        below = _ONE + s * (_Q1 + s * (_Q2 + s * (_Q3 + s * _Q4)))
        out[j] = half * (_ONE + above / below)


@kernel
def _add_rows(x, begin, past, weights, out):
    """Add x W to ``out`` over the rows from ``begin`` until ``past``; W lies by rows, as wide as ``out``.

    Four rows at a time, and none where x is zero: what is not given costs nothing.
    """
    wide = out.shape[0]
    i = begin
    while i + 4 <= past:
        a = x[i]
        b = x[i + 1]
        c = x[i + 2]
        d = x[i + 3]
        p = view1(weights, i * wide, wide)
        q = view1(weights, (i + 1) * wide, wide)
        r = view1(weights, (i + 2) * wide, wide)
        s = view1(weights, (i + 3) * wide, wide)
        i += 4
        if a == 0.0 and b == 0.0 and c == 0.0 and d == 0.0:
            continue
        for j in range(wide):
            out[j] += (a * p[j] + b * q[j]) + (c * r[j] + d * s[j])
    while i < past:
        v = x[i]
        row = view1(weights, i * wide, wide)
        i += 1
        if v != 0.0:
            for j in range(wide):
                out[j] += v * row[j]


@kernel
def _layer(x, weights, first, columns, out):
    """out = x W + b as far as ``out`` is wide; W lies by columns from ``first``, b behind it. Four at a time."""
    rows = x.shape[0]
    wide = out.shape[0]
    bias = view1(weights, first + rows * columns, wide)
    j = 0
    while j + 4 <= wide:
        at = first + j * rows
        p = view1(weights, at, rows)
        q = view1(weights, at + rows, rows)
        r = view1(weights, at + 2 * rows, rows)
        s = view1(weights, at + 3 * rows, rows)
        a = bias[j]
        b = bias[j + 1]
        c = bias[j + 2]
        d = bias[j + 3]
        for i in range(rows):
            v = x[i]
            a += v * p[i]
            b += v * q[i]
            c += v * r[i]
            d += v * s[i]
        out[j] = a
        out[j + 1] = b
        out[j + 2] = c
        out[j + 3] = d
        j += 4
    while j < wide:
        p = view1(weights, first + j * rows, rows)
        a = bias[j]
        for i in range(rows):
            a += x[i] * p[i]
        out[j] = a
        j += 1


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
            for t in range(starts[r], starts[r + 1]):
                s += values[t] * q[columns[t]]
            off = min(max(s, row_lower[r]), row_upper[r]) - s
            if off == 0.0:
                continue
            square = 0.0
            for t in range(starts[r], starts[r + 1]):
                square += values[t] * values[t]
            if square == 0.0:
                continue
            worst = max(worst, abs(off))
            f = off * (1.0 + 1e-9) / square
            for t in range(starts[r], starts[r + 1]):
                j = columns[t]
                q[j] = min(max(q[j] + f * values[t], lower[j]), upper[j])
        if worst <= 1e-12:
            break


@kernel
def _features(p, given, which, frame, past, x):
    """The network's first ``past`` inputs: what is given, in the frame of the feet and in units of its spread."""
    ox, oy, oz, _, c, s = frame
    inverse = 1.0 / p.body[STATURE]
    for f in range(past):
        k = p.order[f]
        g = p.order[FEATURES + f]
        x[f] = 0.0
        if which[g] == 0.0:
            continue
        axis = k % 3
        first = k - axis
        u = given[first]
        v = given[first + 1]
        w = given[first + 2]
        unit = 1.0
        if first < 3 * POINTS:
            u -= ox
            v -= oy
            w -= oz
            unit = inverse
        value = c * u + s * v if axis == 0 else (c * v - s * u if axis == 1 else w)
        x[f] = (unit * value - p.scaling[f]) * p.scaling[FEATURES + f]


@kernel
def evaluate(p, given, style, frame, work, wide, known):
    """The first ``wide`` numbers that the network gives for what is given: means, log spreads, the styles' chances.

    frame: `find_frame` of it. known: whether the last evaluation in this workspace was told the same but for where the
    wrists are. Then what all else makes of the first layer is still there: its sums have the wrists last, so that the
    answer is the same to the last bit.
    """
    which = view1(given, 3 * (POINTS + DIRECTIONS), GROUPS)
    x = view1(work, 0, INPUTS)
    layers = p.hidden.shape[0]
    if layers == 0:
        return x
    columns = p.hidden[0]
    others = view1(work, BEFORE_LAYERS, columns)
    y = view1(work, BEFORE_LAYERS + columns, columns)
    _features(p, given, which, frame, WRISTS if known else FEATURES, x)
    if not known:
        for g in range(GROUPS):
            x[FEATURES + g] = which[g]
        for k in range(STYLES):
            x[FEATURES + GROUPS + k] = 1.0 if k == style else 0.0
        bias = view1(p.network, INPUTS * columns, columns)
        for j in range(columns):
            others[j] = bias[j]
        _add_rows(x, WRISTS, INPUTS, p.network, others)
    for j in range(columns):
        y[j] = others[j]
    _add_rows(x, 0, WRISTS, p.network, y)
    at = BEFORE_LAYERS + 2 * columns
    start = (INPUTS + 1) * columns
    for layer in range(1, layers):
        _smooth(y)
        x = y
        columns = p.hidden[layer]
        y = view1(work, at, columns if layer < layers - 1 else wide)
        _layer(x, p.network, start, columns, y)
        at += columns
        start += (x.shape[0] + 1) * columns
    return y


@kernel
def place_posture(p, given, frame, x, q, values, out):
    """The figure's coordinates into ``out`` from the network's means x; what was not learned is as in q.

    frame: `find_frame` of what is given. values: receives the learned ones, inside the ranges of whole regions.
    """
    which = view1(given, 3 * (POINTS + DIRECTIONS), GROUPS)
    z = 2 * FEATURES
    for k in range(LEARNED):
        m = p.scaling[z + k] + p.scaling[z + LEARNED + k] * x[k]
        values[k] = min(max(m, p.scaling[z + 2 * LEARNED + k]), p.scaling[z + 3 * LEARNED + k])
    for j in range(q.shape[0]):
        out[j] = q[j]
    for t in range(p.index.shape[0]):
        out[p.index[t]] = p.share[t] * values[p.learned[t]]
    if p.body[LOCATION + 3] != 0.0 and which[LEFT_FOOT] + which[RIGHT_FOOT] + which[PELVIS] > 0.0:
        ox, oy, oz, heading, c, s = frame
        px = p.body[STATURE] * values[0]
        py = p.body[STATURE] * values[1]
        out[0] = ox + c * px - s * py - p.body[LOCATION]
        out[1] = oy + s * px + c * py - p.body[LOCATION + 1]
        out[2] = oz + p.body[STATURE] * values[2] - p.body[LOCATION + 2]
        out[3], out[4], out[5] = _composed(heading, values[3], values[4], values[5])
    _bring_in(out, p.ranges[0], p.ranges[1], p.starts, p.columns, p.values, p.row_lower, p.row_upper)


@kernel
def view_posture(
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
):
    """The arrays as views."""
    return Posture(
        view1(network, 0, network.shape[0]),
        view1(hidden, 0, hidden.shape[0]),
        view1(scaling, 0, scaling.shape[0]),
        view1(order, 0, order.shape[0]),
        view1(body, 0, body.shape[0]),
        view1(index, 0, index.shape[0]),
        view1(learned, 0, learned.shape[0]),
        view1(share, 0, share.shape[0]),
        view2(ranges, 0, 3, ranges.shape[1]),
        view1(starts, 0, starts.shape[0]),
        view1(columns, 0, columns.shape[0]),
        view1(values, 0, values.shape[0]),
        view1(row_lower, 0, row_lower.shape[0]),
        view1(row_upper, 0, row_upper.shape[0]),
    )


@kernel(
    entry="f4[:], i8[:], f8[:], i8[:], f8[:], i8[:], i8[:], f8[:], f8[:,:], i8[:], i8[:], f8[:], "
    "f8[:], f8[:], f8[:], i8, f8[:], f4[:], f8[:]"
)
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
    """The posture into ``out``: n values, n weights, the styles' chances; then the learned coordinates themselves.

    network: layers one behind the other, the first by rows (`_add_rows`), the others by columns (`_layer`), each with
        its bias behind it; hidden: their widths.
    scaling: shift and inverse scale of the features, mean and spread of the coordinates, their least and greatest.
    order: of the features among points and directions; then the group that each belongs to.
    index, learned, share: which coordinate takes which share of which learned one.
    ranges: lower, upper, weight of what was not learned; (3, n).
    starts, columns, values, row_lower, row_upper: the figure's linear constraints, row by row.
    given: points and directions in the world, then which groups are given.
    style: the number of one, or −1. q: the coordinates of what was not learned.
    """
    p = view_posture(
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
    )
    n = q.shape[0]
    asked = view1(given, 0, GIVEN)
    frame = find_frame(asked, view1(asked, 3 * (POINTS + DIRECTIONS), GROUPS))
    x = evaluate(p, asked, style, frame, view1(work, 0, work.shape[0]), 2 * LEARNED + STYLES, False)
    chances = view1(out, 2 * n, STYLES)
    place_posture(p, asked, frame, x, view1(q, 0, n), view1(out, 2 * n + STYLES, LEARNED), view1(out, 0, n))
    weight = view1(out, n, n)
    for j in range(n):
        weight[j] = p.ranges[2, j]
    elbow = p.body[ELBOW]
    for t in range(p.index.shape[0]):
        k = p.learned[t]
        precision = elbow / _spread(p, x, k)
        weight[p.index[t]] = precision * precision / p.share[t]
    if p.body[LOCATION + 3] != 0.0:
        for k in range(ROOT):
            precision = elbow / (_spread(p, x, k) * (p.body[STATURE] if k < 3 else 1.0))
            weight[k] = precision * precision
    most = -math.inf
    for k in range(STYLES):
        most = max(most, x[2 * LEARNED + k])
    total = 0.0
    for k in range(STYLES):
        e = math.exp(x[2 * LEARNED + k] - most)
        chances[k] = e
        total += e
    for k in range(STYLES):
        chances[k] /= total


@kernel
def _spread(p, x, k):
    """How much a learned coordinate spreads among people."""
    wide = p.scaling[2 * FEATURES + LEARNED + k]
    return wide * max(math.exp(min(max(x[LEARNED + k], -4.0), 2.0)), p.body[SUREST])
