"""What a solve found, and why it is not better."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.raw import ORIENTATION, POSITION, Raw
from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.goals import Goal, Objective
from manikin.goals.words import amount, duration, near
from manikin.result.explain.explain import explain
from manikin.result.explain.explained import Explained
from manikin.result.explain.failure import Diagnosis, diagnose
from manikin.result.explain.limits import active_constraints
from manikin.result.explain.redundancy import redundancy
from manikin.result.hints import missing
from manikin.result.reports import ActiveConstraint, GoalReport, Measured, Status, reports_of
from manikin.shown import Shown
from manikin.verify.verdict import Violation

if TYPE_CHECKING:
    from manikin.problem.problem import Problem
    from manikin.verify.verdict import Verdict, Violation

if TYPE_CHECKING:
    lazy = cached_property
else:

    class lazy:
        """As `functools.cached_property`, which takes a lock in Python 3.11: as long as what is computed here."""

        def __init__(self, func):
            self.func, self.__doc__, self.name = func, func.__doc__, func.__name__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, found, owner=None):
            if found is None:
                return self
            value = found.__dict__[self.name] = self.func(found)
            return value


def _of(name: str, doc: str) -> Any:
    """An attribute of the solution's problem, or of what the engine left."""
    return property(attrgetter(name), doc=doc)


#: A search that time ended took at least this share of it.
_OVER = 0.99


