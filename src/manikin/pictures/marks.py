"""What stands for a goal in a picture: where it asks a site to be, and how far off the site is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from manikin.figure import Pose
from manikin.goals import Aim, Goal, OnLine, OnPlane, Orientation, Placement, Position
from manikin.pictures.color import AXES, MISSED, REACHED, SITE
from manikin.pictures.surface import SECTORS, Surface, between, cylinder, disc, frame_along, ring, sphere

# Misses up to these count as reached where no solution says so: metres, radians.
TOLERANCE = (1e-4, 1e-3)
# Lengths as shares of the figure's size.
BALL = 0.013
ROD = 0.0042
AXIS = 0.075
LINE = 0.28
DISC = 0.16


@dataclass
class Marks:
    """Surfaces that are seen but cast no shadow: solid ones, and those one sees through.

    sectors: corners of a circle of balls and rods; fewer are drawn faster.
    """

    size: float
    solid: list[Surface] = field(default_factory=list)
    clear: list[Surface] = field(default_factory=list)
    sectors: int = SECTORS

    def ball(self, point: np.ndarray, color: np.ndarray, share: float = BALL) -> None:
        """A ball at a point."""
        ball = sphere(share * self.size, sectors=self.sectors)
        self.solid.append(ball.moved(frame_along(point, np.zeros(3))).painted(color))

    def rod(self, start: np.ndarray, end: np.ndarray, color: np.ndarray, share: float = ROD) -> None:
        """A thin rod from point to point."""
        radius = share * self.size
        self.solid.append(between(start, end, radius, radius, sectors=self.sectors).painted(color))

    def axes(
        self, frame: np.ndarray, minded: tuple[float, ...], length: float = AXIS, thick: float = ROD
    ) -> None:
        """Three rods along the axes of a frame, but for those with weight 0."""
        for k in range(3):
            if minded[k] > 0.0:
                end = frame[:3, 3] + length * self.size * frame[:3, k]
                self.rod(frame[:3, 3], end, AXES[k], thick)

    def arrow(self, tip: np.ndarray, direction: np.ndarray, color: np.ndarray) -> None:
        """A small cone that ends at a point."""
        height = 2.7 * BALL * self.size
        frame = frame_along(tip - 0.5 * height * direction, direction)
        self.solid.append(cylinder(BALL * self.size, height, 0.0).moved(frame).painted(color))

    def plane(self, point: np.ndarray, normal: np.ndarray, color: np.ndarray) -> None:
        """A disc one can see through, with a rim."""
        frame = frame_along(point, normal)
        self.clear.append(disc(DISC * self.size).moved(frame).painted(color))
        self.solid.append(
            ring(DISC * self.size, 0.7 * ROD * self.size, sectors=2 * self.sectors)
            .moved(frame)
            .painted(color)
        )


def draw_goal(marks: Marks, pose: Pose, goal: Goal, reached: Mapping[str, bool] | None = None) -> None:
    """Add the marks of a goal; kinds that have no mark of their own get a ball at their site, if they have one.

    reached: by unit (``"m"``, ``"rad"``), as the solution says; by default as measured on the pose.
    """
    if not getattr(goal, "site", None):
        return
    frame = pose.matrix(goal.site)
    for kind, draw in _DRAW.items():
        if isinstance(goal, kind):
            draw(marks, frame, goal, reached)
            return
    marks.ball(frame[:3, 3], _color(reached is None or all(reached.values())))


def draw_site(marks: Marks, pose: Pose, site: str) -> None:
    """Add the frame of a site, with a ball at its origin."""
    frame = pose.matrix(site)
    marks.ball(frame[:3, 3], SITE, 0.8 * BALL)
    marks.axes(frame, (1.0, 1.0, 1.0), 0.7 * AXIS, 0.8 * ROD)


def _color(reached: bool) -> np.ndarray:
    return REACHED if reached else MISSED


def _met(reached: Mapping[str, bool] | None, unit: str, miss: float) -> bool:
    if reached is not None and unit in reached:
        return reached[unit]
    return miss <= TOLERANCE[unit == "rad"]


def _point(marks: Marks, here: np.ndarray, there: np.ndarray, met: bool) -> None:
    marks.ball(there, _color(met))
    if not met:
        marks.rod(here, there, MISSED)
        marks.ball(here, MISSED, 0.6 * BALL)


def _position(marks: Marks, frame: np.ndarray, goal: Goal, reached: Mapping[str, bool] | None) -> None:
    assert isinstance(goal, Position)
    target = np.asarray(goal.target)
    miss = float(np.linalg.norm(frame[:3, 3] - target))
    _point(marks, frame[:3, 3], target, _met(reached, "m", miss))


def _orientation(marks: Marks, frame: np.ndarray, goal: Goal, reached: Mapping[str, bool] | None) -> None:
    assert isinstance(goal, Orientation)
    target = frame.copy()
    target[:3, :3] = np.asarray(goal.target)
    _turn(marks, frame, target, tuple(goal.axes), reached)


def _turn(
    marks: Marks,
    frame: np.ndarray,
    target: np.ndarray,
    axes: tuple[float, ...],
    reached: Mapping[str, bool] | None,
) -> None:
    marks.axes(target, axes)
    miss = max(_angle(frame[:3, k], target[:3, k]) for k in range(3) if axes[k] > 0.0)
    met = _met(reached, "rad", miss)
    if not met:
        marks.axes(frame, axes, 0.6 * AXIS, 0.6 * ROD)
    marks.ball(target[:3, 3], _color(met), 0.8 * BALL)


def _placement(marks: Marks, frame: np.ndarray, goal: Goal, reached: Mapping[str, bool] | None) -> None:
    assert isinstance(goal, Placement)
    target = np.eye(4)
    target[:3, :3], target[:3, 3] = np.asarray(goal.orientation), np.asarray(goal.position)
    miss = float(np.linalg.norm(frame[:3, 3] - target[:3, 3]))
    _turn(marks, frame, target, tuple(goal.axes), reached)
    _point(marks, frame[:3, 3], target[:3, 3], _met(reached, "m", miss))


def _aim(marks: Marks, frame: np.ndarray, goal: Goal, reached: Mapping[str, bool] | None) -> None:
    """A ray from the site to the point, or an arrow towards it where it is far away."""
    assert isinstance(goal, Aim)
    here, there = frame[:3, 3], np.asarray(goal.at)
    distance = float(np.linalg.norm(there - here))
    if distance < 1e-9:
        marks.ball(here, REACHED)
        return
    wanted = (there - here) / distance
    axis = frame[:3, :3] @ np.asarray(goal.axis)
    met = _met(reached, "rad", _angle(axis, wanted))
    far = 0.6 * marks.size
    if distance <= far:
        marks.rod(here, there, _color(met), 0.7 * ROD)
        marks.ball(there, _color(met))
    else:
        marks.rod(here, here + (far - BALL * marks.size) * wanted, _color(met), 0.7 * ROD)
        marks.arrow(here + far * wanted, wanted, _color(met))
    if not met:
        marks.rod(here, here + min(distance, 0.3 * marks.size) * axis, AXES[0], 0.7 * ROD)


def _line(marks: Marks, frame: np.ndarray, goal: Goal, reached: Mapping[str, bool] | None) -> None:
    assert isinstance(goal, OnLine)
    here, point, along = frame[:3, 3], np.asarray(goal.point), np.asarray(goal.direction)
    nearest = point + ((here - point) @ along) * along
    met = _met(reached, "m", float(np.linalg.norm(here - nearest)))
    length = LINE * marks.size
    marks.rod(nearest - length * along, nearest + length * along, _color(met))
    _point(marks, here, nearest, met)


def _plane(marks: Marks, frame: np.ndarray, goal: Goal, reached: Mapping[str, bool] | None) -> None:
    assert isinstance(goal, OnPlane)
    here, normal = frame[:3, 3], np.asarray(goal.normal)
    nearest = here - ((here - np.asarray(goal.point)) @ normal) * normal
    met = _met(reached, "m", float(np.linalg.norm(here - nearest)))
    marks.plane(nearest, normal, _color(met))
    _point(marks, here, nearest, met)


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


_Draw = Callable[[Marks, np.ndarray, Goal, Mapping[str, bool] | None], None]
_DRAW: dict[type[Goal], _Draw] = {
    Position: _position,
    Orientation: _orientation,
    Placement: _placement,
    Aim: _aim,
    OnLine: _line,
    OnPlane: _plane,
}
