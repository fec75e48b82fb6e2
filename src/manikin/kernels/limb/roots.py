"""The swivel angles at which some angle is at a limit.

With R_shoulder(φ) z = C0 + C1 cos φ + C2 sin φ for every fixed z, each limit L of a hinge of the shoulder is a root of

    θ1 = L:  (e(a1, L) a2)·R a3 = a2·a3,
    θ2 = L:  a1·R a3 = a1·e(a2, L) a3,
    θ3 = L:  a1·R (e(a3, −L) a2) = a1·a2,

that is of A cos φ + B sin φ + C = 0; the wrist's likewise, as g·R_wrist z = (R z)·R_shoulder (e(a, θ4) g). Limits of
ball joints, cones and rows among angles have no such form: their roots are bracketed on a grid, touching ones by the
extremum between grid points, and bisected.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.families import leaning, rows_hold, settle_joint
from manikin.kernels.limb.limb import (
    BEFORE,
    CONES,
    HIGHER,
    HINGE,
    LOWER,
    ROW,
    ROW_LENGTH,
    ROWS,
    SHOULDER,
    SHOULDER_BETA,
    SHOULDER_KIND,
    WRIST,
    left_over,
    shoulder_turn,
)
from manikin.kernels.limb.spherical import OBLIQUE, first_family, second_family
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import applied, cross, dot, turned, vector

GRID = 256
# Parts of a step of the grid where the excess bends by more than so much, radians, from one point to the next.
FINE, BENT = 64, 0.01
ROOTS = 192
WHOLE = 2.0 * math.pi


@kernel
def joint_angles(spec, which, rotation, family, out, k):
    """Write the angles of one family of one spherical joint to row k, each nearest to the middle of its range."""
    at = WRIST if which else SHOULDER
    kind = int(spec[SHOULDER_KIND + which])
    beta = spec[SHOULDER_BETA + which]
    before = spec[BEFORE + 4 * which]
    ok, x1, x2, x3 = first_family(spec, at, kind, beta, rotation, before)
    if ok and family == 1:
        ok, x1, x2, x3 = second_family(spec, at, kind, beta, rotation, before, x1, x2, x3)
    out[k, 4 * which] = x1
    out[k, 4 * which + 1] = x2
    out[k, 4 * which + 2] = x3
    return ok


@kernel
def posture(spec, frame, t4, r, phi, family, out, k):
    """The seven angles of a family at φ in row k, limits aside; ``frame`` is (n̂, û, v̂, n, b)."""
    shoulder = shoulder_turn(frame[0], frame[1], frame[2], frame[3], frame[4], phi)
    out[k, 3] = t4
    ok = joint_angles(spec, 0, shoulder, (family // 2) % 2, out, k)
    return ok and joint_angles(spec, 1, left_over(spec, shoulder, t4, r), family % 2, out, k)


@kernel
def inside(spec, frame, t4, r, phi, family, out, k):
    """Whether the family at φ is within all limits; its angles are then in row k."""
    if not posture(spec, frame, t4, r, phi, family, out, k):
        return False
    for which in range(2):
        kind = int(spec[SHOULDER_KIND + which])
        if not settle_joint(spec, out, k, 4 * which, kind, spec[SHOULDER_BETA + which]):
            return False
    return rows_hold(spec, out, k)


@kernel
def _add(roots, count, phi):
    if count < ROOTS:
        roots[count] = phi - WHOLE * math.floor((phi + math.pi) / WHOLE)
        return count + 1
    return count


@kernel
def _add_roots(frame, g, z, c, roots, count):
    """Roots of g·R_shoulder(φ) z = c."""
    n_hat, u_hat, v_hat, n, b = frame
    zb = dot(z, b)
    ze = dot(z, cross(n, b))
    gu = dot(g, u_hat)
    gv = dot(g, v_hat)
    cosine = gu * zb + gv * ze
    sine = gv * zb - gu * ze
    rest = c - dot(g, n_hat) * dot(z, n)
    rho = math.sqrt(cosine * cosine + sine * sine)
    if rho < 1e-14 or abs(rest) > rho:
        return count
    middle = atan2(sine, cosine)
    half = atan2(math.sqrt((rho - rest) * (rho + rest)), rest)
    return _add(roots, _add(roots, count, middle + half), middle - half)


@kernel
def hinge_roots(spec, which, frame, t4, r, roots, count):
    """The φ at which a hinge of one spherical joint is at a limit."""
    at = WRIST if which else SHOULDER
    a1 = vector(spec, at)
    a2 = vector(spec, at + 3)
    a3 = vector(spec, at + 6)
    hinge = vector(spec, HINGE)
    for j in range(3):
        for end in range(4):
            limit = spec[(HIGHER if end % 2 else LOWER) + 4 * which + j]
            if end < 2 and abs(limit) == math.inf:
                continue
            g = a1
            z = a3
            c = dot(a2, a3)
            if end >= 2:
                # Where the middle angle's two families meet; none beyond.
                if j != 1:
                    continue
                along = dot(a1, a2) * dot(a2, a3)
                size = math.sqrt((dot(a1, a3) - along) ** 2 + dot(a1, cross(a2, a3)) ** 2)
                c = along + (size if end == 2 else -size)
            elif j == 0:
                g = turned(a1, limit, a2)
            elif j == 1:
                c = dot(a1, turned(a2, limit, a3))
            else:
                z = turned(a3, -limit, a2)
                c = dot(a1, a2)
            if which:
                g, z = applied(r, z), turned(hinge, t4, g)
            count = _add_roots(frame, g, z, c, roots, count)
    return count


@kernel
def _excess(spec, out, k, limit):
    """How far row k is from limit number ``limit`` of those without a closed form."""
    for which in range(2):
        if spec[SHOULDER_KIND + which] > OBLIQUE:
            if limit < 6:
                j = 4 * which + limit // 2
                end = spec[(HIGHER if limit % 2 else LOWER) + j]
                x = out[k, j]
                if limit // 2 == 2:
                    x -= WHOLE * math.floor((x - end) / WHOLE + 0.5)
                return x - end
            limit -= 6
    if limit < 2 * int(spec[ROWS]):
        at = ROW + (limit // 2) * ROW_LENGTH
        total = 0.0
        for j in range(7):
            total += spec[at + j] * out[k, j]
        return total - spec[at + 7 + limit % 2]
    limit -= 2 * int(spec[ROWS])
    return leaning(spec, out, k, limit) - 1.0


@kernel
def _measure(spec, frame, t4, r, phi, family, limit, out):
    """How far the family at φ is from a limit without a closed form."""
    if not posture(spec, frame, t4, r, phi, family, out, 0):
        return math.inf
    for which in range(2):
        if spec[SHOULDER_KIND + which] <= OBLIQUE:
            settle_joint(spec, out, 0, 4 * which, OBLIQUE, 0.0)
    return _excess(spec, out, 0, limit)


@kernel
def _bisect(spec, frame, t4, r, family, limit, low, high, below, out):
    """The φ between low and high at which the excess changes its sign; ``below`` is the sign at low."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if (_measure(spec, frame, t4, r, middle, family, limit, out) < 0.0) == below:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _touch(spec, frame, t4, r, family, limit, low, high, sign, out):
    """The φ between low and high where sign · excess is least (golden section), stopped where it is negative."""
    ratio = 0.6180339887498949
    x1 = high - ratio * (high - low)
    x2 = low + ratio * (high - low)
    f1 = sign * _measure(spec, frame, t4, r, x1, family, limit, out)
    f2 = sign * _measure(spec, frame, t4, r, x2, family, limit, out)
    for _ in range(36):
        if f1 < 0.0:
            return True, x1
        if f2 < 0.0:
            return True, x2
        if f1 < f2:
            high, x2, f2 = x2, x1, f1
            x1 = high - ratio * (high - low)
            f1 = sign * _measure(spec, frame, t4, r, x1, family, limit, out)
        else:
            low, x1, f1 = x1, x2, f2
            x2 = low + ratio * (high - low)
            f2 = sign * _measure(spec, frame, t4, r, x2, family, limit, out)
    return False, 0.0


