"""The centre of mass, and its derivatives by the axis values.

c = Σ μᵢ cᵢ over the motions that carry mass, μᵢ their shares of it. A force d on the centre is μᵢ d at every cᵢ. The
derivatives follow from sums over subtrees: an axis value with the twist (v, ω) moves c by μ v + ω × s, where μ and
s = Σ μᵢ cᵢ are those of what hangs on it.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.vector import cross, vector
from manikin.kernels.residuals.curvature import add_force
from manikin.kernels.residuals.errors import world_point


@kernel
def find_center(M, frames):
    """The centre of mass, into ``center``."""
    x = 0.0
    y = 0.0
    z = 0.0
    for k in range(M.mass_motion.shape[0]):
        mu = M.mass[k, 0]
        c = world_point(frames, M.mass_motion[k], vector(M.mass[k], 1))
        x += mu * c[0]
        y += mu * c[1]
        z += mu * c[2]
    M.center[0] = x
    M.center[1] = y
    M.center[2] = z


@kernel
def find_columns(tree, M, sweep):
    """Derivatives of the centre of mass by the axis values, into ``columns``, from their twists about the origin."""
    frames = sweep.frames
    sums = M.subtree
    for i in range(sums.shape[0]):
        for c in range(4):
            sums[i, c] = 0.0
    for k in range(M.mass_motion.shape[0]):
        i = M.mass_motion[k]
        mu = M.mass[k, 0]
        x = world_point(frames, i, vector(M.mass[k], 1))
        sums[i, 0] += mu
        sums[i, 1] += mu * x[0]
        sums[i, 2] += mu * x[1]
        sums[i, 3] += mu * x[2]
    for i in range(sums.shape[0] - 1, 0, -1):
        for c in range(4):
            sums[tree.parent[i], c] += sums[i, c]
        mu = sums[i, 0]
        for k in range(tree.axis[i], tree.axis[i] + tree.size[i]):
            t = sweep.twist[k]
            M.columns[k, 0] = mu * t[0] + t[4] * sums[i, 3] - t[5] * sums[i, 2]
            M.columns[k, 1] = mu * t[1] + t[5] * sums[i, 1] - t[3] * sums[i, 3]
            M.columns[k, 2] = mu * t[2] + t[3] * sums[i, 2] - t[4] * sums[i, 1]


@kernel
def push_center(M, frames, f, wrenches):
    """Add the force f on the centre of mass to the wrenches of the motions."""
    for k in range(M.mass_motion.shape[0]):
        i = M.mass_motion[k]
        mu = M.mass[k, 0]
        x = world_point(frames, i, vector(M.mass[k], 1))
        m = cross(x, f)
        for c in range(3):
            wrenches[i, c] += mu * f[c]
            wrenches[i, 3 + c] += mu * m[c]


@kernel
def add_center_force(M, sweep, f):
    """Add the force f on the centre of mass to the tensors of second derivatives."""
    for k in range(M.mass_motion.shape[0]):
        i = M.mass_motion[k]
        mu = M.mass[k, 0]
        x = world_point(sweep.frames, i, vector(M.mass[k], 1))
        add_force(sweep.tensors, i, x, (mu * f[0], mu * f[1], mu * f[2]))
