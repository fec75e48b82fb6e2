"""All solutions of six hinges, and the one nearest to where the robot is, inside its limits.

Branches are checked and mended by `six_axis_mend`. Rows are coordinates of the figure, (value − shift) · factor.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.stack import stack1, stack2
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.six_axis.mend import mend
from manikin.kernels.six_axis.parallel import parallel_rows
from manikin.kernels.six_axis.six_axis import (
    FACTOR,
    KIND,
    MIRROR,
    MOST,
    PARALLEL,
    SHIFT,
    SLIDES,
    WRIST,
    goal_of,
)
from manikin.kernels.six_axis.three import three_rows
from manikin.kernels.six_axis.wrist import wrist_rows

# A row misses its target by less than this, metres (of a longer arm, parts of its size) and radians, or is none.
MISS = 1e-10
# One that misses by less needs no mending.
EXACT = 2e-13
# A coordinate this far beyond its limit is at it.
SLACK = 2e-11
# Rows nearer to each other than this are one.
SAME = 1e-8
_WHOLE = 2.0 * math.pi
# More whole turns of one angle are not told apart, so that their number stays an integer.
_MOST_TURNS = 1e15


@kernel
def branches(spec, r, p, near, out):
    """Axis values of all solutions, in the order in which the chain is read, not yet checked; returns how many.

    near: six axis values in that order. out: (8, 6).
    """
    if spec[KIND] == PARALLEL:
        return parallel_rows(spec, r, p, near, out)
    if spec[KIND] == WRIST:
        return wrist_rows(spec, r, p, near, out)
    return three_rows(spec, r, p, near, out)


@kernel
def _values(spec, near, out):
    """Coordinates as axis values, in the order in which the chain is read."""
    for j in range(6):
        i = 5 - j if spec[MIRROR] != 0.0 else j
        out[i] = near[j] / spec[FACTOR + j] + spec[SHIFT + j]


@kernel
def coordinate(spec, row, j):
    """Coordinate j of axis values in the order in which the chain is read."""
    i = 5 - j if spec[MIRROR] != 0.0 else j
    return (row[i] - spec[SHIFT + j]) * spec[FACTOR + j]


@kernel
def whole_turn(spec, j):
    """Of coordinate j a whole turn, zero where it slides; and its inverse, likewise."""
    if spec[SLIDES + j] != 0.0:
        return 0.0, 0.0
    whole = _WHOLE * abs(spec[FACTOR + j])
    return whole, 1.0 / whole


@kernel
def within(x, whole, near, low, high):
    """Whether x + k·whole lies in [low, high] for some k, and the one nearest to ``near``."""
    if whole > 0.0:
        x += whole * math.floor((near - x) / whole + 0.5)
        if x > high + SLACK:
            x -= whole * math.ceil((x - high - SLACK) / whole)
        elif x < low - SLACK:
            x += whole * math.ceil((low - SLACK - x) / whole)
    if not (x >= low - SLACK and x <= high + SLACK):
        return False, x
    return True, min(high, max(low, x))


@kernel
def _distance(spec, row, near, lower, upper, whole, bound):
    """Largest difference of a row turned into its limits; infinite where it is outside or above ``bound``.

    whole: of each coordinate a whole turn, and its inverse.
    """
    total = 0.0
    for j in range(6):
        x = coordinate(spec, row, j)
        x += whole[j, 0] * math.floor((near[j] - x) * whole[j, 1] + 0.5)
        if not (x >= lower[j] and x <= upper[j]):
            ok, x = within(x, whole[j, 0], near[j], lower[j], upper[j])
            if not ok:
                return math.inf
        total = max(total, abs(x - near[j]))
        if not total < bound:
            return math.inf
    return total


@kernel
def nearest(spec, target, near, lower, upper, best, checked):
    """The solution inside the limits that is nearest to ``near``, in ``best``, and 1; or 0 where there is none.

    checked: whether it is true by forward kinematics, and mended; otherwise whoever asked looks.

    target: the site's frame in the world (4, 4); near, lower, upper, best: six coordinates. Nearest is the least
    largest difference (what a robot takes longest for), whole turns chosen as near as the limits allow. Where the
    target leaves an angle free, it is near's.
    """
    rows = stack2(MOST, 6)
    before = stack1(6)
    _values(spec, near, before)
    r, p = goal_of(spec, target)
    count = branches(spec, r, p, before, rows)
    whole = stack2(6, 2)
    for j in range(6):
        whole[j, 0], whole[j, 1] = whole_turn(spec, j)
    # Every round but the last takes a row away.
    for _ in range(MOST + 1):
        least = math.inf
        which = -1
        for i in range(count):
            d = _distance(spec, rows[i], near, lower, upper, whole, least)
            if d < least:
                least = d
                which = i
        if which < 0:
            return 0
        row = rows[which]
        if not checked or mend(spec, r, p, row, EXACT) < MISS:
            inside = True
            for j in range(6):
                ok, best[j] = within(coordinate(spec, row, j), whole[j, 0], near[j], lower[j], upper[j])
                inside = inside and ok
            if inside:
                return 1
        # None after all: the last row takes its place.
        count -= 1
        for j in range(6):
            row[j] = rows[count, j]
    return 0


@kernel
def everything(spec, target, near, out):
    """All solutions in rows of ``out`` (8, 6), each angle within half a turn of zero; returns how many."""
    rows = stack2(MOST, 6)
    before = stack1(6)
    _values(spec, near, before)
    r, p = goal_of(spec, target)
    total = branches(spec, r, p, before, rows)
    count = 0
    for i in range(total):
        if not mend(spec, r, p, rows[i], EXACT) < MISS:
            continue
        for j in range(6):
            whole, over = whole_turn(spec, j)
            x = coordinate(spec, rows[i], j)
            out[count, j] = x - whole * math.ceil(x * over - 0.5)
        if _is_new(spec, out, count):
            count += 1
    return count


@kernel
def _is_new(spec, out, count):
    """Whether row ``count`` differs from those before it by more than whole turns."""
    for i in range(count):
        same = True
        for j in range(6):
            whole, over = whole_turn(spec, j)
            x = out[count, j] - out[i, j]
            same = same and abs(x - whole * math.floor(x * over + 0.5)) < SAME * abs(spec[FACTOR + j])
        if same:
            return False
    return True


@kernel(entry="f8[:], f8[:,:], f8[:], f8[:], f8[:], f8[:] -> i8")
def nearest_row(spec, target, near, lower, upper, best):
    """`nearest`, from Python."""
    return nearest(
        view1(spec, 0, spec.shape[0]),
        view2(target, 0, 4, 4),
        view1(near, 0, 6),
        view1(lower, 0, 6),
        view1(upper, 0, 6),
        view1(best, 0, 6),
        True,
    )


@kernel(entry="f8[:], f8[:,:], f8[:], f8[:,:] -> i8")
def six_axis(spec, target, near, out):
    """`everything`, from Python: all solutions of a target (4, 4) in ``out`` (8, 6); returns how many."""
    return everything(
        view1(spec, 0, spec.shape[0]), view2(target, 0, 4, 4), view1(near, 0, 6), view2(out, 0, MOST, 6)
    )


@kernel(entry="f8[:], f8[:,:], f8[:], f8[:], f8[:], f8[:,:] -> f8")
def six_axis_within(spec, target, near, lower, upper, out):
    """`everything` by all whole turns that the limits allow, in ``out`` (n, 6) as far as it has room; returns how many.

    An angle without limits on some side is taken once, within half a turn of zero or as near to that as its limit. The
    number is a float, since wide limits have more combinations than an integer holds; no more than n are made.
    """
    rows = stack2(MOST, 6)
    count = everything(view1(spec, 0, spec.shape[0]), view2(target, 0, 4, 4), view1(near, 0, 6), rows)
    room = out.shape[0]
    made = view2(out, 0, room, 6)
    first = stack1(6)
    choices = stack1(6)
    total = 0.0
    for i in range(count):
        ways = 1.0
        for j in range(6):
            whole, _ = whole_turn(spec, j)
            x = rows[i, j]
            ok, first[j] = within(x, whole, 0.0, lower[j], upper[j])
            choices[j] = 1.0 if ok else 0.0
            if ok and whole > 0.0 and lower[j] > -math.inf and upper[j] < math.inf:
                first[j] = x + whole * math.ceil((lower[j] - SLACK - x) / whole)
                choices[j] = min(1.0 + math.floor((upper[j] + SLACK - first[j]) / whole), _MOST_TURNS)
            ways *= choices[j]
        begin = int(min(total, 1.0 * room))
        for k in range(int(min(ways, 1.0 * (room - begin)))):
            left = k
            for j in range(5, -1, -1):
                x = first[j] + whole_turn(spec, j)[0] * (left % int(choices[j]))
                made[begin + k, j] = min(upper[j], max(lower[j], x))
                left //= int(choices[j])
        total += ways
    return total
