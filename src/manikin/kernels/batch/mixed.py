"""Goals of every kind, for many problems in one call: the quick search over rows of every kind, one after the other.

Each problem is searched from its own start and, while that misses something, from others that are handed over. What
means the start (`Pin` and its kin) means the problem's own start, wherever a search begins; or another pose that is
handed over. Nothing is carried from one problem to the next.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.path import ANCHORED, FRESH, next_targets
from manikin.kernels.memory.state import DONE, REFUSED, REPAIR, TIDY
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.pose.report import OUT_ITERATIONS, OUT_POTENTIAL, OUT_REACHED
from manikin.kernels.search.general import search_from

# Columns of ``report``: how the problem's best search ended, steps of all of them, and how many there were.
REPORT_TASK, REPORT_ITERATIONS, REPORT_STARTS, REPORT = range(4)


@kernel
def _keep(block, spare, size):
    for c in range(size):
        block[c] = spare[c]


@kernel(entry="i8[:], f8[:,:], f8[:,:], f8[:,:], i8[:], f8[:], f8[:,:], f8[:], f8[:,:], i8, i8")
def mixed_batch(T, starts, meant, others, moved, begun, blocks, spare, report, patience, own):
    """Solve for sample k of the table's path (`memory.path`) from ``starts[k]``, and then from the rows of ``others``.

    starts: a row of coordinates each, or one for all. meant: where what means the start means another pose, a row of
    coordinates each, or one for all; else none. others: values of the coordinates ``moved``, the rest being those
    of the start; ``begun`` is room for such a start. blocks: a block of `search.mixed` each, of the search that met
    everything or else of the one with the least potential. spare: one block more. own: whether each problem is anchored
    by itself; else the rows mean what they meant in the call before, whose start is in ``meant``.
    """
    begins = view2(starts, 0, starts.shape[0], starts.shape[1])
    means = view2(meant, 0, meant.shape[0], meant.shape[1])
    more = view2(others, 0, others.shape[0], others.shape[1])
    told = view2(report, 0, report.shape[0], report.shape[1])
    rows = view2(blocks, 0, blocks.shape[0], blocks.shape[1])
    size = blocks.shape[1]
    aside = view1(spare, 0, size)
    other_start = view1(begun, 0, begun.shape[0])
    for k in range(blocks.shape[0]):
        if not next_targets(T, k):
            told[k, REPORT_TASK] = REFUSED
            continue
        block = rows[k]
        first = begins[k if starts.shape[0] > 1 else 0]
        given = first
        if means.shape[0] > 0:
            given = means[k if means.shape[0] > 1 else 0]
        task = search_from(T, first, given, block, patience, math.inf, FRESH if own != 0 else ANCHORED)
        steps = block[OUT_ITERATIONS]
        tried = 1
        if task not in (DONE, REFUSED, TIDY, REPAIR):
            for s in range(more.shape[0]):
                for j in range(first.shape[0]):
                    other_start[j] = first[j]
                for i in range(moved.shape[0]):
                    other_start[moved[i]] = more[s, i]
                other = search_from(T, other_start, given, aside, patience, math.inf, ANCHORED)
                if other in (REFUSED, TIDY, REPAIR):
                    continue
                steps += aside[OUT_ITERATIONS]
                tried += 1
                if other == DONE or aside[OUT_POTENTIAL] < block[OUT_POTENTIAL]:
                    _keep(block, aside, size)
                    task = other
                if other == DONE:
                    break
        told[k, REPORT_TASK] = task if task != DONE or block[OUT_REACHED] > 0.5 else -1.0
        told[k, REPORT_ITERATIONS] = steps
        told[k, REPORT_STARTS] = tried
