"""How much the goals leave open: the degree of redundancy, by rank (Korein and Badler, *Underconstrained systems*)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from manikin.solvers.problem import Problem, Start


@dataclass(frozen=True)
class Constrainedness:
    """How the degrees of freedom compare with what the goals ask of them.

    variables: degrees of freedom that can move the goals' sites, n.
    asked: scalar constraints that the goals impose: the dimensions in which each site can move at all (two for a point
        of a planar chain), and one more for each target that lies off them.
    usual_rank: how many of them are independent away from singular poses.
    rank: how many are independent at the pose, r.
    """

    variables: int
    asked: int
    usual_rank: int
    rank: int

    @property
    def redundancy(self) -> int:
        """The degree of redundancy, n less the usual rank: the dimension of the set of solutions."""
        return self.variables - self.usual_rank

    @property
    def kind(self) -> str:
        """``"under-constrained"``, ``"perfectly constrained"`` or ``"over-constrained"``.

        Over-constrained are goals that cannot all be met but for chosen targets, whatever freedom is left elsewhere.
        """
        if self.asked > self.usual_rank:
            return "over-constrained"
        return "under-constrained" if self.redundancy > 0 else "perfectly constrained"

    @property
    def singular(self) -> bool:
        """Whether the pose is singular: it cannot move some way that others can."""
        return self.rank < self.usual_rank

    def __str__(self) -> str:
        here = f", at this singular pose {self.rank}" if self.singular else ""
        return (
            f"{self.kind}: {self.variables} degrees of freedom, {self.asked} constraints of which "
            f"{self.usual_rank} are independent{here}; degree of redundancy {self.redundancy}"
        )


def constrainedness(problem: Problem, start: Start | None = None) -> Constrainedness:
    """Whether the problem is under-, perfectly or over-constrained, and the degree of redundancy.

    start: the pose to look at; by default where the Problem was made.

    Goals that the papers' methods do not take, and linear constraints, are refused.
    """
    from manikin.papers.inverse import rank
    from manikin.papers.view import View

    q = problem._start if start is None else problem._values(start)
    view = View(problem, q, "constrainedness")
    if not view.parts:
        return Constrainedness(len(view.variables), 0, 0, 0)
    dX = view.rows(view.start)
    off = dX - view.basis @ (view.basis.T @ dX)
    missed = sum(
        np.linalg.norm(off[3 * k : 3 * k + 3]) > part.allowed * part.scale
        for k, part in enumerate(view.parts)
        if not part.turn
    )
    here = rank(np.linalg.svd(view.jacobian(view.start), compute_uv=False)) if len(view.variables) else 0
    usual = max(here, view.usual_rank if len(view.variables) else 0)
    return Constrainedness(len(view.variables), view.basis.shape[1] + int(missed), usual, here)
