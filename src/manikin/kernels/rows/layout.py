"""How the measures of a problem lie in memory: three flat arrays beside those of `layout`, and the views into them.

``MS``  int64    structure: counts, where each section begins, kinds and motions of the parts, levels of the rows
``MR``  float64  parameters: ranges and weights of the rows, targets, regions, masses
``MW``  float64  workspace, one a thread: values, wrenches

A *part* of a goal is some rows of one kind, each a number g(q) with a range. See `measures`.

Sections, A parts with R rows:

``kind motion base first count offset link``  (A)  what, on which motion, seen from which (0: the world), first row,
    how many rows, first parameter, first entry of ``index``
``ball ball_base``   (A)      bounding balls of shapes: that of the shapes, that of the region or the others
``level``            (R)      whose turn it is; the solver's business
``index``                     further motions and coordinates, as a part's kind has them
``mass_motion mass`` (B) (B, 4)  motions that carry mass: share of the whole, centre in the motion's frame
``ball_motion balls ball_at``  (C) (C, 4) (C, 3)  bounding balls: motion, centre and radius there; centre in the world
``lower upper weight``  (R)   the range, and the weight; 0 switches a row off
``option``           (4)      HORIZON: rows of regions with more room than this are left out (``near`` = 0)
``parameters``                as a part's kind has them
``value``            (R)      g
``near``             (R)      1.0, or 0.0 where the row is satisfied with room to spare: then its value is only
    known to be at least that far inside, and its row of the Jacobian is not written
``wrench``           (R, 6)   derivative of g: force and moment about the world's origin on the motion, and their
    opposite on the base; of the rows of masses, the force on the centre of mass
``extra``            (E, 4, 7)  further wrenches: the motion, then force and moment
``subtree columns center``    (M+1, 4) (K, 3) (3)  mass and moment of subtrees; derivatives of the centre; the centre
``hull``             (H, 4)   points of support: x, y, and the order of the hull
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Mapping
from itertools import accumulate

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2, view3

PARTS, ROWS, INDICES, PARAMETERS, MASSES, MOTIONS, VALUES, EXTRA, HULL, BALLS = range(10)
HORIZON = 0
OPTIONS = 4
SLOTS = 4  # wrenches of one row of ``extra``

Measures = namedtuple(
    "Measures",
    "kind motion base first count offset link ball ball_base level index mass_motion ball_motion "
    "lower upper weight option parameters mass balls "
    "value near wrench extra subtree columns center hull ball_at",
)

_S = 12
_R = _S + 14
_W = _R + 8
_HEADER = _W + 10


def _shapes(counts: Mapping[int, int]) -> tuple[list[tuple[int, ...]], ...]:
    """Shapes of the sections of MS, MR and MW."""
    a, r, i, p, b = (counts[c] for c in (PARTS, ROWS, INDICES, PARAMETERS, MASSES))
    m, k, e, h, c = (counts[i] for i in (MOTIONS, VALUES, EXTRA, HULL, BALLS))
    structure: list[tuple[int, ...]] = [*([(a,)] * 9), (r,), (i,), (b,), (c,)]
    parameters: list[tuple[int, ...]] = [(r,), (r,), (r,), (OPTIONS,), (p,), (b, 4), (c, 4)]
    workspace = [(r,), (r,), (r, 6), (e, SLOTS, 7), (m + 1, 4), (k, 3), (3,), (h, 4), (c, 3)]
    return structure, parameters, workspace


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """MS, MR and MW for the given counts (those left out are 0): offsets written, the rest zero."""
    counts = {**dict.fromkeys(range(BALLS + 1), 0), **counts}
    header = np.zeros(_HEADER, np.int64)
    for count, value in counts.items():
        header[count] = value
    ends = []
    for first, start, shapes in zip((_S, _R, _W), (_HEADER, 0, 0), _shapes(counts), strict=True):
        offsets = list(accumulate((math.prod(shape) for shape in shapes), initial=start))
        header[first : first + len(offsets)] = offsets
        ends.append(offsets[-1])
    structure = np.zeros(ends[0], np.int64)
    structure[:_HEADER] = header
    return structure, np.zeros(ends[1]), np.zeros(ends[2])


def sections(structure: np.ndarray, parameters: np.ndarray, workspace: np.ndarray) -> Measures:
    """The sections as NumPy views on the same memory."""
    found: list[np.ndarray] = []
    counts = dict(enumerate(structure[: BALLS + 1].tolist()))
    for first, array, shapes in zip(
        (_S, _R, _W), (structure, parameters, workspace), _shapes(counts), strict=True
    ):
        offsets = structure[first : first + len(shapes) + 1].tolist()
        found += [array[offsets[i] : offsets[i + 1]].reshape(shape) for i, shape in enumerate(shapes)]
    return Measures(*found)


@kernel
def view_measures(MS, MR, MW):
    """The measures, as views."""
    a = MS[PARTS]
    r = MS[ROWS]
    return Measures(
        view1(MS, MS[_S], a),
        view1(MS, MS[_S + 1], a),
        view1(MS, MS[_S + 2], a),
        view1(MS, MS[_S + 3], a),
        view1(MS, MS[_S + 4], a),
        view1(MS, MS[_S + 5], a),
        view1(MS, MS[_S + 6], a),
        view1(MS, MS[_S + 7], a),
        view1(MS, MS[_S + 8], a),
        view1(MS, MS[_S + 9], r),
        view1(MS, MS[_S + 10], MS[INDICES]),
        view1(MS, MS[_S + 11], MS[MASSES]),
        view1(MS, MS[_S + 12], MS[BALLS]),
        view1(MR, MS[_R], r),
        view1(MR, MS[_R + 1], r),
        view1(MR, MS[_R + 2], r),
        view1(MR, MS[_R + 3], OPTIONS),
        view1(MR, MS[_R + 4], MS[PARAMETERS]),
        view2(MR, MS[_R + 5], MS[MASSES], 4),
        view2(MR, MS[_R + 6], MS[BALLS], 4),
        view1(MW, MS[_W], r),
        view1(MW, MS[_W + 1], r),
        view2(MW, MS[_W + 2], r, 6),
        view3(MW, MS[_W + 3], MS[EXTRA], SLOTS, 7),
        view2(MW, MS[_W + 4], MS[MOTIONS] + 1, 4),
        view2(MW, MS[_W + 5], MS[VALUES], 3),
        view1(MW, MS[_W + 6], 3),
        view2(MW, MS[_W + 7], MS[HULL], 4),
        view2(MW, MS[_W + 8], MS[BALLS], 3),
    )
