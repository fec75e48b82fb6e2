"""Whitney's resolved rate control (Korein and Badler, *Numerical solutions* and *Lagrangian methods*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Pose, kinematics
from manikin.papers.follow import follow
from manikin.papers.inverse import pseudo_inverse
from manikin.papers.view import View

WEIGHTINGS = ("identity", "mass")


def run(
    view: View,
    weighting: str = "identity",
    intermediate: int = 40,
    spacing: str = "smooth",
    iterations: int = 50,
) -> dict[str, Any]:
    """θ̇ = A⁻¹ Jᵀ (J A⁻¹ Jᵀ)⁻¹ Ẋ, integrated along the straight way; the limits are not known to it.

    Velocities of joints and end effectors are linearly related, Ẋ = J θ̇. Of all θ̇ that satisfy it this is the one
    of least ½ θ̇ᵀ A θ̇, from which the multipliers have been eliminated. With A = B Bᵀ it is B⁻ᵀ (J B⁻ᵀ)⁺ Ẋ, which
    also serves where J has not full rank.

    weighting: A: ``"identity"``, or ``"mass"`` for the inertia matrix, so that kinetic energy is least.
    intermediate, spacing, iterations: the steps along the way, and further ones at its end.
    """
    if weighting not in WEIGHTINGS:
        known = ", ".join(WEIGHTINGS)
        raise SolveError(f"method {view.method!r}: unknown weighting {weighting!r}; expected one of: {known}")

    def step(x: np.ndarray, dX: np.ndarray, share: float) -> np.ndarray:
        J = view.jacobian(x)
        if weighting == "identity":
            return pseudo_inverse(J) @ dX
        return weighted_step(J, dX, _mass(view, x))

    return follow(view, step, intermediate, spacing, 1, iterations)


def weighted_step(J: np.ndarray, dX: np.ndarray, A: np.ndarray) -> np.ndarray:
    """The dθ with J dθ = dX and the least dθᵀ A dθ."""
    inverse = np.linalg.inv(np.linalg.cholesky(A)).T
    return inverse @ (pseudo_inverse(J @ inverse) @ dX)


def mass_matrix(pose: Pose) -> np.ndarray:
    """A(q) = Σ m JᵥᵀJᵥ + J_ωᵀ I J_ω over the segments, (n, n): kinetic energy is ½ q̇ᵀ A q̇."""
    figure, tree = pose.figure, pose.figure.tree
    A = np.zeros((figure.n, figure.n))
    frames = pose.matrices()
    motions = kinematics.frames(tree, pose.q)
    for place, (name, segment) in enumerate(figure.segments.items()):
        if segment.mass == 0.0 and segment.inertia is None:
            continue
        turn = frames[name][:3, :3]
        center = frames[name][:3, 3] + turn @ np.asarray(segment.center_of_mass)
        J = kinematics.jacobian(tree, pose.q, motions, int(tree.segment_motion[place]), center)
        A += segment.mass * J[:3].T @ J[:3]
        if segment.inertia is not None:
            A += J[3:].T @ turn @ segment.inertia @ turn.T @ J[3:]
    return A


def _mass(view: View, x: np.ndarray) -> np.ndarray:
    A = mass_matrix(view.pose(x))[np.ix_(view.variables, view.variables)]
    size, vectors = np.linalg.eigh(A)
    if size[0] <= 1e-12 * max(size[-1], 1e-300):
        worst = view.figure.dofs[view.variables[int(np.argmax(np.abs(vectors[:, 0])))]]
        raise SolveError(
            f"method {view.method!r}: weighting by mass needs segments with mass and inertia; "
            f"{worst!r} moves none"
        )
    return A
