"""A pose: a figure and a value for each of its degrees of freedom."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure import forward, transforms
from manikin.figure.checks import GREATEST, amiss, near
from manikin.figure.figure import Figure
from manikin.shown import Shown

if TYPE_CHECKING:
    from manikin.figure.human.clinical import Clinical


class Pose(Shown):
    """A figure at the values q (rad, m). Immutable; it pickles.

    The values may lie outside their ranges, as measured ones do: `outside` tells which. A solve brings its start in,
    and says so (`Solution.corrected_start`).

    Two poses are equal when they are of the same Figure object and have the same values.
    """

    def __init__(self, figure: Figure, q: Sequence[float] | np.ndarray) -> None:
        if not isinstance(figure, Figure):
            raise PoseError(f"pose: the first argument must be a Figure, got {figure!r}")
        try:
            values = np.array(q, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise PoseError(f"pose of {figure.name!r}: expected {figure.n} numbers, got {q!r}") from None
        if values.shape != (figure.n,):
            raise PoseError(f"pose of {figure.name!r}: expected {figure.n} values, got shape {values.shape}")
        usable = np.abs(values) <= GREATEST
        # A third of the time of usable.all(), which matters at a few microseconds a pose.
        if 0 in usable.tobytes():
            index = int(np.argmin(usable))
            raise PoseError(f"pose of {figure.name!r}: {figure.dofs[index]!r} {amiss(values[index])}")
        values.flags.writeable = False
        self._figure = figure
        self._q = values

    @property
    def figure(self) -> Figure:
        """The figure that is posed."""
        return self._figure

    @property
    def q(self) -> np.ndarray:
        """The values of the degrees of freedom, (n,), read-only."""
        return self._q

    @cached_property
    def _placed(self) -> tuple[np.ndarray, np.ndarray]:
        """The motions' frames, (M, 12), and those of the segments, then of the sites given, (…, 4, 4)."""
        model = forward.whole_model(self._figure)
        work, frames = np.empty(model.work), np.empty((model.sites, 4, 4))
        forward.compiled().site_frames(
            model.structure, model.parameters, work, self._q, frames.reshape(-1), 1
        )
        motions = len(model.motions)
        frames.flags.writeable = False
        return work[12 : 12 * motions + 12].reshape(motions, 12), frames

    @property
    def motion_frames(self) -> np.ndarray:
        """The frames of the tree's motions in the world, (M, 12), rotation by rows and position; read-only."""
        return self._placed[0]

    @property
    def frames(self) -> np.ndarray:
        """The frames of all segments in the world, then of the sites that were given, (…, 4, 4); read-only.

        `Figure.segment_index` and `Figure.frame_index` say which is whose.
        """
        return self._placed[1]

    @property
    def segment_frames(self) -> np.ndarray:
        """Those of the segments, (S, 4, 4)."""
        return self._placed[1][: len(self._figure.segments)]

    def matrix(self, site: str) -> np.ndarray:
        """The site's frame in the world, 4×4."""
        index = self._figure.frame_index.get(site)
        if index is None:
            self._figure.site(site)  # which says what is known instead
        return self._placed[1][index].copy()

    def position(self, site: str) -> np.ndarray:
        """The site's position in the world, metres, (3,)."""
        return self.matrix(site)[:3, 3]

    def rotation(self, site: str) -> np.ndarray:
        """The site's rotation in the world, (3, 3): its axes as columns."""
        return self.matrix(site)[:3, :3]

    def matrices(self) -> dict[str, np.ndarray]:
        """The frame of every segment in the world, 4×4, by name."""
        return dict(zip(self._figure.segments, self.segment_frames, strict=True))

    def jacobian(self, site: str, frame: str = "world") -> np.ndarray:
        """(6, n): the site's linear, then its angular velocity, by each coordinate.

        frame: the axes that both are given along: the ``"world"``'s, or those of a site or segment, as the site's own
            (``pose.jacobian("hand", frame="hand")``): Rᵀ on both halves, R the rotation of that frame.
        """
        return forward.jacobian(self._figure, self._q, site, frame)

    def manipulability(self, site: str) -> float:
        """√det(J Jᵀ), J the site's linear velocity by the coordinates, m³; 0 in a singular pose."""
        linear = self.jacobian(site)[:3]
        return float(np.sqrt(max(np.linalg.det(linear @ linear.T), 0.0)))

    def limit_distances(self) -> np.ndarray:
        """(n,): how far each value is from the nearer end of its range, rad or m; negative outside, infinite without
        a range."""
        figure = self._figure
        distances: np.ndarray = np.minimum(self._q - figure.lower, figure.upper - self._q)
        return distances

    def center_of_mass(self) -> np.ndarray:
        """Σ m·c / Σ m over the segments, in the world, metres."""
        return forward.center_of_mass(self._figure, self._q)

    def center_of_mass_jacobian(self, frame: str = "world") -> np.ndarray:
        """(3, n): the velocity of the centre of mass by each coordinate, along the axes of `frame`; see `jacobian`."""
        return forward.center_of_mass_jacobian(self._figure, self._q, frame)

    def mass_matrix(self) -> np.ndarray:
        """(n, n): twice the kinetic energy is q̇ᵀ H q̇, in kg m² for turns and kg for slides.

        A segment without a known inertia counts as a point at its centre of mass.
        """
        from manikin.figure.inertia import mass_matrix

        figure = self._figure
        segments = figure.segments.values()
        return mass_matrix(figure.tree, segments, self._q, self.motion_frames, self.segment_frames)

    def __getitem__(self, name: str) -> float:
        """The value of a degree of freedom, or of an axis that follows others, by name: rad or m."""
        follow = self._figure.followers.get(name) if isinstance(name, str) else None
        if follow is not None:
            return float(follow.value(self.values()))
        return float(self._q[self._figure.index(name)])

    def values(self, *, followers: bool = False) -> dict[str, float]:
        """The values by the names of the degrees of freedom.

        followers: those of the axes that follow others (mimic joints) as well, by their names, after them.
        """
        values = dict(zip(self._figure.dofs, self._q.tolist(), strict=True))
        if followers:
            found = {name: follow.value(values) for name, follow in self._figure.followers.items()}
            values.update(found)
        return values

    @property
    def outside(self) -> dict[str, tuple[float, float]]:
        """The values outside their ranges, by name: each with the nearest one inside; empty where all are inside.

        Only ranges are looked at, not couplings or cones.
        """
        figure = self._figure
        inside = np.clip(self._q, figure.lower, figure.upper)
        return {
            figure.dofs[index]: (float(self._q[index]), float(inside[index]))
            for index in np.flatnonzero(inside != self._q)
        }

    def with_values(self, values: Mapping[str, float]) -> Pose:
        """The pose with some values changed, by name. Values outside their ranges are kept; `outside` tells."""
        q = self._q.copy()
        for name, value in values.items():
            index = self._figure.index(name)
            try:
                q[index] = value
            except (TypeError, ValueError, OverflowError):
                raise PoseError(
                    f"pose of {self._figure.name!r}: {name!r} must be a number, got {value!r}"
                ) from None
        return Pose(self._figure, q)

    def mirrored(self) -> Pose:
        """The mirror image, left for right, across the x–z plane of the figure's location.

        Coordinates pair by their names (``left_elbow`` with ``right_elbow``), their signs follow from the
        figure's geometry; a PoseError where the figure is not symmetric.
        """
        return Pose(self._figure, self._figure.symmetry.mirrored(self._q))

    def converted(self, figure: Figure, near: Pose | None = None) -> Pose:
        """The same pose of another figure that has the same joints by name, some turned from three turns into ball
        joints or back (`Figure.with_ball`, `Figure.with_turns`).

        near: a pose of the other figure that the converted values are to be near to, for a motion without jumps; by
            default its rest.
        """
        from manikin.figure.rejoint import converted

        return converted(self, figure, near)

    def clinical(self) -> Clinical:
        """Clinical angles of a pose of a `human` figure: flexion, abduction and rotation of shoulders, elbows, hips,
        knees, ankles, trunk and neck, with their ranges (`manikin.figure.human.clinical`).
        """
        from manikin.figure.human.clinical import clinical

        return clinical(self)

    def rerooted(self, segment: str) -> Pose:
        """The pose of the figure hung from another segment, every segment staying where it is in the world.

        With a free base the root values change and the figure is ``figure.rerooted(segment)``. With a fixed
        or planar base the values stay, and the new figure's `location` or `mount` holds the segment where
        this pose has it.
        """
        if segment == self._figure.root:
            return self
        if self._figure.base != "free":
            return Pose(self.rerooted_figure(segment), self._q)
        figure = self._figure.rerooted(segment)
        carried = (
            transforms.inverse(figure.location) @ self.matrices()[segment] @ transforms.inverse(figure.mount)
        )
        q = self._q.copy()
        q[:3] = carried[:3, 3]
        q[3:6] = transforms.log(carried[:3, :3])
        return Pose(figure, q)

    def rerooted_figure(self, segment: str) -> Figure:
        """The figure hung from another segment, which a fixed or planar base holds where this pose has it."""
        figure = self._figure
        if segment not in figure.segments:
            raise PoseError(
                f"figure {figure.name!r}: unknown segment {segment!r}; {near(segment, figure.segments)}"
            )
        if segment == figure.root:
            return figure
        place = self.matrices()[segment]
        if figure.base == "fixed":
            return figure.replace(root=segment, location=place @ transforms.inverse(figure.mount))
        if figure.base == "free":
            return figure.replace(root=segment)
        carried = self.matrices()[figure.root] @ transforms.inverse(figure.mount)
        return figure.replace(root=segment, mount=transforms.inverse(carried) @ place)

    def to_json(self) -> str:
        """The pose as JSON: the figure's name and the values by name, exact."""
        return json.dumps({"figure": self._figure.name, "values": self.values()}, indent=1)

    @classmethod
    def from_json(cls, figure: Figure, text: str) -> Pose:
        """The pose that `to_json` wrote, of this figure; every degree of freedom must be there."""
        try:
            values = json.loads(text)["values"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise PoseError(f"pose of {figure.name!r}: not a pose in JSON: {error}") from None
        if not isinstance(values, dict):
            raise PoseError(f"pose of {figure.name!r}: 'values' must map names to numbers, got {values!r}")
        missing = [name for name in figure.dofs if name not in values]
        if missing:
            raise PoseError(f"pose of {figure.name!r}: no value for {', '.join(map(repr, missing[:5]))}")
        return figure.pose(values)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Pose):
            return NotImplemented
        return self._figure is other._figure and bool((self._q == other._q).all())

    def __hash__(self) -> int:
        return hash((id(self._figure), tuple(self._q.tolist())))

    def __reduce__(self) -> tuple[Any, ...]:
        return Pose, (self._figure, self._q)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {value:.3g}" for name, value in list(self.values().items())[:6])
        return f"Pose({self._figure.name!r}: {shown}{', …' if self._figure.n > 6 else ''})"
