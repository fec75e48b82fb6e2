"""Components of a site's rotation: gᵢ = component of the rotation vector y of FᵀR.

Parameters: the site's frame (12), the frame F by rows (9), a component a row (1 each).
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import applied, applied_back, cross, dot, matrix, product
from manikin.kernels.residuals.frames import (
    OWN,
    SITE_TURN,
    all_near,
    error_turn,
    frame_turn,
    out_of,
    set_moment,
    site_numbers,
    unit_quaternion,
)
from manikin.kernels.residuals.kind import Kind


@kernel
def _measure(M, sweep, t):
    """dy = J⁻¹ η, J⁻¹ = I − ½[y] + c [y]², c = (1 − ½θ cot ½θ)/θ².

    Row i has the moment F J⁻ᵀ eᵢ, J⁻ᵀ eᵢ = eᵢ + ½ y × eᵢ + c y × (y × eᵢ).
    """
    p = M.parameters
    b = M.base[t]
    o = M.offset[t]
    first = M.first[t]
    error, axes = error_turn(sweep.frames, M.motion[t], b, p, o)
    w, v = unit_quaternion(error)
    sine = math.sqrt(dot(v, v))
    angle = 2.0 * math.atan2(sine, w)
    f = angle / sine if sine > 1e-9 else 2.0
    y = (f * v[0], f * v[1], f * v[2])
    square = angle * angle
    if angle < 0.05:
        c = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    else:
        c = (1.0 - 0.5 * angle * w / sine) / square
    for i in range(M.count[t]):
        which = int(p[o + OWN + 9 + i])
        e = (1.0 if which == 0 else 0.0, 1.0 if which == 1 else 0.0, 1.0 if which == 2 else 0.0)
        ye = cross(y, e)
        yye = cross(y, ye)
        m = (
            e[0] + 0.5 * ye[0] + c * yye[0],
            e[1] + 0.5 * ye[1] + c * yye[1],
            e[2] + 0.5 * ye[2] + c * yye[2],
        )
        M.value[first + i] = y[which]
        set_moment(M.wrench, first + i, out_of(sweep.frames, b, applied(axes, m)))
    all_near(M, t)


@kernel
def _mean_start(M, frames, t):
    """The site's axes S with Rᵦᵀ R S = F, F those that the rotation is measured from."""
    p = M.parameters
    o = M.offset[t]
    wanted = product(frame_turn(frames, M.base[t]), matrix(p, o + OWN))
    r = frame_turn(frames, M.motion[t])
    for c in range(3):
        column = applied_back(r, (wanted[c], wanted[3 + c], wanted[6 + c]))
        for row in range(3):
            p[o + SITE_TURN + 3 * row + c] = column[row]


KIND = Kind(
    _measure,
    lambda part, at: site_numbers(at, (at.turn @ part.turn).ravel(), part.components, turned=part.site_axes),
    mean_start=_mean_start,
)
