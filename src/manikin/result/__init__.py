"""What a solve gives back: the Solution, and why it is not better (`explain`)."""

from manikin.result.explain.failure import Diagnosis
from manikin.result.reports import ActiveConstraint, GoalReport, Status
from manikin.result.solution import Solution
from manikin.result.solutions import Solutions
from manikin.verify.verdict import Violation

__all__ = ["ActiveConstraint", "Diagnosis", "GoalReport", "Solution", "Solutions", "Status", "Violation"]
