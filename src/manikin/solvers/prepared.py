"""What a problem keeps ready: the request packed for the searches, and the ways to change it without packing anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import GoalError, SolveError
from manikin.figure import Coupling, Figure, Pose
from manikin.figure.movable import movable
from manikin.goals import (
    Aim,
    Goal,
    Objective,
    OnLine,
    OnPlane,
    Orientation,
    Part,
    Placement,
    Position,
    Potential,
)
from manikin.goals.target import ARGUMENTS, shape_of
from manikin.solvers.methods import nonlinear
from manikin.solvers.pack.packing import FARTHEST
from manikin.solvers.request import Request

if TYPE_CHECKING:
    from manikin.kernels.calls import Call
    from manikin.solvers.judge.judge import Judge
    from manikin.solvers.judge.rows import RowJudge
    from manikin.solvers.judge.verdict import Verdict
    from manikin.solvers.methods.lean import Lean
    from manikin.solvers.methods.least_squares import LeastSquares
    from manikin.solvers.methods.levels import Levels
    from manikin.solvers.methods.mixed import Mixed
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.pack.targets import Handed, Targets
    from manikin.solvers.solution import Solution
    from manikin.solvers.starts.natural import NaturalStart
    from manikin.solvers.starts.natural_plan import NaturalPlan

CLASSIC = (Position, OnLine, OnPlane, Orientation, Placement, Aim, Potential)
"""The goals of Zhao and Badler (1989), which every method knows."""
_FLOAT = np.dtype(np.float64)
Start = Pose | Sequence[float] | np.ndarray | Mapping[str, float]


class Prepared:
    """A request packed: plain goals for the search in strips, all others for that over rows of every kind."""

    figure: Figure
    tolerance: tuple[float, float]
    _start: np.ndarray
    _shape: tuple[int, ...]
    _ranks: Sequence[int]
    _given: list[Goal]
    _request: Request
    _origin: tuple[np.ndarray, tuple[Coupling, ...]]
    natural: bool

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle is made from: what is asked for. The packed arrays hold addresses of their own."""
        names = ("figure", "tolerance", "natural", "_start", "_ranks", "_given", "_origin")
        return {name: self.__dict__[name] for name in names} | {
            "goals": self._request.goals,
            "active": self._request.active,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        from manikin.solvers.methods.auto import search_beside, search_on
        from manikin.solvers.pack.strips import write_part

        goals, active = state.pop("goals"), state.pop("active")
        self.__dict__.update(state)
        self._start = self._start.copy()
        self._shape = self._start.shape
        self._request = Request(goals, active, {})
        self._search_on, self._search_beside, self._write_part = search_on, search_beside, write_part
        self._prepare()

    def _chosen(self, free: str | Iterable[str] | None) -> np.ndarray:
        """Mask of the degrees of freedom that may move."""
        mask = np.ones(self.figure.n, bool)
        if free is not None:
            mask[:] = False
            mask[self.figure.select(free)] = True
        return mask

    def set_free(
        self, free: str | Iterable[str] | None = None, *, fixed: str | Iterable[str] | None = None
    ) -> None:
        """Choose other degrees of freedom that may move, or may not; goals, targets and switches stay as they are."""
        self._origin = self._chosen(movable(self.figure, free, fixed)), self._origin[1]
        self._prepare()

    def _prepare(self) -> None:
        """Pack what is asked for: plain goals for the search in strips, all others for that over rows of every kind."""
        self._levels: Levels | None = None
        self._fast: LeastSquares | None = None
        self._mixed: Mixed | None = None
        self._lean: Lean | None = None
        self._open: Sequence[tuple[int, Part]] = ()
        self._known_targets: Targets | None = None
        self._engine: LeastSquares | Mixed | None = None
        self._moved: tuple[int, ...] = ()
        self._call: Call | None = None
        self._call_with_targets: Call | None = None
        self._laid_out: Call | None = None
        self._plan: NaturalPlan | None = None
        self._timed: tuple[Request, Levels] | None = None
        self._judge: Judge | None = None
        self._row_judge: tuple[Request, tuple[int, ...], RowJudge] | None = None
        # Plain goals among ranges alone, which a search keeps by its last act: to judge them about doubles a solve.
        self._only_ranges = False
        self._memory: tuple[bytes, np.ndarray, Mixed | None] | None = None
        self._path_start: np.ndarray | None = None
        self._means_start = any(goal.means_start for goal in self._request.goals)
        self._solving = self._request
        self._meant = self._ended = b""
        goals = self._request.goals
        self._naturally = self._natural_start()
        self._compiled = all(not isinstance(goal, Potential) for goal in goals)
        self._classic = not self._is_general()
        if self._classic:
            self._parts = [() if isinstance(g, Potential) else g.parts() for g in goals]
            self._first_part = np.cumsum([0, *(len(parts) for parts in self._parts)]).tolist()
            self._packed = self.packed_for(self._request, self._parts)
        if not self._classic or nonlinear.concerned(self._packed) or nonlinear.closable(self._packed):
            self._prepare_levels()
        else:
            self._prepare_plain()
        if self._naturally is not None:  # what no goal depends on stays as it is in the start
            moves = np.zeros(self.figure.n, bool)
            moves[self._packed.variables] = True
            self._naturally.moves = moves
            self._plan_naturally()
        self._prepare_calls()

    def _plan_naturally(self) -> None:
        """Lay out what the natural start needs, where a solve is one search."""
        from manikin.solvers.starts.natural_plan import NaturalPlan

        if self._engine is not None and self._naturally is not None:
            self._plan = NaturalPlan(self._naturally, self._engine, self._request.goals, self.tolerance)

    @property
    def _targets(self) -> Targets | None:
        """Where targets lie, for calls that bring some; made when the first does. None where none can."""
        if self._known_targets is None:
            from manikin.solvers.pack.targets import level_targets, plain_targets

            if self._levels is not None:
                self._known_targets = level_targets(self._levels, self._lean)
            elif self._fast is not None:
                self._known_targets = plain_targets(self._packed, self._request._goals, self._first_part)
        return self._known_targets

    def _prepare_calls(self) -> None:
        """Let a solve as by default be one call of compiled code, where that is all it takes."""
        from manikin.kernels.projection.solve import REFUSED, REPAIR, TIDY

        self._refused, self._unfit = REFUSED, (TIDY, REPAIR)
        self._call = self._call_with_targets = self._laid_out = None
        if self._engine is not None:
            self._call = self._call_of(self._engine.table)

    def _prepare_handing_over(self) -> Call | None:
        """The same with targets that travel with the call, when there first are some; None where none can."""
        engine, targets = self._engine, self._targets
        if self._laid_out is None and engine is not None and targets is not None:
            self._laid_out = self._call_of(targets.in_call(engine.table), targets.shapes, targets.given)
            if self._call is not None:
                self._call_with_targets = self._laid_out
            if self._plan is not None:
                self._plan.mind(targets)
        return self._laid_out

    def _call_of(
        self,
        table: np.ndarray,
        shapes: Sequence[tuple[int, ...] | None] = (),
        given: np.ndarray | None = None,
    ) -> Call:
        """A call of the search with this table."""
        from manikin.kernels.calls import Call

        engine, plan = self._engine, self._plan
        assert engine is not None
        before, patience = None, engine.patience
        if plan is not None:
            before = plan.before
            patience = 0 if engine is self._mixed else patience  # `mean_start` says what the start means
        n, size = self._shape[0], engine.size
        return Call(engine.search, table, patience, engine.elsewhere, n, size, shapes, given, before)

    def _natural_start(self) -> NaturalStart | None:
        """Where a human's solve begins, unless that is switched off."""
        from manikin.solvers.starts.natural import natural_start

        return natural_start(self.figure, self._request.goals, self._origin[0], self.natural)

    def mean_start(self, begun: np.ndarray) -> bool:
        """Let what says "where it is" mean this start although the search begins elsewhere; whether that was needed.

        A start that is the last end means what was meant then, so that nothing drifts; on a path all means where that
        began. One that is refused means nothing.
        """
        if self._levels is None or self._engine is not self._mixed:
            return False
        meant = begun if self._path_start is None else self._path_start
        key = meant.tobytes()
        if key not in (self._meant, self._ended) and (np.abs(meant) < FARTHEST).all():
            self._ended = b""
            self._let_mean(meant)
            self._meant = key
        return True

    def _let_mean(self, begun: np.ndarray, kept: np.ndarray | None = None) -> None:
        """Let all searches over rows mean this start, and those rows that keep something ``kept`` where it is given."""
        assert self._levels is not None
        self._levels.mean_start(begun, kept)
        if self._lean is not None:
            self._lean.levels.mean_start(begun, kept)
            self._lean.mixed.begin_at(np.clip(begun, self.figure.lower, self.figure.upper))

    def meaning(self, begun: np.ndarray, by: Mixed | None = None) -> np.ndarray:
        """The start that what is kept means in a solve from ``begun``: that of the path it is on; where the last solve
        ended, what it meant; or ``begun`` itself.

        by: the quick search that is to go on by itself, which has to be the one that ended there.
        """
        if self._path_start is not None:
            return self._path_start
        memory = self._memory
        if memory is None or memory[0] != begun.tobytes() or (by is not None and by is not memory[2]):
            return begun
        return memory[1]

    def note_end(self, q: np.ndarray) -> None:
        """Remember where a solve ended."""
        self._ended = q.tobytes()

    def forget_meaning(self) -> None:
        """Some search has let the start mean something else."""
        self._meant = self._ended = b""

    def forget_run(self) -> None:
        """Let the next solve mean its own start, whatever the last one meant."""
        self._memory = None
        self.forget_meaning()
        if self._mixed is not None:
            self._mixed.go_on_from(np.full(self.figure.n, np.nan))

    def _prepare_plain(self) -> None:
        """What the search in strips needs besides the packed problem."""
        from manikin.solvers.methods.least_squares import LeastSquares, suits

        goals = self._request.goals
        if not self._compiled or self.figure.cones or self.figure.loops or not suits(self._packed):
            return
        self._fast = LeastSquares(self._packed)
        if any(isinstance(goal, (Placement, Position)) for goal in goals):
            self._look_for_six_hinges(self._origin[0])
        self._engine = self._fast
        self._only_ranges = not self._origin[1]

    def packed_for(self, request: Request, parts: Sequence[Sequence[Part]] | None = None) -> Packed:
        """What such a request asks for, packed: in strips where its goals are plain, else by rows of its levels."""
        from manikin.solvers.pack.packing import pack
        from manikin.solvers.pack.strips import write_part

        goals = request.goals
        if not self._classic:
            return self.levels_for(request, self._start).packed
        if parts is None:
            parts = [() if isinstance(goal, Potential) else goal.parts() for goal in goals]
        mask, couplings = self._origin
        flat = [part for each in parts for part in each]
        packed = pack(self.figure, flat, [goal.site for goal in goals], mask, couplings, self.tolerance)
        on = [active for each, active in zip(parts, request.active, strict=True) for _ in each]
        for t, (part, active) in enumerate(zip(flat, on, strict=True)):
            if not active:
                write_part(packed, t, part, self.tolerance, active=False)
        return packed

    def levels_for(self, request: Request, start: np.ndarray) -> Levels:
        """What such a request asks for, as rows in levels; what means the start means this one."""
        from manikin.solvers.methods.with_potentials import levels_of

        goals = request.goals
        mask, couplings = self._origin
        last = max(self._ranks, default=1) + 1
        pose = Pose(self.figure, start)
        if self._naturally is not None and self._naturally.wish is not None:
            index = self._naturally.wish
            wish = goals[index].preferring(self._naturally.preferred(request, start))  # type: ignore[attr-defined]
            goals = (*goals[:index], wish, *goals[index + 1 :])
        levels = levels_of(self.figure, pose, goals, self._ranks, last, mask, couplings, self.tolerance)
        for index, active in enumerate(request.active):
            if not active:
                levels.write(index, goals[index], active=False)
        return levels

    def _prepare_levels(self) -> None:
        """Pack for the search over rows of every kind, and for the careful descent."""
        from manikin.solvers.methods.lean import lean_of

        levels = self._levels = self.levels_for(self._request, self._start)
        self._fast = None
        if not self._classic:
            self._packed = levels.packed
        simple = not levels.has_functions and all(len(choices) == 1 for choices in levels.choices)
        quick = simple and levels.mixed.pull.complete
        self._lean = lean_of(self, levels) if quick else None
        self._mixed = levels.mixed if self._lean is None else self._lean.mixed
        self._open = () if self._lean is None else self._lean.open
        self._engine = self._mixed if quick else None
        self._measured = levels.measured((0,) * len(levels.choices))

    def _look_for_six_hinges(self, mask: np.ndarray) -> None:
        """Note the closed form of a robot's arm of six hinges, where its place is all that is asked for."""
        alone = len(self._goals) == 1 and isinstance(self._goals[0], Placement)
        if self._fast is None or not alone or len(self._packed.variables) != 6:
            return
        if self._fast.has_rows:  # the closed form knows no linear constraints
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
        return tuple(self.figure.dofs[j] for j in self._packed.variables)

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

    def _needs_own_problem(self, targets: Sequence[Any] | np.ndarray) -> bool:
        """Whether some target cannot be written where the search reads it: of an orientation that minds two axes."""
        if self._targets is None or len(targets) != len(self._targets.shapes):
            return False
        return any(
            target is not None and here is None and shape_of(goal) is not None
            for target, here, goal in zip(targets, self._targets.shapes, self._request._goals, strict=True)
        )

    def _with_all(self, targets: Sequence[Any] | np.ndarray) -> Request:
        """The request with targets of one call, its goals made anew."""
        request = self._request
        goals = list(request.goals)
        if len(targets) != len(goals):
            raise SolveError(f"targets: one for each of the {len(goals)} goals is wanted, got {len(targets)}")
        moved = {k: target for k, target in enumerate(targets) if target is not None}
        return Request(Request(goals, request.active, moved).goals, request.active, {})

    def _take(self, targets: Sequence[Any] | np.ndarray) -> Request:
        """Targets of one call into the packed arrays; the request with them."""
        request = self._request
        if self._targets is None:
            return self._with_all(targets)
        movable = tuple(k for k, shape in enumerate(self._targets.shapes) if shape is not None)
        self._restore(movable)  # whatever happens, those are to be restored
        taken = self._targets.take(request._goals, targets)
        self._restore(tuple(taken))
        return request.with_targets(taken)

    def _restore(self, moved: tuple[int, ...] = ()) -> None:
        """The goals' own targets where calls had others, but for those that move now."""
        old, self._moved = self._moved, moved
        if old != moved and self._known_targets is not None:
            self._known_targets.restore(self._request.goals, [k for k in old if k not in moved])

    def judged(self, solution: Solution) -> Verdict:
        """What holds of a solution, whatever it says of itself (`solvers.judge`)."""
        request, judge = solution._request, self._judge
        if judge is None or not judge.fits(request):
            from manikin.solvers.judge.judge import Judge

            judge = self._judge = Judge(self.figure, self.start, request, self._origin[1], self.tolerance)
            if not judge.fits(request):  # a target that cannot be written in place
                whole = Request(request.goals, request.active, {})
                judge = Judge(self.figure, self.start, whole, self._origin[1], self.tolerance)
        return judge.verdict(solution)

    def row_judge(self, given: tuple[int, ...]) -> RowJudge:
        """The judge of rows of poses with targets for these goals; made when what is asked for is new."""
        known = self._row_judge
        if known is None or known[0] is not self._request or known[1] != given:
            from manikin.solvers.judge.rows import RowJudge, judge_of

            judge = RowJudge(judge_of(self, self.figure), given)  # type: ignore[arg-type]
            known = self._row_judge = self._request, given, judge
        return known[2]

    def _remember(self, found: Solution, begun: np.ndarray) -> None:
        """Note which start "where it is" meant to the quick search."""
        meant = self.meaning(begun, self._mixed)
        found._meant = meant = meant.copy() if meant is begun else meant
        self._memory = found.q.tobytes(), meant, self._mixed

    def means_in_time(self, levels: Levels, begun: np.ndarray, start: np.ndarray) -> bool:
        """Let the search of these levels, from ``start``, mean what a solve from ``begun`` does; whether it has still
        to do so, by what it begins at.
        """
        meant, mixed = self.meaning(begun), levels.mixed
        if meant is begun and start is begun:
            mixed.go_on_from(np.full(len(begun), np.nan))
            return True
        if mixed.meant is meant:  # goes on
            mixed.begin_at(np.clip(begun, self.figure.lower, self.figure.upper))
        else:
            levels.mean_start(begun, meant)
        return False

    def remember_in_time(self, found: Solution, begun: np.ndarray) -> None:
        """Note which start "where it is" meant to the search within velocity limits."""
        mixed = (self._levels or self._timed[1]).mixed  # type: ignore[index]
        meant = self.meaning(begun)
        found._meant = mixed.meant = meant = meant.copy() if meant is begun else meant
        self._memory = found.q.tobytes(), meant, mixed
        if self._mixed is not None and mixed is self._mixed:
            self._note_meaning(found.q, meant)

    def go_on_from(self, q: np.ndarray, meant: np.ndarray) -> None:
        """Let a solve from q go on with what is kept as another one meant it."""
        if self._levels is not None and self._means_start:
            self._let_mean(q, meant)
            self._note_meaning(q, meant)

    def _note_meaning(self, q: np.ndarray, meant: np.ndarray) -> None:
        """Note that rows mean ``meant``, and that a solve from q goes on with that."""
        self._memory = q.tobytes(), meant, self._mixed
        self._meant, self._ended = meant.tobytes(), q.tobytes()
        if self._mixed is not None:
            self._mixed.go_on_from(q)

    @contextmanager
    def on_a_path(self, meant: np.ndarray) -> Iterator[None]:
        """Let all that says "where it is" mean where a path began, wherever a sample begins."""
        self._path_start = meant
        self.forget_run()
        if self._levels is not None and self._means_start and (np.abs(meant) < FARTHEST).all():
            self._let_mean(meant)
            self._meant = meant.tobytes()
        try:
            yield
        finally:
            self._path_start = None

    def _first_start(self, request: Request, begun: np.ndarray) -> np.ndarray | None:
        """Where a search begins instead of at the start; None where it begins there."""
        if self._naturally is None or not np.isfinite(begun).all():
            return None
        if self._plan is not None:
            at_start = self._plan.begin(request, None, begun) == self._plan.AT_START
            return None if at_start else self._plan.q.copy()
        near = self._naturally.is_near(request, begun)
        return None if near else self._naturally.preferred(request, begun).q

    def _lay_out(self, begun: np.ndarray, targets: Any) -> tuple[np.ndarray, Call] | None:
        """Targets before a block that a search is to fill, and its call; None where they cannot travel with it."""
        call = self._laid_out
        if call is not None:
            handed = self._known_targets.handed  # type: ignore[union-attr]
            if self._moved is not handed.which:
                self._restore(handed.which)
            whole = np.empty(call.size)
            if call.hand_over(call.spec, begun, targets, whole):
                return whole, call
        call = self._prepare_handing_over()
        usual = None if call is None else self._targets.usual(targets)  # type: ignore[union-attr]
        if call is None or usual is None:
            return None
        self._restore(self._targets.handed.which)  # type: ignore[union-attr]
        whole = np.empty(call.size)
        return (whole, call) if call.hand_over(call.spec, begun, usual, whole) else None

    def _with_handed(self, request: Request, handed: Handed, whole: np.ndarray, task: int) -> Request:
        """The request with the targets that travelled with a call; an error where they, or the start, were refused."""
        taken = handed.read(whole)
        if task == self._refused:  # the target, or the start: each says so itself
            self._take([taken.get(k) for k in range(len(handed.shapes))])
        return request.with_targets(taken)

    def _begun(self, start: Start | None) -> np.ndarray:
        """The start's values as compiled code takes them."""
        if type(start) is np.ndarray and start.dtype is _FLOAT and start.shape == self._shape:
            # As `_values`, without the call. What is read-only would be another type to Numba.
            return start if start.flags.c_contiguous and start.flags.writeable else start.copy()
        return self._start if start is None else self._values(start)

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
        """Put a goal in the place of another; one that says "where it is" then means the next start."""
        if goal.means_start:
            self.forget_run()
        old, self._request = self._request, self._request.with_goal(index, goal, active)
        try:
            if self._classic and getattr(goal, "hard", False):
                self._prepare()
                return
            fits = self._levels is None or self._levels.write(index, goal, active=active)
            if self._lean is not None and not isinstance(goal, Objective):
                fits = fits and self._lean.write(index, goal, active=active)
            if not fits or isinstance(goal, Objective):  # another pull
                self._prepare()
                return
        except Exception:
            self._request = old
            self._prepare()
            raise
        if not self._classic:
            return
        parts = () if isinstance(goal, Potential) else goal.parts()
        first, tolerance = self._first_part[index], self.tolerance
        for t, (part, before) in enumerate(zip(parts, self._parts[index], strict=True), start=first):
            self._write_part(self._packed, t, part, tolerance, active=active, instead=before)
        self._parts[index] = parts
        if self._fast is not None and self._fast.six is not None:
            self._fast.mind_whole_place(all(goal.arguments()["axes"]))
            self._prepare_calls()
