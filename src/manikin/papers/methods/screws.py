"""Pieper's iteration with velocity screws (Korein and Badler, *Numerical solutions*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import transforms
from manikin.papers.follow import counts
from manikin.papers.inverse import pseudo_inverse
from manikin.papers.view import View

CONSTRAINTS = False


def run(view: View, intermediate: int = 4, iterations: int = 50) -> dict[str, Any]:
    """Σ $ⱼ dθⱼ = $ for every end effector; the limits are not known to it.

    The displacement from where the end effector is to its target, T = [R p; 0 1], is one turn about an axis and a
    slide along it; taken as a velocity it is the screw $ = (ω, v), with ω the rotation vector of R and v = L(ω)⁻¹ p
    the velocity of the body's point at the origin, L the left Jacobian of the exponential. Joint j has the screw $ⱼ
    = (ωⱼ, vⱼ). With six degrees of freedom the equations have one solution; otherwise the least change, J⁺$, is
    taken.

    intermediate: in how many further pieces the first screw is travelled. iterations: steps after that.
    """
    counts(view, intermediate=intermediate, iterations=iterations)
    frames = _placements(view)
    x = view.start.copy()
    for k in range(intermediate + 1 + iterations):
        if k > intermediate and view.near(view.rows(x)):
            break
        pieces = max(intermediate + 1 - k, 1)
        screws, joints = [], []
        for site, target in frames.items():
            placed = view.at(x)
            screws.append(screw(target @ transforms.inverse(placed.matrix(site))) / pieces)
            joints.append(joint_screws(placed.jacobian(site), placed.matrix(site)[:3, 3]))
        x = view.moved(x + pseudo_inverse(np.vstack(joints)) @ np.concatenate(screws))
    return {}


def screw(displacement: np.ndarray) -> np.ndarray:
    """(ω, v) of a rigid displacement, 4×4: exp of it is the displacement."""
    omega = transforms.log(displacement[:3, :3])
    return np.concatenate([omega, np.linalg.solve(transforms.left_jacobian(omega), displacement[:3, 3])])


def joint_screws(jacobian: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Columns $ⱼ = (ωⱼ, vⱼ), v at the world's origin, from a site's Jacobian (linear, angular)."""
    linear, angular = jacobian[:3], jacobian[3:]
    return np.vstack([angular, linear - np.cross(angular.T, position).T])


def _placements(view: View) -> dict[str, np.ndarray]:
    """The target frame of each site; a screw needs position and orientation both."""
    found: dict[str, dict[bool, np.ndarray]] = {}
    for part in view.sites:
        asked = part.point if part.turn is None else part.turn
        if asked is None or part.base:
            raise SolveError(
                f"method 'screws' needs position and orientation of a site, a placement, not {part.label}"
            )
        turns = part.turn is not None
        if turns in found.setdefault(part.site, {}):
            raise SolveError(f"method 'screws' takes one placement a site, and {part.site!r} has several")
        found[part.site][turns] = asked
    frames = {}
    for part in view.sites:
        if len(found[part.site]) < 2:
            raise SolveError(
                f"method 'screws' needs position and orientation of a site, a placement, not {part.label}"
            )
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = found[part.site][True], found[part.site][False]
        frames[part.site] = frame
    return frames
