"""How much the goals leave open: the degree of redundancy, by rank (Korein and Badler, *Underconstrained systems*)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from manikin.problem.problem import Problem, Start


@dataclass(frozen=True)
class Constrainedness:
    """How the degrees of freedom compare with what the goals and the couplings ask of them.

    variables: degrees of freedom that can move the goals' sites, or are coupled to such a one, n.
    asked: scalar constraints: the dimensions in which each goal's site can move at all (two for a point of a planar
        chain), one more for each target that lies off them, and one for each coupling that is an equality.
    usual_rank: how many of them are independent away from singular poses.
    rank: how many are independent at the pose, r.
    couplings: how many of those asked are couplings. (Ranges, and couplings that are inequalities, make the space of
        solutions smaller, not its dimension.)
    """

    variables: int
    asked: int
    usual_rank: int
    rank: int
    couplings: int = 0

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
        coupled = f" ({self.couplings} of them couplings)" if self.couplings else ""
        return (
            f"{self.kind}: {self.variables} degrees of freedom, {self.asked} constraints{coupled} of which "
            f"{self.usual_rank} are independent{here}; degree of redundancy {self.redundancy}"
        )


def constrainedness(problem: Problem, start: Start | None = None) -> Constrainedness:
    """Whether the problem is under-, perfectly or over-constrained, and the degree of redundancy.

    start: the pose to look at; by default where the Problem was made.

    Goals that the papers' methods do not take are refused.
    """
    from manikin.papers.inverse import rank
    from manikin.papers.view import View

    view = View(problem.spec, problem.spec.values(start), "constrainedness")
    equalities = view.limits.A[view.limits.equal]
    coupled, n = len(equalities), len(view.variables)

    def ranked(J: np.ndarray) -> int:
        # The goals' rows no longer than the couplings', so that no weight decides what is independent.
        longest = max(float(np.linalg.norm(J, axis=1).max(initial=0.0)), 1e-300)
        return rank(np.linalg.svd(np.vstack([J / longest, equalities]), compute_uv=False))

    view.only_equations()
    view.no_potentials()
    if n == 0 or not (view.parts or coupled):
        return Constrainedness(n, view.basis.shape[1], 0, 0)
    dX = view.rows(view.start)
    off = dX - view.basis @ (view.basis.T @ dX)
    missed = sum(
        np.linalg.norm(off[rows]) > part.allowed * float(part.scale.max())
        for part, rows in zip(view.parts, view.slices, strict=True)
        if part.unit == "m"
    )
    here = ranked(view.jacobian(view.start))
    usual = max(here, *(ranked(J) for J in view.samples()))
    return Constrainedness(n, view.basis.shape[1] + int(missed) + coupled, usual, here, coupled)
