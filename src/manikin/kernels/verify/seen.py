"""What is seen of a site or a segment: its frame in the world or in that of its base, and what is outside a range."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.verify.algebra import at3, at9, chained, flipped, inner, minus, size, times
from manikin.kernels.verify.frames import point_of, turn_of
from manikin.kernels.verify.layout import BASE, WORLD


@kernel(exact=True)
def beyond(value, low, high):
    """How far a value is outside a range."""
    return max(low - value, value - high, 0.0)


@kernel(exact=True)
def _back(c, w):
    """From the world to the axes of the base, whose motion is −1 for the world."""
    base = at9(c.R, c.o + BASE)
    return flipped(base if c.b < 0 else chained(turn_of(c.W, w, c.b), base))


@kernel(exact=True)
def place_seen(c, w):
    """Origin of the frame of an atom in that of its base, where the motions' frames are from w on."""
    r = point_of(c.W, w, c.a, at3(c.R, c.o + 9))
    if c.b == WORLD:
        return r
    return times(_back(c, w), minus(r, point_of(c.W, w, c.b, at3(c.R, c.o + BASE + 9))))


@kernel(exact=True)
def axes_seen(c, w):
    """Axes of that frame, in the frame of the base."""
    turn = chained(turn_of(c.W, w, c.a), at9(c.R, c.o))
    return turn if c.b == WORLD else chained(_back(c, w), turn)


@kernel(exact=True)
def placed(R, o, r, axes):
    """The point at parameters o of a frame."""
    x = times(axes, at3(R, o))
    return (r[0] + x[0], r[1] + x[1], r[2] + x[2])


@kernel(exact=True)
def along(c, p, e):
    """The norm of what components of e along the directions at p are outside their ranges."""
    x = 0.0
    y = 0.0
    z = 0.0
    for i in range(c.count):  # three at most
        x, y, z = y, z, beyond(inner(at3(c.R, p + 3 * i), e), c.R[c.low + i], c.R[c.high + i])
    return size((x, y, z))
