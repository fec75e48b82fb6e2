"""The network of `figure.human.natural`, evaluated, and its coordinates as a figure's.

Features in the frame of the feet, two hidden layers, the 32 coordinates shared out to the figure's own, the root placed
in the world, everything inside ranges and linear rows: some 2 µs, of which 1 is the second layer, 98 kB of numbers.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.sections import Layout
from manikin.kernels.memory.views import view1, view2

#: Sizes: points and directions that may be given, groups, features, inputs, styles, learned coordinates.
POINTS, DIRECTIONS, GROUPS, FEATURES, INPUTS, STYLES, LEARNED = 6, 7, 8, 39, 52, 5, 32
#: Some of the points, of the directions and of the groups; the root's six learned coordinates come first.
LEFT_ANKLE, RIGHT_ANKLE, HEAD_POINT = 2, 3, 4
LEFT_FORWARD, RIGHT_FORWARD, GAZE, FORWARD = 0, 2, 4, 5
LEFT_FOOT, RIGHT_FOOT, HEAD, GAZING, PELVIS, FACING = 2, 3, 4, 5, 6, 7
_ROOT = 6
#: A coordinate whose spread is less than this, in units of its spread over everything, counts as no surer; and what an
#: elbow spreads by, radians, whose weight is 1.
_SUREST, _ELBOW = 0.05, 0.525
_ROUNDS = 3
_NO_HEADING = 0.05
#: Numbers of what is given: points, directions, which groups are.
GIVEN = 3 * (POINTS + DIRECTIONS) + GROUPS
#: The features of both wrists come first: what a dragged hand changes.
WRISTS = 6
#: Numbers of a workspace before those of the layers: inputs, and as many as keep what follows aligned.
BEFORE_LAYERS = 64
#: Of the frame of the feet: origin, heading, its cosine and sine.
FRAME = 6

_LAYOUT = Layout("S R", "layers dofs shares rows entries")
#: The network but for its weights, and the figure that it is for. ``feature`` and ``group``: where the features lie
#: among points and directions, and which group must be given. ``index learned share``: which coordinate takes which
#: share of which learned one, whose ``least`` and ``most`` are those of whole regions. ``weight``: of what was not
#: learned. ``begin column coefficient``: the figure's linear rows. ``location``: the root's at rest.
Posture, view_posture = _LAYOUT.tuple_of(
    "Posture",
    S=f"free_root ()  width (layers)  feature group ({FEATURES})  index learned (shares)  begin (rows + 1)  "
    "column (entries)",
    R=f"stature ()  location (3)  shift scale ({FEATURES})  mean spread least most ({LEARNED})  share (shares)  "
    "lower upper weight (dofs)  coefficient (entries)  row_lower row_upper (rows)",
)
allocate, sections = _LAYOUT.allocate, _LAYOUT.sections
#: What is given, as numbers in a row, and as points, directions and which groups are.
Given = namedtuple("Given", "numbers points directions which")
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
def view_given(numbers):
    """What is given, as views."""
    return Given(
        view1(numbers, 0, GIVEN),
        view2(numbers, 0, POINTS, 3),
        view2(numbers, 3 * POINTS, DIRECTIONS, 3),
        view1(numbers, 3 * (POINTS + DIRECTIONS), GROUPS),
    )


@kernel
def find_frame(given, frame):
    """Origin and heading of the feet that are given, of both where none is, or both are; cosine and sine of it."""
    left = given.which[LEFT_FOOT] != 0.0
    right = given.which[RIGHT_FOOT] != 0.0
    a = 1.0 if left or not right else 0.0
    b = 1.0 if right or not left else 0.0
    s = 1.0 / (a + b)
    one = given.points[LEFT_ANKLE]
    other = given.points[RIGHT_ANKLE]
    for c in range(3):
        frame[c] = s * (a * one[c] + b * other[c])
    one = given.directions[LEFT_FORWARD]
    other = given.directions[RIGHT_FORWARD]
    u = a * one[0] + b * other[0]
    v = a * one[1] + b * other[1]
    if a * b != 0.0 and u * u + v * v < _NO_HEADING:  # feet the opposite way, or on their toes
        u = one[0]
        v = one[1]
    heading = math.atan2(v, u)
    frame[3] = heading
    frame[4] = math.cos(heading)
    frame[5] = math.sin(heading)


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
def _move_inside(p, q):
    """q into its ranges and, by the shortest way for each in turn, into linear rows."""
    for j in range(q.shape[0]):
        q[j] = min(max(q[j], p.lower[j]), p.upper[j])
    for _ in range(_ROUNDS):
        worst = 0.0
        for r in range(p.row_lower.shape[0]):
            s = 0.0
            square = 0.0
            for t in range(p.begin[r], p.begin[r + 1]):
                s += p.coefficient[t] * q[p.column[t]]
                square += p.coefficient[t] * p.coefficient[t]
            off = min(max(s, p.row_lower[r]), p.row_upper[r]) - s
            if off == 0.0 or square == 0.0:
                continue
            worst = max(worst, abs(off))
            f = off * (1.0 + 1e-9) / square
            for t in range(p.begin[r], p.begin[r + 1]):
                j = p.column[t]
                q[j] = min(max(q[j] + f * p.coefficient[t], p.lower[j]), p.upper[j])
        if worst <= 1e-12:
            break


@kernel
def _features(p, given, frame, past, x):
    """The network's first ``past`` inputs: what is given, in the frame of the feet and in units of its spread."""
    c = frame[4]
    s = frame[5]
    inverse = 1.0 / p.stature
    for f in range(past):
        k = p.feature[f]
        x[f] = 0.0
        if given.which[p.group[f]] == 0.0:
            continue
        axis = k % 3
        first = k - axis
        u = given.numbers[first]
        v = given.numbers[first + 1]
        w = given.numbers[first + 2]
        unit = 1.0
        if first < 3 * POINTS:
            u -= frame[0]
            v -= frame[1]
            w -= frame[2]
            unit = inverse
        value = c * u + s * v if axis == 0 else (c * v - s * u if axis == 1 else w)
        x[f] = (unit * value - p.shift[f]) * p.scale[f]


