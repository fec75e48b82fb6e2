"""How far each atom is from met, by what its goal says, in metres or radians; see `layout` for the parameters."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import (
    angle_between,
    at3,
    at9,
    by_vector,
    chained,
    flipped,
    inner,
    minus,
    outer,
    size,
    times,
    turned_by,
    vector_of,
)
from manikin.kernels.verify.frames import point_of, turn_of
from manikin.kernels.verify.layout import (
    AIM,
    AXES,
    BASE,
    COORDINATES,
    OWN,
    POINT,
    ROTATION,
    TURN,
    WORLD,
)
from manikin.kernels.verify.regions import PIECE, from_cone, from_pieces, from_ring, nearest

# Metres: nearer than this to its point, a site has no direction to aim in.
_NO_DIRECTION = 1e-7
_NONE = 1e-9
# Of a limb: the share of its size that says stretched, and what its line's lean from upright has to be.
_STRETCHED, _UPRIGHT = 1e-6, 1e-6


@kernel(exact=True)
def beyond(value, low, high):
    """How far a value is outside a range."""
    return max(low - value, value - high, 0.0)


@kernel(exact=True)
def _back(R, W, w, b, o):
    """From the world to the axes of the base at parameters o + BASE of motion b, which is −1 for the world."""
    base = at9(R, o + BASE)
    return flipped(base if b < 0 else chained(turn_of(W, w, b), base))


@kernel(exact=True)
def place_seen(R, W, w, a, b, o):
    """Origin of the frame at parameters o of motion a, in the frame of the base."""
    r = point_of(W, w, a, at3(R, o + 9))
    if b == WORLD:
        return r
    return times(_back(R, W, w, b, o), minus(r, point_of(W, w, b, at3(R, o + BASE + 9))))


@kernel(exact=True)
def axes_seen(R, W, w, a, b, o):
    """Axes of that frame, in the frame of the base."""
    turn = chained(turn_of(W, w, a), at9(R, o))
    return turn if b == WORLD else chained(_back(R, W, w, b, o), turn)


@kernel(exact=True)
def seen(R, W, w, a, b, o):
    """Origin and axes of the frame at parameters o of motion a, in the frame of the base at o + BASE of motion b."""
    return place_seen(R, W, w, a, b, o), axes_seen(R, W, w, a, b, o)


@kernel(exact=True)
def coordinates(R, p, e, low, high, count):
    """The norm of what components of e along the directions at p are outside their ranges."""
    x = 0.0
    y = 0.0
    z = 0.0
    for i in range(count):  # three at most
        x, y, z = y, z, beyond(inner(at3(R, p + 3 * i), e), R[low + i], R[high + i])
    return size((x, y, z))


@kernel(exact=True)
def _rotation(R, o, start, axes, follows, low, high, count):
    own = flipped(start) if follows else at9(R, o + OWN + 9)
    v = vector_of(chained(flipped(at9(R, o + OWN)), chained(axes, own)))
    total = 0.0
    for i in range(count):
        k = int(R[o + OWN + 18 + i])
        value = v[0] if k == 0 else v[1] if k == 1 else v[2]
        total = math.hypot(total, beyond(value, R[low + i], R[high + i]))
    return total


@kernel(exact=True)
def _aim(R, o, r, axes):
    """The angle of an axis to a direction, or to a point: points that are known to 1e-15 of the largest of their
    coordinates tell their direction to that over their distance, and so much less it is.
    """
    at = at3(R, o + OWN + 3)
    axis = times(axes, at3(R, o + OWN))
    if R[o + OWN + 6] != 0.0:
        return angle_between(axis, at)
    d = minus(at, r)
    away = size(d)
    if away < _NO_DIRECTION:
        return 0.5 * math.pi
    largest = 0.0
    for c in range(3):
        largest = max(largest, abs(at[c]), abs(r[c]))
    return max(angle_between(axis, d) - 1e-15 * largest / away, 0.0)


@kernel(exact=True)
def _axes(R, o, axes, count):
    """The angle between the frames that the first two axes tell, with their third."""
    u = times(axes, at3(R, o + OWN))
    v = times(axes, at3(R, o + OWN + 6))
    g = at3(R, o + OWN + 3)
    h = at3(R, o + OWN + 9)
    x = outer(u, v)
    y = outer(g, h)
    found = (u[0], v[0], x[0], u[1], v[1], x[1], u[2], v[2], x[2])
    target = (g[0], h[0], y[0], g[1], h[1], y[1], g[2], h[2], y[2])
    return turned_by(chained(found, flipped(target)))


@kernel(exact=True)
def of_a_site(kind, R, W, w, begun, a, b, o, follows, low, high, count):
    """Of the kinds about a site's frame, up to RING; ``begun``: where the frames of the start are."""
    if kind == TURN:
        wanted = axes_seen(R, W, begun, a, b, o) if follows else at9(R, o + OWN)
        return turned_by(chained(flipped(wanted), axes_seen(R, W, w, a, b, o)))
    if kind == ROTATION:
        axes = axes_seen(R, W, w, a, b, o)
        start = axes_seen(R, W, begun, a, b, o) if follows else axes
        return _rotation(R, o, start, axes, follows, low, high, count)
    if kind == AXES:
        return _axes(R, o, axes_seen(R, W, w, a, b, o), count)
    r = place_seen(R, W, w, a, b, o)
    if kind == COORDINATES:
        point = place_seen(R, W, begun, a, b, o) if follows else at3(R, o + OWN)
        return coordinates(R, o + OWN + 3, minus(r, point), low, high, count)
    if kind == AIM:
        return _aim(R, o, r, axes_seen(R, W, w, a, b, o))
    if kind == POINT:
        return beyond(from_pieces(R, o + OWN + 1, int(R[o + OWN]), r), R[low], R[high])
    height, off = from_ring(R, o + OWN, r)
    return math.hypot(height, off)


