"""Six joints, of which three neighbouring hinges anywhere in the chain meet in a point, or are parallel.

With these three as S, what comes before them as E and what comes behind as F, G = E S F. Three meeting axes leave
their point C where it is, three parallel ones the direction h and every height along it. So the other three joints
alone must satisfy, the chain read in a circle,

    F G⁻¹ E C = C    or    R_F Rᵀ R_E h = h,  h·(F G⁻¹ E O − O) = 0.

In F and G⁻¹ E G they are three joints a, b, c with lines (O, h) in one frame. Point: with y = C and x = G⁻¹ C,
w = a⁻¹ y, v = c x, the joint b brings v to w if

    h_b·w = h_b·v,    ‖w − O_b‖² = ‖v − O_b‖²    (a slide b: w and v alike in two directions across h_b).

Direction: with k = Rᵀ h, w = R_aᵀ h, z = R_c k, and what slides move along h added,

    h_b·w = h_b·z,    w·(O_b − O_a) + z·(O_c − O_b) + k·(x − O_c) + h·O_a = h·O    (x = G⁻¹ O).

Either way two equations, linear on the curves of joints a and c (`curves`). Then S = E⁻¹ G F⁻¹ is three turns
(`six_axis`), or a triangle of two links in the plane across h and the turn that is left. Lengths are parts of the
arm's size and of the target's distance.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.circle_roots import SNAP
from manikin.kernels.math.vector import (
    applied,
    applied_back,
    combined,
    cross,
    difference,
    dot,
    scaled,
    transposed,
    vector,
)
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.six_axis.curves import curve_roots
from manikin.kernels.six_axis.six_axis import (
    AXES,
    BEND,
    CENTER,
    EDGE,
    FIRST,
    FORE,
    KIND,
    PLANE,
    SIGNS,
    SIZE,
    SLIDES,
    SPHERE,
    TURNS,
    UPPER,
    WAYS,
    aligning_turn,
    spun,
    spun_back,
    swings,
    three_turns,
)

# Columns of a line: a point, the direction.
_POINT, _ALONG = 0, 3


@kernel
def _write_lines(spec, r, p, unit, lines):
    """Joints a, b, c: those behind the three as they are, then those before them, G⁻¹ brought to the same frame."""
    first = int(spec[FIRST])
    o = (0.0, 0.0, 0.0)
    for j in range(6):
        o = combined(o, 1.0, vector(spec, WAYS + 3 * j), 1.0)
        if first <= j < first + 3:
            continue
        h = vector(spec, AXES + 3 * j)
        at = o
        i = j - first - 3
        if j < first:
            i += 6
            at = applied_back(r, difference(o, p))
            h = applied_back(r, h)
        for k in range(3):
            lines[i, _POINT + k] = at[k] * unit
            lines[i, _ALONG + k] = h[k]


@kernel
def _row(lines, i, at):
    return (lines[i, at], lines[i, at + 1], lines[i, at + 2])


@kernel
def _moved(o, h, x, slides, side):
    """x as joint makes it, P₀ + u₀ P₁ + u₁ P₂ on its curve; with side −1 by the joint's inverse."""
    none = (0.0, 0.0, 0.0)
    if slides:
        return x, scaled(h, side), none
    away = difference(x, o)
    along = scaled(h, dot(h, away))
    flat = difference(away, along)
    return combined(o, 1.0, along, 1.0), flat, scaled(cross(h, flat), side)


@kernel
def _at(path, u0, u1):
    """A point or direction of a path."""
    return combined(combined(path[0], 1.0, path[1], u0), 1.0, path[2], u1)


@kernel
def _square(path, o, slides):
    """Half of ‖P − o‖² as numbers (f0, f1, f2) on the curve."""
    away = difference(path[0], o)
    own = dot(path[1], path[1])
    if slides:
        return (0.5 * dot(away, away), dot(away, path[1]), 0.5 * own)
    return (0.5 * (dot(away, away) + own), dot(away, path[1]), dot(away, path[2]))


@kernel
def _alike(n, one, two):
    """n·one = n·two as an equation of two paths."""
    return (
        dot(n, one[1]),
        dot(n, one[2]),
        -dot(n, two[1]),
        -dot(n, two[2]),
        dot(n, difference(two[0], one[0])),
    )


@kernel
def _across(h):
    """Two unit vectors at right angles to h and each other."""
    least = min(abs(h[0]), min(abs(h[1]), abs(h[2])))
    e = (0.0, 0.0, 1.0)
    if abs(h[0]) == least:
        e = (1.0, 0.0, 0.0)
    elif abs(h[1]) == least:
        e = (0.0, 1.0, 0.0)
    n = cross(h, e)
    n = scaled(n, 1.0 / math.sqrt(dot(n, n)))
    return n, cross(h, n)