@kernel
def evaluate(p, weights, given, style, frame, work, wide, known):
    """The first ``wide`` numbers that the network gives for what is given: means, log spreads, the styles' chances.

    weights: layers one behind the other, the first by rows (`_add_rows`), the others by columns (`_layer`), each with
        its bias behind it.
    style: the number of one, or −1. frame: `find_frame` of what is given.
    known: whether the last evaluation in this workspace was told the same but for where the wrists are. Then what all
        else makes of the first layer is still there: its sums have the wrists last, so that the answer is the same to
        the last bit.
    """
    x = view1(work, 0, INPUTS)
    layers = p.width.shape[0]
    if layers == 0:
        return x
    columns = p.width[0]
    others = view1(work, BEFORE_LAYERS, columns)
    y = view1(work, BEFORE_LAYERS + columns, columns)
    _features(p, given, frame, WRISTS if known else FEATURES, x)
    if not known:
        for g in range(GROUPS):
            x[FEATURES + g] = given.which[g]
        for k in range(STYLES):
            x[FEATURES + GROUPS + k] = 1.0 if k == style else 0.0
        bias = view1(weights, INPUTS * columns, columns)
        for j in range(columns):
            others[j] = bias[j]
        _add_rows(x, WRISTS, INPUTS, weights, others)
    for j in range(columns):
        y[j] = others[j]
    _add_rows(x, 0, WRISTS, weights, y)
    at = BEFORE_LAYERS + 2 * columns
    start = (INPUTS + 1) * columns
    for layer in range(1, layers):
        _smooth(y)
        x = y
        columns = p.width[layer]
        y = view1(work, at, columns if layer < layers - 1 else wide)
        _layer(x, weights, start, columns, y)
        at += columns
        start += (x.shape[0] + 1) * columns
    return y


@kernel
def place_posture(p, given, frame, x, q, values, out):
    """The figure's coordinates into ``out`` from the network's means x; what was not learned is as in q.

    frame: `find_frame` of what is given. values: receives the learned ones, inside the ranges of whole regions.
    """
    which = given.which
    for k in range(LEARNED):
        values[k] = min(max(p.mean[k] + p.spread[k] * x[k], p.least[k]), p.most[k])
    for j in range(q.shape[0]):
        out[j] = q[j]
    for t in range(p.index.shape[0]):
        out[p.index[t]] = p.share[t] * values[p.learned[t]]
    if p.free_root != 0 and which[LEFT_FOOT] + which[RIGHT_FOOT] + which[PELVIS] > 0.0:
        c = frame[4]
        s = frame[5]
        x0 = p.stature * values[0]
        x1 = p.stature * values[1]
        out[0] = frame[0] + c * x0 - s * x1 - p.location[0]
        out[1] = frame[1] + s * x0 + c * x1 - p.location[1]
        out[2] = frame[2] + p.stature * values[2] - p.location[2]
        out[3], out[4], out[5] = _composed(frame[3], values[3], values[4], values[5])
    _move_inside(p, out)


@kernel
def _precision(p, x, k, unit):
    """How little a learned coordinate spreads among people, in units of an elbow; squared."""
    wide = p.spread[k] * max(math.exp(min(max(x[LEARNED + k], -4.0), 2.0)), _SUREST)
    precision = _ELBOW / (wide * unit)
    return precision * precision


@kernel(entry="i8[:], f8[:], f4[:], f8[:], i8, f8[:], f4[:], f8[:]")
def prefer(S, R, weights, given, style, q, work, out):
    """The posture into ``out``: n values, n weights, the styles' chances; then the learned coordinates themselves, and
    the frame of the feet.

    S, R: as of `Posture`. weights, style: as of `evaluate`. given: as of `view_given`, in the world.
    q: the coordinates of what was not learned. work: BEFORE_LAYERS numbers, the first layer twice, the others.
    """
    p = view_posture(S, R)
    n = q.shape[0]
    asked = view_given(given)
    chances = view1(out, 2 * n, STYLES)
    values = view1(out, 2 * n + STYLES, LEARNED)
    frame = view1(out, 2 * n + STYLES + LEARNED, FRAME)
    find_frame(asked, frame)
    x = evaluate(p, weights, asked, style, frame, view1(work, 0, work.shape[0]), 2 * LEARNED + STYLES, False)
    place_posture(p, asked, frame, x, view1(q, 0, n), values, view1(out, 0, n))
    weight = view1(out, n, n)
    for j in range(n):
        weight[j] = p.weight[j]
    for t in range(p.index.shape[0]):
        weight[p.index[t]] = _precision(p, x, p.learned[t], 1.0) / p.share[t]
    if p.free_root != 0:
        for k in range(_ROOT):
            weight[k] = _precision(p, x, k, p.stature if k < 3 else 1.0)
    most = -math.inf
    for k in range(STYLES):
        most = max(most, x[2 * LEARNED + k])
    total = 0.0
    for k in range(STYLES):
        chances[k] = math.exp(x[2 * LEARNED + k] - most)
        total += chances[k]
    for k in range(STYLES):
        chances[k] /= total
