"""Workspaces: the set of points that a site can reach inside its limits, as voxels, stored and loaded.

Forward sampling says of many voxels that they are reached, and how; at the boundary of what is known the solver
decides, voxel by voxel, until no neighbour of a reached one is left to be asked (`grid.grow`). A voxel counts as
reached where a sample lies in it or its middle is reached; so what is drawn is never farther out than half a voxel's
diagonal, and inward errors are what the solver missed. The volume counts middles only: as many voxels are cut by the
boundary with their middle inside as outside. Of hinges in a plane the exact outline is `PlanarWorkspace`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from manikin.archive import Archive
from manikin.engines.batch.repeated import Repeated
from manikin.engines.raw import POSITION
from manikin.errors import FormatError, ManikinError, SolveError
from manikin.figure import Figure, Pose
from manikin.figure.movable import Names, pose_of
from manikin.files import whole_file
from manikin.goals import Goal, Position
from manikin.problem.problem import Problem
from manikin.reach.chain import movers
from manikin.reach.grid import MOST_POINTS, REACHED, Grid, Solve, grow
from manikin.reach.surface import Surface, surface_of

# Neighbours of a voxel.
_ALL_AROUND = 26
_FORMAT = "manikin workspace 2"


@dataclass(frozen=True, eq=False)
class Workspace:
    """The voxels that a site of a figure reaches, each about a point of the grid.

    inside: those in which some point is reached. middles: those of them whose middle is.
    """

    figure: str
    site: str
    grid: Grid
    inside: np.ndarray
    middles: np.ndarray

    @property
    def volume(self) -> float:
        """Cubic metres: the voxels whose middle is reached."""
        return float(self.middles.sum()) * self.grid.pitch**3

    def contains(self, points: Any) -> np.ndarray:
        """Whether each point, (…, 3), lies in a voxel that is reached."""
        index = self.grid.nearest(np.asarray(points, dtype=float))
        return (index >= 0) & self.inside.ravel()[np.maximum(index, 0)]

    @cached_property
    def surface(self) -> Surface:
        """The closed surface of the voxels in which some point is reached, holes included; needs scikit-image (extra
        ``reach``)."""
        return surface_of(self.grid, self.inside)

    def section(self, axis: str, at: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The cross-section of the voxels at a coordinate of ``"x"``, ``"y"`` or ``"z"``: the other two axes'
        coordinates, and which voxels are reached, (first, second)."""
        if axis not in ("x", "y", "z"):
            raise SolveError(f"section: the axis is 'x', 'y' or 'z', got {axis!r}")
        k = "xyz".index(axis)
        axes = self.grid.axes
        place = int(np.rint((at - self.grid.origin[k]) / self.grid.pitch))
        others = [axes[c] for c in range(3) if c != k]
        if not 0 <= place < self.grid.shape[k]:
            return others[0], others[1], np.zeros((len(others[0]), len(others[1])), bool)
        return others[0], others[1], np.take(self.inside, place, axis=k)

    def save(self, path: str | os.PathLike[str]) -> None:
        """To a compressed ``.npz`` file, whole or not at all."""
        about = {"format": _FORMAT, "figure": self.figure, "site": self.site, "pitch": self.grid.pitch}
        with whole_file(path) as beside, beside.open("wb") as file:
            np.savez_compressed(
                file,
                about=np.frombuffer(json.dumps(about).encode(), np.uint8),
                origin=np.array(self.grid.origin),
                shape=np.array(self.grid.shape),
                inside=np.packbits(self.inside),
                middles=np.packbits(self.middles),
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Workspace:
        """From a file of `save`."""
        try:
            archive = Archive(path, "workspace")
            about = json.loads(archive.array("about", (None,)).tobytes())
            if not isinstance(about, dict) or about.get("format") != _FORMAT:
                raise FormatError(f"its format is not {_FORMAT!r}")
            shape = tuple(int(n) for n in archive.array("shape", (3,)))
            if not all(n > 0 for n in shape) or prod(shape) > MOST_POINTS:
                raise FormatError(f"a grid of {shape} points is empty, or too large")
            origin = tuple(float(o) for o in archive.array("origin", (3,)))
            pitch = float(about["pitch"])
            if not (np.isfinite(origin).all() and 0.0 < pitch < np.inf):
                raise FormatError(
                    f"its origin {origin} and pitch {pitch:g} must be finite, the pitch above 0"
                )
            grid = Grid(origin, pitch, shape)  # type: ignore[arg-type]
            sets = []
            for name in ("inside", "middles"):
                packed = archive.array(name, (-(-prod(shape) // 8),)).astype(np.uint8, copy=False)
                sets.append(np.unpackbits(packed, count=prod(shape)).view(bool).reshape(shape))
            return cls(str(about["figure"]), str(about["site"]), grid, *sets)
        except (ManikinError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as problem:
            raise FormatError(f"{path}: not a workspace of Manikin: {problem}") from problem

    def __repr__(self) -> str:
        return (
            f"Workspace({self.site} of {self.figure}, {int(self.inside.sum())} voxels, {self.volume:.4g} m³)"
        )


def workspace(
    figure: Figure | Pose,
    site: str,
    *,
    pitch: float = 0.05,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    goals: Sequence[Goal] = (),
    box: tuple[Any, Any] | None = None,
    samples: int = 200_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Workspace:
    """The workspace of a site, in the world.

    figure: what does not move stands as in the Pose given, or at rest.
    pitch: the side of a voxel, metres.
    free: the degrees of freedom that may move; by default all that move the site but those of a free or planar base,
        or with goals all. fixed: those that may not.
    goals: what has to hold besides, such as pinned feet; then there are no samples, and ``box``, two opposite corners,
        is needed.
    samples: poses drawn evenly from the ranges; none where linear constraints tie them.
    """
    pose = pose_of(figure, "workspace")
    body = pose.figure
    body.site(site)
    chosen = free_to_draw(body, site, free, bool(goals), fixed)
    start = np.array(pose.q)
    drawn = drawn_poses(body, site, chosen, start, samples, seed)
    if box is None:
        if goals:
            raise SolveError("workspace: with goals the box to look in is needed: box=((x, y, z), (x, y, z))")
        places = body.forward(drawn, [site])[:, 0, :3, 3]
        margin = 3.0 * pitch
        box = places.min(axis=0) - margin, places.max(axis=0) + margin
    low, high = box
    grid = Grid.box(low, high, pitch)
    problem = Problem(
        pose, [Position(site, pose.position(site)), *goals], free=[body.dofs[j] for j in chosen]
    )
    state, miss = np.zeros(grid.size, np.int8), np.full(grid.size, np.inf)
    with Repeated(problem.spec, threads=threads, budget=12) as repeated:

        def solve(places: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            found = repeated.solve(places, starts)
            return found.q, found.reached, found.errors[:, 0, POSITION]

        if not goals and _untied(body, chosen):
            where = grid.nearest(body.forward(drawn, [site])[:, 0, :3, 3])
        else:
            drawn = start[None, :]
            where = grid.nearest(pose.position(site)[None])
        where, first = np.unique(where, return_index=True)
        first, where = first[where >= 0], where[where >= 0]
        state[where] = REACHED
        grow(grid, solve, where, drawn[first], state, miss, None, progress)
        inside = state == REACHED
        middles = inside.copy()
        middles[_with_middle_outside(grid, solve, where, drawn[first], inside)] = False
    return Workspace(body.name, site, grid, inside.reshape(grid.shape), middles.reshape(grid.shape))


def _with_middle_outside(
    grid: Grid, solve: Solve, index: np.ndarray, poses: np.ndarray, inside: np.ndarray
) -> np.ndarray:
    """Of the voxels that a sample lies in, those at the boundary whose middle is not reached."""
    beside, of = grid.neighbours(index, around=True)
    known = np.bincount(of[inside[beside]], minlength=len(index))
    at_edge = known < _ALL_AROUND
    index, poses = index[at_edge], poses[at_edge]
    if not len(index):
        return index
    _, reached, _ = solve(grid.places(index), poses)
    return index[~reached]


def workspaces(
    figure: Figure | Pose,
    site: str,
    *,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    **options: Any,
) -> list[Workspace]:
    """W[1], W[2], …: of the whole chain, of the chain without its first coordinate, and so on; those before at rest.

    The options are those of `workspace`.
    """
    body = figure.figure if isinstance(figure, Pose) else figure
    chosen = free_to_draw(body, site, free, False, fixed)
    return [
        workspace(figure, site, free=[body.dofs[j] for j in chosen[i:]], **options)
        for i in range(len(chosen))
    ]


def free_to_draw(figure: Figure, site: str, free: Names, everything: bool, fixed: Names = None) -> list[int]:
    """The coordinates that move the site, in their order from the root."""
    if fixed is not None:
        stays = set(figure.select(fixed).tolist())
        return [j for j in free_to_draw(figure, site, free, everything) if j not in stays]
    if everything and free is None:
        return list(range(figure.n))
    found = movers(figure, site, free)
    if free is None:
        found = [j for j in found if figure.dof(figure.dofs[j]).joint != "root" or figure.base == "fixed"]
    if everything and free is not None:
        found = figure.select(free).tolist()
    if not found:
        raise SolveError(f"workspace of {site!r}: nothing that may move moves it")
    return found


def _untied(figure: Figure, chosen: list[int]) -> bool:
    """Whether no linear constraint, cone or loop ties the coordinates, so that samples of their ranges are poses."""
    tied = {figure.index(name) for coupling in figure.couplings for name in coupling.coefficients}
    tied |= {place for cone in figure.cones for place in (cone.first, cone.second)}
    return not tied & set(chosen) and not figure.loops


def drawn_poses(
    figure: Figure, site: str, chosen: list[int], start: np.ndarray, samples: int, seed: int
) -> np.ndarray:
    """Poses drawn from the ranges, unlimited turns from a whole one; a share of them with values at their limits."""
    low, high = figure.lower[chosen], figure.upper[chosen]
    units = [figure.dof(figure.dofs[j]).unit for j in chosen]
    wide = np.array([np.pi if unit == "rad" else 1.0 for unit in units])
    low = np.where(np.isfinite(low), low, start[chosen] - wide)
    high = np.where(np.isfinite(high), high, start[chosen] + wide)
    rng = np.random.default_rng(seed)
    share = rng.random((samples, len(chosen)))
    ends = rng.random((samples, len(chosen))) < 0.25
    ends[: samples // 2] = False
    share = np.where(ends, np.rint(share), share)
    q = np.repeat(start[None], samples, axis=0)
    q[:, chosen] = low + share * (high - low)
    return q
