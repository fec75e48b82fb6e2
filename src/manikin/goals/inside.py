"""A site, or the whole shape of segments, inside a region."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import GoalError
from manikin.figure.shapes import balls_and_eggs, capsules_of
from manikin.goals.occupant import RegionGoal, named
from manikin.goals.region import Box, HalfSpace, Primitive
from manikin.goals.registry import register
from manikin.goals.words import length, ordinal
from manikin.residuals.block import Block, rows

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.goals.words import Told


@register
@dataclass(frozen=True, eq=False)
class Inside(RegionGoal):
    """Anywhere inside ``region``: P = Σ (distance outside)², 0 within.

    site: a site, whose point is kept inside; or, with ``whole``, a segment, whose whole shape is; or a pattern of
        segments: ``"*"`` for all of them, ``"right_*"``.
    whole: whether a name that is both means the segment; by default it means the site's point.

    A region joined by ``|`` is a choice, of which the solver takes the best, the same for all segments of a pattern;
    joined by ``&``, all its parts hold. Inside a `Circle`, which is a curve, means on it: for points only.

    A shape is inside a convex piece where the balls at the ends of its tapered capsules are (`figure.shapes`): where
    the signed distance of each centre is at most minus the radius. Boxes and ellipsoids count as they are against
    planes and the sides of a box, else as the capsules that enclose them.
    """

    _: KW_ONLY
    weight: float = 1.0
    hard: bool = False
    whole: bool | None = None
    noun = "region"
    told_as_one = True

    def alternatives(self) -> tuple[tuple[Block, ...], ...]:
        """One choice a piece of the union."""
        names = self.names() if self._needs_figure() else [(self.site, False)]
        return tuple(
            tuple(
                part
                for name, whole in names
                for piece in clause
                for part in (self._segment(name, piece) if whole else self._point(name, piece))
            )
            for clause in self.region.clauses()
        )

    def _needs_figure(self) -> bool:
        """Whether a figure has to tell what is meant; a goal that was not settled for one may be about a site."""
        return "_pose" in self.__dict__ or bool(self.whole) or any(sign in self.site for sign in "*?[")

    def _point(self, name: str, piece: Primitive) -> list[Block]:
        return [piece.inside(name, self.weight, hard=self.hard)]

    def _segment(self, name: str, piece: Primitive) -> list[Block]:
        """The measures that keep a segment's shapes inside a convex piece."""
        if piece.curve:
            raise GoalError(f"{self.label()}: a segment cannot be inside a Circle, which is a curve")
        if isinstance(piece, Box):
            return self._in_box(name, piece)
        if isinstance(piece, HalfSpace):
            normal = np.asarray(piece.normal)
            return self._behind(
                name, [(np.asarray(piece.point), normal)], normal[None], np.asarray(piece.point)
            )
        return [self._ball(name, ball, piece) for ball in self._balls(name)]

    def _balls(self, name: str) -> np.ndarray:
        """The balls (N, 4) at the ends of a segment's capsules, centre and radius, each once."""
        capsules = capsules_of(self.pose.figure, name, self.label())
        ends = np.vstack([capsules[:, [0, 1, 2, 6]], capsules[:, [3, 4, 5, 7]]])
        return np.unique(ends.round(12), axis=0)

    def _in_box(self, name: str, box: Box) -> list[Block]:
        """Between three pairs of planes."""
        center, half, axes = np.asarray(box.center), 0.5 * np.asarray(box.size), box.rotation.T
        balls, _ = balls_and_eggs(self.pose.figure, name, self.label())
        if len(balls) and balls[:, 6].max() > half.min():
            # Too thick for the box: no range is left for a coordinate, but its signed distance says by how much.
            return [self._ball(name, ball, box) for ball in self._balls(name)]
        sides = [
            (center + sign * half[k] * axes[k], sign * axes[k]) for k in range(3) for sign in (1.0, -1.0)
        ]
        return self._behind(name, sides, axes, center, half)

    def _behind(
        self,
        name: str,
        planes: list[tuple[np.ndarray, np.ndarray]],
        directions: np.ndarray,
        point: np.ndarray,
        half: np.ndarray | None = None,
    ) -> list[Block]:
        """Behind planes, each a point and a normal: balls by their coordinates along ``directions`` from ``point``,
        within ± ``half`` or below 0, and ellipsoids by their farthest points.
        """
        balls, eggs = balls_and_eggs(self.pose.figure, name, self.label())
        found = []
        for ball in balls:
            high = np.full(1, -ball[6]) if half is None else half - ball[6]
            found.append(
                Block(
                    "coordinates",
                    **rows(self.weight, np.full(1, -math.inf) if half is None else -high, high),
                    site=name,
                    segment=True,
                    at=ball[:3],
                    hard=self.hard,
                    point=point,
                    directions=directions,
                )
            )
        for egg in eggs:
            found += [
                Block(
                    "egg",
                    **rows(self.weight, [0.0], [math.inf]),
                    site=name,
                    hard=self.hard,
                    numbers=egg,
                    point=at,
                    directions=-normal[None],
                )
                for at, normal in planes
            ]
        return found

    def _ball(self, name: str, ball: np.ndarray, piece: Primitive) -> Block:
        """A ball of a segment inside a piece."""
        return Block(
            "point",
            **rows(self.weight, [-math.inf], [-ball[3]]),
            site=name,
            segment=True,
            at=ball[:3],
            hard=self.hard,
            primitives=piece.numbers()[None],
        )

    def off_by(self, pose: Pose) -> float:
        """How far it is from met in a pose, metres: by points and enclosing balls, in plain NumPy; 0 inside."""
        settled, frames = self.settle(pose), pose.matrices()
        balls = []
        for name, whole in settled.names():
            if whole:
                frame = frames[name]
                balls += [(frame[:3, :3] @ b[:3] + frame[:3, 3], float(b[3])) for b in settled._balls(name)]
            else:
                balls.append((pose.position(name), 0.0))
        return max(
            0.0,
            min(
                max(piece.distance(x) + r for piece in clause for x, r in balls)
                for clause in self.region.clauses()
            ),
        )

    def distance(self, x: np.ndarray, anchor: Pose) -> float | None:
        """From the nearest piece of the region; None where whole segments are asked for."""
        if self.settle(anchor).names() != [(self.site, False)]:
            return None
        clauses = self.region.clauses()
        return min(max(max(piece.distance(x) for piece in clause), 0.0) for clause in clauses)

    def words(self, told: Told) -> str:
        """Which piece it is in, or what sticks out of it."""
        choices = self.region.clauses()
        clause, subject = choices[told.choice], self.all_of(told)
        where = named(clause, "its")
        if len(choices) > 1:
            where = f"the {ordinal(told.choice)} of the {len(choices)} pieces of its region"
        if any(piece.curve for piece in clause):
            return (
                f"{subject} is on {where} ({told.off} off)"
                if told.met
                else f"{subject} is {told.off} off {where}"
            )
        if told.met:
            return f"{subject} is inside {where}"
        far, k = max(((miss.amount, k) for k, miss in enumerate(told.misses)), default=(0.0, 0))
        if told.blocks[k].segment or told.blocks[k].kind == "egg":
            return f"{told.blocks[k].site} sticks out of {where} by {length(far)}"
        return f"{subject} is {length(far)} outside {where}"
