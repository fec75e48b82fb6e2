"""Following a target, one sample a call: the tracking procedure of tolani-badler-1996, section 6.

Each of the six angles of shoulder and wrist in turn stays where it was, and of all solutions (up to 24, or 48 with both
signs of the elbow) the one with the least Σ(θ − θ⁰)² is taken. Since one angle need not stand still for the step to be
least, the swivel angle is then moved to the least sum over φ (two Gauss–Newton steps along the family), as far as the
limits allow. A ball joint's twist is fixed like a hinge; its swings have no closed form, and the least sum over φ
stands for them.

Where no angle can stay, the intervals of φ are searched, which finds a solution if there is one (with ball joints,
couplings or cones a grid of 2° is). Then orientation is given up: the wrist keeps its angles and forearm and hand are
one rigid bone. A target beyond reach is first brought to the nearest distance that the hinge and its limits allow. If
even that fails, nothing moves.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.candidates import COSTS, ODD, candidates, fill_goal, fill_last, fill_limb, read
from manikin.kernels.limb.families import rows_hold
from manikin.kernels.limb.fixed import shared, with_hinge
from manikin.kernels.limb.limb import (
    BEFORE,
    FARTHEST,
    HINGE,
    MOST,
    SHOULDER,
    SHOULDER_BETA,
    SHOULDER_KIND,
    SWIVEL,
    VIRTUAL,
    WRIST,
    WRIST_KIND,
    hinge_angle,
    to_coordinates,
    wanted,
)
from manikin.kernels.limb.position import (
    brought_within_reach,
    by_position,
    cost,
    nearest_distance,
    rigid_hand,
    take,
)
from manikin.kernels.limb.roots import ROOTS, inside, searched_limits
from manikin.kernels.limb.spherical import OBLIQUE, SQUARE, rotation_of
from manikin.kernels.limb.swivel import STRETCHES, family_intervals, reference_frame
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import applied, cross, dot, scaled, turn, turned, vector
from manikin.kernels.memory.views import view1, view2, view3

# How a sample was met.
FOLLOWED, FLIPPED, POSITION_ONLY, HELD = range(4)
PROJECTED = 4
"""Added to the others when the target was beyond reach and its nearest reachable point was taken."""

# Angles φ that are looked at where intervals would take too long.
_SCANNED = 180
# Work space: candidate rows, the best row, roots, stretches.
_ROWS, _BEST = 0, (MOST + 1) * 7
_ROOTS = _BEST + 7
_FOUND = _ROOTS + ROOTS
SPACE = _FOUND + 2 * STRETCHES


@kernel
def family_of(spec, which, out, k):
    """Which family of a spherical joint row k is of."""
    kind = int(spec[SHOULDER_KIND + which])
    x = out[k, 4 * which + 1]
    if kind == SQUARE:
        return 0 if math.sin(x + spec[SHOULDER_BETA + which]) >= 0.0 else 1
    if kind == OBLIQUE:
        at = WRIST if which else SHOULDER
        a1 = vector(spec, at)
        a2 = vector(spec, at + 3)
        a3 = vector(spec, at + 6)
        middle = atan2(dot(a1, cross(a2, a3)), dot(a1, a3) - dot(a1, a2) * dot(a2, a3))
        return 0 if math.sin(x - middle) >= 0.0 else 1
    y = out[k, 4 * which]
    return 0 if x * x + y * y <= math.pi * math.pi else 1


@kernel
def _refine(spec, p, r, rows, best, least):
    """Move the best row along its family to the least sum over φ, within the limits; φ is then in ``spec``."""
    t4 = best[0, 3]
    frame = reference_frame(spec, p, t4)
    shoulder = rotation_of(spec, SHOULDER, int(spec[SHOULDER_KIND]), best[0, 0], best[0, 1], best[0, 2])
    side = applied(shoulder, frame[4])
    phi = atan2(dot(side, frame[2]), dot(side, frame[1]))
    spec[SWIVEL] = phi
    family = 2 * family_of(spec, 0, best, 0) + family_of(spec, 1, best, 0)
    for _ in range(2):
        ok, d1, d2, d3, d5, d6, d7 = _rates(spec, frame, t4, r, phi, family, rows, best)
        if not ok:
            return least
        size = d1 * d1 + d2 * d2 + d3 * d3 + d5 * d5 + d6 * d6 + d7 * d7
        slope = (
            d1 * (best[0, 0] - spec[BEFORE])
            + d2 * (best[0, 1] - spec[BEFORE + 1])
            + d3 * (best[0, 2] - spec[BEFORE + 2])
            + d5 * (best[0, 4] - spec[BEFORE + 4])
            + d6 * (best[0, 5] - spec[BEFORE + 5])
            + d7 * (best[0, 6] - spec[BEFORE + 6])
        )
        if size < 1e-20:
            return least
        step = -slope / size
        # What a whole step could gain at most, to first order: not worth it below a thousandth of the sum.
        if abs(step) < 1e-9 or slope * slope < 1e-3 * size * least:
            return least
        if abs(step) > 0.5:
            step = math.copysign(0.5, step)
        good = inside(spec, frame, t4, r, phi + step, family, rows, 0)
        if not good:
            low = 0.0
            high = step
            for _cut in range(24):
                middle = 0.5 * (low + high)
                if inside(spec, frame, t4, r, phi + middle, family, rows, 0):
                    low = middle
                else:
                    high = middle
            if low == 0.0:
                return least
            step = low
            good = inside(spec, frame, t4, r, phi + step, family, rows, 0)
        if not good or cost(spec, rows, 0) >= least:
            return least
        least = cost(spec, rows, 0)
        take(rows, 0, best)
        phi += step
        spec[SWIVEL] = phi
        if abs(step) < 1e-2:
            return least
    return least


@kernel
def _rates(spec, frame, t4, r, phi, family, rows, best):
    """How fast the six angles of shoulder and wrist change with φ: whether they do, and dθ/dφ.

    The shoulder turns about n̂ and the wrist about −e(a, θ4)ᵀ n; for three hinges that is shared out among their axes,
    for a ball joint, or near a pole, a difference is taken.
    """
    back = turned(vector(spec, HINGE), -t4, frame[3])
    ok1, d1, d2, d3 = _shared_out(spec, 0, frame[0], best[0, 0], best[0, 1])
    ok2, d5, d6, d7 = _shared_out(spec, 1, scaled(back, -1.0), best[0, 4], best[0, 5])
    if ok1 and ok2:
        return True, d1, d2, d3, d5, d6, d7
    h = 1e-6
    if not inside(spec, frame, t4, r, phi + h, family, rows, 0):
        h = -h
        if not inside(spec, frame, t4, r, phi + h, family, rows, 0):
            return False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return (
        True,
        (rows[0, 0] - best[0, 0]) / h,
        (rows[0, 1] - best[0, 1]) / h,
        (rows[0, 2] - best[0, 2]) / h,
        (rows[0, 4] - best[0, 4]) / h,
        (rows[0, 5] - best[0, 5]) / h,
        (rows[0, 6] - best[0, 6]) / h,
    )


@kernel
def _shared_out(spec, which, omega, t1, t2):
    """The rates of three hinges that together turn as ω does: whether they can, and they."""
    if spec[SHOULDER_KIND + which] > OBLIQUE:
        return False, 0.0, 0.0, 0.0
    at = WRIST if which else SHOULDER
    a1 = vector(spec, at)
    a2 = vector(spec, at + 3)
    a3 = turned(a2, t2, vector(spec, at + 6))
    # In the frame behind the first hinge, whose own axis is the same there.
    seen = turned(a1, -t1, omega)
    x = cross(a2, a3)
    volume = dot(a1, x)
    if abs(volume) < 1e-4:
        return False, 0.0, 0.0, 0.0
    f = 1.0 / volume
    return True, dot(seen, x) * f, dot(seen, cross(a3, a1)) * f, dot(seen, cross(a1, a2)) * f


@kernel
def _one_by_one(spec, common, r, t4, fixed, least, rows, best):
    """The nearest solution with one angle where it was if it is nearer than ``least``; the least cost."""
    count = with_hinge(spec, common, r, t4, fixed, spec[BEFORE + fixed], least, rows, 0)
    for k in range(count):
        x = cost(spec, rows, k)
        if x < least:
            least = x
            take(rows, k, best)
    return least


@kernel
def _in_lanes(spec, common, r, t4, least, box, rows, best):
    """The nearest of the 24 candidates of a sign of the elbow if it is nearer than ``least``; the least cost."""
    fill_goal(common, r, turn(vector(spec, HINGE), t4), box)
    bend = (t4 - spec[BEFORE + 3]) ** 2
    for case in range(3):
        candidates(spec, box, case)
        for lane in range(4):
            if box[ODD, lane] > 0.0:
                fixed = case if lane < 2 else 6 - case
                least = _one_by_one(spec, common, r, t4, fixed, least, rows, best)
                continue
            for family in range(2):
                x = box[COSTS + family, lane] + bend
                if x < least:
                    read(box, lane, family, t4, rows)
                    if rows_hold(spec, rows, 0):
                        least = x
                        take(rows, 0, best)
    return least


@kernel
def _is_swing(spec, fixed):
    """Whether an angle is a swing of a ball joint."""
    return spec[SHOULDER_KIND + fixed // 4] > OBLIQUE and fixed % 4 != 2


@kernel
def _candidates(spec, p, r, delta, box, rows, best):
    """The nearest of all solutions with one angle where it was; its cost, or infinity."""
    least = math.inf
    virtual = int(spec[VIRTUAL])
    square = virtual < 0 and spec[SHOULDER_KIND] == SQUARE and spec[WRIST_KIND] == SQUARE
    if square:
        fill_last(spec, box)
    ok, t4 = hinge_angle(spec, delta, 0)
    fine, other = hinge_angle(spec, delta, 1)
    # The nearer sign of the elbow first: the other is then mostly too far away to be worth more than its hinge.
    last = spec[BEFORE + 3]
    nearer = 0 if not fine or (ok and abs(t4 - last) <= abs(other - last)) else 1
    for side in range(2):
        ok, t4 = hinge_angle(spec, delta, nearer if side == 0 else 1 - nearer)
        if not ok or (t4 - last) ** 2 >= least:
            continue
        common = shared(spec, p, r, t4)
        if square and common[4] < 1e-11:
            least = _in_lanes(spec, common, r, t4, least, box, rows, best)
            continue
        for fixed in range(7):
            if fixed != 3 and (virtual < 0 or fixed == virtual) and not _is_swing(spec, fixed):
                least = _one_by_one(spec, common, r, t4, fixed, least, rows, best)
    return least


@kernel
def _scan(spec, p, r, delta, rows, best):
    """The nearest solution over a grid of φ; its cost, or infinity."""
    least = math.inf
    for branch in range(2):
        ok, t4 = hinge_angle(spec, delta, branch)
        if not ok:
            continue
        frame = reference_frame(spec, p, t4)
        for family in range(4):
            for k in range(_SCANNED):
                phi = 2.0 * math.pi * k / _SCANNED
                if inside(spec, frame, t4, r, phi, family, rows, 0) and cost(spec, rows, 0) < least:
                    least = cost(spec, rows, 0)
                    take(rows, 0, best)
    return least


@kernel
def _search(spec, p, r, delta, space, rows, best):
    """The nearest solution over the ends and insides of all intervals of φ; its cost, or infinity.

    Intervals that limits without a closed form bound (ball joints, couplings, cones) take a quarter of a second to find
    where there are none: of those only what a grid of φ meets is looked at, which misses stretches of less than 2°.
    """
    if searched_limits(spec) > 0:
        return _scan(spec, p, r, delta, rows, best)
    least = math.inf
    roots = view1(space, _ROOTS, ROOTS)
    found = view2(space, _FOUND, STRETCHES, 2)
    for branch in range(2):
        ok, t4 = hinge_angle(spec, delta, branch)
        if not ok:
            continue
        frame = reference_frame(spec, p, t4)
        for family in range(4):
            count = family_intervals(spec, frame, t4, r, family, roots, rows, found)
            for i in range(count):
                for part in range(33):
                    phi = found[i, 0] + (found[i, 1] - found[i, 0]) * part / 32.0
                    if inside(spec, frame, t4, r, phi, family, rows, 0) and cost(spec, rows, 0) < least:
                        least = cost(spec, rows, 0)
                        take(rows, 0, best)
    return least


@kernel
def follow(spec, rigid, targets, i, box, space, far):
    """Take one step towards target i from the values in ``spec``'s BEFORE, which become the new ones.

    far: whether solutions are looked for in which no angle is where it was.
    """
    rows = view2(space, _ROWS, MOST + 1, 7)
    best = view2(space, _BEST, 1, 7)
    p, r = wanted(spec, targets, i)
    ok, projected, p, delta = brought_within_reach(spec, p)
    status = PROJECTED if projected else 0
    least = _candidates(spec, p, r, delta, box, rows, best) if ok else math.inf
    # With an angle that is none of the figure's there are finitely many solutions, and the candidates are all of them.
    free = spec[VIRTUAL] < 0.0
    if least < math.inf:
        if free:
            _refine(spec, p, r, rows, best, least)
        status += FOLLOWED
    else:
        if ok and free and far:
            least = _search(spec, p, r, delta, space, rows, best)
        if least < math.inf:
            _refine(spec, p, r, rows, best, least)
            status += FLIPPED
        else:
            status = _by_position(spec, rigid, targets, i, rows, best)
    if status % 4 != HELD:
        for j in range(7):
            spec[BEFORE + j] = best[0, j]
    return status


@kernel
def _by_position(spec, rigid, targets, i, rows, best):
    rigid_hand(spec, rigid)
    p, _r = wanted(rigid, targets, i)
    distance = math.sqrt(dot(p, p))
    reach = nearest_distance(rigid, distance)
    status = POSITION_ONLY
    if abs(reach - distance) > 1e-12 * rigid[FARTHEST] and distance > 0.0:
        status += PROJECTED
        p = scaled(p, reach / distance)
    if by_position(rigid, p, rows, best) < math.inf:
        return status
    return HELD


@kernel(entry="f8[:], f8[:], f8[:,:,:], f8[:,:], f8[:], f8[:,:], i8[:]")
def track(spec, rigid, targets, box, space, out, statuses):
    """Follow T targets (T, 4, 4): coordinates in ``out`` (T, 7), how each was met in ``statuses`` (T,)."""
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    for i in range(targets.shape[0]):
        statuses[i] = follow(spec, rigid, samples, i, box, space, True)
        for j in range(7):
            out[i, j] = spec[BEFORE + j]
        to_coordinates(spec, out, i)


@kernel(entry="f8[:], f8[:], f8[:,:], f8[:,:], f8[:], f8[:,:], i8[:]")
def track_one(spec, rigid, target, box, space, out, statuses):
    """Follow one target (4, 4): coordinates in row 0 of ``out``, how it was met in ``statuses[0]``."""
    statuses[0] = follow(spec, rigid, view3(target, 0, 1, 4, 4), 0, box, space, True)
    for j in range(7):
        out[0, j] = spec[BEFORE + j]
    to_coordinates(spec, out, 0)


@kernel(entry="f8[:], f8[:,:]")
def prepare(spec, box):
    """Put a limb into the box that the steps work with."""
    fill_limb(spec, box)
