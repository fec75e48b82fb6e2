"""Problem after problem, from start after start: the loop around every search on a GPU.

A thread takes the next problem from a counter and searches from its given start; a search that ends short draws the
next start from a table, until one reaches or there are no more. Threads of a warp are then at different problems and
at different starts of them, but all at the same instruction: one pass of the loop is one step of the search for each.

``data`` is the record that the kernel is called with, ``run`` is where a thread stands: its problem, where that one's
targets and start begin, and the further starts, steps, size of the residuals and best size so far.
"""

from __future__ import annotations

from manikin.kernels.gpu.unroll import part

#: The first items of ``counts``: steps of a search at most; patience, the steps within which the square of the
#: residuals has to fall; further starts at most; numbers of a problem's targets.
STEPS, PATIENCE, FURTHER, NUMBERS, FIRST_COUNT = range(5)
#: The first items of ``setting``: damping per square of the residuals and its least; longest step of a coordinate; the
#: share of what it was that the square of the residuals has to fall below.
DAMPING, LEAST, REACH, FALL, FIRST_SETTING = range(5)
#: Columns of a report: further starts that were needed (−1: not reached), and all steps.
REPORT = 2
#: Larger than any square of residuals; limits beyond it are none.
FAR = 1e30


@part
def open_queue(data, run):
    """The first problem."""
    run.count = data.report.shape[0] // REPORT
    run.problem = take(data.counter)
    run.fresh = True
    run.further = 0
    run.steps = 0
    run.total = 0
    run.begin = 0
    run.best = FAR
    run.before = FAR


@part
def open_problem(data, run, n):
    """Where the targets and the start of a problem begin; nothing is found yet."""
    run.fresh = False
    run.targets = 0
    if data.numbers.shape[0] > data.counts[NUMBERS]:
        run.targets = run.problem * data.counts[NUMBERS]
    run.begin = 0
    if data.starts.shape[0] > n:
        run.begin = run.problem * n
    run.further = 0
    run.steps = 0
    run.total = 0
    run.best = FAR
    run.before = FAR


@part
def look(data, run):
    """Whether this search is over: too many steps, or the residuals do not fall."""
    run.over = run.steps >= data.counts[STEPS]
    if run.steps % data.counts[PATIENCE] == 0:
        run.over = run.over or run.size > data.setting[FALL] * run.before
        run.before = run.size


@part
def close_problem(data, run):
    """Report, and take the next problem."""
    data.report[REPORT * run.problem] = run.further if run.met else -1
    data.report[REPORT * run.problem + 1] = run.total
    run.fresh = True
    run.problem = take(data.counter)


@part
def open_start(run):
    """Search again, from a further start."""
    run.further += 1
    run.steps = 0
    run.before = FAR
