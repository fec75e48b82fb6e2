"""How a robot stands at ease: its knees a little bent, its soles flat, its weight over their middle.

Straight legs are a singular place: no joint's first move lowers the hips, and knees that bend both ways may take the
wrong one.
"""

from __future__ import annotations

from manikin.errors import FigureError
from manikin.figure import Figure, Pose
from manikin.goals import Balance, Orientation, Pin, Position
from manikin.problem import Problem

#: How far the hips are lower than on straight legs, of their height; how far knees are bent to begin with, radians.
LOWER, BENT = 0.02, 0.35
#: From the edge of the soles, of the hips' height.
MARGIN = 0.03


def at_ease(figure: Figure) -> Pose:
    """The pose; at rest where the knees have no joint that says which way they bend, or nothing is found."""
    rest = figure.pose()
    try:
        knees = [_knee(figure, side) for side in ("left", "right")]
    except FigureError:
        return rest
    high = float(rest.position("pelvis")[2] - rest.position("left_foot")[2])
    q = rest.q.copy()
    for index, more, sign in knees:
        q[index] += sign * min(BENT, 0.5 * more)
    below = rest.position("pelvis") - [0.0, 0.0, LOWER * high]
    names = [f"{side}_sole_{k}" for side in ("left", "right") for k in (1, 2, 3, 4)]
    goals = [
        *(Pin(f"{side}_foot", at=rest.matrix(f"{side}_foot")) for side in ("left", "right")),
        Position("pelvis", below),
        Orientation("pelvis", rest.matrix("pelvis")[:3, :3]),
        Orientation("chest", rest.matrix("chest")[:3, :3], weight=0.1),
    ]
    if sum(segment.mass for segment in figure.segments.values()) > 0.0:
        goals.append(Balance(support=names, margin=MARGIN * high))
    found = Problem(figure, goals).solve(q, restarts=4)
    return found.pose if found.measured and all(miss.reached for miss in found.measured[:2]) else rest


def _knee(figure: Figure, side: str) -> tuple[int, float, float]:
    """The degree of freedom that bends a knee: its place, how far it goes, and which way.

    Of the joints between thigh and shank it is the one that goes farthest from where it is at rest.
    """
    found = [
        (figure.index(name), *_far(figure, name)) for name in figure.chain(f"{side}_hip", f"{side}_knee")
    ]
    if not found:
        raise FigureError(f"figure {figure.name!r}: no joint moves its {side} knee")
    return max(found, key=lambda one: one[1])


def _far(figure: Figure, name: str) -> tuple[float, float]:
    """How far a degree of freedom goes, the farther way, and the sign of that way."""
    k = figure.index(name)
    up, down = float(figure.upper[k] - figure.rest[k]), float(figure.rest[k] - figure.lower[k])
    return (up, 1.0) if up >= down else (down, -1.0)
