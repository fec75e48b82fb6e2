"""A problem packed for the searches: all that a solve reads and writes, for one thread at a time.

A `Problem` is what is asked for and never changes; it keeps a few of these and lends one to each solve. A solve leaves
nothing behind that another one would see: whatever a search goes on with is said by `run` (`engines.run`), which is
fresh for a solve by itself. A `Session` keeps one for itself, and with it the memory of its run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.auto import missed, solve
from manikin.engines.calls import Calls
from manikin.engines.mixed import anchored
from manikin.engines.packing import levels_for
from manikin.engines.raw import Raw, Told
from manikin.engines.run import Run
from manikin.errors import PoseError
from manikin.figure import Pose
from manikin.goals import Placement
from manikin.goals.request import Request
from manikin.kernels.calls import UNUSUAL, VERIFIED
from manikin.kernels.memory.path import ANCHORED, FRESH, ON_PATH, T_RUN, T_START
from manikin.kernels.memory.state import DONE
from manikin.plan.columns import has_columns
from manikin.plan.natural import natural_start
from manikin.plan.options import USUAL, Options
from manikin.plan.packing import pack
from manikin.plan.targets import level_targets, plain_targets

if TYPE_CHECKING:
    from manikin.engines.lean import Lean
    from manikin.engines.least_squares import LeastSquares
    from manikin.engines.mixed import Mixed
    from manikin.engines.natural_plan import NaturalPlan
    from manikin.engines.packed_levels import Levels
    from manikin.plan.packing import Packed
    from manikin.plan.specification import Specification
    from manikin.plan.targets import Handed, Targets
    from manikin.verify.judge import Judge
    from manikin.verify.rows import RowJudge
    from manikin.verify.verdict import Verdict

_empty, _new = np.empty, object.__new__
_FLOAT = np.dtype(np.float64)


class Work:
    """What a problem asks for, packed.

    packed: figure and plain goals, or the rows of its levels. fast: the search in strips, where the goals are plain.
    levels: the goals as rows in levels, where they are not, with `mixed`, the search over them, which is that of
    `lean` where objectives are left out. engine: which of the two answers by one compiled call; None where that takes
    more. posture: what leads a human there. told: what the searches' reports are about.
    """

    def __init__(self, spec: Specification) -> None:
        self.spec, self.figure, self.goals, self.q0 = spec, spec.figure, spec.goals, spec.values(spec.q0)
        self.request = self.serving = Request(spec.goals, {})
        self.levels: Levels | None = None
        self.fast: LeastSquares | None = None
        self.mixed: Mixed | None = None
        self.lean: Lean | None = None
        self.engine: LeastSquares | Mixed | None = None
        self.posture: NaturalPlan | None = None
        self.prior = natural_start(spec, spec.goals)
        if not (spec.classic and self._pack_plain()):
            self._pack_levels()
        if self.prior is not None:  # what no goal depends on stays as it is in the start
            moves = np.zeros(self.figure.n, bool)
            moves[self.packed.variables] = True
            self.prior.moves = moves
            if self.engine is not None:
                from manikin.engines.natural_plan import NaturalPlan

                self.posture = NaturalPlan(self.prior, self.engine, self.goals, spec.tolerance)
        self._rows_serve: Request | None = None
        self._row_judge: tuple[tuple[int, ...], RowJudge] | None = None
        make_targets: Callable[[], Targets]
        if self.fast is not None:
            make_targets = partial(plain_targets, self.packed, self.goals, self.parts, self.first_part)
        else:
            assert self.levels is not None
            make_targets = partial(level_targets, self.levels, self.lean)
        self.calls: Calls = Calls(spec, self.engine, self.posture, make_targets)

    @property
    def run(self) -> Run:
        """What the next solve goes on with."""
        return self.calls.run

    @run.setter
    def run(self, run: Run) -> None:
        if run is not self.calls.run:
            self.calls.follow(run)

    def _pack_plain(self) -> bool:
        """Pack plain goals for the search in strips; False where it does not serve: no goal depends on what is free, or
        more than ranges and linear constraints limits it, or what moves them follows a curve.
        """
        spec, figure = self.spec, self.figure
        self.parts = [goal.parts() for goal in self.goals]
        self.first_part = np.cumsum([0, *(len(parts) for parts in self.parts)]).tolist()
        packed: Packed = pack(spec, self.parts)
        self.packed = packed
        if not (packed.parts and len(packed.variables)) or figure.cones or figure.loops:
            return False
        if not has_columns(packed.sections.tree)[packed.sections.parts.motion].all():
            return False
        from manikin.engines.least_squares import LeastSquares

        self.fast = self.engine = LeastSquares(packed)
        self.fast.rows = self.rows
        allowed = dict(zip(("m", "rad"), spec.tolerance, strict=True))
        self.told = Told(
            self.request,
            [(place, part.unit, allowed[part.unit]) for place, own in enumerate(self.parts) for part in own],
        )
        goal = self.goals[0]
        # Of a robot's arm of six hinges that is asked for its place alone the closed form comes first. It knows no
        # linear constraints.
        if len(self.goals) == 1 and isinstance(goal, Placement) and not self.fast.has_rows:
            from manikin.engines.starts.six_axis_seeds import six_hinges_of

            six = six_hinges_of(spec, goal.site, packed.variables)
            if six is not None:
                self.fast.begin_by(six, packed)
                self.fast.mind_whole_place(all(goal.axes))
        return True

    def _pack_levels(self) -> None:
        """Pack for the search over rows of every kind, and for the careful descent."""
        from manikin.engines.lean import lean_of

        levels = self.levels = levels_for(self.spec, self.goals, self.q0, self.prior)
        if not self.spec.classic:
            self.packed = levels.packed
        simple = not levels.functions and all(len(choices) == 1 for choices in levels.choices)
        quick = simple and levels.mixed.pull.complete
        self.lean = lean_of(self.spec, levels) if quick else None
        self.mixed = levels.mixed if self.lean is None else self.lean.mixed
        self.engine = self.mixed if quick else None
        measured = levels.measured((0,) * len(levels.choices))
        self.told = Told(self.request, measured, () if self.lean is None else self.lean.open)

    @cached_property
    def turns(self) -> np.ndarray:
        """Which coordinates are angles, (n,)."""
        figure = self.figure
        return np.array([figure.dof(name).unit == "rad" for name in figure.dofs], bool)

    @property
    def targets(self) -> Targets:
        """Where targets lie, for calls that bring some."""
        return self.calls.targets

    # A run of solves.

    def anchor_at(self, anchor: np.ndarray, on_path: bool = False, stance: bool = False) -> None:
        """From now on what is kept means where it is in this pose, until `release`; stance: the posture's stays."""
        engine, search, follows = self.engine, FRESH, on_path and self.engine is self.mixed
        if engine is None or not engine.anchors:
            search = ANCHORED
        elif anchored(engine, anchor):
            search = ON_PATH if follows else ANCHORED
        posture = min(self.run.posture, ANCHORED) if stance else FRESH
        self.run = Run(search, posture, anchor, on_path, follows)

    def release(self) -> None:
        """Each solve by itself again."""
        self.run = Run()

    @contextmanager
    def anchored(self, begun: np.ndarray) -> Iterator[None]:
        """Several solves that answer one call from ``begun``, with one anchor: that of the run, if it is in one."""
        before, anchored = self.run, self.run.anchor is not None
        self.anchor_at(before.meaning(begun), on_path=not anchored, stance=anchored)
        if anchored:
            self.run = replace(self.run, objectives=begun)
        try:
            yield
        finally:
            if before.anchor is None:
                self.release()
            else:
                self.anchor_at(before.anchor, before.on_path, stance=True)
                self.run = self.run.cooled()

    def anchor_rows(self, search: Mixed, begun: np.ndarray) -> None:
        """Let a search over rows of its own mean what a solve from ``begun`` does, and go on with nothing else."""
        anchored(search, self.run.meaning(begun))
        search.table[T_RUN], search.table[T_START] = ANCHORED, self.run.objectives_start(begun).ctypes.data
        if search is self.mixed:
            self.run = self.run.cooled()

    def tell(self, table: np.ndarray, begun: np.ndarray) -> np.ndarray:
        """A search's table that says what this solve goes on with, and the start that was given."""
        run = self.run
        table[T_RUN] = run.search
        given = run.meaning(begun) if run.search == FRESH else begun
        table[T_START] = (given if run.objectives is None else run.objectives).ctypes.data
        return table

    # Solving.

    def solve(self, start: Any, targets: Sequence[Any] | np.ndarray | None, asked: Options = USUAL) -> Raw:
        """Solve: mostly by one call of compiled code."""
        begin, calls, handed = perf_counter(), self.calls, None
        if targets is None:
            call = calls.alone
            if calls.written:
                calls.restore()
        else:
            call = calls.with_targets
        if call is None or not (asked is USUAL or asked.usual):
            return solve(self, start, targets, asked)
        if targets is not None:
            handed = calls.targets.handed
            if calls.written is not handed.which:
                calls.restore(handed.which)
        begun: Any = self.q0 if start is None else start
        whole = _empty(call.size)
        task = call.follow(call.spec, begun, targets, whole)
        if task == UNUSUAL:
            return solve(self, start, targets, asked)
        if task > DONE:
            before = call.before
            where = begun if before is None or before.said == before.AT_START else before.q.copy()
            return missed(self, begun, where, begin, whole, handed, task, asked)
        found = _new(Raw)
        if task <= -VERIFIED:
            task += VERIFIED
            found.verified = True
        found.told, found.handed, found.whole, found.q = self.told, handed, whole, whole[call.ends]
        if task != DONE and self.fast is not None:  # by a closed form's start
            found.starts = 2
        if calls.anchored:
            found.anchor = calls.run.anchor
            self.run = calls.run.went_on(True)
        found.seconds = perf_counter() - begin
        return found

    def begun(self, start: Any) -> np.ndarray:
        """The start's values as compiled code takes them."""
        if type(start) is np.ndarray and start.dtype is _FLOAT and start.shape == self.q0.shape:
            # What is read-only would be another type to Numba.
            return start if start.flags.c_contiguous and start.flags.writeable else start.copy()
        return self.q0 if start is None else self.spec.values(start)

    def begin_at(self, begun: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
        """Where a search begins: the start, or the posture that people take for the targets."""
        if self.posture is None:
            prior = self.prior
            if prior is None or not np.isfinite(begun).all() or prior.is_near(self.goals, begun):
                return begun
            return prior.preferred(self.goals, begun).q
        said = self.posture.begin(numbers, begun, self.run.posture)
        if said == self.posture.NOT_FINITE:
            raise PoseError("the start has values that are not finite, or beyond 1e9")
        return begun if said == self.posture.AT_START else self.posture.q.copy()

    def raw(self, asked: Request, whole: np.ndarray, begin: float, handed: Handed | None = None) -> Raw:
        """What a search that began at this time has left, told of what was out of the ordinary."""
        told = self.told if asked is self.request else Told(asked, self.told.measured)
        found = Raw(told, whole, self.figure.n, perf_counter() - begin, handed)
        found.anchor = self.run.anchor
        notes, self.packed.notes = self.packed.notes, None
        if notes is not None:
            found.began = notes.began
            found.seconds -= notes.loading
        return found

    def rows(self) -> Levels:
        """The goals as rows in levels, with the targets of the call that goes on."""
        if self.levels is not None:
            return self.levels
        rows = self._rows
        if self._rows_serve is not self.serving:
            self._rows_serve = self.serving
            for place, (goal, known) in enumerate(zip(self.serving.goals, rows.goals, strict=True)):
                if goal is not known:
                    rows.write(place, goal, active=True)
        return rows

    @cached_property
    def _rows(self) -> Levels:
        self._rows_serve = self.request
        return levels_for(self.spec, self.goals, self.q0, self.prior)

    # Verification.

    @cached_property
    def _judge(self) -> Judge:
        return self.spec.judge.twin()

    def verdict(self, raw: Raw) -> Verdict:
        """What holds of an end, whatever it says of itself (`verify`)."""
        request, meant = raw.request, raw.start if raw.anchor is None else raw.anchor
        if self._judge.fits(request):
            return self._judge.verdict(raw.q, request.moved, meant)
        from manikin.verify.judge import Judge

        spec = self.spec  # a target that cannot be written in place
        own = Judge(spec.figure, Pose(spec.figure, spec.q0), request.goals, spec.couplings, spec.tolerance)
        return own.verdict(raw.q, {}, meant)

    def reached(self, raw: Raw) -> bool:
        """Whether everything is met: the search says so, and it holds."""
        return raw.verified or (raw.claims and self.verdict(raw).met)

    def row_judge(self, given: tuple[int, ...]) -> RowJudge:
        """The judge of rows of poses with targets for these goals; made when what is asked for is new."""
        known = self._row_judge
        if known is None or known[0] != given:
            from manikin.verify.rows import RowJudge

            known = self._row_judge = given, RowJudge(self.spec.judge, given)
        return known[1]
