"""The papers' methods, in plain NumPy and SciPy, clear rather than fast: one file a method (`methods/`).

``Problem.solve(method="damped", options={"damping": 0.25})`` runs one of them. Equation numbers are those of Zhao and
Badler, *Real time inverse kinematics with joint limits and spatial constraints* (1989), of the chapter on
pseudo-inverse control (sections 3 to 7) and of Korein and Badler, *Techniques for goal-directed motion* (1981).

They take goals of sites' frames: positions, lines, planes, circles, boxes, orientations or some of their axes, aims,
ranges, regions and obstacles for points, each in the world or relative to another site, and alternatives of all of
these. A `Constraint` c(q) = 0 of the caller's own is one more: ``options={"constraints": Constraint(c)}``. Only
`projection` takes potentials in Python; `screws` takes placements only, `ccd`, `fabrik` and `hierarchy` positions only.
Other goals, hard ones and levels are refused in words. `lagrange`, `penalty` and `slack` take an objective, which
chooses among the poses that meet the goals: ``options={"objective": mk.Posture()}``.

Joint limits and linear couplings: `projection`, `lbfgsb`, `bounded`, `lagrange`, `penalty` and `slack` hold them, and
so do `ccd` and `fabrik`, but that they refuse equalities. From a start on limits they begin once more a little inside
where they miss a goal. `pseudoinverse`, `damped`, `recursive`, `newton`, `screws` and `resolved_rate` know nothing of
either, as printed; where such a method ends outside, the solution is the last point on its way that was inside all of
them, its status is ``"stopped"``, and ``details["left"]`` says what was left. `hierarchy` takes one position, keeps
within all of these and within cones, and says in ``details["verdict"]`` what became of the goal.
"""

from manikin.papers.constraint import Constraint
from manikin.papers.names import KNOW_LIMITS, METHODS, WITH_SETS
from manikin.papers.redundancy import Constrainedness, constrainedness
from manikin.papers.velocities import rates

__all__ = ["KNOW_LIMITS", "METHODS", "WITH_SETS", "Constrainedness", "Constraint", "constrainedness", "rates"]
