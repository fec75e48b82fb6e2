"""Marker positions over time, with gaps."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FormatError, PoseError
from manikin.figure import checks
from manikin.markers.files import read_markers, write_markers

if TYPE_CHECKING:
    from manikin.markers.gaps import Gap

#: The rotation to a world whose z points up.
UPRIGHT = {
    "z": np.eye(3),
    "y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "x": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
}


class Markers:
    """Labelled points over time, metres, in a world whose z points up. Immutable.

    labels: L names.
    times: (F,) seconds, ascending.
    positions: (F, L, 3); all three NaN where a marker is not seen.
    name: where it comes from.
    """

    def __init__(self, labels: Iterable[str], times: Any, positions: Any, name: str = "") -> None:
        self.labels = tuple(labels)
        self.name = name
        where = f"markers {name!r}" if name else "markers"
        twice = checks.duplicates(self.labels)
        if twice:
            raise PoseError(f"{where}: two markers are called {twice[0]!r}")
        times, positions = np.array(times, dtype=np.float64), np.array(positions, dtype=np.float64)
        if times.ndim != 1 or positions.shape != (len(times), len(self.labels), 3):
            raise PoseError(
                f"{where}: expected positions of shape ({times.size}, {len(self.labels)}, 3), one a time and label, "
                f"got {positions.shape}"
            )
        if not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
            raise PoseError(f"{where}: the times must be finite and ascend")
        if np.isinf(positions).any():
            raise PoseError(f"{where}: a position is infinite; NaN stands for a marker that is not seen")
        positions[np.isnan(positions).any(axis=2)] = np.nan
        times.flags.writeable = positions.flags.writeable = False
        self.times, self.positions = times, positions
        self._index = {label: k for k, label in enumerate(self.labels)}

    @classmethod
    def load(cls, path: str | os.PathLike[str], **options: Any) -> Markers:
        """The markers in a file, read by its suffix: ``.trc``, ``.c3d``, ``.csv``; options are the reader's."""
        return read_markers(path, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.trc`` or ``.csv`` file."""
        write_markers(self, path)

    def __len__(self) -> int:
        return len(self.times)

    def __contains__(self, label: object) -> bool:
        return label in self._index

    def __getitem__(self, label: str) -> np.ndarray:
        """The positions of one marker, (F, 3)."""
        return self.positions[:, self.index(label)]

    def index(self, label: str) -> int:
        """The place of a label."""
        if label not in self._index:
            raise PoseError(
                f"markers {self.name!r}: no marker {label!r}; {checks.near(str(label), self.labels)}"
            )
        return self._index[label]

    @property
    def rate(self) -> float:
        """Frames a second; 0 for one frame."""
        return 0.0 if len(self) < 2 else (len(self) - 1) / float(self.times[-1] - self.times[0])

    @property
    def seen(self) -> np.ndarray:
        """(F, L): which markers are seen."""
        return ~np.isnan(self.positions[:, :, 0])

    def gaps(self) -> list[Gap]:
        """Every stretch in which a marker is not seen."""
        from manikin.markers.gaps import gaps_of

        return gaps_of(self)

    def filled(self, longest: float = 0.2, like: Mapping[str, Sequence[str]] | None = None) -> Markers:
        """With gaps of up to this many seconds filled; see `manikin.markers.gaps.fill`."""
        from manikin.markers.gaps import fill

        return fill(self, longest, like)

    def filtered(self, cutoff: float = 6.0, order: int = 4) -> Markers:
        """Smoothed by a Butterworth filter without delay; see `manikin.markers.filters.butterworth`."""
        from manikin.markers.filters import butterworth

        return butterworth(self, cutoff, order)

    def between(self, first: float, last: float) -> Markers:
        """The frames from one time to another, both included."""
        slack = 1e-9 * max(1.0, abs(last))
        kept = (self.times >= first - slack) & (self.times <= last + slack)
        if not kept.any():
            raise PoseError(f"markers {self.name!r}: there is no frame between {first:g} and {last:g} s")
        return Markers(self.labels, self.times[kept], self.positions[kept], self.name)

    def trimmed(self) -> Markers:
        """Without the frames at either end in which nothing is seen."""
        some = np.flatnonzero(self.seen.any(axis=1))
        if not len(some):
            raise PoseError(f"markers {self.name!r}: no marker is seen in any frame")
        return self.frames(slice(int(some[0]), int(some[-1]) + 1))

    def frames(self, which: Any) -> Markers:
        """Some frames, as NumPy picks them."""
        picked = np.atleast_1d(np.arange(len(self))[which])
        return Markers(self.labels, self.times[picked], self.positions[picked], self.name)

    def only(self, labels: Iterable[str]) -> Markers:
        """These markers, in this order."""
        labels = tuple(labels)
        return Markers(
            labels, self.times, self.positions[:, [self.index(name) for name in labels]], self.name
        )

    def renamed(self, labels: Mapping[str, str]) -> Markers:
        """With other labels, old to new; the rest keep theirs."""
        for label in labels:
            self.index(label)
        return Markers([labels.get(k, k) for k in self.labels], self.times, self.positions, self.name)

    def with_marker(self, label: str, positions: Any) -> Markers:
        """With one more marker, or that one replaced; positions (F, 3)."""
        positions = np.asarray(positions, dtype=np.float64)
        if positions.shape != (len(self), 3):
            raise PoseError(f"marker {label!r}: expected shape ({len(self)}, 3), got {positions.shape}")
        if label in self._index:
            new = self.positions.copy()
            new[:, self._index[label]] = positions
            return Markers(self.labels, self.times, new, self.name)
        new = np.concatenate([self.positions, positions[:, None]], axis=1)
        return Markers([*self.labels, label], self.times, new, self.name)

    def moved(self, rotation: Any = None, shift: Any = (0.0, 0.0, 0.0)) -> Markers:
        """Every position turned by a 3×3 rotation, then shifted."""
        turn = (
            np.eye(3) if rotation is None else checks.placement(_rigid(rotation), "moved: rotation")[:3, :3]
        )
        positions = self.positions @ turn.T + checks.vector(shift, (3,), "moved: shift")
        return Markers(self.labels, self.times, positions, self.name)

    def __repr__(self) -> str:
        gaps = 1.0 - float(self.seen.mean()) if self.seen.size else 0.0
        return (
            f"Markers({self.name!r}, {len(self.labels)} markers, {len(self)} frames at {self.rate:g} Hz, "
            f"{100.0 * gaps:.2g} % missing)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Markers, (self.labels, self.times, self.positions, self.name)


def _rigid(rotation: Any) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    return matrix


def upright(up: str, where: str) -> np.ndarray:
    """The rotation that makes this axis, ``"x"``, ``"y"`` or ``"z"``, point up; a FormatError for another."""
    if up not in UPRIGHT:
        raise FormatError(f"{where}: up must be 'x', 'y' or 'z', got {up!r}")
    return UPRIGHT[up]
