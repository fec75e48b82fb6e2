"""The scalars of a search in a lane: how it begins, whether it is over, and how it stands."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import any_of
from manikin.kernels.memory.lanes import select
from manikin.kernels.memory.state import DONE
from manikin.kernels.pose.place import LONGEST_VECTOR
from manikin.kernels.search.damped import FLAT, SLOW, SPENT

# Scalars of a lane: its potential and whether it is met; the damping, and by what it grows; slow steps running; whether
# it is searched at all, has just begun, took its last step; the largest slope, the longest entry of the step; which
# start it is; steps taken; the potential of a point that is looked at.
(
    LANE_P,
    LANE_MET,
    LANE_DAMPING,
    LANE_FACTOR,
    LANE_SLOW,
    LANE_LIVE,
    LANE_FRESH,
    LANE_ACCEPTED,
    LANE_LARGEST,
    LANE_LONGEST,
    LANE_INDEX,
    LANE_STEPS,
    LANE_SCREEN,
) = range(13)


@kernel
def begin_lane(state, lane, index, live):
    """Set a lane's scalars up for start number ``index``."""
    state[LANE_INDEX, lane] = index
    state[LANE_LIVE, lane] = live
    state[LANE_FRESH, lane] = 1.0
    state[LANE_STEPS, lane] = -1.0
    state[LANE_MET, lane] = 0.0
    state[LANE_P, lane] = 1.0
    state[LANE_DAMPING, lane] = 1.0
    state[LANE_FACTOR, lane] = 2.0
    state[LANE_SLOW, lane] = 0.0


@kernel
def verdict(state, lane, begun, slope_left, weight, budget, patience):
    """How the search of a lane stands after a round: −1 (goes on), DONE, FLAT, SLOW or SPENT."""
    if state[LANE_MET, lane] > 0.5:
        return DONE
    if begun:
        return -1
    if 2.0 * state[LANE_LARGEST, lane] <= slope_left * (weight + state[LANE_P, lane]):
        return FLAT
    if state[LANE_SLOW, lane] >= patience:
        return SLOW
    if state[LANE_ACCEPTED, lane] < 0.5 and (
        state[LANE_LONGEST, lane] < 1e-13 or state[LANE_DAMPING, lane] > 1e12 * (weight + 1.0)
    ):
        return FLAT
    return SPENT if state[LANE_STEPS, lane] >= budget else -1


@kernel
def any_over(lanes, slope_left, weight, budget, patience):
    """Whether some search may be over; `verdict` says which, and how."""
    zero = 0.0 * lanes[LANE_P]
    over = select(lanes[LANE_MET] > 0.5, zero + 1.0, zero)
    over = select(2.0 * lanes[LANE_LARGEST] <= slope_left * (weight + lanes[LANE_P]), zero + 1.0, over)
    over = select(lanes[LANE_SLOW] >= patience, zero + 1.0, over)
    over = select(lanes[LANE_STEPS] >= budget, zero + 1.0, over)
    over = select(lanes[LANE_LONGEST] < 1e-13, zero + 1.0, over)
    over = select(lanes[LANE_DAMPING] > 1e12 * (weight + 1.0), zero + 1.0, over)
    return any_of(over * lanes[LANE_LIVE] > 0.5)


@kernel
def long_vector(space, x, lane):
    """Whether a rotation vector of this lane is long; it is then replaced by the shortest of the same rotation."""
    changed = False
    for c in range(space.charts.shape[0]):
        first = space.charts[c, 0]
        size = space.charts[c, 1]
        square = 0.0
        for i in range(first, first + size):
            square += x[i, lane] * x[i, lane]
        if square > LONGEST_VECTOR * LONGEST_VECTOR:
            length = math.sqrt(square)
            turns = math.floor(length / (2.0 * math.pi) + 0.5)
            for i in range(first, first + size):
                x[i, lane] *= 1.0 - turns * 2.0 * math.pi / length
            changed = changed or turns != 0
    return changed
