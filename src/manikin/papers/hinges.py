"""One hinge or slide at a time: what `ccd` and `fabrik` know of a figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.errors import SolveError
from manikin.papers.asked import SitePart
from manikin.papers.view import View


@dataclass(frozen=True)
class Hinge:
    """A variable that drives one turn or slide, one to one; ``motion`` is its index among the view's motions."""

    variable: int
    motion: int
    turns: bool


def hinges(view: View) -> list[Hinge]:
    """The variables from root to tips; a SolveError for a ball joint, a free root, or a coordinate with followers."""
    tree = view.motions.tree
    found = []
    for i, dof in enumerate(view.variables):
        driven = np.flatnonzero(tree.drive_dof == i)
        if not len(driven):  # it moves no site: a coupling brought it in
            continue
        axis = tree.drive_axis[driven[0]]
        motion = int(np.searchsorted(tree.axis, axis, side="right") - 1)
        name = view.figure.dofs[dof]
        if len(driven) > 1 or tree.drive_coefficient[driven[0]] != 1.0:
            raise SolveError(f"method {view.method!r} turns one hinge at a time, and {name!r} drives several")
        if not (tree.turns[motion] or tree.slides[motion]):
            raise SolveError(
                f"method {view.method!r} knows hinges and slides; {name!r} is part of a ball joint or a free root"
            )
        found.append(Hinge(i, motion, bool(tree.turns[motion])))
    return sorted(found, key=lambda hinge: hinge.motion)


def only_positions(view: View) -> list[SitePart]:
    """The positions asked for; a SolveError for anything else."""
    found = []
    for part in view.parts:
        if not isinstance(part, SitePart) or part.point is None:
            raise SolveError(f"method {view.method!r} takes positions only, not {part.label}")
        found.append(part)
    return found


def carried_by(view: View, site: str) -> set[int]:
    """The motions that move a site."""
    return view.motions.carriers(site)


def reach(view: View, x: np.ndarray, i: int) -> tuple[float, float]:
    """How far variable i may go down and up from x, the others staying: its own range and the couplings it is in."""
    limits = view.limits
    column, values = limits.A[:, i], limits.A @ x
    low, high = limits.lower[i] - x[i], limits.upper[i] - x[i]
    for c, value, least, most in zip(column, values, limits.low, limits.high, strict=True):
        if abs(c) > 1e-12:
            ends = (least - value) / c, (most - value) / c
            low, high = max(low, min(ends)), min(high, max(ends))
    return min(low, 0.0), max(high, 0.0)


def no_equalities(view: View) -> None:
    """Refuse couplings that no coordinate can move in alone."""
    for coupling in view.limits.couplings:
        if coupling.equality:
            raise SolveError(
                f"method {view.method!r} moves one coordinate at a time, which the equality {coupling} allows "
                "none of; use method='auto', 'bounded' or 'lagrange'"
            )


def axis_of(view: View, x: np.ndarray, hinge: Hinge) -> tuple[np.ndarray, np.ndarray]:
    """A hinge's direction and a point on it, in the world."""
    frame = view.at(x).frames[hinge.motion]
    return frame[:9].reshape(3, 3)[:, 2], frame[9:]


def best_change(
    hinge: Hinge,
    axis: np.ndarray,
    point: np.ndarray,
    points: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    low: float,
    high: float,
) -> float:
    """The change of a hinge within [low, high] that brings points nearest to targets, Σ w‖p′ − t‖² the least.

    A turn by φ leaves Σ w‖p′ − t‖² = const − 2 (A cos φ + B sin φ), with A = Σ w p⊥·t⊥, B = Σ w u·(p⊥ × t⊥): the
    least is at φ = atan2(B, A), or at the end of the range that is nearer in value. A slide moves by the mean of
    what is missing along it.
    """
    if not hinge.turns:
        wanted = float(weights @ ((targets - points) @ axis) / weights.sum())
        return float(np.clip(wanted, low, high))
    p, t = points - point, targets - point
    p, t = p - np.outer(p @ axis, axis), t - np.outer(t @ axis, axis)
    A, B = float(weights @ (p * t).sum(axis=1)), float(weights @ (np.cross(p, t) @ axis))
    if np.hypot(A, B) < 1e-14:
        return 0.0
    best = float(np.arctan2(B, A))
    for angle in (best, best - 2.0 * np.pi, best + 2.0 * np.pi):
        if low <= angle <= high:
            return angle
    return low if A * np.cos(low) + B * np.sin(low) >= A * np.cos(high) + B * np.sin(high) else high
