"""What a solve gives back: the Solution, and why it is not better (`explain`)."""

from manikin.result.solution import Limit, Miss, Solution

__all__ = ["Limit", "Miss", "Solution"]
