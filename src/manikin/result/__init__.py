"""What a solve gives back: the Solution, and why it is not better (`explain`)."""

from manikin.result.reports import Limit, Miss
from manikin.result.solution import Solution

__all__ = ["Limit", "Miss", "Solution"]
