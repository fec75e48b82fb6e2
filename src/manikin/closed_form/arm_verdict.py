"""Whether a limb can reach a target, with the reason, and whether that is proved."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from manikin.figure import transforms
from manikin.figure.pose import Pose
from manikin.kernels.limb import carried as kernel, limb as entries
from manikin.kernels.limb.fixed import ROOM as FIXED_ROOM, solve_fixed
from manikin.kernels.limb.roots import ROOTS
from manikin.kernels.limb.spherical import OBLIQUE
from manikin.kernels.limb.swivel import STRETCHES, intervals

if TYPE_CHECKING:
    from manikin.closed_form.arm import Arm
    from manikin.closed_form.carried import Carried
    from manikin.result import Solution

# A distance this part of the reach beyond it is still within, as for the closed form.
_EDGE = 1e-12
# A position that a solve holds is met to the first, metres, and then polished to the second in so many steps.
_HELD, _ROUNDING, _POLISH = 1e-6, 1e-13, 8


@dataclass(frozen=True)
class Verdict:
    """Whether a target is within a limb's reach and limits: ``bool(verdict)``.

    reachable: some solution is within all limits.
    proved: it has been shown, not only searched for. A solution is proof; so is a distance that the hinge cannot make,
        and limits of hinges that leave no swivel angle, as those are solved in closed form. Limits of ball joints and
        couplings are searched on a fine grid, which may miss stretches shorter than 1e-4 rad; so is all of a limb that
        moves what carries it, but for distances beyond what limb and carrier stretched out can make.
    reason: why not, in words; empty where it is reachable.
    nearest: the 4×4 target nearest to it that the limb reaches: at the same orientation, the wrist moved along its line
        from the shoulder, where the distance is at fault and that is within the limits; else at the same position and
        least turned; else where a solve for both ends, a metre counting as much as a radian.
    """

    reachable: bool
    proved: bool
    reason: str
    nearest: np.ndarray

    def __bool__(self) -> bool:
        return self.reachable


def judge(arm: Arm, target: np.ndarray) -> Verdict:
    """The verdict on a target."""
    if arm.carried is not None:
        return _judge_carried(arm, arm.carried, target)
    spec = arm.limb.spec
    wrist, shoulder = wrist_of(spec, target), shoulder_of(spec)
    distance = float(np.linalg.norm(wrist - shoulder))
    low, high = hinge_reach(spec)
    slack = _EDGE * spec[entries.FARTHEST]
    if not low - slack <= distance <= high + slack:
        reason = (
            f"the wrist would be {distance:.6g} m from the shoulder; the hinge {arm.joints[arm.hinge]!r} allows "
            f"{low:.6g} to {high:.6g} m"
        )
        return Verdict(
            False, True, reason, _moved(arm, target, wrist, shoulder, min(max(distance, low), high))
        )
    if has_solution(spec, target):
        return Verdict(True, True, "", target.copy())
    relaxed = _without_searched_limits(spec)
    proved = not has_solution(relaxed, target)
    if proved:
        alone = [
            name for name, first in (("shoulder", 0), ("wrist", 4)) if _alone_fails(relaxed, target, first)
        ]
        whose = f"the {' and the '.join(alone)} alone" if alone else "shoulder and wrist together"
        reason = f"the limits of {whose} leave no swivel angle at that orientation"
    else:
        reason = (
            "no swivel angle was found within the limits of ball joints and couplings, which are searched"
        )
    return Verdict(False, proved, reason, _solved(arm, target))


def wrist_of(spec: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The wrist's centre of a target, in the world."""
    return target[:3, :3] @ spec[entries.TOOL_WRIST : entries.TOOL_WRIST + 3] + target[:3, 3]


def shoulder_of(spec: np.ndarray) -> np.ndarray:
    """The shoulder's centre, in the world."""
    turn = spec[entries.BASE : entries.BASE + 9].reshape(3, 3).T
    centre = turn @ spec[entries.CENTRE : entries.CENTRE + 3]
    return centre + spec[entries.BASE_ORIGIN : entries.BASE_ORIGIN + 3]


def hinge_reach(spec: np.ndarray) -> tuple[float, float]:
    """The least and the greatest distance of wrist from shoulder within the hinge's limits."""
    low, high, star = spec[entries.LOWER + 3], spec[entries.HIGHER + 3], spec[entries.STAR]
    a, m, d = (spec[k : k + 3] for k in (entries.HINGE, entries.UPPER_ARM, entries.FOREARM))
    ends = [float(np.linalg.norm(m + transforms.exp(a * t4) @ d)) for t4 in (low, high) if np.isfinite(t4)]
    for angle, distance in ((star, spec[entries.FARTHEST]), (star + pi, spec[entries.NEAREST])):
        turns = np.ceil((low - angle) / (2.0 * pi)) if np.isfinite(low) else 0.0
        if angle + 2.0 * pi * turns <= high:
            ends.append(float(distance))
    return min(ends), max(ends)


