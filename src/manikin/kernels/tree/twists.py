"""What every axis value does: the velocity (v, ω) that it gives to what it carries, v that of a point."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.tree.dispatch import ROTATE, SLIDE, twist_of


@kernel
def find_twists(tree, frames, spins, point, twist):
    """(v, ω) of every axis value in the world, v at the point, into ``twist``, (K, 6).

    About the axis u through o they are (u × (point − o), u), along it (u, 0).
    """
    for i in range(1, tree.parent.shape[0]):
        k = tree.axis[i]
        kind = tree.kind[i]
        if kind == SLIDE:
            t = twist[k]
            t[0] = frames[i, 2]
            t[1] = frames[i, 5]
            t[2] = frames[i, 8]
            t[3] = 0.0
            t[4] = 0.0
            t[5] = 0.0
            continue
        a0 = point[0] - frames[i, 9]
        a1 = point[1] - frames[i, 10]
        a2 = point[2] - frames[i, 11]
        for c in range(tree.size[i]):
            v0 = 0.0
            v1 = 0.0
            v2 = 0.0
            if kind == ROTATE:
                u0 = frames[i, 2]
                u1 = frames[i, 5]
                u2 = frames[i, 8]
            else:
                v0, v1, v2, u0, u1, u2 = twist_of(kind, frames, spins, i, c)
            t = twist[k + c]
            t[0] = v0 + u1 * a2 - u2 * a1
            t[1] = v1 + u2 * a0 - u0 * a2
            t[2] = v2 + u0 * a1 - u1 * a0
            t[3] = u0
            t[4] = u1
            t[5] = u2


@kernel
def along_twist(twist, k, w):
    """f·v + m·ω: what the wrench w = (f, m) does through axis value k."""
    t = twist[k]
    return w[0] * t[0] + w[1] * t[1] + w[2] * t[2] + w[3] * t[3] + w[4] * t[4] + w[5] * t[5]
