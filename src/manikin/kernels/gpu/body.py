"""One thread a problem: any tree with plain goals, searched in the thread's own memory.

The step is that of `arm`, found in one of two ways (TREE, when this is compiled). Where every variable moves one axis,
one axis after the other is eliminated, with neither Jacobian nor factor (`tree_rows`, `tree_step`). Otherwise, over
the strips, blocks and entries of the CPU's least squares (`search.rows`, `search.layout`): rows come in strips of
three, of each only the columns that its motion depends on are kept, and two strips have their first columns in common.
J Jᵀ + λ is built and factorised tile by tile, 3 × 3 in registers, so that it is never stored itself.

Sizes are those of the problem, read from ``counts``; only the size of a thread's memory W is fixed when this is
compiled (SIZE numbers). That is the GPU's "local" memory: each thread's numbers lie between those of its neighbours, so
that a warp's accesses are whole lines, and the caches hold it.

Every part takes the records ``data``, which the kernel is called with, and ``thread``: where what lies in W, where the
rows of the problem's figure lie in ``figures``, and the few numbers that the parts tell each other.
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.gpu.body_layout import (
    AXES,
    AXIS_SIZE,
    DOFS,
    ENTRIES,
    JUNCTION_SIZE,
    JUNCTIONS,
    LINEAR,
    MOTIONS,
    P_STOP,
    PARAMETERS,
    SHARE,
    STRIPS,
    TARGET,
    TERM,
    TERM_ALIKE,
    TERM_BLOCK,
    TERM_KIND,
    TERM_MOTION,
    TERMS,
    VALUES,
    WIDTH,
)
from manikin.kernels.gpu.body_rows import declare_rows, read_targets, residual, site, write_rows
from manikin.kernels.gpu.body_step import enforce_linear, factorise, fix_at_limits, move, substitute
from manikin.kernels.gpu.body_tree import place
from manikin.kernels.gpu.queue import (
    DAMPING,
    FAR,
    FURTHER,
    LEAST,
    REACH,
    close_problem,
    look,
    open_problem,
    open_queue,
    open_start,
)
from manikin.kernels.gpu.tree_rows import add_rows, clear_sums, place_axes
from manikin.kernels.gpu.tree_step import back_substitute, eliminate
from manikin.kernels.gpu.unroll import local, part, record


@part
def lay_out(data, thread):
    """Where what lies in a thread's memory, behind the coordinates."""
    n = data.counts[DOFS]
    motions = data.counts[MOTIONS]
    if TREE:
        thread.axes = n
        thread.goals = thread.axes + AXIS_SIZE * data.counts[ENTRIES]
        thread.junctions = thread.goals + TARGET * data.counts[TERMS]
        thread.spins = thread.junctions + JUNCTION_SIZE * data.counts[JUNCTIONS]
    else:
        thread.step = n
        thread.frames = 2 * n
        thread.spins = thread.frames + 12 * (motions + 1)
        thread.goals = thread.spins + 9 * (motions + 1)
        thread.rows = thread.goals + TARGET * data.counts[TERMS]
        thread.jacobian = thread.rows + 3 * data.counts[STRIPS]
        thread.factor = thread.jacobian + 3 * data.counts[STRIPS] * data.counts[WIDTH]
        # Frames are not needed once the rows are there: the factor may lie where they were, and caches hold more.
        if 9 * (data.counts[STRIPS] * (data.counts[STRIPS] + 1) // 2) <= 12 * (motions + 1):
            thread.factor = thread.frames
    thread.figure_size = (
        12 * (motions + 1)
        + data.counts[VALUES]
        + 4 * n
        + PARAMETERS * data.counts[TERMS]
        + 2 * data.counts[LINEAR]
    )
    thread.share = data.setting[SHARE]
    thread.reach = data.setting[REACH]


@part
def open_figure(data, run, thread):
    """Where the rows of the problem's figure begin in ``figures``."""
    thread.row = 0
    if data.which.shape[0] > 1:
        thread.row = data.which[run.problem] * thread.figure_size
    thread.offsets = thread.row + 12 * (data.counts[MOTIONS] + 1)
    thread.lower = thread.offsets + data.counts[VALUES]
    thread.upper = thread.lower + data.counts[DOFS]
    thread.terms = thread.lower + 4 * data.counts[DOFS]
    thread.ends = thread.terms + PARAMETERS * data.counts[TERMS]


@part
def evaluate(data, thread, W):
    """Rows of all terms, and their columns (of a tree: sums for its junctions, `tree_rows`).

    ``size``: the square of the rows. ``missed``: how many terms are not met.
    """
    row = record()
    declare_rows(row)
    if TREE:
        clear_sums(data, thread, W)
    thread.size = 0.0
    thread.missed = 0
    s = 0
    for q in range(data.counts[TERMS]):
        kind = data.terms[TERM * q + TERM_KIND]
        motion = data.terms[TERM * q + TERM_MOTION]
        block = data.terms[TERM * q + TERM_BLOCK]
        at = thread.terms + PARAMETERS * q
        goal = thread.goals + TARGET * q
        if TREE:  # noqa: SIM108 - a tree has no frames
            base = thread.junctions + JUNCTION_SIZE * data.junction[motion]
        else:
            base = thread.frames + 12 * motion
        site(data, W, base, at, row)
        row.square = 0.0
        strips = 1
        if kind == AXES and data.terms[TERM * q + TERM_ALIKE] == 0:
            strips = 3
        for strip in range(strips):
            residual(data, W, at, goal, kind, strip, strips, row)
            if row.weighted > 0:
                for r in range(3):
                    row.e[r] *= row.w
                    thread.size += row.e[r] * row.e[r]
                if TREE:
                    add_rows(thread, W, base, row)
                else:
                    write_rows(data, thread, W, block, s, row)
                s += 1
        if row.square > thread.share * data.figures[at + P_STOP]:
            thread.missed += 1


def search(data):
    """Search problem after problem until there are none. data: see `body_layout.ARRAYS`."""
    W = room(SIZE)
    run = record()
    thread = record()
    thread.centre = local(3)
    lay_out(data, thread)
    n = data.counts[DOFS]
    open_queue(data, run)
    while run.problem < run.count:
        if run.fresh:
            open_problem(data, run, n)
            open_figure(data, run, thread)
            read_targets(data, run, thread, W)
            for j in range(n):
                W[j] = data.starts[run.begin + j]
        enforce_linear(data, thread, W)
        if TREE:
            place_axes(data, thread, W)
        else:
            place(data, thread, W)
        evaluate(data, thread, W)
        run.size = thread.size
        run.met = thread.missed == 0 and thread.broken == 0
        look(data, run)
        if run.met or run.over:
            if run.met or (run.size < run.best and thread.broken == 0):
                run.best = run.size
                for j in range(n):
                    data.found[run.problem * n + j] = W[j]
            if run.met or run.further >= data.counts[FURTHER]:
                close_problem(data, run)
            else:
                for j in range(n):
                    u = data.seeds[run.further * n + j]
                    width = data.figures[thread.upper + 2 * n + j]
                    low = data.figures[thread.upper + n + j]
                    if low < -FAR:
                        low = np.float32(data.starts[run.begin + j]) - 0.5 * width
                    if u >= 0.0:
                        low += u * width
                        W[j] = min(max(low, data.figures[thread.lower + j]), data.figures[thread.upper + j])
                open_start(run)
        else:
            thread.damping = data.setting[DAMPING] * run.size + data.setting[LEAST]
            if TREE:
                eliminate(data, thread, W)
                back_substitute(data, thread, W)
            else:
                fix_at_limits(data, thread, W)
                factorise(data, thread, W)
                substitute(data, thread, W)
                move(data, thread, W)
            run.steps += 1
            run.total += 1
