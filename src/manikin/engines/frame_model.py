"""Quadratic models of functions of a frame: what a Potential is to the compiled descent.

Near the frame (r₀, R₀) a Potential is, by its twist ξ = (r − r₀, ½ Σ R₀ₖ × Rₖ) (the second half is sin θ times the
axis of the rotation from R₀ to R),

    P ≈ P₀ + gᵀξ + ½ ξᵀHξ,        g the force and the moment, H by central differences of g.

In the eigenvectors e of H this is a sum of squares, ½ λ (eᵀξ + gₑ/λ)² each: a row that is affine in the frame, with a
weight. So the compiled descent minimises the model together with all other rows, which it knows exactly. Where H has a
negative eigenvalue its size counts; λ is at least |gₑ|/Δ, so that no row asks for more than the length Δ, and μ is
added to it to keep the frame near r₀, R₀.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.goals import Potential
from manikin.goals.potential import AFFINE_ROW, TWIST, moved

# Step of the differences, in metres and radians.
_DIFFERENCE = 1e-5
#: A row asks for this at most, in metres and radians.
FARTHEST = 1.0
# Curvatures below this share of the largest are none. Off a surface P = d² = 0 of radius a, P curves by 2 d/a along
# it, which is none either: this many times d.
_FLAT, _OFF_SURFACE = 1e-7, 30.0


@dataclass
class FrameModel:
    """A Potential at one frame, with its derivatives.

    curvature, directions: eigenvalues of H, and eigenvectors as columns.
    """

    position: np.ndarray
    axes: np.ndarray
    value: float
    gradient: np.ndarray
    curvature: np.ndarray
    directions: np.ndarray

    def rows(self, mu: float) -> tuple[np.ndarray, np.ndarray]:
        """Rows (6 × 13) whose squares, with these weights (6), add up to the model, less a constant."""
        along = self.directions.T @ self.gradient
        size = np.maximum(np.abs(self.curvature), np.abs(along) / FARTHEST)
        size = np.maximum(size + mu, _FLAT * (size.max() or 1.0))
        return affine_rows(self.directions, along / size, self.position, self.axes), 0.5 * size

    def held(self, least: float, *, met: bool) -> tuple[np.ndarray, np.ndarray]:
        """Rows (6 × 13) that say where the frame may not go without changing the value, and which of them do.

        They are along the eigenvectors of |H| + ggᵀ/|g|; a value above ``least`` is brought back to it, or where that
        is no lower than the model's least value, to the latter. ``met``: the value is near 0, its least.
        """
        g, size = self.gradient, np.abs(self.curvature)
        H = (self.directions * size) @ self.directions.T
        length = float(np.linalg.norm(g))
        if length > 0.0:
            H = H + np.outer(g, g) / (length * FARTHEST)
        size, directions = np.linalg.eigh(H)
        steep = size.max()
        flat = max(_FLAT, _OFF_SURFACE * np.sqrt(self.value / steep)) if met and steep > 0.0 else _FLAT
        bends = size > min(flat, 0.1) * steep
        target = np.zeros(TWIST)
        excess = self.value - least
        if excess > 0.0 and length > 0.0:
            along = self.directions.T @ g
            strength = np.abs(self.curvature)
            curved = strength > _FLAT * strength.max()
            newton = self.directions[:, curved] @ (along[curved] / strength[curved])
            depth = 0.5 * float(g @ newton)
            if depth > 0.0:  # along t of the Newton step the model falls by depth (1 − (1 − t)²)
                step = newton * (1.0 - np.sqrt(max(1.0 - excess / depth, 0.0)))
            else:
                step = g * (excess / length**2)
            target = directions.T @ step
        return affine_rows(directions, target, self.position, self.axes), bends


def affine_rows(
    directions: np.ndarray, offset: np.ndarray, position: np.ndarray, axes: np.ndarray
) -> np.ndarray:
    """Rows eᵀξ + offset, e the columns of ``directions``, as constant, force and derivative by the axes."""
    force, turning = directions[:3].T, directions[3:].T
    by_axes = 0.5 * np.cross(turning[:, :, None], axes[None], axis=1)
    rows = np.empty((len(offset), AFFINE_ROW))
    rows[:, 0] = offset - force @ position
    rows[:, 1:4] = force
    rows[:, 4:] = by_axes.reshape(len(offset), 9)
    return rows


def frame_model(goal: Potential, position: np.ndarray, axes: np.ndarray) -> FrameModel:
    """The model of a Potential at a frame: thirteen calls of its function."""
    value, gradient = goal.by_twist(position, axes)
    H = np.empty((TWIST, TWIST))
    for i in range(TWIST):
        ahead, behind = (
            goal.by_twist(*moved(position, axes, i, side * _DIFFERENCE))[1] for side in (1.0, -1.0)
        )
        H[i] = (ahead - behind) / (2.0 * _DIFFERENCE)
    curvature, directions = np.linalg.eigh(0.5 * (H + H.T))
    return FrameModel(position, axes, value, gradient, curvature, directions)
