"""How what is judged lies in memory: integers ``I``, numbers ``R`` and a workspace ``W``, sections in this order.

``I``: counts (the names below), then ``parent kind axis`` (M), ``drive_axis drive_dof`` (T), ``mass_motion`` (B), and
of every atom ``kind motion base first count offset follows`` (A), and the motions that something hangs on (N); motion
−1 is the world.

``R``: ``placement`` (M, 12), ``axis_offset`` (K), ``coefficient`` (T), ``lower upper`` (n), ``mass`` (B, 4) share and
centre, ``row_lower row_upper`` (rows), ``allowed`` (A), parameters.

``W``: ``values`` (K), frames (M, 12) of the pose, frames (M, 12) of the start, points of support (H, 2), angles, their
sines and their cosines (2 M each).

An atom is a part of a goal (`goals.part`), a linear constraint, a cone or a relation of a loop. Parameters of all but
CENTER, BALANCE, SWIVEL, CONE and LINEAR: the frame of the site or segment in its motion's, rotation by rows and
position (12), that of the base in its (12), then from ``OWN`` on

COORDINATES  point (3), a direction a row (3 each)         TURN   axes (9)
ROTATION     frame (9), the site's axes (9), components    AIM    axis (3), point or direction (3), whether the latter
AXES         site axis, direction, an axis (6 each)        POINT  number of pieces, pieces
RING         a circle                                      CLEAR  number of pieces, pieces, capsules (8 each)
APART        numbers of capsules, of this, of the other    EGG    centre (3), half axes (9), point (3), normal (3)

and CENTER: point (3), a direction a row; BALANCE: number of points, each a motion and a place (4); SWIVEL: three of
those; CONE: two coordinates, centre (2), radii (2); LINEAR: number of coordinates, each with its factor (2).
"""

from __future__ import annotations

MOTIONS, VALUES, DRIVES, DOFS, MASSES, ATOMS, ROWS, POINTS, NEEDED = range(9)
HEADER = 9

(
    COORDINATES,
    TURN,
    ROTATION,
    AIM,
    AXES,
    POINT,
    RING,
    CLEAR,
    APART,
    EGG,
    CENTER,
    BALANCE,
    SWIVEL,
    CONE,
    LINEAR,
) = range(15)
KINDS = {
    "coordinates": COORDINATES,
    "turn": TURN,
    "rotation": ROTATION,
    "aim": AIM,
    "axes": AXES,
    "point": POINT,
    "ring": RING,
    "clear": CLEAR,
    "apart": APART,
    "egg": EGG,
    "center": CENTER,
    "balance": BALANCE,
    "swivel": SWIVEL,
    "cone": CONE,
}
"""Of the kinds of parts those that are judged; the others choose among equals, or are functions in Python."""
BASE, OWN = 12, 24
#: As the motion of a base: the world as it is.
WORLD = -2
FIELDS = 7
KIND, MOTION, BASE_MOTION, FIRST, COUNT, OFFSET, FOLLOWS = range(FIELDS)
