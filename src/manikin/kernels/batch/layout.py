"""What a batch keeps in lanes besides the searches' own workspace, and how a figure's own numbers lie in a row.

``C``  float64, four lanes an item: the parts' parameters, the squares of their misses, the axis values that do not
vary,
       where each lane's problem is bounded and its seeds are drawn from, budget and patience; where figures differ also
       their placements.
``F``  float64, a row a figure: placements, offsets, limits of all coordinates, bounds of the variables, sites of parts.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lane_tools import aligned_zeros, lane_view1, lane_view2
from manikin.kernels.memory.lanes import WIDTH
from manikin.kernels.memory.layout import DOFS, MOTIONS, PART, PARTS, VALUES
from manikin.kernels.memory.views import view2
from manikin.kernels.search.layout import N_VARIABLES

#: Numbers of a part that are the figure's: its site and the site's axes.
SITE_NUMBERS = 12
#: Bounds of a variable that a figure may have of its own, in the order of a row of F.
OWN_BOUNDS = ("lower", "upper", "true_lower", "true_upper", "low", "width")
_LIMITS = 2

#: In lanes: parameters, squares, fixed, lower, upper, true_lower, true_upper, limits (budget, patience), placement.
#: Number by number, (items, lanes): the same under names that end in ``_of``, and low_of, width_of.
Batch = namedtuple(
    "Batch",
    "parameters squares fixed lower upper true_lower true_upper limits placement "
    "parameters_of squares_of fixed_of lower_of upper_of true_lower_of true_upper_of low_of width_of limits_of "
    "placement_of",
)


def lane_constants(structure: np.ndarray, ints: np.ndarray) -> np.ndarray:
    """C for a problem."""
    parts, values, motions = (int(structure[k]) for k in (PARTS, VALUES, MOTIONS))
    items = (
        parts * (PART + 1) + values + len(OWN_BOUNDS) * int(ints[N_VARIABLES]) + _LIMITS + 12 * (motions + 1)
    )
    return aligned_zeros(WIDTH * items)


def figure_size(structure: np.ndarray, ints: np.ndarray) -> int:
    """Numbers in a row of F."""
    parts, values, motions, dofs = (int(structure[k]) for k in (PARTS, VALUES, MOTIONS, DOFS))
    return (
        12 * (motions + 1)
        + values
        + 2 * dofs
        + len(OWN_BOUNDS) * int(ints[N_VARIABLES])
        + SITE_NUMBERS * parts
    )


@kernel
def view_batch(S, N, C):
    """The sections of C."""
    parts = S[PARTS]
    k = S[VALUES]
    n = N[N_VARIABLES]
    m = S[MOTIONS] + 1
    w = WIDTH
    squares = w * parts * PART
    fixed = squares + w * parts
    bounds = fixed + w * k
    limits = bounds + 6 * w * n
    placement = limits + w * _LIMITS
    return Batch(
        lane_view2(C, 0, parts, PART),
        lane_view1(C, squares, parts),
        lane_view1(C, fixed, k),
        lane_view1(C, bounds, n),
        lane_view1(C, bounds + w * n, n),
        lane_view1(C, bounds + 2 * w * n, n),
        lane_view1(C, bounds + 3 * w * n, n),
        lane_view1(C, limits, _LIMITS),
        lane_view2(C, placement, m, 12),
        view2(C, 0, parts * PART, w),
        view2(C, squares, parts, w),
        view2(C, fixed, k, w),
        view2(C, bounds, n, w),
        view2(C, bounds + w * n, n, w),
        view2(C, bounds + 2 * w * n, n, w),
        view2(C, bounds + 3 * w * n, n, w),
        view2(C, bounds + 4 * w * n, n, w),
        view2(C, bounds + 5 * w * n, n, w),
        view2(C, limits, _LIMITS, w),
        view2(C, placement, m * 12, w),
    )
