"""`Arm`: a limb solved in closed form, all solutions at once, within the limits."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2
from typing import Any

import numpy as np

from manikin.closed_form import arm_target, arm_verdict, natural_elbow
from manikin.closed_form.arm_foresight import accelerated, interpolated
from manikin.closed_form.arm_target import placement, placements, point, real, values
from manikin.closed_form.arm_tracker import ArmTracker
from manikin.closed_form.carried import Carried
from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.limb import carrier_of, limb_centers, place_carrier, recognise
from manikin.closed_form.swivel import nearest, union, widest
from manikin.closed_form.swivel_table import SwivelTable
from manikin.errors import FigureError, SolveError
from manikin.figure import checks, transforms
from manikin.figure.figure import Figure
from manikin.figure.movable import pose_of
from manikin.figure.pose import Pose
from manikin.kernels.limb import (
    lanes as limb_lanes,
    limb as kernel,
    position as limb_position,
    solve as limb_solve,
)
from manikin.kernels.limb.fixed import ROOM as FIXED_ROOM, solve_all_fixed, solve_fixed
from manikin.kernels.limb.swivel import STRETCHES, intervals
from manikin.kernels.limb.track import SPACE
from manikin.kernels.memory.lanes import aligned

# The site at which a named limb ends.
_ENDS = {"": "hand", "arm": "hand", "leg": "foot"}


class Arm:
    """A limb that is a spherical joint, a hinge and a spherical joint: arms and legs, and robots such as the iiwa.

    figure: a Figure, the rest of it held at its rest values, or a Pose, held as there.
    limb: ``"right"`` or ``"left"`` for the arm that ends at the site ``right_hand`` or ``left_hand``,
        ``"right_leg"`` or ``"left_leg"`` for the leg that ends at the foot; or three joints, that with which the limb
        begins, the hinge, and that with which it ends; None to take the seven or six angles above ``site``.
    site: the frame that targets are for; by default the hand or foot, or the segment behind the last joint.

    A FigureError says why a limb is not of this kind. Where the limb's own angles move what carries it (the shoulder
    girdle's rhythm of the human), limb and carrier are solved in turns until both hold, to 1e-13; what has a closed
    form otherwise, such as the intervals of φ, is then searched. Couplings among the angles count as limits.

    The swivel angle φ turns the elbow about the line from shoulder to wrist: 0 when it hangs lowest, positive
    right-handed about the direction to the wrist.

    One of the spherical joints may have two axes only, as an ankle has: the limb then has six angles, and the target
    leaves φ no freedom. All n = 7 or 6 values below are in the order of `joints`.
    """

    def __init__(
        self, figure: Figure | Pose, limb: str | Sequence[str] | None = "right", *, site: str | None = None
    ) -> None:
        self.held_pose = pose_of(figure, "arm")
        first = middle = None
        if isinstance(limb, str):
            side, _, which = limb.partition("_")
            if which not in _ENDS:
                raise FigureError(
                    f"arm: unknown limb {limb!r}; write for example 'right', 'left_arm', 'right_leg'"
                )
            site = f"{side}_{_ENDS[which]}" if site is None else site
        elif limb is not None:
            limb = checks.listed(limb, "arm: limb")
            if len(limb) != 3 or not all(isinstance(name, str) for name in limb):
                raise FigureError(f"arm: expected three joints (first, hinge, last), got {limb!r}")
            first, middle, last = limb
            joints = self.figure.joints
            if last not in joints:
                raise FigureError(f"figure {self.figure.name!r}: unknown joint {last!r}")
            site = joints[last].child if site is None else site
        if site is not None and not isinstance(site, str):
            raise FigureError(f"arm: a site is meant by its name, got {site!r}")
        if site is None:
            raise FigureError("arm: name the limb's side, its three joints, or the site it ends at")
        self.limb = recognise(self.held_pose, site, first, middle)
        self._spec = self.limb.spec
        self._virtual = self.limb.virtual
        self.hinge = 2 if self._virtual == 0 else 3
        self._held = self.held_pose.q[self.limb.places]
        self._out = np.empty((FIXED_ROOM, 7))
        self._space = np.empty(SPACE)
        self._box = aligned(limb_lanes.BOX)
        self.carried = Carried(self.held_pose, self.limb) if self.limb.carried else None

    @property
    def figure(self) -> Figure:
        """The figure whose limb this is."""
        return self.held_pose.figure

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of the seven or six degrees of freedom, in the order of the solutions' columns."""
        return self.limb.dofs

    @property
    def site(self) -> str:
        """The site that targets are for."""
        return self.limb.site

    @property
    def lower(self) -> np.ndarray:
        """The lower limits, rad."""
        return self.figure.lower[self.limb.places]

    @property
    def upper(self) -> np.ndarray:
        """The upper limits, rad."""
        return self.figure.upper[self.limb.places]

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the greatest distance of the wrist's centre from the shoulder's, limits aside, metres."""
        return float(self._spec[kernel.NEAREST]), float(self._spec[kernel.FARTHEST])

    def pose(self, q: np.ndarray | Sequence[float]) -> Pose:
        """The figure's pose with these n values, the others as they are held."""
        whole = self.held_pose.q.copy()
        whole[self.limb.places] = arm_target.coordinates(q, len(self.joints))
        return Pose(self.figure, whole)

    def solve(
        self, target: Any, swivel: float | None = None, *, prefer: str | float | SwivelTable = "widest"
    ) -> np.ndarray:
        """All distinct solutions (k, n) within the limits that bring the site to `target`, a 4×4 in the world.

        swivel: the angle φ; at most 8 solutions. When None, each family of solutions is taken at the φ of its own
            intervals that `prefer` names: ``"widest"`` (the middle of the widest), ``"rest"`` (the values nearest to
            rest, Σ(q − rest)² least over the family), ``"natural"`` (nearest to the human elbow of Soechting and
            Flanders), ``"outward"`` (nearest to a small φ away from the body), a `SwivelTable` (nearest to what it
            says), or a number (nearest to it).

        A limb of six angles has at most 8 solutions and needs no φ.
        """
        matrix = placement(target)
        if self._virtual >= 0:
            self._refuse_swivel(swivel)
            count = solve_fixed(self._spec, matrix, self._virtual, 0.0, self._out)
            return real(self._out[:count].copy(), self._virtual)
        if swivel is None:
            return self._at_preferred(matrix, prefer)
        phi = arm_target.number(swivel, "the swivel")
        return self._soon_at(matrix, phi) if self.carried is None else self.carried.solve_at(matrix, phi)

    def _soon_at(self, matrix: np.ndarray, phi: float) -> np.ndarray:
        """The solutions at φ; of a limb that moves what carries it those that rounds find, of each family one."""
        if self.carried is not None:
            return self.carried.soon_at(matrix, phi)
        count = limb_solve.solve_at(self._spec, matrix, phi, self._out)
        return self._out[:count].copy()

    def check(self, target: Any) -> arm_verdict.Verdict:
        """Whether a target 4×4 is within reach and limits, whether that is proved, why not, and what is nearest."""
        return arm_verdict.judge(self, placement(target))

    def _refuse_swivel(self, swivel: Any) -> None:
        if swivel is not None:
            raise SolveError(
                f"arm: the limb that ends at {self.site!r} has six angles, so the target leaves no swivel angle to "
                "choose; leave it out, or give a position only"
            )

    def _at_preferred(
        self, matrix: np.ndarray, prefer: str | float | SwivelTable, *, by_search: bool = True
    ) -> np.ndarray:
        """by_search: whether a carried limb that has no interval is left to a search, which may ask for seeds here."""
        rows = self._of_families(matrix, self.swivel_families(matrix), prefer)
        if len(rows) == 0 and self.carried is not None and by_search:
            return self.carried.by_solve(self, matrix)
        return rows

    def _of_families(
        self, matrix: np.ndarray, families: dict[int, np.ndarray], prefer: str | float | SwivelTable
    ) -> np.ndarray:
        """The solutions of each family at its preferred φ.

        A carried limb may have none at the φ it is asked for, though there are some about it: where its rounds come
        to depends on where they begin.
        """
        if isinstance(prefer, str) and prefer == "rest":
            return self._nearest_to_rest(matrix, families)
        wish = (
            None if isinstance(prefer, str) and prefer == "widest" else self.preferred_swivel(matrix, prefer)
        )
        found: list[np.ndarray] = []
        swivels: list[float] = []
        for stretches in families.values():
            phi = widest(stretches) if wish is None else nearest(stretches, wish)
            if not any(abs(phi - other) < 1e-9 for other in swivels):
                swivels.append(phi)
                found += list(self._soon_at(matrix, phi))
        return np.array(_distinct(found)).reshape(-1, 7)

    def _nearest_to_rest(self, matrix: np.ndarray, families: dict[int, np.ndarray]) -> np.ndarray:
        """Of each family the values with the least Σ(q − rest)²: the best of a grid over its intervals, then between
        that one's neighbours by golden sections.
        """
        rest = self.figure.rest[self.limb.places]

        def best_at(phi: float) -> tuple[float, np.ndarray | None]:
            rows = self._soon_at(matrix, phi)
            if len(rows) == 0:
                return np.inf, None
            away = ((rows - rest) ** 2).sum(axis=1)
            k = int(np.argmin(away))
            return float(away[k]), rows[k]

        found = []
        for stretches in families.values():
            ends = [(float(low), float(high)) for low, high in stretches]
            tried = {
                phi: best_at(phi)
                for low, high in ends
                for phi in np.linspace(low, high, 9 if high > low else 1).tolist()
            }
            phi = min(tried, key=lambda key: tried[key][0])
            low, high = next((a, b) for a, b in ends if a <= phi <= b)
            step = (high - low) / 8.0
            low, high, row = max(low, phi - step), min(high, phi + step), tried[phi][1]
            least = tried[phi][0]
            for _ in range(24):
                for at in (low + 0.382 * (high - low), low + 0.618 * (high - low)):
                    value, now = best_at(at)
                    if value < least:
                        least, row, phi = value, now, at
                low, high = (
                    (low, phi + 0.31 * (high - low))
                    if phi < 0.5 * (low + high)
                    else (phi - 0.31 * (high - low), high)
                )
            if row is not None:
                found.append(row)
        return np.array(_distinct(found)).reshape(-1, len(self.joints))

    def solve_many(self, targets: Any, swivels: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Solutions (N, 8, n) of N targets (N, 4, 4), each at its φ, and how many each has (N,); the rest is NaN.

        swivels: one for all or N; 0 by default. A limb of six angles takes none. Where the limb moves what carries it,
        each target is searched as by `solve`, and may have more than 8.
        """
        matrices = placements(targets)
        out = np.empty((len(matrices), kernel.MOST, 7))
        counts = np.empty(len(matrices), dtype=np.int64)
        if self._virtual >= 0:
            self._refuse_swivel(swivels)
            solve_all_fixed(self._spec, matrices, self._virtual, 0.0, self._space, out, counts)
            return real(out, self._virtual), counts
        phis = arm_target.swivels(0.0 if swivels is None else swivels, len(matrices))
        if self.carried is not None:
            return self.carried.solve_each(matrices, phis)
        limb_solve.solve_all(self._spec, matrices, phis, self._box, self._space, out, counts)
        return out, counts

    def solve_fixed(self, target: Any, joint: str | int, value: float) -> np.ndarray:
        """All solutions with one angle of a spherical joint at `value` (scheme 2, its six cases).

        joint: the name of a degree of freedom of shoulder or wrist, or its index among the seven. With an angle of
            three hinges, or a ball joint's twist, fixed there are at most 4 solutions per sign of the hinge. A ball
            joint's swing that is fixed leaves an equation for the other swing without a closed form, whose roots are
            found by bisection, mostly two.
        """
        if self._virtual >= 0:
            raise SolveError(
                f"arm: the limb that ends at {self.site!r} has six angles: no further one can be fixed; see solve"
            )
        place = joint if isinstance(joint, int) else self._place(joint)
        if place not in (0, 1, 2, 4, 5, 6):
            raise SolveError(
                f"arm: {joint!r} is not an angle of a spherical joint; the hinge follows from the target"
            )
        value = arm_target.number(value, "the fixed value")
        if self.carried is not None:
            return self.carried.solve_fixed(placement(target), place, value)
        axis_value = value / self._spec[kernel.FACTOR + place] + self._spec[kernel.OFFSET + place]
        count = solve_fixed(self._spec, placement(target), place, axis_value, self._out)
        return self._out[:count].copy()

    def _place(self, joint: str) -> int:
        if joint not in self.joints:
            raise SolveError(f"arm: unknown joint {joint!r}; expected one of: {', '.join(self.joints)}")
        return self.joints.index(joint)

    def swivel_families(self, target: Any) -> dict[int, np.ndarray]:
        """The intervals of φ (k, 2) of each family that has any, its limits kept.

        The family is 4·(sign of the hinge) + 2·(shoulder's) + (wrist's). An interval over ±π begins below −π.
        Where the limb moves what carries it the intervals are searched on a grid of 5°, then of 1°; shorter ones may be
        missed.
        """
        if self.carried is not None:
            return self.carried.families(placement(target))
        found, counts = np.empty((8, STRETCHES, 2)), np.zeros(8, dtype=np.int64)
        intervals(self._spec, placement(target), self._space, found, counts)
        return {family: found[family, :count] for family, count in enumerate(counts) if count}

    def swivel_intervals(self, target: Any) -> np.ndarray:
        """The φ at which there is any solution within the limits, as intervals (k, 2) in order; none: no rows.

        An interval over ±π begins below −π; the whole circle is −π to π. A limb of six angles has single angles only.
        """
        if self._virtual >= 0:
            matrix = placement(target)
            phis = [limb_solve.swivel_of(self._spec, self._seven(q), matrix) for q in self.solve(matrix)]
            return union([np.array([[phi, phi]]) for phi in phis])
        return union(list(self.swivel_families(target).values()))

    def centers(self) -> tuple[tuple[str, np.ndarray], ...]:
        """Shoulder, elbow and wrist as the goal Swivel wants them: the motion that carries each, and where in
        its frame.
        """
        return limb_centers(self.held_pose, self.limb)

    def swivel(self, q: np.ndarray | Sequence[float]) -> float:
        """The φ of n values."""
        pose = self.pose(q)
        spec = self._spec
        if self.carried is not None:
            spec = spec.copy()
            place_carrier(spec, carrier_of(pose, self.limb))
        return float(limb_solve.swivel_of(spec, self._seven(q), pose.matrix(self.site)))

    def _seven(self, q: np.ndarray | Sequence[float]) -> np.ndarray:
        """The closed form's seven values."""
        return values(q, self._virtual)

    def swivel_towards(self, target: Any, point: Any) -> float:
        """The φ that brings the elbow as near as it can be to a point of the world."""
        origin, _, down, side = self._circle(placement(target))
        across = arm_target.point(point, "the point") - origin
        return atan2(float(across @ side), float(across @ down))

    def natural_swivel(self, target: Any, table: str = "dark") -> float:
        """The φ of a human elbow (Soechting and Flanders); `table` is ``"dark"`` or ``"accurate"`` pointing."""
        matrix = placement(target)
        origin, _, down, side = self._circle(matrix)
        arm = natural_elbow.upper_arm(self.held_pose, self.site, origin, matrix[:3, 3], table)
        return atan2(float(arm @ side), float(arm @ down))

    def preferred_swivel(self, target: Any, prefer: str | float | SwivelTable = "natural") -> float:
        """The φ that ``"natural"``, ``"outward"``, a `SwivelTable` or a number means for a target, limits aside."""
        if isinstance(prefer, SwivelTable):
            return natural_elbow.outwards(self.site) * prefer.swivel(self.seen_from_shoulder(target))
        if prefer == "natural":
            return self.natural_swivel(target)
        if prefer == "outward":
            return natural_elbow.outwards(self.site) * natural_elbow.SMALL
        if isinstance(prefer, str) and prefer in ("widest", "rest"):
            raise SolveError(
                f"arm: {prefer!r} is no swivel angle of a target alone; ask solve(prefer={prefer!r})"
            )
        if isinstance(prefer, str):
            raise SolveError(
                f"arm: prefer is 'widest', 'rest', 'natural', 'outward', a SwivelTable or a number, got {prefer!r}"
            )
        return arm_target.number(prefer, "prefer")

    def learn_swivels(self, targets: Any, rows: Any, size: int = 6) -> SwivelTable:
        """A `SwivelTable` of recorded poses: targets (N, 4, 4) of the site and the values (N, n) that reached them."""
        matrices, taken = placements(targets), arm_target.array_of(rows, "the values")
        if taken.shape != (len(matrices), len(self.joints)):
            raise SolveError(
                f"arm: expected values of shape {(len(matrices), len(self.joints))}, got {taken.shape}"
            )
        phis = (
            [self.swivel(q) for q in taken]
            if self.carried is not None
            else [
                limb_solve.swivel_of(self._spec, self._seven(q), m)
                for q, m in zip(taken, matrices, strict=True)
            ]
        )
        seen = np.array([self.seen_from_shoulder(matrix) for matrix in matrices]).reshape(-1, 3)
        return SwivelTable.fit(seen, natural_elbow.outwards(self.site) * np.array(phis), size)

    def seen_from_shoulder(self, target: Any) -> np.ndarray:
        """A target's position from the shoulder: ahead, to the limb's own side and up, metres."""
        matrix = placement(target)
        away = matrix[:3, 3] - arm_verdict.shoulder_of(self._spec)
        return np.array(natural_elbow.seen(self.held_pose, self.site, away))

    def _circle(self, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Shoulder, n̂, û and v̂ in the world."""
        out = np.empty((3, 3))
        limb_solve.swivel_frame(self._spec, matrix, out)
        turn = self._spec[kernel.BASE : kernel.BASE + 9].reshape(3, 3).T
        origin = arm_verdict.shoulder_of(self._spec)
        n, u, v = out @ turn.T
        return origin, n, u, v

    def polish(self, target: Any, q: np.ndarray, *, steps: int = 40) -> np.ndarray:
        """Values near q that reach the target with the girdle following them, φ kept; empty where there are none.

        The closed form and the girdle take turns: each solution moves the girdle, which is held for the next.
        """
        matrix = placement(target)
        if not isinstance(steps, int) or steps < 1:
            raise SolveError(f"arm: steps must be a whole number of at least 1, got {steps!r}")
        spec, q = self._spec.copy(), self._seven(q)
        phi = limb_solve.swivel_of(spec, q, matrix)
        for _ in range(steps):
            place_carrier(spec, carrier_of(self.pose(real(q, self._virtual)), self.limb))
            if self._virtual >= 0:
                count = solve_fixed(spec, matrix, self._virtual, 0.0, self._out)
            else:
                count = limb_solve.solve_at(spec, matrix, phi, self._out)
            if count == 0:
                return np.empty(0)
            steps_away = ((self._out[:count] - q) ** 2).sum(axis=1)
            last, q = q, self._out[int(np.argmin(steps_away))].copy()
            if np.abs(q - last).max() < 1e-13:
                return real(q, self._virtual)
        return np.empty(0)

    def track(
        self,
        targets: Any,
        start: np.ndarray | Sequence[float],
        *,
        foresight: bool = True,
        speed: float | None = None,
        acceleration: float | None = None,
        times: Any = None,
    ) -> np.ndarray:
        """The values (T, n) that follow targets (T, 4, 4) from `start`.

        foresight: know the whole path, and make the greatest step least; else follow it as a stream does. A limb that
            moves what carries it (an arm of the default human) is followed as a stream either way.
        speed: no joint faster, rad/s with `times` (T,) in seconds, rad a sample without; a flip is then interpolated,
            and the hand leaves its path meanwhile.
        acceleration: no joint accelerates more, rad/s² or rad a sample²: a flip is then passed in the fewest samples
            that speed, acceleration and ranges allow. Where the path as a whole is too fast, that is a SolveError.

        `ArmTracker.foresee` and `ArmTracker.follow` also tell how each target was met.
        """
        if not isinstance(foresight, (bool, np.bool_)):
            raise SolveError(f"arm: foresight must be true or false, got {foresight!r}")
        tracker = ArmTracker(self, start)
        rows = tracker.foresee(targets)[0] if foresight else tracker.follow(targets)[0]
        if acceleration is not None:
            begin = np.asarray(start, dtype=np.float64)
            return accelerated(begin, rows, speed, acceleration, times, JointRegion(self._spec))
        if speed is None:
            return rows
        return interpolated(np.asarray(start, dtype=np.float64), rows, speed, times)[0]

    def solve_position(
        self, position: Any, near: np.ndarray | Sequence[float], swivel: float | None = None
    ) -> np.ndarray:
        """The values nearest to `near` that bring the site to a position (3), the wrist unmoved; empty if none do.

        swivel: the φ of the wrist's line to the site; then all solutions (k, n) there, the wrist as in `near`.
        """
        where = point(position)
        if self.carried is not None:
            return self.carried.solve_position(self, where, near, swivel)
        track = ArmTracker(self, near).limb
        if swivel is None:
            found = limb_position.place(track.spec, track.rigid, where, track.space, self._out)
            return real(self._out[0].copy(), self._virtual) if found else np.empty(0)
        phi = arm_target.number(swivel, "the swivel")
        count = limb_position.place_at(track.spec, track.rigid, where, phi, track.space, self._out)
        return real(self._out[:count].copy(), self._virtual)

    def aimed(self, position: Any, at: Any, axis: Any = (1.0, 0.0, 0.0), roll: float = 0.0) -> np.ndarray:
        """The target 4×4 with the site at `position` and its `axis` towards the point `at`.

        The site is turned the shortest way from where the pose has it, then by `roll` about the axis.
        """
        where = point(position)
        away, own = point(at, "at") - where, point(axis, "axis")
        roll = arm_target.number(roll, "roll")
        if not np.linalg.norm(away) > 0.0 or not np.linalg.norm(own) > 0.0:
            raise SolveError("arm: an aim needs an axis, and a point away from the site")
        away, own = away / np.linalg.norm(away), own / np.linalg.norm(own)
        turn = self.held_pose.matrix(self.site)[:3, :3]
        seen = turn @ own
        normal = np.cross(seen, away)
        size = float(np.linalg.norm(normal))
        normal = normal / size if size > 1e-12 else transforms.basis(seen)[:, 0]
        result = np.eye(4)
        bend = transforms.exp(normal * atan2(size, float(seen @ away)))
        result[:3, :3] = transforms.exp(away * roll) @ bend @ turn
        result[:3, 3] = where
        return result


def _distinct(rows: list[np.ndarray]) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for row in rows:
        if not any(np.abs(row - other).max() < 1e-9 for other in kept):
            kept.append(row)
    return kept
