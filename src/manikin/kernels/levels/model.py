"""The model of a step: the level's own rows, damped, and what dead zones and held constraints make of it."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import REACH, outside
from manikin.kernels.levels.layout import AT_END, SPARE, B, D


@kernel
def level_weights(M, level):
    """Sum of the weights of a level's measures that want something, and their mean.

    A dead zone with room to spare wants nothing: hundreds of them would drown what a slope is measured by.
    """
    total = 0.0
    count = 0
    for r in range(M.value.shape[0]):
        wants = M.lower[r] == M.upper[r] or outside(M.value[r], M.lower[r], M.upper[r]) != 0.0
        if wants and M.level[r] == level and M.weight[r] > 0.0:
            total += M.weight[r]
            count += 1
    return max(total, 1e-12), total / count if count > 0 else 1.0


@kernel
def build_model(space, M, w, level, damping, newton):
    """Hessian (lower triangle and diagonal) and slope B of the model."""
    v = w.vector
    n = v.shape[1]
    H = w.hessian
    for i in range(n):
        v[B, i] = 0.0
        row = H[i]
        for j in range(i + 1):
            row[j] = w.second[i, j] if newton else 0.0
        row[i] += damping / space.metric[space.variable[i]]
    for r in range(M.value.shape[0]):
        if M.level[r] != level or M.weight[r] <= 0.0:
            continue
        rho = w.residual[r]
        if rho == 0.0 and M.lower[r] != M.upper[r]:
            if w.forced[r] == 0.0:
                continue
            rho = M.value[r] - (M.upper[r] if w.forced[r] > 0.0 else M.lower[r])
        weight = M.weight[r]
        source = w.by_variable[r]
        for i in range(n):
            f = weight * source[i]
            if f == 0.0:
                continue
            v[B, i] += f * rho
            row = H[i]
            for j in range(i + 1):
                row[j] += f * source[j]


@kernel
def _part_ends(w, weight):
    """Part the coordinates that the last step ran to an end from the others."""
    H = w.hessian
    n = H.shape[0]
    for i in range(n):
        if w.vector[AT_END, i] != 0.0:
            for j in range(i):
                H[i, j] = 0.0
            for j in range(i + 1, n):
                H[j, i] = 0.0
            H[i, i] = max(H[i, i], weight)


@kernel
def _orthonormal(w, a, basis, count):
    """Row a without its coordinates at an end, made orthonormal to those before, as the next; False if it is none."""
    n = a.shape[0]
    row = basis[count]
    before = 0.0
    for i in range(n):
        row[i] = a[i] if w.vector[AT_END, i] == 0.0 else 0.0
        before += row[i] * row[i]
    for _ in range(2):
        for p in range(count):
            other = basis[p]
            along = 0.0
            for i in range(n):
                along += row[i] * other[i]
            for i in range(n):
                row[i] -= along * other[i]
    square = 0.0
    for i in range(n):
        square += row[i] * row[i]
    if square <= 1e-14 * before or square == 0.0:
        return False
    scale = 1.0 / math.sqrt(square)
    for i in range(n):
        row[i] *= scale
    return True


@kernel
def _part_normal(H, q, weight, y):
    """H becomes (I − qqᵀ) H (I − qqᵀ) + weight qqᵀ, lower triangle only."""
    n = H.shape[0]
    for i in range(n):
        y[i] = 0.0
    for i in range(n):
        row = H[i]
        s = 0.0
        f = q[i]
        for j in range(i):
            s += row[j] * q[j]
            y[j] += row[j] * f
        y[i] += s + row[i] * f
    along = 0.0
    for i in range(n):
        along += q[i] * y[i]
    for i in range(n):
        row = H[i]
        f = q[i]
        g = y[i] - (along + weight) * f
        for j in range(i + 1):
            row[j] -= g * q[j] + f * y[j]


@kernel
def part_held(w, count, weight):
    """Part the model's curvature where the step may go from that across what holds it.

    Held are the equalities, and what held the last step. A step that keeps to them is the same, and the model is
    positive definite when it is so along them, which is all that second order asks.
    """
    _part_ends(w, weight)
    basis = w.turned
    found = 0
    for c in range(count):
        owner = int(w.owner[c])
        force = w.force[owner] if owner >= 0 else w.linear[-1 - owner]
        holds = w.low[c] == w.high[c] or force != 0.0
        if holds and found < basis.shape[0] and _orthonormal(w, w.A[c], basis, found):
            _part_normal(w.hessian, basis[found], weight, w.vector[SPARE])
            found += 1


@kernel
def reconsider(M, w, level):
    """Dead zones that the step leaves join the objective, those that it does not leave it; True when any did."""
    d = w.vector[D]
    changed = False
    for r in range(M.value.shape[0]):
        if M.level[r] != level or M.weight[r] <= 0.0 or w.residual[r] != 0.0 or M.lower[r] == M.upper[r]:
            continue
        value = M.value[r]
        if M.near[r] == 0.0 or (value - M.lower[r] > REACH and M.upper[r] - value > REACH):
            continue
        source = w.by_variable[r]
        for i in range(d.shape[0]):
            value += source[i] * d[i]
        out = outside(value, M.lower[r], M.upper[r])
        wanted = 0.0
        if out > 1e-12:
            wanted = 1.0
        elif out < -1e-12:
            wanted = -1.0
        if wanted != w.forced[r]:
            w.forced[r] = wanted
            changed = True
    return changed


@kernel
def joined(M, w, level):
    """What the dead zones that joined the objective seem to cost at its start."""
    cost = 0.0
    for r in range(M.value.shape[0]):
        if M.level[r] == level and M.weight[r] > 0.0 and w.residual[r] == 0.0 and w.forced[r] != 0.0:
            rho = M.value[r] - (M.upper[r] if w.forced[r] > 0.0 else M.lower[r])
            cost += 0.5 * M.weight[r] * rho * rho
    return cost