@kernel
def _curve_angle(value, unit, slides):
    """The angle of a curve at an axis value."""
    return 2.0 * math.atan(value * unit) if slides else value


@kernel
def _turn_or_way(u0, u1, slides, unit):
    """An axis value from a point of its curve."""
    return u0 / unit if slides else atan2(u1, u0)


@kernel
def three_rows(spec, r, p, near, out):
    """All rows of a chain with three hinges that meet or are parallel; returns how many."""
    first = int(spec[FIRST])
    unit = 1.0 / (spec[SIZE] + math.sqrt(dot(p, p)))
    lines = stack2(3, 6)
    _write_lines(spec, r, p, unit, lines)
    joint = (first + 3) % 6, (first + 4) % 6, (first + 5) % 6
    slides = (spec[SLIDES + joint[0]] != 0.0, spec[SLIDES + joint[1]] != 0.0, spec[SLIDES + joint[2]] != 0.0)
    oa = _row(lines, 0, _POINT)
    ob = _row(lines, 1, _POINT)
    oc = _row(lines, 2, _POINT)
    ha = _row(lines, 0, _ALONG)
    hb = _row(lines, 1, _ALONG)
    hc = _row(lines, 2, _ALONG)
    center = vector(spec, CENTER)
    away = applied_back(r, scaled(difference(center, p), unit))
    center = scaled(center, unit)
    none = (0.0, 0.0, 0.0)
    height = 0.0
    lift = 0.0
    drop = 0.0
    h = vector(spec, AXES + 3 * first)
    if spec[KIND] == SPHERE:
        w = _moved(oa, ha, center, slides[0], -1.0)
        v = _moved(oc, hc, away, slides[2], 1.0)
        if slides[1]:
            n, m = _across(hb)
            e = _alike(n, w, v)
            f = _alike(m, w, v)
        else:
            e = _alike(hb, w, v)
            one = _square(w, ob, slides[0])
            two = _square(v, ob, slides[2])
            f = (one[1], one[2], -two[1], -two[2], two[0] - one[0])
    else:
        k = applied_back(r, h)
        w = (h, none, none) if slides[0] else _moved(none, ha, h, False, -1.0)
        v = (k, none, none) if slides[2] else _moved(none, hc, k, False, 1.0)
        lift = dot(h, ha) if slides[0] else 0.0
        drop = dot(k, hc) if slides[2] else 0.0
        ab = difference(ob, oa)
        bc = difference(oc, ob)
        height = dot(h, center) - dot(h, oa) - dot(k, difference(away, oc))
        if slides[1]:
            e = (0.0, 0.0, dot(ha, v[1]), dot(ha, v[2]), dot(ha, difference(h, v[0])))
            f = (dot(hc, w[1]), dot(hc, w[2]), 0.0, 0.0, dot(hc, difference(k, w[0])))
        else:
            e = _alike(hb, w, v)
            f = (
                dot(ab, w[1]) + lift,
                dot(ab, w[2]),
                dot(bc, v[1]) + drop,
                dot(bc, v[2]),
                height - dot(ab, w[0]) - dot(bc, v[0]),
            )
    found = stack2(4, 4)
    row = stack1(6)
    angles = (_curve_angle(near[joint[0]], unit, slides[0]), _curve_angle(near[joint[2]], unit, slides[2]))
    total = curve_roots(e, f, (slides[0], slides[2]), angles, spec[EDGE], found)
    count = 0
    for i in range(total):
        ws = _at(w, found[i, 0], found[i, 1])
        vs = _at(v, found[i, 2], found[i, 3])
        if spec[KIND] == SPHERE:
            if slides[1]:
                b0 = dot(hb, difference(ws, vs))
                b1 = 0.0
            else:
                b0, b1 = aligning_turn(hb, difference(vs, ob), difference(ws, ob), near[joint[1]])
        elif slides[1]:
            # The roots are of both curves alone, so that half the pairs do not belong together.
            c, s = aligning_turn(ha, vs, h, near[joint[0]])
            found[i, 0] = c
            found[i, 1] = s
            ws = _at(w, c, s)
            rise = dot(ws, hb)
            if not abs(rise) > 0.0:
                continue
            b0 = (height - dot(difference(ob, oa), ws) - dot(difference(oc, ob), vs)) / rise
            b1 = 0.0
        else:
            b0, b1 = aligning_turn(hb, vs, ws, near[joint[1]])
        row[joint[0]] = _turn_or_way(found[i, 0], found[i, 1], slides[0], unit)
        row[joint[1]] = _turn_or_way(b0, b1, slides[1], unit)
        row[joint[2]] = _turn_or_way(found[i, 2], found[i, 3], slides[2], unit)
        if spec[KIND] == SPHERE:
            count = _add_turns(spec, r, row, near, out, count)
        else:
            count = _add_triangle(spec, r, p, row, near, out, count)
    return count


