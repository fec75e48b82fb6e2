"""A plain problem as a search sees it: its arrays, found through the table, and all that lies in them, as views."""

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
from manikin.kernels.search.layout import T_N, T_R, T_S, T_V, T_W, view_bounds, view_ties, view_work


@kernel(inline=True)
def arrays_of(T):
    """S, R, W, N and V of a table (`layout.table`)."""
    return (
        integers_at(T[T_S], T[T_S + 1]),
        reals_at(T[T_R], T[T_R + 1]),
        reals_at(T[T_W], T[T_W + 1]),
        integers_at(T[T_N], T[T_N + 1]),
        reals_at(T[T_V], T[T_V + 1]),
    )


@kernel(inline=True)
def view_problem(S, R, W, N, V):
    """Tree, parts, space, sweep, the method's workspace, ties, bounds and the search's workspace."""
    return (
        view_tree(S, R, W),
        view_parts(S, R),
        view_space(S, R),
        view_sweep(S, W),
        view_method(S, W),
        view_ties(N, V),
        view_bounds(N, V),
        view_work(N, V),
    )