@kernel(exact=True)
def _placed(R, o, r, axes):
    """The point at parameters o of a frame."""
    x = times(axes, at3(R, o))
    return (r[0] + x[0], r[1] + x[1], r[2] + x[2])


@kernel(exact=True)
def clear(R, W, w, a, b, o, low, count):
    """The most that a capsule of a segment is too near to a region."""
    r, axes = seen(R, W, w, a, b, o)
    pieces = int(R[o + OWN])
    capsule = o + OWN + 1 + PIECE * pieces
    worst = 0.0
    for i in range(count):
        start = _placed(R, capsule, r, axes)
        end = _placed(R, capsule + 3, r, axes)
        value = nearest(R, o + OWN + 1, pieces, start, end, R[capsule + 6], R[capsule + 7], R[low + i])
        worst = max(worst, R[low + i] - value)
        capsule += 8
    return worst


@kernel(exact=True)
def _gap(R, one, r, axes, other, t):
    """The distance of the ball at the share t of a capsule from another capsule."""
    a = _placed(R, one, r, axes)
    b = _placed(R, one + 3, r, axes)
    x = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))
    start = at3(R, other)
    along = minus(at3(R, other + 3), start)
    length = size(along)
    u = (0.0, 0.0, 1.0)
    if length > 0.0:
        u = (along[0] / length, along[1] / length, along[2] / length)
    radius = R[one + 6] + t * (R[one + 7] - R[one + 6])
    return from_cone(start, u, length, R[other + 6], R[other + 7], x) - radius


@kernel(exact=True)
def apart(R, W, w, a, b, o, low):
    """By how much two segments are too near."""
    r, axes = seen(R, W, w, a, b, o)
    mine = int(R[o + OWN])
    theirs = int(R[o + OWN + 1])
    worst = 0.0
    for i in range(mine):
        one = o + OWN + 2 + 8 * i
        half = 0.5 * (size(minus(at3(R, one + 3), at3(R, one))) + abs(R[one + 7] - R[one + 6]))
        for j in range(theirs):
            other = o + OWN + 2 + 8 * (mine + j)
            if _gap(R, one, r, axes, other, 0.5) - half >= R[low]:
                continue
            left = 0.0
            right = 1.0
            best = min(_gap(R, one, r, axes, other, 0.0), _gap(R, one, r, axes, other, 1.0))
            for _ in range(100):  # thirds: the distance is convex
                s = left + (right - left) / 3.0
                t = right - (right - left) / 3.0
                f = _gap(R, one, r, axes, other, s)
                g = _gap(R, one, r, axes, other, t)
                best = min(best, f, g)
                if f < g:
                    right = t
                else:
                    left = s
            worst = max(worst, R[low] - best)
    return worst


