"""The reach hierarchy of Korein, for one position: see `manikin.reach.hierarchy`."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.papers.hinges import only_positions
from manikin.papers.view import View

# Hierarchies that a figure keeps: one takes some 40 MB of tables.
_MOST = 4

CONSTRAINTS = False


def run(view: View, nodes: int = 2_000_000) -> dict[str, Any]:
    """From the root outwards each joint turns only as much as brings the goal into the next workspace, W[i+1].

    nodes: of the table of each workspace. Tables are made at the first solve for a site; equal chains share them.
    ``details["verdict"]`` is ``"reached"``, ``"outside W[1]"`` or ``"open"``. Where it is outside,
    ``details["bound"]`` is a proved lower bound of the goal's distance to W[1], above ``details["tolerance"]``, and
    ``details["outside"]`` is 1; elsewhere they are 0.0 and None. The pose of a goal that is refused is the start.
    """
    from manikin.reach.hierarchy import Hierarchy

    parts = only_positions(view)
    if len(view.parts) != 1:
        raise SolveError(f"method 'hierarchy' takes one position, and here are {len(view.parts)}")
    figure, part = view.figure, parts[0]
    names = tuple(figure.dofs[j] for j in view.variables)
    held = view.q.copy()
    held[view.variables] = 0.0
    kept = figure.kept.setdefault("hierarchies", {})
    key = part.site, names, nodes, held.tobytes(), view.tolerance[0]
    if key not in kept:
        if len(kept) >= _MOST:
            kept.pop(next(iter(kept)))
        pose = figure.pose(view.q)
        kept[key] = Hierarchy(
            pose, part.site, free=list(names), nodes=nodes, position_tolerance=view.tolerance[0]
        )
    found = kept[key].solve(np.asarray(part.point), view.full(view.start))
    if not found.outside:
        view.moved(found.q[view.variables])
    return {
        "verdict": found.verdict,
        "outside": found.outside,
        "bound": found.bound,
        "tolerance": found.position_tolerance,
        "says": str(found),
    }
