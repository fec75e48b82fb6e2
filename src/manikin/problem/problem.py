"""A problem: what is asked for, prepared once and solved many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from manikin.engines.work import Work
from manikin.errors import SolveError
from manikin.figure import Coupling, Figure, Pose
from manikin.goals import Goal
from manikin.goals.target import shape_of
from manikin.plan.options import (
    USUAL,
    SolveOptions,
    checked_couplings,
    checked_natural,
    checked_options,
    checked_tolerance,
    ranked,
)
from manikin.plan.specification import Specification, Start, mask_of, specify
from manikin.result.solution import Solution
from manikin.result.solutions import Solutions

if TYPE_CHECKING:
    from manikin.engines.path import Path
    from manikin.engines.raw import Raw
    from manikin.problem.session import Session
    from manikin.verify.verdict import Verdict

_UNCHANGED: Any = object()


def _asked(name: str) -> Any:
    """Part of what is asked for."""
    return property(attrgetter(f"spec.{name}"))


class Problem:
    """A figure and its goals, packed for the solver. It never changes, and any number of threads may solve it at once.

    figure: a Figure, or a Pose of it to start from.
    goals: any number, on any segments; or a list of lists of them, most important first: a level yields to all above.
    free: the degrees of freedom that may move, by name or pattern (``["left_*", "waist"]``); all by default.
        fixed: those that may not. All goals see the same choice.
    constraints: linear relations that hold besides the figure's own couplings, as Couplings or as text.
    tolerance: the miss in metres, and in radians, below which a goal counts as reached.
    natural: whether a human begins at the posture that people take for the goals, and prefers it among equals
        (`Natural`); other figures have none.

    A solve is a function of its arguments: what was solved before changes nothing. A run of solves that go on from each
    other, a drag or a stream, is a `session`. Another problem, with other goals or free joints, comes by `replace`.

    q0: where a solve begins unless told otherwise, (n,). ranks: the level of each goal, from 1. free: a mask of the
    coordinates. couplings: the figure's own and the problem's.
    """

    figure: Figure = _asked("figure")
    q0: np.ndarray = _asked("q0")
    goals: tuple[Goal, ...] = _asked("goals")
    ranks: tuple[int, ...] = _asked("ranks")
    free: np.ndarray = _asked("free")
    couplings: tuple[Coupling, ...] = _asked("couplings")
    tolerance: tuple[float, float] = _asked("tolerance")
    natural: bool = _asked("natural")

    def __init__(
        self,
        figure: Figure | Pose,
        goals: Iterable[Goal] | Iterable[Sequence[Goal]],
        *,
        free: str | Iterable[str] | None = None,
        fixed: str | Iterable[str] | None = None,
        constraints: Iterable[Coupling | str] = (),
        tolerance: tuple[float, float] = (1e-4, 1e-3),
        natural: bool = True,
    ) -> None:
        if not isinstance(figure, (Figure, Pose)):
            raise SolveError(f"the first argument must be a Figure or a Pose, got {figure!r}")
        pose = figure if isinstance(figure, Pose) else figure.pose()
        asked = specify(
            pose, goals, free=free, fixed=fixed, constraints=constraints, tolerance=tolerance, natural=natural
        )
        self._settle(asked)

    def _settle(self, spec: Specification) -> Self:
        """Pack it once: what is wrong with it is said now."""
        self.spec = spec
        self._pool: list[Work] = []
        work = Work(spec)
        self.variables: tuple[str, ...] = tuple(spec.figure.dofs[j] for j in work.packed.variables)
        self._pool.append(work)
        return self

    @classmethod
    def of(cls, spec: Specification) -> Problem:
        """The problem that is specified so."""
        return object.__new__(cls)._settle(spec)

    def __getstate__(self) -> Specification:
        """What is asked for; a copy or a pickle is packed anew."""
        return self.spec

    def __setstate__(self, spec: Specification) -> None:
        self._settle(spec.changed(q0=spec.q0.copy(), free=spec.free.copy()))

    def __repr__(self) -> str:
        goals = ", ".join(goal.label() for goal in self.goals)
        return f"Problem({self.figure.name!r}, [{goals}], {len(self.variables)} variables)"

    @property
    def constraints(self) -> tuple[Coupling, ...]:
        """The linear relations that hold besides the figure's own."""
        return self.couplings[len(self.figure.couplings) :]

    def replace(
        self,
        *,
        goals: Iterable[Goal] | Iterable[Sequence[Goal]] = _UNCHANGED,
        free: str | Iterable[str] | None = _UNCHANGED,
        fixed: str | Iterable[str] | None = _UNCHANGED,
        constraints: Iterable[Coupling | str] = _UNCHANGED,
        tolerance: tuple[float, float] = _UNCHANGED,
        natural: bool = _UNCHANGED,
        q0: Start = _UNCHANGED,
    ) -> Problem:
        """Another problem with some of its arguments changed, as of `Problem`; q0: where it begins."""
        changes: dict[str, Any] = {}
        if goals is not _UNCHANGED:
            listed, ranks = ranked(goals)
            changes |= {"goals": tuple(listed), "ranks": tuple(ranks)}
        if free is not _UNCHANGED or fixed is not _UNCHANGED:
            names = (None if given is _UNCHANGED else given for given in (free, fixed))
            changes["free"] = mask_of(self.figure, *names)
        if constraints is not _UNCHANGED:
            own = checked_couplings(self.figure, constraints)
            changes["couplings"] = (*self.figure.couplings, *own)
        if tolerance is not _UNCHANGED:
            changes["tolerance"] = checked_tolerance(tolerance)
        if natural is not _UNCHANGED:
            changes["natural"] = checked_natural(natural)
        if q0 is not _UNCHANGED:
            changes["q0"] = self.spec.values(q0)
        return self._changed(**changes)

    def _changed(self, **changes: Any) -> Problem:
        return object.__new__(type(self))._settle(self.spec.changed(**changes))

    def with_goals(self, goals: tuple[Goal, ...]) -> Problem:
        """The same for other goals in the places of these."""
        return self._changed(goals=goals)

    @contextmanager
    def borrowed(self) -> Iterator[Work]:
        """The problem packed, for whoever solves with it now."""
        work = self.lend()
        try:
            yield work
        finally:
            self.give_back(work)

    def lend(self) -> Work:
        """The problem packed, for whoever keeps it."""
        try:
            return self._pool.pop()
        except IndexError:
            return Work(self.spec)

    def give_back(self, work: Work) -> None:
        """Take back what was lent, its memory released."""
        self._pool.append(work)

    def solve(
        self,
        q0: Start | None = None,
        targets: Sequence[Any] | np.ndarray | None = None,
        **options: Unpack[SolveOptions],
    ) -> Solution:
        """Solve from ``q0``: a Pose, n values, or values by name; by default where the Problem was made.

        `Pin`, `LeastChange` and whatever else says "where it is" mean this start.

        targets: other targets for this call, one for each goal in their order: 3 numbers, a 3×3 rotation (or a SciPy
            Rotation) for an `Orientation`, a 4×4 transform for a `Placement`; None leaves a goal as it is.
        dt: seconds since the start: no joint moves farther than its velocity limit allows in that time. Then there are
            no other starts, and what could not be reached for that reason alone is told apart
            (`Solution.at_velocity_limit`). A start outside its ranges or linear constraints is brought in first,
            however far that is.

        method: ``"auto"``: by ``"lm"`` from the start and, while that misses some goal, from others. ``"lm"`` begins
            at the start alone. Or one of the papers' methods (`manikin.papers`).
        restarts: further starts at most; by default ``"auto"`` tries up to 256, fewer when several end at the same
            lowest potential, and the other methods none. (Problems of plain goals and potentials in Python try
            none unless told to; with levels, hard goals or regions up to twelve.)
        seed: which starts those are; the same seed gives the same answer.
        solutions: with more than one, others that reach every goal, well apart, are in ``alternatives``.
        nearest: of all that reach every goal, the one nearest to the start.
        time_limit: seconds after which to stop with the best so far.
        threads: of ``"auto"``, for the starts after the first 64 (where there are linear constraints 16), at most; by
            default as many as the process may use. The answer does not depend on it.
        options: of a method of the papers, by name; what it records is in the solution's ``details``.
        """
        asked = checked_options(**options) if options else USUAL
        try:
            work = self._pool.pop()
        except IndexError:
            work = Work(self.spec)
        try:
            return Solution(self, work.solve(q0, targets, asked))
        finally:
            self._pool.append(work)

    def solve_path(self, targets: Any, q0: Start | None = None, *, restarts: int | None = None) -> Solutions:
        """Solve for a whole path of targets in one call, each sample from the end of the last.

        `Pin`, `LeastChange` and whatever else says "where it is" mean the path's start, at every sample: what one of
        them loses, its targets being out of reach, a later sample recovers.

        targets: (samples, 3) points, (samples, 4, 4) transforms or (samples, 3, 3) rotations for a problem of one goal;
            for several a list with one such array a goal, in their order, None leaving a goal as it is.
        q0: where the first sample begins, as of `solve`.
        restarts: of samples that the search from the last one misses, as of `solve`; 0 keeps to the way it is on.
        """
        from manikin.engines.path import solve_path

        start = self.spec.finite(q0)
        with self.borrowed() as work, work.anchored(start):
            return self.along(solve_path(work, targets, start, restarts), start)

    def along(self, path: Path, anchor: np.ndarray) -> Solutions:
        """What was found along a path, with the pose that pins meant."""
        shapes = [shape_of(goal) for goal in self.goals]
        targets = {
            k: path.targets[:, k, : int(np.prod(shape))].reshape(-1, *shape)
            for k, shape in enumerate(shapes)
            if shape is not None and path.given[k]
        }
        return Solutions(
            self.figure,
            path.q,
            path.reached,
            path.feasible,
            path.errors,
            path.iterations,
            path.seconds,
            np.ones(len(path.q), np.int64),
            partial(_this, self),
            targets,
            path.start,
            anchor=np.array(anchor),
        )

    def session(self, q0: Start | None = None, *, anchor: Start | None = None) -> Session:
        """A run of solves, each from the end of the last.

        q0: where it begins. anchor: the pose that `Pin` and its kin mean; by default where it begins.
        """
        from manikin.problem.session import Session

        return Session(self, q0, anchor=anchor)

    def verdict(self, raw: Raw) -> Verdict:
        """What holds of an end, whatever it says of itself (`verify`)."""
        with self.borrowed() as work:
            return work.verdict(raw)


def _this(problem: Problem, index: int) -> Problem:
    """The one problem that all answers are of."""
    return problem
