"""The natural start of a prepared problem as flat arrays, for one compiled call a solve (`kernels.posture`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.figure.forward import site_model
from manikin.figure.human.natural_posture import GROUPS, POINTS, SITES
from manikin.goals import Placement
from manikin.kernels.calls import Before
from manikin.kernels.memory.lane_tools import aligned_zeros
from manikin.kernels.posture import query as kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manikin.engines.least_squares import LeastSquares
    from manikin.engines.mixed import Mixed
    from manikin.goals import Goal
    from manikin.goals.asked import Asked
    from manikin.plan.natural import NaturalStart
    from manikin.plan.targets import Targets

_WHICH = {group: k for k, group in enumerate(GROUPS)}
_POINT = {group: k for k, group in enumerate(POINTS)}
#: Where the first direction of a group lies: forward, then up.
_DIRECTION = {"left_foot": 0, "right_foot": 2, "pelvis": 5}
#: The sites that tell of a start, as `kernel.ANKLE_LEFT` and the others have them.
_TELLING = ("left_ankle", "right_ankle", "head", "pelvis", "left_foot", "right_foot")
_NO_NUMBERS = np.zeros(0)
#: Radians: an orientation that is met to this tells, beside what is near, how its site is turned.
_FINE = 0.01


class NaturalPlan:
    """Which target asks for which part of the body, and where the posture goes that follows from them.

    engine: whose pull it leads.
    tolerance: of the problem: where that is small, a search that met everything tells where the sites are.
    """

    NOT_FINITE, AT_START = kernel.NOT_FINITE, kernel.AT_START

    def __init__(
        self,
        start: NaturalStart,
        engine: LeastSquares | Mixed,
        goals: Sequence[Goal],
        tolerance: tuple[float, float],
    ) -> None:
        asked, posture = start.asked, start.asked.posture
        n = asked.figure.n
        model = site_model(asked.figure, (*_TELLING, *(site for _, _, site in asked.places)))
        ankles = site_model(asked.figure, _TELLING[:2])
        low, high = engine.pulled_to
        engine.pull_base(not _holds_the_base(asked))
        arrays = _allocate(asked, len(goals), len(engine.variables))
        #: What is asked, and what one call leaves for the next (`kernel.Query`).
        self.query = query = kernel.sections(kernel.Query, *arrays)
        query.style[...] = -1 if start.style is None else start.style
        query.azimuth[...], query.elevation[...] = posture.eyes
        query.may_stay[...] = start.wish is None
        query.pull_low[...], query.pull_high[...] = low.ctypes.data, high.ctypes.data
        query.variable[:] = engine.variables
        query.moves[:], query.hangs[:], query.learned[:] = start.moves, start.hangs, posture.learned
        query.rest[:] = start.rest
        _write_asked(query, asked, goals)
        #: What the first start of a run told: all that a session's copy takes over.
        self.drag = query.drag
        self.asked = asked
        self._arrays = (
            *posture.arrays,
            *(model.structure, model.parameters, np.empty(model.work)),
            *(ankles.structure, ankles.parameters, np.empty(ankles.work)),
            *arrays,
            np.zeros(len(goals), np.int64),
        )
        self._pull = low, high
        self._fine = tolerance[0] <= 0.01 * kernel.NEAR and tolerance[1] <= _FINE
        pairs = [number for a in self._arrays for number in (a.ctypes.data, a.size)]
        self._table = np.array([*pairs, 0], np.int64)
        self.q = np.empty(n)
        self._weights, self._work = posture.weights, aligned_zeros(posture.size, np.float32)
        self._befores: dict[int, Before] = {}
        self.began_at_start = False
        self._take(goals)

    def mind(self, targets: Targets) -> None:
        """Let calls bring targets: which goals have some is told there."""
        self._marks = targets.given
        for table in (self._table, *(before.table for before in self._befores.values())):
            table[kernel.T_MARKS] = self._marks.ctypes.data

    def before(self, run: int) -> Before:
        """What begins a search that goes on with so much of those before it (`memory.path`)."""
        if run not in self._befores:
            table = self._table.copy()
            table[kernel.T_RUN] = run
            arrays = table, self._weights, self._work
            self._befores[run] = Before(kernel.posture_start, *arrays, self.q, self.query.met, kernel.T_RUN)
        return self._befores[run]

    def begin(self, numbers: np.ndarray | None, start: np.ndarray, run: int) -> int:
        """Where a solve begins (`kernel.posture_start`); the posture is in ``q``, and what is pulled to.

        numbers: of the targets that came with the call, 16 a goal, then anything; None where there are none.
        """
        said = self.before(run).begin(_NO_NUMBERS if numbers is None else numbers, start)
        self.began_at_start = said == kernel.AT_START
        return said

    def stance(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ankles, (2, 3), the pelvis and the way it faces, as the first start of a run told."""
        told = self.drag
        points = told[: 3 * len(POINTS)].reshape(-1, 3)
        feet = [_POINT["left_foot"], _POINT["right_foot"]]
        facing = 3 * (len(POINTS) + _DIRECTION["pelvis"])
        return points[feet].copy(), points[_POINT["pelvis"]].copy(), told[facing : facing + 3].copy()

    def note_met(self) -> None:
        """A search met everything that the last call asked for."""
        self.query.met[0] = 1.0

    def _take(self, goals: Sequence[Goal]) -> None:
        """Take over the goals' own targets."""
        rows = self.query.own
        for k, _, _ in self.asked.places:
            goal = goals[k]
            if isinstance(goal, Placement):
                frame = rows[k].reshape(4, 4)
                frame[:3, :3], frame[:3, 3] = goal.orientation, goal.position
            else:
                rows[k, :3] = goal.target  # type: ignore[attr-defined]
        for k in self.asked.gazes:
            rows[k, :3] = goals[k].at  # type: ignore[attr-defined]
        self.query.trusts_targets[...] = self._fine and all(
            _minds_all(goals[k]) for k, _, _ in self.asked.places
        )


