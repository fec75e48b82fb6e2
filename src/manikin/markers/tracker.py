"""Follows markers and sensors with a figure: one frame a call, or a whole capture."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import ManikinWarning, PoseError, SolveError
from manikin.figure import Figure, Pose, checks
from manikin.kernels.tracking.thorough import follow_thorough
from manikin.kernels.tracking.track import EMPTY, OUT_MISSES, OUT_STATUS, OUT_STEPS, OUT_TOTAL, follow
from manikin.markers.charts import Charts
from manikin.markers.marker_sets import MarkerSet
from manikin.markers.packed import Packed, Sensor
from manikin.markers.parts import Parts

if TYPE_CHECKING:
    from manikin.markers.markers import Markers
    from manikin.markers.sensors import Sensors
    from manikin.markers.tracked import Tracked

#: The most steps that a frame may take.
MOST_STEPS = 100
#: Frames that a thread follows before the next block, warm-started by the frame before it.
BLOCK = 256
#: Of the ways to turn the root at the first frame, how many are followed further; the most poses that the best is begun
#: from (`_enough`).
_ROOTS, _STARTS = 3, 24
#: With multistart, how often a limb is tried from elsewhere at a frame, and of how many poses drawn the best is
#: taken for it.
_TRIES, _DRAWS = 1, 2
_TURN = 2.0 * np.pi


class Tracker:
    """A figure that follows markers and sensors.

    Σ w ‖p − x‖² over the markers seen, Σ w θ² over the sensors, Σ w (q − target)² over coordinate tasks is least
    at every frame, inside the figure's ranges and linear couplings, with its loops closed. A marker that is NaN in a
    frame counts nothing there.

    markers: where they sit; a MarkerSet.
    sensors: a name to a `Sensor`, an orientation on a segment; weights in metres² a radian² beside markers'.
    weights: of some markers or sensors, by name, instead of their own; 0 leaves one out.
    tasks: coordinates that are pulled, by name: a weight, or a pair (weight, value); the value is at rest where not
    given. fixed: names or patterns of degrees of freedom that stay as the start has them.
    rest: a weight with which every coordinate but the root's is pulled to rest: it decides what markers leave open.
    multistart: at every frame, whether to look for a pose that fits better elsewhere: limbs and trunk as they were
        in the frame before, limbs from the other end of ranges that hold them and from poses drawn anew, the trunk bent
        the other way. It finds lower sums of squares where markers hardly determine a coordinate, at the price of jumps
        there and of some twice the time.
    """

    def __init__(
        self,
        figure: Figure,
        markers: MarkerSet | None = None,
        *,
        sensors: Mapping[str, Sensor] | None = None,
        weights: Mapping[str, float] | None = None,
        tasks: Mapping[str, float | tuple[float, float]] | None = None,
        fixed: Any = (),
        rest: float = 0.0,
        multistart: bool = False,
    ) -> None:
        self.figure, self.multistart = figure, bool(multistart)
        self.markers = MarkerSet({}) if markers is None else markers
        self.markers.check(figure)
        self.sensors = dict(sensors or {})
        for name, sensor in self.sensors.items():
            if sensor.segment not in figure.segments:
                raise PoseError(
                    f"sensor {name!r}: figure {figure.name!r} has no segment {sensor.segment!r}; "
                    f"{checks.near(sensor.segment, figure.segments)}"
                )
        if not self.markers and not self.sensors:
            raise SolveError("a tracker needs markers or sensors to follow; it got neither")
        held = figure.select(fixed).tolist() if fixed else []
        prior, self._wish = self._tasks(dict(tasks or {}), rest)
        self._packed = Packed(figure, self.markers, self.sensors, held, prior)
        self._parts = (
            Parts(self._packed, self.markers, self.sensors, held, prior) if self.multistart else None
        )
        self._weights = self._weighed(dict(weights or {}))
        self._root = self._packed.carrying_all()
        wraps = np.array([figure.dof(figure.dofs[j]).wraps for j in self._packed.variables], bool)
        self._turning = self._packed.variables[wraps]
        self._charts = Charts(figure, self._packed.variables)
        self._limits = figure.lower[self._packed.variables], figure.upper[self._packed.variables]
        self.q = np.array(figure.rest)
        self._shown = self.q.copy()
        self._begun = False
        packed = self._packed
        self._targets = np.empty((1, packed.wide))
        self._report = np.empty((1, packed.reported))
        self._out = np.empty((1, figure.n))
        self._wished = np.ascontiguousarray(self._wish[packed.variables])[None]
        self._frame = 0
        self._hold()

    def _tasks(self, tasks: dict[str, Any], rest: float) -> tuple[np.ndarray, np.ndarray]:
        figure = self.figure
        prior, wish = np.zeros(figure.n), np.array(figure.rest)
        if rest < 0.0 or not np.isfinite(rest):
            raise SolveError(f"rest must be a weight of 0 or more, got {rest!r}")
        prior[:] = rest
        prior[: {"free": 6, "planar": 3}.get(figure.base, 0)] = 0.0
        for name, entry in tasks.items():
            weight, value = entry if isinstance(entry, tuple) else (entry, None)
            j = figure.index(name)
            prior[j] = checks.number(weight, f"task {name!r}: weight")
            if prior[j] < 0.0:
                raise SolveError(f"task {name!r}: the weight must not be negative, got {weight!r}")
            if value is not None:
                wish[j] = checks.number(value, f"task {name!r}: value")
        return prior, wish

    def _weighed(self, weights: dict[str, float]) -> np.ndarray:
        known = (*self.markers, *self.sensors)
        own = {name: m.weight for name, m in self.markers.items()}
        own |= {name: sensor.weight for name, sensor in self.sensors.items()}
        for name in weights:
            if name not in known:
                raise SolveError(f"weights: no marker or sensor {name!r}; {checks.near(name, known)}")
        found = [checks.number(weights.get(name, own[name]), f"weight of {name!r}") for name in known]
        if min(found) < 0.0:
            raise SolveError(f"weights must not be negative, got {min(found):g}")
        return np.array(found)

    @property
    def labels(self) -> tuple[str, ...]:
        """The markers, in the order in which `follow` takes them."""
        return self._packed.labels

    @property
    def variables(self) -> tuple[str, ...]:
        """The degrees of freedom that are solved for."""
        return tuple(self.figure.dofs[j] for j in self._packed.variables)

    def begin(self, start: Any) -> None:
        """Go on from these values or this pose, and not from where the last frame ended."""
        pose = start if isinstance(start, Pose) else self.figure.pose(start)
        self.q = np.array(pose.q)
        self._shown = self.q.copy()
        self._hold()
        if self._parts is not None:
            self._parts.forget()
        self._begun, self._frame = True, 0

    def follow(self, positions: Any = None, rotations: Any = None) -> np.ndarray:
        """The values that fit one frame best, from where the last one ended; the array is written again by the next.

        positions: (markers, 3), in the order of `labels`, NaN for what is not seen. rotations: (sensors, 3, 3).
        """
        row, points = self._targets[0], 3 * len(self.labels)
        if points:
            row[:points].reshape(-1, 3)[:] = positions
        if self.sensors:
            row[points:].reshape(-1, 3, 3)[:] = rotations
        if np.isinf(row).any():
            raise PoseError("a marker or sensor is infinite; NaN stands for what is not seen")
        if not self._begun:
            self._find_start(self._targets)
        self._run(
            self._ways,
            self.q,
            self._targets,
            self._wished,
            self._out,
            self._report,
            first=self._frame,
            shown=self._shown,
        )
        self._frame += 1
        return self._out[0]

    @property
    def _ways(self) -> Packed | Parts:
        """What frames are followed with: the whole figure, or its parts too."""
        return self._parts or self._packed

    def _hold(self) -> None:
        """Let the couplings' ends mean the coordinates that do not move where they are."""
        self._ways.hold(self.q)

    @property
    def misses(self) -> np.ndarray:
        """How far each marker (metres), then each sensor (radians), was off in the last frame; NaN where not seen."""
        found = self._report[0, OUT_MISSES:]
        return np.where(found < 0.0, np.nan, found)

    @property
    def cost(self) -> float:
        """The weighted sum of squares of the last frame."""
        return float(self._report[0, OUT_TOTAL])

    def _run(
        self,
        packed: Packed | Parts,
        q: np.ndarray,
        targets: np.ndarray,
        wish: np.ndarray,
        out: np.ndarray,
        report: np.ndarray,
        most: int = MOST_STEPS,
        first: int = 0,
        shown: np.ndarray | None = None,
    ) -> None:
        """Follow frames, by parts where they are given; ``first``: how many frames came before.

        shown: how the pose before was written, and then the last one is; q goes on as the search left it, so that
        frames one by one end where they do together.
        """
        rows = (q, targets.ravel(), self._weights, wish.ravel(), out.ravel(), report.ravel(), len(targets))
        if isinstance(packed, Parts):
            before = q.copy() if shown is None else shown
            follow_thorough(
                *packed.arrays, packed.buffer, packed.table, *rows, most, _TRIES, _DRAWS, 1 + first
            )
            # Poses drawn anew may be written otherwise, or be whole turns away, which no marker sees.
            self._charts.near(out, before)
            turning = self._turning
            turns = np.diff(out[:, turning], axis=0, prepend=before[None, turning])
            out[:, turning] -= _TURN * np.cumsum(np.rint(turns / _TURN), axis=0)
            before[:] = out[-1] if len(out) else before
            q[turning] -= _TURN * np.rint((q - before)[turning] / _TURN)
            return
        follow(
            packed.structure,
            packed.parameters,
            packed.work,
            packed.ints,
            packed.reals,
            packed.scratch,
            *rows,
            most,
        )

    def _find_start(self, targets: np.ndarray) -> None:
        """Fit the first frame: the root alone from several turns, the best of them further with all joints."""
        packed, figure = self._packed, self.figure
        lower, upper = self._limits
        rest = np.clip(np.array(figure.rest), figure.lower, figure.upper)
        out, report = np.empty((1, figure.n)), np.empty((1, packed.reported))
        places = packed.variables[self._root]
        turns = [j for j in places if figure.dof(figure.dofs[j]).unit == "rad"]
        ends: list[tuple[float, np.ndarray]] = []
        for angles in _turns(len(turns)):
            q = rest.copy()
            q[turns] = np.clip(angles, figure.lower[turns], figure.upper[turns])
            fixed_low, fixed_high = q[packed.variables].copy(), q[packed.variables].copy()
            fixed_low[self._root], fixed_high[self._root] = lower[self._root], upper[self._root]
            packed.limit(fixed_low, fixed_high)
            self._run(packed, q, targets, self._wished, out, report)
            ends.append((float(report[0, OUT_TOTAL]), q.copy()))
        packed.limit(lower, upper)
        found: list[tuple[float, np.ndarray]] = []
        rng = np.random.default_rng(1)
        free = packed.variables[~self._root]
        low, high = figure.lower[free], figure.upper[free]
        low, high = np.where(np.isfinite(low), low, -1.0), np.where(np.isfinite(high), high, 1.0)
        roots = [root for _, root in sorted(ends, key=lambda end: end[0])[:_ROOTS]]
        for attempt in range(len(roots) + _STARTS - 1):
            if attempt < len(roots):
                q = roots[attempt].copy()
            elif _enough([total for total, _ in found]):
                break
            else:
                q = roots[0].copy()
                q[free] = low + (high - low) * rng.uniform(0.25, 0.75, len(free))
            self._run(packed, q, targets, self._wished, out, report)
            found.append((float(report[0, OUT_TOTAL]), self._unwound(q)))
        # Of those that fit alike, as two ways to write one turn do, the nearest to rest.
        least = min(total for total, _ in found)
        alike = [q for total, q in found if _alike(total, least)]
        self.q[:] = min(alike, key=lambda q: float(np.abs(q - rest)[packed.variables].sum()))
        self._shown[:] = self.q
        self._begun = report[0, OUT_STATUS] != EMPTY

    def _unwound(self, q: np.ndarray) -> np.ndarray:
        """Rotations written the way that is nearer to rest, turns without limits within half a turn of it."""
        figure = self.figure
        self._charts.near(q[None], np.array(figure.rest))
        wraps = np.array([figure.dof(name).wraps for name in figure.dofs])
        away = np.where(wraps, q - figure.rest, 0.0)
        return q - np.where(wraps, 2.0 * np.pi * np.round(away / (2.0 * np.pi)), 0.0)

    def track(
        self,
        markers: Markers | None = None,
        sensors: Sensors | None = None,
        *,
        start: Any = None,
        values: Mapping[str, Any] | None = None,
        threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> Tracked:
        """Follow a whole capture.

        markers: those of the tracker's labels that it has are followed, others ignored; one that it lacks is a gap.
        sensors: orientations over the same times.
        start: a pose or values for the first frame; by default it is found.
        values: of fixed coordinates or tasks, by name, one a frame: what a fixed one has, what a task pulls towards.
        threads: blocks of frames go to this many threads, each begun at the first frame of its block anew.
        progress: called with the frames done and how many there are; what it raises ends the tracking.
        """
        from manikin.markers.tracked import Tracked

        times, targets = self._gather(markers, sensors)
        frames, n = len(times), self.figure.n
        begin = perf_counter()
        if start is not None:
            self.begin(start)
        first = int(np.argmax(~np.isnan(targets).all(axis=1))) if frames else 0
        if not self._begun and frames:
            self._find_start(targets[first : first + 1])
        wish, given = self._given(values, frames)
        out, report = np.empty((frames, n)), np.empty((frames, self._packed.reported))
        if given:
            self._frame_by_frame(targets, wish, given, out, report)
        elif threads > 1 and frames > 2 * BLOCK:
            self._on_threads(targets, wish, out, report, threads)
        else:
            for at in range(0, frames, BLOCK):
                here = slice(at, min(at + BLOCK, frames))
                rows = targets[here], wish[here], out[here], report[here]
                self._run(self._ways, self.q, *rows, first=at, shown=self._shown)
                if progress is not None:
                    progress(here.stop, frames)
        return Tracked(self, times, out, report, perf_counter() - begin, markers, sensors)

    def _gather(self, markers: Markers | None, sensors: Sensors | None) -> tuple[np.ndarray, np.ndarray]:
        """Times, and the targets of every frame."""
        if markers is None and sensors is None:
            raise SolveError("track: give markers, sensors, or both")
        times = (markers if markers is not None else sensors).times  # type: ignore[union-attr]
        frames, points = len(times), 3 * len(self.labels)
        targets = np.full((frames, self._packed.wide), np.nan)
        if markers is not None:
            shared = [(k, markers.index(label)) for k, label in enumerate(self.labels) if label in markers]
            if self.labels and not shared:
                raise SolveError(
                    f"track: none of the figure's markers is in {markers.name!r}, which has "
                    f"{', '.join(markers.labels[:8])}…; rename one or the other"
                )
            self._tell_few(len(shared), markers)
            cells = targets[:, :points].reshape(frames, -1, 3)
            for k, column in shared:
                cells[:, k] = markers.positions[:, column]
        if sensors is not None:
            if len(sensors.times) != frames or not np.allclose(sensors.times, times, atol=1e-6):
                raise SolveError("track: markers and sensors must be of the same times; resample one of them")
            cells = targets[:, points:].reshape(frames, -1, 9)
            for k, name in enumerate(self.sensors):
                if name in sensors.labels:
                    cells[:, k] = sensors[name].reshape(frames, 9)
        return times, targets

    def _tell_few(self, shared: int, markers: Markers) -> None:
        """Refuse a capture with fewer than three markers of a set that has more, and warn where it has but few of both:
        then the set is likely another one's."""
        known, measured = len(self.labels), len(markers.labels)
        said = f"track: {shared} of the {measured} labels of {markers.name!r} are among the figure's {known} markers"
        if shared < 3 < known:
            raise SolveError(f"{said}; name another marker set, or rename one or the other")
        if 2 * shared < measured and 3 * shared < known:
            warnings.warn(f"{said}; the others are not followed", ManikinWarning, stacklevel=4)

    def _given(
        self, values: Mapping[str, Any] | None, frames: int
    ) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """What tasks pull towards, frame by frame, and the values of coordinates that do not move."""
        variables = self._packed.variables.tolist()
        wish = np.broadcast_to(self._wished, (frames, len(variables)))
        given: dict[int, np.ndarray] = {}
        for name, column in (values or {}).items():
            j, column = self.figure.index(name), np.asarray(column, dtype=np.float64)
            if column.shape != (frames,) or not np.isfinite(column).all():
                raise SolveError(f"values of {name!r}: {frames} finite numbers, one a frame, are wanted")
            if j in variables:
                if not wish.flags.writeable:
                    wish = wish.copy()
                wish[:, variables.index(j)] = column
            else:
                given[j] = column
        return np.ascontiguousarray(wish), given

    def _frame_by_frame(
        self, targets: np.ndarray, wish: np.ndarray, given: dict[int, np.ndarray], out: Any, report: Any
    ) -> None:
        for f in range(len(targets)):
            for j, column in given.items():
                self.q[j] = column[f]
            self._hold()
            here = slice(f, f + 1)
            rows = targets[here], wish[here], out[here], report[here]
            self._run(self._ways, self.q, *rows, first=f, shown=self._shown)

    def _on_threads(self, targets: Any, wish: Any, out: Any, report: Any, threads: int) -> None:
        """Blocks side by side: first their first frames, one after the other, then each from its own on."""
        starts = list(range(0, len(targets), BLOCK))
        begun = []
        for at in starts:
            here = slice(at, at + 1)
            rows = targets[here], wish[here], out[here], report[here]
            self._run(self._ways, self.q, *rows, 4 * MOST_STEPS, at, self._shown)
            begun.append((self.q.copy(), self._shown.copy()))

        def block(at: int, ends: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
            here = slice(at, min(at + BLOCK, len(targets)))
            q, shown = ends
            rows = targets[here], wish[here], out[here], report[here]
            self._run(self._ways.copy(), q, *rows, first=at, shown=shown)
            return q, shown

        with ThreadPoolExecutor(threads) as pool:
            self.q[:], self._shown[:] = list(pool.map(block, starts, begun))[-1]


def _alike(total: float, other: float) -> bool:
    """Whether one sum of squares is no more than another, but for rounding."""
    return total <= other * (1.0 + 1e-5) + 1e-12


def _enough(totals: list[float]) -> bool:
    """Whether a first frame need not be begun from further poses.

    So it is where the markers are met exactly, and where what n starts ended at, w minima that differ, are all that can
    be expected: w (n − 1)/(n − w − 2) of them, if all were equally easy to find (Boender and Rinnooy Kan 1987), are
    fewer than w + ½. One minimum is believed after 7 starts, two after 16; of three there are never enough.
    """
    ordered = sorted(totals)
    if ordered[0] <= 1e-12:
        return True
    n, w = len(totals), 1 + sum(not _alike(b, a) for a, b in pairwise(ordered))
    return n > w + 2 and w * (n - 1) < (w + 0.5) * (n - w - 2) + 1e-9


def _turns(count: int) -> list[np.ndarray]:
    """Where the angles of a root begin: at 0, and spread over the circle, the same every time."""
    if count == 0:
        return [np.zeros(0)]
    rng = np.random.default_rng(0)
    return [np.zeros(count), *rng.uniform(-np.pi, np.pi, (15, count))]


def steps_of(report: np.ndarray) -> np.ndarray:
    """How many steps each frame took."""
    return report[:, OUT_STEPS].astype(np.int64)
