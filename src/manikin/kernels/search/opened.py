"""A problem as a search sees it: its arrays, found through a table, and all that lies in them, as views."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import (
    view_parts,
    view_space,
    view_sweep,
    view_tree,
    view_work as view_method,
)
from manikin.kernels.memory.views import integers_at, reals_at
from manikin.kernels.pose.limits import LOWER, UPPER, X, gather_rows, worst_violation
from manikin.kernels.residuals.layout import view_measures
from manikin.kernels.search.begin import lay_parts, with_numbers
from manikin.kernels.search.layout import (
    HARD_WEIGHT,
    LAST,
    T_G,
    T_H,
    T_MR,
    T_MS,
    T_MW,
    T_R,
    T_S,
    T_W,
    Rows,
    Search,
    view_border,
    view_bounds,
    view_chains,
    view_drives,
    view_limits,
    view_place,
    view_scalars,
    view_strips,
    view_work,
)
from manikin.kernels.search.ranges import limit_speed
from manikin.kernels.search.rows import list_linear

#: A start may be outside a row by so much; below it rounding is all there is.
FEASIBLE = 1e-11


@kernel(inline=True)
def arrays_of(T):
    """S, R, W, G and H of a table."""
    return (
        integers_at(T[T_S], T[T_S + 1]),
        reals_at(T[T_R], T[T_R + 1]),
        reals_at(T[T_W], T[T_W + 1]),
        integers_at(T[T_G], T[T_G + 1]),
        reals_at(T[T_H], T[T_H + 1]),
    )


@kernel(inline=True)
def open_search(T):
    """The search, and the tree's sweep; residuals are not laid out yet."""
    S, R, W, G, H = arrays_of(T)
    sweep = view_sweep(S, W)
    s = Search(
        view_tree(S, R, W),
        view_space(S, R),
        view_drives(G, H),
        view_chains(G, H),
        view_strips(G, H),
        view_bounds(G, H),
        view_place(G, H, sweep),
        view_work(G, H),
        0,
        0,
    )
    return s, sweep


@kernel(inline=True)
def open_poses(T):
    """The search over plain goals, their parts, and the tree's sweep; residuals are laid out."""
    S, R, W, G, H = arrays_of(T)
    sweep = view_sweep(S, W)
    parts = view_parts(S, R)
    strips = with_numbers(view_strips(G, H), parts.parameters)
    residuals, rows = lay_parts(parts, strips)
    s = Search(
        view_tree(S, R, W),
        view_space(S, R),
        view_drives(G, H),
        view_chains(G, H),
        strips,
        view_bounds(G, H),
        view_place(G, H, sweep),
        view_work(G, H),
        residuals,
        rows,
    )
    return s, parts, sweep


@kernel(inline=True)
def open_rows(T, sweep):
    """Single rows: measures of goals, and linear rows."""
    S, _, W, G, H = arrays_of(T)
    M = view_measures(
        integers_at(T[T_MS], T[T_MS + 1]),
        reals_at(T[T_MR], T[T_MR + 1]),
        reals_at(T[T_MW], T[T_MW + 1]),
    )
    limits = view_limits(G, H)
    method = view_method(S, W)
    scalars = view_scalars(G, H)
    border = view_border(G, H)
    return Rows(M, sweep, method, limits, scalars, border, G[LAST], limits.option[HARD_WEIGHT])


@kernel
def enter_limits(s, g, seconds, goes_on):
    """Ranges and linear rows at X; False where X breaks one. goes_on: what held the last step is the first guess."""
    limit_speed(s.bounds, s.work.x, seconds)
    for i in range(s.work.x.shape[0]):
        g.method.vector[X, i] = s.work.x[i]
        g.method.vector[LOWER, i] = s.bounds.lower[i]
        g.method.vector[UPPER, i] = s.bounds.upper[i]
    possible = gather_rows(s.space, g.sweep.q, g.method)
    list_linear(s, g)
    if not goes_on:
        for r in range(g.scalars.held.shape[0]):
            g.scalars.held[r] = 0.0
    return possible and worst_violation(g.method)[0] <= FEASIBLE
