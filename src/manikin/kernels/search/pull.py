"""What a step prefers among equals, the *pull*: where it would go if nothing were asked, by default a little towards
rest, or to the end of a posture that is asked for; and how such a step is lengthened, and when it has arrived.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel

#: The weak pull towards rest, for a figure that follows something: a share of the way that is left; in how many steps.
PULL, PULL_STEPS = 0.5, 1
# None where more than this is missed, in metres, at the start. It is less where a step would be longer than so many
# radians a metre of what is missed, so that a figure that is nearly there stays, or than this, so that it bends the way
# little.
_FOLLOWS, _PULL_BY_MISS, _PULL_LONGEST = 0.03, 12.0, 0.1
_TURN = 2.0 * math.pi
# Where a pull leads to its end: it is there after a step shorter than the first, or than a share of the whole way.
_THERE, _THERE_SHARE = 2e-4, 1e-3
# Or where it leaves less than this, by the ratio of the last two steps; the first of them by a wider bound, this many
# times the product of its length and of what the rows press.
_LEFT, _LEAVES = 3e-5, 2.0
_EXTRAPOLATED = 5.0
# Changes whose squares' determinant is below this share of their product say the same twice.
_DEPENDENT = 1e-6


@kernel
def pull_towards(s, share):
    """Where the step would go by itself, a share of the way, into PULL; how far one variable wants to go.

    It is the same share of every variable's way: cut one by one they would lead to a place that depends on how the
    figure came, not to the posture nearest to rest.
    """
    wanted = 0.0
    for i in range(s.work.x.shape[0]):
        way = 0.0
        if s.bounds.pull_share[i] > 0.0:
            x = s.work.x[i]
            way = share * (min(max(x, s.bounds.pull_low[i]), s.bounds.pull_high[i]) - x)
            wanted = max(wanted, abs(way))
            way *= s.bounds.pull_share[i]
        s.work.pull[i] = way / s.bounds.scale[i]
    return wanted


@kernel
def pulls_taken(potential, weight):
    """How many pulled steps count as taken where a search begins: all of them where it follows nothing."""
    return 0 if potential <= _FOLLOWS * _FOLLOWS * weight else PULL_STEPS


@kernel
def longest_pulled(miss):
    """How long a step with a weak pull may be; ``miss`` is in metres."""
    return min(_PULL_BY_MISS * miss, _PULL_LONGEST)


@kernel
def stand(space, start, fresh, x, bounds):
    """Let the pull lead a base that nothing else places, the variables that ``stays`` marks, back to where it stands in
    the start; or, unless the search is ``fresh``, to where it stood before: what is dragged round a closed path comes
    back with it.

    Of a rotation vector, to the one of that rotation that is nearer.
    """
    stays = bounds.stays
    rest = bounds.pull_low
    for i in range(x.shape[0]):
        if fresh and stays[i] != 0.0:
            j = space.variable[i]
            rest[i] = min(max(start[j], space.lower[j]), space.upper[j])
    for c in range(space.charts.shape[0]):
        first = space.charts[c, 0]
        if stays[first] == 0.0:
            continue
        square = 0.0
        along = 0.0
        for i in range(first, first + space.charts[c, 1]):
            square += rest[i] * rest[i]
            along += rest[i] * x[i]
        length = math.sqrt(square)
        if length == 0.0:
            continue
        other = length - _TURN
        if (other - length) * (other + length - 2.0 * along / length) < 0.0:
            for i in range(first, first + space.charts[c, 1]):
                rest[i] *= other / length
    for i in range(x.shape[0]):
        if stays[i] != 0.0:
            bounds.pull_high[i] = rest[i]


@kernel
def lengths(s):
    """The length of the step, and that of the whole way that the pull wants, scaled."""
    step = 0.0
    way = 0.0
    for i in range(s.work.x.shape[0]):
        step += s.work.base[i] * s.work.base[i]
        if s.bounds.pull_share[i] > 0.0:
            x = s.work.x[i]
            to = (min(max(x, s.bounds.pull_low[i]), s.bounds.pull_high[i]) - x) / s.bounds.scale[i]
            way += to * to
    return math.sqrt(step), math.sqrt(way)


@kernel
def is_there(longest, step, way, before):
    """Whether a pull is where it leads to after a step: that was short, or what it leaves is.

    A step d leaves of the balance p = Jᵀy what the derivatives have turned since, (J − J₀)ᵀy: about its length times
    ‖Jᵀy‖ = ‖p − d‖. So steps shorten by the same ratio, which is known after two (``before``: the last step, 0 where
    there is none); the longest entry with them.
    """
    if longest <= _THERE or step <= _THERE_SHARE * way:
        return True
    if before > 0.0:
        return longest * step <= _LEFT * before
    return longest * _LEAVES * (longest + step) * (way + step) <= _THERE * step


@kernel
def extrapolate(s, kept):
    """Lengthen a step of a pull that converges slowly, by the last ``kept`` ones, two at most (Anderson 1965).

    With f the plain steps, F the changes of f from one to the next and S the steps taken between them:
    f − (S + F) γ, γ the least squares of f − F γ. Kept are the plain step and, when it is taken, the one to take.
    """
    work = s.work
    n = work.x.shape[0]
    a11 = 0.0
    a12 = 0.0
    a22 = 0.0
    b1 = 0.0
    b2 = 0.0
    for i in range(n):
        f = work.base[i]
        change = f - work.last_plain[i]
        older = work.older_change[i]
        a11 += change * change
        a12 += change * older
        a22 += older * older
        b1 += change * f
        b2 += older * f
    first = b1 / a11 if kept > 0 and a11 > 0.0 else 0.0
    second = 0.0
    determinant = a11 * a22 - a12 * a12
    if kept > 1 and determinant > _DEPENDENT * a11 * a22:
        first = (b1 * a22 - b2 * a12) / determinant
        second = (b2 * a11 - b1 * a12) / determinant
    first = min(max(first, -_EXTRAPOLATED), _EXTRAPOLATED)
    second = min(max(second, -_EXTRAPOLATED), _EXTRAPOLATED)
    for i in range(n):
        f = work.base[i]
        change = f - work.last_plain[i]
        if kept > 0:
            by_last = first * (work.last_step[i] + change)
            work.base[i] -= by_last + second * (work.older_step[i] + work.older_change[i])
        work.older_change[i] = change
        work.older_step[i] = work.last_step[i]
        work.last_plain[i] = f
