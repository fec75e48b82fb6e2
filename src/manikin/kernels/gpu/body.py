"""One thread a problem: any tree with plain goals, searched in the thread's own memory.

The step is that of `arm`, found in one of two ways (TREE, when this is compiled). Where every variable moves one axis,
one axis after the other is eliminated, with neither Jacobian nor factor (`tree_rows`, `tree_step`). Otherwise, over
the strips, blocks and entries of the CPU's least squares (`search.rows`, `search.layout`): rows come in strips of
three, of each only the columns that its motion depends on are kept, and two strips have their first columns in common.
J Jᵀ + λ is built and factorised tile by tile, 3 × 3 in registers, so that it is never stored itself.

Sizes are those of the problem, read from ``counts``; only the room that a thread has is fixed when this is compiled
(SIZE numbers). Such memory is the card's "local" one: each thread's numbers lie between those of its neighbours, so
that a warp's accesses are whole lines, and the caches hold it.
"""

from __future__ import annotations

import numpy as np

from manikin.kernels.gpu.body_layout import (
    _FAR,
    AXIS_SIZE,
    DAMPING,
    DOFS,
    ENTRIES,
    FALL,
    FURTHER,
    JUNCTION_SIZE,
    JUNCTIONS,
    LEAST,
    LINEAR,
    MOTIONS,
    NUMBERS,
    PARAMETERS,
    PATIENCE,
    REACH,
    REPORT,
    SHARE,
    STEPS,
    STRIPS,
    TARGET,
    TERMS,
    VALUES,
    WIDTH,
)
from manikin.kernels.gpu.body_rows import fill, take_targets
from manikin.kernels.gpu.body_step import factorise, hold, keep, move, substitute
from manikin.kernels.gpu.body_tree import place
from manikin.kernels.gpu.tree_rows import gather, place_axes
from manikin.kernels.gpu.tree_step import eliminate, follow
from manikin.kernels.gpu.unroll import local


