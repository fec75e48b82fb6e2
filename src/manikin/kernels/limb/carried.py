"""A limb whose own angles move what carries it, as a shoulder girdle's rhythm does: carrier and closed form in turns.

The carrier's frame is C(x), a product of hinges whose angles are linear in the limb's coordinates x. With the carrier
held, the closed form gives x' = g(x) for a target, a swivel angle φ and a family; what is wanted is x = g(x). The
rhythm moves the shoulder by centimetres, so g contracts, and a secant of the last two steps (Anderson 1965, of depth
one) makes it quick: four to eight rounds to 1e-13. φ is about the line from the shoulder where it ends up to the wrist.

``rail`` holds C: how many hinges, the frame that carries the first, how many of the limb's coordinates move it and
which, then for each hinge its placement (rotation by rows, origin), the angle where the limb's coordinates are 0, and
how it grows with each of the seven.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.limb import (
    AHEAD,
    BASE,
    BASE_ORIGIN,
    DOWN,
    FACTOR,
    FARTHEST,
    HIGHER,
    LOWER,
    NEAREST,
    OFFSET,
    STAR,
    fits,
    opening,
    wanted,
)
from manikin.kernels.limb.roots import inside, posture
from manikin.kernels.limb.swivel import reference_frame
from manikin.kernels.math.angle import sincos
from manikin.kernels.math.vector import dot
from manikin.kernels.memory.views import view1, view2, view3

#: Entries of ``rail``: the count, the first frame, the coordinates that move it, the first hinge; numbers of a hinge.
HINGES, FIRST, MOVERS, HINGE_AT, HINGE_LENGTH = 0, 1, 13, 21, 20
#: Families: 4·(branch of the hinge) + 2·(shoulder's) + (wrist's).
FAMILIES = 8
# Rounds at most; what counts as settled, radians; the most that a step is lengthened.
_ROUNDS, _SETTLED, _LENGTHENED = 16, 1e-13, 4.0
# Newton's: steps at most, and the difference its slopes are taken by, radians.
_NEWTON, _DIFFERENCE = 8, 1e-7
# Radians outside a limit at the first look.
_HOPELESS = 0.8
#: Work space: two rows of values, the last x and its residual, x, two rows of following, Newton's system, a start.
ROOM = 112


@kernel
def place_carrier(spec, rail, x):
    """Write to ``spec`` where the carrier is at the limb's coordinates x."""
    a0 = rail[FIRST]
    a1 = rail[FIRST + 1]
    a2 = rail[FIRST + 2]
    b0 = rail[FIRST + 3]
    b1 = rail[FIRST + 4]
    b2 = rail[FIRST + 5]
    c0 = rail[FIRST + 6]
    c1 = rail[FIRST + 7]
    c2 = rail[FIRST + 8]
    u = rail[FIRST + 9]
    v = rail[FIRST + 10]
    w = rail[FIRST + 11]
    for h in range(int(rail[HINGES])):
        at = HINGE_AT + HINGE_LENGTH * h
        angle = rail[at + 12]
        for j in range(7):
            angle += rail[at + 13 + j] * x[j]
        s, c = sincos(angle)
        x0 = rail[at + 9]
        x1 = rail[at + 10]
        x2 = rail[at + 11]
        u += a0 * x0 + a1 * x1 + a2 * x2
        v += b0 * x0 + b1 * x1 + b2 * x2
        w += c0 * x0 + c1 * x1 + c2 * x2
        # The placement's columns, the first two turned about the third.
        p0 = c * rail[at] + s * rail[at + 1]
        p1 = c * rail[at + 3] + s * rail[at + 4]
        p2 = c * rail[at + 6] + s * rail[at + 7]
        q0 = c * rail[at + 1] - s * rail[at]
        q1 = c * rail[at + 4] - s * rail[at + 3]
        q2 = c * rail[at + 7] - s * rail[at + 6]
        r0 = rail[at + 2]
        r1 = rail[at + 5]
        r2 = rail[at + 8]
        a0, a1, a2 = (
            a0 * p0 + a1 * p1 + a2 * p2,
            a0 * q0 + a1 * q1 + a2 * q2,
            a0 * r0 + a1 * r1 + a2 * r2,
        )
        b0, b1, b2 = (
            b0 * p0 + b1 * p1 + b2 * p2,
            b0 * q0 + b1 * q1 + b2 * q2,
            b0 * r0 + b1 * r1 + b2 * r2,
        )
        c0, c1, c2 = (
            c0 * p0 + c1 * p1 + c2 * p2,
            c0 * q0 + c1 * q1 + c2 * q2,
            c0 * r0 + c1 * r1 + c2 * r2,
        )
    # Kept transposed: world to carrier.
    spec[BASE] = a0
    spec[BASE + 1] = b0
    spec[BASE + 2] = c0
    spec[BASE + 3] = a1
    spec[BASE + 4] = b1
    spec[BASE + 5] = c1
    spec[BASE + 6] = a2
    spec[BASE + 7] = b2
    spec[BASE + 8] = c2
    spec[BASE_ORIGIN] = u
    spec[BASE_ORIGIN + 1] = v
    spec[BASE_ORIGIN + 2] = w
    spec[DOWN] = -c0
    spec[DOWN + 1] = -c1
    spec[DOWN + 2] = -c2
    spec[AHEAD] = a0
    spec[AHEAD + 1] = a1
    spec[AHEAD + 2] = a2


