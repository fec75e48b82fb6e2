"""A problem prepared once and solved many times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Coupling, Figure, Pose
from manikin.figure.movable import movable
from manikin.goals import Goal
from manikin.kernels.memory.state import DONE
from manikin.papers import METHODS as PAPERS, WITH_SETS, Constrainedness, constrainedness
from manikin.solvers import ways
from manikin.solvers.options import checked_couplings, checked_tolerance, ranked
from manikin.solvers.prepared import Prepared, Start
from manikin.solvers.request import Request
from manikin.solvers.solution import Solution
from manikin.solvers.starts.restarts import checked_restarts, checked_seed, restarted
from manikin.solvers.starts.threads import checked_threads

if TYPE_CHECKING:
    from manikin.solvers.pack.targets import Handed
    from manikin.solvers.path import Solutions

METHODS = ("auto", "lm", "projection", *PAPERS, *WITH_SETS)
_empty, _new = np.empty, object.__new__
_FLOAT, _ARRAY = np.dtype(np.float64), np.ndarray
# Defaults of `solve` that are compared by identity; whatever only equals them goes the long way to the same answer.
_DEFAULT_SEED, _ONE, _AUTO = 0, 1, "auto"


class Problem(Prepared):
    """A figure and its goals, packed for the solver.

    figure: a Figure, or a Pose of it to start from.
    goals: any number, on any segments; or a list of lists of them, most important first: a level yields to all above.
    free: the degrees of freedom that may move, by name or pattern (``["left_*", "waist"]``); all by default.
        fixed: those that may not. All goals see the same choice.
    constraints: linear relations that hold besides the figure's own couplings, as Couplings or as text.
    tolerance: the miss in metres, and in radians, below which a goal counts as reached.
    natural: whether a human begins at the posture that people take for the goals, and prefers it among equals
        (`Natural`); other figures have none.

    Moving a target, changing a weight or switching a goal (`set`) rebuilds nothing. One thread uses a Problem at a
    time.
    """

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
        from manikin.solvers.methods.auto import search_beside, search_on
        from manikin.solvers.pack.strips import write_part

        if not isinstance(figure, (Figure, Pose)):
            raise SolveError(f"the first argument must be a Figure or a Pose, got {figure!r}")
        pose = figure if isinstance(figure, Pose) else figure.pose()
        self.figure: Figure = pose.figure
        self.tolerance = checked_tolerance(tolerance)
        if not isinstance(natural, (bool, np.bool_)):
            raise SolveError(f"natural must be true or false, got {natural!r}")
        self.natural = bool(natural)
        self._start = np.array(pose.q)
        self._shape = self._start.shape
        goals, self._ranks = ranked(goals)
        self._given = list(goals)
        self._request = Request(tuple(goals), (True,) * len(goals), {})
        self._origin = (
            self._chosen(movable(self.figure, free, fixed)),
            (*self.figure.couplings, *checked_couplings(self.figure, constraints)),
        )
        self._search_on, self._search_beside, self._write_part = search_on, search_beside, write_part
        self._prepare()

    def solve(
        self,
        start: Start | None = None,
        method: str = "auto",
        *,
        targets: Sequence[Any] | np.ndarray | None = None,
        dt: float | None = None,
        restarts: int | None = None,
        seed: int = 0,
        solutions: int = 1,
        nearest: bool = False,
        time_limit: float | None = None,
        threads: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Solution:
        """Solve from ``start``: a Pose, n values, or values by name; by default where the Problem was made.

        `Pin`, `LeastChange` and whatever else says "where it is" mean this start. Where it is, number by number, the
        end of this problem's last solve, what is kept (`Pin`, `Relative` without a goal) means what it meant then:
        nothing drifts in a run of solves, and what one of them lost, the next that can has again.

        targets: other targets for this call, one for each goal in their order: 3 numbers, a 3×3 rotation (or a SciPy
            Rotation) for an `Orientation`, a 4×4 transform for a `Placement`; None leaves a goal as it is. The goals
            themselves stay.
        dt: seconds since the start: no joint moves farther than its velocity limit allows in that time. Then there are
            no other starts, and what could not be reached for that reason alone is told apart (`Solution.slowed`). A
            start outside its ranges or linear constraints is brought in first, however far that is.

        method: ``"auto"``: by ``"lm"`` from the start and, while that misses some goal, from others. ``"lm"`` and
            ``"projection"`` begin at the start alone. Or one of the papers' methods (`manikin.papers`).
        restarts: further starts at most; by default ``"auto"`` tries up to 256, fewer when several end at the same
            lowest potential, and the other methods none. (Problems of plain goals and potentials in Python,
            which go by ``"projection"``, try none unless told to; with levels, hard goals or regions up to twelve.)
        seed: which starts those are; the same seed gives the same answer.
        solutions: with more than one, others that reach every goal, well apart, are in ``alternatives``.
        nearest: of all that reach every goal, the one nearest to the start.
        time_limit: seconds after which to stop with the best so far.
        threads: of ``"auto"``, for the starts after the first 64 (where there are linear constraints 16), at most; by
            default as many as the process may use. The answer does not depend on it.
        options: of a method of the papers, by name; what it records is in the solution's ``details``. Of
            ``"projection"``: ``update``, ``delta_1``, ``delta_2``, ``iterations``
            (`solvers.methods.projection_options`).
        """
        if (  # all as by default: the way that is taken a thousand times a second
            method is _AUTO
            and restarts is time_limit is threads is options is dt is None
            and seed is _DEFAULT_SEED
            and solutions is _ONE
            and nearest is False
        ):
            call = self._call if targets is None else self._call_with_targets
            if call is not None:
                begin, handed = perf_counter(), None
                if targets is not None:
                    handed = self._known_targets.handed  # type: ignore[union-attr]
                    if self._moved is not handed.which:
                        self._restore(handed.which)
                elif self._moved:
                    self._restore()
                begun: Any = self._start if start is None else start
                plan = self._plan
                if plan is not None and (
                    self._mixed is not None or plan.request is not self._request or type(begun) is not _ARRAY
                ):
                    begun = self._begin_naturally(begun)
                whole = _empty(call.size)
                task = call.follow(call.spec, begun, targets, whole)
                if call.unusual < task <= DONE:
                    found = _new(Solution)
                    found._problem, found._prepared, found._handed = self, self._request, handed
                    found._whole, found.q = whole, whole[call.ends]
                    if self._mixed is not None:
                        self._note_rows(found, begun)
                        if plan is not None:
                            self.note_end(found.q)
                    else:
                        if self._only_ranges:
                            found.reached = True
                        if task != DONE:  # by a closed form's start
                            found.starts = 2
                    found.seconds = perf_counter() - begin
                    return found
                if task != call.unusual:
                    block = whole[call.first :]
                    return self._solve_further(begun, self._request, handed, whole, block, task, begin)
            if self._engine is not None:
                return self._solve_with_care(start, targets)
        found = self._solve_as_asked(
            start, method, targets, dt, restarts, seed, solutions, nearest, time_limit, threads, options
        )
        found.time_limit = time_limit
        if self._means_start and found._meant is None:
            self.forget_run()
        return found

    def _solve_as_asked(
        self,
        start: Start | None,
        method: str,
        targets: Sequence[Any] | np.ndarray | None,
        dt: float | None,
        restarts: int | None,
        seed: int,
        solutions: int,
        nearest: bool,
        time_limit: float | None,
        threads: int | None,
        options: Mapping[str, Any] | None,
    ) -> Solution:
        """Solve with whatever is not as by default."""
        if options is not None and not isinstance(options, Mapping):
            raise SolveError(f"options must map names to values, got {options!r}")
        if not isinstance(nearest, (bool, np.bool_)):
            raise SolveError(f"nearest must be true or false, got {nearest!r}")
        if isinstance(solutions, bool) or not isinstance(solutions, (int, np.integer)) or solutions < 1:
            raise SolveError(f"solutions must be a whole number above zero, got {solutions!r}")
        request = self._request
        if targets is not None:
            if self._needs_own_problem(targets):
                asked: dict[str, Any] = {"restarts": restarts, "seed": seed, "solutions": solutions, "dt": dt}
                asked |= {
                    "nearest": nearest,
                    "time_limit": time_limit,
                    "threads": threads,
                    "options": options,
                }
                return self._solve_apart(start, targets, method, **asked)
            request = self._take(targets)
        elif self._moved:
            self._restore()
        self._solving = request
        if not isinstance(method, str) or method not in METHODS:
            raise SolveError(f"unknown method {method!r}; known are: {', '.join(METHODS)}")
        if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit > 0.0):
            raise SolveError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
        if restarts is not None:
            restarts = checked_restarts(restarts)
        seed = checked_seed(seed)
        if threads is not None:
            threads = checked_threads(threads)
        begun = self._start if start is None else self._values(start)
        self.forget_meaning()
        alone = self._engine is None or method != "auto" or solutions != 1 or nearest
        if targets is not None and alone:
            return ways.solve_apart(
                self,
                request,
                begun,
                method,
                dt=dt,
                restarts=restarts,
                seed=seed,
                solutions=solutions,
                nearest=nearest,
                time_limit=time_limit,
                threads=threads,
                options=options,
            )
        if dt is not None:
            from manikin.solvers.in_time import solve_in_time

            return solve_in_time(self, request, begun, method, dt)
        if solutions != 1 or nearest:
            return self._several(begun, method, restarts, seed, solutions, nearest, time_limit)
        first = self._first_start(request, begun) if method == "auto" else None
        if self._levels is not None and not (self._classic and method not in ("auto", "lm")):
            return ways.solve_levels(
                self, request, begun, method, time_limit, options, restarts, seed, first=first
            )
        fast = self._fast
        if fast is None or method != "auto":
            found = ways.alone(self, begun, method, time_limit, options)
            return restarted(self, found, method, restarts, seed, time_limit, options) if restarts else found
        if options:
            raise SolveError(f"method {method!r} has no options, got {', '.join(options)}")
        begin = perf_counter()
        block = np.empty(fast.size)
        only_start = restarts == 0 and fast.six is not None
        search, far = (fast.alone, np.inf) if only_start else (fast.search, fast.elsewhere)
        where = begun if first is None else first
        task = search(fast.table, where, block, fast.patience, far)
        deadline = None if time_limit is None else begin + time_limit
        found = self._go_on(request, where, block, task, begin, restarts, seed, deadline, threads)
        if first is not None:
            found.begin_at(begun)
        return found

    def _solve_apart(
        self, start: Start | None, targets: Sequence[Any] | np.ndarray, method: str, **asked: Any
    ) -> Solution:
        """Solve for targets that cannot be written where the search reads them, by a problem of their own."""
        begun = self._start if start is None else self._values(start)
        return ways.solve_apart(self, self._with_all(targets), begun, method, **asked)

    def _solve_with_care(self, start: Start | None, targets: Sequence[Any] | np.ndarray | None) -> Solution:
        """Solve as by default where that is more than one call, or start or targets are not as they usually are."""
        engine = self._engine
        assert engine is not None
        if targets is not None and self._needs_own_problem(targets):
            return self._solve_apart(start, targets, "auto")
        begin, begun = perf_counter(), self._begun(start)
        request, handed = self._request, None
        laid_out = None if targets is None else self._lay_out(begun, targets)
        if laid_out is not None:
            whole, call = laid_out
            block, table = whole[call.first :], call.table
            handed = self._known_targets.handed  # type: ignore[union-attr]
        else:
            if targets is not None:
                request = self._take(targets)
            elif self._moved:
                self._restore()
            table = engine.table
            whole = block = _empty(engine.size)
        if self._plan is not None:
            return ways.naturally(self, request, begun, whole, block, table, handed, begin)
        stays = engine is self._mixed and self._path_start is not None  # what the start means has been said
        task = engine.search(table, begun, block, 0 if stays else engine.patience, engine.elsewhere)
        if task > DONE:
            return self._solve_further(begun, request, handed, whole, block, task, begin)
        found = Solution(self, request, whole, perf_counter() - begin, handed)
        if self._mixed is not None:
            self._note_rows(found, begun)
        elif task != DONE:
            found.starts = 2
        return found

    def _begin_naturally(self, start: Any) -> np.ndarray:
        """Let the natural posture know the request, and what says "where it is" the start; that start's values."""
        self._plan.take(self._request)  # type: ignore[union-attr]
        usual = type(start) is np.ndarray and start.shape == self._shape and start.dtype is _FLOAT
        begun = start if usual else self._begun(start)  # `kernels.calls` minds the rest of it
        self.mean_start(begun)
        return begun

    def _note_rows(self, found: Solution, begun: np.ndarray) -> None:
        """Note that the quick search over rows of every kind found this."""
        found.found_quickly(self._measured, self._open)
        if self._means_start:
            self._remember(found, begun)

    def _solve_further(
        self,
        begun: np.ndarray,
        request: Request,
        handed: Handed | None,
        whole: np.ndarray,
        block: np.ndarray,
        task: int,
        begin: float,
    ) -> Solution:
        """Go on where the quick search did not meet everything."""
        if self._plan is not None:
            return ways.naturally_further(self, request, begun, whole, block, task, handed, begin)
        tried, fast = 0, self._fast
        if fast is not None and fast is self._engine:
            starts, tried = self._search_beside(self._packed, fast, begun, block, task)
            if starts:
                found = Solution(self, request, whole, perf_counter() - begin, handed)
                found.starts = starts
                ways.noted(self, found)
                fast.note_end(found.q)
                return found
        if handed is not None:
            request = self._with_handed(request, handed, whole, task)
        self._solving = request
        if self._engine is self._fast:
            found = self._go_on(request, begun, block, task, begin, tried=tried)
        else:
            failed = self._lean is None or task not in self._unfit
            found = ways.solve_levels(
                self, request, begun, "auto", None, None, None, _DEFAULT_SEED, quick_failed=failed
            )
        self._engine.note_end(found.q)  # type: ignore[union-attr]
        return found

    def solve_path(
        self, targets: Any, start: Start | None = None, *, restarts: int | None = None
    ) -> Solutions:
        """Solve for a whole path of targets in one call, each sample from the end of the last.

        `Pin`, `LeastChange` and whatever else says "where it is" mean the path's start, at every sample: what one of
        them loses, its targets being out of reach, the next that can has again where it was at the start. (A path that
        begins where the last solve of this problem ended goes on with what was kept then.)

        targets: (samples, 3) points, (samples, 4, 4) transforms or (samples, 3, 3) rotations for a problem of one goal;
            for several a list with one such array a goal, in their order, None leaving a goal as it is.
        start: where the first sample begins, as of `solve`.
        restarts: of samples that the search from the last one misses, as of `solve`; 0 keeps to the way it is on.
        """
        from manikin.solvers.path import solve_path

        self._restore()
        return solve_path(self, targets, self._start if start is None else self._values(start), restarts)

    def solve_on_path(
        self, start: np.ndarray, targets: Sequence[Any] | None, restarts: int | None
    ) -> Solution:
        """Solve one sample of a path (`on_a_path`) by itself."""
        if restarts is None and self._engine is not None:
            return self._solve_with_care(start, targets)
        return self._solve_as_asked(start, "auto", targets, None, restarts, 0, 1, False, None, None, None)

    def _go_on(
        self,
        request: Request,
        begun: np.ndarray,
        block: np.ndarray,
        task: int,
        begin: float,
        restarts: int | None = None,
        seed: int = 0,
        deadline: float | None = None,
        threads: int | None = None,
        tried: int = 0,
    ) -> Solution:
        """Go on by ``"auto"`` from what the search from the start ended with; tried: as of `search_on`."""
        packed, fast = self._packed, self._fast
        assert fast is not None
        starts = 1 if task == DONE else 2
        if task > DONE:
            block, starts = self._search_on(
                packed, fast, begun, block, task, restarts, seed, deadline, threads, tried
            )
        found = Solution(self, request, block, perf_counter() - begin)
        found.starts = starts
        ways.noted(self, found)
        return found

    def _several(
        self,
        begun: np.ndarray,
        method: str,
        restarts: int | None,
        seed: int,
        solutions: int,
        nearest: bool,
        time_limit: float | None,
    ) -> Solution:
        """The nearest, or several well apart."""
        from manikin.solvers.starts.several import several

        if method != "auto":
            raise SolveError(f"only method 'auto' looks for several solutions, not {method!r}")
        with self.on_a_path(self.meaning(begun).copy()):  # wherever one of them begins
            return several(self, begun, restarts, seed, int(solutions), bool(nearest), time_limit)

    def constrainedness(self, start: Start | None = None) -> Constrainedness:
        """Whether the goals leave the figure under-, perfectly or over-constrained, and the degree of redundancy."""
        return constrainedness(self, start)

    def rates(
        self,
        start: Start,
        velocities: Sequence[Any],
        *,
        velocity: Any = None,
        damping: float = 0.01,
        dt: float | None = None,
    ) -> np.ndarray:
        """Joint velocities θ̇, (n,), that give the goals' sites these velocities at a pose, as far as limits allow.

        velocities: one a goal, in their order: 3 numbers, of a Placement 6. velocity: speed limits, by default the
        figure's. damping, dt: see `manikin.papers.rates`.
        """
        from manikin.papers.rates import rates

        return rates(self, start, velocities, velocity=velocity, damping=damping, dt=dt)
