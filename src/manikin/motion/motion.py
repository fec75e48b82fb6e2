"""A motion: a figure, times, and a value for each of its degrees of freedom at each of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure.checks import GREATEST, amiss, frozen
from manikin.figure.figure import Figure
from manikin.figure.pose import Pose
from manikin.motion.slopes import ENDS, SPLINES
from manikin.shown import Shown

if TYPE_CHECKING:
    from manikin.motion.curve import Curve
    from manikin.verify.verdict import Violation


class Motion(Shown):
    """Poses of a figure at times. Immutable; it pickles.

    times: (T,) seconds, strictly increasing.
    values: (T, n), one row a time: the values of the figure's degrees of freedom, rad or m; or T poses of the figure.
        They may lie outside their ranges, as measured ones do.
    name: what the motion is called, such as its file or its clip.
    spline: what is between the keys: ``"cubic"``, the least acceleration, or ``"quintic"``, the least jerk; both C².
    ends: ``"natural"``, ``"clamped"`` (at rest at both ends) or ``"periodic"`` (the last key is the first again, but
    for
        whole turns and the root's travel).
    limits: whether the curve between keys that are inside ranges, cones and linear couplings stays inside them. It does
        so by going past a key slower than the spline would, where it has to.

    Ball joints without limits and free roots turn on the sphere of rotations by the shorter way; so do turns without
    limits, whatever whole turns lie between their keys.
    """

    def __init__(
        self,
        figure: Figure,
        times: Any,
        values: Any,
        *,
        name: str = "",
        spline: str = "cubic",
        ends: str = "natural",
        limits: bool = True,
    ) -> None:
        where = f"motion {name!r}" if isinstance(name, str) and name else "motion"
        if not isinstance(name, str) or not isinstance(limits, (bool, np.bool_)):
            raise PoseError(f"{where}: name is a text and limits true or false, got {name!r} and {limits!r}")
        if not isinstance(figure, Figure):
            raise PoseError(f"{where}: the first argument must be a Figure, got {figure!r}")
        if isinstance(values, Sequence) and len(values) and all(isinstance(one, Pose) for one in values):
            if any(pose.figure is not figure for pose in values):
                raise PoseError(f"{where}: the poses must be of the figure {figure.name!r} that was given")
            values = [pose.q for pose in values]
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
        usable = np.abs(self._q) <= GREATEST
        if not usable.all():
            row, column = np.argwhere(~usable)[0].tolist()
            raise PoseError(
                f"{where}: {figure.dofs[column]!r} at {self._times[row]:g} s {amiss(self._q[row, column])}"
            )
        if not isinstance(spline, str) or spline not in SPLINES:
            raise PoseError(f"{where}: unknown spline {spline!r}; expected one of: {', '.join(SPLINES)}")
        if not isinstance(ends, str) or ends not in ENDS:
            raise PoseError(f"{where}: unknown ends {ends!r}; expected one of: {', '.join(ENDS)}")
        self._figure, self._name = figure, str(name)
        self._options: dict[str, Any] = {"spline": spline, "ends": ends, "limits": bool(limits)}
        if ends == "periodic":
            _ = self._curve  # which says what does not come round

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

    def note_verdict(self, feasible: np.ndarray, violations: tuple[Violation, ...]) -> None:
        """Take over what is known of the motion already."""
        self.__dict__["_verdict"] = feasible, violations

    @cached_property
    def _verdict(self) -> tuple[np.ndarray, tuple[Violation, ...]]:
        """Of each key whether all that must holds, and what does not."""
        from manikin.motion.violations import judged, worst_of

        kept, found = judged(self._figure, self._times, self._q)
        return kept, worst_of(found)

    @property
    def feasible(self) -> np.ndarray:
        """(T,): of each key whether ranges, couplings, cones and loops of the figure hold, and whatever limits and hard
        goals the motion was made within, by code that made none of it. A motion that was measured may break some."""
        return self._verdict[0]

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What does not hold at the keys: of each kind and name where it is worst; empty where all is `feasible`."""
        return self._verdict[1]

    def verify(
        self, times: Any = None, *, velocity: Any = False, acceleration: Any = False, jerk: Any = False
    ) -> tuple[Violation, ...]:
        """What does not hold on the curve at times, by default those of the keys: ranges, couplings, cones and loops,
        and limits on the curve's own derivatives, given as of `track`."""
        from manikin.motion.limits import Limits
        from manikin.motion.violations import judged, too_much, worst_of

        at = self._times if times is None else np.atleast_1d(np.asarray(times, dtype=np.float64)).ravel()
        limits = Limits.given(self._figure, velocity, acceleration, jerk, self._figure.velocity)
        _, found = judged(self._figure, at, self.values(at))
        rates = [
            self.values(at, order) if np.isfinite(most).any() else np.zeros((0, self._figure.n))
            for order, most in enumerate(limits.all, start=1)
        ]
        return worst_of([*found, *too_much(self._figure, rates, limits.all, at)])

    @property
    def duration(self) -> float:
        """From the first key to the last, seconds."""
        return float(self._times[-1] - self._times[0])

    @property
    def spline(self) -> str:
        """``"cubic"`` or ``"quintic"``."""
        return str(self._options["spline"])

    @property
    def ends(self) -> str:
        """``"natural"``, ``"clamped"`` or ``"periodic"``."""
        return str(self._options["ends"])

    @property
    def limits(self) -> bool:
        """Whether the curve between the keys keeps the figure's limits."""
        return bool(self._options["limits"])

    @cached_property
    def _curve(self) -> Curve:
        from manikin.motion.curve import Curve

        return Curve(self._figure, self._times, self._q, **self._options)

    def sample(self, time: float) -> Pose:
        """The pose at a time, seconds."""
        return Pose(self._figure, self.values(float(time)))

    def values(self, times: Any = None, derivative: int = 0) -> np.ndarray:
        """The values at times (…), rad or m, (…, n), or their derivatives by time, up to the third.

        times: by default those of the keys. Between the keys the values are exact functions of time, C²; the third
        derivative jumps at the keys. Of rotation vectors, swings and twists the derivatives are those of the
        coordinates.
        """
        if derivative not in (0, 1, 2, 3):
            raise PoseError(f"motion: the derivative must be 0, 1, 2 or 3, got {derivative!r}")
        at = self._times if times is None else np.asarray(times, dtype=np.float64)
        if not np.isfinite(at).all():
            raise PoseError(f"motion: times must be finite, got {times!r}")
        found = self._curve.at(np.atleast_1d(at).ravel(), int(derivative))
        return found.reshape(*at.shape, self._figure.n)

    def velocity(self, times: Any = None) -> np.ndarray:
        """The first derivative of the values, rad/s or m/s, (…, n); at the keys by default."""
        return self.values(times, 1)

    def acceleration(self, times: Any = None) -> np.ndarray:
        """The second derivative of the values, (…, n); at the keys by default."""
        return self.values(times, 2)

    def jerk(self, times: Any = None) -> np.ndarray:
        """The third derivative of the values, (…, n); at a key, where it jumps, that of the piece after it."""
        return self.values(times, 3)

    def forward(self, sites: str | Iterable[str] | None = None, times: Any = None) -> np.ndarray:
        """The frames of sites in the world at times, by default at the keys: (…, sites, 4, 4)."""
        return self._figure.forward(self._q if times is None else self.values(times), sites)

    def changed(self, **changes: Any) -> Motion:
        """The motion with some of `times`, `values`, `name`, `spline`, `ends`, `limits` or `figure` changed."""
        given: dict[str, Any] = {"name": self._name, **self._options}
        given |= {"figure": self._figure, "times": self._times, "values": self._q} | changes
        unknown = set(changes) - {"figure", "times", "values", "name", *self._options}
        if unknown:
            raise PoseError(f"motion: it has no {', '.join(sorted(unknown))} to change")
        return Motion(given.pop("figure"), given.pop("times"), given.pop("values"), **given)

    def retime(
        self, *, factor: float | None = None, duration: float | None = None, times: Any = None
    ) -> Motion:
        """The same poses at other times: `factor` times as slow, lasting `duration`, or at new `times`, one a key."""
        from manikin.motion import edit

        return edit.retime(self, factor, duration, times)

    def shift(self, by: float) -> Motion:
        """The same motion, `by` seconds later."""
        return self.changed(times=self._times + by)

    def trim(self, start: float | None = None, end: float | None = None) -> Motion:
        """The part between two times, with a key at each of them; velocity is kept at neither end by itself."""
        from manikin.motion import edit

        return edit.trim(self, start, end)

    def resample(self, rate: float | None = None, *, times: Any = None) -> Motion:
        """The motion with keys `rate` times a second, or at `times`, on its curve."""
        from manikin.motion import edit

        return edit.resample(self, rate, times)

    def join(self, other: Motion, *, blend: float = 0.0, align: bool = False) -> Motion:
        """This motion and then another of the same figure.

        blend: seconds over which the end of this one goes over into the beginning of the other, C²; with 0 the other's
            first key follows this one's last, one of its own steps later.
        align: whether the other is moved and turned about the vertical so that its root begins where this one's is.
        """
        from manikin.motion import edit

        return edit.join(self, other, blend, align)

    def mirror(self) -> Motion:
        """The mirror image, left for right, across the x–z plane of the figure's location; see `Pose.mirrored`."""
        symmetry = self._figure.symmetry
        return self.changed(values=symmetry.sign * self._q[:, symmetry.partner] + 0.0)

    def loop(self, *, blend: float | None = None, times: int = 1) -> Motion:
        """A periodic motion from this one: its end goes over into its beginning within `blend` seconds.

        blend: by default a quarter of the motion. times: how many rounds the result has as keys. The root's horizontal
        travel is kept, so that a walk walks on; its height and turn come round.
        """
        from manikin.motion import edit

        return edit.loop(self, blend, times)

    def inside(self) -> Motion:
        """The motion with every key brought inside ranges, cones and linear couplings, to the nearest such pose."""
        from manikin.motion import edit

        return edit.inside(self)

    def plot(self, path: Any = None, *, dofs: Any = None, derivative: int = 0, samples: int = 600) -> Any:
        """The values against time, with their ranges, as a matplotlib figure; it needs the extra ``plots``.

        path: a file to write to, by its suffix; None for none. dofs: names or patterns; by default those that move.
        derivative: 1 for velocities, against their limits, 2 for accelerations, 3 for jerk.
        """
        from manikin.motion.plot import plot

        return plot(self, path, dofs, derivative, samples)

    def to_frame(self) -> Any:
        """A pandas data frame: one row a key, its time the index, one column a degree of freedom."""
        from manikin.motion import tables

        return tables.to_frame(self)

    @classmethod
    def from_frame(cls, figure: Figure, frame: Any, **options: Any) -> Motion:
        """The motion in a pandas data frame such as `to_frame` makes; missing degrees of freedom are at rest."""
        from manikin.motion import tables

        return tables.from_frame(figure, frame, **options)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the motion, whole or not at all: ``.npz`` with times, values, names and options. Returns the path."""
        from manikin.motion import tables

        return tables.save(self, path)

    @classmethod
    def load(cls, figure: Figure, path: str | os.PathLike[str]) -> Motion:
        """The motion that `save` wrote, of this figure, whose degrees of freedom it must have, in any order."""
        from manikin.motion import tables

        return tables.load(figure, path)

    def __len__(self) -> int:
        return len(self._times)

    def __getitem__(self, key: int) -> Pose:
        """The pose at a key, from 0; negative ones count from the end."""
        return Pose(self._figure, self._q[key])

    def __iter__(self) -> Iterator[Pose]:
        return (Pose(self._figure, row) for row in self._q)

    @classmethod
    def of(cls, poses: Sequence[Pose], times: Any, **options: Any) -> Motion:
        """The motion of poses, all of one figure, at times; the options are those of Motion."""
        poses = list(poses)
        if not poses or any(
            not isinstance(pose, Pose) or pose.figure is not poses[0].figure for pose in poses
        ):
            raise PoseError("motion: expected one or more poses, all of the same figure")
        return cls(poses[0].figure, times, poses, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._figure, self._times, self._q, {"name": self._name, **self._options})

    def __repr__(self) -> str:
        title = f"{self._name!r}, " if self._name else ""
        return f"Motion({title}{self._figure.name!r}, {len(self)} keys, {self.duration:.3g} s)"


def _rebuilt(figure: Figure, times: np.ndarray, values: np.ndarray, options: dict[str, Any]) -> Motion:
    return Motion(figure, times, values, **options)