@kernel
def held(spec, targets, i, family, phi, rows):
    """The family at φ with the carrier as it is, limits aside, as values in row 0: 1 where it is, 2 where the target is
    beyond the hinge (its nearest distance is then taken), 0 where there is none.
    """
    p, r = wanted(spec, targets, i)
    distance = math.sqrt(dot(p, p))
    ok, delta = opening(spec, distance)
    found = 1
    if not ok:
        found = 2
        ok, delta = opening(spec, min(max(distance, spec[NEAREST]), spec[FARTHEST]))
        if not ok:
            return 0
    angle = spec[STAR] + math.pi + (delta if family < 4 else -delta)
    _within, t4 = fits(spec, 3, angle)
    frame = reference_frame(spec, p, t4)
    if not posture(spec, frame, t4, r, phi, family % 4, rows, 0):
        return 0
    return found


@kernel
def _residual(spec, rail, targets, i, family, phi, x, rows):
    """g(x) − x in row 1, g(x) as values in row 0; how it was found (`held`), and the largest entry."""
    place_carrier(spec, rail, x)
    found = held(spec, targets, i, family, phi, rows)
    worst = 0.0
    if found != 0:
        for j in range(7):
            d = (rows[0, j] - spec[OFFSET + j]) * spec[FACTOR + j] - x[j]
            rows[1, j] = d
            worst = max(worst, abs(d))
    return found, worst


@kernel
def _is_hopeless(spec, rows):
    """Whether some angle is so far outside its limits that no movement of the carrier brings it in."""
    for j in range(7):
        _ok, value = fits(spec, j, rows[0, j])
        if value < spec[LOWER + j] - _HOPELESS or value > spec[HIGHER + j] + _HOPELESS:
            return True
    return False


@kernel
def _by_secants(spec, rail, targets, i, family, phi, x, room, thorough):
    """Rounds with a secant of the last two: how x was found, 0 where it was not, −1 where it is hopeless."""
    rows = view2(room, 0, 2, 7)
    last = view1(room, 14, 7)
    left = view1(room, 21, 7)
    fresh = True
    for k in range(_ROUNDS):
        found, worst = _residual(spec, rail, targets, i, family, phi, x, rows)
        if found == 0 or worst < _SETTLED:
            return found
        if k == 0 and not thorough and _is_hopeless(spec, rows):
            return -1
        above = 0.0
        below = 0.0
        if not fresh:
            for j in range(7):
                change = rows[1, j] - left[j]
                above += rows[1, j] * change
                below += change * change
        gamma = above / below if below > 0.0 else 0.0
        gamma = min(max(gamma, -_LENGTHENED), _LENGTHENED)
        for j in range(7):
            d = rows[1, j]
            step = d if fresh else d - gamma * (x[j] - last[j] + d - left[j])
            last[j] = x[j]
            left[j] = d
            x[j] += step
        fresh = worst > 1.0
    return 0


