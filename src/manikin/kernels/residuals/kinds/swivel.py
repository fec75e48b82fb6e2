"""The swivel angle of a limb: its elbow E about the line from shoulder S to wrist W, 0 where it hangs lowest.

n = (W − S)/L, û the direction D = down across n, v̂ = n × û, x = E − S: φ = atan2(x·v̂, x·û). With ρ the elbow's distance
from the line, τ = n × x/ρ and σ the length of D across n:

    dφ = τ·dx/ρ + (−(x·n) τ/ρ + (D·n) v̂/σ)·dn,   dn = (I − n nᵀ)(dW − dS)/L.

A limb that points straight down or up, σ < 1e-6, has D = ahead. A stretched one has no swivel: it counts as within its
range. Points that are known to δ tell φ to about δ (1 + |x|/L)/ρ, so that with points known to 1e-15 of the limb's own
size, ℓ = |x| + |W − E|, and hard goals held to 1e-8, the angle is one where

    ρ L > 1e-6 ℓ (L + |x|):

ten times as much as it takes. Here the factor is half of that, so that whoever judges an end by the whole never finds
an angle where the search saw none.

Parameters: S E W in their motions' frames (9). Index: their motions.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.arctan import atan2
from manikin.kernels.math.vector import combined, cross, dot, scaled, vector
from manikin.kernels.residuals.errors import world_point
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import ON_POINTS

# Of what is said above: the share of the limb's size, and σ.
_STRETCHED, _UPRIGHT = 0.5e-6, 1e-6


@kernel
def _reference(n):
    """D and its part across n."""
    down = (0.0, 0.0, -1.0)
    u = combined(down, 1.0, n, -dot(down, n))
    if dot(u, u) < _UPRIGHT * _UPRIGHT:
        down = (1.0, 0.0, 0.0)
        u = combined(down, 1.0, n, -dot(down, n))
    return down, u


@kernel
def _put(M, slot, place, motion, x, f):
    m = cross(x, f)
    extra = M.extra[slot]
    extra[place, 0] = motion
    for c in range(3):
        extra[place, 1 + c] = f[c]
        extra[place, 4 + c] = m[c]


@kernel
def _measure(M, sweep, t):
    frames = sweep.frames
    row = M.first[t]
    link = M.link[t]
    o = M.offset[t]
    slot = M.more[t]
    for s in range(4):
        M.extra[slot, s, 0] = 0.0
    for c in range(6):
        M.wrench[row, c] = 0.0
    M.near[row] = 1.0
    low = M.lower[row]
    high = M.upper[row]
    M.value[row] = min(max(0.0, low), high)
    shoulder = world_point(frames, M.index[link], vector(M.parameters, o))
    elbow = world_point(frames, M.index[link + 1], vector(M.parameters, o + 3))
    wrist = world_point(frames, M.index[link + 2], vector(M.parameters, o + 6))
    x = combined(elbow, 1.0, shoulder, -1.0)
    w = combined(wrist, 1.0, shoulder, -1.0)
    length = math.sqrt(dot(w, w))
    if length == 0.0:
        return
    n = scaled(w, 1.0 / length)
    along = dot(x, n)
    across = combined(x, 1.0, n, -along)
    rho = math.sqrt(dot(across, across))
    upper = math.sqrt(dot(x, x))
    fore = combined(w, 1.0, x, -1.0)
    if not rho * length > _STRETCHED * (upper + math.sqrt(dot(fore, fore))) * (length + upper):
        return
    down, u = _reference(n)
    sigma = math.sqrt(dot(u, u))
    u = scaled(u, 1.0 / sigma)
    v = cross(n, u)
    phi = atan2(dot(x, v), dot(x, u))
    if low > -math.inf and high < math.inf:
        whole = 2.0 * math.pi
        phi -= whole * math.floor((phi - 0.5 * (low + high)) / whole + 0.5)
    M.value[row] = phi
    tau = scaled(cross(n, across), 1.0 / (rho * rho))
    by_n = combined(tau, -along, v, dot(down, n) / sigma)
    by_w = scaled(by_n, 1.0 / length)
    _put(M, slot, 0, M.index[link + 1], elbow, tau)
    _put(M, slot, 1, M.index[link + 2], wrist, by_w)
    _put(M, slot, 2, M.index[link], shoulder, combined(tau, -1.0, by_w, -1.0))


KIND = Kind(_measure, lambda _part, at: [at.points], attach=ON_POINTS)
