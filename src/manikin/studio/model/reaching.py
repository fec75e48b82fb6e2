"""The zone of a site: all points that it can be brought to while everything else that is asked for holds.

A coarse zone comes first, so that there is something to look at; it bounds the box of the fine one, and tells how many
points that will have to look at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import ManikinError
from manikin.figure import Figure, Pose
from manikin.goals import (
    Discomfort,
    Goal,
    LeastChange,
    Orientation,
    Outside,
    Pin,
    Placement,
    Position,
    Posture,
)
from manikin.studio.extra import need
from manikin.studio.model.document import Document

if TYPE_CHECKING:
    from manikin.reach import Workspace

#: What says which of many poses is liked best, and rules out none.
PREFERENCES = (Posture, LeastChange, Discomfort)
PITCHES = (0.03, 0.15)
COARSER = 2.0
# The surface is smoothed by so many voxels, for the eye.
SMOOTH = 0.6


@dataclass(frozen=True, eq=False)
class Zone:
    """A zone as a surface: vertices (v, 3) in metres, faces (f, 3), and the volume of its voxels in m³."""

    site: str
    pitch: float
    vertices: np.ndarray
    faces: np.ndarray
    volume: float


def zones(
    document: Document, site: str, pitch: float, progress: Callable[[float], None] = lambda share: None
) -> Iterator[Zone]:
    """The coarse zone of a site, then the fine one.

    pitch: the side of a voxel of the fine one, metres.
    progress: called with the share that is done; what it raises ends the work.
    """
    if not PITCHES[0] <= pitch <= PITCHES[1]:
        raise ManikinError(f"the step must be between {PITCHES[0]:g} and {PITCHES[1]:g} m, got {pitch:g}")
    asked = _Asked(document, site)
    coarse = asked.workspace(COARSER * pitch, asked.box(), lambda done, size: progress(0.0))
    if int(coarse.inside.sum()) < 2:
        raise ManikinError(
            f"{site.replace('_', ' ')} reaches nothing but where it is while all other goals hold; "
            "switch those off that are missed, or look at a smaller step"
        )
    yield _zone(coarse, site)
    inside = int(coarse.inside.sum())
    # A zone of twice the points along an edge has eight times as many inside, and four times as many at its surface.
    expected = COARSER**3 * inside + COARSER**2 * 8.0 * inside ** (2.0 / 3.0)
    places = np.argwhere(coarse.inside)
    origin, step = np.array(coarse.grid.origin), coarse.grid.pitch
    margin = 1.5 * step
    low = np.maximum(origin + step * places.min(axis=0) - margin, asked.box()[0])
    box = low, origin + step * places.max(axis=0) + margin
    fine = asked.workspace(pitch, box, lambda done, size: progress(min(done / expected, 0.99)))
    yield _zone(fine, site)


def _zone(made: Workspace, site: str) -> Zone:
    from manikin.reach.surface import surface_of

    thin = (
        not need("scipy.ndimage").binary_erosion(made.inside).any()
    )  # as of a planar robot; smoothing would leave nothing of it
    surface = surface_of(made.grid, made.inside, 0.0 if thin else SMOOTH)
    return Zone(
        site,
        made.grid.pitch,
        surface.vertices.astype(np.float32),
        surface.faces.astype(np.uint32),
        made.volume,
    )


class _Asked:
    """What a document asks for besides the place of one site."""

    def __init__(self, document: Document, site: str) -> None:
        self.site = site
        figure = document.figure
        if document.constraints:
            figure = figure.with_couplings(*document.constraints)
        self.pose = Pose(figure, document.q)
        segment = figure.site(site).segment
        self.goals: list[Goal] = []
        self.held: list[str] = []
        for _, entry in document.active_goals():
            goal = entry.goal
            own = bool(goal.site) and goal.site in figure.sites and figure.site(goal.site).segment == segment
            if isinstance(goal, PREFERENCES) or (own and isinstance(goal, (Position, Pin))):
                continue
            if own and isinstance(goal, Placement):
                goal = Orientation(goal.site, goal.orientation, weight=goal.weight, hard=goal.hard)
            if isinstance(goal, (Pin, Position, Placement)):
                self.held.append(goal.site)
            self.goals.append(goal)
        self.goals += [
            Outside("*", thing.region(), hard=True) for thing in document.things if thing.role == "obstacle"
        ]
        still = set(document.locked)
        if figure.base != "fixed" and not self.held:
            # Nothing holds it to its place: it reaches from where it stands.
            still |= {name for name in figure.dofs if figure.dof(name).joint == "root"}
        self.free = [name for name in figure.dofs if name not in still]

    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Two corners that all points lie between: none is farther from what is held than the way between them."""
        frames = self.pose.matrices()
        figure = self.pose.figure
        low, high = np.full(3, -np.inf), np.full(3, np.inf)
        for name in self.held or [figure.root]:
            way = _way(figure, frames, figure.site(name).segment, figure.site(self.site).segment)
            offset = sum(
                float(np.linalg.norm(figure.site(each).placement[:3, 3])) for each in (name, self.site)
            )
            around = self.pose.position(name)
            low, high = np.maximum(low, around - way - offset), np.minimum(high, around + way + offset)
        if float(self.pose.position(self.site)[2]) > 0.0:
            low[2] = max(low[2], 0.0)  # the floor
        return low, high

    def workspace(
        self, pitch: float, box: tuple[np.ndarray, np.ndarray], progress: Callable[[int, int], None]
    ) -> Workspace:
        """The voxels, by the solver; one processor is left to the figure."""
        from manikin.reach import workspace

        threads = max((os.cpu_count() or 2) - 1, 1)
        return workspace(
            self.pose,
            self.site,
            pitch=pitch,
            free=self.free,
            goals=self.goals,
            box=box,
            samples=20_000,
            threads=threads,
            progress=progress,
        )


def _way(figure: Figure, frames: dict[str, np.ndarray], one: str, other: str) -> float:
    """How long the way is from one segment's origin to another's, from joint to joint, all slides at their longest."""
    above = {joint.child: joint.parent for joint in figure.joints.values()}
    lines = []
    for name in (one, other):
        line = [name]
        while above.get(line[-1], "world") != "world" and line[-1] != figure.root:
            line.append(above[line[-1]])
        lines.append(line)
    up, down = lines
    shared = next((name for name in up if name in down), None)
    links = [
        (a, b)
        for line in (up, down)
        for a, b in pairwise(line)
        if shared is None or line.index(b) <= line.index(shared)
    ]
    slides = sum(
        float(max(abs(dof.lower), abs(dof.upper)))
        for dof in (figure.dof(name) for name in figure.dofs)
        if dof.unit == "m" and dof.joint != "root" and np.isfinite([dof.lower, dof.upper]).all()
    )
    return slides + sum(float(np.linalg.norm(frames[a][:3, 3] - frames[b][:3, 3])) for a, b in links)
