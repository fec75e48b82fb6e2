"""Which linear constraints contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from manikin.solvers.packing import Packed
    from manikin.solvers.solution import Solution


def _possible(packed: Packed, q: np.ndarray) -> bool:
    """Whether some point satisfies the ranges and rows of this problem."""
    from manikin.kernels.solve import INFEASIBLE, OUT_STATUS
    from manikin.kernels.terms import WEIGHT
    from manikin.solvers.projection import run

    packed.sections.terms.parameters[:, WEIGHT] = 0.0
    return bool(run(packed, q.copy())[OUT_STATUS] != INFEASIBLE)


def conflicting(solution: Solution) -> list[str]:
    """A smallest set of couplings that cannot hold together within the ranges, found by leaving out one after another.

    Ranges take part wherever the constraints' coordinates have them; they are not listed.
    """
    packed = solution._packed.everything()
    space = packed.sections.space
    kept = []
    for r, coupling in enumerate(packed.couplings):
        ends = space.row_lower[r], space.row_upper[r]
        space.row_lower[r], space.row_upper[r] = -np.inf, np.inf
        if _possible(packed, solution._start):
            space.row_lower[r], space.row_upper[r] = ends
            kept.append(str(coupling))
    return kept
