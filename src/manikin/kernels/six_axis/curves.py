"""Two linear equations between the curves of two joints: where two conics meet.

A joint's *curve* is u = (cos q, sin q) of a hinge and u = (q, q²) of a slide. For two joints with curves u and v,

    a·u + b·v = c,    a'·u + b'·v = c'

have up to four solutions. A linear function of a curve is a form of an angle θ (`circle_roots`): of a hinge's own, and
of a slide's by q = tan(θ/2), after multiplication with cos²(θ/2). With A = [a; a'], u = A⁻¹(c − B v), and u's conic,

    u₀² + u₁² = 1    or    u₁ = u₀²,

is a sum of squared forms of v's angle. Where A is singular, or nearly, the equation that is free of u has two roots v,
and the other two roots u for each; what is left of u in the first is accounted for in rounds. Likewise where B is. If
both equations say the same, one joint stays where it is and the other follows from it.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.circle_roots import angle_roots, form_at, square_roots
from manikin.kernels.memory.stack import stack2

# A matrix whose smaller singular value is below this part of the other joint's share is solved as if it were singular.
_SINGULAR = 3e-5
# What need not be accounted for, equations that say the same, and rounds that account for more.
_NOTHING = 1e-13
_DEPENDENT = 1e-12
_ROUNDS = 8
# A form that varies by less says nothing of its angle.
_FREE = 1e-13
# A slide's angle this near to half a turn is a root at infinity.
_FAR = 1e-7


@kernel
def curve_form(f0, f1, f2, slides):
    """f0 + f1 u₀ + f2 u₁ as a form of the curve's angle."""
    if slides:
        return (0.5 * (f0 + f2), 0.5 * (f0 - f2), 0.5 * f1)
    return (f0, f1, f2)


@kernel
def _point(c, s, slides):
    """Whether an angle is a point of the curve, and u₀, u₁."""
    if not slides:
        return True, c, s
    if c > -0.5:
        t = s / (1.0 + c)
        return True, t, t * t
    if abs(s) < _FAR:
        return False, 0.0, 0.0
    t = (1.0 - c) / s
    return True, t, t * t


@kernel
def _split(a, b):
    """Unit rows (major, minor) of the plane: the left singular vectors of the matrix with rows a and b."""
    p = a[0] * a[0] + a[1] * a[1]
    r = b[0] * b[0] + b[1] * b[1]
    q = a[0] * b[0] + a[1] * b[1]
    return _half(0.5 * (p - r), q)


@kernel
def _half(x, q):
    """Cosine and sine of half the angle of (x, q)."""
    size = math.sqrt(x * x + q * q)
    if not size > 0.0:
        return 1.0, 0.0
    if x >= 0.0:
        c = math.sqrt(0.5 * (1.0 + x / size))
        return c, 0.5 * q / (size * c)
    s = math.sqrt(0.5 * (1.0 - x / size))
    return 0.5 * q / (size * s), s


@kernel
def _mixed(e, x, f, y):
    """x times equation e and y times equation f."""
    return (
        x * e[0] + y * f[0],
        x * e[1] + y * f[1],
        x * e[2] + y * f[2],
        x * e[3] + y * f[3],
        x * e[4] + y * f[4],
    )


@kernel
def _swapped(e):
    return (e[2], e[3], e[0], e[1], e[4])


@kernel
def _ratio(e, f):
    """How far the first joint's matrix is from singular: what is left of u in the equation freest of it, by v's share.

    Returns that equation and the other too.
    """
    c, s = _split((e[0], e[1]), (f[0], f[1]))
    if math.hypot(c * e[0] + s * f[0], c * e[1] + s * f[1]) < _NOTHING:
        # u is in neither: the equation that says most of v.
        s, c = _split((e[2], e[3]), (f[2], f[3]))
        s = -s
    minor = _mixed(e, -s, f, c)
    major = _mixed(e, c, f, s)
    left = math.hypot(minor[0], minor[1])
    share = math.hypot(minor[2], minor[3])
    ratio = left / share if share > _NOTHING else math.inf
    return ratio, minor, major


@kernel
def _one_by_one(minor, major, slides, near, slack, swap, rounds, out):
    """The rows of equations of which the first is all but free of u; returns how many."""
    roots = stack2(2, 2)
    count = 0
    for i in range(2):
        for k in range(2):
            u0 = 0.0
            u1 = 0.0
            v0 = 0.0
            v1 = 0.0
            ok = True
            for _ in range(rounds):
                rest = minor[0] * u0 + minor[1] * u1 - minor[4]
                form = curve_form(rest, minor[2], minor[3], slides[1])
                ok = i < angle_roots(form, slack, _FREE, near[1], roots)
                if ok:
                    ok, v0, v1 = _point(roots[i, 0], roots[i, 1], slides[1])
                if not ok:
                    break
                rest = major[2] * v0 + major[3] * v1 - major[4]
                form = curve_form(rest, major[0], major[1], slides[0])
                ok = k < angle_roots(form, slack, _FREE, near[0], roots)
                if ok:
                    ok, u0, u1 = _point(roots[k, 0], roots[k, 1], slides[0])
                if not ok:
                    break
            if ok:
                out[count, 0] = v0 if swap else u0
                out[count, 1] = v1 if swap else u1
                out[count, 2] = u0 if swap else v0
                out[count, 3] = u1 if swap else v1
                count += 1
    return count


