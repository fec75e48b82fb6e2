"""A figure that follows points and rotations, each with a weight of its own in every frame, inside its limits.

The work is the marker tracker's: every point is a marker, every rotation a sensor. A weight that changes is one marker
for each half decade of it, of which each frame sees one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.markers.marker_sets import Marker, MarkerSet
from manikin.markers.markers import Markers
from manikin.markers.packed import Sensor
from manikin.markers.sensors import Sensors
from manikin.markers.tracked import Tracked
from manikin.markers.tracker import Tracker
from manikin.motion.edit import brought_in
from manikin.retargeting.fewer import Fewer

#: With which coordinates are pulled to where they are easy, beside weights of 1 a metre²: what is left open is decided
#: by it, a goal is missed by less than a millimetre for it. Times (1/width)², so that wide ranges give more.
_REST = 1e-3
#: How many times as many steps as a frame usually may take are spent on the first.
_PATIENCE = 20


@dataclass(frozen=True, eq=False)
class Point:
    """A site that follows targets, (T, 3), with weights, (T,)."""

    site: str
    targets: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class Turn:
    """A segment that follows rotations, (T, 3, 3), with weights, (T,), metres² a radian²; 0 for none."""

    segment: str
    targets: np.ndarray
    weights: np.ndarray


class Follower:
    """Follows points and turns from frame to frame.

    fewer: the figure, its long chains tied. easy: (n,), the pose that is preferred among those that do as well.
    """

    def __init__(
        self,
        fewer: Fewer,
        times: np.ndarray,
        points: Sequence[Point],
        turns: Sequence[Turn],
        easy: np.ndarray,
    ) -> None:
        self._fewer, self.times = fewer, times
        figure, followed, easy = fewer.whole, fewer.figure, fewer.down(easy)
        markers: dict[str, Marker] = {}
        seen: list[np.ndarray] = []
        for k, point in enumerate(points):
            site = figure.site(point.site)
            for level, weight, mask in _levels(point.weights):
                markers[f"{k} {level}"] = Marker(site.segment, site.placement[:3, 3], weight)
                seen.append(np.where(mask[:, None], point.targets, np.nan))
        sensors: dict[str, Sensor] = {}
        turned: list[np.ndarray] = []
        for k, turn in enumerate(turns):
            for level, weight, mask in _levels(turn.weights):
                sensors[f"turn {k} {level}"] = Sensor(turn.segment, np.eye(3), weight)
                turned.append(np.where(mask[:, None, None], turn.targets, np.nan))
        self._markers = Markers(markers, times, np.stack(seen, axis=1))
        self._sensors = Sensors(sensors, times, np.stack(turned, axis=1)) if turned else None
        width = np.clip(followed.upper - followed.lower, 0.1, 2.0 * np.pi)
        root = 6 if figure.base == "free" else 0
        tasks = {
            name: (_REST / float(width[j]) ** 2, float(easy[j]))
            for j, name in enumerate(followed.dofs)
            if j >= root
        }
        self._tracker = Tracker(followed, MarkerSet(markers), sensors=sensors, tasks=tasks)

    def settled(self, start: np.ndarray) -> np.ndarray:
        """The values of the first frame, from a pose that may be far off: as many steps as it takes, within reason."""
        before = np.inf
        for _ in range(_PATIENCE):
            found = self._tracked(start, 0, 1)
            start = self._fewer.up(found.q[0])
            if found.converged[0] or found.cost[0] > 0.99 * before:
                break
            before = float(found.cost[0])
        return brought_in(self._fewer.whole, start[None])[0]

    def follow(self, start: np.ndarray, low: int = 0, high: int | None = None) -> np.ndarray:
        """The values of the frames from `low` to before `high`, each from the last, the first from `start`."""
        return brought_in(self._fewer.whole, self._fewer.up(self._tracked(start, low, high).q))

    def _tracked(self, start: np.ndarray, low: int, high: int | None) -> Tracked:
        here = slice(low, high)
        markers = Markers(self._markers.labels, self.times[here], self._markers.positions[here])
        sensors = None
        if self._sensors is not None:
            sensors = Sensors(self._sensors.labels, self.times[here], self._sensors.rotations[here])
        return self._tracker.track(markers, sensors, start=self._fewer.down(start))


def _levels(weights: np.ndarray) -> list[tuple[int, float, np.ndarray]]:
    """The half decades that positive weights lie in: a number, the weight that stands for it, and the frames, (T,)."""
    used = weights > 0.0
    nearest = np.round(2.0 * np.log10(np.where(used, weights, 1.0))).astype(int)
    return [(int(k), 10.0 ** (k / 2.0), used & (nearest == k)) for k in np.unique(nearest[used])]


def firm(times: np.ndarray, mask: np.ndarray, plain: float, held: float, ramp: float) -> np.ndarray:
    """Weights (T,): `held` where the mask says so, and from there to `plain` evenly in its logarithm, in `ramp` s."""
    if not mask.any():
        return np.full(len(times), plain)
    known = times[mask]
    after = np.searchsorted(known, times)
    apart = np.minimum(
        np.abs(times - known[np.clip(after - 1, 0, None)]),
        np.abs(known[np.clip(after, None, len(known) - 1)] - times),
    )
    result: np.ndarray = plain * (held / plain) ** np.clip(1.0 - apart / ramp, 0.0, 1.0)
    return result
