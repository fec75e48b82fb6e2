"""A limb that moves what carries it: the closed form and the carrier in turns (`kernels.limb.carried`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.closed_form import arm_target
from manikin.closed_form.carried_newton import CarriedNewton
from manikin.closed_form.limb import Limb, carrier_of, place_carrier, rail_of
from manikin.errors import FigureError
from manikin.figure.pose import Pose
from manikin.kernels.limb import carried as kernel, limb as entries
from manikin.kernels.limb.fixed import ROOM as FIXED_ROOM

if TYPE_CHECKING:
    from manikin.closed_form.arm import Arm

# Swivel angles of a search, and of the finer one where it finds nothing; how many starts the first takes.
_GRID, _FINE, _FEW = 36, 72, 6
# Of a search, the angles next to one that is asked for.
_NEIGHBOURS = 3
# Rounds where the solution is chosen anew in each.
_ROUNDS, _SETTLED = 60, 1e-13
# The same where each round looks for the nearest values, radians.
_NEARLY = 1e-8
# A solve's end is polished to the first, and is none where it is farther than the second.
_ARRIVED, _STRAY = 1e-12, 1e-2


class Carried:
    """The moving carrier of one limb, and where its searches begin."""

    def __init__(self, pose: Pose, limb: Limb) -> None:
        if limb.virtual >= 0:
            raise FigureError(
                f"figure {pose.figure.name!r}: the limb that ends at {limb.site!r} has six angles and moves "
                "what carries it; only limbs of seven are solved so"
            )
        self.limb = limb
        self.rail = rail_of(pose, limb)
        self.spec = limb.spec.copy()
        self.room = np.empty(kernel.ROOM)
        self.starts = self._starts(pose)
        self._pose = pose

    def _starts(self, pose: Pose) -> np.ndarray:
        """The pose, and the carrier's extremes: each angle that moves it at several places of its range."""
        figure, places = pose.figure, self.limb.places
        now = np.clip(pose.q[places], figure.lower[places], figure.upper[places])
        hinges = self.rail[kernel.HINGE_AT :].reshape(-1, kernel.HINGE_LENGTH)
        movers = np.flatnonzero(hinges[:, 13:].any(axis=0))
        low, high = figure.lower[places], figure.upper[places]
        low, high = np.where(np.isfinite(low), low, -pi), np.where(np.isfinite(high), high, pi)
        rows = [now]
        grids = np.meshgrid(*([np.array([0.3, 0.7, 0.5, 0.1, 0.9])] * len(movers)), indexing="ij")
        for shares in np.stack([grid.ravel() for grid in grids], axis=1):
            row = now.copy()
            row[movers] = low[movers] + shares * (high - low)[movers]
            rows.append(row)
        return np.array(rows)

    def solve_all(self, targets: np.ndarray, phis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Solutions (N, 8, 7) of N targets, each at its φ, and how many each has."""
        out = np.empty((len(targets), kernel.FAMILIES, 7))
        counts = np.empty(len(targets), dtype=np.int64)
        targets = np.ascontiguousarray(targets)
        kernel.settle_all(self.spec, self.rail, targets, phis, self.starts, self.room, out, counts)
        return out, counts

    def solve_at(self, target: np.ndarray, phi: float) -> np.ndarray:
        """The solutions (k, 7) at φ that rounds and Newton's method come to from many seeds."""
        return CarriedNewton(self).at_swivel(target, phi, self.soon_at(target, phi))

    def solve_each(self, targets: np.ndarray, phis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `solve_at` for N targets: solutions (N, k, 7), NaN where a target has fewer, and how many each has."""
        found = [self.solve_at(target, float(phi)) for target, phi in zip(targets, phis, strict=True)]
        counts = np.array([len(rows) for rows in found], dtype=np.int64)
        out = np.full((len(found), max(counts.max(initial=0), kernel.FAMILIES), 7), np.nan)
        for i, rows in enumerate(found):
            out[i, : len(rows)] = rows
        return out, counts

    def soon_at(self, target: np.ndarray, phi: float) -> np.ndarray:
        """Solutions (k, 7) at φ, of each family one; where the usual starts find none, from those that a search finds
        next to it.
        """
        rows, counts = self.solve_all(target[None], np.array([phi]))
        if counts[0]:
            return rows[0, : counts[0]]
        for count, thorough in ((_GRID, False), (_FINE, True)):
            phis, met, found = self._sweep(target, count, self.starts[:_FEW], thorough=thorough)
            away = np.abs((phis - phi + pi) % (2.0 * pi) - pi)
            near = [
                found[family, k]
                for family in range(kernel.FAMILIES)
                for k in np.argsort(away)[:_NEIGHBOURS]
                if met[family, k] == 2
            ]
            if near:
                usual, self.starts = self.starts, np.array(near)
                try:
                    rows, counts = self.solve_all(target[None], np.array([phi]))
                finally:
                    self.starts = usual
                if counts[0]:
                    break
        return rows[0, : counts[0]]

    def families(self, target: np.ndarray) -> dict[int, np.ndarray]:
        """The intervals of φ of each family that has any."""
        found = self._search(target, _GRID, self.starts[:_FEW], thorough=False)
        return found or self._search(target, _FINE, self.starts[:_FEW], thorough=True)

    def _search(
        self, target: np.ndarray, count: int, starts: np.ndarray, *, thorough: bool
    ) -> dict[int, np.ndarray]:
        phis, met, rows = self._sweep(target, count, starts, thorough=thorough)
        return {
            family: self._stretches(target, family, phis, met[family] == 2, rows[family])
            for family in range(kernel.FAMILIES)
            if (met[family] == 2).any()
        }

    def _sweep(
        self, target: np.ndarray, count: int, starts: np.ndarray, *, thorough: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Swivel angles all round, what each family has there, and its values."""
        phis = -pi + 2.0 * pi * (np.arange(count) + 0.5) / count
        met = np.zeros((kernel.FAMILIES, count), dtype=np.int64)
        rows = np.empty((kernel.FAMILIES, count, 7))
        kernel.sweep(self.spec, self.rail, target, phis, starts, self.room, met, rows, thorough)
        return phis, met, rows

    def _stretches(
        self, target: np.ndarray, family: int, phis: np.ndarray, met: np.ndarray, rows: np.ndarray
    ) -> np.ndarray:
        """Stretches of neighbours that have a solution, their ends sharpened; one over ±π begins below −π."""
        count = len(phis)
        if met.all():
            return np.array([[-pi, pi]])
        step = 2.0 * pi / count
        found = []
        for k in np.flatnonzero(met & ~np.roll(met, 1)):
            length = 1
            while met[(k + length) % count]:
                length += 1
            low, high = phis[k], phis[k] + (length - 1) * step
            last = (k + length - 1) % count
            low = self._edge(target, family, low, low - step, rows[k])
            high = self._edge(target, family, high, high + step, rows[last])
            if high > pi:
                low, high = low - 2.0 * pi, high - 2.0 * pi
            found.append((low, high))
        return np.array(sorted(found))

    def _edge(self, target: np.ndarray, family: int, inner: float, outer: float, row: np.ndarray) -> float:
        start = row.reshape(1, 7).copy()
        return float(kernel.edge(self.spec, self.rail, target, family, inner, outer, start, self.room))

    def by_solve(self, arm: Arm, target: np.ndarray) -> np.ndarray:
        """The values (1, 7) where a solve of the limb ends, polished to rounding; none (0, 7) where it misses.

        Where the limb is nearly stretched, or its swing nearly π, the search of swivel angles may find nothing.
        """
        from manikin.closed_form.arm_verdict import solution

        found = solution(arm, target)
        q, places = found.q.copy(), self.limb.places
        figure = self._pose.figure
        lower, upper = figure.lower[places], figure.upper[places]
        free = np.ones(len(places), bool)  # what a step would take out of its range stays on the end
        for _ in range(_ROUNDS):
            pose = Pose(figure, q)
            now = pose.matrix(self.limb.site)
            turn = 0.5 * np.cross(now[:3, :3].T, target[:3, :3].T).sum(axis=0)
            away = np.concatenate([target[:3, 3] - now[:3, 3], turn])
            if np.abs(now - target).max() < _ARRIVED:
                return q[places][None]
            if np.abs(away).max() > _STRAY:
                break
            step = np.zeros(len(places))
            step[free] = np.linalg.lstsq(pose.jacobian(self.limb.site)[:, places[free]], away, rcond=1e-9)[0]
            wanted = q[places] + step
            q[places] = np.clip(wanted, lower, upper)
            free &= q[places] == wanted
        return np.empty((0, 7))

    def solve_fixed(self, target: np.ndarray, place: int, value: float) -> np.ndarray:
        """The solutions (k, 7) with one coordinate at a value that Newton's method comes to from many seeds."""
        return CarriedNewton(self).at_fixed(target, place, value)

    def all_round(self, target: np.ndarray, *, thorough: bool) -> tuple[np.ndarray, np.ndarray]:
        """Which families (8, k) have a solution at swivel angles all round, and its values (8, k, 7)."""
        count = _FINE if thorough else _GRID
        _phis, met, rows = self._sweep(target, count, self.starts[:_FEW], thorough=thorough)
        return met == 2, rows

    def solve_position(
        self, arm: Arm, position: np.ndarray, near: np.ndarray | Sequence[float], swivel: float | None
    ) -> np.ndarray:
        """As `Arm.solve_position`, round by round."""
        from manikin.closed_form.arm_tracker import ArmTracker
        from manikin.kernels.limb import position as limb_position

        track = ArmTracker(arm, near).limb
        phi = None if swivel is None else arm_target.number(swivel, "the swivel")
        begun = arm_target.values(near, -1)
        before = track.spec.copy()

        def step(spec: np.ndarray, q: np.ndarray, out: np.ndarray) -> int:
            spec[entries.BEFORE : entries.BEFORE + 7] = before[entries.BEFORE : entries.BEFORE + 7]
            if phi is None:
                return int(limb_position.place(spec, track.rigid, position, track.space, out))
            return int(limb_position.place_at(spec, track.rigid, position, phi, track.space, out))

        found = self._by_rounds(step, [begun] if phi is None else None, _NEARLY)
        if phi is not None:
            return found
        return self._polished(found[0], position) if len(found) else np.empty(0)

    def _polished(self, q: np.ndarray, position: np.ndarray) -> np.ndarray:
        """The values with the last digits of the site's place put right: shortest steps, inside the ranges."""
        figure, places = self._pose.figure, self.limb.places
        whole = self._pose.q.copy()
        for _ in range(3):
            whole[places] = q
            pose = Pose(figure, whole)
            away = position - pose.position(self.limb.site)
            step = np.linalg.lstsq(pose.jacobian(self.limb.site)[:3, places], away, rcond=1e-9)[0]
            q = np.clip(q + step, figure.lower[places], figure.upper[places])
        return q

    def _by_rounds(
        self,
        step: Callable[[np.ndarray, np.ndarray, np.ndarray], int],
        starts: Any = None,
        settled: float = _SETTLED,
    ) -> np.ndarray:
        """Distinct solutions that carrier and closed form come to in turns, the solution nearest to the last in
        each.
        """
        spec, out = self.limb.spec.copy(), np.empty((FIXED_ROOM, 7))
        found: list[np.ndarray] = []
        for start in self.starts if starts is None else starts:
            self.place_at(spec, start)
            for first in out[: step(spec, start, out)].copy():
                q = first
                for _ in range(_ROUNDS):
                    self.place_at(spec, q)
                    count = step(spec, q, out)
                    if count == 0:
                        break
                    last, q = q, out[int(np.argmin(((out[:count] - q) ** 2).sum(axis=1)))].copy()
                    if np.abs(q - last).max() < settled:
                        if not any(np.abs(q - other).max() < 1e-9 for other in found):
                            found.append(q)
                        break
        return np.array(found).reshape(-1, 7)

    def place_at(self, spec: np.ndarray, q: np.ndarray) -> None:
        """Let the numbers of the limb be as seen from where its carrier is at these values."""
        whole = self._pose.q.copy()
        whole[self.limb.places] = q
        place_carrier(spec, carrier_of(Pose(self._pose.figure, whole), self.limb))
