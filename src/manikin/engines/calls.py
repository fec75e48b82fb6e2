"""The compiled calls of one problem: a start and targets as users have them, searched and verified in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.run import Run
from manikin.errors import SolveError
from manikin.goals.request import Request
from manikin.goals.target import shape_of
from manikin.kernels.memory.path import FRESH, T_RUN, T_START

if TYPE_CHECKING:
    from manikin.engines.least_squares import LeastSquares
    from manikin.engines.mixed import Mixed
    from manikin.engines.natural_plan import NaturalPlan
    from manikin.engines.raw import Raw
    from manikin.kernels.calls import Call, Check
    from manikin.plan.specification import Specification
    from manikin.plan.targets import Targets

_NO_NUMBERS = np.zeros(0)


class Calls:
    """One call for each way that a run goes on (`Run`), with targets and without, made when it is first needed.

    run: where the run stands; anchored: whether it is in one.
    alone, with_targets: those for this; None where they are not made, or none can be.
    written: the goals whose targets in the packed arrays are those of a call.
    used: whether something was solved: a problem that is solved once does not verify within the call.
    """

    def __init__(
        self,
        spec: Specification,
        engine: LeastSquares | Mixed | None,
        posture: NaturalPlan | None,
        make_targets: Callable[[], Targets],
    ) -> None:
        self.spec, self.engine, self.posture, self._make_targets = spec, engine, posture, make_targets
        self.written: tuple[int, ...] = ()
        self.used = False
        self._calls: dict[tuple[int, int, bool], Call | None] = {}
        self._checks: dict[tuple[bool, bool], Check | None] = {}
        self.run, self.anchored = Run(), False
        self.alone: Call | None = None
        self.with_targets: Call | None = None

    @cached_property
    def targets(self) -> Targets:
        """Where targets lie, for calls that bring some."""
        return self._make_targets()

    def follow(self, run: Run) -> None:
        """Have the calls of this run at hand."""
        if run.anchor is not self.run.anchor:
            self._calls = {key: call for key, call in self._calls.items() if key[0] == FRESH}
            self._checks = {key: check for key, check in self._checks.items() if not key[1]}
        self.run, self.anchored = run, run.anchor is not None
        # A start that could not be anchored at is said with every search.
        usual = run.search != FRESH or run.anchor is None
        self.alone, self.with_targets = (
            self._calls.get((run.search, run.posture, with_targets)) if usual else None
            for with_targets in (False, True)
        )

    def get(self, with_targets: bool) -> Call | None:
        """The call of a solve as by default; None where that is more than one search."""
        if not self.used:
            return self._made(with_targets, verifies=False)
        key = self.run.search, self.run.posture, with_targets
        if key not in self._calls:
            self._calls[key] = self._made(with_targets)
            self.follow(self.run)
        return self._calls[key]

    def _made(self, with_targets: bool, verifies: bool = True) -> Call | None:
        from manikin.kernels.calls import Call

        engine, posture, given = self.engine, self.posture, None
        shapes: Sequence[tuple[int, ...] | None] = ()
        if engine is None:
            return None
        table = engine.table.copy()
        if with_targets:
            table, shapes, given = self.targets.in_call(table), self.targets.shapes, self.targets.given
            if posture is not None:
                posture.mind(self.targets)
        table[T_RUN], table[T_START] = self.run.search, 0
        before = None if posture is None else posture.before(self.run.posture)
        check = self.check(with_targets) if verifies else None
        n, size = self.spec.figure.n, engine.size
        return Call(
            engine.search, table, engine.patience, engine.elsewhere, n, size, shapes, given, before, check
        )

    def check(self, with_targets: bool) -> Check | None:
        """What verifies the end of a search as part of its call; None where a target cannot be told to it."""
        key = with_targets, self.run.search != FRESH
        if key not in self._checks:
            self._checks[key] = self._made_check(*key)
        return self._checks[key]

    def holds(self, found: Raw, begun: np.ndarray) -> bool:
        """Whether it is verified that everything holds of an end."""
        with_targets = bool(found.told.asked.moved) or found.handed is not None
        check = self.check(with_targets)
        if check is None or not with_targets:
            return check is not None and check.holds(found.q, begun, _NO_NUMBERS)
        if found.handed is None:
            return check.holds(found.q, begun, self.targets.numbers(found.told.asked.moved))
        return check.holds(found.q, begun, found.whole[: found.handed.first])

    @cached_property
    def _checked(self) -> Any:
        from manikin.verify.one import Checked

        return Checked(self.spec.judge)

    def _made_check(self, with_targets: bool, anchored: bool) -> Check | None:
        from manikin.kernels.calls import Check
        from manikin.kernels.verify.one import check_pose

        given = None
        if with_targets:
            brought = [k for k, shape in enumerate(self.targets.shapes) if shape is not None]
            if not self._checked.takes(brought):
                return None
            given = self.targets.given
        anchor = self.run.anchor if anchored else None
        if anchor is not None:
            self._checked.place(anchor)
        return Check(check_pose, self._checked.table_for(given), anchor)

    # Targets.

    def lay_out(self, begun: np.ndarray, targets: Any) -> tuple[np.ndarray, Call]:
        """Targets before a block that a search is to fill, and its call."""
        call, known = self.get(True), self.targets
        assert call is not None
        usual = known.usual(self.spec.goals, targets)
        self.restore(known.handed.which)
        whole = np.empty(call.size)
        if not call.hand_over(call.spec, begun, usual, whole):
            raise SolveError(f"targets: they cannot be handed over: {targets!r}")
        return whole, call

    def can_write(self, targets: Sequence[Any] | np.ndarray) -> bool:
        """Whether each target can be written where the search reads it: not of an orientation that minds two axes."""
        shapes, goals = self.targets.shapes, self.spec.goals
        return len(targets) != len(goals) or not any(
            target is not None and here is None and shape_of(goal) is not None
            for target, here, goal in zip(targets, shapes, goals, strict=True)
        )

    def write(self, request: Request, targets: Sequence[Any] | np.ndarray) -> Request:
        """Write the targets of one call into the packed arrays; the request with them."""
        # Whatever happens, those are to be restored.
        self.restore(tuple(k for k, shape in enumerate(self.targets.shapes) if shape is not None))
        taken = self.targets.take(self.spec.goals, targets)
        self.restore(tuple(taken))
        return request.with_targets(taken)

    def restore(self, moved: tuple[int, ...] = ()) -> None:
        """The goals' own targets where calls had others, but for those that move now."""
        old, self.written = self.written, moved
        if old != moved and "targets" in self.__dict__:
            self.targets.restore(self.spec.goals, [k for k in old if k not in moved])
