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
not matter.

No printed sample shows limits; they are written here ``llimit = (-10deg); ulimit = (150deg); displacement =
(20deg);``, one value for each degree of freedom in the order of the type, ``none`` for no limit.
"""

from manikin.formats.peabody.read import read
from manikin.formats.peabody.write import write

__all__ = ["read", "write"]
