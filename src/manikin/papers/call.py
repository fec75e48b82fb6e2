"""Run a method of the papers on a Problem, and say honestly what it found."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.kernels.projection import derivatives, python_potential as by_hand
from manikin.kernels.projection.solve import (
    INFEASIBLE,
    OUT_ERRORS,
    OUT_EVALUATIONS,
    OUT_ITERATIONS,
    OUT_POTENTIAL,
    OUT_REACHED,
    OUT_STATUS,
)
from manikin.papers.least_squares import null_space
from manikin.papers.limits import Limits
from manikin.papers.numerics import lsq_linear
from manikin.papers.view import OutOfTime, View, refuse
from manikin.solvers.explain.limits import in_words
from manikin.solvers.methods import nonlinear
from manikin.solvers.solution import STATUSES
from manikin.solvers.starts.inside import bring_in, not_finite

if TYPE_CHECKING:
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.work import Work

_TURN = 2.0 * np.pi
# What counts as on a limit, as zero slope beside 1 + P, and as curvature beside the largest.
_TOUCH, _SLOPE, _CURVED = 1e-9, 1e-6, 1e-7


def run(
    work: Work, q: np.ndarray, method: str, options: Mapping[str, Any] | None, deadline: float | None
) -> tuple[np.ndarray, dict[str, Any]]:
    """Solve from q, in place; returns numbers as `kernels.projection` does, and what the method recorded, by name.

    A start that breaks a linear coupling is first moved to the nearest point that breaks none. A method may end outside
    the ranges and couplings, or run away: then q is the last point of its way inside them, and ``details["left"]``
    says which its end was beyond, and by how much.
    """
    if not np.isfinite(q).all():
        raise not_finite(work.packed, q)
    function = import_module(f"manikin.papers.methods.{method}").run
    if not isinstance(options or {}, Mapping):
        raise SolveError(f"method {method!r}: options must map names to values, got {options!r}")
    given = dict(options or {})
    known = list(inspect.signature(function).parameters)[1:]
    for name in given:
        if name not in known:
            raise SolveError(f"method {method!r} has no option {name!r}; known are: {', '.join(known)}")
    refuse(work.packed, method)
    packed = work.packed
    if not _begun(work.packed, q):
        out = _measured(packed, q)
        out[OUT_STATUS], out[OUT_REACHED] = INFEASIBLE, 0.0
        return out, {"method": method, "left_limits": False, "left": {}}
    view = View(work, q, method, deadline)
    details: dict[str, Any] = {}
    cut = False
    if view.parts and len(view.variables):
        try:
            details = function(view, **given)
        except (OutOfTime, FloatingPointError):
            cut = True
    end = _inside(view, packed, view.way[-1])
    left = end is None
    if end is None:
        inside = (_inside(view, packed, x) for x in reversed(view.way))
        end = next(x for x in inside if x is not None)
    details["method"] = method
    details["left_limits"] = left
    details["left"] = _left(view, _unwound(view, packed, view.way[-1])) if left else {}
    q[:] = view.full(end)
    out = _measured(packed, q)
    stuck = not (left or cut) and _stationary(packed, view.limits, q, out[OUT_POTENTIAL])
    out[OUT_STATUS] = STATUSES.index("stationary" if stuck else "stopped")
    out[OUT_ITERATIONS], out[OUT_EVALUATIONS] = view.iterations, view.evaluations
    return out, details


def _begun(packed: Packed, q: np.ndarray) -> bool:
    """Move a start that breaks a linear coupling into all of them, in place; False when there is no such point."""
    figure, _, couplings = packed.origin
    nonlinear.bring_in(figure, q)
    values = dict(zip(figure.dofs, np.clip(q, figure.lower, figure.upper), strict=True))
    for coupling in couplings:
        value, length = coupling.value(values), float(np.linalg.norm(list(coupling.coefficients.values())))
        if max(coupling.lower - value, value - coupling.upper) > 1e-11 * length:
            return bring_in(packed, q)
    return True


def _unwound(view: View, packed: Packed, x: np.ndarray) -> np.ndarray:
    """The same pose with whole turns taken out where that brings a coordinate into its range."""
    x = x.copy()
    periodic = packed.sections.space.periodic.astype(bool)
    for i in np.flatnonzero(periodic):
        nearest = x[i] - _TURN * np.round((x[i] - view.start[i]) / _TURN)
        within = (view.lower[i] <= x[i]) & (x[i] <= view.upper[i])
        for value in (nearest, nearest - _TURN, nearest + _TURN):
            if view.lower[i] <= value <= view.upper[i] and (not within or value == nearest):
                x[i] = value
                break
    return x


def _inside(view: View, packed: Packed, x: np.ndarray) -> np.ndarray | None:
    """The same pose inside the ranges and couplings, whole turns taken out where need be; None if it is outside.

    What is beyond a limit by rounding only is on it.
    """
    x = _unwound(view, packed, x)
    return view.limits.nearest(x) if view.limits.worst(x) <= _TOUCH else None


def _left(view: View, x: np.ndarray) -> dict[str, float]:
    """By how much x is beyond each range and coupling that it has left: above the upper end, or (negative) below."""
    figure, limits = view.figure, view.limits
    ranges, couplings = limits.excess(x)
    found = {
        figure.dofs[view.variables[i]]: float(ranges[i]) for i in np.flatnonzero(np.abs(ranges) > _TOUCH)
    }
    for r in np.flatnonzero(np.abs(couplings) > _TOUCH):
        coupling = limits.couplings[r]
        side = "equal" if coupling.equality else "upper" if couplings[r] > 0.0 else "lower"
        found[in_words(figure, coupling, side)] = float(couplings[r] * limits.length[r])
    return found


def _measured(packed: Packed, q: np.ndarray) -> np.ndarray:
    """Potential, misses and whether all goals are met at q, by the compiled method's own test."""
    arrays = packed.structure, packed.parameters, packed.workspace
    out = np.zeros(OUT_ERRORS + packed.parts)
    by_hand.begin_by_hand(*arrays, q, 0, 0.0)
    potential, _ = by_hand.push(*arrays, True)
    by_hand.finish_by_hand(*arrays, q, out, potential)
    return out