def has_solution(spec: np.ndarray, target: np.ndarray) -> bool:
    """Whether any solution is within the limits."""
    virtual = int(spec[entries.VIRTUAL])
    if virtual >= 0:
        return bool(solve_fixed(spec, target, virtual, 0.0, np.empty((FIXED_ROOM, 7))))
    found, counts = np.empty((8, STRETCHES, 2)), np.zeros(8, dtype=np.int64)
    intervals(spec, target, np.empty(ROOTS + 7), found, counts)
    return bool(counts.any())


def _without_searched_limits(spec: np.ndarray) -> np.ndarray:
    """The limb without the limits that have no closed form: ball joints' and couplings."""
    result = spec.copy()
    result[entries.ROWS] = result[entries.CONES] = 0.0
    for which in (0, 1):
        if spec[entries.SHOULDER_KIND + which] > OBLIQUE:
            _free(result, 4 * which)
    return result


def _free(spec: np.ndarray, first: int) -> None:
    places = [j for j in range(first, first + 3) if j != int(spec[entries.VIRTUAL])]
    spec[[entries.LOWER + j for j in places]] = -np.inf
    spec[[entries.HIGHER + j for j in places]] = np.inf


def _alone_fails(spec: np.ndarray, target: np.ndarray, first: int) -> bool:
    """Whether the limits of one spherical joint leave nothing even where the other has none."""
    result = spec.copy()
    _free(result, 4 - first)
    return not has_solution(result, target)


def _moved(
    arm: Arm, target: np.ndarray, wrist: np.ndarray, shoulder: np.ndarray, distance: float
) -> np.ndarray:
    """The target with the wrist moved to a distance along its line from the shoulder, if that is within the limits."""
    away = wrist - shoulder
    size = float(np.linalg.norm(away))
    if size == 0.0:
        return _solved(arm, target)
    result = target.copy()
    result[:3, 3] += away * (distance / size - 1.0)
    return result if has_solution(arm.limb.spec, result) else _solved(arm, target)


def _judge_carried(arm: Arm, carried: Carried, target: np.ndarray) -> Verdict:
    """The verdict on a limb that moves what carries it: by search, by a solve, and by what both stretched out can
    make.
    """
    if carried.families(target):
        return Verdict(True, True, "", target.copy())
    rail = carried.rail
    hinges = rail[kernel.HINGE_AT :].reshape(-1, kernel.HINGE_LENGTH)
    first = rail[kernel.FIRST : kernel.FIRST + 12]
    pivot = first[:9].reshape(3, 3) @ hinges[0, 9:12] + first[9:]
    reach = float(np.linalg.norm(hinges[1:, 9:12], axis=1).sum())
    reach += (
        float(np.linalg.norm(arm.limb.spec[entries.CENTRE : entries.CENTRE + 3]))
        + hinge_reach(arm.limb.spec)[1]
    )
    distance = float(np.linalg.norm(wrist_of(arm.limb.spec, target) - pivot))
    nearest = _solved(arm, target)
    if distance > reach * (1.0 + _EDGE):
        reason = (
            f"the wrist would be {distance:.6g} m from the joint that carries the limb's own carrier; stretched out "
            f"they make {reach:.6g} m"
        )
        return Verdict(False, True, reason, nearest)
    if len(carried.by_solve(arm, target)):
        return Verdict(True, True, "", target.copy())
    reason = "no swivel angle was found within the limits with the carrier following, which is searched"
    return Verdict(False, False, reason, nearest)


def _solved(arm: Arm, target: np.ndarray) -> np.ndarray:
    """The frame nearest to the target that a solve of the limb finds: at its position and least turned where it can be,
    else where position and orientation together are missed least.
    """
    from manikin.goals import Orientation, Position
    from manikin.problem import solve

    held = [Position(arm.site, target[:3, 3], hard=True), Orientation(arm.site, target[:3, :3])]
    found = solve(arm.held_pose, held, free=arm.joints, natural=False)
    if found.position_errors[0] > _HELD:
        return solution(arm, target).pose.matrix(arm.site)
    q, places = found.q.copy(), arm.limb.places
    lower, upper = arm.lower, arm.upper
    for _ in range(_POLISH):  # from what a solve promises to rounding
        pose = Pose(arm.figure, q)
        away = target[:3, 3] - pose.position(arm.site)
        if np.abs(away).max() < _ROUNDING:
            break
        step = np.linalg.lstsq(pose.jacobian(arm.site)[:3, places], away, rcond=1e-9)[0]
        q[places] = np.clip(q[places] + step, lower, upper)
    return Pose(arm.figure, q).matrix(arm.site)


def solution(arm: Arm, target: np.ndarray) -> Solution:
    """What a solve of the limb alone finds for the target."""
    from manikin.goals import Placement
    from manikin.problem import solve

    goal = Placement(arm.site, target[:3, 3], target[:3, :3])
    return solve(arm.held_pose, [goal], free=arm.joints, natural=False, tolerance=(1e-7, 1e-7))
