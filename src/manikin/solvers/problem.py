"""A problem prepared once and solved many times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import GoalError, ManikinError, SolveError
from manikin.figure import Coupling, Figure, Pose
from manikin.goals import Aim, Goal, OnLine, OnPlane, Orientation, Placement, Position, Potential
from manikin.goals.target import ARGUMENTS
from manikin.kernels.memory.state import DONE
from manikin.papers import METHODS as PAPERS, Constrainedness, constrainedness
from manikin.solvers.methods import nonlinear
from manikin.solvers.options import checked_couplings, checked_tolerance, ranked
from manikin.solvers.request import Request
from manikin.solvers.solution import Solution
from manikin.solvers.starts.restarts import checked_restarts, checked_seed, restarted
from manikin.solvers.starts.threads import checked_threads

if TYPE_CHECKING:
    from manikin.solvers.methods.least_squares import Fast
    from manikin.solvers.methods.levels import Levels
    from manikin.solvers.methods.mixed import Mixed
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.pack.targets import Targets
    from manikin.solvers.path import Solutions

CLASSIC = (Position, OnLine, OnPlane, Orientation, Placement, Aim, Potential)
"""The goals of Zhao and Badler (1989), which every method knows."""
METHODS = ("auto", "lm", "projection", *PAPERS)
_FLOAT = np.dtype(np.float64)
_PACKED = (8,)
# Defaults of `solve` that are compared by identity; whatever only equals them goes the long way to the same answer.
_DEFAULT_SEED, _ONE = 0, 1
Start = Pose | Sequence[float] | np.ndarray | Mapping[str, float]


class Problem:
    """A figure and its goals, packed for the solver.

    figure: a Figure, or a Pose of it to start from.
    goals: any number, on any segments; or a list of lists of them, most important first: a level yields to all above.
    free: the degrees of freedom that may move, by name or pattern (``["left_*", "waist"]``); all by default. All goals
        see the same choice.
    constraints: linear relations that hold besides the figure's own couplings, as Couplings or as text.
    tolerance: the miss in metres, and in radians, below which a goal counts as reached.

    Moving a target, changing a weight or switching a goal (`set`) rebuilds nothing. One thread uses a Problem at a
    time.
    """

    def __init__(
        self,
        figure: Figure | Pose,
        goals: Iterable[Goal] | Iterable[Sequence[Goal]],
        *,
        free: str | Iterable[str] | None = None,
        constraints: Iterable[Coupling | str] = (),
        tolerance: tuple[float, float] = (1e-4, 1e-3),
    ) -> None:
        from manikin.solvers.methods.auto import search_on
        from manikin.solvers.pack.packing import write_term

        if not isinstance(figure, (Figure, Pose)):
            raise SolveError(f"the first argument must be a Figure or a Pose, got {figure!r}")
        pose = figure if isinstance(figure, Pose) else figure.pose()
        self.figure: Figure = pose.figure
        self.tolerance = checked_tolerance(tolerance)
        self._start = np.array(pose.q)
        self._shape = self._start.shape
        goals, self._ranks = ranked(goals)
        self._given = list(goals)
        self._request = Request(tuple(goals), (True,) * len(goals), {})
        self._origin = (
            self._chosen(free),
            (*self.figure.couplings, *checked_couplings(self.figure, constraints)),
        )
        self._search_on, self._write_term = search_on, write_term
        self._prepare()

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle is made from: what is asked for. The packed arrays hold addresses of their own."""
        names = ("figure", "tolerance", "_start", "_ranks", "_given", "_origin")
        return {name: self.__dict__[name] for name in names} | {
            "goals": self._request.goals,
            "active": self._request.active,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        from manikin.solvers.methods.auto import search_on
        from manikin.solvers.pack.packing import write_term

        goals, active = state.pop("goals"), state.pop("active")
        self.__dict__.update(state)
        self._start = self._start.copy()
        self._shape = self._start.shape
        self._request = Request(goals, active, {})
        self._search_on, self._write_term = search_on, write_term
        self._prepare()

    def _chosen(self, free: str | Iterable[str] | None) -> np.ndarray:
        """Mask of the degrees of freedom that may move."""
        mask = np.ones(self.figure.n, bool)
        if free is not None:
            if not isinstance(free, Iterable):
                raise SolveError(f"free must be names or patterns of degrees of freedom, got {free!r}")
            mask[:] = False
            mask[self.figure.select(free)] = True
        return mask

    def set_free(self, free: str | Iterable[str] | None) -> None:
        """Choose other degrees of freedom that may move; goals, targets and switches stay as they are."""
        self._origin = self._chosen(free), self._origin[1]
        self._prepare()

    def _prepare(self) -> None:
        """Pack what is asked for: plain goals for the search in strips, all others for that over rows of every kind."""
        self._levels: Levels | None = None
        self._fast: Fast | None = None
        self._mixed: Mixed | None = None
        self._targets: Targets | None = None
        self._engine: Fast | Mixed | None = None
        self._restored: tuple[int, ...] = ()
        self._with_targets: np.ndarray | None = None
        self._timed: tuple[Request, Levels] | None = None
        self._solving = self._request
        goals = self._request.goals
        self._compiled = all(not isinstance(goal, Potential) for goal in goals)
        self._classic = not self._is_general()
        if self._classic:
            self._terms = [() if isinstance(g, Potential) else g.terms() for g in goals]
            self._first_term = np.cumsum([0, *(len(terms) for terms in self._terms)]).tolist()
            self._packed = self.packed_for(self._request)
        if not self._classic or nonlinear.concerned(self._packed):
            self._prepare_levels()
            return
        self._prepare_plain()

    def _prepare_plain(self) -> None:
        """What the search in strips needs besides the packed problem."""
        from manikin.solvers.methods.least_squares import Fast, suits
        from manikin.solvers.pack.targets import plain_targets

        goals = self._request.goals
        if not self._compiled or self.figure.cones or self.figure.loops or not suits(self._packed):
            return
        self._fast = Fast(self._packed)
        if any(isinstance(goal, (Placement, Position)) for goal in goals):
            self._fast.closed_forms, self._fast.has_limb = self.limb_starts, self._has_limb
            self._look_for_six_hinges(self._origin[0])
        if len(goals) > 1 and not (self._fast.has_rows or self._packed.ties):
            from manikin.solvers.starts.independent_parts import parts_of

            self._fast.split = parts_of(self, self._packed, self._fast)
        self._engine = self._fast
        self._targets = plain_targets(self._packed, goals, self._first_term)
        self._take_in_call()

    def _take_in_call(self) -> None:
        """Let the search itself take the targets of a call, where it can."""
        from manikin.kernels.projection.solve import REFUSED

        self._refused = REFUSED
        engine, targets = self._engine, self._targets
        if engine is not None and targets is not None and engine.follows:
            self._with_targets = targets.in_call(engine.table)

    def packed_for(self, request: Request) -> Packed:
        """What such a request asks for, packed: by terms where its goals are plain, else by the rows of its levels."""
        from manikin.solvers.pack.packing import pack, write_term

        goals = request.goals
        if not self._classic:
            return self.levels_for(request, self._start).packed
        terms = [() if isinstance(goal, Potential) else goal.terms() for goal in goals]
        mask, couplings = self._origin
        flat = [term for each in terms for term in each]
        packed = pack(self.figure, flat, [goal.site for goal in goals], mask, couplings, self.tolerance)
        on = [active for each, active in zip(terms, request.active, strict=True) for _ in each]
        for t, (term, active) in enumerate(zip(flat, on, strict=True)):
            if not active:
                write_term(packed, t, term, self.tolerance, active=False)
        return packed

    def levels_for(self, request: Request, start: np.ndarray) -> Levels:
        """What such a request asks for, as rows in levels; what means the start means this one."""
        from manikin.solvers.methods.with_potentials import levels_of

        goals = request.goals
        mask, couplings = self._origin
        last = max(self._ranks, default=1) + 1
        pose = Pose(self.figure, start)
        levels = levels_of(self.figure, pose, goals, self._ranks, last, mask, couplings, self.tolerance)
        for index, active in enumerate(request.active):
            if not active:
                levels.write(index, goals[index], active=False)
        return levels

    def _prepare_levels(self) -> None:
        """Pack for the search over rows of every kind, and for the careful descent."""
        from manikin.solvers.pack.targets import level_targets

        levels = self._levels = self.levels_for(self._request, self._start)
        self._fast = None
        if not self._classic:
            self._packed = levels.packed
        self._targets = level_targets(levels)
        self._mixed = levels.mixed
        simple = not levels.has_functions and all(len(choices) == 1 for choices in levels.choices)
        self._engine = self._mixed if simple and levels.mixed.pull.complete else None
        self._measured = levels.measured((0,) * len(levels.choices))
        self._take_in_call()

    def _look_for_six_hinges(self, mask: np.ndarray) -> None:
        """Note the closed form of a robot's arm of six hinges, where its place is all that is asked for."""
        alone = len(self._goals) == 1 and isinstance(self._goals[0], Placement)
        if self._fast is None or not alone or len(self._packed.variables) != 6:
            return
        if self._fast.has_rows or not self._fast.untied:  # the closed form knows no linear constraints
            return
        from manikin.solvers.starts.six_axis_seeds import movers, six_hinges

        site = self._goals[0].site
        six = six_hinges(self.figure, site, mask, self._start)
        # A joint below or between them that is held stands elsewhere in other starts.
        if six is not None and set(six.places) == set(self._packed.variables) == set(
            movers(self.figure, site)
        ):
            self._fast.begin_by(six, self._packed)
            self._fast.mind_whole_place(all(self._goals[0].arguments()["axes"]))

    def _is_general(self) -> bool:
        """Whether it takes rows of every kind: hard goals, levels, goals beyond those of the report of 1989."""
        return len(set(self._ranks)) > 1 or any(
            getattr(goal, "hard", False) or not isinstance(goal, CLASSIC) for goal in self._goals
        )

    @property
    def _goals(self) -> tuple[Goal, ...]:
        return self._request.goals

    @property
    def _active(self) -> Sequence[bool]:
        return self._request.active

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals as they are now."""
        return self._goals

    @property
    def start(self) -> Pose:
        """Where a solve begins unless told otherwise."""
        return Pose(self.figure, self._start)

    @property
    def variables(self) -> tuple[str, ...]:
        """The degrees of freedom that are solved for: free, and of consequence to some goal or constraint."""
        return tuple(self.figure.dofs[j] for j in self._packed.concerned)

    def set(self, goal: int | Goal, **changes: Any) -> None:
        """Change a goal's arguments (by their own names), or switch it with ``active=False``; rebuilds nothing.

        What is refused leaves the goal as it was.
        """
        index = goal if type(goal) is int and 0 <= goal < len(self._ranks) else self._index(goal)
        if len(changes) == 1 and self._move(index, changes):
            return
        now = self._request.goal(index)
        active = changes.pop("active", self._request.active[index])
        if not isinstance(active, (bool, np.bool_)):
            raise GoalError(f"{now.label()}: active must be true or false, got {active!r}")
        changed = now.changed(**changes) if changes else now
        if changed.site != now.site:
            raise GoalError(f"{now.label()}: a prepared problem keeps the sites of its goals")
        self._write(index, changed, bool(active))

    def _move(self, index: int, changes: Mapping[str, Any]) -> bool:
        """Move a target and nothing else, without making a goal; False where that is not what is asked for."""
        targets, request = self._targets, self._request
        if targets is None or targets.shapes[index] is None:
            return False
        ((name, value),) = changes.items()
        names = ARGUMENTS[type(request._goals[index])]
        if len(names) != 1 or name != names[0] or type(value) not in (np.ndarray, list, tuple):
            return False
        if np.shape(value) != targets.shapes[index]:
            return False
        self._request = request.with_targets({index: targets.write(request._goals, index, value)})
        return True

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

        `Pin`, `LeastChange` and whatever else says "where it is" mean this start.

        targets: other targets for this call, one for each goal in their order: 3 numbers, a 3×3 rotation (or a SciPy
            Rotation) for an `Orientation`, a 4×4 transform for a `Placement`; None leaves a goal as it is. The goals
            themselves stay.
        dt: seconds since the start: no joint moves farther than its velocity limit allows in that time. Then there are
            no other starts, and what could not be reached for that reason alone is told apart (`Solution.slowed`).

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
        engine = self._engine
        table = None
        if targets is not None:
            taken = None if self._with_targets is None else self._targets.hand_over(targets)  # type: ignore[union-attr]
            if taken is None or method != "auto":
                request = self._take(targets)
            else:
                table, self._restored = self._with_targets, tuple(taken)
                request = self._request.with_targets(taken)
        else:
            request = self._request
            if self._restored:
                self._restore()
        self._solving = request
        if (  # all as by default: the way that is taken a thousand times a second
            method == "auto"
            and engine is not None
            and restarts is time_limit is threads is options is dt is None
            and seed is _DEFAULT_SEED
            and solutions is _ONE
            and nearest is False
        ):
            begin = perf_counter()
            if type(start) is np.ndarray and start.dtype is _FLOAT and start.shape == self._shape:
                # As `_values`, without the call. What is read-only would be another type to the compiled code.
                begun = start if start.strides == _PACKED and start.flags.writeable else start.copy()
            else:
                begun = self._start if start is None else self._values(start)
            block = np.empty(engine.size)
            task = engine.search(
                engine.table if table is None else table, begun, block, engine.patience, engine.elsewhere
            )
            if (
                table is not None and task == self._refused
            ):  # the target, or the start: whoever it is will say
                self._take(targets)  # type: ignore[arg-type]
            if task <= DONE and engine.untied:
                found = Solution(self, request, block, perf_counter() - begin)
                if engine is self._mixed:
                    found.found_quickly(self._measured)
                elif task != DONE:  # by a closed form's start
                    found.starts = 2
                return found
            if engine is self._fast:
                return self._go_on(request, begun, block, task, begin)
            return self._solve_levels(
                request, begun, method, None, None, None, _DEFAULT_SEED, quick_failed=True
            )
        if table is not None:
            self._take(targets)  # type: ignore[arg-type]
        if method not in METHODS:
            raise SolveError(f"unknown method {method!r}; known are: {', '.join(METHODS)}")
        if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit > 0.0):
            raise SolveError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
        if restarts is not None:
            restarts = checked_restarts(restarts)
        seed = checked_seed(seed)
        if threads is not None:
            threads = checked_threads(threads)
        begun = self._start if start is None else self._values(start)
        alone = engine is None or method != "auto" or solutions != 1 or nearest
        if targets is not None and alone:
            return self._as_asked(request).solve(
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
            return self._in_time(request, begun, method, dt)
        if solutions != 1 or nearest:
            return self._several(begun, method, restarts, seed, solutions, nearest, time_limit)
        if self._levels is not None and not (self._classic and method not in ("auto", "lm")):
            return self._solve_levels(request, begun, method, time_limit, options, restarts, seed)
        fast = self._fast
        if fast is None or method != "auto":
            found = self._alone(begun, method, time_limit, options)
            return restarted(self, found, method, restarts, seed, time_limit, options) if restarts else found
        if options:
            raise SolveError(f"method {method!r} has no options, got {', '.join(options)}")
        begin = perf_counter()
        block = np.empty(fast.size)
        only_start = restarts == 0 and fast.six is not None
        search, far = (fast.alone, np.inf) if only_start else (fast.search, fast.elsewhere)
        task = search(fast.table, begun, block, fast.patience, far)
        deadline = None if time_limit is None else begin + time_limit
        return self._go_on(request, begun, block, task, begin, restarts, seed, deadline, threads)

    def solve_path(self, targets: Any, start: Start | None = None) -> Solutions:
        """Solve for a whole path of targets in one call, each sample from the end of the last.

        targets: (samples, 3) points, (samples, 4, 4) transforms or (samples, 3, 3) rotations for a problem of one goal;
            for several a list with one such array a goal, in their order, None leaving a goal as it is.
        start: where the first sample begins, as of `solve`.
        """
        from manikin.solvers.path import solve_path

        if self._restored:
            self._restore()
        return solve_path(self, targets, self._start if start is None else self._values(start))

    def _take(self, targets: Sequence[Any] | np.ndarray) -> Request:
        """Targets of one call into the packed arrays; the request with them."""
        request = self._request
        if self._targets is None:
            goals = list(request.goals)
            if len(targets) != len(goals):
                raise SolveError(
                    f"targets: one for each of the {len(goals)} goals is wanted, got {len(targets)}"
                )
            moved = {k: target for k, target in enumerate(targets) if target is not None}
            return Request(Request(goals, request.active, moved).goals, request.active, {})
        try:
            taken = self._targets.take(request._goals, targets)
        except ManikinError:
            self._restored = tuple(k for k, shape in enumerate(self._targets.shapes) if shape is not None)
            raise
        self._restored = tuple(taken)
        return request.with_targets(taken)

    def _restore(self) -> None:
        """The goals' own targets where a call had others."""
        assert self._targets is not None
        self._targets.restore(self._request.goals, self._restored)
        self._restored = ()

    def _as_asked(self, request: Request) -> Problem:
        """A problem of its own with what a request asks for, from the same start."""
        mask, couplings = self._origin
        names = [name for name, free in zip(self.figure.dofs, mask, strict=True) if free]
        own = couplings[len(self.figure.couplings) :]
        ranks = sorted(set(self._ranks))
        goals: Any = request.goals
        if len(ranks) > 1:
            goals = [
                [g for g, mine in zip(request.goals, self._ranks, strict=True) if mine == k] for k in ranks
            ]
        other = Problem(self.start, goals, free=names, constraints=own, tolerance=self.tolerance)
        flat = [g for level in goals for g in level] if len(ranks) > 1 else list(goals)
        for goal, active in zip(request.goals, request.active, strict=True):
            if not active:
                other.set(flat.index(goal), active=False)
        return other

    def _in_time(self, request: Request, begun: np.ndarray, method: str, dt: Any) -> Solution:
        """Solve from one start with every joint within its velocity limit for dt seconds."""
        if method not in ("auto", "lm"):
            raise SolveError(f"method {method!r} knows no velocity limits; dt goes with 'auto' and 'lm'")
        if isinstance(dt, bool) or not isinstance(dt, (int, float, np.number)) or not 0.0 < dt < np.inf:
            raise SolveError(f"dt must be a positive number of seconds, got {dt!r}")
        begin = perf_counter()
        if self._fast is not None and self._fast.plain:
            found = Solution(
                self, request, self._fast.solve_in_time(begun, float(dt)), perf_counter() - begin
            )
            found.dt = float(dt)
            return found
        levels = self._levels
        if levels is None:
            if self._timed is None or self._timed[0] is not request:
                self._timed = request, self.levels_for(request, self._start)
            levels = self._timed[1]
        if levels.has_functions:
            raise SolveError("potentials in Python know no velocity limits; leave out dt, or these goals")
        block = levels.mixed.solve_in_time(begun, float(dt))
        found = Solution(self, request, block, perf_counter() - begin)
        found.found_quickly(levels.measured((0,) * len(levels.choices)))
        found.dt = float(dt)
        return found

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
    ) -> Solution:
        """Go on by ``"auto"`` from what the search from the start ended with."""
        packed, fast = self._packed, self._fast
        assert fast is not None
        starts = 1 if task == DONE else 2
        if task > DONE:
            block, starts = self._search_on(
                packed, fast, begun, block, task, restarts, seed, deadline, threads
            )
        packed.complete(*fast.parts(block))
        found = Solution(self, request, block, perf_counter() - begin)
        found.starts = starts
        self._noted(found)
        return found

    def _alone(
        self, begun: np.ndarray, method: str, time_limit: float | None, options: Mapping[str, Any] | None
    ) -> Solution:
        """Solve from one start."""
        if method in PAPERS:
            return self._paper(begun, method, options, time_limit)
        q = begun.copy()
        packed = self._packed
        if options and method == "projection":
            from manikin.solvers.methods.projection_options import with_options

            packed = with_options(packed, options)
        elif options:
            raise SolveError(f"method {method!r} has no options, got {', '.join(options)}")
        if self.figure.cones or self.figure.loops:
            nonlinear.refuse(packed, method)
            nonlinear.bring_in(self.figure, q)
        values = None
        if method == "lm" and self._fast is not None:
            from manikin.solvers.methods.least_squares import run as run_lm

            begin = perf_counter()
            deadline = None if time_limit is None else begin + time_limit
            block = run_lm(packed, self._fast, begun, deadline)
            packed.complete(*self._fast.parts(block))
        else:
            from manikin.solvers.methods.projection import run, run_until

            begin = perf_counter()
            if not self._compiled:
                from manikin.solvers.methods.potentials import run_with_potentials

                deadline = None if time_limit is None else begin + time_limit
                goals = list(zip(self._goals, self._active, strict=True))
                out, values = run_with_potentials(packed, q, goals, deadline)
            else:
                out = run(packed, q) if time_limit is None else run_until(packed, q, begin + time_limit)
            block = np.concatenate([out, q, begun])
        found = Solution(self, self._request, block, perf_counter() - begin)
        found._values = values
        self._noted(found, packed)
        return found

    def _solve_levels(
        self,
        request: Request,
        begun: np.ndarray,
        method: str,
        time_limit: float | None,
        options: Mapping[str, Any] | None,
        restarts: int | None,
        seed: int,
        *,
        quick_failed: bool = False,
    ) -> Solution:
        """Solve by the descent by levels; ``quick_failed``: the quick search has, from this start."""
        from manikin.solvers.methods.general import load, solve_levels
        from manikin.solvers.starts.restarts import further_starts

        assert self._levels is not None
        if method not in ("auto", "lm") or options:
            raise SolveError(
                f"method {method!r}{' and its options' if options else ''} cannot honour {self._beyond()}; "
                "use method='auto' or 'lm'"
            )
        q = begun.copy()
        levels = self._levels
        levels.mean_start(begun)
        load()
        begin = perf_counter()
        deadline = None if time_limit is None else begin + time_limit
        most = 0 if method == "lm" and restarts is None else restarts
        out, outcome, tried = solve_levels(
            levels, q, further_starts(self, begun, seed), most, deadline, quick_failed=quick_failed
        )
        packed = levels.packed
        found = Solution(self, request, np.concatenate([out, q, begun]), perf_counter() - begin)
        found.found_by(levels, outcome)
        found.starts = tried
        if packed.notes is not None:
            found.began = packed.notes.began
            packed.notes = None
        return found

    def _beyond(self) -> str:
        """What of this problem asks for the descent by levels, in words."""
        for goal in self._goals:
            if getattr(goal, "hard", False):
                return f"a hard goal ({goal.label()})"
            if not isinstance(goal, CLASSIC):
                return f"a goal of this kind ({goal.label()})"
        return "levels of priority"

    def _noted(self, found: Solution, packed: Packed | None = None) -> None:
        """Tell a solution of what was out of the ordinary, with the problem or with this copy of it."""
        packed = self._packed if packed is None else packed
        if packed.notes is not None:
            found.began = packed.notes.began
            found.seconds -= packed.notes.loading
            packed.notes = None

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
        if isinstance(solutions, bool) or not isinstance(solutions, (int, np.integer)) or solutions < 1:
            raise SolveError(f"solutions must be a whole number above zero, got {solutions!r}")
        return several(self, begun, restarts, seed, int(solutions), bool(nearest), time_limit)

    def limb_starts(self, begun: np.ndarray) -> list[np.ndarray]:
        """Starts out of the closed forms of the limbs that have a goal, nearest to where the search began first."""
        from manikin.solvers.starts.limb_seeds import goal_seeds

        request = self._solving
        active = [goal for goal, on in zip(request.goals, request.active, strict=True) if on]
        return goal_seeds(self.figure, active, begun)

    def _has_limb(self) -> bool:
        from manikin.solvers.starts.limb_seeds import has_limb

        return has_limb(self.figure, self._goals)

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

    def _paper(
        self, begun: np.ndarray, method: str, options: Mapping[str, Any] | None, time_limit: float | None
    ) -> Solution:
        """Solve by a method of the papers."""
        from manikin.papers.call import run

        q = begun.copy()
        begin = perf_counter()
        out, details = run(self, q, method, options, None if time_limit is None else begin + time_limit)
        found = Solution(self, self._request, np.concatenate([out, q, begun]), perf_counter() - begin)
        found.details = details
        self._noted(found)
        return found

    def _values(self, start: Start) -> np.ndarray:
        if type(start) is np.ndarray and start.dtype is _FLOAT and start.shape == self._shape:
            return np.array(start)  # the kernel refuses what is not finite
        if isinstance(start, Pose):
            if start.figure is not self.figure and start.figure.dofs != self.figure.dofs:
                raise SolveError(
                    f"the start is a pose of {start.figure.name!r}, which has other degrees of freedom than "
                    f"{self.figure.name!r}"
                )
            return np.array(start.q)
        return np.array(self.figure.pose(start).q)

    def _index(self, goal: int | Goal) -> int:
        if isinstance(goal, Goal):
            for index, (given, now) in enumerate(zip(self._given, self._goals, strict=True)):
                if goal is given or goal is now:
                    return index
            raise SolveError(f"{goal.label()} is not a goal of this problem")
        if not isinstance(goal, (int, np.integer)):
            raise SolveError(f"a goal is named by its place or by the goal itself, not by {goal!r}")
        if not -len(self._goals) <= goal < len(self._goals):
            raise SolveError(f"there is no goal {goal}: the problem has {len(self._goals)}")
        return int(goal) % len(self._goals)

    def _write(self, index: int, goal: Goal, active: bool) -> None:
        """Put a goal in the place of another."""
        old, self._request = self._request, self._request.with_goal(index, goal, active)
        try:
            if self._classic and getattr(goal, "hard", False):
                self._prepare()
                return
            if self._levels is not None and not self._levels.write(index, goal, active=active):
                self._prepare()
                return
        except Exception:
            self._request = old
            self._prepare()
            raise
        if not self._classic:
            return
        terms = () if isinstance(goal, Potential) else goal.terms()
        first, tolerance = self._first_term[index], self.tolerance
        for t, (term, before) in enumerate(zip(terms, self._terms[index], strict=True), start=first):
            self._write_term(self._packed, t, term, tolerance, active=active, instead=before)
        self._terms[index] = terms
        if self._fast is not None and self._fast.six is not None:
            self._fast.mind_whole_place(all(goal.arguments()["axes"]))
