"""A figure whose long chains bend as one: fewer coordinates to solve for, and none that nothing decides.

A coupling that is a plain sum of three or more coordinates, as the flexions of a spine, limits how far the chain bends
in all. Of such a group one coordinate is kept, and the others follow it, each by as much as its range is wide:
q_k = rest_k + (w_k/w_d)(q_d − rest_d). What the couplings say of them is said of the one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manikin.figure import Coupling, Figure, Follow


def groups(figure: Figure) -> list[list[int]]:
    """The coordinates of each such sum, the widest first, none in two groups."""
    found: list[list[int]] = []
    taken: set[int] = set()
    for coupling in figure.couplings:
        places = [figure.index(name) for name in coupling.coefficients]
        width = figure.upper[places] - figure.lower[places]
        plain = len(set(coupling.coefficients.values())) == 1
        if len(places) < 3 or not plain or taken & set(places):
            continue
        if not np.isfinite(width).all() or not (width > 0.0).all():
            continue
        order = np.argsort(-width, kind="stable")
        found.append([places[k] for k in order])
        taken |= set(places)
    return found


class Fewer:
    """The figure with its long sums tied, and the way back.

    figure: the figure to solve for; its degrees of freedom are some of the whole one's, by the same names.
    """

    def __init__(self, whole: Figure) -> None:
        self.whole = whole
        tied = groups(whole)
        names, rest = whole.dofs, whole.rest
        #: q = matrix @ q' + offset, q' the values of the coordinates kept.
        matrix, offset = np.eye(whole.n), np.zeros(whole.n)
        follows: dict[str, Follow] = {}
        for driver, *others in tied:
            for k in others:
                share = (whole.upper[k] - whole.lower[k]) / (whole.upper[driver] - whole.lower[driver])
                matrix[k, k], matrix[k, driver] = 0.0, share
                offset[k] = rest[k] - share * rest[driver]
                follows[names[k]] = Follow({names[driver]: float(share)}, float(offset[k]))
        self.kept = np.array([j for j in range(whole.n) if names[j] not in follows])
        self.matrix, self.offset = matrix[:, self.kept], offset
        self.figure = whole if not follows else self._tied(follows)

    def _tied(self, follows: dict[str, Follow]) -> Figure:
        whole = self.whole
        couplings, ranges = self._couplings()
        joints = []
        for joint in whole.given.joints.values():
            names = [axis.name for axis in joint.axes]
            if any(name in follows for name in names):
                joint = replace(joint, follow=[follows.get(axis.name, axis.follow) for axis in joint.axes])
            if any(name in ranges for name in names):
                ends = [ranges.get(axis.name, (axis.lower, axis.upper)) for axis in joint.axes]
                joint = replace(joint, lower=[low for low, _ in ends], upper=[high for _, high in ends])
            joints.append(joint)
        return whole.replace(joints=joints, couplings=couplings)

    def _couplings(self) -> tuple[list[Coupling], dict[str, tuple[float, float]]]:
        """The couplings in terms of what is kept, and the ranges that those of one coordinate alone leave it."""
        whole = self.whole
        names = [whole.dofs[j] for j in self.kept]
        couplings: list[Coupling] = []
        ranges: dict[str, tuple[float, float]] = {}
        for coupling in whole.given.couplings:
            row = np.zeros(whole.n)
            row[[whole.index(name) for name in coupling.coefficients]] = list(coupling.coefficients.values())
            less, away = row @ self.matrix, float(row @ self.offset)
            used = np.flatnonzero(less).tolist()
            low, high = coupling.lower - away, coupling.upper - away
            if len(used) > 1:
                couplings.append(Coupling({names[k]: float(less[k]) for k in used}, low, high))
            elif used:
                name, factor = names[used[0]], float(less[used[0]])
                one, two = sorted((low / factor, high / factor))
                k = whole.index(name)
                old = ranges.get(name, (float(whole.lower[k]), float(whole.upper[k])))
                ranges[name] = max(old[0], one), min(old[1], two)
        return couplings, ranges

    def up(self, values: np.ndarray) -> np.ndarray:
        """Values (…, n) of the whole figure, from those of the one with fewer."""
        result: np.ndarray = values @ self.matrix.T + self.offset
        return result

    def down(self, values: np.ndarray) -> np.ndarray:
        """Values of the figure with fewer, from (…, n) of the whole: those of the coordinates kept."""
        return values[..., self.kept]
