"""A figure, goals and options, prepared once: a Problem, and the Sessions that carry its memory."""

from manikin.problem.problem import Problem
from manikin.problem.session import Session
from manikin.problem.solve import solve

__all__ = ["Problem", "Session", "solve"]
