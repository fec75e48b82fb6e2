"""Whether a step among ranges is taken, and what follows for λ: for one start or four in lanes."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import both
from manikin.kernels.memory.lanes import select
from manikin.kernels.search.damping import next_damping
from manikin.kernels.search.state import DAMPING, GROWTH, MET, POTENTIAL, SLOW_STEPS, TAKEN

#: A step that leaves more than this share of P is slow.
SLOW_SHARE = 0.7
#: Below this share of the sum of weights a start is near: λ begins with the square of P there (a step in twelve less).
NEAR_BELOW = 0.05


@kernel
def mean_square(s):
    """The mean square of a row of J."""
    zero = 0.0 * s.work.x[0]
    s0 = zero
    s1 = zero
    s2 = zero
    for a in range(s.residuals):
        strip = s.work.jacobian[a]
        for k in range(s.chains.length[int(s.strips.chain[a])]):
            s0 += strip[k, 0] * strip[k, 0]
            s1 += strip[k, 1] * strip[k, 1]
            s2 += strip[k, 2] * strip[k, 2]
    return (s0 + s1 + s2) / s.rows


@kernel
def judge(s, left, new, new_met, live, always):
    """Take X_NEW and its residuals where P falls, or ``always`` is 1, and ``live`` is: where that is."""
    work = s.work
    st = work.state
    old = st[POTENTIAL]
    fell = old - new
    predicted = old - left
    one = 1.0 + 0.0 * old
    taken = select(both(fell > 0.0, predicted > 0.0), live, 0.0 * one)
    if always is not None:
        taken = select(always > 0.5, one, taken)
    where = taken > 0.5
    st[DAMPING], st[GROWTH] = next_damping(where, fell / predicted, new / old, st[DAMPING], st[GROWTH])
    st[SLOW_STEPS] = select(new > SLOW_SHARE * old, st[SLOW_STEPS] + 1.0, 0.0 * one)
    st[POTENTIAL] = select(where, new, old)
    st[MET] = select(where, new_met, st[MET])
    st[TAKEN] = taken
    for i in range(work.x.shape[0]):
        work.x[i] = select(where, work.x_new[i], work.x[i])
    for p in range(3 * s.residuals):
        work.e[p] = select(where, work.e_new[p], work.e[p])
    return where
