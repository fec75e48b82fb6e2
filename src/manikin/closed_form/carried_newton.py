"""A limb that moves what carries it, with one angle or the swivel given: Newton's method from the closed form's seeds.

The closed form, with the carrier held where each of several postures has it, gives values that miss the target by what
the carrier would move. From there Newton's method solves for the true kinematics: the site's six errors and, for a
swivel angle φ, φ's own, by least squares. The closed form's ranges are widened meanwhile, since a seed may be outside
where the solution is inside. What Newton's method ends with counts if it reaches the target and keeps all limits.
"""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from manikin.closed_form.joint_region import JointRegion
from manikin.closed_form.limb import carrier_of, place_carrier
from manikin.figure.pose import Pose
from manikin.kernels.limb import limb as entries, solve as limb_solve
from manikin.kernels.limb.fixed import ROOM as FIXED_ROOM, solve_fixed

if TYPE_CHECKING:
    from manikin.closed_form.carried import Carried

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


class CarriedNewton:
    """Solutions of one carried limb."""

    def __init__(self, carried: Carried) -> None:
        self._carried, self._limb = carried, carried.limb
        self._figure, self._values = carried._pose.figure, carried._pose.q
        self._region = JointRegion(self._limb.spec)
        self._out = np.empty((FIXED_ROOM, 7))

    def at_fixed(self, target: np.ndarray, place: int, value: float) -> np.ndarray:
        """Distinct solutions (k, 7) with one coordinate at a value."""
        spec = self._limb.spec
        axis_value = value / spec[entries.FACTOR + place] + spec[entries.OFFSET + place]
        wide, seeds = self._widened("fixed"), []
        for start in self._carried.starts:
            self._carried._place(wide, start)
            count = solve_fixed(wide, target, place, axis_value, self._out)
            seeds += list(self._out[:count].copy())
        found: list[np.ndarray] = []
        self._add(found, seeds, target, "fixed", place, value)
        for thorough in (False, True):
            if thorough and found:
                break
            seeds += self._crossings(target, place, value, thorough=thorough)
            self._add(found, seeds, target, "fixed", place, value)
        return np.array(found).reshape(-1, 7)

    def at_swivel(self, target: np.ndarray, phi: float, known: np.ndarray) -> np.ndarray:
        """Distinct solutions (k, 7) at a swivel angle, those that are known among them."""
        wide, seeds = self._widened("swivel"), []
        for start in self._carried.starts:
            self._carried._place(wide, start)
            count = limb_solve.solve_at(wide, target, phi, self._out)
            seeds += list(self._out[:count].copy())
        found = list(known)
        self._add(found, seeds, target, "swivel", None, phi)
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
            if q is None:
                continue
            inside = np.clip(q, self._region.lower, self._region.upper)
            good = np.abs(inside - q).max() < _BEYOND and self._region.holds(inside[None])
            if good and not any(np.abs(inside - other).max() < _SAME for other in found):
                found.append(inside)
        seeds.clear()

    def _solved(
        self, seed: np.ndarray, target: np.ndarray, place: int | None, value: float
    ) -> np.ndarray | None:
        """Where Newton's method ends; None where that is no solution."""
        q = seed.copy()
        free = [j for j in range(7) if j != place]
        if place is not None:
            q[place] = value
        for _ in range(_STEPS):
            pose = self._pose(q)
            now = pose.matrix(self._limb.site)
            turn = 0.5 * np.cross(now[:3, :3].T, target[:3, :3].T).sum(axis=0)
            error = np.concatenate([target[:3, 3] - now[:3, 3], turn])
            jacobian = pose.jacobian(self._limb.site)[:, self._limb.places[free]]
            left = 0.0
            if place is None:
                here = self._swivel(pose, q)
                left = _wrapped(value - here)
            if np.abs(now - target).max() < _MET and abs(left) < _MET_SWIVEL:
                return q
            if place is None:
                error, jacobian = np.append(error, left), np.vstack([jacobian, self._slope(q, here)])
            way = np.linalg.lstsq(jacobian, error, rcond=1e-10)[0]
            q[free] += way * min(1.0, _LONGEST / max(float(np.abs(way).max()), 1e-12))
            if np.abs(q).max() > 3.0 * pi:
                return None
        return None

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


def _wrapped(angle: float) -> float:
    """An angle less whole turns, from −π to π."""
    return (angle + pi) % (2.0 * pi) - pi