@kernel
def _by_newton(spec, rail, targets, i, family, phi, x, room):
    """Newton's method on the coordinates that move the carrier, by differences, each step no longer than half a radian:
    how x was found, 0 where it was not.
    """
    rows = view2(room, 0, 2, 7)
    matrix = view2(room, 49, 7, 8)
    movers = view1(rail, MOVERS + 1, 7)
    count = int(rail[MOVERS])
    for _ in range(_NEWTON):
        found, worst = _residual(spec, rail, targets, i, family, phi, x, rows)
        if found == 0:
            return 0
        if worst < _SETTLED:
            return found
        for k in range(count):
            matrix[k, count] = rows[1, int(movers[k])]
        for k in range(count):
            j = int(movers[k])
            kept = x[j]
            x[j] = kept + _DIFFERENCE
            other, _w = _residual(spec, rail, targets, i, family, phi, x, rows)
            x[j] = kept
            if other == 0:
                return 0
            for m in range(count):
                matrix[m, k] = (matrix[m, count] - rows[1, int(movers[m])]) / _DIFFERENCE
        if not _eliminate(matrix, count):
            return 0
        longest = 0.0
        for k in range(count):
            longest = max(longest, abs(matrix[k, count]))
        share = min(1.0, 0.5 / longest) if longest > 0.0 else 1.0
        for k in range(count):
            x[int(movers[k])] += share * matrix[k, count]
        found, _w = _residual(spec, rail, targets, i, family, phi, x, rows)
        if found == 0:
            return 0
        # What does not move the carrier follows at once.
        for j in range(7):
            own = True
            for k in range(count):
                own = own and int(movers[k]) != j
            if own:
                x[j] += rows[1, j]
    return 0


@kernel
def _eliminate(a, n):
    """Solve the n × n system whose right side is column n, in place there; False where it is singular."""
    for k in range(n):
        best = k
        for m in range(k + 1, n):
            if abs(a[m, k]) > abs(a[best, k]):
                best = m
        if abs(a[best, k]) < 1e-12:
            return False
        for c in range(n + 1):
            a[k, c], a[best, c] = a[best, c], a[k, c]
        for m in range(n):
            if m != k:
                f = a[m, k] / a[k, k]
                for c in range(k, n + 1):
                    a[m, c] -= f * a[k, c]
    for k in range(n):
        a[k, n] /= a[k, k]
    return True


@kernel
def settle(spec, rail, targets, i, family, phi, x, room, thorough):
    """Bring the coordinates x, near which a solution is looked for, and the carrier to agree: 2 where they do within
    all limits, as values in the first row of ``room`` then; 1 where they do; 0 where none was found.

    thorough: also by Newton's method, and where the first look is hopeless.
    """
    start = view1(room, 105, 7)
    for j in range(7):
        start[j] = x[j]
    found = _by_secants(spec, rail, targets, i, family, phi, x, room, thorough)
    if found == 0 and thorough:
        for j in range(7):
            x[j] = start[j]
        found = _by_newton(spec, rail, targets, i, family, phi, x, room)
    if found <= 0:
        return 0
    return 2 if found == 1 and _within_limits(spec, targets, i, family, phi, view2(room, 0, 2, 7)) else 1


@kernel
def _within_limits(spec, targets, i, family, phi, rows):
    """Whether what was settled is within all limits, as values in row 0 then."""
    p, r = wanted(spec, targets, i)
    ok, delta = opening(spec, math.sqrt(dot(p, p)))
    if not ok:
        return False
    ok, t4 = fits(spec, 3, spec[STAR] + math.pi + (delta if family < 4 else -delta))
    if not ok:
        return False
    return inside(spec, reference_frame(spec, p, t4), t4, r, phi, family % 4, rows, 0)


