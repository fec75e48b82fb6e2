"""Problem in, Solution out.

`pack` makes flat arrays of figure and goals, `methods` has one file a method, `starts` says where searches begin,
`explain` why a solution is not better.
"""

from manikin.solvers.problem import Problem
from manikin.solvers.session import Session
from manikin.solvers.solution import Limit, Miss, Solution
from manikin.solvers.solve import solve

__all__ = ["Limit", "Miss", "Problem", "Session", "Solution", "solve"]
