"""A limb that moves what carries it, with one angle or the swivel given: Newton's method from the closed form's seeds.

The closed form, with the carrier held where each of several postures has it, gives values that miss the target by what
the carrier would move. From there Newton's method solves for the true kinematics: the site's six errors and, for a
swivel angle φ, φ's own, by least squares. The closed form's ranges are widened meanwhile, since a seed may be outside
where the solution is inside. What Newton's method ends with counts if it reaches the target and keeps all limits.

Where the elbow is nearly straight two solutions r lie close together, and all seeds come to one of them. Beside a
solution at which the equations F are nearly singular it begins again with that one deflated: Newton's step for
F(q) Π (1 + 1/|q − r|²) is its step s for F times 1 / (1 − s·∇ log Π (1 + 1/|q − r|²)), which leaves r.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.closed_form.arm_verdict import shoulder_of, wrist_of
from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.limb import carrier_of, place_carrier
from manikin.figure.pose import Pose
from manikin.kernels.limb import limb as entries, solve as limb_solve
from manikin.kernels.limb.fixed import ROOM as FIXED_ROOM, solve_fixed

if TYPE_CHECKING:
    from manikin.closed_form.carried import Carried

# Where the seeds come to nothing: so many solutions with the nearest swivel angles are taken as seeds.
_NEAREST = 24
# Seeds are no nearer to the limb's least and greatest reach than this part of what lies between.
_INSIDE = 1e-4
# How much wider ranges are for seeds, radians: of 100 known solutions each with a wrist's angle fixed 0.8 finds 287
# of 300, 1.2 295 and 3.0 294, in five times the time.
_WIDER = {"fixed": 1.2, "swivel": 0.8}
# Seeds nearer to each other than this, radians, are one; solutions than this.
_ALIKE = {"fixed": 0.05, "swivel": 0.1}
_SAME = 1e-7
# Newton's method: steps, the longest, what is met (metres and radians) and beyond a range by rounding.
_STEPS, _LONGEST, _MET, _MET_SWIVEL, _BEYOND = 15, 0.5, 1e-12, 1e-10, 1e-10
# A swivel angle's derivative is taken by this difference.
_DIFFERENCE = 1e-7
# Below this singular value a solution may have another beside it, looked for from so far to either side, radians.
_NEARLY_SINGULAR, _ASIDE = 0.05, 0.02


class CarriedNewton:
    """Solutions of one carried limb."""

    def __init__(self, carried: Carried) -> None:
        self._carried, self._limb = carried, carried.limb
        self._figure, self._values = carried._pose.figure, carried._pose.q
        self._region = JointRegion(self._limb.spec)
        self._out = np.empty((FIXED_ROOM, 7))
        self._roots: list[np.ndarray] = []
        """All solutions that were come to, those beyond the limits too."""

    def at_fixed(self, target: np.ndarray, place: int, value: float) -> np.ndarray:
        """Distinct solutions (k, 7) with one coordinate at a value."""
        spec = self._limb.spec
        axis_value = value / spec[entries.FACTOR + place] + spec[entries.OFFSET + place]
        wide, seeds = self._widened("fixed"), []
        for start in self._carried.starts:
            self._carried.place_at(wide, start)
            count = solve_fixed(wide, _within_reach(wide, target), place, axis_value, self._out)
            seeds += list(self._out[:count].copy())
        found: list[np.ndarray] = []
        self._add(found, seeds, target, "fixed", place, value)
        for thorough in (False, True):
            if thorough and found:
                break
            seeds += self._crossings(target, place, value, thorough=thorough)
            self._add(found, seeds, target, "fixed", place, value)
        self._add_beside(found, target, place, value)
        return np.array(found).reshape(-1, 7)

    def at_swivel(self, target: np.ndarray, phi: float, known: np.ndarray) -> np.ndarray:
        """Distinct solutions (k, 7) at a swivel angle, those that are known among them."""
        wide, seeds = self._widened("swivel"), []
        for start in self._carried.starts:
            self._carried.place_at(wide, start)
            count = limb_solve.solve_at(wide, _within_reach(wide, target), phi, self._out)
            seeds += list(self._out[:count].copy())
        found = list(known)
        self._roots += found
        self._add(found, seeds, target, "swivel", None, phi)
        self._add_beside(found, target, None, phi)
        for thorough in (False, True):
            if not found:
                seeds = self._nearest(target, phi, thorough=thorough)
                self._add(found, seeds, target, "swivel", None, phi)
                self._add_beside(found, target, None, phi)
        return np.array(found).reshape(-1, 7)

    def _widened(self, kind: str) -> np.ndarray:
        """The closed form's numbers with wider ranges, and neither couplings nor cones."""
        spec = self._limb.spec.copy()
        spec[entries.LOWER : entries.LOWER + 7] -= _WIDER[kind]
        spec[entries.HIGHER : entries.HIGHER + 7] += _WIDER[kind]
        spec[entries.ROWS] = spec[entries.CONES] = 0
        return spec

    def _crossings(self, target: np.ndarray, place: int, value: float, *, thorough: bool) -> list[np.ndarray]:
        """Of solutions all round the swivel's circle those that come nearest to the fixed value."""
        met, rows = self._carried.all_round(target, thorough=thorough)
        away = np.where(met, np.abs(rows[:, :, place] - value), np.inf)
        nearest = (away <= np.roll(away, 1, axis=1)) & (away <= np.roll(away, -1, axis=1)) & met
        seeds: np.ndarray = rows[nearest].copy()
        seeds[:, place] = value
        return list(seeds)

    def _nearest(self, target: np.ndarray, phi: float, *, thorough: bool) -> list[np.ndarray]:
        """Of solutions all round the swivel's circle those with the nearest angles."""
        met, rows = self._carried.all_round(target, thorough=thorough)
        count = met.shape[1]
        away = np.abs(_wrapped(2.0 * pi * (np.arange(count) + 0.5) / count - pi - phi))
        order = np.argsort(np.where(met, away, np.inf), axis=None)[: min(_NEAREST, int(met.sum()))]
        return list(rows.reshape(-1, 7)[order])

    def _add(
        self,
        found: list[np.ndarray],
        seeds: list[np.ndarray],
        target: np.ndarray,
        kind: str,
        place: int | None,
        value: float,
    ) -> None:
        """Add what Newton's method comes to from each seed that is unlike the others; seeds are used up."""
        tried: list[np.ndarray] = []
        for seed in seeds:
            if any(np.abs(seed - other).max() < _ALIKE[kind] for other in tried):
                continue
            tried.append(seed)
            q = self._solved(seed, target, place, value)
            if q is not None and _is_new(q, self._roots):
                self._roots.append(q)
                self._take(found, q)
        seeds.clear()

    def _take(self, found: list[np.ndarray], q: np.ndarray) -> None:
        """Add a solution if it is within all limits and new."""
        inside = np.clip(q, self._region.lower, self._region.upper)
        if np.abs(inside - q).max() < _BEYOND and self._region.holds(inside[None]) and _is_new(inside, found):
            found.append(inside)

    def _add_beside(
        self, found: list[np.ndarray], target: np.ndarray, place: int | None, value: float
    ) -> None:
        """Add solutions beside those at which the equations are nearly singular."""
        for root in self._roots:  # grows meanwhile
            _, jacobian, _ = self._equations(root, target, place, value)
            _, sizes, ways = np.linalg.svd(jacobian)
            if sizes[-1] > _NEARLY_SINGULAR:
                continue
            for side in (_ASIDE, -_ASIDE):
                start = root.copy()
                start[_free(place)] += side * ways[-1]
                q = self._solved(start, target, place, value, self._roots)
                if q is not None and _is_new(q, self._roots):
                    self._roots.append(q)
                    self._take(found, q)

    def _solved(
        self,
        seed: np.ndarray,
        target: np.ndarray,
        place: int | None,
        value: float,
        deflated: Sequence[np.ndarray] = (),
    ) -> np.ndarray | None:
        """Where Newton's method ends; None where that is no solution."""
        q, free = seed.copy(), _free(place)
        if place is not None:
            q[place] = value
        for _ in range(2 * _STEPS if deflated else _STEPS):
            error, jacobian, miss = self._equations(q, target, place, value)
            if miss < _MET and np.abs(error[6:]).max(initial=0.0) < _MET_SWIVEL:
                return q
            way = np.linalg.lstsq(jacobian, error, rcond=1e-10)[0]
            if deflated:
                way = way / _leaving(q[free], way, [root[free] for root in deflated])
            q[free] += way * min(1.0, _LONGEST / max(float(np.abs(way).max()), 1e-12))
            if not np.abs(q).max() <= 3.0 * pi:
                return None
        return None

    def _equations(
        self, q: np.ndarray, target: np.ndarray, place: int | None, value: float
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """What is left of the target, and of φ if no angle is fixed; the derivatives of the site and of φ; and the
        greatest entry of what is left of the target's matrix.
        """
        pose = self._pose(q)
        now = pose.matrix(self._limb.site)
        turn = 0.5 * np.cross(now[:3, :3].T, target[:3, :3].T).sum(axis=0)
        error = np.concatenate([target[:3, 3] - now[:3, 3], turn])
        miss = float(np.abs(now - target).max())
        jacobian = pose.jacobian(self._limb.site)[:, self._limb.places[_free(place)]]
        if place is None:
            here = self._swivel(pose, q)
            error, jacobian = (
                np.append(error, _wrapped(value - here)),
                np.vstack([jacobian, self._slope(q, here)]),
            )
        return error, jacobian, miss

    def _pose(self, q: np.ndarray) -> Pose:
        whole = self._values.copy()
        whole[self._limb.places] = q
        return Pose(self._figure, whole)

    def _swivel(self, pose: Pose, q: np.ndarray) -> float:
        """φ of values."""
        spec = self._carried.spec
        place_carrier(spec, carrier_of(pose, self._limb))
        return float(limb_solve.swivel_of(spec, q, pose.matrix(self._limb.site)))

    def _slope(self, q: np.ndarray, here: float) -> np.ndarray:
        """φ's derivatives by differences; beyond the hinge no angle moves shoulder, elbow or wrist."""
        slope = np.zeros(7)
        for j in range(4):
            beside = q.copy()
            beside[j] += _DIFFERENCE
            slope[j] = _wrapped(self._swivel(self._pose(beside), beside) - here) / _DIFFERENCE
        return slope


def _within_reach(spec: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The target, its wrist moved along its line from the shoulder if the carrier as it is leaves it out of reach.

    The elbow is then not quite straight, or not quite folded.
    """
    shoulder, wrist = shoulder_of(spec), wrist_of(spec, target)
    size = float(np.linalg.norm(wrist - shoulder))
    near, far = spec[entries.NEAREST], spec[entries.FARTHEST]
    distance = min(max(size, near + _INSIDE * (far - near)), far - _INSIDE * (far - near))
    if distance == size or size == 0.0:
        return target
    moved = target.copy()
    moved[:3, 3] += (wrist - shoulder) * (distance / size - 1.0)
    return moved


def _free(place: int | None) -> list[int]:
    """The angles that may move."""
    return [j for j in range(7) if j != place]


def _is_new(q: np.ndarray, others: Sequence[np.ndarray]) -> bool:
    return not any(np.abs(q - other).max() < _SAME for other in others)


def _leaving(q: np.ndarray, way: np.ndarray, roots: Sequence[np.ndarray]) -> float:
    """1 − s·∇ log Π (1 + 1/|q − r|²) for Newton's step s."""
    slope = 0.0
    for root in roots:
        away = q - root
        square = max(float(away @ away), 1e-30)
        slope -= 2.0 * float(away @ way) / (square * (square + 1.0))
    return 1.0 - slope if abs(1.0 - slope) > 1e-12 else 1.0


def _wrapped(angle: Any) -> Any:
    """An angle less whole turns, from −π to π."""
    return (angle + pi) % (2.0 * pi) - pi
