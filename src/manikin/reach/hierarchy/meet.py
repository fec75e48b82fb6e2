"""Configurations that bring the site to a goal inside all rules, from many starts at once.

Levenberg and Marquardt's method on r = (goal − p(q)) / L and on what the couplings and cones lack, with λ on the rows:

    Δq = Gᵀ (G Gᵀ + λ)⁻¹ r.

Coordinates on a limit that the step would leave are held, and steps are clipped to the ranges. The residual is zero at
a solution, so the end is as exact as rounding. Starts are columns, (coordinates, count).
"""

from __future__ import annotations

import numpy as np

from manikin.reach.hierarchy.serial import Serial

#: |r| at which a goal is met, L being a metre or so. The search goes on to _END: what is fixed afterwards is as exact.
MET, _END = 2e-11, 1e-14
_STEPS, _SLOW = 60, 8
_LONGEST = 0.5


def meet(
    chain: Serial,
    size: float,
    goals: np.ndarray,
    q: np.ndarray,
    first: int,
    free: np.ndarray,
    *,
    in_order: bool = False,
    damping: float = 1e-3,
) -> tuple[np.ndarray, np.ndarray]:
    """Configurations from these starts, and |r| of each, (count,); below `MET` the goal is met.

    size: L, how long the chain is. goals: in frame ``first``, (3, count). free: the coordinates that may move.
    in_order: only the first start that meets its goal is wanted, so those after one that does may be left unfinished.
    damping: λ to begin with.
    """
    q = chain.rules.clipped(q)
    count = q.shape[1]
    r, G = _rows(chain, size, goals, q, first, free)
    cost = (r**2).sum(axis=0)
    damp, slow = np.full(count, damping), np.zeros(count, int)
    lower, upper = chain.rules.lower[free, None], chain.rules.upper[free, None]
    on = np.flatnonzero(cost >= _END**2)
    eye = np.eye(len(r))
    for _ in range(_STEPS):
        if in_order:
            met = np.flatnonzero(cost < MET**2)
            if len(met):
                on = on[on <= met[0]]
        if not len(on):
            break
        here, own, rest = q[:, on], G[:, :, on], r[:, on]
        push = np.einsum("rnk,rk->nk", own, rest)
        held = ((here[free] <= lower) & (push < 0.0)) | ((here[free] >= upper) & (push > 0.0))
        own = np.where(held, 0.0, own)
        square = np.einsum("rnk,snk->krs", own, own) + damp[on, None, None] * eye
        step = np.einsum("rnk,kr->nk", own, np.linalg.solve(square, rest.T[:, :, None])[:, :, 0])
        still = (np.where(held, 0.0, push) ** 2).sum(axis=0) < 1e-14 * cost[on]
        tried = here.copy()
        tried[free] = np.clip(here[free] + np.clip(step, -_LONGEST, _LONGEST), lower, upper)
        new_r, new_G = _rows(chain, size, goals[:, on], tried, first, free)
        new = (new_r**2).sum(axis=0)
        better = new < cost[on]
        slow[on] = np.where(better & (new < 0.8 * cost[on]), 0, slow[on] + 1)
        damp[on] = np.where(better, np.maximum(0.1 * damp[on], 1e-12), np.minimum(6.0 * damp[on], 1e6))
        taken = on[better]
        q[:, taken], r[:, taken], G[:, :, taken] = tried[:, better], new_r[:, better], new_G[:, :, better]
        cost[taken] = new[better]
        on = on[(cost[on] >= _END**2) & ~still & (slow[on] <= _SLOW)]
    return q, np.sqrt(cost)


def _rows(
    chain: Serial, size: float, goals: np.ndarray, q: np.ndarray, first: int, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """r, (rows, count), and the derivatives of what r is the lack of, (rows, free, count)."""
    V = chain.moved(q, first, free)
    r, G = (goals - V[:, 0]) / size, V[:, 1:] / size
    rules = chain.rules
    if not (len(rules.A) or rules.cones):
        return r, G
    lack = rules.excess(q)
    slopes = np.where((lack != 0.0)[:, None], rules.slopes(q)[:, free], 0.0)
    return np.concatenate([r, lack]), np.concatenate([G, slopes])
