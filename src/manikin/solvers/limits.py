"""Which limits hold a solution, how hard, and what their giving way would buy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from manikin.goals import Potential
from manikin.solvers.solution import ERRORS, Limit

if TYPE_CHECKING:
    from manikin.solvers.packing import Packed
    from manikin.solvers.solution import Solution

# A range is touched within this, and a multiplier counts above this share of 1 + P.
_TOUCH = 1e-9
_COUNTS = 1e-6


def gradient(solution: Solution) -> np.ndarray:
    """Slope of the potential by the variables at the solution."""
    from manikin.kernels.derivatives import slope

    packed = solution._packed
    if any(isinstance(goal, Potential) for goal in solution._goals):
        from manikin.solvers.potentials import gradient_with_potentials

        goals = list(zip(solution._goals, solution._active, strict=True))
        return gradient_with_potentials(packed, solution.q, goals)
    result = np.empty(len(packed.variables))
    slope(packed.structure, packed.parameters, packed.workspace, solution.q, result)
    return result


def holding_limits(solution: Solution) -> tuple[Limit, ...]:
    """Constraints with a multiplier that says the potential would fall if they gave way, the strongest first.

    At a stationary point g = Σ μ a + Σ ρ e over the rows and ranges that are touched; μ by least squares over the
    coordinates inside their ranges, ρ from what is left.
    """
    if solution.status == "infeasible":
        return ()
    figure, packed = solution.figure, solution._packed
    space = packed.sections.space
    variables = packed.variables
    x = solution.q[variables]
    lower, upper = space.lower[variables], space.upper[variables]
    g = gradient(solution)
    at_lower, at_upper = x <= lower + _TOUCH, x >= upper - _TOUCH
    free = ~(at_lower | at_upper)
    values = space.row @ solution.q
    scale = np.linalg.norm(space.row, axis=1)
    touched = np.flatnonzero(
        (np.abs(values - space.row_lower) <= _TOUCH * scale)
        | (np.abs(values - space.row_upper) <= _TOUCH * scale)
    )
    rows = space.row[np.ix_(touched, variables)]
    mu = np.linalg.lstsq(rows[:, free].T, g[free], rcond=1e-9)[0] if len(touched) else np.zeros(0)
    rho = g - mu @ rows
    least = _COUNTS * (1.0 + solution.potential)
    found = []
    for i, j in enumerate(variables):
        equal = lower[i] == upper[i]
        name, unit = figure.dofs[j], figure.dof(figure.dofs[j]).unit
        if at_lower[i] and not equal and rho[i] > least:
            found.append(Limit(name, "lower", float(lower[i]), unit, float(rho[i])))
        elif at_upper[i] and not equal and -rho[i] > least:
            found.append(Limit(name, "upper", float(upper[i]), unit, float(-rho[i])))
    for m, r in zip(mu, touched, strict=True):
        coupling = packed.couplings[r]
        if coupling.equality:
            if abs(m) > least:
                found.append(Limit(str(coupling), "equal", coupling.lower, "", float(abs(m))))
        elif values[r] <= space.row_lower[r] + _TOUCH * scale[r] and m > least:
            found.append(Limit(str(coupling), "lower", coupling.lower, "", float(m)))
        elif values[r] >= space.row_upper[r] - _TOUCH * scale[r] and -m > least:
            found.append(Limit(str(coupling), "upper", coupling.upper, "", float(-m)))
    return tuple(sorted(found, key=lambda limit: -limit.multiplier))


def one_more(limit: Limit) -> tuple[float, str]:
    """The step that people think in: a degree for angles, a centimetre for slides."""
    return (math.radians(1.0), "degree") if limit.unit == "rad" else (0.01, "centimetre")


def gains(solution: Solution, limit: Limit) -> np.ndarray:
    """By how much each term's miss would shrink with one more degree (or centimetre): solved, not guessed."""
    from manikin.solvers.projection import run

    packed: Packed = solution._packed.copy(workspace=True)
    space = packed.sections.space
    j = solution.figure.index(limit.name)
    step, _ = one_more(limit)
    if limit.side == "lower":
        space.lower[j] -= step
    else:
        space.upper[j] += step
    q = solution.q.copy()
    out = run(packed, q)
    return solution._out[ERRORS:] - out[ERRORS:]


def redundancy(solution: Solution) -> int:
    """Number of variables less the rank of the goals' Jacobian at the solution."""
    from manikin.kernels.derivatives import jacobian_rows

    packed = solution._packed
    figure = solution.figure
    tree = packed.sections.tree
    rows = np.zeros((9 * packed.terms, len(packed.sections.sweep.values)))
    jacobian_rows(
        packed.structure, packed.parameters, packed.workspace, solution.q, np.zeros(len(rows)), rows
    )
    drives = np.zeros((rows.shape[1], figure.n))
    np.add.at(drives, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    jacobian = (rows @ drives)[:, packed.variables]
    equal = [r for r, coupling in enumerate(packed.couplings) if coupling.equality]
    asked = np.vstack([jacobian, packed.sections.space.row[equal][:, packed.variables]])
    largest = np.abs(asked).max(initial=1.0)
    return len(packed.variables) - int(np.linalg.matrix_rank(asked, tol=1e-7 * largest))
