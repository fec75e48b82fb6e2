"""What a solve found, and why it is not better."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.raw import Raw
from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.goals import Goal, Objective
from manikin.result.explain.explain import explain
from manikin.result.explain.explained import Explained
from manikin.result.explain.failure import failure
from manikin.result.explain.limits import limits
from manikin.result.explain.redundancy import redundancy
from manikin.result.reports import Miss
from manikin.shown import Shown

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


class Solution(Shown):
    """The result of a solve. Small and cheap; what takes work is computed when asked for.

    problem: what was solved. raw: what the engine left. q: the coordinates found, (n,), read-only.
    """

    figure: Figure = _of("problem.figure", "The figure that was posed.")
    goals: tuple[Goal, ...] = _of("raw.request.goals", "The goals that were asked for.")
    potential: float = _of("raw.potential", "Weighted sum of the squares of the misses, P.")
    errors: np.ndarray = _of(
        "raw.errors",
        """The miss of each goal, metres, or radians for orientations and aims: of one with several the largest in the
        unit of the first, so of a Placement its position's; 0 of one that has nothing to measure.""",
    )
    iterations: int = _of("raw.iterations", "Steps that the method took.")
    evaluations: int = _of("raw.evaluations", "Times that the potential and its gradient were computed.")
    starts: int = _of("raw.starts", "How many starts were tried.")
    seconds: float = _of("raw.seconds", "Time spent in the solver.")
    began: np.ndarray | None = _of(
        "raw.began", "Where the search began, if a linear constraint did not allow the start."
    )
    dt: float | None = _of(
        "raw.dt", "Seconds that every joint had to keep within its velocity limit, where that was asked for."
    )
    time_limit: float | None = _of(
        "raw.time_limit", "Seconds after which the solve was to stop, where that was asked for."
    )
    details: Mapping[str, Any] = _of(
        "raw.details",
        "What a method of the papers recorded, by name: its trajectory, condition numbers and so on.",
    )

    limits = lazy(limits)
    redundancy = lazy(redundancy)
    failure = lazy(failure)
    explain = explain
    #: The goals as rows, for explanations.
    explained = lazy(Explained)

    def __init__(self, problem: Problem, raw: Raw) -> None:
        if type(raw) is not Raw:
            raise SolveError(f"a solution is made by Problem.solve, got {raw!r}")
        self.problem, self.raw, self.q = problem, raw, raw.q
        if raw.verified:
            self.reached = True

    @lazy
    def verdict(self) -> Verdict:
        """What is said of the pose by code that shares nothing with the search that found it."""
        return self.problem.verdict(self.raw)

    @lazy
    def reached(self) -> bool:
        """Whether every goal is met within the tolerance, and every constraint of the figure's kept."""
        return self.raw.claims and self.verdict.met

    @lazy
    def feasible(self) -> bool:
        """Whether all holds that must, whatever else is missed: ranges, constraints, cones and loops of the figure, and
        every hard goal, to the tolerances of docs/contract.md."""
        return self.raw.verified or self.verdict.feasible

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What must hold and does not, of which joint or goal, and by how much; empty where the pose is `feasible`."""
        return () if self.raw.verified else self.verdict.violations

    @property
    def used_up(self) -> bool:
        """Whether the work that a solve may do by default was used up; `restarts` or `time_limit` allow for more."""
        return self.raw.used_up

    @property
    def status(self) -> str:
        """``"reached"``; ``"stationary"`` (no direction improves, first and second order; some goal is missed);
        ``"stopped"`` (out of time or iterations; some goal is missed).

        Where `feasible` is false, and only then: ``"infeasible"`` (linear constraints, or hard goals, contradict each
        other, or no pose was found that meets the hard goals, or a constraint, cone or loop of the figure's, with what
        is free), ``"stopped by time"`` (``time_limit`` was over before one was found) or ``"stopped by speed"``
        (velocity limits do not let the joints get there in ``dt``).

        ``"outside W[1]"`` of the method ``"hierarchy"``: the goal is out of reach, which it has proved.
        """
        if self.reached:
            return "reached"
        if self.details.get("outside"):
            return str(self.details["verdict"])
        said = self.raw.status
        if not self.feasible:
            if self.dt is not None and self.slowed and said != "infeasible":
                return "stopped by speed"
            return "stopped by time" if said == "stopped" and self.time_limit is not None else "infeasible"
        if said in ("reached", "infeasible"):
            # As the search said, but not the judge: a goal that is switched off is missed, or an alternative is that is
            # hard beside others that are not.
            return "stopped" if self.verdict.missed else "stationary"
        return said

    @cached_property
    def pose(self) -> Pose:
        """The pose found. It is inside every range, every cone and every linear constraint, and meets every hard goal,
        unless `feasible` says that it does not."""
        return Pose(self.figure, self.q)

    @cached_property
    def anchor(self) -> Pose:
        """The pose that `Pin` and whatever else says "where it is" meant."""
        meant = self.raw.start if self.raw.anchor is None else self.raw.anchor
        return Pose(self.figure, np.clip(meant, self.figure.lower, self.figure.upper))

    @cached_property
    def misses(self) -> tuple[Miss, ...]:
        """Every goal's miss; a Placement has two, its position's and its orientation's."""
        return tuple(
            Miss(self.goals[place], float(amount), unit, bool(amount <= allowed))
            for (place, unit, allowed), amount in zip(self.raw.told.measured, self.raw.misses, strict=True)
        )

    @cached_property
    def alternatives(self) -> tuple[Solution, ...]:
        """Other solutions well apart from this one and from each other, where several were asked for."""
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
    def brought_in(self) -> dict[str, tuple[float, float]]:
        """Degrees of freedom that started outside the constraints: where, and where the search began instead."""
        start, inside = self.raw.start, self._inside
        return {
            self.figure.dofs[j]: (float(start[j]), float(inside[j])) for j in np.flatnonzero(inside != start)
        }

    @cached_property
    def slowed(self) -> tuple[str, ...]:
        """The degrees of freedom that moved as far as their velocity limits allow in ``dt``, where it was given."""
        if self.dt is None:
            return ()
        way = np.abs(self.q - self._inside)
        at_limit = way >= self.figure.velocity * self.dt * (1.0 - 1e-9) - 1e-15
        return tuple(self.figure.dofs[j] for j in np.flatnonzero(at_limit & (way > 0.0)))

    @property
    def _inside(self) -> np.ndarray:
        """The start, inside the constraints."""
        return (
            np.clip(self.raw.start, self.figure.lower, self.figure.upper)
            if self.began is None
            else self.began
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        choices = self.choices
        return {
            "status": self.status,
            "reached": self.reached,
            "feasible": self.feasible,
            "violations": [str(each) for each in self.violations],
            "goals": [
                {
                    "kind": miss.goal.kind(),
                    "site": miss.goal.site,
                    "miss": miss.amount,
                    "unit": miss.unit,
                    "reached": miss.reached,
                }
                for miss in self.misses
            ],
            "limits": [
                {
                    "name": limit.name,
                    "side": limit.side,
                    "value": limit.value,
                    "unit": limit.unit,
                    "multiplier": limit.multiplier,
                }
                for limit in self.limits
            ],
            "choices": [
                {"goal": place, "kind": goal.kind(), "site": goal.site, "choice": choices[goal]}
                for place, goal in enumerate(self.goals)
                if goal in choices
            ],
            "brought_in": {name: list(ends) for name, ends in self.brought_in.items()},
            "potential": self.potential,
            "iterations": self.iterations,
            "evaluations": self.evaluations,
            "starts": self.starts,
            "seconds": self.seconds,
            "q": self.pose.values(),
            "explanation": self.explain(),
        }

    def __repr__(self) -> str:
        worst: dict[str, Miss] = {}  # metres and radians are not compared
        for miss in self.misses:
            known = worst.get(miss.unit)
            if not isinstance(miss.goal, Objective) and (known is None or miss.amount > known.amount):
                worst[miss.unit] = miss
        told = [f"{m.amount:.3g} {unit} of {m.goal.label()}".replace("  ", " ") for unit, m in worst.items()]
        shown = f", worst miss {' and '.join(told)}" if told else ""
        return f"Solution({self.status}{shown}, {self.iterations} iterations, {self.seconds * 1e6:.0f} µs)"
