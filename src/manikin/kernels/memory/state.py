"""What compiled searches say: what is to be done, and how it ended."""

from __future__ import annotations

#: What a call answers. Done; a start outside linear rows, and outside rows that have nothing to do with the goals; a
#: start that is not finite.
DONE, REPAIR, REFUSED, TIDY = 0, 5, 6, 7
#: How a search ended. INFEASIBLE: no point satisfies the linear constraints.
STATIONARY, MET, STOPPED, INFEASIBLE = range(4)
