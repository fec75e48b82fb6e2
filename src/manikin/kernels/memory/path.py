"""A path of targets in one call: the part of a search's table that tells of it.

Items of a table after the first: the address of the table of targets (`memory.targets`), how many samples there are (0:
no path), the address of their numbers, (samples, goals, 16), and, written by the search, at which sample it is.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.targets import NUMBERS, T_GIVEN, T_GOALS, view_slots, write_target
from manikin.kernels.memory.views import integers_at, reals_at

T_TARGETS, T_SAMPLES, T_PATH, T_AT = 1, 2, 3, 4
_TARGETS = 4


@kernel
def path_samples(T):
    """How many samples the path has; 0 where there is none."""
    return T[T_SAMPLES]


@kernel
def next_targets(T, k):
    """Write the targets of sample k; False where one of them cannot be taken."""
    T[T_AT] = k
    own = integers_at(T[T_TARGETS], _TARGETS)
    slots = view_slots(own)
    goals = own[T_GOALS]
    given = integers_at(own[T_GIVEN], goals)
    for step in range(2):
        for goal in range(goals):
            numbers = reals_at(T[T_PATH] + 8 * NUMBERS * (k * goals + goal), NUMBERS)
            if given[goal] != 0 and not write_target(slots, goal, numbers, step == 1):
                return False
    return True
