"""Six hinges, of which the last three meet in Z: most other industrial arms.

Let a n be the perpendicular from axis 1 to axis 2, from A to O₂, m = h₂ × n, h₁ = cos α h₂ + sin α m, and
v(q₃) = (O₃ − O₂) + R₃ (Z − O₃), of which |v|² and h₂·v are forms of q₃ (`circle_roots`). p = R₁ (a n + R₂ v) says for
X = n·R₂v and Y = m·R₂v

    |p|² = a² + |v|² + 2 a X,    h₁·p = cos α h₂·v + sin α Y,    X² + Y² = |v|² − (h₂·v)²,
    |h₁ × p|² = (a + X)² + ((cos α h₁·p − h₂·v) / sin α)².

- 2 ∥ 3 (`PLAIN`): h₂·v does not depend on q₃, so Y is known, the last gives two X, and |v|² two q₃ for each.
- Axes 1 and 2 meet (`MEETING`): a = 0, |v|² = |p|² gives two q₃, the last two X; a tiny a is accounted for in rounds.
- 1 ∥ 2 (`UPRIGHT`): h₁·p = ±h₂·v gives two q₃, the first X, the third two Y.
- Otherwise (`GENERAL`) the first three make an equation in q₃ alone with up to four roots:

    sin²α (|p|² − a² − |v|²)² + 4a² (h₁·p − cos α h₂·v)² = 4a² sin²α (|v|² − (h₂·v)²).

Then q₂ turns v's part across h₂ to (X, Y), q₁ turns a n + R₂v to p, and R₄ R₅ R₆ are three turns.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.circle_roots import SNAP, angle_roots, form_at, square_roots
from manikin.kernels.math.vector import applied_back, combined, cross, dot, vector
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.six_axis.six_axis import (
    ALONG,
    ARM,
    ARM_COS,
    ARM_M,
    ARM_N,
    ARM_SIN,
    AXES,
    EDGE,
    FREE,
    HAND,
    LINK,
    MEETING,
    PLAIN,
    ROUNDS,
    SIZE,
    SQUARE,
    TURNS,
    UPRIGHT,
    WAY,
    aligning_turn,
    put_turn,
    spun,
    spun_back,
    swings,
    three_turns,
    to_angles,
)


@kernel
def _put(out, count, c, s, x, y):
    out[count, 0] = c
    out[count, 1] = s
    out[count, 2] = x
    out[count, 3] = y
    return count + 1


@kernel
def _root(left, aside):
    """√left of what is left of a difference; nothing where that is as small as the rounding of what was taken away."""
    return math.sqrt(left) if left > SNAP * SNAP * aside else 0.0


@kernel
def _plain_arm(spec, p, near, out):
    """Rows (cos q₃, sin q₃, X, Y) of an arm whose axes 2 and 3 are parallel; returns how many."""
    ca = spec[ARM_COS]
    over = 1.0 / spec[ARM_SIN]
    square = vector(spec, SQUARE)
    along = spec[ALONG]
    h1 = vector(spec, AXES)
    hp = dot(h1, p)
    w = cross(h1, p)
    slack = spec[EDGE] * spec[SIZE] * spec[SIZE]
    aside = ((ca * hp - along) * over) ** 2
    left = dot(w, w) - aside
    if not left > -slack:
        return 0
    left = _root(left, aside)
    y = (hp - ca * along) * over
    roots = stack2(4, 2)
    count = 0
    for _ in range(2):
        x = left - spec[ARM]
        form = (square[0] - x * x - y * y - along * along, square[1], square[2])
        total = angle_roots(form, slack, FREE * spec[SIZE] * spec[SIZE], near[2], roots)
        for i in range(total):
            count = _put(out, count, roots[i, 0], roots[i, 1], x, y)
        left = -left
    return count


@kernel
def _meeting_arm(spec, p, near, out):
    """Rows (cos q₃, sin q₃, X, Y) of an arm whose axes 1 and 2 meet, or nearly: |v|² = |p|² − a² − 2aX in rounds."""
    a = spec[ARM]
    ca = spec[ARM_COS]
    over = 1.0 / spec[ARM_SIN]
    f = vector(spec, SQUARE)
    g = vector(spec, ALONG)
    h1 = vector(spec, AXES)
    hp = dot(h1, p)
    w = cross(h1, p)
    around = dot(w, w)
    rest = f[0] - dot(p, p) + a * a
    size = spec[SIZE] * spec[SIZE]
    slack = spec[EDGE] * size
    roots = stack2(4, 2)
    count = 0
    for i in range(2):
        for side in range(2):
            x = 0.0
            hv = 0.0
            ok = True
            for _ in range(int(spec[ROUNDS])):
                form = (rest + 2.0 * a * x, f[1], f[2])
                ok = i < angle_roots(form, slack, FREE * size, near[2], roots)
                if not ok:
                    break
                hv = form_at(g, roots[i, 0], roots[i, 1])
                aside = ((ca * hp - hv) * over) ** 2
                ok = around - aside > -slack
                if not ok:
                    break
                x = _root(around - aside, aside) - a
                x = -x - 2.0 * a if side == 1 else x
            if ok:
                count = _put(out, count, roots[i, 0], roots[i, 1], x, (hp - ca * hv) * over)
    return count


@kernel
def _upright_arm(spec, p, near, out):
    """Rows (cos q₃, sin q₃, X, Y) of an arm whose axes 1 and 2 are parallel; returns how many."""
    a = spec[ARM]
    g = vector(spec, ALONG)
    size = spec[SIZE]
    slack = spec[EDGE] * size
    roots = stack2(4, 2)
    form = (g[0] - spec[ARM_COS] * dot(vector(spec, AXES), p), g[1], g[2])
    total = angle_roots(form, slack, FREE * size, near[2], roots)
    count = 0
    for i in range(total):
        c = roots[i, 0]
        s = roots[i, 1]
        hv = form_at(g, c, s)
        vv = form_at(vector(spec, SQUARE), c, s)
        x = (dot(p, p) - a * a - vv) / (2.0 * a)
        left = vv - hv * hv - x * x
        if left > -slack * size:
            y = _root(left, x * x)
            count = _put(out, _put(out, count, c, s, x, y), c, s, x, -y)
    return count


@kernel
def _general_arm(spec, p, near, out):
    """Rows (cos q₃, sin q₃, X, Y) of an arm whose axes have nothing in common; returns how many."""
    a = spec[ARM]
    ca = spec[ARM_COS]
    sa = spec[ARM_SIN]
    f = vector(spec, SQUARE)
    g = vector(spec, ALONG)
    hp = dot(vector(spec, AXES), p)
    one = (dot(p, p) - a * a - f[0], -f[1], -f[2])
    two = (hp - ca * g[0], -ca * g[1], -ca * g[2])
    weight = 4.0 * a * a * sa * sa
    rest = (-weight * f[0], -weight * f[1], -weight * f[2])
    roots = stack2(4, 2)
    total = square_roots((one, two, g, rest), (sa * sa, 4.0 * a * a, weight), near[2], roots)
    for i in range(total):
        c = roots[i, 0]
        s = roots[i, 1]
        _put(out, i, c, s, form_at(one, c, s) / (2.0 * a), form_at(two, c, s) / sa)
    return total


@kernel
def _arms(spec, p, near, out):
    """Rows (cos q₃, sin q₃, X, Y); returns how many."""
    way = spec[WAY]
    if way == PLAIN:
        return _plain_arm(spec, p, near, out)
    if way == MEETING:
        return _meeting_arm(spec, p, near, out)
    if way == UPRIGHT:
        return _upright_arm(spec, p, near, out)
    return _general_arm(spec, p, near, out)


@kernel
def wrist_rows(spec, r, p, near, out):
    """All rows of a chain whose last three axes meet; returns how many."""
    h1 = vector(spec, AXES)
    h2 = vector(spec, AXES + 3)
    h3 = vector(spec, AXES + 6)
    n = vector(spec, ARM_N)
    m = vector(spec, ARM_M)
    arms = stack2(4, 4)
    sines = stack1(48)
    cosines = stack1(48)
    total = _arms(spec, p, near, arms)
    count = 0
    for i in range(total):
        c3 = arms[i, 0]
        s3 = arms[i, 1]
        x = arms[i, 2]
        y = arms[i, 3]
        v = combined(vector(spec, LINK), 1.0, spun(h3, c3, s3, vector(spec, HAND)), 1.0)
        vn = dot(v, n)
        vm = dot(v, m)
        c2 = vn * x + vm * y
        s2 = vn * y - vm * x
        size = math.sqrt(c2 * c2 + s2 * s2)
        if size < 1e-24 * spec[SIZE] * spec[SIZE]:
            s2, c2 = sincos(near[1])
        else:
            c2 /= size
            s2 /= size
        c1, s1 = aligning_turn(h1, combined(n, spec[ARM], spun(h2, c2, s2, v), 1.0), p, near[0])
        q = spun_back(h3, c3, s3, spun_back(h2, c2, s2, spun_back(h1, c1, s1, r)))
        u = applied_back(q, vector(spec, TURNS))
        ok, sine, cosine = swings(spec, u)
        if not ok:
            continue
        for _ in range(2):
            turn = three_turns(spec, q, u, cosine, sine, near[5])
            k = 6 * count
            put_turn(sines, cosines, k, c1, s1)
            put_turn(sines, cosines, k + 1, c2, s2)
            put_turn(sines, cosines, k + 2, c3, s3)
            put_turn(sines, cosines, k + 3, turn[0], turn[1])
            put_turn(sines, cosines, k + 4, turn[2], turn[3])
            put_turn(sines, cosines, k + 5, turn[4], turn[5])
            count += 1
            cosine = -cosine
    to_angles(sines, cosines, 6 * count)
    for i in range(count):
        for j in range(6):
            out[i, j] = sines[6 * i + j]
    return count
