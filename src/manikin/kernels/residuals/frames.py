"""A site's frame as rows see it: from the world, or from another motion.

The site's position r and axes R come in the frame of the *base* motion b, in which all targets are given:
r = Rᵦᵀ (r_world − pᵦ). A function g(r, R) whose derivative there is f·dr + m·dω has, in the world, the wrench
(Rᵦ f at the site, Rᵦ m) on the site's motion and its opposite on the base's.

The parameters of kinds of a site begin with its frame in its motion's, rotation by rows and position (12); from ``OWN``
on they are the kind's own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import applied, applied_back, cross, dot, matrix, product, transposed
from manikin.kernels.residuals.layout import HORIZON

SITE_TURN = 0
SITE_PLACE = 9
OWN = 12


def site_numbers(at: Any, *own: Any, turned: np.ndarray | None = None) -> list[Any]:
    """The parameters of a kind of a site: its frame, its axes ``turned`` in it, and the kind's own."""
    turn = at.site[:3, :3]
    return [(turn if turned is None else turn @ turned).ravel(), at.site[:3, 3], *own]


@kernel
def frame_turn(frames, i):
    """Rotation of motion i."""
    return matrix(frames[i], 0)


@kernel
def into(frames, b, x):
    """The world's point x in the frame of motion b."""
    if b == 0:
        return x
    d = (x[0] - frames[b, 9], x[1] - frames[b, 10], x[2] - frames[b, 11])
    return applied_back(frame_turn(frames, b), d)


@kernel
def out_of(frames, b, v):
    """The direction v of motion b in the world."""
    if b == 0:
        return v
    return applied(frame_turn(frames, b), v)


@kernel
def set_force(wrench, row, r, f):
    """Row's wrench: the force f at the world's point r."""
    m = cross(r, f)
    for c in range(3):
        wrench[row, c] = f[c]
        wrench[row, 3 + c] = m[c]


@kernel
def set_moment(wrench, row, m):
    """Row's wrench: the moment m."""
    for c in range(3):
        wrench[row, c] = 0.0
        wrench[row, 3 + c] = m[c]


@kernel
def relative_turn(frames, a, b, p, o):
    """Axes of the site of parameters o on motion a, seen from motion b."""
    turned = product(frame_turn(frames, a), matrix(p, o + SITE_TURN))
    if b == 0:
        return turned
    rb = frame_turn(frames, b)
    return product(transposed(rb), turned)


@kernel
def error_turn(frames, a, b, p, o):
    """TᵀR of the target axes T at the part's own parameters, and T."""
    r = relative_turn(frames, a, b, p, o)
    t = matrix(p, o + OWN)
    return product(transposed(t), r), t


@kernel
def unit_quaternion(r):
    """(w, v) of a rotation, w ≥ 0: of four multiples of it the one with the largest pivot."""
    trace = r[0] + r[4] + r[8]
    if trace >= max(r[0], r[4], r[8]):
        w = 1.0 + trace
        v = (r[7] - r[5], r[2] - r[6], r[3] - r[1])
    elif r[0] >= r[4] and r[0] >= r[8]:
        w = r[7] - r[5]
        v = (1.0 + 2.0 * r[0] - trace, r[1] + r[3], r[2] + r[6])
    elif r[4] >= r[8]:
        w = r[2] - r[6]
        v = (r[1] + r[3], 1.0 + 2.0 * r[4] - trace, r[5] + r[7])
    else:
        w = r[3] - r[1]
        v = (r[2] + r[6], r[5] + r[7], 1.0 + 2.0 * r[8] - trace)
    f = 1.0 / math.sqrt(w * w + dot(v, v))
    if w < 0.0:
        f = -f
    return w * f, (v[0] * f, v[1] * f, v[2] * f)


@kernel
def all_near(M, t):
    """No row of part t is left out."""
    for r in range(M.first[t], M.first[t] + M.count[t]):
        M.near[r] = 1.0


@kernel
def near_by_value(M, t):
    """Rows of part t are left out that are inside their ranges by more than the horizon."""
    spare = M.option[HORIZON]
    for r in range(M.first[t], M.first[t] + M.count[t]):
        far = M.value[r] > M.lower[r] + spare and M.value[r] < M.upper[r] - spare
        M.near[r] = 0.0 if far else 1.0