@kernel
def _at_once(e, f, slides, near, swap, out):
    """The rows of two equations whose first joint's matrix is regular; returns how many."""
    over = 1.0 / (abs(e[0]) + abs(e[1]) + abs(f[0]) + abs(f[1]))
    a = over * e[0]
    b = over * e[1]
    c = over * f[0]
    d = over * f[1]
    det = a * d - b * c
    # det · u₀ and det · u₁.
    first = (over * (d * e[4] - b * f[4]), over * (b * f[2] - d * e[2]), over * (b * f[3] - d * e[3]))
    second = (over * (a * f[4] - c * e[4]), over * (c * e[2] - a * f[2]), over * (c * e[3] - a * f[3]))
    one = curve_form(first[0], first[1], first[2], slides[1])
    two = curve_form(second[0], second[1], second[2], slides[1])
    unit = curve_form(det, 0.0, 0.0, slides[1])
    none = (0.0, 0.0, 0.0)
    roots = stack2(4, 2)
    if slides[0]:
        plus = (two[0] + unit[0], two[1] + unit[1], two[2] + unit[2])
        minus = (two[0] - unit[0], two[1] - unit[1], two[2] - unit[2])
        total = square_roots((plus, minus, one, none), (0.25, -0.25, -1.0), near[1], roots)
    else:
        total = square_roots((one, two, unit, none), (1.0, 1.0, -1.0), near[1], roots)
    count = 0
    for i in range(total):
        ok, v0, v1 = _point(roots[i, 0], roots[i, 1], slides[1])
        if not ok:
            continue
        u0 = form_at(first, v0, v1) / det
        u1 = form_at(second, v0, v1) / det
        if not slides[0]:
            size = math.hypot(u0, u1)
            if not size > 0.0:
                continue
            u0 /= size
            u1 /= size
        out[count, 0] = v0 if swap else u0
        out[count, 1] = v1 if swap else u1
        out[count, 2] = u0 if swap else v0
        out[count, 3] = u1 if swap else v1
        count += 1
    return count


@kernel
def _on_curve(angle, slides):
    """Whether an angle is a point of the curve, and u₀, u₁."""
    s, c = sincos(angle)
    return _point(c, s, slides)


@kernel
def _dependent(e, slides, near, slack, swap, out, count):
    """Add the rows of one equation at which the second joint stays as in ``near``; returns how many there are."""
    roots = stack2(2, 2)
    ok, v0, v1 = _on_curve(near[1], slides[1])
    if not ok:
        return count
    form = curve_form(e[2] * v0 + e[3] * v1 - e[4], e[0], e[1], slides[0])
    total = angle_roots(form, slack, _FREE, near[0], roots)
    for i in range(total):
        ok, u0, u1 = _point(roots[i, 0], roots[i, 1], slides[0])
        if ok:
            out[count, 0] = v0 if swap else u0
            out[count, 1] = v1 if swap else u1
            out[count, 2] = u0 if swap else v0
            out[count, 3] = u1 if swap else v1
            count += 1
    return count


@kernel
def _rank_one(e, f):
    """Whether two equations say the same on their left sides, the one that says it, and what is left on the right."""
    p = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
    r = f[0] * f[0] + f[1] * f[1] + f[2] * f[2] + f[3] * f[3]
    q = e[0] * f[0] + e[1] * f[1] + e[2] * f[2] + e[3] * f[3]
    c, s = _half(0.5 * (p - r), q)
    minor = _mixed(e, -s, f, c)
    left = abs(minor[0]) + abs(minor[1]) + abs(minor[2]) + abs(minor[3])
    return left < _DEPENDENT, _mixed(e, c, f, s), abs(minor[4])


@kernel
def curve_roots(e, f, slides, near, slack, out):
    """The solutions (u₀, u₁, v₀, v₁) of two equations (a₀, a₁, b₀, b₁, c) in ``out`` (4, 4); returns how many.

    slides: of u's joint and v's. near: the angles of their curves that are taken where every one is a root. An equation
    missed by less than ``slack`` touches. Coefficients should be of the order of one.
    """
    same, only, rest = _rank_one(e, f)
    if same:
        if rest > _DEPENDENT + slack:
            return 0
        turned = (slides[1], slides[0])
        count = _dependent(only, slides, near, slack, False, out, 0)
        return _dependent(_swapped(only), turned, (near[1], near[0]), slack, True, out, count)
    left, minor, major = _ratio(e, f)
    right, other_minor, other_major = _ratio(_swapped(e), _swapped(f))
    if min(left, right) < _SINGULAR:
        if left <= right:
            rounds = _ROUNDS if left > _NOTHING else 1
            return _one_by_one(minor, major, slides, near, slack, False, rounds, out)
        rounds = _ROUNDS if right > _NOTHING else 1
        turned = (slides[1], slides[0])
        back = (near[1], near[0])
        return _one_by_one(other_minor, other_major, turned, back, slack, True, rounds, out)
    # The inverse of the matrix that is farther from singular.
    one = abs(e[0] * f[1] - e[1] * f[0]) / (e[0] ** 2 + e[1] ** 2 + f[0] ** 2 + f[1] ** 2 + _NOTHING)
    two = abs(e[2] * f[3] - e[3] * f[2]) / (e[2] ** 2 + e[3] ** 2 + f[2] ** 2 + f[3] ** 2 + _NOTHING)
    if not max(one, two) > 0.0:
        return 0
    if one >= two:
        return _at_once(e, f, slides, near, False, out)
    return _at_once(_swapped(e), _swapped(f), (slides[1], slides[0]), (near[1], near[0]), True, out)
