"""A problem packed for the searches: all that a solve reads and writes, for one thread at a time.

A `Problem` is what is asked for and never changes; it keeps a few of these and lends one to each solve. A solve leaves
nothing behind that another one would see: whatever a search goes on with is said by `run` (`kernels.memory.path`),
which is FRESH for a solve by itself. A `Session` keeps one for itself, and with it the memory of its run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines import ways
from manikin.engines.auto import search_beside, search_on
from manikin.engines.mixed import anchored
from manikin.engines.raw import Raw
from manikin.errors import PoseError, SolveError
from manikin.figure import Pose
from manikin.goals import Placement, Position
from manikin.goals.request import Request
from manikin.goals.target import shape_of
from manikin.kernels.calls import UNUSUAL, VERIFIED
from manikin.kernels.memory.path import (
    ANCHORED,
    CONTINUES,
    FRESH,
    ON_PATH,
    T_RUN,
    T_START,
)
from manikin.kernels.memory.state import DONE, REFUSED, REPAIR, TIDY
from manikin.kernels.search.damped import FLAT, SLOW, SPENT
from manikin.plan.options import Options
from manikin.residuals import Block

if TYPE_CHECKING:
    from manikin.engines.lean import Lean
    from manikin.engines.least_squares import LeastSquares
    from manikin.engines.levels import Levels
    from manikin.engines.mixed import Mixed
    from manikin.engines.natural_plan import NaturalPlan
    from manikin.kernels.calls import Call, Check
    from manikin.plan.natural import NaturalStart
    from manikin.plan.packing import Packed
    from manikin.plan.targets import Handed, Targets
    from manikin.problem.problem import Problem
    from manikin.verify.judge import Judge
    from manikin.verify.one import Checked
    from manikin.verify.rows import RowJudge
    from manikin.verify.verdict import Verdict

_empty, _new = np.empty, object.__new__
_FLOAT = np.dtype(np.float64)
_NOT_FINITE = "the start has values that are not finite, or beyond 1e9"


class Work:
    """What a problem asks for, packed.

    anchor: the pose that `Pin` and its kin mean, and a base that no goal places, whatever a solve begins at; None: the
        start of each solve.
    on_path: whether objectives that mean the start mean the anchor too.
    objectives: the pose that they mean where several solves answer one call.
    run: what the next search goes on with; posture_run: the same of the natural posture, which reads its stance off the
        first start of a run.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem: Problem = problem
        self.figure, self.goals = problem.figure, problem.goals
        self.q0 = np.array(problem.q0)
        self.request = Request(problem.goals, {})
        self.anchor: np.ndarray | None = None
        self.on_path = False
        self.objectives: np.ndarray | None = None
        self._pack()
        self._go(FRESH, FRESH)

    def _pack(self) -> None:
        """Pack plain goals for the search in strips, all others for that over rows of every kind."""
        problem, goals = self.problem, self.goals
        self.levels: Levels | None = None
        self.fast: LeastSquares | None = None
        self.mixed: Mixed | None = None
        self.lean: Lean | None = None
        self.open: Sequence[tuple[int, Block]] = ()
        self.engine: LeastSquares | Mixed | None = None
        self.posture: NaturalPlan | None = None
        self.measured: Sequence[tuple[int, str, float]] = ()
        self._targets: Targets | None = None
        self._targets_known = False
        self._written: tuple[int, ...] = ()
        self._rows: Levels | None = None
        self._rows_serve = self.request
        self.serving = self.request
        self._judge: Judge | None = None
        self._row_judge: tuple[tuple[int, ...], RowJudge] | None = None
        self._checked: Checked | None = None
        self._used = False
        self._checks: dict[tuple[bool, bool], Check | None] = {}
        self._calls: dict[tuple[int, int, bool], Call | None] = {}
        self.means_start = any(goal.means_start for goal in goals)
        self.prior = self._natural_start()
        self.classic = problem.classic
        if self.classic:
            self.parts = [goal.parts() for goal in goals]
            self.first_part = np.cumsum([0, *(len(parts) for parts in self.parts)]).tolist()
            self.packed: Packed = problem.packed_for(self.request, self.parts)
        if self.classic and self._in_strips():
            self._pack_plain()
        else:
            self._pack_levels()
        if self.prior is not None:  # what no goal depends on stays as it is in the start
            moves = np.zeros(self.figure.n, bool)
            moves[self.packed.variables] = True
            self.prior.moves = moves
            if self.engine is not None:
                from manikin.engines.natural_plan import NaturalPlan

                self.posture = NaturalPlan(self.prior, self.engine, goals, problem.tolerance)

    def _in_strips(self) -> bool:
        """Whether the search in strips serves: some goal depends on what is free, and nothing but ranges and linear
        constraints limits it."""
        figure, packed = self.figure, self.packed
        return packed.parts > 0 and len(packed.variables) > 0 and not figure.cones and not figure.loops

    def _natural_start(self) -> NaturalStart | None:
        """Where a human's solve begins, unless that is switched off."""
        from manikin.plan.natural import natural_start

        return natural_start(self.figure, self.goals, self.problem.free, self.problem.natural)

    def _pack_plain(self) -> None:
        """What the search in strips needs besides the packed problem."""
        from manikin.engines.least_squares import LeastSquares

        self.fast = self.engine = LeastSquares(self.packed)
        self.fast.rows = self.rows
        allowed = dict(zip(("m", "rad"), self.problem.tolerance, strict=True))
        self.measured = [
            (place, part.unit, allowed[part.unit]) for place, parts in enumerate(self.parts) for part in parts
        ]
        if any(isinstance(goal, (Placement, Position)) for goal in self.goals):
            self._look_for_six_hinges()

    def _pack_levels(self) -> None:
        """Pack for the search over rows of every kind, and for the careful descent."""
        from manikin.engines.lean import lean_of

        levels = self.levels = self.problem.levels_for(self.request, self.q0, self.prior)
        if not self.classic:
            self.packed = levels.packed
        simple = not levels.has_functions and all(len(choices) == 1 for choices in levels.choices)
        quick = simple and levels.mixed.pull.complete
        self.lean = lean_of(self.problem, levels) if quick else None
        self.mixed = levels.mixed if self.lean is None else self.lean.mixed
        self.open = () if self.lean is None else self.lean.open
        self.engine = self.mixed if quick else None
        self.measured = levels.measured((0,) * len(levels.choices))

    def _look_for_six_hinges(self) -> None:
        """Note the closed form of a robot's arm of six hinges, where its place is all that is asked for."""
        goal = self.goals[0]
        if self.fast is None or len(self.goals) != 1 or not isinstance(goal, Placement):
            return
        if len(self.packed.variables) != 6 or self.fast.has_rows:  # it knows no linear constraints
            return
        from manikin.engines.starts.six_axis_seeds import movers, six_hinges

        six = six_hinges(self.figure, goal.site, self.problem.free, self.q0)
        # A joint below or between them that is held stands elsewhere in other starts.
        if six is not None and set(six.places) == set(self.packed.variables) == set(
            movers(self.figure, goal.site)
        ):
            self.fast.begin_by(six, self.packed)
            self.fast.mind_whole_place(all(goal.axes))

    # What a solve goes on with.

    def _go(self, run: int, posture_run: int) -> None:
        """What the next search goes on with, and the compiled calls for that, where they were made already."""
        self.run, self.posture_run = run, posture_run
        # A start that could not be anchored at is said with every search.
        usual = run != FRESH or self.anchor is None
        self._quick = self._calls.get((run, posture_run, False)) if usual else None
        self._quick_with_targets = self._calls.get((run, posture_run, True)) if usual else None

    def anchor_at(self, anchor: np.ndarray, on_path: bool = False, stance: bool = False) -> None:
        """From now on what is kept means where it is in this pose, until `release`; stance: the posture's stays."""
        self.anchor, self.on_path = anchor, on_path
        self._calls = {key: call for key, call in self._calls.items() if key[0] == FRESH}
        self._checks = {key: check for key, check in self._checks.items() if not key[1]}
        engine, run = self.engine, FRESH
        if engine is None or not engine.anchors:
            run = ANCHORED
        elif anchored(engine, anchor):
            run = ON_PATH if on_path and engine is self.mixed else ANCHORED
        self._go(run, min(self.posture_run, ANCHORED) if stance else FRESH)

    def release(self) -> None:
        """Each solve by itself again."""
        self.anchor, self.on_path = None, False
        self._go(FRESH, FRESH)

    def went_on(self, quickly: bool) -> None:
        """A solve of a run has ended, by the quick search alone or not; the next begins where it ended."""
        run = self.run
        if run != FRESH:
            run = ON_PATH if self.on_path else CONTINUES if quickly else ANCHORED
        posture_run = CONTINUES if quickly else ANCHORED
        if run != self.run or posture_run != self.posture_run:
            self._go(run, posture_run)

    def resume(self, posture_run: int) -> None:
        """Go on with the stance of another run, whose memory was copied."""
        self._go(self.run, min(posture_run, ANCHORED))

    def cool(self) -> None:
        """Let the next search begin anywhere: only the anchor goes on."""
        run = min(self.run, ANCHORED)
        if self.on_path and run == ANCHORED and self.engine is self.mixed:
            run = ON_PATH
        self._go(run, min(self.posture_run, ANCHORED))

    @contextmanager
    def anchored(self, begun: np.ndarray) -> Iterator[None]:
        """Several solves that answer one call from ``begun``, with one anchor: that of the run, if it is in one."""
        before, was_on_path = self.anchor, self.on_path
        self.anchor_at(self.meaning(begun), on_path=True, stance=before is not None)
        self.objectives = begun
        try:
            yield
        finally:
            self.objectives = None
            if before is None:
                self.release()
            else:
                self.anchor_at(before, was_on_path, stance=True)
                self.cool()

    def meaning(self, begun: np.ndarray) -> np.ndarray:
        """The pose that what is kept means in a solve from ``begun``."""
        return begun if self.anchor is None else self.anchor

    def anchor_rows(self, search: Mixed, begun: np.ndarray) -> None:
        """Let a search over rows of its own mean what a solve from ``begun`` does, and go on with nothing else."""
        anchored(search, self.meaning(begun))
        search.table[T_RUN], search.table[T_START] = ANCHORED, self.objectives_start(begun).ctypes.data
        if search is self.mixed:
            self.cool()

    def objectives_start(self, begun: np.ndarray) -> np.ndarray:
        """The pose that objectives mean which mean the start: on a path that of the path."""
        if self.objectives is not None:
            return self.objectives
        return self.meaning(begun) if self.on_path else begun

    def tell(self, table: np.ndarray, begun: np.ndarray) -> np.ndarray:
        """A search's table that says what this solve goes on with, and the start that was given."""
        table[T_RUN] = self.run
        given = self.meaning(begun) if self.run == FRESH else begun
        table[T_START] = given.ctypes.data
        return table

    # Targets of a call.

    @property
    def targets(self) -> Targets | None:
        """Where targets lie, for calls that bring some; None where none can."""
        if not self._targets_known:
            from manikin.plan.targets import level_targets, plain_targets

            self._targets_known = True
            if self.levels is not None:
                self._targets = level_targets(self.levels, self.lean)
            elif self.fast is not None:
                self._targets = plain_targets(self.packed, self.goals, self.parts, self.first_part)
        return self._targets

    def call_for(self, with_targets: bool) -> Call | None:
        """The compiled call of a solve as by default; None where that is more than one search."""
        if not self._used:  # a problem that is solved once does not verify within the call
            return self._made_call(with_targets, verifies=False)
        key = self.run, self.posture_run, with_targets
        if key not in self._calls:
            self._calls[key] = self._made_call(with_targets)
            self._go(self.run, self.posture_run)
        return self._calls[key]

    def _made_call(self, with_targets: bool, verifies: bool = True) -> Call | None:
        from manikin.kernels.calls import Call

        engine, posture = self.engine, self.posture
        if engine is None or (with_targets and self.targets is None):
            return None
        shapes: Sequence[tuple[int, ...] | None] = ()
        table, given = engine.table.copy(), None
        if with_targets:
            assert self.targets is not None
            table, shapes, given = self.targets.in_call(table), self.targets.shapes, self.targets.given
            if posture is not None:
                posture.mind(self.targets)
        table[T_RUN], table[T_START] = self.run, 0
        before = None if posture is None else posture.before(self.posture_run)
        n, size = self.figure.n, engine.size
        check = self._check(with_targets) if verifies else None
        arguments = engine.search, table, engine.patience, engine.elsewhere, n, size, shapes, given
        return Call(*arguments, before, check)

    def _check(self, with_targets: bool) -> Check | None:
        """What verifies the end of a search as part of its call; None where a target cannot be told to it."""
        key = with_targets, self.run != FRESH
        if key not in self._checks:
            self._checks[key] = self._made_check(*key)
        return self._checks[key]

    def _made_check(self, with_targets: bool, anchored: bool) -> Check | None:
        from manikin.kernels.calls import Check
        from manikin.kernels.verify.one import check_pose
        from manikin.verify.one import Checked

        if self._checked is None:
            self._checked = Checked(self.problem.judge)
        given = None
        if with_targets:
            assert self.targets is not None
            brought = [k for k, shape in enumerate(self.targets.shapes) if shape is not None]
            if not self._checked.takes(brought):
                return None
            given = self.targets.given
        anchor = self.anchor if anchored else None
        if anchor is not None:
            self._checked.place(anchor)
        return Check(check_pose, self._checked.table_for(given), anchor)

    def _lay_out(self, begun: np.ndarray, targets: Any) -> tuple[np.ndarray, Call]:
        """Targets before a block that a search is to fill, and its call."""
        call, known = self.call_for(True), self.targets
        assert call is not None and known is not None
        usual = known.usual(self.goals, targets)
        self.restore(known.handed.which)
        whole = _empty(call.size)
        if not call.hand_over(call.spec, begun, usual, whole):
            raise SolveError(f"targets: they cannot be handed over: {targets!r}")
        return whole, call

    def needs_own_problem(self, targets: Sequence[Any] | np.ndarray) -> bool:
        """Whether some target cannot be written where the search reads it: of an orientation that minds two axes."""
        if self.targets is None or len(targets) != len(self.goals):
            return False
        return any(
            target is not None and here is None and shape_of(goal) is not None
            for target, here, goal in zip(targets, self.targets.shapes, self.goals, strict=True)
        )

    def take(self, targets: Sequence[Any] | np.ndarray) -> Request:
        """Targets of one call into the packed arrays; the request with them."""
        if self.targets is None:
            return self.request.with_all(targets)
        movable = tuple(k for k, shape in enumerate(self.targets.shapes) if shape is not None)
        self.restore(movable)  # whatever happens, those are to be restored
        taken = self.targets.take(self.goals, targets)
        self.restore(tuple(taken))
        return self.request.with_targets(taken)

    def restore(self, moved: tuple[int, ...] = ()) -> None:
        """The goals' own targets where calls had others, but for those that move now."""
        old, self._written = self._written, moved
        if old != moved and self._targets is not None:
            self._targets.restore(self.goals, [k for k in old if k not in moved])

    def _with_handed(self, handed: Handed | None, whole: np.ndarray, task: int) -> Request:
        """The request with the targets that travelled with a call; an error where they, or the start, were refused."""
        if handed is None:
            return self.request
        taken = handed.read(whole)
        if task == REFUSED:  # the target, or the start: each says so itself
            self.take([taken.get(k) for k in range(len(handed.shapes))])
        return self.request.with_targets(taken)

    # Solving.

    def solve(self, start: Any, targets: Sequence[Any] | np.ndarray | None) -> Raw:
        """Solve as by default: mostly one call of compiled code."""
        begin, handed = perf_counter(), None
        if targets is None:
            call = self._quick
            if self._written:
                self.restore()
        else:
            call = self._quick_with_targets
        if call is not None:
            if targets is not None:
                handed = self._targets.handed  # type: ignore[union-attr]
                if self._written is not handed.which:
                    self.restore(handed.which)
            begun: Any = self.q0 if start is None else start
            whole = _empty(call.size)
            task = call.follow(call.spec, begun, targets, whole)
            if UNUSUAL < task <= DONE:
                found = _new(Raw)
                if task <= -VERIFIED:
                    task += VERIFIED
                    found.verified = True
                found.asked, found.handed, found.measured = self.request, handed, self.measured
                found.whole, found.q = whole, whole[call.ends]
                if self.mixed is not None or task != DONE or self.anchor is not None:
                    self._noted(found, task)
                found.seconds = perf_counter() - begin
                return found
            if task != UNUSUAL:
                before = call.before
                where = begun if before is None or before.said == before.AT_START else before.q.copy()
                return self._further(begun, where, handed, whole, whole[call.first :], task, begin)
        if self.engine is not None:
            return self._solve_with_care(start, targets)
        return self.solve_as_asked(start, targets, Options())

    def _verify(self, found: Raw, begun: np.ndarray, handed: Handed | None, whole: np.ndarray) -> None:
        """Verify a solution that claims to meet everything, as the compiled call does its own."""
        check = self._check(handed is not None)
        if check is not None and check.holds(found.q, begun, whole[: 0 if handed is None else handed.first]):
            found.verified = True

    def _noted(self, found: Raw, task: int) -> None:
        """Tell an end of the quick search what it is to say, and note that this is where the run goes on."""
        found.open, found.anchor = self.open, self.anchor
        if self.mixed is None and task != DONE:  # by a closed form's start
            found.starts = 2
        if self.anchor is not None:
            self.went_on(True)

    def _solve_with_care(self, start: Any, targets: Sequence[Any] | np.ndarray | None) -> Raw:
        """Solve as by default where start or targets are not as they usually are, or no call was made yet."""
        engine = self.engine
        assert engine is not None
        if targets is not None and self.needs_own_problem(targets):
            return ways.solve_apart(self, self.request.with_all(targets), self._begun(start), Options())
        begin, begun, handed = perf_counter(), self._begun(start), None
        if targets is not None:
            whole, call = self._lay_out(begun, targets)
            block, table, handed = whole[call.first :], call.table, self.targets.handed  # type: ignore[union-attr]
            numbers = whole[: call.first]
        else:
            self.restore()
            if self._used:
                self.call_for(False)
            table, numbers = engine.table, None
            whole = block = _empty(engine.size)
        self._used = True
        where = self._begin_at(begun, numbers)
        task = engine.search(self.tell(table, begun), where, block, engine.patience, engine.elsewhere)
        block[len(block) - len(begun) :] = begun
        table[T_START] = 0
        if task > DONE:
            return self._further(begun, where, handed, whole, block, task, begin)
        if self.posture is not None:
            self.posture.note_met()
        found = self.raw(self.request, whole, begin, handed)
        self._noted(found, task)
        found.seconds = perf_counter() - begin
        return found

    def _begin_at(self, begun: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
        """Where a search begins: the start, or the posture that people take for the targets."""
        if self.posture is None:
            return begun
        said = self.posture.begin(numbers, begun, self.posture_run)
        if said == self.posture.NOT_FINITE:
            raise PoseError(_NOT_FINITE)
        return begun if said == self.posture.AT_START else self.posture.q.copy()

    def first_start(self, request: Request, begun: np.ndarray) -> np.ndarray | None:
        """Where a search begins instead of at the start; None where it begins there."""
        if self.prior is None or not np.isfinite(begun).all():
            return None
        if self.posture is not None:
            numbers = None
            if request.moved:
                assert self.targets is not None
                self.targets.mark([k in request.moved for k in range(len(self.goals))])
                self.posture.mind(self.targets)
                numbers = self.targets.numbers(request.moved)
            where = self._begin_at(begun, numbers)
            return None if where is begun else where
        near = self.prior.is_near(request.goals, begun)
        return None if near else self.prior.preferred(request.goals, begun).q

    def _further(
        self,
        begun: np.ndarray,
        where: np.ndarray,
        handed: Handed | None,
        whole: np.ndarray,
        block: np.ndarray,
        task: int,
        begin: float,
    ) -> Raw:
        """Go on where the quick search, from ``where``, did not meet everything."""
        tried, fast, engine = 0, self.fast, self.engine
        assert engine is not None
        if fast is not None and fast is self.engine and where is begun:
            starts, tried = search_beside(self.packed, self._ready(fast, begun), begun, block, task)
            if starts:
                found = self.raw(self.request, whole, begin, handed)
                found.starts = starts
                self._verify(found, begun, handed, whole)
                self._ended(False)
                return found
        request = self._with_handed(handed, whole, task)
        if fast is not None and fast is self.engine:
            own = None
            if where is not begun and task != REFUSED:
                own = ways.alone(self, request, where, Options(method="lm"))
            found = self.go_on(request, begun, where, block, task, begin, Options(), tried)
            if (
                own is not None
                and not self.reached(found)
                and own.potential <= ways.AS_GOOD * found.potential
            ):
                own.starts, own.seconds = found.starts, found.seconds
                found = own
            if where is not begun:
                found.begun_from(begun, found.began)
        else:
            failed = self.lean is None or task not in (TIDY, REPAIR)
            first = None if where is begun else where
            end = engine.ended(block)[0].copy() if task in (SLOW, FLAT, SPENT) else None
            found = ways.solve_levels(
                self, request, begun, Options(), quick_failed=failed, first=first, end=end
            )
        self._ended(False)
        return found

    def _ended(self, quickly: bool) -> None:
        if self.anchor is not None:
            self.went_on(quickly)

    def _ready(self, fast: LeastSquares, begun: np.ndarray) -> LeastSquares:
        """The search in strips, told what this solve goes on with."""
        self.tell(fast.table, begun)
        return fast

    def solve_as_asked(self, start: Any, targets: Sequence[Any] | np.ndarray | None, asked: Options) -> Raw:
        """Solve with whatever is not as by default."""
        request = self.request
        if targets is not None:
            if self.needs_own_problem(targets):
                return ways.solve_apart(self, request.with_all(targets), self._begun(start), asked)
            request = self.take(targets)
        else:
            self.restore()
        begun = np.array(self.q0) if start is None else self.problem.values(start)
        found = self._as_asked(request, begun, targets is not None, asked)
        found.time_limit = asked.time_limit
        self._ended(False)
        return found

    def _as_asked(self, request: Request, begun: np.ndarray, moved: bool, asked: Options) -> Raw:
        alone = self.engine is None or asked.method != "auto" or asked.several
        if moved and alone:
            return ways.solve_apart(self, request, begun, asked)
        if asked.dt is not None:
            from manikin.engines.velocity_limited import solve_in_time

            return solve_in_time(self, request, begun, asked)
        if asked.several:
            from manikin.engines.starts.several import several

            return several(self, begun, asked)
        first = self.first_start(request, begun) if asked.method == "auto" else None
        if self.levels is not None and asked.method in ("auto", "lm"):
            return ways.solve_levels(self, request, begun, asked, first=first)
        fast = self.fast
        if fast is None or asked.method != "auto":
            found = ways.alone(self, request, begun, asked)
            if asked.restarts:
                from manikin.engines.starts.restarts import restarted

                return restarted(self, found, asked)
            return found
        if asked.options:
            raise SolveError(f"method {asked.method!r} has no options, got {', '.join(asked.options)}")
        begin = perf_counter()
        block = _empty(fast.size)
        only_start = asked.restarts == 0 and fast.six is not None
        search, far = (fast.alone, np.inf) if only_start else (fast.search, fast.elsewhere)
        where = begun if first is None else first
        task = search(self.tell(fast.table, begun), where, block, fast.patience, far)
        found = self.go_on(request, begun, where, block, task, begin, asked)
        if first is not None:
            found.begun_from(begun, found.began)
        return found

    def go_on(
        self,
        request: Request,
        begun: np.ndarray,
        where: np.ndarray,
        block: np.ndarray,
        task: int,
        begin: float,
        asked: Options,
        tried: int = 0,
    ) -> Raw:
        """Go on by ``"auto"`` from what the search in strips ended with; tried: as of `search_on`."""
        packed, fast = self.packed, self.fast
        assert fast is not None
        self.serving = request
        starts = 1 if task == DONE else 2
        if task > DONE:
            deadline = None if asked.time_limit is None else begin + asked.time_limit
            block, starts = search_on(
                packed,
                self._ready(fast, begun),
                where,
                block,
                task,
                asked.restarts,
                asked.seed,
                deadline,
                asked.threads,
                tried,
            )
        found = self.raw(request, block, begin)
        found.starts = starts
        return found

    def raw(self, asked: Request, whole: np.ndarray, begin: float, handed: Handed | None = None) -> Raw:
        """What a search that began at this time has left, told of what was out of the ordinary."""
        found = Raw(asked, whole, self.figure.n, perf_counter() - begin, handed)
        found.measured, found.anchor = self.measured, self.anchor
        notes, self.packed.notes = self.packed.notes, None
        if notes is not None:
            found.began = notes.began
            found.seconds -= notes.loading
        return found

    def solve_sample(self, start: np.ndarray, targets: Sequence[Any] | None, restarts: int | None) -> Raw:
        """Solve one sample of a path by itself."""
        if restarts is None and self.engine is not None:
            return self._solve_with_care(start, targets)
        return self.solve_as_asked(start, targets, Options(restarts=restarts))

    def _begun(self, start: Any) -> np.ndarray:
        """The start's values as compiled code takes them."""
        if type(start) is np.ndarray and start.dtype is _FLOAT and start.shape == self.q0.shape:
            # What is read-only would be another type to Numba.
            return start if start.flags.c_contiguous and start.flags.writeable else start.copy()
        return self.q0 if start is None else self.problem.values(start)

    def rows(self) -> Levels:
        """The goals as rows in levels, with the targets of the call that goes on."""
        if self.levels is not None:
            return self.levels
        if self._rows is None:
            self._rows = self.problem.levels_for(self.request, self.q0, self.prior)
        if self._rows_serve is not self.serving:
            self._rows_serve = self.serving
            for place, (goal, known) in enumerate(zip(self.serving.goals, self._rows.goals, strict=True)):
                if goal is not known:
                    self._rows.write(place, goal, active=True)
        return self._rows

    # Verification.

    def verdict(self, raw: Raw) -> Verdict:
        """What holds of an end, whatever it says of itself (`verify`)."""
        request, meant = raw.request, raw.start if raw.anchor is None else raw.anchor
        if not self.problem.judge.fits(request):  # a target that cannot be written in place
            from manikin.verify.judge import Judge

            pose, problem = Pose(self.figure, self.q0), self.problem
            own = Judge(self.figure, pose, request.goals, problem.couplings, problem.tolerance)
            return own.verdict(raw.q, {}, meant)
        if self._judge is None:
            self._judge = self.problem.judge.twin()
        return self._judge.verdict(raw.q, request.moved, meant)

    def reached(self, raw: Raw) -> bool:
        """Whether everything is met: the search says so, and it holds."""
        return raw.verified or (raw.claims and self.verdict(raw).met)

    def row_judge(self, given: tuple[int, ...]) -> RowJudge:
        """The judge of rows of poses with targets for these goals; made when what is asked for is new."""
        known = self._row_judge
        if known is None or known[0] != given:
            from manikin.verify.rows import RowJudge

            known = self._row_judge = given, RowJudge(self.problem.judge, given)
        return known[1]
