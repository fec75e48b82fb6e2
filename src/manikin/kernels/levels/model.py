"""The model of a step: what the rows that are asked for cost, and what dead zones make of it."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.levels.held import REACH, outside
from manikin.kernels.levels.layout import SCALE, B, D


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
def build_model(M, w, newton):
    """The slope B of half of P, and its curvature, whole; with the second derivatives of the measures if ``newton``."""
    v = w.vector
    n = v.shape[1]
    H = w.hessian
    for i in range(n):
        v[B, i] = 0.0
        row = H[i]
        for j in range(i + 1):
            row[j] = w.second[i, j] * v[SCALE, i] * v[SCALE, j] if newton else 0.0
    for r in range(M.value.shape[0]):
        weight = w.asked[r]
        if weight == 0.0:
            continue
        rho = w.residual[r]
        if rho == 0.0 and M.lower[r] != M.upper[r]:
            if w.forced[r] == 0.0:
                continue
            rho = M.value[r] - (M.upper[r] if w.forced[r] > 0.0 else M.lower[r])
        source = w.by_variable[r]
        for i in range(n):
            f = weight * source[i]
            if f == 0.0:
                continue
            v[B, i] += f * rho
            row = H[i]
            for j in range(i + 1):
                row[j] += f * source[j]
    largest = 1e-12
    for i in range(n):
        largest = max(largest, abs(H[i, i]))
        for j in range(i):
            H[j, i] = H[i, j]
    return largest


@kernel
def reconsider(M, w):
    """Dead zones that the step leaves join the objective, those that it does not leave it; True when any did."""
    d = w.vector[D]
    changed = False
    for r in range(M.value.shape[0]):
        if w.asked[r] == 0.0 or w.residual[r] != 0.0 or M.lower[r] == M.upper[r]:
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
def joined(M, w):
    """What the dead zones that joined the objective seem to cost at its start."""
    cost = 0.0
    for r in range(M.value.shape[0]):
        if w.asked[r] != 0.0 and w.residual[r] == 0.0 and w.forced[r] != 0.0:
            rho = M.value[r] - (M.upper[r] if w.forced[r] > 0.0 else M.lower[r])
            cost += 0.5 * w.asked[r] * rho * rho
    return cost
