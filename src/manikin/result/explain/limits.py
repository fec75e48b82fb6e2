"""Which limits hold a solution, how hard, and what their giving way would buy."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.residuals.errors import WEIGHT
from manikin.result.solution import ERRORS, Limit

if TYPE_CHECKING:
    from manikin.figure import Coupling, Figure
    from manikin.plan.packing import Packed
    from manikin.result.solution import Solution

# A range is touched within this, and a multiplier counts above this share of 1 + P.
_TOUCH = 1e-9
_COUNTS = 1e-6


def gradient(solution: Solution) -> np.ndarray:
    """Slope of the potential by the variables at the solution."""
    from manikin.kernels.pose.slope import slope

    packed = solution._packed.copy(workspace=True)  # someone may be solving with the problem's own
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
    least = _COUNTS * (packed.part_parameters[:, WEIGHT].sum() + solution.potential)
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
            side, strength = "equal", abs(m)
        elif values[r] <= space.row_lower[r] + _TOUCH * scale[r]:
            side, strength = "lower", m
        else:
            side, strength = "upper", -m
        if strength > least:
            end = coupling.upper if side == "upper" else coupling.lower
            unit = coupling_unit(figure, coupling)
            found.append(Limit(in_words(figure, coupling, side), side, end, unit, float(strength), int(r)))
    return tuple(sorted(found, key=lambda limit: -limit.multiplier))


def coupling_unit(figure: Figure, coupling: Coupling) -> str:
    """``"rad"`` or ``"m"`` where all that a coupling names has that unit, else nothing."""
    units = {figure.dof(name).unit for name in coupling.coefficients}
    return units.pop() if len(units) == 1 else ""


def in_words(figure: Figure, coupling: Coupling, side: str) -> str:
    """A coupling with the end that matters: its own name if it has one, or its sum; angles in degrees."""
    total = str(replace(coupling, lower=0.0, upper=0.0)).removesuffix(" = 0")
    if coupling.name:
        total = coupling.name
    sign = {"lower": ">=", "upper": "<=", "equal": "="}[side]
    end = coupling.upper if side == "upper" else coupling.lower
    if coupling_unit(figure, coupling) == "rad":
        return f"{total} {sign} {math.degrees(end):.4g}°"
    return f"{total} {sign} {end:.4g}"


def one_more(limit: Limit) -> tuple[float, str]:
    """The step that people think in: a degree for angles, a centimetre for slides."""
    return (math.radians(1.0), "degree") if limit.unit == "rad" else (0.01, "centimetre")


def let_go(packed: Packed, figure: Figure, limit: Limit) -> None:
    """Move the end of a range or coupling by one degree (or centimetre)."""
    space = packed.sections.space
    step, _ = one_more(limit)
    lower, upper, place = space.row_lower, space.row_upper, limit.row
    if place is None:
        lower, upper, place = space.lower, space.upper, figure.index(limit.name)
    if limit.side != "upper":
        lower[place] -= step
    if limit.side != "lower":
        upper[place] += step


def gains(solution: Solution, limit: Limit) -> np.ndarray:
    """By how much each part's miss would shrink with one more degree (or centimetre): solved, not guessed."""
    levels = solution._problem.levels_for(solution._request, solution.q)
    if limit.row is not None:
        coupling = solution._packed.couplings[limit.row]
        limit = replace(limit, row=levels.packed.couplings.index(coupling))
    let_go(levels.packed, solution.figure, limit)
    return solution._out[ERRORS:] - levels.descend(solution.q.copy()).misses