def _stationary(packed: Packed, limits: Limits, q: np.ndarray, potential: float) -> bool:
    """Whether no direction inside the ranges and couplings improves, by gradient and by curvature.

    g = Nᵀν + what is left, over the limits that are touched, ν ≥ 0 but for equalities; what is held with ν = 0 counts
    as free for the curvature.
    """
    arrays = packed.structure, packed.parameters, packed.workspace
    tree, variables = packed.sections.tree, packed.variables
    g = np.empty(len(variables))
    derivatives.slope(*arrays, q, g)
    small = _SLOPE * (1.0 + potential)
    N, signed = _touched(limits, q[variables])
    held = np.zeros(len(N), bool)
    if len(N):
        found = lsq_linear(N.T, g, (np.where(signed, 0.0, -np.inf), np.inf), method="bvls")
        g = g - N.T @ found.x
        held = (found.x > small) | ~signed
    if np.abs(g).max(initial=0.0) > small:
        return False
    derivatives.hessian_by_values(*arrays, q)
    drives = np.zeros((len(tree.offset), len(q)))
    np.add.at(drives, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    hessian = (drives.T @ packed.sections.work.hessian @ drives)[np.ix_(variables, variables)]
    free = null_space(N[held])
    hessian = free.T @ (0.5 * (hessian + hessian.T)) @ free
    return bool(np.linalg.eigvalsh(hessian).min(initial=0.0) >= -_CURVED * np.abs(hessian).max(initial=0.0))


def _touched(limits: Limits, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normals of the limits that x touches, inwards, and which of them are inequalities."""
    eye, values = np.eye(len(x)), limits.A @ x
    low, high = x <= limits.lower + _TOUCH, x >= limits.upper - _TOUCH
    row_low, row_high = values <= limits.low + _TOUCH, values >= limits.high - _TOUCH
    both, equal = low & high, limits.equal
    parts = [
        (eye[both], False),
        (eye[low & ~both], True),
        (-eye[high & ~both], True),
        (limits.A[equal], False),
        (limits.A[row_low & ~equal], True),
        (-limits.A[row_high & ~equal], True),
    ]
    signed = np.concatenate([np.full(len(rows), sign) for rows, sign in parts])
    return np.vstack([rows for rows, _ in parts]), signed
