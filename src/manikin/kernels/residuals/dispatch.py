"""Which kernel serves a part: branches over the kinds, written out from their registry when this is imported.

Compiled code sees calls of known functions, which it may inline, and makes a table of the branches.
"""

from __future__ import annotations

from typing import Any

from manikin.kernels.jit import kernel
from manikin.kernels.memory.sections import written
from manikin.kernels.residuals.kinds import KINDS


def _branches(name: str, arguments: str, field: str, *, none: str = "", exact: bool = False) -> Any:
    """The kernel ``name`` of part t, which calls what the kind of the part has in a field.

    none: what it returns for kinds that have nothing there; by default it returns nothing of any.
    """
    own = {kind: getattr(each, field) for kind, each in enumerate(KINDS.values())}
    kernels = {kind: function for kind, function in own.items() if callable(function)}
    lines = ["kind = M.kind[t]"]
    for place, kind in enumerate(kernels):
        lines.append(f"{'elif' if place else 'if'} kind == {kind}:")
        lines.append(f"    {'return ' if none else ''}kernel_{kind}({arguments})")
    names = {f"kernel_{kind}": function for kind, function in kernels.items()}
    return kernel(written(name, arguments.split(", "), lines, none, names), exact=exact)


#: Value, nearness and wrench of the rows of part t.
measure_part = _branches("measure_part", "M, sweep, t", "measure")
#: Add the slope of row i of part t by the coordinates, where that is what the kind has, to a row.
add_coordinate_row = _branches("add_coordinate_row", "M, q, t, i, row", "row")
#: The miss of part t, of a kind that has a rule of its own.
own_miss = _branches("own_miss", "M, t", "miss", none="0.0", exact=True)
#: Let the rows of part t mean the frames of now.
mean_start = _branches("mean_start", "M, frames, t", "mean_start")
#: The second derivatives of part t, of a kind that has them in closed form.
add_second = _branches("add_second", "tree, M, sweep, t, force, slopes, by_value", "second")
#: Those by the coordinates.
add_curvature = _branches("add_curvature", "M, q, t, force, variable_of, second", "curvature")
