"""Which limits hold a solution, how hard, and what their giving way would buy."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from manikin.engines.levels import Descent
from manikin.kernels.pose.report import OUT_ERRORS
from manikin.result.reports import ActiveConstraint

if TYPE_CHECKING:
    from manikin.figure import Coupling, Figure
    from manikin.plan.packing import Packed
    from manikin.result.solution import Solution

# A multiplier counts above this share of the weights and the potential.
_COUNTS = 1e-6


def active_constraints(solution: Solution) -> tuple[ActiveConstraint, ...]:
    """The limits that hold the solution, or the first of its levels that fell short: the strongest first."""
    if solution.reached or solution.status == "infeasible":
        return ()
    outcome, packed = solution.explained.outcome, solution.explained.packed.packed
    if outcome.at_end is None or outcome.linear is None:
        return ()
    figure, space = solution.figure, packed.sections.space
    least = _COUNTS * (1.0 + solution.cost)
    found = []
    for j, force in zip(packed.variables, outcome.at_end, strict=True):
        strength = 2.0 * abs(force)
        if strength > least and space.lower[j] != space.upper[j]:
            side = "lower" if force > 0.0 else "upper"
            end = space.lower[j] if force > 0.0 else space.upper[j]
            name = figure.dofs[j]
            found.append(ActiveConstraint(name, side, float(end), figure.dof(name).unit, float(strength)))
    for r, force in enumerate(outcome.linear):
        coupling = packed.couplings[r]
        length = float(np.linalg.norm(space.row[r][packed.variables]))
        strength = 2.0 * abs(force) / length if length > 0.0 else 0.0
        if strength > least:
            side = "equal" if coupling.equality else "lower" if force > 0.0 else "upper"
            end = coupling.upper if side == "upper" else coupling.lower
            unit = coupling_unit(figure, coupling)
            found.append(
                ActiveConstraint(in_words(figure, coupling, side), side, end, unit, float(strength), r)
            )
    return tuple(sorted(found, key=lambda limit: -limit.multiplier))


def gains(solution: Solution, limit: ActiveConstraint) -> np.ndarray:
    """By how much each part's miss would shrink with one more degree (or centimetre): solved, not guessed."""
    levels = solution.explained.packed.copy()
    _let_go(levels.packed, solution.figure, limit)
    return solution.raw.out[OUT_ERRORS:] - Descent(levels).down(solution.q.copy()).misses


def _let_go(packed: Packed, figure: Figure, limit: ActiveConstraint) -> None:
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


def one_more(limit: ActiveConstraint) -> tuple[float, str]:
    """The step that people think in: a degree for angles, a centimetre for slides."""
    return (math.radians(1.0), "degree") if limit.unit == "rad" else (0.01, "centimetre")


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
