"""Orientations measured over time, as by inertial sensors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError, PoseError
from manikin.figure import Figure, Pose, checks
from manikin.figure.rotations import quaternions
from manikin.markers.files.storage import read_table
from manikin.markers.markers import upright
from manikin.markers.packed import Sensor
from manikin.markers.places import segment_frames

# A quaternion shorter than this, or longer than its inverse, has no direction in numbers of this kind.
_LEAST = 1e-150
#: Where the 17 sensors of a full suit sit on the human figure. (Its scapulae stay upright as the girdle moves, so
#: that the shoulders are those of the clavicles.)
SUIT = {
    "pelvis": "pelvis",
    "sternum": "t8",
    "head": "head",
    **{
        f"{side}_{place}": f"{side}_{segment}"
        for side in ("left", "right")
        for place, segment in (
            ("shoulder", "clavicle"),
            ("upper_arm", "upper_arm"),
            ("forearm", "radius"),
            ("hand", "hand"),
            ("thigh", "thigh"),
            ("shank", "shank"),
            ("foot", "foot"),
        )
    },
}


class Sensors:
    """Labelled rotations over time, of sensors' axes in a world whose z points up. Immutable.

    rotations: (F, S, 3, 3); all NaN where a sensor gives nothing.
    """

    def __init__(self, labels: Iterable[str], times: Any, rotations: Any, name: str = "") -> None:
        self.labels, self.name = tuple(labels), name
        where = f"sensors {name!r}" if name else "sensors"
        twice = checks.duplicates(self.labels)
        if twice:
            raise PoseError(f"{where}: two sensors are called {twice[0]!r}")
        times, rotations = np.array(times, dtype=np.float64), np.array(rotations, dtype=np.float64)
        if times.ndim != 1 or rotations.shape != (len(times), len(self.labels), 3, 3):
            raise PoseError(
                f"{where}: expected rotations of shape ({times.size}, {len(self.labels)}, 3, 3), got {rotations.shape}"
            )
        if not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
            raise PoseError(f"{where}: the times must be finite and ascend")
        rotations[np.isnan(rotations).any(axis=(2, 3))] = np.nan
        seen = rotations[~np.isnan(rotations[:, :, 0, 0])]
        if len(seen) and np.abs(seen @ seen.transpose(0, 2, 1) - np.eye(3)).max() > 1e-5:
            raise PoseError(f"{where}: some 3×3 is no rotation")
        times.flags.writeable = rotations.flags.writeable = False
        self.times, self.rotations = times, rotations

    @classmethod
    def from_quaternions(cls, labels: Iterable[str], times: Any, wxyz: Any, name: str = "") -> Sensors:
        """From quaternions (F, S, 4) in the order w, x, y, z; they are made of length one."""
        wxyz = np.asarray(wxyz, dtype=np.float64)
        with np.errstate(over="ignore"):
            length = np.linalg.norm(wxyz, axis=-1, keepdims=True)
        if ((length < _LEAST) | (length > 1.0 / _LEAST)).any():
            raise PoseError(
                f"sensors {name!r}: a quaternion is zero or beyond all size, which is no rotation"
            )
        w, x, y, z = np.moveaxis(wxyz / length, -1, 0)
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return cls(labels, times, np.stack([np.stack(row, axis=-1) for row in rows], axis=-2), name)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, up: str = "z") -> Sensors:
        """The quaternions in an OpenSense ``.sto`` file; `up` is the axis of its world that points up."""
        table = read_table(path)
        columns = {name: column for name, column in table.columns.items() if column.ndim == 2}
        if not columns or any(column.shape[1] != 4 for column in columns.values()):
            raise FormatError(f"{path}: its columns hold no quaternions (four numbers with commas in a cell)")
        found = cls.from_quaternions(
            columns, table.times, np.stack(list(columns.values()), axis=1), Path(path).name
        )
        return cls(found.labels, found.times, upright(up, str(path)) @ found.rotations, found.name)

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, label: str) -> np.ndarray:
        """The rotations of one sensor, (F, 3, 3)."""
        if label not in self.labels:
            raise PoseError(
                f"sensors {self.name!r}: no sensor {label!r}; {checks.near(str(label), self.labels)}"
            )
        return self.rotations[:, self.labels.index(label)]

    def frames(self, which: Any) -> Sensors:
        """Some frames, as NumPy picks them."""
        picked = np.atleast_1d(np.arange(len(self))[which])
        return Sensors(self.labels, self.times[picked], self.rotations[picked], self.name)

    def quaternions(self) -> np.ndarray:
        """(F, S, 4) in the order w, x, y, z, each on the same side as the one before it; NaN where there is nothing."""
        found = np.full((len(self), len(self.labels), 4), np.nan)
        seen = ~np.isnan(self.rotations[:, :, 0, 0])
        if seen.any():
            found[seen] = np.roll(quaternions(self.rotations[seen]), 1, axis=-1)
        for k in range(len(self.labels)):
            track = found[seen[:, k], k]
            turned = np.cumprod(np.where((track[1:] * track[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
            track[1:] *= turned[:, None]
            found[seen[:, k], k] = track
        return found

    def filtered(self, cutoff: float = 6.0, order: int = 4) -> Sensors:
        """Smoothed as `Markers.filtered` is: the quaternions' numbers, made of length one again."""
        from manikin.markers.filters import low_pass

        numbers = low_pass(self.quaternions(), self.times, cutoff, order, f"sensors {self.name!r}")
        gone = np.isnan(numbers[:, :, 0])
        numbers[gone] = [1.0, 0.0, 0.0, 0.0]
        result = Sensors.from_quaternions(self.labels, self.times, numbers, self.name).rotations.copy()
        result[gone] = np.nan
        return Sensors(self.labels, self.times, result, self.name)

    def __repr__(self) -> str:
        return f"Sensors({self.name!r}, {len(self.labels)} sensors, {len(self)} frames)"

    def __reduce__(self) -> tuple[Any, ...]:
        return Sensors, (self.labels, self.times, self.rotations, self.name)


def calibrate(
    figure: Figure, sensors: Sensors, places: Mapping[str, str], pose: Any = None, *, frame: int = 0
) -> dict[str, Sensor]:
    """How sensors sit on their segments, from a frame in which the person stood in a known pose.

    places: the segment of each sensor, such as those of `SUIT`. pose: a Pose or values; at rest by default. The
    world of the sensors must be the figure's: whoever looks elsewhere than along x turns the sensors first.
    """
    q = (pose if isinstance(pose, Pose) else figure.pose(pose)).q
    unknown = [segment for segment in places.values() if segment not in figure.segments]
    if unknown:
        raise PoseError(
            f"figure {figure.name!r} has no segment {unknown[0]!r}; {checks.near(unknown[0], figure.segments)}"
        )
    frames = segment_frames(figure, q, list(places.values()))
    found = {}
    for k, (label, segment) in enumerate(places.items()):
        measured = sensors[label][frame]
        if np.isnan(measured).any():
            raise PoseError(
                f"sensor {label!r} gives nothing in frame {frame}, so it cannot be calibrated by it"
            )
        found[label] = Sensor(segment, frames[k, :3, :3].T @ measured)
    return found