@kernel(exact=True)
def egg(R, W, w, a, b, o, low):
    """By how much an ellipsoid's lowest point is too low over a plane: n·(c − p) less its half axes' length on n."""
    r, axes = seen(R, W, w, a, b, o)
    c = _placed(R, o + OWN, r, axes)
    n = at3(R, o + OWN + 15)
    down = 0.0
    for k in range(3):
        down = math.hypot(down, inner(times(axes, at3(R, o + OWN + 3 + 3 * k)), n))
    return max(0.0, R[low] - (inner(n, minus(c, at3(R, o + OWN + 12))) - down))


@kernel(exact=True)
def support(R, W, w, hull, center, o, low):
    """By how much the centre of mass is too near to the edge of the hull of its support, or outside, seen from above.

    The hull is wrapped: from its lowest point on, the next corner has all others to its left. Inside, the nearest edge
    counts; outside, the nearest point: beyond a sharp corner the lines of its edges are near and the corner is not.
    Points in a line support what is on that line.
    """
    n = int(R[o])
    first = 0
    for k in range(n):
        x = point_of(W, w, int(R[o + 1 + 4 * k]), at3(R, o + 2 + 4 * k))
        W[hull + 2 * k] = x[0] - center[0]
        W[hull + 2 * k + 1] = x[1] - center[1]
        y = W[hull + 2 * k + 1]
        best = W[hull + 2 * first + 1]
        if y < best or (y == best and W[hull + 2 * k] < W[hull + 2 * first]):
            first = k
    inside = math.inf
    nearest = math.inf
    area = 0.0
    a = first
    for _ in range(n):
        b = a
        for k in range(n):
            e0 = W[hull + 2 * k] - W[hull + 2 * a]
            e1 = W[hull + 2 * k + 1] - W[hull + 2 * a + 1]
            d0 = W[hull + 2 * b] - W[hull + 2 * a]
            d1 = W[hull + 2 * b + 1] - W[hull + 2 * a + 1]
            side = d0 * e1 - d1 * e0
            if side < 0.0 or (side == 0.0 and math.hypot(e0, e1) > math.hypot(d0, d1)):
                b = k
        d0 = W[hull + 2 * b] - W[hull + 2 * a]
        d1 = W[hull + 2 * b + 1] - W[hull + 2 * a + 1]
        length = math.hypot(d0, d1)
        if length == 0.0:
            break
        inside = min(inside, (W[hull + 2 * a] * d1 - W[hull + 2 * a + 1] * d0) / length)
        t = -(W[hull + 2 * a] * d0 + W[hull + 2 * a + 1] * d1) / (length * length)
        t = min(max(t, 0.0), 1.0)
        nearest = min(nearest, math.hypot(W[hull + 2 * a] + t * d0, W[hull + 2 * a + 1] + t * d1))
        for k in range(n):
            e0 = W[hull + 2 * k] - W[hull + 2 * a]
            e1 = W[hull + 2 * k + 1] - W[hull + 2 * a + 1]
            area = max(area, (d0 * e1 - d1 * e0) / length)
        a = b
        if a == first:
            break
    if area < _NONE:
        return on_line(W, hull, n, R[low])
    return max(0.0, R[low] - (inside if inside >= 0.0 else -nearest))


