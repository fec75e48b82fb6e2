"""`Arm`: a limb of seven angles solved in closed form, all solutions at once, within the limits."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from typing import Any

import numpy as np

from manikin.errors import FigureError, SolveError
from manikin.figure import transforms
from manikin.figure.figure import Figure
from manikin.figure.pose import Pose
from manikin.kernels import limb as kernel
from manikin.kernels import limb_lanes, limb_position, limb_solve
from manikin.kernels.lanes import aligned
from manikin.kernels.limb_fixed import solve_fixed
from manikin.kernels.limb_roots import ROOTS
from manikin.kernels.limb_swivel import STRETCHES, intervals
from manikin.solvers import natural_elbow
from manikin.solvers.arm_tracker import ArmTracker
from manikin.solvers.limb import carrier_of, place_carrier, recognise
from manikin.solvers.swivel import nearest, union, widest

# A rotation may be this far from orthonormal.
_ORTHONORMAL = 1e-6


class Arm:
    """A limb that is a spherical joint, a hinge and a spherical joint: arms, and robots such as the iiwa.

    figure: a Figure, the rest of it held at its rest values, or a Pose, held as there.
    limb: ``"right"`` or ``"left"`` for the arm that ends at the site ``right_hand`` or ``left_hand``; or three joints,
        that with which the limb begins, the hinge, and that with which it ends; None to take the seven angles above
        ``site``.
    site: the frame that targets are for; by default the hand, or the segment behind the last joint.

    A FigureError says why a limb is not of this kind. Where the limb's own angles move what carries it (the shoulder
    girdle's rhythm of the human), it is held as in the pose; see `polish`. Couplings among the angles count as limits.

    The swivel angle φ turns the elbow about the line from shoulder to wrist: 0 when it hangs lowest, positive
    right-handed about the direction to the wrist.
    """

    def __init__(
        self, figure: Figure | Pose, limb: str | Sequence[str] | None = "right", *, site: str | None = None
    ) -> None:
        self._pose = figure if isinstance(figure, Pose) else figure.pose()
        first = middle = None
        if isinstance(limb, str):
            site = f"{limb}_hand" if site is None else site
        elif limb is not None:
            if len(limb) != 3:
                raise FigureError(f"arm: expected three joints (first, hinge, last), got {list(limb)!r}")
            first, middle, last = limb
            joints = self.figure.joints
            if last not in joints:
                raise FigureError(f"figure {self.figure.name!r}: unknown joint {last!r}")
            site = joints[last].child if site is None else site
        if site is None:
            raise FigureError("arm: name the limb's side, its three joints, or the site it ends at")
        self._limb = recognise(self._pose, site, first, middle)
        self._spec = self._limb.spec
        self._out = np.empty((2 * kernel.MOST + 1, 7))
        self._space = np.empty(ROOTS + 7)
        self._box = aligned(limb_lanes.BOX)

    @property
    def figure(self) -> Figure:
        """The figure whose limb this is."""
        return self._pose.figure

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of the seven degrees of freedom, in the order of the solutions' columns."""
        return self._limb.dofs

    @property
    def site(self) -> str:
        """The site that targets are for."""
        return self._limb.site

    @property
    def lower(self) -> np.ndarray:
        """The seven lower limits, rad."""
        return self.figure.lower[self._limb.places]

    @property
    def upper(self) -> np.ndarray:
        """The seven upper limits, rad."""
        return self.figure.upper[self._limb.places]

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the greatest distance of the wrist's centre from the shoulder's, limits aside, metres."""
        return float(self._spec[kernel.NEAREST]), float(self._spec[kernel.FARTHEST])

    def pose(self, q: np.ndarray | Sequence[float]) -> Pose:
        """The figure's pose with these seven values, the others as they are held."""
        whole = self._pose.q.copy()
        whole[self._limb.places] = q
        return Pose(self.figure, whole)

    def solve(
        self, target: Any, swivel: float | None = None, *, prefer: str | float = "widest"
    ) -> np.ndarray:
        """All distinct solutions (k, 7) within the limits that bring the site to `target`, a 4×4 in the world.

        swivel: the angle φ; at most 8 solutions. When None, each family of solutions is taken at the φ of its own
            intervals that `prefer` names: ``"widest"`` (the middle of the widest), ``"natural"`` (nearest to the
            human elbow of Soechting and Flanders), or a number (nearest to it).
        """
        matrix = _matrix(target)
        if swivel is None:
            return self._at_preferred(matrix, prefer)
        count = limb_solve.solve_at(self._spec, matrix, float(swivel), self._out)
        return self._out[:count].copy()

    def _at_preferred(self, matrix: np.ndarray, prefer: str | float) -> np.ndarray:
        wish = None
        if prefer == "natural":
            wish = self.natural_swivel(matrix)
        elif not isinstance(prefer, str):
            wish = float(prefer)
        elif prefer != "widest":
            raise SolveError(f"arm: prefer is 'widest', 'natural' or a number, got {prefer!r}")
        found: list[np.ndarray] = []
        swivels: list[float] = []
        for stretches in self.swivel_families(matrix).values():
            phi = widest(stretches) if wish is None else nearest(stretches, wish)
            if not any(abs(phi - other) < 1e-9 for other in swivels):
                swivels.append(phi)
                found += list(self.solve(matrix, phi))
        return np.array(_distinct(found)).reshape(-1, 7)

    def solve_many(self, targets: Any, swivels: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Solutions (N, 8, 7) of N targets (N, 4, 4), each at its φ, and how many each has (N,); the rest is NaN."""
        matrices = np.ascontiguousarray(targets, dtype=np.float64)
        if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
            raise SolveError(f"arm: expected targets of shape (N, 4, 4), got {matrices.shape}")
        phis = np.ascontiguousarray(np.broadcast_to(np.asarray(swivels, dtype=np.float64), len(matrices)))
        out = np.empty((len(matrices), kernel.MOST, 7))
        counts = np.empty(len(matrices), dtype=np.int64)
        limb_solve.solve_all(self._spec, matrices, phis, self._box, self._space, out, counts)
        return out, counts

    def solve_fixed(self, target: Any, joint: str | int, value: float) -> np.ndarray:
        """All solutions with one angle of a spherical joint at `value` (scheme 2), at most 4 a sign of the hinge.

        joint: the name of a degree of freedom of shoulder or wrist, or its place among the seven.
        """
        place = joint if isinstance(joint, int) else self._place(joint)
        if place not in (0, 1, 2, 4, 5, 6):
            raise SolveError(
                f"arm: {joint!r} is not an angle of a spherical joint; the hinge follows from the target"
            )
        kind = self._spec[kernel.SHOULDER_KIND + place // 4]
        if kind > 1 and place % 4 != 2:
            raise SolveError(
                f"arm: {self.joints[place]!r} is a swing of a ball joint, which has no closed form when fixed; fix "
                f"its twist {self.joints[place - place % 4 + 2]!r}, or choose by swivel_families"
            )
        axis_value = value / self._spec[kernel.FACTOR + place] + self._spec[kernel.OFFSET + place]
        count = solve_fixed(self._spec, _matrix(target), place, axis_value, self._out)
        return self._out[:count].copy()

    def _place(self, joint: str) -> int:
        if joint not in self.joints:
            raise SolveError(f"arm: unknown joint {joint!r}; known are: {', '.join(self.joints)}")
        return self.joints.index(joint)

    def swivel_families(self, target: Any) -> dict[int, np.ndarray]:
        """The intervals of φ (k, 2) of each family that has any, its limits kept.

        The family is 4·(sign of the hinge) + 2·(shoulder's) + (wrist's). An interval over ±π begins below −π.
        """
        found, counts = np.empty((8, STRETCHES, 2)), np.zeros(8, dtype=np.int64)
        intervals(self._spec, _matrix(target), self._space, found, counts)
        return {family: found[family, :count] for family, count in enumerate(counts) if count}

    def swivel_intervals(self, target: Any) -> np.ndarray:
        """The φ at which there is any solution within the limits, as intervals (k, 2) in order; none: no rows.

        An interval over ±π begins below −π; the whole circle is −π to π.
        """
        return union(list(self.swivel_families(target).values()))

    def swivel(self, q: np.ndarray | Sequence[float]) -> float:
        """The φ of seven values."""
        pose = self.pose(q)
        if self._limb.carried:
            raise SolveError(
                "arm: the figure's girdle follows the limb, so φ is not one number of its seven values"
            )
        return float(
            limb_solve.swivel_of(self._spec, np.asarray(q, dtype=np.float64), pose.matrix(self.site))
        )

    def swivel_towards(self, target: Any, point: Any) -> float:
        """The φ that brings the elbow as near as it can be to a point of the world."""
        origin, _, down, side = self._circle(_matrix(target))
        across = np.asarray(point, dtype=np.float64) - origin
        return atan2(float(across @ side), float(across @ down))

    def natural_swivel(self, target: Any, table: str = "dark") -> float:
        """The φ of a human elbow (Soechting and Flanders); `table` is ``"dark"`` or ``"accurate"`` pointing."""
        matrix = _matrix(target)
        origin, _, down, side = self._circle(matrix)
        arm = natural_elbow.upper_arm(self._pose, self.site, origin, matrix[:3, 3], table)
        return atan2(float(arm @ side), float(arm @ down))

    def _circle(self, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Shoulder, n̂, û and v̂ in the world."""
        out = np.empty((3, 3))
        limb_solve.swivel_frame(self._spec, matrix, out)
        turn = self._spec[kernel.BASE : kernel.BASE + 9].reshape(3, 3).T
        centre = turn @ self._spec[kernel.CENTRE : kernel.CENTRE + 3]
        origin = centre + self._spec[kernel.BASE_ORIGIN : kernel.BASE_ORIGIN + 3]
        n, u, v = out @ turn.T
        return origin, n, u, v

    def polish(self, target: Any, q: np.ndarray, *, steps: int = 40) -> np.ndarray:
        """Seven values near q that reach the target with the girdle following them, φ kept; empty where there are none.

        The closed form and the girdle take turns: each solution moves the girdle, which is held for the next.
        """
        matrix = _matrix(target)
        spec, q = self._spec.copy(), np.asarray(q, dtype=np.float64)
        phi = limb_solve.swivel_of(spec, q, matrix)
        for _ in range(steps):
            place_carrier(spec, carrier_of(self.pose(q), self._limb))
            count = limb_solve.solve_at(spec, matrix, phi, self._out)
            if count == 0:
                return np.empty(0)
            steps_away = ((self._out[:count] - q) ** 2).sum(axis=1)
            last, q = q, self._out[int(np.argmin(steps_away))].copy()
            if np.abs(q - last).max() < 1e-13:
                return q
        return np.empty(0)

    def track(self, targets: Any, start: np.ndarray | Sequence[float]) -> np.ndarray:
        """The values (T, 7) that follow targets (T, 4, 4) from `start`; `ArmTracker.follow` also tells how."""
        return ArmTracker(self, start).follow(targets)[0]

    def solve_position(self, position: Any, near: np.ndarray | Sequence[float]) -> np.ndarray:
        """The values nearest to `near` that bring the site to a position (3), the wrist unmoved; empty if none do."""
        point = np.ascontiguousarray(position, dtype=np.float64)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise SolveError(f"arm: expected a position of 3 finite numbers, got {position!r}")
        tracker = ArmTracker(self, near)
        found = limb_position.place(tracker._spec, tracker._rigid, point, tracker._space, self._out)
        return self._out[0].copy() if found else np.empty(0)

    def aimed(self, position: Any, at: Any, axis: Any = (1.0, 0.0, 0.0), roll: float = 0.0) -> np.ndarray:
        """The target 4×4 with the site at `position` and its `axis` towards the point `at`.

        The site is turned the shortest way from where the pose has it, then by `roll` about the axis.
        """
        away = np.asarray(at, dtype=np.float64) - np.asarray(position, dtype=np.float64)
        own = np.asarray(axis, dtype=np.float64)
        if not np.linalg.norm(away) > 0.0 or not np.linalg.norm(own) > 0.0:
            raise SolveError("arm: an aim needs an axis, and a point away from the site")
        away, own = away / np.linalg.norm(away), own / np.linalg.norm(own)
        turn = self._pose.matrix(self.site)[:3, :3]
        seen = turn @ own
        normal = np.cross(seen, away)
        size = float(np.linalg.norm(normal))
        normal = normal / size if size > 1e-12 else transforms.basis(seen)[:, 0]
        result = np.eye(4)
        bend = transforms.exp(normal * atan2(size, float(seen @ away)))
        result[:3, :3] = transforms.exp(away * roll) @ bend @ turn
        result[:3, 3] = position
        return result


def _matrix(target: Any) -> np.ndarray:
    matrix = target
    if not (type(target) is np.ndarray and target.dtype == np.float64 and target.flags.c_contiguous):
        matrix = np.ascontiguousarray(target, dtype=np.float64)
    if matrix.shape != (4, 4):
        raise SolveError(f"arm: expected a target of shape (4, 4), got {matrix.shape}")
    if not kernel.is_placement(matrix, _ORTHONORMAL):
        raise SolveError("arm: the target's upper left 3×3 is not a rotation, or some number is not finite")
    return matrix


def _distinct(rows: list[np.ndarray]) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for row in rows:
        if not any(np.abs(row - other).max() < 1e-9 for other in kept):
            kept.append(row)
    return kept
