"""The reach hierarchy of Korein (korein-badler-1981): from the root outwards, each joint turns only as much as it
has to.

    for i = 1, 2, …: if the goal is not in W[i], it is not reachable: give up;
    otherwise turn q[i] only as much as brings the goal into W[i+1].

W[i] is the workspace of the chain from joint i on, in the frame that carries it. Stored are distances to W[i] from
below (`table`), so the sets that they allow are a little too large, and condition (29) holds from the other side:

    W[i] = sweep(W[i+1], q[i])  ⊂  set of table i.

A goal is refused only with a proof that it is outside of W[1] (`proof`). It is called reached only with a
configuration. Between the two it is "open".
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.figure.movable import Names, movable, pose_of
from manikin.reach.chain import movers
from manikin.reach.hierarchy.blocks import blocks_of
from manikin.reach.hierarchy.descent import Descent
from manikin.reach.hierarchy.last_links import last_links
from manikin.reach.hierarchy.meet import MET
from manikin.reach.hierarchy.proof import lower_bound
from manikin.reach.hierarchy.serial import serial_chain
from manikin.reach.hierarchy.store import sets_of
from manikin.reach.hierarchy.sweep import longest
from manikin.reach.hierarchy.table import Ball

# Boxes of a proof before a configuration is searched for, and after none was found.
_QUICK, _THOROUGH = 2_000, 2_000_000
# Rounds of searches for a configuration before that proof, and after it.
_FIRST, _FURTHER = range(2), range(2, 8)


@dataclass(frozen=True, eq=False)
class Reached:
    """What became of a goal.

    q: all coordinates; those of the start where the goal is refused.
    verdict: ``"reached"``, ``"outside W[1]"`` (proved) or ``"open"`` (neither a configuration nor a proof was found).
    miss: how far the site is from the goal at q, metres.
    bound: a proved lower bound of the goal's distance to W[1], metres, above the tolerance where the goal is refused.
    position_tolerance: metres, the miss that counts as reached.
    depth: how many joints the proof sweeps anew.
    """

    q: np.ndarray
    verdict: str
    miss: float
    bound: float
    position_tolerance: float
    depth: int

    @property
    def reached(self) -> bool:
        """Whether the site is at the goal."""
        return self.verdict == "reached"

    @property
    def outside(self) -> int | None:
        """1 where the goal is proved to be outside W[1]. By (29) no later set can lose a goal that W[1] has."""
        return 1 if self.verdict.startswith("outside") else None

    def __str__(self) -> str:
        if self.outside:
            return (
                f"outside W[1]: the goal is at least {self.bound:.3g} m from every point that the site reaches "
                f"(tolerance {self.position_tolerance:.3g} m)"
            )
        return f"{self.verdict}: {self.miss:.3g} m from the goal (tolerance {self.position_tolerance:.3g} m)"


class Hierarchy:
    """The sets of a chain and of all its distal parts, precomputed.

    free: the degrees of freedom that may move; by default all that move the site. fixed: those that may not. They are
    hinges, slides and ball joints; couplings, coordinates that follow others, and cones are obeyed. What does not move
    stands as in the pose given, or at rest.
    position_tolerance: metres from the goal that count as reached.
    nodes: of each table, about; 4 bytes each.
    folder: where tables are kept on disk, for the next time and other processes. Equal chains share their tables in
    memory in any case.
    """

    def __init__(
        self,
        figure: Figure | Pose,
        site: str,
        *,
        free: str | Iterable[str] | None = None,
        fixed: str | Iterable[str] | None = None,
        position_tolerance: float = 1e-4,
        nodes: int = 2_000_000,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        pose = pose_of(figure, "hierarchy")
        _positive(position_tolerance, "position_tolerance", "metres", 1e-9, 1.0)
        _positive(nodes, "nodes", "a number of nodes", 1_000, 50_000_000)
        self.pose, self.figure, self.site = pose, pose.figure, site
        self.position_tolerance = float(position_tolerance)
        self.chain = serial_chain(self.figure, site, np.array(pose.q), movable(self.figure, free, fixed))
        self.dofs = self.chain.dofs
        self._fixed = _placing(self.figure, site, self.dofs, movable(self.figure, free, fixed))
        self.blocks = blocks_of(self.chain, site)
        self.sets = sets_of(self.chain, self.blocks, int(nodes), folder)
        size = float(np.linalg.norm(self.chain.tip)) + sum(
            float(np.linalg.norm(s.shift)) for s in self.chain.steps[1:]
        )
        self._descent = Descent(
            self.chain, self.blocks, self.sets, max(size, 1e-6), last_links(self.chain, self.blocks)
        )

    @property
    def order(self) -> np.ndarray:
        """The coordinates in the order in which they are turned as little as need be: indices in the figure."""
        return self.dofs[self._descent.order()]

    @property
    def nbytes(self) -> int:
        """The bytes that the tables take."""
        return sum(getattr(found, "nbytes", 0) for found in self.sets)

    def bound(self, point: np.ndarray, depth: int = 1, budget: int = _THOROUGH) -> float:
        """A proved lower bound of a point's distance to W[1], metres; 0.0 where none above the tolerance is found.

        depth: how many joints are swept anew instead of looked up. budget: boxes that may be looked at.
        """
        depth = min(depth, len(self.blocks))
        seen = self.chain.seen(_point(point))
        found = float(Ball(longest(self.chain, self.blocks[0])).distance(seen)[0])
        given = self.chain, self.blocks, self.sets, seen, depth, self.position_tolerance
        if found <= self.position_tolerance:
            found = lower_bound(*given, budget)
        if found > 0.0:  # that it is outside is proved; how far, as closely as a few boxes more can tell
            found = max(found, lower_bound(*given, _QUICK, share=0.9))
        return found

    def solve(self, point: np.ndarray, start: np.ndarray | None = None) -> Reached:
        """Bring the site to a point, from the pose given or ``start``: all coordinates of the figure."""
        goal = _point(point)
        q = np.array(self.pose.q if start is None else start, dtype=float)
        if q.shape != (self.figure.n,) or not np.isfinite(q).all():
            raise SolveError(f"hierarchy of {self.site!r}: start must be {self.figure.n} finite numbers")
        moved = [self.figure.dofs[j] for j in self._fixed if q[j] != self.pose.q[j]]
        if moved:
            raise SolveError(
                f"hierarchy of {self.site!r}: start moves {moved[0]!r}, which is not free; the sets are those of "
                "the pose that the hierarchy was made with"
            )
        began = q[self.dofs].copy()
        q[self.dofs] = np.clip(began, self.chain.rules.lower, self.chain.rules.upper)
        bound = self.bound(goal, 1, _QUICK)
        if bound > 0.0:
            return self._answer(q, "outside W[1]", goal, bound, 1)
        seen = self.chain.seen(goal)
        for rounds in (_FIRST, _FURTHER):
            x, miss = self._descent.witness(seen, began, rounds)
            if miss < MET:
                q[self.dofs] = self._descent.lowered(seen, x, began)
                return self._answer(q, "reached", goal, 0.0, 0)
            near = q.copy()
            near[self.dofs] = x
            nearest = self._answer(near, "reached", goal, 0.0, 0)
            if nearest.miss <= self.position_tolerance and self.chain.rules.broken(x[:, None])[0] <= 1e-9:
                return nearest
            if rounds == _FIRST:
                for depth in range(1, len(self.blocks) + 1):
                    bound = self.bound(goal, depth)
                    if bound > 0.0:
                        return self._answer(q, "outside W[1]", goal, bound, depth)
        return self._answer(q, "open", goal, 0.0, 0)

    def _answer(self, q: np.ndarray, verdict: str, goal: np.ndarray, bound: float, depth: int) -> Reached:
        miss = float(np.linalg.norm(self.figure.forward(q, [self.site])[0, :3, 3] - goal))
        return Reached(q, verdict, miss, bound, self.position_tolerance, depth)


def _placing(figure: Figure, site: str, dofs: np.ndarray, free: Names) -> list[int]:
    """The coordinates that are not free and on which the chain, or a coupling of its coordinates, depends."""
    found, own = set(movers(figure, site)), set(dofs.tolist())
    for coupling in figure.couplings:
        tied = {figure.index(name) for name in coupling.coefficients}
        if tied & own:
            found |= tied
    may = set(range(figure.n)) if free is None else set(figure.select(free).tolist())
    return sorted(found - may - own)


def _point(point: np.ndarray) -> np.ndarray:
    try:
        found = np.asarray(point, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise SolveError(f"hierarchy: a goal is three finite numbers, got {point!r}")
    return found


def _positive(value: object, name: str, what: str, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise SolveError(f"hierarchy: {name} must be {what} from {least:g} to {most:g}, got {value!r}")
