"""What goals ask of every frame of a clip, as residuals and their derivatives over all frames at once.

Of a position r − p; of an orientation the rotation vector from the target, which is R_p exp([e]) = R, in the target's
frame; of an aim the angle from the site's axis to the direction, as a vector of the two directions across. In metres:
an angle counts as many metres as the goal says (`degrees_per_metre`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from manikin.errors import SolveError
from manikin.figure import transforms
from manikin.figure.figure import Figure
from manikin.goals import Aim, Goal, Orientation, Placement, Position
from manikin.motion import quaternions as quat
from manikin.motion.paths import quaternions_of
from manikin.motion.spheres import cross_matrix

_KINDS = (Position, Orientation, Placement, Aim)
#: The most that θ/sin θ counts of an aim that points straight back, where it has no end.
_BACK = 1e3


@dataclass(frozen=True, eq=False)
class Wish:
    """A goal with its target in every frame: (T, 3), (T, 3, 3) or (T, 4, 4), and its weight in each, (T,)."""

    goal: Goal
    targets: np.ndarray
    weights: np.ndarray = field(repr=False)

    @property
    def site(self) -> str:
        """The goal's site."""
        return self.goal.site


def known(goal: Goal) -> bool:
    """Whether a goal's residual is known for a whole clip; of orientations that of all three axes alike."""
    return isinstance(goal, _KINDS) and len(set(getattr(goal, "axes", (1.0,)))) == 1


def checked(goal: Goal) -> None:
    """Refuse a goal that has no residual here."""
    if not known(goal):
        kinds = ", ".join(kind.__name__ for kind in _KINDS)
        raise SolveError(
            f"{goal.label()}: a whole clip is refined for goals of the kinds {kinds} only, and for all axes alike"
        )


def rotation_vectors(rotations: np.ndarray) -> np.ndarray:
    """Rotation vectors (T, 3), at most π long, of rotations (T, 3, 3)."""
    return quat.log(quaternions_of(rotations))


def residuals(figure: Figure, q: np.ndarray, wishes: Sequence[Wish]) -> list[np.ndarray]:
    """Of each wish, (T, rows), in metres or radians, without weights."""
    sites = list(dict.fromkeys(wish.site for wish in wishes))
    frames = figure.forward(q, sites)
    return [_residual(wish, frames[:, sites.index(wish.site)]) for wish in wishes]


def _residual(wish: Wish, frame: np.ndarray) -> np.ndarray:
    goal, target = wish.goal, wish.targets
    if isinstance(goal, Position):
        return frame[:, :3, 3] - target
    if isinstance(goal, Aim):
        return _aim(goal, target, frame)[0]
    wanted = target[:, :3, :3]
    turned = rotation_vectors(np.swapaxes(wanted, 1, 2) @ frame[:, :3, :3])
    if isinstance(goal, Placement):
        return np.concatenate([frame[:, :3, 3] - target[:, :3, 3], turned], axis=1)
    return turned


def _aim(goal: Aim, target: np.ndarray, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Residual (T, 2), its derivative (T, 2, 3) by the direction seen from the site, and the distances (T,).

    The direction is u = cos θ a + sin θ n, a the site's axis and n at right angles to it; the residual is θ n, so that
    one that points backwards is no less wrong. With m = a × n: d(θ n) = n (cos θ n − sin θ a)·du + θ/sin θ m m·du.
    """
    axis = np.asarray(goal.axis, dtype=np.float64)
    axis = axis / np.linalg.norm(axis)
    across = transforms.basis(axis)[:, :2].T
    away = target - frame[:, :3, 3]
    distance = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    seen = np.einsum("tji,tj->ti", frame[:, :3, :3], away / distance[:, None])
    flat, cosine = seen @ across.T, seen @ axis
    sine = np.linalg.norm(flat, axis=1)
    angle = np.arctan2(sine, cosine)
    n = np.where(sine[:, None] > 0.0, flat / np.maximum(sine, 1e-300)[:, None], [1.0, 0.0])
    m = np.stack([-n[:, 1], n[:, 0]], axis=1)
    ratio = np.minimum(angle / np.maximum(sine, 1e-300), _BACK)
    ratio[sine < 1e-8] = np.where(cosine[sine < 1e-8] > 0.0, 1.0, _BACK)
    outward = cosine[:, None] * (n @ across) - sine[:, None] * axis
    slope = n[:, :, None] * outward[:, None, :]
    slope += ratio[:, None, None] * m[:, :, None] * (m @ across)[:, None, :]
    return angle[:, None] * n, slope, distance


def linearised(figure: Figure, q: np.ndarray, wishes: Sequence[Wish]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each wish its residual (T, rows) and Jacobian (T, rows, n)."""
    sites = list(dict.fromkeys(wish.site for wish in wishes))
    frames = figure.forward(q, sites)
    slopes = {site: figure.jacobian(q, site) for site in sites}
    found = []
    for wish in wishes:
        frame, jacobian = frames[:, sites.index(wish.site)], slopes[wish.site]
        residual = _residual(wish, frame)
        found.append((residual, _slope(wish, frame, jacobian, residual)))
    return found


def _slope(wish: Wish, frame: np.ndarray, jacobian: np.ndarray, residual: np.ndarray) -> np.ndarray:
    goal = wish.goal
    if isinstance(goal, Position):
        return jacobian[:, :3]
    turn = np.swapaxes(frame[:, :3, :3], 1, 2)
    if isinstance(goal, Aim):
        _, slope, distance = _aim(goal, wish.targets, frame)
        away = (wish.targets - frame[:, :3, 3]) / distance[:, None]
        # d/dt (Rᵀ d) with d unit: Rᵀ(ḋ − ω × d), ḋ = −(I − d dᵀ) v / distance
        flat = np.eye(3) - away[:, :, None] * away[:, None, :]
        moved = -np.einsum("tij,tjn->tin", flat, jacobian[:, :3]) / distance[:, None, None]
        moved += np.einsum("tij,tjn->tin", cross_matrix(away), jacobian[:, 3:])
        return slope @ turn @ moved
    # e with R_pᵀ R = exp([e]): ė = J_r(e)⁻¹ Rᵀ ω, J_r⁻¹ ≈ I + ½[e] + (1/12)[e]² near 0
    e = residual[:, -3:]
    cross = cross_matrix(e)
    inverse = np.eye(3) + 0.5 * cross + cross @ cross / 12.0
    turned = inverse @ turn @ jacobian[:, 3:]
    if isinstance(goal, Placement):
        return np.concatenate([jacobian[:, :3], turned], axis=1)
    return turned


def scales(goal: Goal) -> np.ndarray:
    """The square roots of the weights of a goal's rows, angles counted in metres."""
    c = 57.29577951308232 / float(getattr(goal, "degrees_per_metre", 57.3))
    weight = float(getattr(goal, "weight", 1.0))
    if isinstance(goal, Position):
        return np.sqrt(weight) * np.ones(3)
    if isinstance(goal, Aim):
        return np.sqrt(weight) * c * np.ones(2)
    if isinstance(goal, Placement):
        share = goal.position_share
        return np.sqrt(weight) * np.array([*(np.sqrt(share),) * 3, *(c * np.sqrt(1.0 - share),) * 3])
    return np.sqrt(weight) * c * np.ones(3)
