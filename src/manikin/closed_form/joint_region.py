"""What a limb's coordinates may be together: ranges, linear constraints and swing cones."""

from __future__ import annotations

import numpy as np

from manikin.figure.lean import seen_from
from manikin.kernels.limb import limb

# A linear constraint or a cone is kept to this, radians; solutions of the closed form may use a tenth of it.
_SLACK = 2e-10


class JointRegion:
    """The region of a limb's n coordinates, read from the numbers of its closed form.

    Without cones, or with cones about the joint's zero, it is convex: the straight way between two of its points is
    inside.
    """

    def __init__(self, spec: np.ndarray) -> None:
        virtual = int(spec[limb.VIRTUAL])
        real = [j for j in range(7) if j != virtual]
        factor, offset = (spec[at : at + 7] for at in (limb.FACTOR, limb.OFFSET))
        ends = (np.stack([spec[at : at + 7] for at in (limb.LOWER, limb.HIGHER)]) - offset) * factor
        self.lower, self.upper = ends.min(axis=0)[real], ends.max(axis=0)[real]
        count, at = int(spec[limb.ROWS]), limb.ROW
        rows = spec[at : at + count * limb.ROW_LENGTH].reshape(count, limb.ROW_LENGTH)
        # c·values = c·(coordinates / factor + offset).
        shift = rows[:, :7] @ offset
        self._rows = (rows[:, :7] / factor)[:, real]
        size = np.linalg.norm(self._rows, axis=1)
        self._low, self._high = rows[:, 7] - shift - _SLACK * size, rows[:, 8] - shift + _SLACK * size
        at += count * limb.ROW_LENGTH
        cones = spec[at : at + int(spec[limb.CONES]) * limb.CONE_LENGTH].reshape(-1, limb.CONE_LENGTH)
        self._cones = [([int(c[0]), int(c[1])], c[2:4], c[4:6]) for c in cones]
        self._factor, self._offset, self._real = factor, offset, real

    def holds(self, path: np.ndarray) -> bool:
        """Whether every point of a path (N, n) is inside."""
        if not ((path >= self.lower - 1e-12).all() and (path <= self.upper + 1e-12).all()):
            return False
        if len(self._rows):
            values = path @ self._rows.T
            if not ((values >= self._low).all() and (values <= self._high).all()):
                return False
        if not self._cones:
            return True
        whole = np.zeros((len(path), 7))
        whole[:, self._real] = path
        whole = whole / self._factor + self._offset
        for places, center, radii in self._cones:
            lean = np.linalg.norm(seen_from(center, whole[:, places]) / radii, axis=1)
            if (lean > 1.0 + _SLACK / radii.min()).any():
                return False
        return True

    def inward(self, path: np.ndarray) -> np.ndarray | None:
        """Which values of a path (N, n) should be lower (1) and which higher (−1) for the linear constraint or cone
        that it breaks most; None where it breaks none.
        """
        push, most = None, 0.0
        if len(self._rows):
            values = path @ self._rows.T
            size = np.linalg.norm(self._rows, axis=1)
            for sign, beyond in ((1.0, values - self._high), (-1.0, self._low - values)):
                far = beyond.max(axis=0) / size
                k = int(np.argmax(far))
                if far[k] > most:
                    push, most = sign * np.sign(self._rows[k]), float(far[k])
        if not self._cones:
            return push
        whole = np.zeros((len(path), 7))
        whole[:, self._real] = path
        whole = whole / self._factor + self._offset
        for places, center, radii in self._cones:
            away = seen_from(center, whole[:, places]) / radii
            lean = np.linalg.norm(away, axis=1)
            k = int(np.argmax(lean))
            if (lean[k] - 1.0) * radii.min() > max(most, _SLACK):
                seven = np.zeros(7)
                seven[places] = away[k] / lean[k] * np.sign(self._factor[places])
                push, most = seven[self._real], float((lean[k] - 1.0) * radii.min())
        return push