class Solution(Shown):
    """The result of a solve. Small and cheap; what takes work is a method.

    problem: what was solved. raw: what the engine left. q: the coordinates found, (n,), read-only, radians and metres.
    """

    figure: Figure = _of("problem.figure", "The figure that was posed.")
    goals: tuple[Goal, ...] = _of("raw.request.goals", "The goals that were asked for.")
    cost: float = _of("raw.potential", "Weighted sum of the squares of the errors, P.")
    iterations: int = _of("raw.iterations", "Steps that the method took.")
    evaluations: int = _of("raw.evaluations", "Times that the cost and its gradient were computed.")
    starts: int = _of("raw.starts", "How many starts were tried.")
    seconds: float = _of("raw.seconds", "Time spent in the solver.")
    dt: float | None = _of(
        "raw.dt", "Seconds in which joints had to keep their velocity limits, if asked for."
    )
    time_limit: float | None = _of(
        "raw.time_limit", "Seconds after which the solve was to stop, if asked for."
    )
    details: Mapping[str, Any] = _of(
        "raw.details",
        "What a method of the papers recorded, by name: its trajectory, condition numbers and so on.",
    )

    explain = explain
    #: The goals as rows, for explanations.
    explained = lazy(Explained)
    _active = lazy(active_constraints)
    _redundancy = lazy(redundancy)
    _diagnosis = lazy(diagnose)

    def __init__(self, problem: Problem, raw: Raw) -> None:
        if type(raw) is not Raw:
            raise SolveError(f"a solution is made by Problem.solve, got {raw!r}")
        self.problem, self.raw, self.q = problem, raw, raw.q
        if raw.verified:
            self.reached = True

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(missing(self, name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Solution, (self.problem, self.raw)

    @lazy
    def verdict(self) -> Verdict:
        """What is said of the pose by code that shares nothing with the search that found it."""
        return self.problem.verdict(self.raw)

    @lazy
    def reached(self) -> bool:
        """Whether every goal is met within the tolerance, and the pose is feasible. Verified."""
        return self.raw.claims and self.verdict.met

    @lazy
    def feasible(self) -> bool:
        """Whether the pose has what must hold, whatever else is missed: ranges, constraints, cones and loops of the
        figure, and every hard goal, to the tolerances of docs/contract.md. Verified."""
        return self.raw.verified or self.verdict.feasible

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What must hold and does not, of which joint or goal, and by how much; empty if the pose is feasible."""
        return () if self.feasible else self.verdict.violations

    @property
    def used_up(self) -> bool:
        """Whether the work that a solve may do by default was used up; `restarts` or `time_limit` allow for more."""
        return self.raw.used_up

    @property
    def status(self) -> Status:
        """How the solve ended (`Status`)."""
        if self.reached:
            return Status.REACHED
        if self.details.get("outside"):
            return Status.OUT_OF_REACH
        said = self.raw.status
        feasible, stopped = self.feasible, said == "stopped"
        if (
            self.dt is not None
            and (stopped or not feasible)
            and said != "infeasible"
            and self.at_velocity_limit
        ):
            return Status.VELOCITY_LIMIT
        limit = self.time_limit
        if stopped and limit is not None and (not feasible or self.seconds >= _OVER * limit):
            return Status.TIME_LIMIT
        if not feasible:
            return Status.INFEASIBLE
        if said in ("reached", "infeasible"):
            # As the search said, but not the verifier: a goal that is switched off is missed, or an alternative is that
            # is hard beside others that are not.
            return Status.ITERATION_LIMIT if self.verdict.missed else Status.STATIONARY
        return Status.ITERATION_LIMIT if stopped else Status.STATIONARY

    @cached_property
    def pose(self) -> Pose:
        """The pose found. It is inside every range, every cone and every linear constraint, and meets every hard goal,
        unless `feasible` says that it does not."""
        return Pose(self.figure, self.q)

    @cached_property
    def anchor(self) -> Pose:
        """The pose that `Pin` and other goals without a target of their own mean."""
        meant = self.raw.start if self.raw.anchor is None else self.raw.anchor
        return Pose(self.figure, np.clip(meant, self.figure.lower, self.figure.upper))

    @cached_property
    def measured(self) -> tuple[Measured, ...]:
        """Every measured error; a Placement has two, its position's and its orientation's."""
        return tuple(
            Measured(self.goals[place], float(amount), unit, bool(amount <= allowed), allowed)
            for (place, unit, allowed), amount in zip(self.raw.told.measured, self.raw.misses, strict=True)
        )

    @cached_property
    def goal_reports(self) -> tuple[GoalReport, ...]:
        """One per goal: whether it is reached, and its errors."""
        return reports_of(self.goals, self.measured, self.choices)

    @property
    def position_errors(self) -> np.ndarray:
        """Of each goal the distance from met, metres, (goals,); NaN if it is about none."""
        errors: np.ndarray = self.raw.errors[:, POSITION]
        return errors

    @property
    def orientation_errors(self) -> np.ndarray:
        """Of each goal the angle from met, radians, (goals,); NaN if it is about none."""
        errors: np.ndarray = self.raw.errors[:, ORIENTATION]
        return errors

    @cached_property
    def alternatives(self) -> tuple[Solution, ...]:
        """Other solutions well apart from this one and from each other, if several were asked for."""
        return tuple(Solution(self.problem, raw) for raw in self.raw.alternatives)

    @property
    def choices(self) -> dict[Goal, int]:
        """Of each goal that offers alternatives, which one was taken, from 0: the place in the list of an `AnyOf`, the
        piece of a union of regions."""
        found = {}
        for goal, which in zip(self.goals, self.explained.choice, strict=True):
            settled = goal.settle(self.anchor)
            if goal.offers_choice or len(settled.alternatives()) > 1:
                found[goal] = settled.chosen(which)
        return found

    @cached_property
    def q0(self) -> np.ndarray:
        """Where the search began, (n,): the start, brought inside ranges and linear constraints (`corrected_start`)."""
        began = self.raw.began
        q0 = np.clip(self.raw.start, self.figure.lower, self.figure.upper) if began is None else began.copy()
        q0.flags.writeable = False
        return q0

    @cached_property
    def corrected_start(self) -> dict[str, tuple[float, float]]:
        """Degrees of freedom that started outside the constraints: the value given and the value used."""
        start, inside = self.raw.start, self.q0
        return {
            self.figure.dofs[j]: (float(start[j]), float(inside[j])) for j in np.flatnonzero(inside != start)
        }

    @cached_property
    def at_velocity_limit(self) -> tuple[str, ...]:
        """The degrees of freedom that moved as far as their velocity limits allow in ``dt``, if it was given."""
        if self.dt is None:
            return ()
        way = np.abs(self.q - self.q0)
        at_limit = way >= self.figure.velocity * self.dt * (1.0 - 1e-9) - 1e-15
        return tuple(self.figure.dofs[j] for j in np.flatnonzero(at_limit & (way > 0.0)))

    def active_constraints(self) -> tuple[ActiveConstraint, ...]:
        """The limits and constraints that hold the solution back, the strongest first; none if it is reached."""
        return self._active

    def degree_of_redundancy(self) -> int:
        """Variables less the rank of what the goals ask of them, at the solution."""
        return self._redundancy

    def diagnose(self) -> Diagnosis | None:
        """Why the solution falls short, as data; None if every goal is reached. It solves again: up to seconds."""
        return self._diagnosis

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it: radians and metres."""
        return {
            "status": str(self.status),
            "reached": self.reached,
            "feasible": self.feasible,
            "violations": [
                {"kind": each.kind, "name": each.name, "amount": each.amount, "unit": each.unit}
                for each in self.violations
            ],
            "goals": [report.to_dict() for report in self.goal_reports],
            "active_constraints": [
                {
                    "name": each.name,
                    "side": each.side,
                    "value": each.value,
                    "unit": each.unit,
                    "multiplier": each.multiplier,
                }
                for each in self.active_constraints()
            ],
            "corrected_start": {name: list(ends) for name, ends in self.corrected_start.items()},
            "cost": self.cost,
            "iterations": self.iterations,
            "evaluations": self.evaluations,
            "starts": self.starts,
            "seconds": self.seconds,
            "q": self.pose.values(),
            "explanation": self.explain(),
        }

    def _largest(self) -> tuple[Measured, float] | None:
        """The error that is the largest share of its tolerance, and that share."""
        asked = [
            each for each in self.measured if not isinstance(each.goal, Objective) and each.tolerance > 0.0
        ]
        shares = [(each.amount / each.tolerance, k) for k, each in enumerate(asked)]
        if not shares:
            return None
        share, k = max(shares)
        return asked[k], share

    def __repr__(self) -> str:
        largest, shown = self._largest(), ""
        if largest is not None:
            error, share = largest
            size = f"{error.amount:.3g} {error.unit}".rstrip()
            shown = f", largest error {size} of {error.goal.label()} ({share:.2g} of its tolerance)"
        return f"Solution({self.status}{shown}, {self.iterations} iterations, {self.seconds * 1e6:.0f} µs)"

    def __str__(self) -> str:
        """A line of how it ended, and one per goal."""
        holds = "" if self.reached else ", feasible" if self.feasible else ", not feasible"
        starts = f" from {self.starts} starts" if self.starts > 1 else ""
        lines = [f"{self.status}{holds}, {self.iterations} iterations{starts}, {duration(self.seconds)}"]
        width = max((len(goal.label()) for goal in self.goals), default=0)
        for report in self.goal_reports:
            errors = [
                (near if report.reached else amount)(error, unit)
                for error, unit in (
                    (report.position_error, "m"),
                    (report.orientation_error, "rad"),
                    (report.value, ""),
                )
                if error is not None
            ]
            ending = "" if report.reached else "  missed"
            lines.append(f"  {report.goal.label():<{width}}  {' and '.join(errors)}{ending}".rstrip())
        return "\n".join(lines)
