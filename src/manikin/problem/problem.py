"""A problem: what is asked for, prepared once and solved many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.work import Work
from manikin.errors import PoseError, SolveError
from manikin.figure import Coupling, Figure, Pose
from manikin.figure.movable import movable
from manikin.goals import Goal
from manikin.goals.request import Request
from manikin.plan.options import checked_couplings, checked_options, checked_tolerance, ranked
from manikin.residuals import Block
from manikin.result.solution import Solution

if TYPE_CHECKING:
    from manikin.engines.levels import Levels
    from manikin.engines.path import Solutions
    from manikin.engines.raw import Raw
    from manikin.plan.natural import NaturalStart
    from manikin.plan.packing import Packed
    from manikin.problem.session import Session
    from manikin.verify.judge import Judge
    from manikin.verify.verdict import Verdict

Start = Pose | Sequence[float] | np.ndarray | Mapping[str, float]
_FLOAT = np.dtype(np.float64)
# Coordinates beyond are no start.
_FARTHEST = 1e9
_UNCHANGED: Any = object()
_ASKED = ("figure", "q0", "goals", "ranks", "free", "couplings", "tolerance", "natural")


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

    figure: Figure
    q0: np.ndarray
    goals: tuple[Goal, ...]
    ranks: tuple[int, ...]
    free: np.ndarray
    couplings: tuple[Coupling, ...]
    tolerance: tuple[float, float]
    natural: bool

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
        self.figure = pose.figure
        self.tolerance = checked_tolerance(tolerance)
        self.natural = _checked_natural(natural)
        self.q0 = np.array(pose.q)
        listed, ranks = ranked(goals)
        self.goals, self.ranks = tuple(listed), tuple(ranks)
        self.free = self._mask(movable(self.figure, free, fixed))
        self.couplings = (*self.figure.couplings, *checked_couplings(self.figure, constraints))
        self._settle()

    def _settle(self) -> None:
        """Note what follows from what is asked, and pack it once: what is wrong with it is said now."""
        self.q0.flags.writeable = self.free.flags.writeable = False
        self.classic = not (
            len(set(self.ranks)) > 1
            or any(getattr(goal, "hard", False) or not goal.plain for goal in self.goals)
        )
        self._pool: list[Work] = []
        work = Work(self)
        self._judge: Judge | None = None
        self.variables: tuple[str, ...] = tuple(self.figure.dofs[j] for j in work.packed.variables)
        self.give_back(work)

    def _mask(self, free: str | Iterable[str] | None) -> np.ndarray:
        """Mask of the degrees of freedom that may move."""
        mask = np.ones(self.figure.n, bool)
        if free is not None:
            mask[:] = False
            mask[self.figure.select(free)] = True
        return mask

    def __getstate__(self) -> dict[str, Any]:
        """What is asked for; a copy or a pickle is packed anew."""
        return {name: self.__dict__[name] for name in _ASKED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.q0, self.free = self.q0.copy(), self.free.copy()
        self._settle()

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
        state = self.__getstate__()
        if goals is not _UNCHANGED:
            listed, ranks = ranked(goals)
            state["goals"], state["ranks"] = tuple(listed), tuple(ranks)
        if free is not _UNCHANGED or fixed is not _UNCHANGED:
            names = (None if given is _UNCHANGED else given for given in (free, fixed))
            state["free"] = self._mask(movable(self.figure, *names))
        if constraints is not _UNCHANGED:
            own = checked_couplings(self.figure, constraints)
            state["couplings"] = (*self.figure.couplings, *own)
        if tolerance is not _UNCHANGED:
            state["tolerance"] = checked_tolerance(tolerance)
        if natural is not _UNCHANGED:
            state["natural"] = _checked_natural(natural)
        if q0 is not _UNCHANGED:
            state["q0"] = self.values(q0)
        return self._like(state)

    def with_goals(self, goals: tuple[Goal, ...]) -> Problem:
        """The same for other goals in the places of these."""
        return self._like(self.__getstate__() | {"goals": goals})

    def _like(self, state: Mapping[str, Any]) -> Problem:
        other = object.__new__(type(self))
        other.__setstate__(dict(state))
        return other

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
            work = self._pool.pop()
        except IndexError:
            return Work(self)
        work.problem = self
        return work

    def give_back(self, work: Work) -> None:
        """Take back what was lent, its memory released."""
        del work.problem  # so that nothing refers to itself
        self._pool.append(work)

    def solve(
        self,
        q0: Start | None = None,
        targets: Sequence[Any] | np.ndarray | None = None,
        *,
        method: str = "auto",
        dt: float | None = None,
        restarts: int | None = None,
        seed: int = 0,
        solutions: int = 1,
        nearest: bool = False,
        time_limit: float | None = None,
        threads: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Solution:
        """Solve from ``q0``: a Pose, n values, or values by name; by default where the Problem was made.

        `Pin`, `LeastChange` and whatever else says "where it is" mean this start.

        targets: other targets for this call, one for each goal in their order: 3 numbers, a 3×3 rotation (or a SciPy
            Rotation) for an `Orientation`, a 4×4 transform for a `Placement`; None leaves a goal as it is.
        dt: seconds since the start: no joint moves farther than its velocity limit allows in that time. Then there are
            no other starts, and what could not be reached for that reason alone is told apart (`Solution.slowed`). A
            start outside its ranges or linear constraints is brought in first, however far that is.

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
        try:
            work = self._pool.pop()
            work.problem = self
        except IndexError:
            work = Work(self)
        try:
            if (
                restarts is time_limit is threads is options is dt is None
                and type(method) is str
                and method == "auto"
                and type(seed) is type(solutions) is int
                and seed == 0
                and solutions == 1
                and nearest is False
            ):
                return Solution(self, work.solve(q0, targets))
            asked = checked_options(
                method=method,
                dt=dt,
                restarts=restarts,
                seed=seed,
                solutions=solutions,
                nearest=nearest,
                time_limit=time_limit,
                threads=threads,
                options=options,
            )
            return Solution(self, work.solve_as_asked(q0, targets, asked))
        finally:
            del work.problem
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

        start = self.finite(q0)
        with self.borrowed() as work, work.anchored(start):
            return solve_path(work, targets, start, restarts)

    def session(self, q0: Start | None = None, *, anchor: Start | None = None) -> Session:
        """A run of solves, each from the end of the last.

        q0: where it begins. anchor: the pose that `Pin` and its kin mean; by default where it begins.
        """
        from manikin.problem.session import Session

        return Session(self, q0, anchor=anchor)

    def values(self, q0: Start | None) -> np.ndarray:
        """A start's values, as an array of its own."""
        if q0 is None:
            return np.array(self.q0)
        if type(q0) is np.ndarray and q0.dtype is _FLOAT and q0.shape == self.q0.shape:
            return np.array(q0)  # the kernel refuses what is not finite
        if isinstance(q0, Pose):
            if q0.figure is not self.figure and q0.figure.dofs != self.figure.dofs:
                raise SolveError(
                    f"the start is a pose of {q0.figure.name!r}, which has other degrees of freedom than "
                    f"{self.figure.name!r}"
                )
            return np.array(q0.q)
        return np.array(self.figure.pose(q0).q)

    def finite(self, q0: Start | None) -> np.ndarray:
        """A start's values; a PoseError names one that is not finite, or beyond 1e9."""
        values = self.values(q0)
        if not (np.abs(values) < _FARTHEST).all():
            place = int(np.flatnonzero(~(np.abs(values) < _FARTHEST))[0])
            name = self.figure.dofs[place]
            raise PoseError(f"the start must be finite and below 1e9: {name!r} is {values[place]}")
        return values

    def beyond(self) -> str:
        """What of this problem asks for the descent by levels, in words."""
        for goal in self.goals:
            if getattr(goal, "hard", False):
                return f"a hard goal ({goal.label()})"
            if not goal.plain:
                return f"a goal of this kind ({goal.label()})"
        return "levels of priority"

    @property
    def judge(self) -> Judge:
        """What verifies poses of this problem, packed once; whoever verifies has arrays of its own."""
        if self._judge is None:
            from manikin.verify.rows import judge_of

            self._judge = judge_of(self, self.figure)
        return self._judge

    def verdict(self, raw: Raw) -> Verdict:
        """What holds of an end, whatever it says of itself (`verify`)."""
        with self.borrowed() as work:
            return work.verdict(raw)

    def packed_for(self, request: Request, parts: Sequence[Sequence[Block]] | None = None) -> Packed:
        """What such a request asks for, packed: in strips where its goals are plain, else by rows of its levels."""
        from manikin.plan.packing import pack

        goals = request.goals
        if not self.classic:
            return self.levels_for(request, self.q0).packed
        if parts is None:
            parts = [goal.parts() for goal in goals]
        flat = [part for each in parts for part in each]
        sites = [goal.site for goal in goals]
        return pack(self.figure, flat, sites, self.free, self.couplings, self.tolerance)

    def levels_for(self, request: Request, start: np.ndarray, prior: NaturalStart | None = None) -> Levels:
        """What such a request asks for, as rows in levels; what means the start means this one."""
        from manikin.engines.with_potentials import levels_of
        from manikin.plan.natural import natural_start

        goals = request.goals
        last = max(self.ranks, default=1) + 1
        if prior is None:
            prior = natural_start(self.figure, goals, self.free, self.natural)
        if prior is not None and prior.wish is not None:
            wish = goals[prior.wish].preferring(prior.preferred(goals, start))  # type: ignore[attr-defined]
            goals = (*goals[: prior.wish], wish, *goals[prior.wish + 1 :])
        pose = Pose(self.figure, start)
        return levels_of(
            self.figure, pose, goals, self.ranks, last, self.free, self.couplings, self.tolerance
        )


def _checked_natural(natural: Any) -> bool:
    if not isinstance(natural, (bool, np.bool_)):
        raise SolveError(f"natural must be true or false, got {natural!r}")
    return bool(natural)