@kernel
def _left_over(spec, r, p, row):
    """S = E⁻¹ G F⁻¹, a turn and where it brings the origin, from the other joints' values."""
    first = int(spec[FIRST])
    o = (0.0, 0.0, 0.0)
    turn = r
    at = p
    for j in range(first):
        o = combined(o, 1.0, vector(spec, WAYS + 3 * j), 1.0)
        h = vector(spec, AXES + 3 * j)
        if spec[SLIDES + j] != 0.0:
            at = combined(at, 1.0, h, -row[j])
            continue
        s, c = sincos(row[j])
        turn = spun_back(h, c, s, turn)
        at = combined(o, 1.0, spun(h, c, -s, difference(at, o)), 1.0)
    # The points of the axes behind, from the last.
    o = (0.0, 0.0, 0.0)
    back = transposed(turn)
    for j in range(5, first + 2, -1):
        o = difference(o, vector(spec, WAYS + 3 * j + 3))
        h = vector(spec, AXES + 3 * j)
        if spec[SLIDES + j] != 0.0:
            at = combined(at, 1.0, applied_back(back, h), -row[j])
            continue
        s, c = sincos(row[j])
        # T e⁻¹: the origin goes first where e⁻¹ brings it.
        at = combined(at, 1.0, applied_back(back, difference(o, spun(h, c, -s, o))), 1.0)
        back = spun_back(h, c, -s, back)
    return transposed(back), at


@kernel
def _add_row(row, first, a, b, c, out, count):
    for j in range(6):
        out[count, j] = row[j]
    out[count, first] = a
    out[count, first + 1] = b
    out[count, first + 2] = c
    return count + 1


@kernel
def _add_turns(spec, r, row, near, out, count):
    """Add the two ways in which three meeting axes make what is left; returns how many rows there are."""
    first = int(spec[FIRST])
    q, _ = _left_over(spec, r, (0.0, 0.0, 0.0), row)
    u = applied_back(q, vector(spec, TURNS))
    ok, sine, cosine = swings(spec, u)
    if not ok:
        return count
    for _ in range(2):
        turn = three_turns(spec, q, u, cosine, sine, near[first + 2])
        a = atan2(turn[1], turn[0])
        b = atan2(turn[3], turn[2])
        c = atan2(turn[5], turn[4])
        count = _add_row(row, first, a, b, c, out, count)
        cosine = -cosine
    return count


@kernel
def _add_triangle(spec, r, p, row, near, out, count):
    """Add the two triangles by which three parallel axes make what is left; returns how many rows there are."""
    first = int(spec[FIRST])
    q, at = _left_over(spec, r, p, row)
    e1 = vector(spec, PLANE)
    e2 = vector(spec, PLANE + 3)
    center = vector(spec, CENTER)
    last = center
    for j in range(2):
        last = combined(last, 1.0, vector(spec, WAYS + 3 * (first + 1 + j)), 1.0)
    way = difference(combined(at, 1.0, applied(q, last), 1.0), center)
    x = dot(e1, way)
    y = dot(e2, way)
    image = applied(q, e1)
    total = atan2(dot(e2, image), dot(e1, image))
    upper = spec[UPPER]
    fore = spec[FORE]
    square = x * x + y * y
    far = (upper + fore) ** 2 - square
    close = square - (upper - fore) ** 2
    slack = spec[EDGE] * spec[SIZE] * (upper + fore)
    if not (far > -slack and close > -slack):
        return count
    over = 0.5 / (upper * fore)
    cosine = min(1.0, max(-1.0, (square - upper * upper - fore * fore) * over))
    sine = math.sqrt(max(0.0, far) * max(0.0, close)) * over
    if sine < SNAP:
        sine = 0.0
    for _ in range(2):
        a = upper + fore * cosine
        b = fore * sine
        one = atan2(y * a - x * b, x * a + y * b)
        if square < 1e-26 * spec[SIZE] * spec[SIZE]:
            one = near[first]
        two = atan2(sine, cosine) - spec[BEND]
        count = _add_row(
            row, first, one, spec[SIGNS] * two, spec[SIGNS + 1] * (total - one - two), out, count
        )
        sine = -sine
    return count
