"""How a robot stands at ease: its knees a little bent, its soles flat, its weight well over them, all else as at rest.

Straight legs are a singular place: no joint's first move lowers the hips, and knees that bend both ways may take the
wrong one.
"""

from __future__ import annotations

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure, Pose
from manikin.goals import Balance, OnLine, Orientation, Pin, Posture
from manikin.problem import Problem

#: Radians that knees are bent.
BENT = 0.35
#: From the edge of the soles, of the hips' height.
MARGIN = 0.03


def at_ease(figure: Figure) -> Pose:
    """The pose; at rest where the knees have no joint that says which way they bend, or nothing is found."""
    rest = figure.pose()
    try:
        knees = [_knee(figure, side) for side in ("left", "right")]
    except FigureError:
        return rest
    q = rest.q.copy()
    for index, more in knees:
        q[index] += np.sign(more) * min(BENT, 0.5 * abs(more))
    high = float(rest.position("pelvis")[2] - rest.position("left_foot")[2])
    names = [f"{side}_sole_{k}" for side in ("left", "right") for k in (1, 2, 3, 4)]
    goals = [
        *(Pin(f"{side}_foot", at=rest.matrix(f"{side}_foot")) for side in ("left", "right")),
        OnLine("pelvis", rest.position("pelvis"), (0.0, 0.0, 1.0)),
        Orientation("pelvis", rest.matrix("pelvis")[:3, :3]),
        Orientation("chest", rest.matrix("chest")[:3, :3], weight=0.1),
    ]
    if sum(segment.mass for segment in figure.segments.values()) > 0.0:
        goals.append(Balance(support=names, margin=MARGIN * high))
    goals.append(Posture(q))
    legs = {name for side in ("left", "right") for name in figure.chain(figure.root, f"{side}_foot")}
    legs.update(name for name in figure.dofs if figure.dof(name).joint == "root")
    bent = {name for k, name in enumerate(figure.dofs) if k in dict(knees)}
    found = Problem(figure, goals, free=[name for name in figure.dofs if name in legs - bent]).solve(
        q, restarts=4
    )
    pins = [miss.reached for miss in found.measured if isinstance(miss.goal, Pin)]
    return found.pose if pins and all(pins) else rest


def _knee(figure: Figure, side: str) -> tuple[int, float]:
    """The degree of freedom that bends a knee: its place, and how far it goes, signed.

    Of the joints between thigh and foot it is the one that brings the ankle nearest to the hip.
    """
    rest = figure.pose()
    found = []
    for name in figure.chain(f"{side}_hip", f"{side}_ankle"):
        k = figure.index(name)
        up, down = float(figure.upper[k] - rest.q[k]), float(figure.lower[k] - rest.q[k])
        more = up if up >= -down else down
        if not np.isfinite(more) or more == 0.0:
            continue
        q = rest.q.copy()
        q[k] += np.sign(more) * min(BENT, abs(more))
        found.append((_length(rest, side) - _length(Pose(figure, q), side), k, more))
    if not found or max(found)[0] <= 0.0:
        raise FigureError(f"figure {figure.name!r}: no joint bends its {side} knee")
    return max(found)[1:]


def _length(pose: Pose, side: str) -> float:
    return float(np.linalg.norm(pose.position(f"{side}_hip") - pose.position(f"{side}_ankle")))