@kernel
def _settle_from(spec, rail, targets, i, family, phi, starts, x, room, thorough):
    """Settle from the first of several starts from which that is possible, as of `settle`; the coordinates are then in
    x.
    """
    best = 0
    for s in range(starts.shape[0]):
        for j in range(7):
            x[j] = starts[s, j]
        found = settle(spec, rail, targets, i, family, phi, x, room, thorough)
        if found == 2:
            for j in range(7):
                x[j] = room[j]
            coordinates(spec, x)
            return found
        best = max(best, found)
    return best


@kernel
def coordinates(spec, x):
    """From axis values to coordinates, in place."""
    for j in range(7):
        x[j] = (x[j] - spec[OFFSET + j]) * spec[FACTOR + j]


@kernel
def _all_at(spec, rail, targets, i, phi, starts, room, rows, thorough):
    """All distinct solutions at φ as coordinates in ``rows`` (8, 7); returns how many."""
    count = 0
    x = view1(room, 28, 7)
    for family in range(FAMILIES):
        if _settle_from(spec, rail, targets, i, family, phi, starts, x, room, thorough) != 2:
            continue
        new = True
        for k in range(count):
            far = 0.0
            for j in range(7):
                far = max(far, abs(rows[k, j] - x[j]))
            new = new and far > 1e-9
        if new:
            for j in range(7):
                rows[count, j] = x[j]
            count += 1
    return count


@kernel(entry="f8[:], f8[:], f8[:,:,:], f8[:], f8[:,:], f8[:], f8[:,:,:], i8[:]")
def settle_all(spec, rail, targets, phis, starts, room, out, counts):
    """Solutions of N targets (N, 4, 4), each at its φ, in ``out`` (N, 8, 7), their numbers in ``counts``; NaN
    beyond.
    """
    total = targets.shape[0]
    samples = view3(targets, 0, total, 4, 4)
    begin = view2(starts, 0, starts.shape[0], 7)
    for i in range(total):
        rows = view2(out, i * FAMILIES * 7, FAMILIES, 7)
        counts[i] = _all_at(spec, rail, samples, i, phis[i], begin, room, rows, False)
        if counts[i] == 0:
            counts[i] = _all_at(spec, rail, samples, i, phis[i], begin, room, rows, True)
        for k in range(counts[i], FAMILIES):
            for j in range(7):
                rows[k, j] = math.nan


@kernel(entry="f8[:], f8[:], f8[:,:], f8[:], f8[:,:], f8[:], i8[:,:], f8[:,:,:], b1")
def sweep(spec, rail, target, phis, starts, room, met, rows, thorough):
    """Which families have a solution at each of K swivel angles: ``met`` (8, K), as of `settle`, their coordinates in
    ``rows`` (8, K, 7). Each begins at its neighbour's.
    """
    count = phis.shape[0]
    samples = view3(target, 0, 1, 4, 4)
    begin = view2(starts, 0, starts.shape[0], 7)
    x = view1(room, 28, 7)
    for family in range(FAMILIES):
        for k in range(count):
            own = view2(rows, (family * count + k) * 7, 1, 7)
            found = 0
            if k > 0 and met[family, k - 1] == 2:
                before = view2(rows, (family * count + k - 1) * 7, 1, 7)
                found = _settle_from(spec, rail, samples, 0, family, phis[k], before, x, room, thorough)
            if found != 2:
                found = _settle_from(spec, rail, samples, 0, family, phis[k], begin, x, room, thorough)
            met[family, k] = found
            for j in range(7):
                own[0, j] = x[j]


@kernel(entry="f8[:], f8[:], f8[:,:], i8, f8, f8, f8[:,:], f8[:] -> f8")
def edge(spec, rail, target, family, inner, outer, start, room):
    """The last φ from ``inner``, where the family has a solution near ``start`` (1, 7), towards ``outer``, where
    not.
    """
    samples = view3(target, 0, 1, 4, 4)
    begin = view2(start, 0, 1, 7)
    x = view1(room, 28, 7)
    for _ in range(48):
        middle = 0.5 * (inner + outer)
        if _settle_from(spec, rail, samples, 0, family, middle, begin, x, room, False) == 2:
            inner = middle
            for j in range(7):
                begin[0, j] = x[j]
        else:
            outer = middle
    return inner
