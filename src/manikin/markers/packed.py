"""A figure, its markers and its sensors in the flat arrays that the kernels of `kernels.tracking` read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Figure, forward, transforms
from manikin.figure.joints import KINDS
from manikin.kernels.tracking import layout
from manikin.kernels.tracking.track import OUT_MISSES
from manikin.kernels.tree.layout import sections as tree_sections
from manikin.markers.marker_sets import MarkerSet


@dataclass(frozen=True, eq=False)
class Sensor:
    """A sensor of orientation on a segment: `rotation` 3×3, its axes in the segment's frame."""

    segment: str
    rotation: np.ndarray
    weight: float = 1.0


class Packed:
    """The arrays, and what their entries mean.

    variables: the coordinates that move, in order; dofs without consequence and those held stay where they are.
    motions: of the figure's tree, those that the model has; where given, no others and no loops, and it stands on what
    carries the first of them.
    """

    def __init__(
        self,
        figure: Figure,
        markers: MarkerSet,
        sensors: Mapping[str, Sensor],
        held: Iterable[int] = (),
        prior: np.ndarray | None = None,
        motions: np.ndarray | None = None,
    ) -> None:
        self.figure = figure
        self.labels, self.sensors = tuple(markers), tuple(sensors)
        places = [_carried(figure, m.segment, None, m.position) for m in markers.values()]
        places += [_carried(figure, s.segment, s.rotation, None) for s in sensors.values()]
        loops = figure.loops if motions is None else ()
        ends = [forward.carried_site(figure, end) for loop in loops for end in (loop.site, loop.other)]
        kinds = [loop.kind for loop in loops]
        _refuse_unheld(figure, kinds)
        model = forward.packed_model(figure, [*places, *ends], motions=motions)
        self.structure, self.parameters, self.motions = model.structure, model.parameters, model.motions
        flat, _, _ = tree_sections(model.structure, model.parameters.copy())
        moves, values = len(flat.parent) - 1, len(flat.offset)
        self.variables = self._choose(flat, set(held), prior)
        place = np.full(figure.n, -1)
        place[self.variables] = np.arange(len(self.variables))
        entries = [
            (int(k), int(place[j]), float(c))
            for k, j, c in zip(flat.drive_axis, flat.drive_dof, flat.drive_coefficient, strict=True)
            if place[j] >= 0
        ]
        entries.sort(key=lambda entry: entry[0])
        rows = self._rows(place)
        drives = np.bincount([entry[1] for entry in entries], minlength=len(self.variables))
        carrier = np.repeat(np.arange(len(flat.kind)), np.maximum(flat.size, 1))[1:]
        begin = np.full(len(self.variables), moves + 1)
        for k, variable, _ in entries:
            begin[variable] = min(begin[variable], carrier[k])
        shared = np.flatnonzero(drives > 1)
        shared = shared[np.argsort(begin[shared], kind="stable")]
        counts = {
            layout.VARIABLES: len(self.variables),
            layout.POINTS: len(self.labels),
            layout.SENSORS: len(self.sensors),
            layout.ROWS: len(rows),
            layout.ENTRIES: len(entries),
            layout.PAIRS: len(kinds),
            layout.PAIR_ROWS: sum(6 if kind == "placement" else 3 for kind in kinds),
            layout.SHARED: len(shared),
        }
        self.ints, self.reals, size = layout.allocate(counts, values, moves)
        track = layout.sections(self.ints, self.reals, values, moves)
        self.track, self.coupled, self._sizes = track, rows, (values, moves)
        track.dof[:] = self.variables
        track.first[:] = np.searchsorted([entry[0] for entry in entries], np.arange(values + 1))
        track.variable[:] = [entry[1] for entry in entries]
        track.share[:] = [entry[2] for entry in entries]
        track.shared[:] = shared
        track.begin[:] = begin[shared]
        track.many[:] = -1
        track.many[shared] = np.arange(len(shared))
        track.last[:] = self._reach(flat, track)
        track.up[:] = self._above(flat, track)
        track.lone[:] = self._alone(flat, track)
        track.turn[:] = self._turns(flat, track)
        sites = len(self.labels) + len(self.sensors)
        track.near[:] = sites + 2 * np.arange(len(kinds))
        track.far[:] = track.near + 1
        track.whole[:] = [kind == "placement" for kind in kinds]
        track.lower[:], track.upper[:] = figure.lower[self.variables], figure.upper[self.variables]
        for r, (row, low, high, _) in enumerate(rows):
            track.A[r], track.low[r], track.high[r] = row, low, high
        if prior is not None:
            track.prior[:] = prior[self.variables]
        self.work, self.scratch = np.empty(model.work), np.zeros(size)
        self.wide = 3 * len(self.labels) + 9 * len(self.sensors)
        self.reported = OUT_MISSES + sites

    def _choose(self, flat: object, held: set[int], prior: np.ndarray | None) -> np.ndarray:
        """The coordinates that move something that is followed, or are tied to such a one by a coupling."""
        figure = self.figure
        chosen = set(np.unique(flat.drive_dof).tolist())  # type: ignore[attr-defined]
        index = {name: k for k, name in enumerate(figure.dofs)}
        ties = [{index[name] for name in c.coefficients} for c in figure.couplings if c.equality]
        growing = True
        while growing:
            growing = False
            for tie in ties:
                if tie & chosen and not tie <= chosen:
                    chosen |= tie
                    growing = True
        single = {j for j in range(figure.n) if figure.lower[j] == figure.upper[j]}
        return np.array(sorted(chosen - held - single), dtype=np.int64)

    def _rows(self, place: np.ndarray) -> list[tuple[np.ndarray, float, float, dict[int, float]]]:
        """The couplings among variables: coefficients, ends, and those of coordinates that do not move."""
        rows = []
        index = {name: k for k, name in enumerate(self.figure.dofs)}
        for coupling in self.figure.couplings:
            row, rest = np.zeros(int((place >= 0).sum())), {}
            for name, c in coupling.coefficients.items():
                if place[index[name]] >= 0:
                    row[place[index[name]]] += c
                else:
                    rest[index[name]] = c
            if row.any():
                rows.append((row, coupling.lower, coupling.upper, rest))
        return rows

    def _reach(self, flat: object, track: layout.Tracking) -> np.ndarray:
        """The last variable with which each has a second derivative: one moves what carries an axis of the other."""
        parent, size, axis = flat.parent, flat.size, flat.axis  # type: ignore[attr-defined]
        last = np.arange(len(self.variables))
        above: list[set[int]] = [set()]
        for i in range(1, len(parent)):
            width = size[i]
            drivers = track.variable[track.first[axis[i]] : track.first[axis[i] + width]].tolist()
            above.append(above[parent[i]] | set(drivers))
            for a in drivers:
                for b in above[i]:
                    last[min(a, b)] = max(last[min(a, b)], a, b)
        return last

    def _above(self, flat: object, track: layout.Tracking) -> np.ndarray:
        """Of each motion the nearest one above with a variable that drives nothing else; 0 for none."""
        parent, size, axis = flat.parent, flat.size, flat.axis  # type: ignore[attr-defined]
        up = np.zeros(len(parent), np.int64)
        moves = np.zeros(len(parent), bool)
        for i in range(1, len(parent)):
            width = size[i]
            drivers = track.variable[track.first[axis[i]] : track.first[axis[i] + width]]
            moves[i] = (track.many[drivers] < 0).any()
            up[i] = parent[i] if moves[parent[i]] else up[parent[i]]
        return up

    def _alone(self, flat: object, track: layout.Tracking) -> np.ndarray:
        """Of each motion of one axis the variable that drives it one to one, and nothing else; −1 for none."""
        size, axis = flat.size, flat.axis  # type: ignore[attr-defined]
        lone = np.full(len(size), -1)
        for i in range(1, len(size)):
            first, last = track.first[axis[i]], track.first[axis[i] + 1]
            if size[i] == 1 and last == first + 1 and track.share[first] == 1.0:
                variable = track.variable[first]
                lone[i] = variable if track.many[variable] < 0 else -1
        return lone

    def _turns(self, flat: object, track: layout.Tracking) -> np.ndarray:
        """The first variable of every rotation vector that is driven one to one and has no limits."""
        turn = np.full(len(flat.parent), -1)  # type: ignore[attr-defined]
        kinds = list(KINDS.values())
        for i in range(1, len(turn)):
            k = int(flat.axis[i])  # type: ignore[attr-defined]
            if kinds[flat.kind[i]].vector != 3:  # type: ignore[attr-defined]
                continue
            spans = [range(track.first[k + b], track.first[k + b + 1]) for b in range(3)]
            if any(len(span) != 1 or track.share[span[0]] != 1.0 for span in spans):
                continue
            variables = [int(track.variable[span[0]]) for span in spans]
            free = np.isinf(self.figure.lower[self.variables[variables]]).all()
            if free and variables == list(range(variables[0], variables[0] + 3)):
                turn[i] = variables[0]
        return turn

    def hold(self, q: np.ndarray) -> None:
        """Let the couplings' ends mean the coordinates that do not move where they are in q."""
        for r, (_, low, high, rest) in enumerate(self.coupled):
            away = sum(c * q[j] for j, c in rest.items())
            self.track.low[r], self.track.high[r] = low - away, high - away

    def share(self, reals: np.ndarray) -> None:
        """Go on with these numbers, a part of a larger array, in place of its own."""
        self.reals = reals
        self.track = layout.sections(self.ints, reals, *self._sizes)

    def copy(self) -> Packed:
        """The same with a workspace of its own, for another thread."""
        other = object.__new__(Packed)
        other.__dict__.update(
            self.__dict__, work=np.empty_like(self.work), scratch=np.zeros_like(self.scratch)
        )
        return other

    def limit(self, lower: np.ndarray, upper: np.ndarray) -> None:
        """Other ranges for the variables."""
        self.track.lower[:], self.track.upper[:] = lower, upper

    def carrying_all(self) -> np.ndarray:
        """Mask of the variables that move every marker and sensor: those of the root."""
        flat, _, _ = tree_sections(self.structure, self.parameters.copy())
        count = np.zeros(len(self.variables), np.int64)
        sites = len(self.labels) + len(self.sensors)
        for s in range(sites):
            moved: set[int] = set()
            i = int(flat.site_motion[s])
            while i > 0:
                k, width = int(flat.axis[i]), int(flat.size[i])
                first, last = self.track.first[k], self.track.first[k + width]
                moved.update(self.track.variable[first:last].tolist())
                i = int(flat.parent[i])
            count[list(moved)] += 1
        return count == sites


def _refuse_unheld(figure: Figure, kinds: Sequence[str]) -> None:
    """A SolveError for loops of these kinds, or cones, that cannot be kept."""
    if any(kind not in ("position", "placement") for kind in kinds):
        raise SolveError(
            f"figure {figure.name!r}: a loop of kind 'hinge' or 'orientation' cannot be held while markers are "
            "followed; only 'position' and 'placement' can"
        )
    if figure.cones:
        raise SolveError(
            f"figure {figure.name!r}: its cones cannot be kept while markers are followed; take "
            "figure.with_polygons()"
        )


def _carried(
    figure: Figure, segment: str, rotation: np.ndarray | None, position: Sequence[float] | np.ndarray | None
) -> forward.Carried:
    placement = np.eye(4)
    if rotation is not None:
        placement[:3, :3] = rotation
    if position is not None:
        placement[:3, 3] = position
    motion, frame = figure.carried(segment, placement)
    return motion, transforms.pack(frame)