def _minds_all(goal: Goal) -> bool:
    """Whether a place that is met is where its target is, and turned as that is."""
    if not isinstance(goal, Placement):
        return goal.weight > 0.0  # type: ignore[attr-defined]
    return goal.weight > 0.0 and 0.0 < goal.position_share < 1.0 and sum(a > 0.0 for a in goal.axes) > 1


def _holds_the_base(asked: Asked) -> bool:
    """Whether goals say where feet or pelvis are, or those cannot move."""
    told = {group for _, group, _ in asked.places} | {group for _, group in asked.pins} | set(asked.held)
    return bool(told & {"left_foot", "right_foot", "pelvis"})


def _allocate(asked: Asked, goals: int, variables: int) -> list[np.ndarray]:
    counts = (len(asked.places), len(asked.pins), len(asked.held), len(asked.gazes), goals)
    return kernel.allocate(dict(enumerate((*counts, asked.figure.n, variables))))


def _write_asked(query: Any, asked: Asked, goals: Sequence[Goal]) -> None:
    """Places, pins, what stands and what is looked at."""
    rest = asked.posture.rest_frames
    for k, (goal, group, site) in enumerate(asked.places):
        query.goal[k], query.group[k], query.point[k] = goal, _WHICH[group], _POINT[group]
        query.direction[k], query.whole[k] = _DIRECTION.get(group, -1), isinstance(goals[goal], Placement)
        query.side[k] = (1 if group.startswith("left") else -1) if group.endswith("wrist") else 0
        base, own = rest[SITES[group][0]], rest[site]
        query.local[k] = *own[:3, :3].ravel(), *(base[:3, 3] - own[:3, 3])
    query.pinned[:] = [_WHICH[group] for _, group in asked.pins]
    query.standing[:] = [_WHICH[group] for group in asked.held]
    query.gaze[:] = asked.gazes
