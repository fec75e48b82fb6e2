"""How far a site is from a point, a line or a plane, its axes from others, a pointing axis from its aim: written once.

POINT   r − p                                            AXES   vₖ − gₖ
LINE    (r − p) − ((r − p)·ν) ν                          AIM    v − d,  d = (p − r)/‖p − r‖
PLANE   ((r − p)·ν) ν

Potentials and their forces (`potentials`), second derivatives (`curvature`), strips of rows (`search.rows`), rows of
every kind (`pose`) and misses are made of these, for one pose or for four in lanes. Their derivatives, for a site that
moves by dr and turns by dω: `minded` of dr; dω × v; and dω × v + (dr − (dr·d) d)/‖p − r‖, `without` of dr.

Columns of ``parameters``, a row a part, in the frame of the motion that carries the site:

0:3 site · 3:12 its axes v₁ v₂ v₃ (AIM: the pointing axis first) · 12:15 p · 15:24 g₁ g₂ g₃ (or ν) ·
24 w (times c² for angles; 0 switches the part off) · 25:28 ½ a · 28 square of the miss that is small enough
to stop at · 29 miss that counts as reached.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import difference, dot
from manikin.kernels.memory.lanes import select

POINT = 0
LINE = 1
PLANE = 2
AXES = 3
AIM = 4

SITE = 0
SITE_AXES = 3
TARGET = 12
TARGET_AXES = 15
WEIGHT = 24
AXIS_WEIGHTS = 25
STOP = 28
TOLERANCE = 29

# Nearer than 0.1 µm (squared) there is no direction to aim at: a constant miss of 90°, and no slope.
NO_DIRECTION = 1e-14


@kernel
def world_point(frames, i, x):
    """World position of the point x of motion i."""
    return (
        frames[i, 9] + frames[i, 0] * x[0] + frames[i, 1] * x[1] + frames[i, 2] * x[2],
        frames[i, 10] + frames[i, 3] * x[0] + frames[i, 4] * x[1] + frames[i, 5] * x[2],
        frames[i, 11] + frames[i, 6] * x[0] + frames[i, 7] * x[1] + frames[i, 8] * x[2],
    )


@kernel
def world_axis(frames, i, x):
    """World direction of the direction x of motion i."""
    return (
        frames[i, 0] * x[0] + frames[i, 1] * x[1] + frames[i, 2] * x[2],
        frames[i, 3] * x[0] + frames[i, 4] * x[1] + frames[i, 5] * x[2],
        frames[i, 6] * x[0] + frames[i, 7] * x[1] + frames[i, 8] * x[2],
    )


@kernel
def triple(parameters, t, c):
    """Three numbers of row t, from column c on."""
    return parameters[t, c], parameters[t, c + 1], parameters[t, c + 2]


@kernel
def site_point(frames, i, parameters, t):
    """World position of the site of part t, carried by motion i."""
    return world_point(frames, i, triple(parameters, t, SITE))


@kernel
def site_axis(frames, i, parameters, t, k):
    """World direction of axis k of the site of part t, carried by motion i."""
    return world_axis(frames, i, triple(parameters, t, SITE_AXES + 3 * k))


@kernel
def without(x, d):
    """What of x is at right angles to the unit vector d: x − (x·d) d."""
    along = dot(x, d)
    return x[0] - along * d[0], x[1] - along * d[1], x[2] - along * d[2]


@kernel
def minded(kind, x, n):
    """What of x a POINT, a LINE along n or a PLANE across n minds; linear, so of errors and of their derivatives."""
    if kind == LINE:
        return without(x, n)
    if kind == PLANE:
        along = dot(x, n)
        return along * n[0], along * n[1], along * n[2]
    return x


@kernel
def point_error(kind, parameters, t, r):
    """The part of r − p that a POINT, LINE or PLANE minds."""
    e = difference(r, triple(parameters, t, TARGET))
    if kind == POINT:
        return e
    return minded(kind, e, triple(parameters, t, TARGET_AXES))


@kernel
def axis_error(frames, i, parameters, t, k):
    """vₖ of the site in the world, and vₖ − gₖ."""
    v = site_axis(frames, i, parameters, t, k)
    return v, difference(v, triple(parameters, t, TARGET_AXES + 3 * k))


@kernel
def towards(p, r):
    """The unit vector d from r to p, 1/‖p − r‖, and whether they are too near for one: then both are 0."""
    d = difference(p, r)
    apart = dot(d, d)
    none = apart < NO_DIRECTION
    inverse = select(none, 0.0, 1.0 / math.sqrt(select(none, 1.0, apart)))
    return (d[0] * inverse, d[1] * inverse, d[2] * inverse), inverse, none


@kernel
def aim_error(parameters, t, r, v):
    """d, 1/‖p − r‖, whether there is no direction, and v − d of an AIM at p; its square is then to be taken for 2."""
    d, inverse, none = towards(triple(parameters, t, TARGET), r)
    return d, inverse, none, difference(v, d)


@kernel
def only_axis(parameters, t):
    """The one axis that an AXES part minds; −1 where there are more."""
    minded_axes = 0
    only = 0
    for k in range(3):
        if parameters[t, AXIS_WEIGHTS + k] > 0.0:
            minded_axes += 1
            only = k
    return only if minded_axes == 1 else -1
