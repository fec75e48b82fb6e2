"""Components of the centre of mass: gᵢ = dᵢ·(c − p).

Parameters: the point p (3), a direction d a row (3 each).
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.residuals.kind import Kind
from manikin.kernels.residuals.layout import ON_MASS
from manikin.kernels.residuals.mass import add_center_force


@kernel
def _measure(M, _sweep, t):
    p = M.parameters
    o = M.offset[t]
    for i in range(M.count[t]):
        row = M.first[t] + i
        value = 0.0
        for c in range(3):
            d = p[o + 3 + 3 * i + c]
            value += d * (M.center[c] - p[o + c])
            M.wrench[row, c] = d
            M.wrench[row, 3 + c] = 0.0
        M.value[row] = value
        M.near[row] = 1.0


@kernel
def _second(tree, M, sweep, t, force, slopes, by_value):
    """A force on the centre of mass."""
    f0 = 0.0
    f1 = 0.0
    f2 = 0.0
    for r in range(M.first[t], M.first[t] + M.count[t]):
        f0 += force[r] * M.wrench[r, 0]
        f1 += force[r] * M.wrench[r, 1]
        f2 += force[r] * M.wrench[r, 2]
    add_center_force(M, sweep, (f0, f1, f2))


KIND = Kind(
    _measure,
    lambda part, at: [part.point, part.directions.ravel()],
    attach=ON_MASS,
    second=_second,
    targets={"point": 0},
)
