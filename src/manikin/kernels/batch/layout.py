"""How a figure's own numbers lie in a row, for a batch of several figures.

``F``  float64  a row a figure: placements, offsets, limits of all coordinates, bounds of the variables, sites of parts.
"""

from __future__ import annotations

#: Numbers of a part that are the figure's: its site and the site's axes.
SITE_NUMBERS = 12
#: Bounds of a variable that a figure may have of its own, in the order of a row of F.
OWN_BOUNDS = ("lower", "upper", "true_lower", "true_upper", "low", "width")
