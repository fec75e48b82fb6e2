"""Rotations that three angles write in two ways: the one nearer to what is wanted.

About axes at right angles, R₁(a) R₂(b) R₃(c) = R₁(a + π) R₂(π − b) R₃(c + π); where the first axis is the third,
R₁(a + π) R₂(−b) R₃(c + π). Markers cannot tell the two apart, but a reader can: a pelvis that is tilted by 1° is not
one that is tilted by 181°, listed by 180° and rotated by 180°.
"""

from __future__ import annotations

import numpy as np

from manikin.figure import Figure

_TURN = 2.0 * np.pi


class Charts:
    """The triples of unlimited angles of a figure that have another way to be written.

    variables: the coordinates that may change. A triple is three in a row of them without limits, for which the other
    way was seen to leave every segment where it is.
    """

    def __init__(self, figure: Figure, variables: np.ndarray) -> None:
        rng = np.random.default_rng(0)
        low, high = np.maximum(figure.lower, -1.0), np.minimum(figure.upper, 1.0)
        q = low + (high - low) * rng.uniform(0.0, 1.0, (2, figure.n))
        free = {int(j) for j in variables if figure.dof(figure.dofs[j]).wraps}
        names = list(figure.segments)
        frames = figure.forward(q, names) if free else None
        found: list[tuple[list[int], float]] = []
        for j in range(figure.n - 2):
            triple = [j, j + 1, j + 2]
            if not free.issuperset(triple):
                continue
            for middle in (np.pi, 0.0):
                other = q.copy()
                other[:, triple] = _flipped(q[:, triple], middle)
                if np.abs(figure.forward(other, names) - frames).max() < 1e-9:
                    found.append((triple, middle))
                    free.difference_update(triple)
                    break
        self.triples = np.array([triple for triple, _ in found], np.int64).reshape(-1, 3)
        self._middle = np.array([middle for _, middle in found])

    def near(self, q: np.ndarray, before: np.ndarray) -> None:
        """Write each row of q (frames, n) the way that is nearer to the row before, the first to ``before`` (n).

        Both ways are as far from each other's as from their own, so whether two rows in a row differ is asked of the
        rows as they are, and what has changed an odd number of times is written the other way.
        """
        if not len(self.triples):
            return
        angles = q[:, self.triples]
        rows = np.concatenate([before[None, self.triples], angles])
        other = _flipped(angles, self._middle)
        changes = _away(other, rows[:-1]) < _away(angles, rows[:-1])
        odd = np.cumsum(changes, axis=0) % 2 == 1
        if odd.any():
            q[:, self.triples] = np.where(odd[..., None], other, angles)


def _flipped(angles: np.ndarray, middle: np.ndarray | float) -> np.ndarray:
    """The other way to write triples (…, 3)."""
    other = angles + np.pi
    other[..., 1] = middle - angles[..., 1]
    return other


def _away(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """How far triples are from each other, whole turns aside."""
    away = one - two
    away -= _TURN * np.rint(away / _TURN)
    return (away * away).sum(axis=-1)
