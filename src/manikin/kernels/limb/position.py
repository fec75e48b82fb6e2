"""The hand by position only: the wrist keeps its angles, so forearm and hand are one rigid bone.

The limb is then a spherical joint and a hinge with another forearm d, of the same equations as in `limb`.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.families import is_new, rows_hold, settle_joint
from manikin.kernels.limb.limb import (
    BASE,
    BASE_ORIGIN,
    BEFORE,
    CENTRE,
    FARTHEST,
    FOREARM,
    HIGHER,
    HINGE,
    LOWER,
    MOST,
    NEAREST,
    SHOULDER_BETA,
    SHOULDER_KIND,
    STAR,
    TOOL,
    TOOL_WRIST,
    UPPER_ARM,
    WRIST,
    hinge_angle,
    opening,
    shoulder_turn,
    to_coordinates,
)
from manikin.kernels.limb.roots import joint_angles
from manikin.kernels.limb.spherical import rotation_of
from manikin.kernels.limb.swivel import reference_frame
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import (
    applied,
    applied_back,
    combined,
    cross,
    dot,
    matrix,
    scaled,
    turned,
    vector,
)
from manikin.kernels.memory.views import view2

_GRID = 96
# Moves and halvings from a step of the grid, 2π/96, to 1e-9: 26 halvings, and on a stretch where the cost has one
# minimum at most two moves at each length, since the longer step before found nothing lower.
_MOVES = 3 * 26


@kernel
def cost(spec, out, k):
    """Σ(θ − θ⁰)² of row k."""
    total = 0.0
    for j in range(7):
        step = out[k, j] - spec[BEFORE + j]
        total += step * step
    return total


@kernel
def take(out, k, best):
    """Copy row k of ``out`` to ``best``."""
    for j in range(7):
        best[0, j] = out[k, j]


@kernel
def nearest_distance(spec, distance):
    """The distance of the wrist nearest to this one that the hinge allows within its limits."""
    _ok, delta = opening(spec, min(spec[FARTHEST], max(spec[NEAREST], distance)))
    for branch in range(2):
        fine, t4 = hinge_angle(spec, delta, branch)
        if fine:
            return min(spec[FARTHEST], max(spec[NEAREST], distance))
    a = vector(spec, HINGE)
    best = distance
    least = math.inf
    for end in range(2):
        t4 = spec[(HIGHER if end else LOWER) + 3]
        v = combined(vector(spec, UPPER_ARM), 1.0, turned(a, t4, vector(spec, FOREARM)), 1.0)
        length = math.sqrt(dot(v, v))
        if abs(length - distance) < least:
            least = abs(length - distance)
            best = length
    return best


@kernel
def brought_within_reach(spec, p):
    """Whether the hinge can reach, whether p had to be moved for that to its nearest point within reach, p and δ."""
    distance = math.sqrt(dot(p, p))
    ok, delta = opening(spec, distance)
    if ok and (hinge_angle(spec, delta, 0)[0] or hinge_angle(spec, delta, 1)[0]):
        return True, False, p, delta
    if distance == 0.0:
        return False, False, p, delta
    reach = nearest_distance(spec, distance)
    ok, delta = opening(spec, reach)
    return ok, True, scaled(p, reach / distance), delta


@kernel
def rigid_hand(spec, rigid):
    """Write to ``rigid`` the limb whose forearm and hand are one bone, the wrist's angles where they were."""
    for j in range(spec.shape[0]):
        rigid[j] = spec[j]
    kind = int(spec[SHOULDER_KIND + 1])
    turn = rotation_of(spec, WRIST, kind, spec[BEFORE + 4], spec[BEFORE + 5], spec[BEFORE + 6])
    # From the wrist to the site at zero: −(the wrist in the site's frame), turned as the hand is at zero.
    at_zero = applied_back(matrix(spec, TOOL), vector(spec, TOOL_WRIST))
    d = combined(vector(spec, FOREARM), 1.0, applied(turn, at_zero), -1.0)
    a = vector(spec, HINGE)
    m = vector(spec, UPPER_ARM)
    along = dot(a, d)
    across = combined(d, 1.0, a, -along)
    c = 2.0 * dot(m, across)
    s = 2.0 * dot(m, cross(a, d))
    rigid[STAR] = atan2(s, c)
    difference = math.sqrt(dot(m, m)) - math.sqrt(dot(across, across))
    rigid[NEAREST] = math.sqrt(difference * difference + along * along)
    rigid[FARTHEST] = math.sqrt(dot(m, m) + dot(d, d) + math.sqrt(c * c + s * s))
    for j in range(3):
        rigid[FOREARM + j] = d[j]
        rigid[TOOL_WRIST + j] = 0.0


