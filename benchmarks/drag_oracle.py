"""Whether a dragged figure is as it should be, by forward kinematics in plain NumPy, not by the solver's word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
from scipy.spatial import ConvexHull

import manikin as mk
from benchmarks.recheck import METRES, RADIANS
from manikin.figure import kinematics
from manikin.figure.shapes import capsules_of, round_cone_distance
from manikin.figure.sole import sole

#: What is hard, and every limit, holds to this: metres or radians.
HARD = 1e-8
FEET = ("left_foot", "left_toes", "right_foot", "right_toes")


@dataclass
class Seen:
    """A figure at a configuration: the frames of its segments, (S, 4, 4), and its centre of mass."""

    figure: mk.Figure
    q: np.ndarray

    def __post_init__(self) -> None:
        tree = self.figure.tree
        self.segments = dict(
            zip(
                self.figure.segments,
                kinematics.segment_frames(tree, kinematics.frames(tree, self.q)),
                strict=True,
            )
        )

    def site(self, name: str) -> np.ndarray:
        """A site's frame, 4×4."""
        site = self.figure.site(name)
        return self.segments[site.segment] @ site.placement

    def center_of_mass(self) -> np.ndarray:
        """In the world."""
        return kinematics.center_of_mass(self.figure.tree, self.q)


def angle_between(first: np.ndarray, second: np.ndarray) -> float:
    """Angle of the rotation between two frames."""
    apart = np.linalg.norm(first[:3, :3] - second[:3, :3])
    return 2.0 * float(np.arcsin(min(1.0, apart / np.sqrt(8.0))))


def beyond_limits(figure: mk.Figure, q: np.ndarray) -> float:
    """How far outside its ranges, couplings and cones a configuration is, at most; 0 inside."""
    worst = max(float((figure.lower - q).max()), float((q - figure.upper).max()), 0.0)
    values = dict(zip(figure.dofs, q.tolist(), strict=True))
    for coupling in figure.couplings:
        total = coupling.value(values)
        worst = max(worst, coupling.lower - total, total - coupling.upper)
    return max([worst, *(cone.distance(q) for cone in figure.cones)])


def _moved(now: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    return float(np.linalg.norm(now[:3, 3] - wanted[:3, 3])), angle_between(now, wanted)


def inside_support(seen: Seen, names: Sequence[str]) -> float:
    """How far inside the hull of these segments' soles the centre of mass is, from above; negative outside."""
    corners = [
        (seen.segments[name] @ [*point, 1.0])[:2]
        for name in names
        for _, point in sole(seen.figure, name, name)
    ]
    hull = ConvexHull(corners)
    return -float((hull.equations[:, :2] @ seen.center_of_mass()[:2] + hull.equations[:, 2]).max())


def clearance(seen: Seen, pattern: str, ball: mk.Ball) -> float:
    """The least distance of a ball to the capsules of the segments that a pattern names."""
    distances = [
        round_cone_distance(capsule, np.linalg.inv(seen.segments[name])[:3] @ [*ball.center, 1.0])
        for name in seen.figure.segments
        if fnmatchcase(name, pattern)
        for capsule in capsules_of(seen.figure, name, pattern)
    ]
    return min(distances) - float(ball.radius)


def _open_loops(seen: Seen) -> float:
    """How far open the widest loop is that minds positions alone."""
    gaps = [
        np.linalg.norm(seen.site(loop.site)[:3, 3] - seen.site(loop.other)[:3, 3])
        for loop in seen.figure.loops
    ]
    return float(max(gaps, default=0.0))


def missed(goal: mk.Goal, target: np.ndarray | None, seen: Seen, start: Seen) -> bool:
    """Whether a goal is missed by more than what counts as met; what is only preferred never is."""
    metres, radians = (HARD, HARD) if getattr(goal, "hard", False) else (METRES, RADIANS)
    if isinstance(goal, mk.Position):
        point = goal.target if target is None else target
        return float(np.linalg.norm(seen.site(goal.site)[:3, 3] - point)) > metres
    if isinstance(goal, (mk.Placement, mk.Pin)):
        if isinstance(goal, mk.Pin):
            wanted = start.site(goal.site)
        elif target is None:
            wanted = np.eye(4)
            wanted[:3, :3], wanted[:3, 3] = goal.arguments()["orientation"], goal.arguments()["position"]
        else:
            wanted = target
        away, rotated = _moved(seen.site(goal.site), wanted)
        return away > metres or rotated > radians
    if isinstance(goal, mk.Balance):
        return inside_support(seen, goal.support or FEET) < goal.margin - metres
    if isinstance(goal, mk.Outside):
        assert isinstance(goal.region, mk.Ball)
        return clearance(seen, goal.site, goal.region) < goal.margin - metres
    if isinstance(goal, mk.Objective):
        return False
    raise TypeError(f"{goal.label()}: the oracle knows no such goal")


def flaws(
    figure: mk.Figure,
    goals: Sequence[mk.Goal],
    targets: Sequence[np.ndarray | None],
    start: np.ndarray,
    q: np.ndarray,
) -> list[str]:
    """What is wrong with a solution from a start: limits left, loops open, goals missed, each in a word or two."""
    seen, began = Seen(figure, q), Seen(figure, start)
    found = [
        goal.label() for goal, target in zip(goals, targets, strict=True) if missed(goal, target, seen, began)
    ]
    if beyond_limits(figure, q) > HARD:
        found.append("limits")
    if _open_loops(seen) > HARD:
        found.append("loops")
    return found