def search(
    numbers,
    starts,
    which,
    seeds,
    found,
    report,
    counter,
    counts,
    tree,
    junction,
    first,
    dofs,
    terms,
    slots,
    begin,
    entries,
    strips,
    lengths,
    variables,
    shared,
    charts,
    linear_first,
    linear,
    coefficients,
    shares,
    scale,
    weights,
    figures,
    setting,
):
    """Search problem after problem until there are none.

    numbers: (problems or 1, NUMBERS) targets. starts: (problems or 1, n). which: (problems or 1) figures. seeds:
    (further, n) shares of the ranges. found: (problems, n). report: (problems, REPORT). figures: a row each:
    placements (M + 1, 12), offsets (K), limits (2, n), where seeds are drawn from (2, n), terms (T, PARAMETERS),
    ends of linear constraints (C, 2).
    """
    W = room(SIZE)
    size = local(1)
    missed = local(1)
    broken = local(1)
    damping = local(1)
    share = local(1)
    reach = local(1)
    centre = local(3)
    n = counts[DOFS]
    motions = counts[MOTIONS]
    if TREE:
        axes = n
        goals = axes + AXIS_SIZE * counts[ENTRIES]
        junctions = goals + TARGET * counts[TERMS]
        spins = junctions + JUNCTION_SIZE * counts[JUNCTIONS]
    else:
        step = n
        frames = 2 * n
        spins = frames + 12 * (motions + 1)
        goals = spins + 9 * (motions + 1)
        rows = goals + TARGET * counts[TERMS]
        jacobian = rows + 3 * counts[STRIPS]
        factor = jacobian + 3 * counts[STRIPS] * counts[WIDTH]
        # Frames are not needed once the rows are there: the factor may lie where they were, and caches hold more.
        if 9 * (counts[STRIPS] * (counts[STRIPS] + 1) // 2) <= 12 * (motions + 1):
            factor = frames
    share[0] = setting[SHARE]
    reach[0] = setting[REACH]
    count = report.shape[0] // REPORT
    row_size = 12 * (motions + 1) + counts[VALUES] + 4 * n + PARAMETERS * counts[TERMS] + 2 * counts[LINEAR]
    problem = take(counter)
    fresh = True
    further = 0
    steps = 0
    total = 0
    best = _FAR
    before = _FAR
    row = 0
    lower = 0
    upper = 0
    terms_at = 0
    ends = 0
    begun = 0
    while problem < count:
        if fresh:
            fresh = False
            row = 0
            if which.shape[0] > 1:
                row = which[problem] * row_size
            lower = row + 12 * (motions + 1) + counts[VALUES]
            upper = lower + n
            terms_at = lower + 4 * n
            ends = terms_at + PARAMETERS * counts[TERMS]
            mine = 0
            if numbers.shape[0] > counts[NUMBERS]:
                mine = problem * counts[NUMBERS]
            take_targets(W, counts, slots, numbers, mine, terms_at, figures, goals)
            begun = 0
            if starts.shape[0] > n:
                begun = problem * n
            for j in range(n):
                W[j] = starts[begun + j]
            further = 0
            steps = 0
            total = 0
            best = _FAR
            before = _FAR
        keep(W, counts, linear_first, linear, weights, figures, ends, lower, upper, broken)
        if TREE:
            place_axes(
                W,
                counts,
                tree,
                junction,
                first,
                dofs,
                coefficients,
                begin,
                entries,
                figures,
                row,
                axes,
                junctions,
                spins,
            )
            gather(
                W, counts, terms, junction, figures, terms_at, share, goals, junctions, centre, size, missed
            )
        else:
            place(W, counts, tree, first, dofs, coefficients, figures, row, frames, spins)
            fill(
                W,
                counts,
                terms,
                begin,
                entries,
                shares,
                figures,
                terms_at,
                share,
                frames,
                spins,
                goals,
                rows,
                jacobian,
                size,
                missed,
            )
        met = missed[0] == 0 and broken[0] == 0
        over = steps >= counts[STEPS]
        if steps % counts[PATIENCE] == 0:
            over = over or size[0] > setting[FALL] * before
            before = size[0]
        if met or over:
            if met or (size[0] < best and broken[0] == 0):
                best = size[0]
                for j in range(n):
                    found[problem * n + j] = W[j]
            if met or further >= counts[FURTHER]:
                report[REPORT * problem] = further if met else -1
                report[REPORT * problem + 1] = total
                fresh = True
                problem = take(counter)
            else:
                for j in range(n):
                    u = seeds[further * n + j]
                    width = figures[upper + 2 * n + j]
                    low = figures[upper + n + j]
                    if low < -_FAR:
                        low = np.float32(starts[begun + j]) - 0.5 * width
                    if u >= 0.0:
                        W[j] = min(max(low + u * width, figures[lower + j]), figures[upper + j])
                further += 1
                steps = 0
                before = _FAR
        else:
            damping[0] = setting[DAMPING] * size[0] + setting[LEAST]
            if TREE:
                eliminate(
                    W,
                    counts,
                    tree,
                    junction,
                    begin,
                    entries,
                    shares,
                    figures,
                    lower,
                    upper,
                    axes,
                    junctions,
                    centre,
                    damping,
                )
                follow(
                    W,
                    counts,
                    tree,
                    junction,
                    begin,
                    entries,
                    shares,
                    charts,
                    scale,
                    figures,
                    lower,
                    upper,
                    axes,
                    junctions,
                    centre,
                    reach,
                )
            else:
                hold(W, counts, strips, lengths, variables, figures, lower, upper, rows, jacobian, step)
                factorise(W, counts, strips, lengths, shared, jacobian, factor, damping)
                substitute(W, counts, strips, rows, factor)
                move(
                    W,
                    counts,
                    strips,
                    lengths,
                    variables,
                    charts,
                    scale,
                    figures,
                    lower,
                    upper,
                    rows,
                    jacobian,
                    step,
                    reach,
                )
            steps += 1
            total += 1
