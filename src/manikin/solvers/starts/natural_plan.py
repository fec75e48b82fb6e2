"""The natural start of a prepared problem as flat arrays, for one compiled call a solve (`kernels.natural_start`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.figure.forward import site_model
from manikin.figure.human.natural_posture import GROUPS, POINTS, SITES
from manikin.goals import Placement
from manikin.kernels import natural_start as kernel
from manikin.kernels.calls import Before
from manikin.kernels.memory.lane_tools import aligned_zeros
from manikin.kernels.memory.targets import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manikin.goals import Goal
    from manikin.goals.asked import Asked
    from manikin.solvers.methods.least_squares import LeastSquares
    from manikin.solvers.methods.mixed import Mixed
    from manikin.solvers.pack.targets import Targets
    from manikin.solvers.starts.natural import NaturalStart

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
        plan, local = _plan(asked, goals)
        low, high = engine.pulled_to
        engine.pull_base(not _holds_the_base(asked))
        plan[kernel.PULL_LOW], plan[kernel.PULL_HIGH] = low.ctypes.data, high.ctypes.data
        plan[kernel.STYLE] = -1 if start.style is None else start.style
        plan[kernel.MAY_STAY] = start.wish is None
        plan[kernel.N_VARIABLES] = len(engine.variables)
        self.own = np.zeros(NUMBERS * len(goals))
        self.asked = asked
        network, *numbers = posture.arrays
        self._arrays = (
            *numbers,
            model.structure,
            model.parameters,
            np.empty(model.work),
            plan := np.concatenate([plan, engine.variables]).astype(np.int64),
            local,
            start.moves.astype(np.int64),
            start.hangs.astype(np.int64),
            posture.learned.astype(np.int64),
            np.array(start.rest, np.float64),
            np.zeros(len(goals), np.int64),
            np.ones(len(goals), np.int64),
            self.own,
            np.zeros(2 * kernel.KEPT + kernel.GIVEN + 12),
            drag := np.zeros(kernel.DRAG),
            ankles.structure,
            ankles.parameters,
            np.empty(ankles.work),
            np.zeros(kernel.LAST * len(asked.places)),
        )
        self._pull, self._plan = (low, high), plan
        self._fine = tolerance[0] <= 0.01 * kernel.NEAR and tolerance[1] <= _FINE
        pairs = [number for a in self._arrays for number in (a.ctypes.data, a.size)]
        self._table = np.array([*pairs, 0], np.int64)
        assert len(self._table) == kernel.T_ITEMS
        self.q = np.empty(n)
        #: What the first start of a run told (`kernel.D_TOLD`), and whether its last search met everything.
        self.drag = drag
        self._network, self._work = network, aligned_zeros(posture.size, np.float32)
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
            arrays = table, self._network, self._work
            self._befores[run] = Before(
                kernel.begin_naturally, *arrays, self.q, self.drag[kernel.D_MET :], kernel.T_RUN
            )
        return self._befores[run]

    def begin(self, numbers: np.ndarray | None, start: np.ndarray, run: int) -> int:
        """Where a solve begins (`kernel.begin_naturally`); the posture is in ``q``, and what is pulled to.

        numbers: of the targets that came with the call, 16 a goal, then anything; None where there are none.
        """
        said = self.before(run).begin(_NO_NUMBERS if numbers is None else numbers, start)
        self.began_at_start = said == kernel.AT_START
        return said

    def stance(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ankles, (2, 3), the pelvis and the way it faces, as the first start of a run told."""
        told = self.drag[kernel.D_TOLD : kernel.D_MET]
        points = told[: 3 * len(POINTS)].reshape(-1, 3)
        feet = [_POINT["left_foot"], _POINT["right_foot"]]
        facing = 3 * (len(POINTS) + _DIRECTION["pelvis"])
        return points[feet].copy(), points[_POINT["pelvis"]].copy(), told[facing : facing + 3].copy()

    def note_met(self) -> None:
        """A search met everything that the last call asked for."""
        self.drag[kernel.D_MET] = 1.0

    def _take(self, goals: Sequence[Goal]) -> None:
        """Take over the goals' own targets."""
        rows = self.own.reshape(len(goals), NUMBERS)
        for k, _, _ in self.asked.places:
            goal = goals[k]
            if isinstance(goal, Placement):
                frame = rows[k].reshape(4, 4)
                frame[:3, :3], frame[:3, 3] = goal.orientation, goal.position
            else:
                rows[k, :3] = goal.target  # type: ignore[attr-defined]
        for k in self.asked.gazes:
            rows[k, :3] = goals[k].at  # type: ignore[attr-defined]
        self._plan[kernel.TRUSTS_TARGETS] = self._fine and all(
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


def _plan(asked: Asked, goals: Sequence[Goal]) -> tuple[np.ndarray, np.ndarray]:
    """The plan up to its variables, and the local numbers of its places."""
    rest = asked.posture.rest_frames
    places, local = [], []
    for row, (goal, group, site) in enumerate(asked.places):
        side = (1 if group.startswith("left") else -1) if group.endswith("wrist") else 0
        whole = isinstance(goals[goal], Placement)
        which, point, direction = _WHICH[group], _POINT[group], _DIRECTION.get(group, -1)
        places.append((goal, which, point, direction, whole, side, kernel.SITES + row))
        base, own = rest[SITES[group][0]], rest[site]
        local.append(np.concatenate([own[:3, :3].ravel(), base[:3, 3] - own[:3, 3]]))
    pins = [(goal, _WHICH[group]) for goal, group in asked.pins]
    held = [_WHICH[group] for group in asked.held]
    head = np.zeros(kernel.PLAN, np.int64)
    head[[kernel.N_PLACES, kernel.N_PINS, kernel.N_HELD, kernel.N_GAZES]] = (
        len(places),
        len(pins),
        len(held),
        len(asked.gazes),
    )
    head[[kernel.AZIMUTH, kernel.ELEVATION]] = asked.posture.eyes
    rows = [np.array(part, np.int64).ravel() for part in (places, pins, held, asked.gazes)]
    return np.concatenate([head, *rows]), np.concatenate([_NO_NUMBERS, *local])
