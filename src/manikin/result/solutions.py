"""Answers to many problems of one kind: arrays, and a Solution of each on access."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from manikin.engines.levels import Descent
from manikin.engines.packing import levels_for
from manikin.engines.raw import ORIENTATION, POSITION, Raw, Told
from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.goals.request import Request
from manikin.kernels.memory.state import MET, STATIONARY, STOPPED
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.result.hints import missing
from manikin.result.reports import Status
from manikin.result.solution import Solution

if TYPE_CHECKING:
    from manikin.engines.packed_levels import Levels
    from manikin.problem.problem import Problem

#: A descent that lowers the cost by a smaller share gains nothing.
_GAIN = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Solutions:
    """Answers to many targets, starts or figures. ``len``, iteration and ``found[3]``, a Solution; ``found[mask]`` and
    ``found[10:20]``, Solutions.

    figure: of all of them, or the first of several.
    q: (N, n). reached, feasible: (N,), as of `Solution`. errors: (N, goals, 2), metres and radians.
    iterations, starts: (N,). seconds: time spent on all of them.
    figures, figure_index: of `solve_many` for several figures, these and the index of each answer's.
    problem_of: gives the problem of a figure's index. targets: of a goal's index its targets, (N or 1, …). q0: where
    the searches began, (N or 1, n). anchor: what pins mean, (n,); by default each answer's own start.
    """

    figure: Figure
    q: np.ndarray
    reached: np.ndarray
    feasible: np.ndarray
    errors: np.ndarray
    iterations: np.ndarray
    seconds: float
    starts: np.ndarray
    problem_of: Callable[[int], Problem]
    targets: Mapping[int, np.ndarray]
    q0: np.ndarray
    figures: tuple[Figure, ...] = ()
    figure_index: np.ndarray | None = None
    anchor: np.ndarray | None = None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(missing(self, name))

    @property
    def position_errors(self) -> np.ndarray:
        """Of each goal the distance from met, metres, (N, goals); NaN if it is about none."""
        errors: np.ndarray = self.errors[..., POSITION]
        return errors

    @property
    def orientation_errors(self) -> np.ndarray:
        """Of each goal the angle from met, radians, (N, goals); NaN if it is about none."""
        errors: np.ndarray = self.errors[..., ORIENTATION]
        return errors

    @property
    def status(self) -> np.ndarray:
        """How each ended, (N,) of `Status`: reached, infeasible, or iteration_limit; ``found[k].status`` knows more."""
        missed = np.where(self.feasible, Status.ITERATION_LIMIT, Status.INFEASIBLE)
        return np.where(self.reached, Status.REACHED, missed).astype(object)

    def __len__(self) -> int:
        return len(self.q)

    def __iter__(self) -> Iterator[Solution]:
        return (self[k] for k in range(len(self)))

    @overload
    def __getitem__(self, place: int) -> Solution: ...
    @overload
    def __getitem__(self, place: slice | np.ndarray | list[int] | list[bool]) -> Solutions: ...
    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, (int, np.integer)) and not isinstance(place, bool):
            return self._solution(self._index(int(place)))
        try:
            rows = np.arange(len(self))[place if isinstance(place, slice) else np.asarray(place)]
        except (IndexError, TypeError, ValueError) as problem:
            raise SolveError(
                f"Solutions: an index must be a whole number, a slice, a mask of {len(self)} or a list of whole "
                f"numbers, got {place!r}"
            ) from problem
        if rows.ndim != 1:
            raise SolveError(f"Solutions: an index must have one axis, got shape {rows.shape}")
        share = len(rows) / len(self) if len(self) else 0.0
        return replace(
            self,
            q=self.q[rows],
            reached=self.reached[rows],
            feasible=self.feasible[rows],
            errors=self.errors[rows],
            iterations=self.iterations[rows],
            seconds=self.seconds * share,
            starts=self.starts[rows],
            targets={k: array if len(array) == 1 else array[rows] for k, array in self.targets.items()},
            q0=self.q0 if len(self.q0) == 1 else self.q0[rows],
            figure_index=None if self.figure_index is None else self.figure_index[rows],
        )

    def _index(self, place: int) -> int:
        if not -len(self) <= place < len(self):
            raise IndexError(f"there are {len(self)} solutions, counted from 0; got {place}")
        return place % len(self)

    def _figure(self, place: int) -> Figure:
        return self.figure if self.figure_index is None else self.figures[int(self.figure_index[place])]

    def pose(self, place: int) -> Pose:
        """The pose of one answer, of its own figure."""
        at = self._index(place)
        return self._figure(at).pose(self.q[at])

    def poses(self) -> list[Pose]:
        """The poses of all answers."""
        return [self.pose(k) for k in range(len(self))]

    def _solution(self, k: int) -> Solution:
        """An answer as a Solution, measured once more."""
        problem = self.problem_of(0 if self.figure_index is None else int(self.figure_index[k]))
        start = np.array(self.q0[0 if len(self.q0) == 1 else k])
        moved = {goal: array[0 if len(array) == 1 else k] for goal, array in self.targets.items()}
        request = Request(problem.goals, moved)
        levels = levels_for(problem.spec, request.goals, start)
        if self.anchor is not None:
            levels.mean_start(start, self.anchor)
        q = np.array(self.q[k])
        choice = _nearest_choice(levels, q)
        measured = levels.measured(choice)
        misses = levels.part_misses()
        numbers = [n for place, own in enumerate(levels.choices) for n in own[choice[place]]]
        met, cost = bool(self.reached[k]), _cost(levels)
        status = (
            MET if met else STATIONARY if self.feasible[k] and _is_stationary(levels, q, cost) else STOPPED
        )
        head = cost, status, self.iterations[k], 0, met
        whole = np.concatenate([np.array(head, float), misses[numbers], q, start])
        assert len(head) == OUT_ERRORS
        raw = Raw(Told(request, measured), whole, len(q), self.seconds / len(self))
        raw.starts, raw.anchor = int(self.starts[k]), self.anchor
        return Solution(problem, raw)

    def __repr__(self) -> str:
        each = f", {self.seconds * 1e6 / len(self):.1f} µs each" if len(self) else ""
        reached, feasible = int(self.reached.sum()), int(self.feasible.sum())
        return f"Solutions({reached:,} of {len(self):,} reached, {feasible:,} feasible{each})"


def _nearest_choice(levels: Levels, q: np.ndarray) -> tuple[int, ...]:
    """Of each goal the alternative that q is nearest to, as a share of the tolerances; the levels measured so."""
    choice = [0] * len(levels.choices)
    levels.choose(choice)
    levels.measure(q)
    for place, alternatives in enumerate(levels.choices):
        shares = []
        for which in range(len(alternatives)):
            if len(alternatives) > 1:
                choice[place] = which
                levels.choose(choice)
                levels.measure(q)
            misses = levels.part_misses()
            shares.append(
                max((misses[n] / max(levels.allowed(n), 1e-12) for n in alternatives[which]), default=0.0)
            )
        choice[place] = int(np.argmin(shares)) if shares else 0
    levels.choose(choice)
    levels.measure(q)
    return tuple(choice)


def _is_stationary(levels: Levels, q: np.ndarray, cost: float) -> bool:
    """Whether a descent from q gains nothing and was not stopped."""
    own, end = levels.copy(), q.copy()
    outcome = Descent(own).down(end)
    own.measure(end)
    return STOPPED not in outcome.statuses and _cost(own) >= cost * (1.0 - _GAIN)


def _cost(levels: Levels) -> float:
    """Σ w r² of the goals, as last measured."""
    M, outside = levels.M, levels.outside()
    asked = (M.level >= 0) & (M.level < levels.last)
    return float((M.weight * outside**2)[asked].sum())
