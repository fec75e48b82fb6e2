"""C² curves of rotations through keys, by the shorter way from each to the next.

From key i to the next, R(t) = R_i exp([φ(t)]) with φ a quintic from 0 to Δ_i = log(R_iᵀ R_{i+1}), |Δ_i| ≤ π. At its
start φ̇ = ω and φ̈ = ω̇; at its end

    φ̇ = J⁻¹ ω,   φ̈ = J⁻¹ (ω̇ − J̇ φ̇),   ω = J(φ) φ̇,   J(φ) = I − (1 − cos θ)/θ² [φ] + (θ − sin θ)/θ³ [φ]²,

so that whatever ω and ω̇ (in the moving frame) the keys have, the curve is C². They are those of a spline through the
curve unrolled: the path x(t) = ∫ ω dt, whose steps between keys are the Δ_i while the rotation goes straight. Two keys
alone are joined by the straight rotation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.motion import bezier, quaternions as quat
from manikin.motion.slopes import slopes


@dataclass(frozen=True, eq=False)
class Sphere:
    """keys: quaternions (T, 4), neighbours on the same side. pieces: φ between the keys. swing: whether the coordinates
    are swing and twist, or a rotation vector."""

    keys: np.ndarray
    pieces: bezier.Pieces
    swing: bool
    values: np.ndarray

    def series(self, piece: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The coordinates as series, (4, samples, 3), in the chart of the nearer keys."""
        phi = self.pieces.series(piece, u)
        turned = quat.series_product(self.keys[piece], quat.series_exp(phi))
        if self.swing:
            found = quat.series_swing_twist(turned)
            return _nearest_twist(found, self._between(piece, u))
        return _nearest_vector(quat.series_vector(turned), self._between(piece, u))

    def _between(self, piece: np.ndarray, u: np.ndarray) -> np.ndarray:
        return (1.0 - u[:, None]) * self.values[piece] + u[:, None] * self.values[piece + 1]


def sphere(times: np.ndarray, values: np.ndarray, swing: bool, spline: str, ends: str) -> Sphere:
    """The curve through the coordinates `values`, (T, 3)."""
    keys = quat.from_swing_twist(values) if swing else quat.exp(values)
    steps = quat.log(quat.product(quat.conjugate(keys[:-1]), keys[1:]))
    path = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    rate, second = slopes(times, path, spline, ends)
    h = np.diff(times)
    # No piece may go round its own chart: control points stay within three quarters of a turn.
    longest = np.zeros(len(times))
    longest[:-1] = h
    longest[1:] = np.maximum(longest[1:], h)
    reach = longest * np.linalg.norm(rate, axis=1) / 5.0 + longest**2 * np.linalg.norm(second, axis=1) / 20.0
    share = np.minimum(1.0, 0.25 * np.pi / np.maximum(reach, 1e-300))[:, None]
    rate, second = rate * share, second * share
    inverse, change = _ends(steps, rate[1:])
    at_end = np.einsum("tij,tj->ti", inverse, rate[1:])
    bend = np.einsum("tij,tj->ti", inverse, second[1:] - change)
    pieces = bezier.pieces(np.zeros_like(steps), steps, rate[:-1], at_end, second[:-1], bend, h)
    return Sphere(keys, pieces, swing, values)


def _ends(step: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """J⁻¹ at φ = Δ, (P, 3, 3), and J̇ φ̇ with φ̇ = J⁻¹ ω there, (P, 3)."""
    from manikin.motion.series import stumpff

    square = (step * step).sum(axis=1)
    c = stumpff(square)
    cross = cross_matrix(step)
    twice = cross @ cross
    jacobian = np.eye(3) - c[2][:, None, None] * cross + c[3][:, None, None] * twice
    inverse = np.linalg.inv(jacobian)
    speed = np.einsum("tij,tj->ti", inverse, rate)
    # dJ/dt = −c2' ẋ [φ] − c2 [φ̇] + c3' ẋ [φ]² + c3 ([φ̇][φ] + [φ][φ̇]), x = θ², ẋ = 2 φ·φ̇, ck' = ½(k c_{k+2} −
    # c_{k+1})
    slope = 2.0 * (step * speed).sum(axis=1)
    moving = cross_matrix(speed)
    second, third = 0.5 * (2.0 * c[4] - c[3]) * slope, 0.5 * (3.0 * c[5] - c[4]) * slope
    change = (
        -second[:, None, None] * cross
        - c[2][:, None, None] * moving
        + third[:, None, None] * twice
        + c[3][:, None, None] * (moving @ cross + cross @ moving)
    )
    return inverse, np.einsum("tij,tj->ti", change, speed)


def cross_matrix(v: np.ndarray) -> np.ndarray:
    """The matrices of v ×, (n, 3, 3)."""
    zero = np.zeros(len(v))
    x, y, z = v.T
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)


def _nearest_vector(found: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Rotation vectors with whole turns added, so that they are nearest to others; never at a rotation of none."""
    length = np.linalg.norm(found[0], axis=-1)
    far = np.linalg.norm(near, axis=-1) > np.pi
    close = length > 1e-6
    unit = found[0] / np.where(close, length, 1.0)[:, None]
    along = (unit * near).sum(axis=-1)
    turns = np.where(close & (far | (length > 0.9 * np.pi)), np.round((along - length) / (2.0 * np.pi)), 0.0)
    if not turns.any():
        return found
    from manikin.motion import series

    which = np.flatnonzero(turns)
    part = found[:, which]
    square = sum(series.product(part[..., k], part[..., k]) for k in range(3))
    size = series.root(np.asarray(square))
    factor = series.quotient(
        size + np.where(np.arange(4) == 0, 1.0, 0.0)[:, None] * (2.0 * np.pi * turns[which]), size
    )
    result = found.copy()
    result[:, which] = np.stack([series.product(factor, part[..., k]) for k in range(3)], axis=-1)
    return result


def _nearest_twist(found: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Twists with whole turns added, so that they are nearest to others."""
    result = found.copy()
    result[0, :, 2] += 2.0 * np.pi * np.round((near[:, 2] - found[0, :, 2]) / (2.0 * np.pi))
    return result
