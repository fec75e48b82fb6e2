"""What a solve found, and why it is not better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.figure import Figure, Pose
from manikin.goals import Goal, Objective
from manikin.shown import Shown

if TYPE_CHECKING:
    from manikin.engines.levels import Levels, Outcome
    from manikin.goals.request import Request
    from manikin.plan.packing import Packed
    from manikin.plan.targets import Handed
    from manikin.problem.problem import Problem
    from manikin.residuals import Block
    from manikin.result.explain.failure import Failure
    from manikin.verify.verdict import Verdict

if TYPE_CHECKING:
    lazy = cached_property
else:

    class lazy:
        """As `functools.cached_property`, which takes a lock in Python 3.11: as long as what is computed here."""

        def __init__(self, compute):
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, found, owner=None):
            if found is None:
                return self
            value = found.__dict__[self.name] = self.compute(found)
            return value


# The numbers that `kernels.pose.report` tells, in this order; then the miss of each term.
POTENTIAL, STATUS, ITERATIONS, EVALUATIONS, REACHED, ERRORS = range(6)
STATUSES = ("stationary", "reached", "stopped", "infeasible")


@dataclass(frozen=True, slots=True)
class Miss:
    """How far one goal, or one half of a Placement, is from met."""

    goal: Goal
    amount: float
    unit: str
    reached: bool


@dataclass(frozen=True, slots=True)
class Limit:
    """A constraint that holds the solution back.

    name: the degree of freedom, or the coupling in words, its constant in degrees if all that it couples turns.
    side: ``"lower"``, ``"upper"``, or ``"equal"`` for an equality.
    value: where it is, in ``unit`` (rad or m).
    multiplier: by how much the potential would fall if it gave way by one unit (a rate).
    row: which of the problem's couplings it is, if it is one.
    """

    name: str
    side: str
    value: float
    unit: str
    multiplier: float
    row: int | None = None


class Solution(Shown):
    """The result of a solve. Small and cheap; what takes work is computed when asked for."""

    began: np.ndarray | None = None
    """Where the search began, if a linear constraint did not allow the start."""
    starts: int = 1
    """How many starts were tried."""
    alternatives: tuple[Solution, ...] = ()
    """Other solutions well apart from this one and from each other, where several were asked for."""
    _by_levels: bool = False
    _measured: Sequence[tuple[int, str, float]] = ()
    _open: Sequence[tuple[int, Block]] = ()
    details: Mapping[str, Any] = MappingProxyType({})
    """What a method of the papers recorded, by name: its trajectory, condition numbers and so on."""

    dt: float | None = None
    """Seconds that every joint had to keep within its velocity limit, where that was asked for."""
    time_limit: float | None = None
    """Seconds after which the solve was to stop, where that was asked for."""
    _meant: np.ndarray | None = None
    _handed: Handed | None = None

    def __init__(
        self,
        problem: Problem,
        request: Request,
        whole: np.ndarray,
        seconds: float,
        handed: Handed | None = None,
    ) -> None:
        self._problem = problem
        self._prepared = request
        self._whole = whole  # targets that travelled with the call, if any, then the block
        self._handed = handed
        self.seconds = seconds
        """Time spent in the solver."""

    @lazy
    def _block(self) -> np.ndarray:
        """What `kernels.pose.report` tells, the coordinates found, the start."""
        return self._whole if self._handed is None else self._whole[self._handed.first :]

    @cached_property
    def _request(self) -> Request:
        """What was asked for, with the targets that travelled with the call."""
        if self._handed is None:
            return self._prepared
        return self._prepared.with_targets(self._handed.read(self._whole))

    @lazy
    def q(self) -> np.ndarray:
        """The coordinates found, (n,), read-only."""
        n, end = self._problem.figure.n, len(self._whole)
        q = self._whole[end - 2 * n : end - n]
        q.flags.writeable = False
        return q

    @cached_property
    def _start(self) -> np.ndarray:
        n = self._problem.figure.n
        return self._block[-n:] if n else np.zeros(0)

    @cached_property
    def _out(self) -> np.ndarray:
        return self._block[: len(self._block) - 2 * self._problem.figure.n]

    @cached_property
    def anchor(self) -> Pose:
        """The pose that `Pin` and whatever else says "where it is" meant."""
        figure = self._problem.figure
        meant = self._start if self._meant is None else self._meant
        return Pose(figure, np.clip(meant, figure.lower, figure.upper))

    @property
    def _goals(self) -> tuple[Goal, ...]:
        return self._request.goals

    @cached_property
    def _packed(self) -> Packed:
        """The problem as it was solved, packed anew: the problem itself may ask for something else by now."""
        return self._problem.packed_for(self._request)

    @cached_property
    def _levels(self) -> Levels | None:
        """The same for the careful descent; None where the problem is one of plain goals."""
        if not self._by_levels:
            return None
        levels = self._problem.levels_for(self._request, self._start)
        if self._meant is not None:
            levels.mean_start(self._start, self._meant)
        return levels

    @cached_property
    def _outcome(self) -> Outcome:
        """What the careful descent found; where it was not needed, that everything is met."""
        from manikin.engines.levels import Outcome

        return Outcome(self.q, choice=(0,) * len(self._goals), misses=self._amounts, reached=self.reached)

    def found_quickly(
        self, measured: Sequence[tuple[int, str, float]], open_: Sequence[tuple[int, Block]] = ()
    ) -> None:
        """Note that the quick search over rows of every kind found this, and which misses it left open."""
        self._by_levels = True
        self._measured = measured
        self._open = open_

    @cached_property
    def _amounts(self) -> np.ndarray:
        """The miss of every part of the goals, those of objectives that the search left open included."""
        amounts = self._out[ERRORS:]
        if self._open:
            amounts = amounts.copy()
        for slot, part in self._open:
            amounts[slot] = part.miss_at(self.q, self._start)
        return amounts

    def found_by(self, levels: Levels, outcome: Outcome) -> None:
        """Note how the descent by levels came to this."""
        self.found_quickly(levels.measured(outcome.choice))
        self._outcome = outcome

    def begin_at(self, start: np.ndarray) -> None:
        """Report on this start: the search began at a point of the solver's own."""
        self._start = start.copy()

    def begun_from(self, other: Solution) -> None:
        """Report on the start of another solution of the same problem: this one began at a point of the solver's."""
        self._start, self.began = other._start, other.began

    @property
    def figure(self) -> Figure:
        """The figure that was posed."""
        return self._problem.figure

    @cached_property
    def pose(self) -> Pose:
        """The pose found. It is inside every range, every cone and every linear constraint, and meets every hard goal,
        unless `kept` says that it does not."""
        return Pose(self._problem.figure, self.q)

    @cached_property
    def _verdict(self) -> Verdict:
        """What the judge says of the pose: it shares no code with the search that found it."""
        return self._problem.verdict(self)

    @lazy
    def reached(self) -> bool:
        """Whether every goal is met within the tolerance, and every constraint of the figure's kept."""
        return bool(self._block[REACHED]) and self._verdict.met

    @property
    def status(self) -> str:
        """``"reached"``; ``"stationary"`` (no direction improves, first and second order; some goal is missed);
        ``"stopped"`` (out of time or iterations; some goal is missed).

        Where `kept` is false, and only then: ``"infeasible"`` (linear constraints, or hard goals, contradict each
        other, or no pose was found that meets the hard goals, or a constraint, cone or loop of the figure's, with what
        is free), ``"stopped by time"`` (``time_limit`` was over before one was found) or ``"stopped by speed"``
        (velocity limits do not let the joints get there in ``dt``).

        ``"outside W[1]"`` of the method ``"hierarchy"``: the goal is out of reach, which it has proved.
        """
        if self.reached:
            return "reached"
        if self.details.get("outside"):
            return str(self.details["verdict"])
        code = STATUSES[int(self._out[STATUS])]
        if not self.kept:
            if self.dt is not None and self.slowed and code != "infeasible":
                return "stopped by speed"
            return "stopped by time" if code == "stopped" and self.time_limit is not None else "infeasible"
        if code in ("reached", "infeasible"):
            # As the search said, but not the judge: a goal that is switched off is missed, or an alternative is that is
            # hard beside others that are not.
            return "stopped" if self._verdict.missed else "stationary"
        return code

    @lazy
    def kept(self) -> bool:
        """Whether the pose keeps what must hold, whatever else is missed: ranges, constraints, cones and loops of the
        figure, and every hard goal, to the tolerances of docs/contract.md."""
        return self._verdict.kept

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals that were asked for."""
        return tuple(self._goals)

    @property
    def potential(self) -> float:
        """Weighted sum of the squares of the misses, P."""
        return float(self._out[POTENTIAL])

    @property
    def iterations(self) -> int:
        """Steps that the method took."""
        return int(self._out[ITERATIONS])

    @property
    def evaluations(self) -> int:
        """Times that the potential and its gradient were computed."""
        return int(self._out[EVALUATIONS])

    @cached_property
    def misses(self) -> tuple[Miss, ...]:
        """Every goal's miss; a Placement has two, its position's and its orientation's."""
        found = []
        term = ERRORS
        if self._by_levels:
            return tuple(
                Miss(self._goals[place], float(amount), unit, bool(amount <= allowed))
                for (place, unit, allowed), amount in zip(self._measured, self._amounts, strict=True)
            )
        tolerance = dict(zip(("m", "rad"), self._problem.tolerance, strict=True))
        for goal in self._goals:
            for unit in (part.unit for part in goal.parts()):
                amount = float(self._out[term])
                found.append(Miss(goal, amount, unit, amount <= tolerance[unit]))
                term += 1
        return tuple(found)

    @cached_property
    def errors(self) -> np.ndarray:
        """The miss of each goal, metres, or radians for orientations and aims: of one with several the largest in the
        unit of the first, so of a Placement its position's; 0 of one that has nothing to measure.
        """
        worst: dict[int, Miss] = {}
        for miss in self.misses:
            other = worst.setdefault(id(miss.goal), miss)
            if miss.unit == other.unit and miss.amount > other.amount:
                worst[id(miss.goal)] = miss
        return np.array([worst[id(goal)].amount if id(goal) in worst else 0.0 for goal in self._goals])

    def _choices_by_index(self) -> list[dict[str, Any]]:
        """`choices` as JSON can hold it: which goal, from 0, and which of its alternatives."""
        taken = self.choices
        return [
            {"goal": index, "kind": goal.kind(), "site": goal.site, "choice": taken[goal]}
            for index, goal in enumerate(self._goals)
            if goal in taken
        ]

    @property
    def choices(self) -> dict[Goal, int]:
        """Of each goal that offers alternatives, which one was taken, from 0: the place in the list of an `AnyOf`, the
        piece of a union of regions."""
        if self._levels is None:
            return {}
        found: dict[Goal, int] = {}
        for place, which in enumerate(self._outcome.choice):
            goal = self._goals[place]
            if goal.offers_choice or len(self._levels.choices[place]) > 1:
                found[goal] = goal.settle(self._levels.pose).chosen(which)
        return found

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """The limits that hold the solution, the strongest first."""
        if self._by_levels:
            from manikin.result.explain.level_limits import level_limits

            return level_limits(self)
        from manikin.result.explain.limits import holding_limits

        return holding_limits(self)

    @cached_property
    def brought_in(self) -> dict[str, tuple[float, float]]:
        """Degrees of freedom that started outside the constraints: where, and where the search began instead."""
        figure = self._problem.figure
        inside = np.clip(self._start, figure.lower, figure.upper) if self.began is None else self.began
        return {
            figure.dofs[j]: (float(self._start[j]), float(inside[j]))
            for j in np.flatnonzero(inside != self._start)
        }

    @cached_property
    def slowed(self) -> tuple[str, ...]:
        """The degrees of freedom that moved as far as their velocity limits allow in ``dt``, where it was given."""
        if self.dt is None:
            return ()
        figure = self._problem.figure
        inside = np.clip(self._start, figure.lower, figure.upper) if self.began is None else self.began
        way = np.abs(self.q - inside)
        at_limit = way >= figure.velocity * self.dt * (1.0 - 1e-9) - 1e-15
        return tuple(figure.dofs[j] for j in np.flatnonzero(at_limit & (way > 0.0)))

    @cached_property
    def redundancy(self) -> int:
        """Degrees of freedom left over: variables less the rank of what the goals ask of them."""
        from manikin.result.explain.redundancy import redundancy

        return redundancy(self)

    @cached_property
    def failure(self) -> Failure | None:
        """Why some goal is missed: out of reach, in conflict, held by limits, or not found; None where all are met.

        Found out by solving for parts of the problem, which takes a while.
        """
        from manikin.result.explain.failure import failure

        return failure(self)

    def explain(self, goals: Iterable[Goal] | None = None) -> str:
        """In words: each goal's miss, and the limits that stand in the way.

        goals: those that are told of, by default all.
        """
        from manikin.result.explain.explain import explain

        return explain(self, goals)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        return {
            "status": self.status,
            "reached": self.reached,
            "kept": self.kept,
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
            "choices": self._choices_by_index(),
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
