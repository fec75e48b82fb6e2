"""How what is judged lies in memory: integers ``I``, numbers ``R`` and a workspace ``W``, sections in this order.

``I``: counts (the names below), then ``parent kind axis`` (M), ``drive_axis drive_dof`` (T), ``mass_motion`` (B), and
of every atom ``kind motion base first count offset follows`` (A), the motions that something hangs on (N), and
``curve_axis`` (C) ``first_piece`` (C + 1) of the axis values that follow curves; motion −1 is the world.

``R``: ``placement`` (M, 12), ``axis_offset`` (K), ``coefficient`` (T), ``lower upper`` (n), ``mass`` (B, 4) share and
centre, ``row_lower row_upper`` (rows), ``allowed`` (A), parameters, and from
`CURVE_NUMBERS` on ``edge origin`` (Q) ``powers`` (Q, D) of the curves' pieces.

``W``: ``values`` (K), frames (M, 12) of the pose, frames (M, 12) of the start, points of support (H, 2), angles, their
sines and their cosines (2 M each).

An atom is a part of a goal (`residuals.Block`), a linear constraint, a cone or a relation of a loop; its kind is a file
of `kinds`. Its parameters begin as its kind says (`checker`): with the frame of the site or segment in its motion's,
rotation by rows and position (12), and that of the base in its (12); or with the number of points and, of each, its
motion and place (4); or with nothing. Then come the kind's own.
"""

from __future__ import annotations

MOTIONS, VALUES, DRIVES, DOFS, MASSES, ATOMS, ROWS, POINTS, NEEDED, CURVES, PIECES, POWERS, CURVE_NUMBERS = (
    range(13)
)
HEADER = 13

BASE, OWN = 12, 24
#: As the motion of a base: the world as it is.
WORLD = -2
FIELDS = 7
KIND, MOTION, BASE_MOTION, FIRST, COUNT, OFFSET, FOLLOWS = range(FIELDS)
