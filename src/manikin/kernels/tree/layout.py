"""How a tree lies in memory for forward kinematics alone: three flat arrays, and the views into them.

``S``  int64    structure: counts, where each section begins, the tree, which motions carry sites and masses
``R``  float64  parameters: placements, offsets, sites, masses; all that another size of the same figure changes
``W``  float64  workspace, one a call; nothing in it needs to be set before

Row 0 of all arrays over motions is the world, as in `sweep`. Sections of S (`memory.sections`):

``parent kind size axis``  (M+1)  the tree
``drive_axis drive_dof``   (T)    which coordinate drives which axis value
``site_motion``            (P)    the motion that carries each site
``mass_motion``            (B)    the motion that carries each mass
``curve_axis first_piece`` (C, C+1)  which axis values follow curves, as `curves` has it

of R: ``placement`` (M+1, 12), ``offset`` (K), ``drive_coefficient`` (T), ``site`` (P, 12) frames of the sites in their
motions', ``mass`` (B, 4) share of the whole and centre in the motion's frame, ``edge origin`` (Q) and ``powers`` (Q, D)
of the curves' pieces;

of W: ``frames`` (M+1, 12), ``values`` (K), ``trig`` (2, K), ``spins`` (M+1, 9), ``twist`` (K, 6), ``subtree``
(M+1, 4), ``columns`` (K, 3), ``center`` (3), as `sweep` and `residuals.mass` have them, ``bend`` (C, 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.kernels.memory.sections import Layout

# Counts, at the head of S: motions, axis values, drives, coordinates, sites, masses, curves, their pieces, and powers.
MOTIONS, VALUES, DRIVES, DOFS, SITES, MASSES, CURVES, PIECES, POWERS = range(9)

_LAYOUT = Layout("S R W", "motions values drives dofs sites masses curves pieces powers")

#: Workspace of one pose; its frames come first in W, where `figure.pose` reads them.
Work, view_work = _LAYOUT.tuple_of(
    "Work",
    W="frames (motions + 1, 12)  values (values)  trig (2, values)  spins (motions + 1, 9)  twist (values, 6)",
)
#: What axis values follow, where that is no sum of coordinates.
Curves, _ = _LAYOUT.tuple_of(
    "Curves",
    S="curve_axis (curves)  first_piece (curves + 1)",
    R="edge origin (pieces)  powers (pieces, powers)",
    W="bend (curves, 2)",
)
#: The tree with its sites.
Model, view_model = _LAYOUT.tuple_of(
    "Model",
    S="parent kind size axis (motions + 1)  drive_axis drive_dof (drives)  site_motion (sites)",
    R="placement (motions + 1, 12)  offset (values)  drive_coefficient (drives)  site (sites, 12)",
    curves=Curves,
)
#: The masses, and the workspace for their centre.
Masses, view_masses = _LAYOUT.tuple_of(
    "Masses",
    S="mass_motion (masses)",
    R="mass (masses, 4)",
    W="subtree (motions + 1, 4)  columns (values, 3)  center (3)",
)


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, int]:
    """S and R for the given counts (those left out are 0), and the length of W; all but the head is zero."""
    (structure, parameters), (size,) = _LAYOUT.allocate_some(counts, 2)
    return structure, parameters, size


def sections(structure: np.ndarray, parameters: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """NumPy views for whoever fills the arrays: the model, ``mass_motion`` and ``mass``."""
    masses = _LAYOUT.sections(Masses, structure, parameters)
    return _LAYOUT.sections(Model, structure, parameters), masses.mass_motion, masses.mass
