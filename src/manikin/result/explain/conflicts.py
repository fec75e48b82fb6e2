"""Which linear constraints contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.starts.inside import bring_in
from manikin.result.explain.limits import in_words

if TYPE_CHECKING:
    from manikin.figure import Coupling, Figure
    from manikin.result.solution import Solution


def _said(figure: Figure, coupling: Coupling) -> str:
    """A coupling as people say it, both ends where it has two."""
    if coupling.equality:
        return in_words(figure, coupling, "equal")
    sides = [side for side in ("lower", "upper") if np.isfinite(getattr(coupling, side))]
    return " and ".join(in_words(figure, coupling, side) for side in sides)


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
        if bring_in(packed, solution._start.copy()):
            space.row_lower[r], space.row_upper[r] = ends
            kept.append(_said(solution.figure, coupling))
    return kept
