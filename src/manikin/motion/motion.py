"""A motion: a figure, times, and a value for each of its degrees of freedom at each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure.checks import frozen
from manikin.figure.figure import Figure
from manikin.figure.pose import Pose


class Motion:
    """Poses of a figure at times. Immutable; it pickles.

    times: (T,) seconds, strictly increasing.
    values: (T, n), one row a time: the values of the figure's degrees of freedom, rad or m. They may lie outside their
        ranges, as measured ones do.
    name: what the motion is called, such as its file or its clip.
    """

    def __init__(self, figure: Figure, times: Any, values: Any, *, name: str = "") -> None:
        where = f"motion {name!r}" if name else "motion"
        if not isinstance(figure, Figure):
            raise PoseError(f"{where}: the first argument must be a Figure, got {figure!r}")
        try:
            self._times = frozen(np.array(times, dtype=np.float64))
            self._q = frozen(np.array(values, dtype=np.float64))
        except (TypeError, ValueError):
            raise PoseError(
                f"{where}: times and values must be numbers, got {type(times)} and {type(values)}"
            ) from None
        if self._times.ndim != 1 or len(self._times) == 0:
            raise PoseError(f"{where}: times must be one or more numbers, got shape {self._times.shape}")
        if self._q.shape != (len(self._times), figure.n):
            raise PoseError(
                f"{where}: expected values of shape ({len(self._times)}, {figure.n}), one row a time and one column a "
                f"degree of freedom of {figure.name!r}, got {self._q.shape}"
            )
        if not np.isfinite(self._times).all() or not (np.diff(self._times) > 0.0).all():
            raise PoseError(f"{where}: times must be finite and strictly increasing")
        if not np.isfinite(self._q).all():
            row, column = np.argwhere(~np.isfinite(self._q))[0].tolist()
            raise PoseError(
                f"{where}: {figure.dofs[column]!r} at {self._times[row]:g} s must be finite, got {self._q[row, column]}"
            )
        self._figure, self._name = figure, str(name)

    @property
    def figure(self) -> Figure:
        """The figure that moves."""
        return self._figure

    @property
    def name(self) -> str:
        """What the motion is called."""
        return self._name

    @property
    def times(self) -> np.ndarray:
        """The times of the keys, seconds, (T,), read-only."""
        return self._times

    @property
    def q(self) -> np.ndarray:
        """The values at the keys, (T, n), rad or m, read-only."""
        return self._q

    @property
    def duration(self) -> float:
        """From the first key to the last, seconds."""
        return float(self._times[-1] - self._times[0])

    def __len__(self) -> int:
        return len(self._times)

    def __getitem__(self, key: int) -> Pose:
        """The pose at a key, from 0; negative ones count from the end."""
        return Pose(self._figure, self._q[key])

    def __iter__(self) -> Iterator[Pose]:
        return (Pose(self._figure, row) for row in self._q)

    @classmethod
    def of(cls, poses: Sequence[Pose], times: Any, *, name: str = "") -> Motion:
        """The motion of poses, all of one figure, at times."""
        poses = list(poses)
        if not poses or any(
            not isinstance(pose, Pose) or pose.figure is not poses[0].figure for pose in poses
        ):
            raise PoseError("motion: expected one or more poses, all of the same figure")
        return cls(poses[0].figure, times, np.array([pose.q for pose in poses]), name=name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._figure, self._times, self._q, self._name)

    def __repr__(self) -> str:
        title = f"{self._name!r}, " if self._name else ""
        return f"Motion({title}{self._figure.name!r}, {len(self)} keys, {self.duration:.3g} s)"


def _rebuilt(figure: Figure, times: np.ndarray, values: np.ndarray, name: str) -> Motion:
    return Motion(figure, times, values, name=name)
