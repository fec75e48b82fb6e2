"""What a goal's rows measure of a site's frame: g(r, R), and how it changes with the frame's twist (dr, ω).

A row g asks to lie in a range [l, u]; what is missing is the least change that brings it there. The report's
potential of a goal is P = Σ w ρ², ρ how far g is outside (Zhao and Badler 1989):

position (8), line (18), plane (20), and the box (3) of Korein and Badler: coordinates d·(r − p).
circle (2): the height over its plane and the distance from its axis less its radius.
region, obstacle: the signed distance to it, at most 0 inside, at least the margin outside.
orientation (11): the rotation vector from the site's frame to the target; P = w (2 sin ½θ)², which is Σ ½‖vₖ − gₖ‖².
one axis or a direction (15): two components of the difference of the unit vectors, ‖g‖ = 2 sin ½θ.
two axes: the differences vₖ − gₖ themselves.
range of a rotation: components of the rotation vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from manikin.errors import SolveError
from manikin.figure import transforms
from manikin.papers.regions import from_ring, largest
from manikin.residuals import Block

# Metres: nearer than this to its point, a site points nowhere, and its aim asks nothing of where it is (16).
_NO_DIRECTION = 1e-7
_STEP = 1e-6


class Measure(Protocol):
    """Rows of a frame at r with axes R, columns."""

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g, (m,)."""

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """∂g by the twist (dr, ω), (m, 6)."""


def measure_of(part: Block) -> Measure | None:
    """What a part measures; None if it is nothing of one frame."""
    if part.segment or part.at.any():
        return None
    made = _MEASURES.get(part.kind)
    return None if made is None else made(part)


class Coordinates:
    """d·(r − p) along directions d."""

    def __init__(self, part: Block) -> None:
        self.point, self.directions = np.asarray(part.point), np.asarray(part.directions)

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g."""
        return self.directions @ (r - self.point)

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """∂g by the twist (dr, ω)."""
        return np.hstack([self.directions, np.zeros_like(self.directions)])


class Turn:
    """The rotation vector from the target's axes T to the site's: log(R Tᵀ), with the whole angle."""

    def __init__(self, part: Block) -> None:
        self.target = np.asarray(part.turn)

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g."""
        return -transforms.log(self.target @ R.T)

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """The angular velocity itself: what the rotation vector changes by near the target, as methods step by it."""
        return np.hstack([np.zeros((3, 3)), np.eye(3)])


class Rotation:
    """Components of the rotation vector of Tᵀ R."""

    def __init__(self, part: Block) -> None:
        self.target, self.own = np.asarray(part.turn), np.asarray(part.site_axes)
        self.components = list(part.components)

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g."""
        return transforms.log(self.target.T @ R @ self.own)[self.components]

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """∂g by the twist (dr, ω)."""
        vector = transforms.log(self.target.T @ R @ self.own)
        by_turn = np.linalg.solve(transforms.left_jacobian(vector), self.target.T)[self.components]
        return np.hstack([np.zeros_like(by_turn), by_turn])


class Pointing:
    """A site's axis v towards a point, or along a direction: d̂·uₖ √(2/(1 + d̂·v)) for the two axes uₖ across v."""

    def __init__(self, part: Block) -> None:
        self.axes, self.at = np.asarray(part.site_axes), np.asarray(part.point)
        self.fixed = bool(part.numbers[0])

    def _direction(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """d̂ and its derivatives by r."""
        if self.fixed:
            return self.at / np.linalg.norm(self.at), np.zeros((3, 3))
        d = self.at - r
        away = float(np.linalg.norm(d))
        if away < _NO_DIRECTION:
            return np.zeros(3), np.zeros((3, 3))
        d = d / away
        return d, (np.outer(d, d) - np.eye(3)) / away

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g."""
        d = self._direction(r)[0]
        v, *across = (R @ self.axes.T).T
        if not d.any():
            return np.array([np.sqrt(2.0), 0.0])  # as at 90°
        along = 1.0 + float(d @ v)
        if along < 1e-15:  # exactly backwards every way out is as short
            return np.array([2.0, 0.0])
        return np.sqrt(2.0 / along) * (np.array(across) @ d)

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """∂g by the twist (dr, ω)."""
        d, by_r = self._direction(r)
        v, *across = (R @ self.axes.T).T
        along = 1.0 + float(d @ v)
        if not d.any() or along < 1e-15:
            return np.zeros((2, 6))
        U = np.array(across)
        factor = np.sqrt(2.0 / along)
        by_along = np.concatenate([v @ by_r, np.cross(v, d)])
        plain = np.hstack([U @ by_r, np.cross(U, d)])
        return factor * (plain - 0.5 / along * np.outer(U @ d, by_along))


class Axes:
    """vₖ − gₖ of the axes that are minded."""

    def __init__(self, part: Block) -> None:
        self.own, self.targets = np.asarray(part.site_axes), np.asarray(part.directions)

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g."""
        return ((R @ self.own.T).T - self.targets).ravel()

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """∂g by the twist (dr, ω)."""
        by_turn = np.vstack([-transforms.skew(v) for v in (R @ self.own.T).T])
        return np.hstack([np.zeros_like(by_turn), by_turn])


class Distance:
    """The signed distance of the site to what lies in all of some pieces."""

    def __init__(self, part: Block) -> None:
        self.pieces = np.asarray(part.primitives)

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g."""
        return np.array([largest(self.pieces, r)[0]])

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """∂g by the twist (dr, ω)."""
        return np.concatenate([largest(self.pieces, r)[1], np.zeros(3)])[None]


class Ring:
    """The two rows of a circle."""

    def __init__(self, part: Block) -> None:
        self.piece = np.asarray(part.primitives)[0]

    def value(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """g."""
        return from_ring(self.piece, r)[0]

    def slopes(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """∂g by the twist (dr, ω)."""
        return np.hstack([from_ring(self.piece, r)[1], np.zeros((2, 3))])


_MEASURES: dict[str, Callable[[Block], Measure]] = {
    "coordinates": Coordinates,
    "turn": Turn,
    "rotation": Rotation,
    "aim": Pointing,
    "axes": Axes,
    "point": Distance,
    "ring": Ring,
}


def second(measure: Measure, r: np.ndarray, R: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(6, 6): how uᵀ∂g changes with the frame's twist, symmetric, by differences of the slopes."""
    found = np.empty((6, 6))
    for i in range(6):
        ends = [u @ measure.slopes(*_moved(r, R, i, side)) for side in (_STEP, -_STEP)]
        found[i] = (ends[0] - ends[1]) / (2.0 * _STEP)
    return 0.5 * (found + found.T)


def _moved(r: np.ndarray, R: np.ndarray, i: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    unit = np.zeros(3)
    unit[i % 3] = step
    return (r + unit, R) if i < 3 else (r, transforms.exp(unit) @ R)


def angle(part: Block, measure: Measure, r: np.ndarray, R: np.ndarray) -> float:
    """The miss of a part about directions: the angle between the frames, or between the one axis and its direction."""
    if isinstance(measure, Axes):
        ends = [np.vstack([v[:2], np.cross(v[0], v[1])]) for v in (measure.targets, (R @ measure.own.T).T)]
        return float(np.linalg.norm(transforms.log(ends[1].T @ ends[0])))
    size = float(np.linalg.norm(measure.value(r, R)))
    if isinstance(measure, Pointing):
        return 2.0 * float(np.arcsin(min(0.5 * size, 1.0)))
    if not isinstance(measure, Turn):
        raise SolveError(f"{part.kind} measures no angle")
    return size
