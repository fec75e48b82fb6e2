"""How a problem lies in memory: three flat arrays, and the views into them.

A call from Python into compiled code costs about 50 ns an array, so a whole problem travels in three:

``S``  int64    structure: counts, where each section begins, the tree, the kinds of parts
``R``  float64  parameters: lengths, limits, targets, weights
``W``  float64  workspace, one a thread

Inside, they are seen through small tuples of views. The sections are listed once, below; `sections` gives NumPy views
on the same memory to Python.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Mapping
from itertools import accumulate
from types import SimpleNamespace

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2, view3

# Counts, at the head of S; the offsets of the sections follow them, in the order of the lists below.
MOTIONS, VALUES, DRIVES, DOFS, VARIABLES, PARTS, ROWS, CHARTS, ASIDE, IDENTITY = range(10)

PART = 32  # parameters of one part of a plain goal; see `rows.errors`
VECTORS = 15  # vectors of one number a variable that the method works with
ROW_VECTORS = 8  # the same, one number a row
STATE = 40  # scalars that the method keeps from one proposal to the next
OPTIONS = 4

Tree = namedtuple("Tree", "parent kind axis drive_axis drive_dof placement offset drive_coefficient")
Space = namedtuple(
    "Space",
    "variable periodic charts lower upper metric row row_lower row_upper option aside aside_lower aside_upper",
)
Parts = namedtuple("Parts", "kind motion parameters")
Sweep = namedtuple("Sweep", "q values trig frames spins wrenches slopes columns tensors errors by_dof")
Work = namedtuple("Work", "vector metric hessian curve row rows inverse basis dual place state")

# Sections of S: parent kind axis drive_axis drive_dof, variable periodic charts, kind motion.
_S = 16
# Sections of R: placement offset drive_coefficient, those of Space from lower on, parameters.
_R = _S + 11
# Sections of W: those of Sweep, then those of Work.
_W = _R + 15
_HEADER = _W + 23


def _shapes(counts: Mapping[int, int]) -> tuple[list[tuple[int, ...]], ...]:
    """Shapes of the sections of S, R and W."""
    m, k, t, n, v = (counts[c] for c in (MOTIONS, VALUES, DRIVES, DOFS, VARIABLES))
    parts, rows, charts, aside = (counts[c] for c in (PARTS, ROWS, CHARTS, ASIDE))
    structure = [(m + 1,), (m + 1,), (m + 1,), (t,), (t,), (v,), (v,), (charts, 2), (parts,), (parts,)]
    space = [(n,), (n,), (n,), (rows, n), (rows,), (rows,), (OPTIONS,), (aside, n), (aside,), (aside,)]
    parameters = [(m + 1, 12), (k,), (t,), *space, (parts, PART)]
    sweep = [
        (n,),
        (k,),
        (2, k),
        (m + 1, 12),
        (m + 1, 9),
        (m + 1, 6),
        (k,),
        (k, 13),
        (m + 1, 12),
        (parts,),
        (n,),
    ]
    work = [(VECTORS, v), (v, v), (k, k), (2, v, v), (ROW_VECTORS, rows), (rows, v), (rows, rows), (rows, v)]
    return structure, parameters, [*sweep, *work, (7, v + 1), (v + rows,), (STATE,)]


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """S, R and W for the given counts (those left out are 0): offsets written, the rest zero."""
    counts = {**dict.fromkeys(range(IDENTITY + 1), 0), **counts}
    header = np.zeros(_HEADER, np.int64)
    for count, value in counts.items():
        header[count] = value
    ends = []
    for first, start, shapes in zip((_S, _R, _W), (_HEADER, 0, 0), _shapes(counts), strict=True):
        offsets = list(accumulate((math.prod(shape) for shape in shapes), initial=start))
        header[first : first + len(offsets)] = offsets
        ends.append(offsets[-1])
    structure, parameters, workspace = np.zeros(ends[0], np.int64), np.zeros(ends[1]), np.zeros(ends[2])
    structure[:_HEADER] = header
    world = int(header[_W + 3])
    workspace[world : world + 9 : 4] = 1.0
    return structure, parameters, workspace


def empty() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A problem without motions or goals: what loads or compiles a kernel without work to do."""
    return allocate({})


