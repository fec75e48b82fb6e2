"""Peabody, the figures of Jack: segments with sites, joints that connect two of them, a root site and its location.

    figure table {
      segment leg { psurf = "leg.pss"; attribute = plum;
        site base->location = trans(0.00cm,0.00cm,0.00cm);
        site top->location = trans(5.00cm,75.00cm,5.00cm); }
      joint leg1 { connect top.leg3 to leg1.top; type = R(z); }
      root = top.base; location = trans(0.00cm,75.00cm,0.00cm);
    }

y is up, facing z. Units are written on numbers. Vectors are rows, so the first factor of a product acts first:
``xyz(90deg, 0deg, 0deg) * trans(0cm, 75cm, 0cm)`` turns, then moves, and in the type ``R(x)*R(y)`` x is the
axis nearest to the second site's segment. Which of the two segments a joint connects is nearer to the root does
not matter, and a joint that closes a loop makes a `Loop`.

No printed sample shows limits; they are written here ``llimit = (-10deg); ulimit = (150deg); displacement =
(20deg);``, one value for each degree of freedom in the order of the type, ``none`` for no limit.

What the language has no word for stands in comments ``/* manikin {…} */`` at the head of a figure, a segment or a
joint. The language's own words are stronger: an extension only adds to them.

====================  ==============================================================================================
block                 entries of its extension
====================  ==============================================================================================
figure                name, base (kind, location, mount, stiffness, values), sites (name: segment and site), couplings,
                      touching
segment               name, mass, center_of_mass, inertia, color (of its surface), shapes (besides it)
joint                 name, motion (a ball or free joint), swing (its cone, ellipse or polygon), axes (of each: name,
                      rest, stiffness, velocity, effort, follow, description; lower, upper and value of a rotation)
joint in a loop       name, loop (its kind)
====================  ==============================================================================================
"""

from manikin.formats.peabody.read import read
from manikin.formats.peabody.write import write

__all__ = ["read", "write"]
