"""Figures without shapes, and any figure as a skeleton: bones from joint to joint."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from manikin.figure import Pose
from manikin.pictures.color import DARK_WOOD, WOOD
from manikin.pictures.surface import Surface, between, cylinder, sphere

# Of the greatest distance between two joints: a bone's radius where it begins, and at most of its length.
THICKNESS = 0.032
STOUTEST = 0.16
# The same of a figure that has shapes and is asked for as a skeleton: what it is to show is where the joints are.
SLENDER = 0.012
# A joint's ball, of the longest bone that meets in it: those of fingers and vertebrae stay apart.
BALL = 0.3


def bones(
    pose: Pose,
    segments: Collection[str] | None = None,
    *,
    base: bool = True,
    thickness: float = THICKNESS,
) -> list[Surface]:
    """The bones of the segments, or of all: a ball at each joint, a taper to each joint and site further out.

    base: whether a figure that is fixed in the world gets a plate to stand on.
    thickness: a bone's greatest radius, of the figure's extent.
    """
    figure = pose.figure
    frames = pose.matrices()
    wanted = set(figure.segments if segments is None else segments)
    starts: dict[str, np.ndarray] = {}
    ends: list[tuple[str, np.ndarray]] = []
    for joint in figure.joints.values():
        starts[joint.child] = (frames[joint.child] @ joint.child_placement)[:3, 3]
        if joint.parent in frames:
            ends.append((joint.parent, (frames[joint.parent] @ joint.placement)[:3, 3]))
    starts.setdefault(figure.root, frames[figure.root][:3, 3])
    ends += [(site.segment, pose.position(site.name)) for site in figure.sites.values()]
    # A child that slides sits apart from its joint's place on the parent: a bone joins the two.
    for joint in figure.joints.values():
        if joint.parent in frames:
            ends.append((joint.child, (frames[joint.parent] @ joint.placement)[:3, 3]))
    thick = thickness * reach(pose)
    longest = _longest(pose, starts, ends)
    standing = figure.root if base and figure.base == "fixed" and figure.root in wanted else None
    found: list[Surface] = []
    placed: list[np.ndarray] = []
    for segment, start in starts.items():
        if segment == standing:
            continue
        if segment in wanted and not any(np.linalg.norm(start - other) < 0.2 * thick for other in placed):
            placed.append(start)
            radius = min(1.08 * thick, BALL * longest[segment]) if longest[segment] > 0.0 else 1.08 * thick
            found.append(sphere(radius).moved(_at(start)).painted(DARK_WOOD))
    for segment, end in ends:
        length = float(np.linalg.norm(end - starts[segment]))
        if segment in wanted and length > 0.3 * thick:
            radius = min(thick, STOUTEST * length)
            # What stands on the plate must not reach through it.
            lifted = radius / length if segment == standing else 0.0
            start = starts[segment] + lifted * (end - starts[segment])
            found.append(between(start, end, radius, 0.62 * radius).painted(WOOD))
    if standing is not None:
        plate = frames[standing].copy()
        plate[:3, 3] += plate[:3, 2] * 0.2 * thick
        found.append(cylinder(2.6 * thick, 0.4 * thick).moved(plate).painted(DARK_WOOD))
    return found


def _longest(
    pose: Pose, starts: dict[str, np.ndarray], ends: list[tuple[str, np.ndarray]]
) -> dict[str, float]:
    """The longest bone that meets in the joint of each segment, metres: its own, or that which leads there."""
    found = dict.fromkeys(starts, 0.0)
    for segment, end in ends:
        found[segment] = max(found[segment], float(np.linalg.norm(end - starts[segment])))
    for joint in pose.figure.joints.values():
        if joint.parent in starts:
            leading = float(np.linalg.norm(starts[joint.child] - starts[joint.parent]))
            found[joint.child] = max(found[joint.child], leading)
    return found


def reach(pose: Pose) -> float:
    """The greatest extent of the joints and sites along an axis of the world, metres; never 0."""
    points = np.array([pose.position(name) for name in pose.figure.sites])
    extent = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    return extent if extent > 1e-6 else 0.1


def _at(point: np.ndarray) -> np.ndarray:
    frame = np.eye(4)
    frame[:3, 3] = point
    return frame