def sections(structure: np.ndarray, parameters: np.ndarray, workspace: np.ndarray) -> SimpleNamespace:
    """The sections as NumPy views: ``tree``, ``space``, ``parts``, ``sweep`` and ``work``."""
    found = []
    for first, array, shapes in zip(
        (_S, _R, _W),
        (structure, parameters, workspace),
        _shapes(dict(enumerate(structure[: IDENTITY + 1].tolist()))),
        strict=True,
    ):
        offsets = structure[first : first + len(shapes) + 1].tolist()
        found.append([array[offsets[i] : offsets[i + 1]].reshape(shape) for i, shape in enumerate(shapes)])
    ints, reals, work = found
    return SimpleNamespace(
        tree=Tree(*ints[:5], *reals[:3]),
        space=Space(*ints[5:8], *reals[3:13]),
        parts=Parts(*ints[8:], *reals[13:]),
        sweep=Sweep(*work[:11]),
        work=Work(*work[11:]),
    )


def part_parameters(structure: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """The parameters of the parts, (parts, PART): what changes when a target moves."""
    first = structure[_R + 13]
    return parameters[first : first + structure[PARTS] * PART].reshape(-1, PART)


@kernel
def view_tree(S, R):
    """The tree: structure and placements."""
    m = S[MOTIONS] + 1
    return Tree(
        view1(S, S[_S], m),
        view1(S, S[_S + 1], m),
        view1(S, S[_S + 2], m),
        view1(S, S[_S + 3], S[DRIVES]),
        view1(S, S[_S + 4], S[DRIVES]),
        view2(R, S[_R], m, 12),
        view1(R, S[_R + 1], S[VALUES]),
        view1(R, S[_R + 2], S[DRIVES]),
    )


@kernel
def view_space(S, R):
    """The space to search: variables, ranges, linear rows, options."""
    n = S[DOFS]
    v = S[VARIABLES]
    return Space(
        view1(S, S[_S + 5], v),
        view1(S, S[_S + 6], v),
        view2(S, S[_S + 7], S[CHARTS], 2),
        view1(R, S[_R + 3], n),
        view1(R, S[_R + 4], n),
        view1(R, S[_R + 5], n),
        view2(R, S[_R + 6], S[ROWS], n),
        view1(R, S[_R + 7], S[ROWS]),
        view1(R, S[_R + 8], S[ROWS]),
        view1(R, S[_R + 9], OPTIONS),
        view2(R, S[_R + 10], S[ASIDE], n),
        view1(R, S[_R + 11], S[ASIDE]),
        view1(R, S[_R + 12], S[ASIDE]),
    )


@kernel
def view_parts(S, R):
    """The parts of plain goals."""
    t = S[PARTS]
    return Parts(view1(S, S[_S + 8], t), view1(S, S[_S + 9], t), view2(R, S[_R + 13], t, PART))


@kernel
def view_sweep(S, W):
    """Workspace of the sweeps."""
    m = S[MOTIONS] + 1
    k = S[VALUES]
    return Sweep(
        view1(W, S[_W], S[DOFS]),
        view1(W, S[_W + 1], k),
        view2(W, S[_W + 2], 2, k),
        view2(W, S[_W + 3], m, 12),
        view2(W, S[_W + 4], m, 9),
        view2(W, S[_W + 5], m, 6),
        view1(W, S[_W + 6], k),
        view2(W, S[_W + 7], k, 13),
        view2(W, S[_W + 8], m, 12),
        view1(W, S[_W + 9], S[PARTS]),
        view1(W, S[_W + 10], S[DOFS]),
    )


@kernel
def view_work(S, W):
    """Workspace of the method."""
    v = S[VARIABLES]
    rows = S[ROWS]
    return Work(
        view2(W, S[_W + 11], VECTORS, v),
        view2(W, S[_W + 12], v, v),
        view2(W, S[_W + 13], S[VALUES], S[VALUES]),
        view3(W, S[_W + 14], 2, v, v),
        view2(W, S[_W + 15], ROW_VECTORS, rows),
        view2(W, S[_W + 16], rows, v),
        view2(W, S[_W + 17], rows, rows),
        view2(W, S[_W + 18], rows, v),
        view2(W, S[_W + 19], 7, v + 1),
        view1(W, S[_W + 20], v + rows),
        view1(W, S[_W + 21], STATE),
    )
