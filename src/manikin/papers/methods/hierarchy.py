"""The reach hierarchy of Korein, for one position on hinges: see `manikin.reach.hierarchy`."""

from __future__ import annotations

from typing import Any

from manikin.errors import SolveError
from manikin.papers.hinges import no_equalities, only_positions
from manikin.papers.view import View


def run(view: View, pitch: float = 0.03) -> dict[str, Any]:
    """From the root outwards each hinge turns only as much as brings the goal into the next workspace, W[i+1].

    pitch: of the voxels that workspaces are kept in, metres, where the chain is not a plane one of at most three
    hinges. They are made at the first solve for a site and kept with the figure. ``details["outside"]`` is the number
    i of the first W[i] that the goal is not in, None where it is in all.
    """
    from manikin.reach.hierarchy import Hierarchy

    only_positions(view)
    no_equalities(view)
    if len(view.parts) != 1:
        raise SolveError(f"method 'hierarchy' takes one position, and here are {len(view.parts)}")
    if isinstance(pitch, bool) or not isinstance(pitch, (int, float)) or not 0.0 < pitch < 10.0:
        raise SolveError(f"method 'hierarchy': pitch must be metres above 0, got {pitch!r}")
    figure, part = view.figure, view.parts[0]
    names = tuple(figure.dofs[j] for j in view.variables)
    held = view.q.copy()
    held[view.variables] = 0.0
    kept = figure._models.setdefault("hierarchies", {})
    key = part.site, names, float(pitch), held.tobytes(), view.tolerance
    if key not in kept:
        if len(kept) >= 8:
            kept.pop(next(iter(kept)))
        kept[key] = Hierarchy(
            figure.pose(view.q), part.site, free=list(names), pitch=pitch, tolerance=view.tolerance[0]
        )
    found = kept[key].solve(part.target, view.full(view.start))
    if found.outside is None:
        view.moved(found.q[view.variables])
    return {"outside": found.outside}