@kernel
def _endless(spec, limit):
    """Whether a limit without a closed form is infinite."""
    for which in range(2):
        if spec[SHOULDER_KIND + which] > OBLIQUE:
            if limit < 6:
                return abs(spec[(HIGHER if limit % 2 else LOWER) + 4 * which + limit // 2]) == math.inf
            limit -= 6
    if limit >= 2 * int(spec[ROWS]):
        return False
    return abs(spec[ROW + (limit // 2) * ROW_LENGTH + 7 + limit % 2]) == math.inf


@kernel
def _cell(spec, frame, t4, r, family, limit, phi, step, last, one, two, roots, count, out):
    """Roots between φ and φ + step, where the excess is ``one`` and ``two`` (``last`` a step before)."""
    if (one < 0.0) != (two < 0.0):
        found = _bisect(spec, frame, t4, r, family, limit, phi, phi + step, one < 0.0, out)
        return _add(roots, count, found)
    if (last < 0.0) == (one < 0.0) and abs(one) <= abs(last) and abs(one) <= abs(two):
        sign = -1.0 if one < 0.0 else 1.0
        ok, x = _touch(spec, frame, t4, r, family, limit, phi - step, phi + step, sign, out)
        if ok:
            low = _bisect(spec, frame, t4, r, family, limit, phi - step, x, one < 0.0, out)
            high = _bisect(spec, frame, t4, r, family, limit, x, phi + step, one >= 0.0, out)
            return _add(roots, _add(roots, count, low), high)
    return count


@kernel
def _fine_cells(spec, frame, t4, r, family, limit, phi, step, roots, count, out):
    """The same with a finer grid, which begins a step before φ so that nothing between two cells is lost."""
    small = step / FINE
    last = _measure(spec, frame, t4, r, phi - 2.0 * small, family, limit, out)
    one = _measure(spec, frame, t4, r, phi - small, family, limit, out)
    for k in range(-1, FINE):
        at = phi + small * k
        two = _measure(spec, frame, t4, r, at + small, family, limit, out)
        count = _cell(spec, frame, t4, r, family, limit, at, small, last, one, two, roots, count, out)
        last = one
        one = two
    return count


@kernel
def searched_limits(spec):
    """How many limits have no closed form: six of a ball joint, two of a row, one of a cone."""
    count = 2 * int(spec[ROWS]) + int(spec[CONES])
    for which in range(2):
        if spec[SHOULDER_KIND + which] > OBLIQUE:
            count += 6
    return count


@kernel
def _anywhere(spec, frame, t4, r, family, out):
    """Whether a family has angles at some φ of the grid; at a swing of zero a ball joint's second family has none."""
    for which in range(2):
        if spec[SHOULDER_KIND + which] == OBLIQUE:
            # Its families may exist over a stretch shorter than the grid's step.
            return True
    found = False
    for k in range(GRID):
        found = found or posture(spec, frame, t4, r, -math.pi + WHOLE / GRID * k, family, out, 0)
    return found


@kernel
def searched_roots(spec, frame, t4, r, family, roots, count, out):
    """Roots of the limits without a closed form, one limit after the other over the grid.

    Where the excess bends between grid points, as it does when a joint passes close to its gimbal lock, the grid is
    finer: whole stretches may lie between two points there. A family without angles has no roots.
    """
    limits = searched_limits(spec)
    if limits == 0 or not _anywhere(spec, frame, t4, r, family, out):
        return count
    step = WHOLE / GRID
    for limit in range(limits):
        if _endless(spec, limit):
            continue
        last = _measure(spec, frame, t4, r, -math.pi - step, family, limit, out)
        one = _measure(spec, frame, t4, r, -math.pi, family, limit, out)
        two = _measure(spec, frame, t4, r, -math.pi + step, family, limit, out)
        for k in range(GRID):
            phi = -math.pi + step * k
            three = _measure(spec, frame, t4, r, phi + 2.0 * step, family, limit, out)
            if abs(last - 2.0 * one + two) < BENT and abs(one - 2.0 * two + three) < BENT:
                count = _cell(spec, frame, t4, r, family, limit, phi, step, last, one, two, roots, count, out)
            else:
                count = _fine_cells(spec, frame, t4, r, family, limit, phi, step, roots, count, out)
            last = one
            one = two
            two = three
    return count
