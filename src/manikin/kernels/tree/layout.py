"""How a tree lies in memory for forward kinematics alone: three flat arrays, and the views into them.

``S``  int64    structure: counts, the tree, which motions carry sites and masses
``R``  float64  parameters: placements, offsets, sites, masses; all that another size of the same figure changes
``W``  float64  workspace, one a call; nothing in it needs to be set before

Row 0 of all arrays over motions is the world, as in `sweep`. Sections of S, in this order:

``parent kind axis``       (M+1)  the tree
``drive_axis drive_dof``   (T)    which coordinate drives which axis value
``site_motion``            (P)    the motion that carries each site
``mass_motion``            (B)    the motion that carries each mass
``curve_axis first_piece`` (C, C+1)  which axis values follow curves, as `curves` has it

of R: ``placement`` (M+1, 12), ``offset`` (K), ``drive_coefficient`` (T), ``site`` (P, 12) frames of the sites in their
motions', ``mass`` (B, 4) share of the whole and centre in the motion's frame, ``edge origin`` (Q) and ``powers`` (Q, D)
of the curves' pieces;

of W: ``frames`` (M+1, 12), ``values`` (K), ``trig`` (2, K), ``spins`` (M+1, 9), ``by_axis`` (K, 6) derivatives by axis
values, ``subtree`` (M+1, 4), ``columns`` (K, 3), ``center`` (3), as `sweep` and `rows.mass` have them, ``bend`` (C, 2).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping

import numpy as np

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2

# Counts, at the head of S: motions, axis values, drives, coordinates, sites, masses, curves, their pieces, and powers.
MOTIONS, VALUES, DRIVES, DOFS, SITES, MASSES, CURVES, PIECES, POWERS = range(9)
HEADER = 9

Model = namedtuple(
    "Model",
    "parent kind axis drive_axis drive_dof site_motion placement offset drive_coefficient site curves",
)
Curves = namedtuple("Curves", "curve_axis first_piece edge origin powers")
Masses = namedtuple("Masses", "mass_motion mass subtree columns center")
Work = namedtuple("Work", "frames values trig spins by_axis bend")


def allocate(counts: Mapping[int, int]) -> tuple[np.ndarray, np.ndarray, int]:
    """S and R for the given counts (those left out are 0), and the length of W; all but the counts is zero."""
    m, k, t, _, p, b, c, g, d = (counts.get(count, 0) for count in range(HEADER))
    structure = np.zeros(HEADER + 3 * (m + 1) + 2 * t + p + b + 2 * c + 1, np.int64)
    for count, value in counts.items():
        structure[count] = value
    parameters = np.zeros(12 * (m + 1) + k + t + 12 * p + 4 * b + (2 + d) * g)
    return structure, parameters, 25 * (m + 1) + 12 * k + 3 + 2 * c


def sections(structure: np.ndarray, parameters: np.ndarray) -> tuple[Model, np.ndarray, np.ndarray]:
    """NumPy views for whoever fills the arrays: the model, ``mass_motion`` and ``mass``."""
    m, k, t, _, p, b, c, g, d = structure[:HEADER].tolist()
    m += 1
    *tree, mass_motion, curved, pieces = np.split(structure[HEADER:], np.cumsum([m, m, m, t, t, p, b, c]))
    placement, offset, coefficient, site, mass, edge, origin, powers = np.split(
        parameters, np.cumsum([12 * m, k, t, 12 * p, 4 * b, g, g])
    )
    curves = Curves(curved, pieces, edge, origin, powers.reshape(g, d))
    model = Model._make([*tree, placement.reshape(m, 12), offset, coefficient, site.reshape(p, 12), curves])
    return model, mass_motion, mass.reshape(b, 4)


@kernel
def view_model(S, R):
    """The tree with its sites."""
    m = S[MOTIONS] + 1
    k = S[VALUES]
    t = S[DRIVES]
    drives = HEADER + 3 * m
    curved = drives + 2 * t + S[SITES] + S[MASSES]
    c = S[CURVES]
    g = S[PIECES]
    numbers = 12 * m + k + t + 12 * S[SITES] + 4 * S[MASSES]
    curves = Curves(
        view1(S, curved, c),
        view1(S, curved + c, c + 1),
        view1(R, numbers, g),
        view1(R, numbers + g, g),
        view2(R, numbers + 2 * g, g, S[POWERS]),
    )
    return Model(
        view1(S, HEADER, m),
        view1(S, HEADER + m, m),
        view1(S, HEADER + 2 * m, m),
        view1(S, drives, t),
        view1(S, drives + t, t),
        view1(S, drives + 2 * t, S[SITES]),
        view2(R, 0, m, 12),
        view1(R, 12 * m, k),
        view1(R, 12 * m + k, t),
        view2(R, 12 * m + k + t, S[SITES], 12),
        curves,
    )


@kernel
def view_work(S, W):
    """Workspace of one pose."""
    m = S[MOTIONS] + 1
    k = S[VALUES]
    return Work(
        view2(W, 0, m, 12),
        view1(W, 12 * m, k),
        view2(W, 12 * m + k, 2, k),
        view2(W, 12 * m + 3 * k, m, 9),
        view2(W, 21 * m + 3 * k, k, 6),
        view2(W, 25 * m + 12 * k + 3, S[CURVES], 2),
    )


@kernel
def view_masses(S, R, W):
    """The masses, and the workspace for their centre."""
    m = S[MOTIONS] + 1
    k = S[VALUES]
    t = S[DRIVES]
    p = S[SITES]
    b = S[MASSES]
    return Masses(
        view1(S, HEADER + 3 * m + 2 * t + p, b),
        view2(R, 12 * m + k + t + 12 * p, b, 4),
        view2(W, 21 * m + 9 * k, m, 4),
        view2(W, 25 * m + 9 * k, k, 3),
        view1(W, 25 * m + 12 * k, 3),
    )