@kernel
def _point_row(rigid, frame, t4, phi, family, rows):
    """Whether the shoulder's family at φ is within the limits, the wrist where it was; the angles in row 0."""
    shoulder = shoulder_turn(frame[0], frame[1], frame[2], frame[3], frame[4], phi)
    rows[0, 3] = t4
    for j in range(4, 7):
        rows[0, j] = rigid[BEFORE + j]
    if not joint_angles(rigid, 0, shoulder, family, rows, 0):
        return False
    kind = int(rigid[SHOULDER_KIND])
    return settle_joint(rigid, rows, 0, 0, kind, rigid[SHOULDER_BETA]) and rows_hold(rigid, rows, 0)


@kernel
def by_position(rigid, p, rows, best):
    """The nearest solution for the position alone: the least over a grid of φ, then by golden section."""
    least = math.inf
    where = 0.0
    chosen = 0
    hinge = 0.0
    ok, delta = opening(rigid, math.sqrt(dot(p, p)))
    if not ok:
        return least
    for branch in range(2):
        ok, t4 = hinge_angle(rigid, delta, branch)
        if not ok:
            continue
        frame = reference_frame(rigid, p, t4)
        for family in range(2):
            for k in range(_GRID):
                phi = 2.0 * math.pi * k / _GRID
                if _point_row(rigid, frame, t4, phi, family, rows) and cost(rigid, rows, 0) < least:
                    least = cost(rigid, rows, 0)
                    take(rows, 0, best)
                    where = phi
                    chosen = family
                    hinge = t4
    if least == math.inf:
        return least
    frame = reference_frame(rigid, p, hinge)
    step = 2.0 * math.pi / _GRID
    for _ in range(_MOVES):
        moved = False
        for side in range(2):
            phi = where + (step if side else -step)
            if _point_row(rigid, frame, hinge, phi, chosen, rows) and cost(rigid, rows, 0) < least:
                least = cost(rigid, rows, 0)
                take(rows, 0, best)
                where = phi
                moved = True
                break
        if not moved:
            step *= 0.5
    return least


@kernel(entry="f8[:], f8[:], f8[:], f8[:], f8[:,:] -> b1")
def place(spec, rigid, target, space, out):
    """The solution nearest to BEFORE for a position (3) of the site, in row 0 of ``out``: whether there is one."""
    rows = view2(space, 0, MOST + 1, 7)
    best = view2(space, (MOST + 1) * 7, 1, 7)
    rigid_hand(spec, rigid)
    away = combined((target[0], target[1], target[2]), 1.0, vector(spec, BASE_ORIGIN), -1.0)
    p = combined(applied(matrix(spec, BASE), away), 1.0, vector(spec, CENTRE), -1.0)
    if by_position(rigid, p, rows, best) == math.inf:
        return False
    for j in range(7):
        out[0, j] = best[0, j]
    to_coordinates(spec, out, 0)
    return True


@kernel(entry="f8[:], f8[:], f8[:], f8, f8[:], f8[:,:] -> i8")
def place_at(spec, rigid, target, phi, space, out):
    """All solutions at φ for a position (3) of the site, the wrist at BEFORE, in ``out`` (4 rows); returns how many."""
    rows = view2(space, 0, MOST + 1, 7)
    found = view2(out, 0, 5, 7)
    rigid_hand(spec, rigid)
    away = combined((target[0], target[1], target[2]), 1.0, vector(spec, BASE_ORIGIN), -1.0)
    p = combined(applied(matrix(spec, BASE), away), 1.0, vector(spec, CENTRE), -1.0)
    ok, delta = opening(rigid, math.sqrt(dot(p, p)))
    count = 0
    for branch in range(2 if ok else 0):
        fine, t4 = hinge_angle(rigid, delta, branch)
        if not fine:
            continue
        frame = reference_frame(rigid, p, t4)
        for family in range(2):
            if not _point_row(rigid, frame, t4, phi, family, rows):
                continue
            for j in range(7):
                found[count, j] = rows[0, j]
            if is_new(found, count):
                count += 1
    for k in range(count):
        to_coordinates(spec, found, k)
    return count
