"""What of a figure a solve may move: its variables, and the couplings among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from manikin.engines import nonlinear
from manikin.errors import GoalError, SolveError
from manikin.figure import Coupling, Figure
from manikin.figure.checks import near
from manikin.papers.names import WITH_SETS

if TYPE_CHECKING:
    from manikin.plan.specification import Specification


@dataclass(frozen=True, eq=False)
class Concern:
    """The free coordinates that move some sites, and those tied to them by any number of couplings.

    variables: their indices. couplings: those among them; the others hold at the start and stay as they are.
    periodic: mask of the variables that a whole turn leaves where they were.
    """

    figure: Figure
    variables: np.ndarray
    couplings: tuple[Coupling, ...]
    periodic: np.ndarray
    origin: tuple[Figure, np.ndarray, tuple[Coupling, ...]]
    """Figure, free coordinates and all couplings, as `engines.nonlinear` looks at them."""

    @classmethod
    def of(cls, problem: Specification, sites: Sequence[str], *, everything: bool = False) -> Concern:
        """What these sites concern; or all that is free."""
        figure, free, couplings = problem.figure, problem.free, problem.couplings
        wanted = free & (everything | _moving(figure, sites))
        names = [np.array([figure.index(name) for name in coupling.coefficients]) for coupling in couplings]
        taken = [everything] * len(couplings)
        grown = True
        while grown:
            grown = False
            for c, places in enumerate(names):
                if not taken[c] and wanted[places].any():
                    taken[c] = grown = True
                if taken[c]:
                    wanted[places] |= free[places]
        variables = np.flatnonzero(wanted)
        concerned = tuple(coupling for coupling, yes in zip(couplings, taken, strict=True) if yes)
        periodic = _periodic(figure, couplings)[variables]
        return cls(figure, variables, concerned, periodic, (figure, free, couplings))

    def refuse(self, method: str) -> None:
        """A SolveError, in words, if the solve may move a loop, or a cone's swing and the method knows no cones."""
        if method not in WITH_SETS or nonlinear.concerned_loops(cast(Any, self)):
            nonlinear.refuse(cast(Any, self), method)


def _moving(figure: Figure, sites: Sequence[str]) -> np.ndarray:
    """Mask of the coordinates that move some of these sites."""
    tree = figure.tree
    index = {name: place for place, name in enumerate(figure.segments)}
    moved = np.zeros(len(tree.axis_offset), bool)
    for name in sites:
        if name not in figure.sites:
            raise GoalError(f"figure {figure.name!r} has no site {name!r}; {near(name, figure.sites)}")
        motion = int(tree.segment_motion[index[figure.site(name).segment]])
        for carrier in tree.path(motion):
            moved[tree.values_of(carrier)] = True
    curved = [int(axis) for axis in tree.curve_axis if moved[axis]]
    if curved:
        raise SolveError(
            f"figure {figure.name!r}: {list(figure.axes)[min(curved)]!r} follows a curve, which the "
            "methods of the papers do not know: solve for figure.tangent(pose), again from where that ends"
        )
    mask = np.zeros(figure.n, bool)
    mask[tree.drive_dof[moved[tree.drive_axis]]] = True
    return mask


def _periodic(figure: Figure, couplings: Sequence[Coupling]) -> np.ndarray:
    """Mask of the coordinates that turn one axis only, one to one, and are in no coupling."""
    tree = figure.tree
    turning = np.zeros(len(tree.axis_offset), bool)
    turning[tree.axis[tree.turns]] = True
    driven = np.bincount(tree.drive_axis, minlength=len(turning))
    plain = turning & (driven == 1)
    good = plain[tree.drive_axis] & (np.abs(tree.drive_coefficient) == 1.0)
    mask = np.zeros(figure.n, bool)
    mask[tree.drive_dof[good]] = True
    mask &= np.bincount(tree.drive_dof, minlength=figure.n) == 1
    for coupling in couplings:
        for name in coupling.coefficients:
            mask[figure.index(name)] = False
    return mask
