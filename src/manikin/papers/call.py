"""Run a method of the papers on a Problem, and say honestly what it found."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels.projection import derivatives
from manikin.kernels.projection import python_potential as by_hand
from manikin.kernels.projection.solve import (
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_STATUS,
)
from manikin.papers.view import OutOfTime, View
from manikin.solvers.methods.projection import not_finite
from manikin.solvers.solution import STATUSES

if TYPE_CHECKING:
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.problem import Problem

_TURN = 2.0 * np.pi
# What counts as on a limit, as zero slope beside 1 + P, and as curvature beside the largest.
_TOUCH, _SLOPE, _CURVED = 1e-9, 1e-6, 1e-7


def run(
    problem: Problem, q: np.ndarray, method: str, options: Mapping[str, Any] | None, deadline: float | None
) -> tuple[np.ndarray, dict[str, Any]]:
    """Solve from q, in place; returns numbers as `kernels.projection` does, and what the method recorded, by name.

    A method may end outside the ranges, or run away: then q is the last point of its way inside them.
    """
    if not np.isfinite(q).all():
        raise not_finite(problem._packed, q)
    function = import_module(f"manikin.papers.{method}").run
    if not isinstance(options or {}, Mapping):
        raise SolveError(f"method {method!r}: options must map names to values, got {options!r}")
    given = dict(options or {})
    known = list(inspect.signature(function).parameters)[1:]
    for name in given:
        if name not in known:
            raise SolveError(f"method {method!r} has no option {name!r}; known are: {', '.join(known)}")
    view = View(problem, q, method, deadline)
    details: dict[str, Any] = {}
    cut = False
    if view.parts and len(view.variables):
        try:
            details = function(view, **given)
        except (OutOfTime, FloatingPointError):
            cut = True
    packed = problem._packed
    end = _inside(view, packed, view.way[-1])
    left = end is None
    if end is None:
        inside = (_inside(view, packed, x) for x in reversed(view.way))
        end = next(x for x in inside if x is not None)
    details["left_limits"] = left
    q[:] = view.full(end)
    out = _measured(packed, q)
    stuck = not (left or cut) and _stationary(packed, q, out[OUT_POTENTIAL])
    out[OUT_STATUS] = STATUSES.index("stationary" if stuck else "stopped")
    out[OUT_ITERATIONS], out[OUT_EVALUATIONS] = view.iterations, view.evaluations
    return out, details


def _inside(view: View, packed: Packed, x: np.ndarray) -> np.ndarray | None:
    """The same pose inside the ranges, whole turns taken out where need be; None if it is outside.

    What is beyond a limit by rounding only is on it.
    """
    x = x.copy()
    periodic = packed.sections.space.periodic.astype(bool)
    for i in np.flatnonzero(periodic):
        nearest = x[i] - _TURN * np.round((x[i] - view.start[i]) / _TURN)
        within = (view.lower[i] <= x[i]) & (x[i] <= view.upper[i])
        for value in (nearest, nearest - _TURN, nearest + _TURN):
            if view.lower[i] <= value <= view.upper[i] and (not within or value == nearest):
                x[i] = value
                break
    if (x < view.lower - _TOUCH).any() or (x > view.upper + _TOUCH).any():
        return None
    return np.clip(x, view.lower, view.upper)


def _measured(packed: Packed, q: np.ndarray) -> np.ndarray:
    """Potential, misses and whether all goals are met at q, by the compiled method's own test."""
    arrays = packed.structure, packed.parameters, packed.workspace
    out = np.zeros(OUT_ERRORS + packed.terms)
    by_hand.begin_by_hand(*arrays, q, 0, 0.0)
    potential, _ = by_hand.push(*arrays, True)
    by_hand.finish_by_hand(*arrays, q, out, potential)
    return out


def _stationary(packed: Packed, q: np.ndarray, potential: float) -> bool:
    """Whether no direction inside the ranges improves, by slope and by curvature."""
    arrays = packed.structure, packed.parameters, packed.workspace
    space, tree, variables = packed.sections.space, packed.sections.tree, packed.variables
    g = np.empty(len(variables))
    derivatives.slope(*arrays, q, g)
    x = q[variables]
    low, high = x <= space.lower[variables] + _TOUCH, x >= space.upper[variables] - _TOUCH
    small = _SLOPE * (1.0 + potential)
    held = (low & (g > small)) | (high & (g < -small)) | (low & high)
    if np.abs(g[~held]).max(initial=0.0) > small:
        return False
    derivatives.hessian_by_values(*arrays, q)
    drives = np.zeros((len(tree.offset), len(q)))
    np.add.at(drives, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    hessian = (drives.T @ packed.sections.work.hessian @ drives)[np.ix_(variables[~held], variables[~held])]
    hessian = 0.5 * (hessian + hessian.T)
    return bool(np.linalg.eigvalsh(hessian).min(initial=0.0) >= -_CURVED * np.abs(hessian).max(initial=0.0))
