"""What goals ask of a human's hands, feet, head, pelvis and gaze: the given of its natural posture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure, Pose
from manikin.figure.human.natural_posture import (
    GROUP_OF,
    GROUPS,
    POINTS,
    SITES,
    Given,
    NaturalPosture,
    Preferred,
    is_human,
    natural_posture,
)
from manikin.goals.aim import Aim
from manikin.goals.goal import Goal
from manikin.goals.pin import Pin
from manikin.goals.placement import Placement
from manikin.goals.position import Position

_FEET = ("left_foot", "right_foot")
_GAZES = ("eyes", "head")
_WHICH = {group: k for k, group in enumerate(GROUPS)}
_POINT = {group: k for k, group in enumerate(POINTS)}
# Where the first direction of a group lies: forward, then up.
_DIRECTION = {"left_foot": 0, "right_foot": 2, "pelvis": 5}
_GAZE = 4
# Of stature: how high and how far out a shoulder is over the feet; how much higher than the hand at most.
_SHOULDER, _OUT, _HIGHER = 0.78, 0.10, 0.35
# How much of a gaze's slope the head takes: eyes do the rest.
_HEAD_SLOPE = 0.5
# A start is near within so many metres, and where the trace of the rotation that is left is no less than this (8°).
_NEAR, _NEARLY_TURNED = 0.03, 2.98


@dataclass
class Start:
    """Points and directions of a start, as of `Given`, and the frames of the sites that have goals."""

    points: np.ndarray
    directions: np.ndarray
    sites: dict[str, np.ndarray]


class Asked:
    """The goals of one problem, looked through once.

    free: which coordinates may move; parts of the body that cannot are given where they are.
    """

    def __init__(
        self, figure: Figure, goals: Sequence[Goal], free: np.ndarray, posture: NaturalPosture | None = None
    ) -> None:
        if not is_human(figure):
            raise GoalError(
                f"natural: figure {figure.name!r} is not one that human() makes with its pelvis as a free or fixed root"
            )
        self.figure = figure
        self.posture = natural_posture(figure) if posture is None else posture
        self.places: list[tuple[int, str, str]] = []
        self.pins: list[tuple[int, str]] = []
        self.gazes: list[int] = []
        for k, goal in enumerate(goals):
            group = GROUP_OF.get(goal.site)
            if isinstance(goal, (Position, Placement)) and group is not None:
                self.places.append((k, group, goal.site))
            elif isinstance(goal, Pin) and group is not None and set("xyz") <= set(goal.coordinates()):
                self.pins.append((k, group))
            elif isinstance(goal, Aim) and goal.site in _GAZES:
                self.gazes.append(k)
        # Feet first: they are the frame of all else.
        self.places.sort(key=lambda place: place[1] not in _FEET)
        self.held = self._held(free)
        self._sites = {site for _, _, site in self.places}
        self._kept: tuple[bytes, Start] | None = None

    @property
    def says_something(self) -> bool:
        """Whether any goal tells where hands, feet, head or pelvis are to be."""
        return bool(self.places or self.pins)

    def _held(self, free: np.ndarray) -> list[str]:
        """Groups that nothing free can move."""
        movers = {
            "pelvis": ("root_",),
            "left_foot": ("root_", "left_hip", "left_knee", "left_ankle"),
            "right_foot": ("root_", "right_hip", "right_knee", "right_ankle"),
            "head": ("root_", "spine_", "neck_"),
        }
        names = [name for name, may in zip(self.figure.dofs, free, strict=True) if may]
        return [g for g, starts in movers.items() if not any(name.startswith(starts) for name in names)]

    def preferred(self, goals: Sequence[Goal], q: np.ndarray, style: int | None = None) -> Preferred:
        """What people would do about these goals (or others in their places), from the start q."""
        return self.posture.prefer(self.given(goals, q), q, style)

    def looked_at(self, goals: Sequence[Goal]) -> np.ndarray | None:
        """The point that eyes or head are to aim at; None where there is none."""
        at = [goals[k].at for k in self.gazes]  # type: ignore[attr-defined]
        return np.asarray(at[-1]) if at else None

    def given(self, goals: Sequence[Goal], q: np.ndarray) -> Given:
        """What is asked for; what is not, where the start q has it."""
        start = self._start(q)
        points, directions = start.points.copy(), start.directions.copy()
        which = np.zeros(len(GROUPS))
        for _, group in self.pins:
            which[_WHICH[group]] = 1.0
        for group in self.held:
            which[_WHICH[group]] = 1.0
            if group == "pelvis":
                which[_WHICH["facing"]] = 1.0
        rest = self.posture.rest_frames
        for k, group, site in self.places:
            goal = goals[k]
            if type(goal) is Placement:
                frame, turn = goal.position, goal.orientation
                # The frame of the part as if its joints between the site and it were at rest.
                base = rest[SITES[group][0]]
                own = rest[site]
                turned = np.asarray(turn) @ own[:3, :3].T
                points[_POINT[group]] = np.asarray(frame) + turned @ (base[:3, 3] - own[:3, 3])
                if group in _DIRECTION:
                    d = _DIRECTION[group]
                    directions[d], directions[d + 1] = turned[:, 0], turned[:, 2]
                    if group == "pelvis":
                        which[_WHICH["facing"]] = 1.0
            else:
                self._place(group, site, np.asarray(goal.target), points, directions)  # type: ignore[attr-defined]
            which[_WHICH[group]] = 1.0
        if not (which[2] or which[3] or which[6]):  # nothing moves the root: the person stays where it is
            which[[2, 3, 6, 7]] = 1.0
        for k in self.gazes:
            eyes = points[_POINT["head"]]
            if not which[_WHICH["head"]]:
                eyes = 0.5 * (points[2] + points[3]) + [0.0, 0.0, 0.9 * self.posture.stature]
            way = (np.asarray(goals[k].at) - eyes) * [1.0, 1.0, _HEAD_SLOPE]  # type: ignore[attr-defined]
            directions[_GAZE] = way / max(float(np.linalg.norm(way)), 1e-9)
            which[_WHICH["gaze"]] = 1.0
        return Given(points, directions, which)

    def _place(
        self, group: str, site: str, target: np.ndarray, points: np.ndarray, directions: np.ndarray
    ) -> None:
        """A point alone: the hand along the way from the shoulder, other parts turned as they are in the start."""
        rest, p = self.posture.rest_frames, _POINT[group]
        offset = rest[SITES[group][0]][:3, 3] - rest[site][:3, 3]
        if group.endswith("wrist"):
            s = self.posture.stature
            feet = 0.5 * (points[2] + points[3])
            shoulder = feet.copy()
            shoulder[2] += min(_SHOULDER * s, max(target[2] - feet[2], 0.0) + _HIGHER * s)
            ahead = directions[0] + directions[2]
            side = _OUT * s * (1.0 if group.startswith("left") else -1.0)
            shoulder[:2] += (
                side * np.array([-ahead[1], ahead[0]]) / max(float(np.hypot(ahead[0], ahead[1])), 1e-9)
            )
            way = target - shoulder
            length = float(np.linalg.norm(way))
            reach = float(np.linalg.norm(offset))
            points[p] = target - way * (min(reach, 0.5 * length) / max(length, 1e-9))
            return
        if group in _DIRECTION:
            d = _DIRECTION[group]
            x, z = directions[d], directions[d + 1]
            turn = np.column_stack([x, np.cross(z, x), z])
            offset = turn @ offset
        points[p] = target + offset

    def is_near(self, goals: Sequence[Goal], q: np.ndarray) -> bool:
        """Whether a start has all sites nearly where they are to be: a figure that follows its targets."""
        sites = self._start(q).sites
        for k, _, site in self.places:
            goal, frame = goals[k], sites[site]
            whole = type(goal) is Placement
            way = np.asarray(goal.position if whole else goal.target) - frame[:3, 3]  # type: ignore[attr-defined]
            if way @ way > _NEAR * _NEAR:
                return False
            if whole and float((np.asarray(goal.orientation) * frame[:3, :3]).sum()) < _NEARLY_TURNED:  # type: ignore[attr-defined]
                return False
        return True

    def _start(self, q: np.ndarray) -> Start:
        """What a start has; kept for the next call."""
        key = q.tobytes()
        if self._kept is not None and self._kept[0] == key:
            return self._kept[1]
        names = [
            *POINTS[:2],
            "left_ankle",
            "right_ankle",
            "head",
            "pelvis",
            "left_foot",
            "right_foot",
            "eyes",
        ]
        frames = Pose(self.figure, np.clip(q, self.figure.lower, self.figure.upper))
        at = {name: frames.matrix(name) for name in names}
        points = np.array([at[name][:3, 3] for name in names[:6]])
        directions = np.array(
            [
                at["left_foot"][:3, 0],
                at["left_foot"][:3, 2],
                at["right_foot"][:3, 0],
                at["right_foot"][:3, 2],
                at["head"][:3, 0],
                at["pelvis"][:3, 0],
                at["pelvis"][:3, 2],
            ]
        )
        self._kept = key, Start(points, directions, {site: frames.matrix(site) for site in self._sites})
        return self._kept[1]
