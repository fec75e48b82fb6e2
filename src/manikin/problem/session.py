"""A run of solves of one problem: a drag, a stream, a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Pose
from manikin.kernels.memory.path import FRESH
from manikin.plan.options import USUAL, SolveOptions, checked_options
from manikin.problem.problem import Problem
from manikin.result.solution import Solution
from manikin.result.solutions import Solutions

if TYPE_CHECKING:
    from manikin.plan.specification import Start


@dataclass(frozen=True, eq=False)
class Stance:
    """Where a person stands in a run of solves, in metres and unit vectors of the world.

    feet: the ankles, (2, 3), left first. pelvis: its centre, (3,). facing: the way that the pelvis faces, (3,).
    """

    feet: np.ndarray
    pelvis: np.ndarray
    facing: np.ndarray


class Session:
    """A run of solves of one problem.

    A problem's solve is a function of its arguments. A session adds what a run has to remember, all of it readable:

    anchor: the pose that `Pin`, `Relative` without a goal and a base that no goal places mean. Where the session began,
        unless given; a solve never moves it, so nothing drifts, and what one solve loses a later one recovers. Setting
        it anchors anew from the next solve on.
    q: where the next solve begins: the end of the last one, reached or not. Setting it moves the figure, not the
        anchor.
    stance: of a human, the feet, pelvis and facing that its posture is asked for: those of the first start; they come
        along when a target goes farther than 0.4 of stature from them. None for other figures, and before the first
        solve.

    `LeastChange`, `KineticEnergy`, `LeastTime` and `Effort` mean the start of each solve; along a `path` the anchor. A
    call that raises changes nothing. One thread uses a session at a time; any number of sessions share one problem.
    The same problem, start and sequence of calls give the same bits. `cool` forgets what held the last step, which
    speeds up the next and changes it by rounding only; copies and pickles are cool.
    """

    def __init__(self, problem: Problem, q0: Start | None = None, *, anchor: Start | None = None) -> None:
        if not isinstance(problem, Problem):
            raise SolveError(f"a session is of a Problem, got {problem!r}")
        self._problem = problem
        self._work = problem.lend()
        self._q = problem.spec.finite(q0)
        self._anchor = self._q if anchor is None else problem.spec.finite(anchor)
        self._work.anchor_at(self._anchor)

    def __del__(self) -> None:
        work = self.__dict__.get("_work")
        if work is not None:
            work.release()
            self._problem.give_back(work)

    @property
    def problem(self) -> Problem:
        """What is solved."""
        return self._problem

    @property
    def q(self) -> np.ndarray:
        """Where the next solve begins, (n,), read-only."""
        q = self._q.view()
        q.flags.writeable = False
        return q

    @q.setter
    def q(self, q0: Start) -> None:
        self._q = self._problem.spec.finite(q0)
        self.cool()

    @property
    def anchor(self) -> Pose:
        """The pose that what is kept means."""
        return Pose(self._problem.figure, self._anchor)

    @anchor.setter
    def anchor(self, anchor: Start) -> None:
        self._anchor = self._problem.spec.finite(anchor)
        self._work.anchor_at(self._anchor)

    @property
    def stance(self) -> Stance | None:
        """Where a person stands for the posture; None for other figures, and before the first solve."""
        posture = self._work.posture
        told = None if posture is None or self._work.run.posture == FRESH else posture.stance()
        return None if told is None else Stance(*told)

    def solve(
        self,
        targets: Sequence[Any] | np.ndarray | None = None,
        *,
        start: Start | None = None,
        **options: Unpack[SolveOptions],
    ) -> Solution:
        """Solve from where the run is, and go on from there; targets and options as of `Problem.solve`.

        start: where this solve begins instead; the anchor stays.
        """
        work = self._work
        begun = self._q
        if start is not None:
            begun = self._problem.spec.finite(start)
            self.cool()
        try:
            found = work.solve(begun, targets, checked_options(**options) if options else USUAL)
        except BaseException:
            self.cool()
            raise
        self._q = found.q
        return Solution(self._problem, found)

    def path(self, targets: Any, *, restarts: int | None = None) -> Solutions:
        """Solve for a whole path of targets in one call, each sample from the last one's end (`Problem.solve_path`)."""
        from manikin.engines.path import solve_path

        work = self._work
        before = work.run.posture
        work.anchor_at(self._anchor, on_path=True, stance=True)
        try:
            found = solve_path(work, targets, np.array(self._q), restarts)
        except BaseException:
            work.run = work.run.cooled(before)
            raise
        finally:
            work.anchor_at(self._anchor, stance=True)
            self.cool()
        if len(found.q):
            self._q = np.array(found.q[-1])
        return self._problem.along(found, self._anchor)

    def replace(self, **changes: Any) -> Session:
        """A session of the problem with other arguments (`Problem.replace`), at the same pose with the same anchor."""
        return Session(self._problem.replace(**changes), self._q, anchor=self._anchor)

    def reset(self, q0: Start | None = None) -> None:
        """Begin again at another pose, by default where the problem does: anchor and stance anew."""
        self._q = self._anchor = self._problem.spec.finite(q0)
        self._work.anchor_at(self._anchor)

    def cool(self) -> None:
        """Forget what held the last step."""
        self._work.run = self._work.run.cooled()

    def copy(self) -> Session:
        """Another session at the same pose, with the same anchor and stance."""
        other = Session(self._problem, self._q, anchor=self._anchor)
        mine, its = self._work.posture, other._work.posture
        if mine is not None and its is not None:
            its.drag[:] = mine.drag
            other._work.run = other._work.run.cooled(self._work.run.posture)
        return other

    __copy__ = copy

    def __getstate__(self) -> dict[str, Any]:
        posture = self._work.posture
        drag = None if posture is None else posture.drag.copy()
        return {
            "problem": self._problem,
            "q": np.array(self._q),
            "anchor": np.array(self._anchor),
            "drag": drag,
            "posture_run": self._work.run.posture,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["problem"], state["q"], anchor=state["anchor"])  # type: ignore[misc]
        if state["drag"] is not None and self._work.posture is not None:
            self._work.posture.drag[:] = state["drag"]
            self._work.run = self._work.run.cooled(state["posture_run"])

    def __repr__(self) -> str:
        return f"Session({self._problem!r})"
