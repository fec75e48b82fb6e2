"""The head of a search's table: its budget, the targets of a call or a path, and what "where it is" means.

Items after the budget: the address of the table of targets (`memory.targets`), how many samples there are (0: no path),
the address of their numbers, (samples, goals, 16), and, written by the search, at which sample it is. Then the address
of the start that was given, where the search begins elsewhere (0: it begins there), and how much of earlier searches
this one goes on with:

    FRESH      nothing: rows that keep something, and a base that no goal places, are anchored where the start has them
    ANCHORED   the anchor of before, from any start
    CONTINUES  the same, from where the last search ended: what held that one is the first guess of what holds this one
    ON_PATH    the same, and an objective that means the start goes on meaning that of the path

Nothing is found out by comparing starts: whoever calls says which it is, and a fresh search leaves no trace of those
before it.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.targets import NUMBERS, T_GIVEN, T_GOALS, view_slots, write_target
from manikin.kernels.memory.views import integers_at, reals_at, view1

T_BUDGET, T_TARGETS, T_SAMPLES, T_PATH, T_AT, T_START, T_RUN, T_HEAD = range(8)
FRESH, ANCHORED, CONTINUES, ON_PATH = range(4)
_TARGETS = 4


@kernel
def path_samples(T):
    """How many samples the path has; 0 where there is none."""
    return T[T_SAMPLES]


@kernel
def given_start(T, start):
    """The start that was given: what fresh rows are anchored at."""
    if T[T_START] != 0:
        return reals_at(T[T_START], start.shape[0])
    return view1(start, 0, start.shape[0])


@kernel
def run_of_sample(T, k):
    """How sample k of a path goes on from the one before."""
    return T[T_RUN] if k == 0 else ON_PATH


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
