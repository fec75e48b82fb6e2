"""The curve of a motion: C² in every coordinate, inside ranges, cones and couplings between the keys too."""

from __future__ import annotations

import numpy as np

from manikin.errors import PoseError
from manikin.figure.figure import Figure
from manikin.motion import bezier, quaternions as quat, series
from manikin.motion.columns import Columns, charted, columns_of
from manikin.motion.hull import held_inside
from manikin.motion.leaning import leaning_series
from manikin.motion.slopes import slopes
from manikin.motion.spheres import Sphere, sphere

# Of the motion's length: a time this far beyond an end is rounding.
_SLACK = 1e-9


class Curve:
    """A C² curve through keys (T, n) of a figure; `at` gives its values and derivatives.

    It passes through every key. Where the keys are inside a range, a cone or a linear coupling, so is the whole curve;
    where a key is outside, the curve is so near it only. Of a joint with a cone off centre, ranges of its swing tighter
    than the box around the cone, and couplings of its swing, are held at the keys alone.
    """

    def __init__(
        self, figure: Figure, times: np.ndarray, q: np.ndarray, spline: str, ends: str, limits: bool
    ) -> None:
        self._figure, self._times, self._q = figure, times, q
        self._columns: Columns = columns_of(figure)
        self._periodic = ends == "periodic"
        x = charted(self._columns, q)
        if self._periodic:
            self._check_round(x)
        rate, second = slopes(times, x, spline, ends)
        h = np.diff(times)
        if limits:
            rate, second = held_inside(x, rate, second, h, self._columns.room)
            if self._periodic:
                self._close(x, rate, second, h)
        self._x = x
        self._pieces = (
            bezier.pieces(x[:-1], x[1:], rate[:-1], rate[1:], second[:-1], second[1:], h) if len(h) else None
        )
        self._limits = limits
        self._spheres: list[tuple[int, Sphere]] = [
            (first, sphere(times, q[:, first : first + 3], swing, spline, ends))
            for first, swing in self._columns.spheres
            if len(h)
        ]

    def _check_round(self, x: np.ndarray) -> None:
        """The last key must be the first again, but for whole turns and the root's travel."""
        columns = self._columns
        apart = np.abs(x[-1] - x[0])
        apart[columns.slides] = 0.0
        for k in columns.wraps:
            apart[k] = abs(apart[k] - 2.0 * np.pi * np.round(apart[k] / (2.0 * np.pi)))
        worst = int(np.argmax(apart)) if len(apart) else 0
        if len(apart) and apart[worst] > 1e-9:
            name = self._figure.dofs[int(columns.plain[worst])]
            raise PoseError(
                f"motion: a periodic one ends where it began; {name!r} differs by {apart[worst]:.3g}; "
                "`loop` makes one that does"
            )
        for first, swing in columns.spheres:
            ends = self._q[[0, -1], first : first + 3]
            one, two = quat.from_swing_twist(ends) if swing else quat.exp(ends)
            turned = float(np.linalg.norm(quat.log(quat.product(quat.conjugate(one), two))))
            if turned > 1e-7:
                raise PoseError(
                    f"motion: a periodic one ends where it began; {self._figure.dofs[first]!r} and the two after "
                    f"it are turned by {turned:.3g} rad; `loop` makes one that does"
                )

    def _close(self, x: np.ndarray, rate: np.ndarray, second: np.ndarray, h: np.ndarray) -> None:
        """Both ends of a periodic motion move alike: as its first key, limited on both sides, would."""
        around = np.concatenate([x[-2:-1] - (x[-1] - x[0]), x[:2]])
        v = np.stack([rate[-2], np.where(np.abs(rate[0]) < np.abs(rate[-1]), rate[0], rate[-1]), rate[1]])
        a = np.stack(
            [second[-2], np.where(np.abs(second[0]) < np.abs(second[-1]), second[0], second[-1]), second[1]]
        )
        same = (rate[0] == rate[-1]) & (second[0] == second[-1])
        steps = np.array([h[-1], h[0]])
        v, a = held_inside(around, v, a, steps, self._columns.room)
        groups = self._columns.room.groups
        for number in np.unique(groups[groups >= 0]):
            same[groups == number] = same[groups == number].all()
        for ends, middle in ((rate, v[1]), (second, a[1])):
            ends[0], ends[-1] = np.where(same, ends[0], middle), np.where(same, ends[-1], middle)

    def at(self, times: np.ndarray, order: int = 0) -> np.ndarray:
        """The values at times (samples,), or a derivative of them up to the third, (samples, n)."""
        piece, u, drift = self._pieces_at(times)
        result = np.zeros((len(times), self._figure.n))
        if self._pieces is None:
            if order == 0:
                result[:] = self._q[0]
            return result
        columns = self._columns
        found = self._pieces.value(piece, u, order)
        if order == 0:
            if self._limits:  # rounding alone
                low = np.minimum(columns.room.lower, np.minimum(self._x[piece], self._x[piece + 1]))
                high = np.maximum(columns.room.upper, np.maximum(self._x[piece], self._x[piece + 1]))
                found = np.minimum(np.maximum(found, low), high)
            if drift is not None:
                found += drift
        result[:, columns.plain] = found
        for cone in columns.leaning:
            pair = [int(np.searchsorted(columns.plain, k)) for k in cone[:2]]
            seen = self._pieces.series(piece, u)[..., pair]
            leant = leaning_series(cone[2:4], seen)
            result[:, [cone.first, cone.second]] = series.FACTORIALS[order] * leant[order]
        for first, turning in self._spheres:
            moved = turning.series(piece, u)
            result[:, first : first + 3] = series.FACTORIALS[order] * moved[order]
        if order == 0:
            exact = (u == 0.0) | (u == 1.0)
            result[exact] = self._q[np.where(u[exact] == 0.0, piece[exact], piece[exact] + 1)]
            if drift is not None and exact.any():
                result[np.ix_(exact, columns.plain)] += drift[exact]
        return result

    def _pieces_at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The piece of each time, how far along it is, 0 to 1, and what whole rounds of a periodic motion add."""
        first, last = float(self._times[0]), float(self._times[-1])
        slack = _SLACK * max(last - first, 1e-9)
        drift = None
        if self._periodic and last > first:
            rounds = np.floor((times - first) / (last - first))
            rounds -= (times - rounds * (last - first) <= first) & (times > first)
            times = times - rounds * (last - first)
            if rounds.any():
                drift = rounds[:, None] * (self._x[-1] - self._x[0])
        elif len(times) and (times.min() < first - slack or times.max() > last + slack):
            wrong = times[(times < first - slack) | (times > last + slack)][0]
            raise PoseError(f"motion: it lasts from {first:g} to {last:g} s, asked for {wrong:g} s")
        if last == first:
            return np.zeros(len(times), np.int64), np.zeros(len(times)), None
        times = np.clip(times, first, last)
        piece = np.clip(np.searchsorted(self._times, times, side="right") - 1, 0, len(self._times) - 2)
        u = (times - self._times[piece]) / (self._times[piece + 1] - self._times[piece])
        return piece, np.clip(u, 0.0, 1.0), drift
