"""What stands for the goals that are about regions, balance, two sites, or a choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from manikin.figure import Pose
from manikin.figure.sole import outline
from manikin.goals import AnyOf, Balance, CenterOfMass, Circle, Goal, Inside, Outside, Relative
from manikin.pictures.color import MISSED, REACHED, SPARE
from manikin.pictures.marks import BALL, ROD, TOLERANCE, Marks, draw_goal
from manikin.pictures.regions import body_of, edges_of, planes
from manikin.pictures.surface import Surface

Reached = Mapping[str, bool] | None


def draw(marks: Marks, pose: Pose, goal: Goal, reached: Reached = None, choice: int | None = None) -> None:
    """Add the marks of any goal.

    reached: by unit, as the solution says; by default as measured on the pose.
    choice: of an AnyOf, which of its goals was taken.
    """
    if isinstance(goal, AnyOf):
        _any_of(marks, pose, goal, reached, choice)
        return
    for kind, mark in _DRAW.items():
        if isinstance(goal, kind):
            mark(marks, pose, goal, reached)
            return
    draw_goal(marks, pose, goal, reached)


def _color(met: bool) -> np.ndarray:
    return REACHED if met else MISSED


def _inside(marks: Marks, pose: Pose, goal: Goal, reached: Reached) -> None:
    """The region to see through, its edges, and a ball at the site; segments stand in the picture themselves."""
    assert isinstance(goal, Inside)
    named = goal.settle(pose).names()
    whole = any(is_whole for _, is_whole in named)
    frames = pose.matrices()
    here = np.mean([frames[name][:3, 3] for name, _ in named], axis=0) if whole else pose.position(goal.site)
    pieces = [piece for clause in goal.region.clauses() for piece in clause]
    met = goal.off_by(pose) <= TOLERANCE[0] if reached is None else all(reached.values())
    color = _color(met)
    for piece in pieces:
        body = body_of(piece, marks.size)
        if body is not None:
            (marks.solid if isinstance(piece, Circle) else marks.clear).append(body.painted(color))
        marks.solid += [edge.painted(color) for edge in edges_of(piece, marks.size)]
    for plane in planes(goal.region):
        normal = np.asarray(plane.normal)
        marks.plane(here - plane.distance(here) * normal, normal, color)
    if not whole:
        marks.ball(here, color)


def _outside(marks: Marks, pose: Pose, goal: Goal, reached: Reached) -> None:
    """Planes; other obstacles stand in the picture themselves. A site that is inside one is marked."""
    assert isinstance(goal, Outside)
    met = reached is None or all(reached.values())
    here = pose.position(goal.site if goal.site in pose.figure.sites else pose.figure.root)
    for plane in planes(goal.region):
        normal = np.asarray(plane.normal)
        marks.plane(here - plane.distance(here) * normal, normal, _color(met))
    if not met and goal.site in pose.figure.sites:
        marks.ball(here, MISSED)


def _relative(marks: Marks, pose: Pose, goal: Goal, reached: Reached) -> None:
    """A rod from the one site to the other."""
    assert isinstance(goal, Relative)
    here, there = pose.position(goal.site), pose.position(goal.other)
    color = _color(reached is None or all(reached.values()))
    marks.rod(here, there, color)
    marks.ball(here, color, 0.8 * BALL)
    marks.ball(there, color, 0.8 * BALL)


def _balance(marks: Marks, pose: Pose, goal: Goal, reached: Reached) -> None:
    """The outline of what supports, and a plumb line from the centre of mass down to it."""
    assert isinstance(goal, Balance)
    corners = outline(support_points(pose, goal))
    middle = corners.mean(axis=0)
    around = np.roll(corners, -1, axis=0)
    center = pose.center_of_mass()
    sides = (around - corners)[:, :2]
    lengths = np.maximum(np.linalg.norm(sides, axis=1), 1e-12)
    away = center[:2] - corners[:, :2]
    within = (
        sides[:, 0] * away[:, 1] - sides[:, 1] * away[:, 0]
    ) / lengths  # counter-clockwise: left is inside
    met = within.min() >= goal.margin - TOLERANCE[0] if reached is None else all(reached.values())
    color = _color(met)
    for a, b in zip(corners, around, strict=True):
        marks.rod(a, b, color, 0.6 * ROD)
    if len(corners) > 2:
        fan = np.stack([np.broadcast_to(middle, corners.shape), corners, around], axis=1).astype(np.float32)
        up = np.broadcast_to(np.array([0.0, 0.0, 1.0], np.float32), fan.shape)
        marks.clear.append(Surface(fan, up).painted(color))
    foot = np.array([*center[:2], middle[2]])
    marks.rod(center, foot, color, 0.6 * ROD)
    marks.ball(center, color)
    marks.ball(foot, color, 0.8 * BALL)


def support_points(pose: Pose, goal: Balance) -> np.ndarray:
    """Where the points that a Balance stands on are in the world, (N, 3)."""
    frames = pose.matrices()
    found = []
    for name, point in goal.settle(pose).points():
        frame = frames[name.removeprefix("segment:")] if name.startswith("segment:") else pose.matrix(name)
        found.append(frame[:3, :3] @ point + frame[:3, 3])
    return np.array(found)


def _center(marks: Marks, pose: Pose, goal: Goal, reached: Reached) -> None:
    """Where the centre of mass is, and a rod to where it should be."""
    assert isinstance(goal, CenterOfMass)
    here = pose.center_of_mass()
    there = np.where(np.asarray(goal.axes) > 0.0, np.asarray(goal.target), here)
    far = float(np.linalg.norm(there - here))
    met = far <= TOLERANCE[0] if reached is None else all(reached.values())
    marks.ball(there, _color(met))
    if not met:
        marks.rod(here, there, MISSED)
        marks.ball(here, MISSED, 0.6 * BALL)


def _any_of(marks: Marks, pose: Pose, goal: AnyOf, reached: Reached, choice: int | None) -> None:
    """The goals of the choice that was taken, and pale balls at the targets of the others."""
    for place, goals in enumerate(goal.choices()):
        for inner in goals:
            if choice is None or place == choice:
                draw(marks, pose, inner, reached)
                continue
            target = getattr(inner, "target", getattr(inner, "position", None))
            if target is not None and np.shape(target) == (3,):
                marks.ball(np.asarray(target), SPARE)


_DRAW: dict[type[Goal], Callable[[Marks, Pose, Goal, Reached], None]] = {
    Inside: _inside,
    Outside: _outside,
    Relative: _relative,
    Balance: _balance,
    CenterOfMass: _center,
}
