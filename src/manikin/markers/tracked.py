"""What following a capture gives: a motion, and how well it fits."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import PoseError
from manikin.kernels.tracking.track import FOUND, OUT_MISSES, OUT_STATUS, OUT_STEPS, OUT_TOTAL

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.markers.markers import Markers
    from manikin.markers.sensors import Sensors
    from manikin.markers.tracker import Tracker
    from manikin.motion import Motion
    from manikin.verify.verdict import Violation


class Tracked:
    """A figure that followed a capture.

    figure, times, q: (F,) seconds and (F, n) values.
    marker_errors: (F, M), how far each marker is off, metres; NaN where it was not seen. Columns as `labels`.
    sensor_errors: (F, S), how far each sensor is off, radians; columns as `sensors`.
    cost: (F,), the weighted sum of squares that was made least. steps: (F,). converged: (F,), whether each frame ended
        at a minimum. seconds: time spent on all of them.
    """

    def __init__(
        self,
        tracker: Tracker,
        times: np.ndarray,
        q: np.ndarray,
        report: np.ndarray,
        seconds: float,
        measured: Markers | None,
        sensed: Sensors | None,
    ) -> None:
        self.figure, self.times, self.q, self.seconds = tracker.figure, times, q, seconds
        self.labels, self.sensors = tracker.labels, tuple(tracker.sensors)
        self.markers, self.measured, self.sensed = tracker.markers, measured, sensed
        misses = np.where(report[:, OUT_MISSES:] < 0.0, np.nan, report[:, OUT_MISSES:])
        self.marker_errors, self.sensor_errors = np.split(misses, [len(self.labels)], axis=1)
        self.cost, self.steps = report[:, OUT_TOTAL], report[:, OUT_STEPS].astype(np.int64)
        self.converged = report[:, OUT_STATUS] == FOUND

    def __len__(self) -> int:
        return len(self.times)

    @cached_property
    def motion(self) -> Motion:
        """The values over time as a `Motion`."""
        from manikin.motion import Motion

        name = self.measured.name if self.measured is not None else ""
        return Motion(self.figure, self.times, self.q, name=name)

    @property
    def feasible(self) -> np.ndarray:
        """(F,): of each frame whether ranges, couplings and loops of the figure hold, by code that followed nothing."""
        return self.motion.feasible

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What does not hold: of each kind and name where it is worst; empty where all frames are `feasible`."""
        return self.motion.violations

    def begun(self, start: Pose, seconds: float) -> Motion:
        """The motion as a figure plays it that stands in another pose: from rest there it goes over into what was
        captured within the first `seconds`, its share growing by a quintic without speed or acceleration at either end.

        Ranges and linear couplings that hold the start and the capture hold all that is between.
        """
        from manikin.motion import Motion

        first = float(self.times[0]) if len(self) else 0.0
        whole = float(self.times[-1]) - first if len(self) else 0.0
        if not 0.0 < seconds <= whole:
            raise PoseError(
                f"begun: the time to begin in must lie between 0 and {whole:g} s, got {seconds!r}"
            )
        standing = Motion.of([start, start], [first, first + seconds], name=self.motion.name)
        return standing.join(self.motion, blend=seconds)

    @property
    def rms(self) -> np.ndarray:
        """(F,): root mean square over the markers seen, metres; 0 in a frame without any."""
        return _root_mean(self.marker_errors, 1)

    @property
    def frames_per_second(self) -> float:
        """How fast it went."""
        return len(self) / self.seconds if self.seconds > 0.0 else 0.0

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Misses over time and by marker, as a matplotlib figure; see `manikin.markers.plots`."""
        from manikin.markers.plots import plot_misses

        return plot_misses(self, path)

    def worst(self) -> tuple[str, int, float]:
        """The marker that is furthest off in any frame: its label, the frame, metres; ("", 0, 0) without markers."""
        if not np.isfinite(self.marker_errors).any():
            return "", 0, 0.0
        frame, k = np.unravel_index(int(np.nanargmax(self.marker_errors)), self.marker_errors.shape)
        return self.labels[int(k)], int(frame), float(self.marker_errors[frame, k])

    def summary(self) -> dict[str, Any]:
        """Root mean squares, the worst, gaps and speed, as JSON can hold it; metres, radians, seconds.

        labels: how many markers were followed, of how many of the capture, and of how many of the figure.
        """
        label, frame, most = self.worst()
        seen = np.isfinite(self.marker_errors)
        present = seen.any(axis=0)
        whole = seen[:, present].all(axis=1) if present.any() else np.ones(len(self), bool)
        rms = _root_mean(self.marker_errors, None)
        return {
            "frames": len(self),
            "seconds": float(self.times[-1] - self.times[0]) if len(self) else 0.0,
            "rms": float(rms),
            "worst": {"marker": label, "frame": frame, "miss": most},
            "frames_with_gaps": int((~whole).sum()),
            "frames_not_at_a_minimum": int((~self.converged).sum()),
            "frames_per_second": self.frames_per_second,
            "markers": [
                {
                    "label": name,
                    "rms": float(_root_mean(self.marker_errors[:, k], None)),
                    "greatest": float(np.nanmax(self.marker_errors[:, k])),
                    "missing": int((~seen[:, k]).sum()),
                }
                for k, name in enumerate(self.labels)
                if present[k]
            ],
            "labels": {
                "followed": int(present.sum()),
                "measured": len(self.measured.labels) if self.measured is not None else 0,
                "known": len(self.labels),
            },
            "not_followed": [
                name
                for name in (self.measured.labels if self.measured is not None else ())
                if name not in self.labels
            ],
            "not_measured": [name for k, name in enumerate(self.labels) if not present[k]],
            "sensors": [
                {"label": name, "rms": float(_root_mean(self.sensor_errors[:, k], None))}
                for k, name in enumerate(self.sensors)
                if np.isfinite(self.sensor_errors[:, k]).any()
            ],
        }

    def __repr__(self) -> str:
        return (
            f"Tracked({self.figure.name!r}, {len(self)} frames, rms {1e3 * self.summary()['rms']:.3g} mm, "
            f"{self.frames_per_second:.0f} frames a second)"
        )


def _root_mean(misses: np.ndarray, axis: int | None) -> np.ndarray:
    """The root of the mean square of what is not NaN; 0 of nothing."""
    seen = np.isfinite(misses)
    total = np.where(seen, misses, 0.0) ** 2
    return np.sqrt(total.sum(axis=axis) / np.maximum(seen.sum(axis=axis), 1))
