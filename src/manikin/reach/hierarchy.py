"""The reach hierarchy of Korein (korein-badler-1981): from the root outwards, each joint turns only as much as it
has to.

    for i = 1, 2, …: if the goal is not in W[i], it is not reachable: give up;
    otherwise turn q[i] only as much as brings the goal into W[i+1].

W[i] is the workspace of the chain from joint i on, in the frame that carries it. The last links, which leave no choice,
are solved for: in a plane in closed form, in space by a search over the fewest of the last hinges that move the site
every way. Outside W[1] the answer is immediate.

In a plane, up to three hinges, the sets are exact (`PlanarWorkspace`). Otherwise they are voxels that satisfy the
paper's
condition (29), approx(W[i]) ⊂ sweep(approx(W[i+1]), q[i]): the set of those last hinges holds the voxels that are
reached
with all their neighbours, and each before it those whose middle some turn of its joint brings into the next. So they
err to the inside:
a goal is given up that lies within about a voxel of the boundary, never pursued where a set is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from manikin.closed_form.planar import two_links
from manikin.errors import FigureError
from manikin.figure import Figure, Pose
from manikin.figure.movable import movable, pose_of
from manikin.goals import Position
from manikin.reach.chain import hinge_lines, hinges, planar_chain
from manikin.reach.extra import need
from manikin.reach.grid import Grid
from manikin.reach.planar import MOST, PlanarWorkspace
from manikin.reach.voxels import Workspace, workspace
from manikin.solvers.problem import Problem

# Poses at which is looked how many of the last hinges it takes to move a site every way.
_LOOKED = 4
# Turns that a voxel's middle is tried at when sets are swept, of the arc of a voxel's side; and a goal's.
_SWEPT, _TRIED = 0.5, 0.25


@dataclass(frozen=True, eq=False)
class Reached:
    """How a goal was reached, or that it cannot be: all coordinates, and in which W[i] the goal was not."""

    q: np.ndarray
    reached: bool
    outside: int | None
    miss: float


class Hierarchy:
    """Workspaces of a chain of hinges and of all its distal parts, precomputed.

    free: the hinges that may turn; by default all that move the site. fixed: those that may not.
    pitch: of the voxels, metres, where the chain is not a plane one of at most three
    hinges. What does not turn stands as in the pose given, or at rest.
    """

    def __init__(
        self,
        figure: Figure | Pose,
        site: str,
        *,
        free: str | Iterable[str] | None = None,
        fixed: str | Iterable[str] | None = None,
        pitch: float = 0.03,
        tolerance: float = 1e-4,
    ) -> None:
        pose = pose_of(figure, "hierarchy")
        self.pose, self.figure, self.site, self.pitch, self.tolerance = (
            pose,
            pose.figure,
            site,
            pitch,
            tolerance,
        )
        free = movable(self.figure, free, fixed)
        found = hinges(self.figure, site, free)
        if not found:
            raise FigureError(f"hierarchy of {site!r}: it takes hinges only, one coordinate each")
        self.dofs = found
        for coupling in self.figure.couplings:
            if any(self.figure.index(name) in found for name in coupling.coefficients):
                raise FigureError(
                    f"hierarchy of {site!r}: {coupling} ties its hinges, which its sets do not know"
                )
        self.zero = np.array(pose.q)
        self.zero[found] = 0.0
        self.low = np.where(np.isfinite(self.figure.lower[found]), self.figure.lower[found], -np.pi)
        self.high = np.where(np.isfinite(self.figure.upper[found]), self.figure.upper[found], np.pi)
        self.points, self.axes = hinge_lines(self.figure, self.zero, found)
        self.planar = self._exact(free)
        self.last = self._needed()
        self.sets: list[Workspace] = [] if self.planar is not None else self._sets()

    def _exact(self, free: str | Iterable[str] | None) -> PlanarWorkspace | None:
        if len(self.dofs) > MOST:
            return None
        try:
            vectors, limits, frame = planar_chain(self.figure, self.site, free, np.array(self.pose.q))
        except FigureError:
            return None
        made = PlanarWorkspace(vectors, limits)
        made.frame = frame
        return made

    def _needed(self) -> int:
        """The fewest of the last hinges whose position Jacobian has rank 3; all, where none has."""
        rng = np.random.default_rng(0)
        best = len(self.dofs)
        for _ in range(_LOOKED):
            q = self.zero.copy()
            q[self.dofs] = rng.uniform(self.low, self.high)
            jacobian = self.figure.jacobian(q, self.site)[:3, self.dofs]
            for count in range(3, best):
                values = np.linalg.svd(jacobian[:, -count:], compute_uv=False)
                if values[-1] > 1e-3 * values[0]:
                    best = count
                    break
        return best

    # ------------------------------------------------------------------ sets

    def _sets(self) -> list[Workspace]:
        """approx(W[1]), approx(W[2]), …, all with the joints before them at zero."""
        names = [self.figure.dofs[j] for j in self.dofs]
        base = self.figure.pose(self.zero)
        last = len(self.dofs) - self.last
        inner = workspace(base, self.site, free=names[last:], pitch=self.pitch, samples=100_000)
        found = [self._solved(inner, names[last:])]
        for i in range(last - 1, -1, -1):
            found.insert(0, self._swept(found[0], i))
        return found

    def _solved(self, made: Workspace, names: list[str]) -> Workspace:
        """Only voxels whose middle is reached, and those of all neighbours: a goal anywhere inside is then reached."""
        from manikin.solvers.batch.many import solve_many

        ndimage = need("scipy.ndimage", "the reach hierarchy")

        index = np.flatnonzero(made.inside)
        found = solve_many(
            self.figure.pose(self.zero),
            [Position(self.site, self.pose.position(self.site))],
            targets=made.grid.places(index),
            free=names,
            thorough=False,
        )
        inside = np.zeros(made.grid.size, bool)
        inside[index] = found.reached
        kept = ndimage.binary_erosion(inside.reshape(made.grid.shape), np.ones((3, 3, 3), bool))
        return Workspace(made.figure, made.site, made.grid, kept)

    def _swept(self, inner: Workspace, i: int) -> Workspace:
        """The voxels whose middle some turn of hinge i brings into the next set."""
        places = inner.grid.places(np.flatnonzero(inner.inside))
        if not len(places):
            return inner
        away = places - self.points[i]
        along = away @ self.axes[i]
        radius = float(np.sqrt(np.maximum((away**2).sum(axis=1) - along**2, 0.0)).max())
        reach = np.array([along.min(), along.max()])
        ends = self.points[i] + self.axes[i] * reach[:, None]
        margin = radius + self.pitch
        grid = Grid.box(ends.min(axis=0) - margin, ends.max(axis=0) + margin, self.pitch)
        middle = grid.places(np.arange(grid.size))
        away = middle - self.points[i]
        along = away @ self.axes[i]
        distance = np.sqrt(np.maximum((away**2).sum(axis=1) - along**2, 0.0))
        left = np.flatnonzero(
            (distance <= radius + self.pitch)
            & (along >= reach[0] - self.pitch)
            & (along <= reach[1] + self.pitch)
        )
        inside = np.zeros(grid.size, bool)
        for angle in self._angles(i, radius, _SWEPT):
            hit = inner.contains(self._turned(i, -angle, middle[left]))
            inside[left[hit]] = True
            left = left[~hit]
        return Workspace(inner.figure, inner.site, grid, inside.reshape(grid.shape))

    def _angles(self, i: int, radius: float, share: float, about: float | None = None) -> np.ndarray:
        """Angles of hinge i over its range, an arc of this share of a voxel apart; nearest to ``about`` first."""
        span = min(self.high[i] - self.low[i], 2.0 * np.pi)
        count = max(int(np.ceil(span * max(radius, self.pitch) / (share * self.pitch))), 1)
        angles = np.linspace(self.low[i], self.low[i] + span, count + 1)
        if about is None:
            return angles
        angles = np.append(np.clip(about, self.low[i], self.high[i]), angles)
        return angles[np.argsort(np.abs(angles - about), kind="stable")]

    def _turned(self, i: int, angle: float, points: np.ndarray) -> np.ndarray:
        """Points turned about hinge i where it is with all joints before it at zero."""
        u, at = self.axes[i], self.points[i]
        away = points - at
        c, s = np.cos(angle), np.sin(angle)
        along = (away @ u)[..., None] * u
        return at + c * away + s * np.cross(u, away) + (1.0 - c) * along

    # ----------------------------------------------------------------- reach

    def reaches(self, point: np.ndarray) -> bool:
        """Whether the goal is in W[1]."""
        goal = np.asarray(point, dtype=float)
        if self.planar is not None:
            flat = (goal - self.planar.frame[:3, 3]) @ self.planar.frame[:3, :3]
            return bool(abs(flat[2]) <= self.tolerance and self.planar.contains(flat[None, :2])[0])
        return bool(self.sets[0].contains(goal))

    def solve(self, point: np.ndarray, start: np.ndarray | None = None) -> Reached:
        """Bring the site to a point, from the pose given or ``start``."""
        q = np.array(self.pose.q if start is None else start, dtype=float)
        q[self.dofs] = np.clip(q[self.dofs], self.figure.lower[self.dofs], self.figure.upper[self.dofs])
        goal = np.asarray(point, dtype=float)
        outside = self._plane(goal, q) if self.planar is not None else self._space(goal, q)
        miss = float(np.linalg.norm(self.figure.forward(q, [self.site])[0, :3, 3] - goal))
        return Reached(q, miss <= self.tolerance, outside, miss)

    def _plane(self, goal: np.ndarray, q: np.ndarray) -> int | None:
        """Exactly, in the plane: turns nearest to where each hinge is, the last two links in closed form."""
        made = self.planar
        assert made is not None
        flat = ((goal - made.frame[:3, 3]) @ made.frame[:3, :3])[:2]
        signs = np.sign(self.axes @ made.frame[:3, 2])
        count = len(self.dofs)
        if not made.contains(flat[None])[0]:
            return 1
        i = 0
        while count - i > 2:
            turn = made.least_turn(i, flat, float(signs[i] * q[self.dofs[i]]))
            if turn is None:
                return i + 2
            q[self.dofs[i]] = signs[i] * turn
            c, s = np.cos(turn), np.sin(turn)
            flat = np.array([c * flat[0] + s * flat[1], c * flat[1] - s * flat[0]]) - made.vectors[i]
            i += 1
        rest, names = made.vectors[i:], self.dofs[i:]
        if len(names) == 1:
            turn = float(np.arctan2(flat[1], flat[0]) - np.arctan2(rest[0, 1], rest[0, 0]))
            low, high = made.limits[i]
            turn = low + np.mod(turn - low, 2.0 * np.pi)
            q[names[0]] = signs[i] * min(turn, high)
            return None
        lengths = np.linalg.norm(rest, axis=1)
        offset = np.arctan2(rest[:, 1], rest[:, 0])
        bend = offset[1] - offset[0]
        limits = [(a, b) for a, b in made.limits[i:] + np.array([[offset[0]], [bend]])]
        near = signs[i:] * q[names] + [offset[0], bend]
        found = two_links(float(lengths[0]), float(lengths[1]), tuple(flat), limits, tuple(near))
        if not len(found):
            return i + 1
        best = found[np.argmin(((found - near) ** 2).sum(axis=1))]
        q[names] = signs[i:] * (best - [offset[0], bend])
        return None

    def _space(self, goal: np.ndarray, q: np.ndarray) -> int | None:
        """By voxels; the last hinges by a search of their own."""
        seen = goal
        for i, made in enumerate(self.sets[:-1]):
            if not made.contains(seen):
                return i + 1
            inner = self.sets[i + 1]
            radius = float(np.linalg.norm(seen - self.points[i]))
            for angle in self._angles(i, radius, _TRIED, q[self.dofs[i]]):
                moved = self._turned(i, -angle, seen[None])[0]
                if inner.contains(moved):
                    q[self.dofs[i]], seen = angle, moved
                    break
            else:
                return i + 2
        if not self.sets[-1].contains(seen):
            return len(self.sets)
        names = [self.figure.dofs[j] for j in self.dofs[-self.last :]]
        last = Problem(
            self.figure.pose(q), [Position(self.site, goal)], free=names, tolerance=(self.tolerance, 1e-3)
        )
        q[:] = last.solve().q
        return None
