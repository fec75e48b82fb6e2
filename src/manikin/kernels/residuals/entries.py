"""The measures at a pose, for Python: values, derivatives, gradients."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.layout import IDENTITY, view_sweep, view_tree
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.pose.place import place
from manikin.kernels.residuals.layout import view_measures
from manikin.kernels.residuals.measures import coordinate_rows, fill_jacobian, measure_all, push_measures
from manikin.kernels.residuals.miss import part_miss
from manikin.kernels.tree.sweep import find_slopes


@kernel(entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:]")
def measure_at(S, R, W, MS, MR, MW, q):
    """Values of all rows at the coordinates q, into the workspace."""
    tree = view_tree(S, R, W)
    sweep = view_sweep(S, W)
    for j in range(q.shape[0]):
        sweep.q[j] = q[j]
    place(S[IDENTITY] != 0, tree, sweep)
    measure_all(tree, view_measures(MS, MR, MW), sweep)


@kernel(entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:,:], f8[:,:]")
def jacobian_at(S, R, W, MS, MR, MW, by_value, by_coordinate):
    """Derivatives by the axis values (rows × K) and, of the rows of coordinates, by the coordinates (rows × n).

    They are those of the last `measure_at`.
    """
    tree = view_tree(S, R, W)
    sweep = view_sweep(S, W)
    M = view_measures(MS, MR, MW)
    rows = M.value.shape[0]
    fill_jacobian(tree, M, sweep, view2(by_value, 0, rows, sweep.values.shape[0]))
    coordinate_rows(M, sweep, view2(by_coordinate, 0, rows, sweep.q.shape[0]))


@kernel(entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:]")
def push_at(S, R, W, MS, MR, MW, y):
    """Σ yᵣ ∂gᵣ by the axis values, into ``sweep.slopes``, at the last `measure_at`."""
    tree = view_tree(S, R, W)
    sweep = view_sweep(S, W)
    M = view_measures(MS, MR, MW)
    push_measures(tree, M, sweep, view1(y, 0, y.shape[0]), sweep.wrenches)
    find_slopes(tree, sweep)


@kernel(entry="i8[:], f8[:], f8[:], f8[:]")
def part_misses(MS, MR, MW, out):
    """The miss of every part, from the values of the last `measure_at`."""
    M = view_measures(MS, MR, MW)
    for t in range(out.shape[0]):
        out[t] = part_miss(M, t)
