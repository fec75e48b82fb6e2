"""How a problem lies in memory: three flat arrays, and the views into them.

A call from Python into compiled code costs about 50 ns an array, so a whole problem travels in three:

``S``  int64    structure: counts, where each section begins, the tree, the kinds of parts
``R``  float64  parameters: lengths, limits, targets, weights
``W``  float64  workspace, one a thread

Inside, they are seen through small tuples of views. The sections are listed once, below (`memory.sections`); `sections`
gives NumPy views on the same memory to Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from manikin.kernels.memory.sections import Layout

# Counts, at the head of S.
MOTIONS, VALUES, DRIVES, DOFS, VARIABLES, PARTS, ROWS, CHARTS, ASIDE, IDENTITY, CURVES, PIECES, POWERS = (
    range(13)
)

PART = 32  # parameters of one part of a plain goal; see `residuals.errors`
VECTORS = 4  # of one number a variable: `kernels.pose.limits`
ROW_VECTORS = 5  # the same, of one number a row
#: Options: the slope, of the sum of weights, below which there is none.
OPTION_GRADIENT, OPTIONS = 0, 1

_LAYOUT = Layout(
    "S R W",
    "motions values drives dofs variables parts rows charts aside identity curves pieces powers",
)

#: What axis values follow, where that is no sum of coordinates (`tree.curves`).
Curves, _ = _LAYOUT.tuple_of(
    "Curves",
    S="curve_axis (curves)  first_piece (curves + 1)",
    R="edge origin (pieces)  powers (pieces, powers)",
    W="bend (curves, 2)",
)
#: The tree: structure and placements.
Tree, view_tree = _LAYOUT.tuple_of(
    "Tree",
    S="parent kind size axis (motions + 1)  drive_axis drive_dof (drives)",
    R="placement (motions + 1, 12)  offset (values)  drive_coefficient (drives)",
    curves=Curves,
)
#: The space to search: variables, ranges, linear rows, options. ``span``: of each row the coordinates from its first to
#: behind its last, then the variables.
Space, view_space = _LAYOUT.tuple_of(
    "Space",
    S="variable periodic (variables)  charts (charts, 2)  span (rows, 4)",
    R="lower upper metric (dofs)  row (rows, dofs)  row_lower row_upper (rows) "
    f"option ({OPTIONS})  aside (aside, dofs)  aside_lower aside_upper (aside)",
)
#: The parts of plain goals.
Parts, view_parts = _LAYOUT.tuple_of("Parts", S="kind motion (parts)", R=f"parameters (parts, {PART})")
#: Workspace of the sweeps.
Sweep, view_sweep = _LAYOUT.tuple_of(
    "Sweep",
    W="q (dofs)  values (values)  trig (2, values)  frames (motions + 1, 12)  spins (motions + 1, 9) "
    "wrenches (motions + 1, 6)  slopes (values)  twist (values, 6)  columns (values, 13) "
    "tensors (motions + 1, 12)  errors (parts)  by_dof (dofs)",
)
#: Workspace of the searches; ``dual`` and ``place`` are those of `math.quadratic`.
Work, view_work = _LAYOUT.tuple_of(
    "Work",
    W=f"vector ({VECTORS}, variables)  metric (variables, variables)  hessian (values, values) "
    f"curve (2, variables, variables)  row ({ROW_VECTORS}, rows)  rows (rows, variables)  "
    "dual (7, variables + 1)  place (variables + rows)",
)


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """S, R and W for the given counts (those left out are 0): the world's frame is there, the rest zero."""
    structure, parameters, workspace = _LAYOUT.allocate(counts)
    _LAYOUT.sections(Sweep, structure, parameters, workspace).frames[0, :9:4] = 1.0
    return structure, parameters, workspace


def empty() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A problem without motions or goals: what loads or compiles a kernel without work to do."""
    return allocate({})


def sections(structure: np.ndarray, parameters: np.ndarray, workspace: np.ndarray) -> SimpleNamespace:
    """The sections as NumPy views: ``tree``, ``space``, ``parts``, ``sweep`` and ``work``."""
    arrays = structure, parameters, workspace
    return SimpleNamespace(
        **{
            made.__name__.lower(): _LAYOUT.sections(made, *arrays)
            for made in (Tree, Space, Parts, Sweep, Work)
        }
    )


def write_spans(space: Any) -> None:
    """Note where the coefficients of each linear row begin and end, after rows and variables were written."""
    for span, row in zip(space.span, space.row, strict=True):
        concerned = np.flatnonzero(row)
        ends = (concerned[0], concerned[-1] + 1) if len(concerned) else (0, 0)
        span[:] = *ends, *np.searchsorted(space.variable, ends)


def part_parameters(structure: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """The parameters of the parts, (parts, PART): what changes when a target moves."""
    return _LAYOUT.sections(Parts, structure, parameters).parameters