@kernel(exact=True)
def on_line(W, hull, n, least):
    """The same for points in a line: how far the origin is from the stretch between those farthest apart."""
    a = 0
    b = 0
    longest = 0.0
    for i in range(n):
        for j in range(n):
            length = math.hypot(W[hull + 2 * i] - W[hull + 2 * j], W[hull + 2 * i + 1] - W[hull + 2 * j + 1])
            if length > longest:
                longest = length
                a = i
                b = j
    x = W[hull + 2 * a]
    y = W[hull + 2 * a + 1]
    if longest < _NONE:
        return max(0.0, least + math.hypot(x, y))
    u = (W[hull + 2 * b] - x) / longest
    v = (W[hull + 2 * b + 1] - y) / longest
    along = -(x * u + y * v)
    across = abs(x * v - y * u)
    return max(0.0, least - min(-across, along, longest - along))


@kernel(exact=True)
def swivel(R, W, w, o, low, high):
    """How far the angle of an elbow about the line from shoulder to wrist is outside its range.

    With ρ its distance from that line, L the line's length, x the elbow seen from the shoulder and ℓ the length of both
    bones, there is none where ρ L ≤ 1e-6 ℓ (L + |x|): the limb is stretched, or the wrist at the shoulder. Points that
    are known to δ, 1e-15 of the largest of their coordinates, tell it to δ (L + |x|)/(ρ L), and to δ/(σ L) where the
    line is all but upright, σ from it; so much less is it outside.
    """
    shoulder = point_of(W, w, int(R[o]), at3(R, o + 1))
    middle = point_of(W, w, int(R[o + 4]), at3(R, o + 5))
    end = point_of(W, w, int(R[o + 8]), at3(R, o + 9))
    elbow = minus(middle, shoulder)
    n = minus(end, shoulder)
    length = size(n)
    if length == 0.0:
        return 0.0
    n = (n[0] / length, n[1] / length, n[2] / length)
    s = inner(elbow, n)
    rho = size((elbow[0] - s * n[0], elbow[1] - s * n[1], elbow[2] - s * n[2]))
    upper = size(elbow)
    both = upper + size(minus(end, middle))
    if not rho * length > _STRETCHED * both * (length + upper):
        return 0.0
    u = (n[2] * n[0], n[2] * n[1], n[2] * n[2] - 1.0)
    if size(u) < _UPRIGHT:
        u = (1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2])
    largest = 0.0
    for c in range(3):
        largest = max(largest, abs(shoulder[c]), abs(middle[c]), abs(end[c]))
    unsure = 1e-15 * largest * ((length + upper) / (rho * length) + 1.0 / (size(u) * length))
    phi = math.atan2(inner(elbow, outer(n, u)), inner(elbow, u))
    off = math.inf
    for k in range(-3, 4):
        off = min(off, beyond(phi + 2.0 * math.pi * k, R[low], R[high]))
    return max(off - unsure, 0.0)


@kernel(exact=True)
def cone(R, q, o):
    """By how much (σ₁/r₁)² + (σ₂/r₂)² is above 1, σ the swing as the cone's centre sees it."""
    x = q[int(R[o])]
    y = q[int(R[o + 1])]
    if R[o + 2] != 0.0 or R[o + 3] != 0.0:
        swing = by_vector(x, y, 0.0)
        d = times(flipped(by_vector(R[o + 2], R[o + 3], 0.0)), (swing[2], swing[5], swing[8]))
        across = math.hypot(d[0], d[1])
        lean = math.atan2(across, d[2])
        if across > 0.0:
            x = -d[1] * lean / across
            y = d[0] * lean / across
        else:
            x = lean
            y = 0.0
    value = (x / R[o + 4]) * (x / R[o + 4]) + (y / R[o + 5]) * (y / R[o + 5])
    return max(0.0, value - 1.0)


@kernel(exact=True)
def linear(R, q, o, low, high):
    """How far a linear constraint is left, by the length of its normal."""
    value = 0.0
    square = 0.0
    for k in range(int(R[o])):
        f = R[o + 2 + 2 * k]
        value += f * q[int(R[o + 1 + 2 * k])]
        square += f * f
    return beyond(value, R[low], R[high]) / max(math.sqrt(square), 1.0)
