"""How a problem lies in memory: three flat arrays, and the views into them.

A call from Python into compiled code costs about 50 ns an array, so a whole problem travels in three:

``S``  int64    structure: counts, where each section begins, the tree, the kinds of terms
``R``  float64  parameters: lengths, limits, targets, weights
``W``  float64  workspace, one a thread

Inside, they are seen through small tuples of views. The `view_*` functions below are the only place that knows
the order of the sections; called from Python (as ``view_tree.py_func``) they give NumPy views on the same memory.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from manikin.kernels.jit import kernel

# Counts, at the head of S.
MOTIONS, VALUES, DRIVES, DOFS, VARIABLES, TERMS, ROWS, CHARTS, IDENTITY = range(9)
# Offsets of the sections follow them.
_OFFSETS = 16
_S_PARENT, _S_KIND, _S_AXIS, _S_DRIVE_AXIS, _S_DRIVE_DOF, _S_VARIABLE = range(_OFFSETS, _OFFSETS + 6)
_S_PERIODIC, _S_TERM_KIND, _S_TERM_MOTION, _S_CHART, _S_END = range(_OFFSETS + 6, _OFFSETS + 11)
_R_PLACEMENT, _R_OFFSET, _R_DRIVE, _R_LOWER, _R_UPPER, _R_METRIC = range(_OFFSETS + 11, _OFFSETS + 17)
_R_TERM, _R_ROW, _R_ROW_LOWER, _R_ROW_UPPER, _R_OPTION, _R_END = range(_OFFSETS + 17, _OFFSETS + 23)
_W_Q, _W_VALUE, _W_TRIG, _W_FRAME, _W_SPIN, _W_WRENCH, _W_SLOPE = range(_OFFSETS + 23, _OFFSETS + 30)
_W_VECTOR, _W_METRIC, _W_HESSIAN, _W_CURVE, _W_ROW, _W_ROWS = range(_OFFSETS + 30, _OFFSETS + 36)
_W_INVERSE, _W_BASIS, _W_DUAL, _W_STATE, _W_COLUMN, _W_TENSOR, _W_ERROR, _W_END = range(_OFFSETS + 36, _OFFSETS + 44)
_HEADER = _OFFSETS + 44

TERM = 32  # parameters of one term; see `terms`
VECTORS = 14  # vectors of one number a variable that the method works with
ROW_VECTORS = 8  # the same, one number a row
STATE = 32  # scalars that the method keeps from one proposal to the next
OPTIONS = 8

Tree = namedtuple("Tree", "parent kind axis placement offset drive_axis drive_dof drive_coefficient")
Terms = namedtuple("Terms", "kind motion parameters")
Space = namedtuple("Space", "variable periodic charts lower upper metric row row_lower row_upper option")
Sweep = namedtuple("Sweep", "q values trig frames spins wrenches slopes columns tensors errors")
Work = namedtuple("Work", "vector metric hessian curve row rows inverse basis dual state")


def allocate(counts: dict[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """S, R and W for the given counts: offsets written, the rest zero."""
    m, k, t, n, v = (counts[c] for c in (MOTIONS, VALUES, DRIVES, DOFS, VARIABLES))
    terms, rows, charts = counts[TERMS], counts[ROWS], counts[CHARTS]
    ints = (m + 1, m + 1, m + 1, t, t, v, v, terms, terms, 2 * charts)
    reals = (12 * (m + 1), k, t, n, n, n, TERM * terms, rows * n, rows, rows, OPTIONS)
    sweep = (n, k, 2 * k, 12 * (m + 1), 9 * (m + 1), 6 * (m + 1), k)
    method = (VECTORS * v, v * v, k * k, 2 * v * v, ROW_VECTORS * rows, rows * v, rows * rows, rows * v, 7 * (v + 1), STATE)
    header = np.zeros(_HEADER, np.int64)
    for count, value in counts.items():
        header[count] = value
    for first, start, sizes in (
        (_S_PARENT, _HEADER, ints),
        (_R_PLACEMENT, 0, reals),
        (_W_Q, 0, (*sweep, *method, 13 * k, 12 * (m + 1), terms)),
    ):
        header[first : first + len(sizes) + 1] = start + np.cumsum((0, *sizes))
    structure = np.zeros(header[_S_END], np.int64)
    structure[:_HEADER] = header
    workspace = np.zeros(header[_W_END])
    view_sweep.py_func(structure, workspace).frames[0, :9:4] = 1.0
    return structure, np.zeros(header[_R_END]), workspace


@kernel
def view_tree(S, R):
    """The tree: structure and placements."""
    return Tree(
        S[S[_S_PARENT] : S[_S_KIND]],
        S[S[_S_KIND] : S[_S_AXIS]],
        S[S[_S_AXIS] : S[_S_DRIVE_AXIS]],
        R[S[_R_PLACEMENT] : S[_R_OFFSET]].reshape((S[MOTIONS] + 1, 12)),
        R[S[_R_OFFSET] : S[_R_DRIVE]],
        S[S[_S_DRIVE_AXIS] : S[_S_DRIVE_DOF]],
        S[S[_S_DRIVE_DOF] : S[_S_VARIABLE]],
        R[S[_R_DRIVE] : S[_R_LOWER]],
    )


@kernel
def view_terms(S, R):
    """The terms of the goals."""
    return Terms(
        S[S[_S_TERM_KIND] : S[_S_TERM_MOTION]],
        S[S[_S_TERM_MOTION] : S[_S_CHART]],
        R[S[_R_TERM] : S[_R_ROW]].reshape((S[TERMS], TERM)),
    )


@kernel
def view_space(S, R):
    """The space to search: variables, ranges, linear rows, options."""
    return Space(
        S[S[_S_VARIABLE] : S[_S_PERIODIC]],
        S[S[_S_PERIODIC] : S[_S_TERM_KIND]],
        S[S[_S_CHART] : S[_S_END]].reshape((S[CHARTS], 2)),
        R[S[_R_LOWER] : S[_R_UPPER]],
        R[S[_R_UPPER] : S[_R_METRIC]],
        R[S[_R_METRIC] : S[_R_TERM]],
        R[S[_R_ROW] : S[_R_ROW_LOWER]].reshape((S[ROWS], S[DOFS])),
        R[S[_R_ROW_LOWER] : S[_R_ROW_UPPER]],
        R[S[_R_ROW_UPPER] : S[_R_OPTION]],
        R[S[_R_OPTION] : S[_R_END]],
    )


@kernel
def view_sweep(S, W):
    """Workspace of the sweeps."""
    m = S[MOTIONS] + 1
    return Sweep(
        W[S[_W_Q] : S[_W_VALUE]],
        W[S[_W_VALUE] : S[_W_TRIG]],
        W[S[_W_TRIG] : S[_W_FRAME]].reshape((2, S[VALUES])),
        W[S[_W_FRAME] : S[_W_SPIN]].reshape((m, 12)),
        W[S[_W_SPIN] : S[_W_WRENCH]].reshape((m, 9)),
        W[S[_W_WRENCH] : S[_W_SLOPE]].reshape((m, 6)),
        W[S[_W_SLOPE] : S[_W_VECTOR]],
        W[S[_W_COLUMN] : S[_W_TENSOR]].reshape((S[VALUES], 13)),
        W[S[_W_TENSOR] : S[_W_ERROR]].reshape((m, 12)),
        W[S[_W_ERROR] : S[_W_END]],
    )


@kernel
def view_work(S, W):
    """Workspace of the method."""
    v = S[VARIABLES]
    return Work(
        W[S[_W_VECTOR] : S[_W_METRIC]].reshape((VECTORS, v)),
        W[S[_W_METRIC] : S[_W_HESSIAN]].reshape((v, v)),
        W[S[_W_HESSIAN] : S[_W_CURVE]].reshape((S[VALUES], S[VALUES])),
        W[S[_W_CURVE] : S[_W_ROW]].reshape((2, v, v)),
        W[S[_W_ROW] : S[_W_ROWS]].reshape((ROW_VECTORS, S[ROWS])),
        W[S[_W_ROWS] : S[_W_INVERSE]].reshape((S[ROWS], v)),
        W[S[_W_INVERSE] : S[_W_BASIS]].reshape((S[ROWS], S[ROWS])),
        W[S[_W_BASIS] : S[_W_DUAL]].reshape((S[ROWS], v)),
        W[S[_W_DUAL] : S[_W_STATE]].reshape((7, v + 1)),
        W[S[_W_STATE] : S[_W_COLUMN]],
    )
