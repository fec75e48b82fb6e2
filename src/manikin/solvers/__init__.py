"""Problem in, Solution out: one file a method."""

from manikin.solvers.problem import Problem
from manikin.solvers.solution import Limit, Miss, Solution
from manikin.solvers.solve import solve

__all__ = ["Limit", "Miss", "Problem", "Solution", "solve"]
