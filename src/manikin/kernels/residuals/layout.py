"""How the measures of a problem lie in memory: three flat arrays beside those of `layout`, and the views into them.

``MS``  int64    structure: counts, where each section begins, kinds and motions of the parts, levels of the rows
``MR``  float64  parameters: ranges and weights of the rows, targets, regions, masses
``MW``  float64  workspace, one a thread: values, wrenches

A *part* of a goal is some rows of one kind, each a number g(q) with a range. See `measures`.

Sections, A parts with R rows:

``kind motion base first count offset``  (A)  what, on which motion, seen from which (0: the world), first row,
    how many rows, first parameter
``attach miss``  (A)          what the derivatives of the rows are by, how their misses are one number; both below
``polygon by_links``  (A)     1 where the rows are the edges of one polygon, of which a step holds one at a time;
    1 where second derivatives are found by moving the motions that the part sees (`levels.second`)
``link links``       (A)      first entry of ``index``, and how many: the motions of points, or coordinates
``more``             (A)      the first row's entry of ``extra``, −1 where a kind has none
``ball ball_base``   (A)      bounding balls of shapes: that of the shapes, that of the region or the others; or −1
``level``            (R)      the level that the row belongs to
``index``                     further motions and coordinates
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

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.kernels.memory.sections import Layout

PARTS, ROWS, INDICES, PARAMETERS, MASSES, MOTIONS, VALUES, EXTRA, HULL, BALLS = range(10)
HORIZON = 0
OPTIONS = 4
SLOTS = 4  # wrenches of one row of ``extra``

#: What a row's derivative is: a wrench on the motion and its opposite on the base; a force on the centre of mass; no
#: more than the wrenches of ``extra``, which rows of the others may have besides; or a slope by coordinates.
ON_MOTIONS, ON_MASS, ON_POINTS, ON_COORDINATES = range(4)
#: How far a part is from met, by what its rows are outside their ranges: the norm; the largest; the angle of which the
#: norm is the chord of the unit circle; or as its kind says.
NORM, LARGEST, CHORD, OWN_MISS = range(4)

_LAYOUT = Layout("MS MR MW", "parts rows indices parameters masses motions values extra hull balls")

#: The measures.
Measures, view_measures = _LAYOUT.tuple_of(
    "Measures",
    MS="kind attach miss polygon by_links motion base first count offset link links more ball ball_base (parts)  "
    "level (rows)  index (indices)  mass_motion (masses)  ball_motion (balls)",
    MR=f"lower upper weight (rows)  option ({OPTIONS})  parameters (parameters)  mass (masses, 4)  balls (balls, 4)",
    MW=f"value near (rows)  wrench (rows, 6)  extra (extra, {SLOTS}, 7)  subtree (motions + 1, 4) "
    "columns (values, 3)  center (3)  hull (hull, 4)  ball_at (balls, 3)",
)


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """MS, MR and MW for the given counts (those left out are 0), all else zero."""
    structure, parameters, workspace = _LAYOUT.allocate(counts)
    return structure, parameters, workspace


def sections(structure: np.ndarray, parameters: np.ndarray, workspace: np.ndarray) -> Any:
    """The sections as NumPy views on the same memory: `Measures`."""
    return _LAYOUT.sections(Measures, structure, parameters, workspace)
