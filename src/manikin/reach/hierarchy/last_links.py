"""The last joints in closed form: "the final links of the chain, which comprise a perfectly constrained system".

Three hinges or slides with values u, v, w bring the site to a point x if

    y(u) = m_v z(w),    y(u): x with the first motion undone,  z(w): the site after the last motion.

A motion of the middle joint leaves two numbers as they are: of a hinge z and |·|², of a slide x and y. Each is a linear
form in 1, cos, sin of a hinge's value, or in 1, u, u² of a slide's:

    α [1, u₁, u₂] = β [1, w₁, w₂]    (two rows),    u₁² + u₂² = 1 of a hinge, u₂ = u₁² of a slide.

Elimination of u leaves a quartic in w (Pieper's). If the two rows are alike in u (axes that meet or are parallel),
their difference is a quadratic in w alone, and one row is left for u. If nothing is left (three parallel hinges), the
last two joints are solved for: y(u) must have the invariants of the site itself. Points are columns, (3, count).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.reach.hierarchy.blocks import Block
from manikin.reach.hierarchy.meet import MET, meet
from manikin.reach.hierarchy.serial import TURN, VECTOR, Serial, Step
from manikin.reach.hierarchy.turns import STILL, nearest_turn

# Two linear forms count as alike where the sine of the angle between them is below this.
_ALIKE = 1e-9
# Solutions that miss by no more, of the chain's length, are searched on from.
_NEAR = 1e-5


@dataclass(frozen=True, eq=False)
class LastLinks:
    """The last joints, 3 or 2, each of one coordinate."""

    chain: Serial
    blocks: list[Block]

    @property
    def count(self) -> int:
        """How many joints they are."""
        return len(self.blocks)

    @property
    def coordinates(self) -> np.ndarray:
        """The coordinates that drive them."""
        return np.array([int(block.coordinates[0]) for block in self.blocks])

    @property
    def first(self) -> int:
        """The first joint's motion."""
        return len(self.chain.steps) - self.count

    def solutions(self, points: np.ndarray) -> np.ndarray:
        """Values of the coordinates that bring the site to points of frame ``first``, (count of joints, points, 4).

        There are four of each, NaN where there are fewer; limits are not looked at, and turns are within ±π of 0 for
        the motion's value. Where a root is double its imaginary part is dropped: check the candidates.
        """
        steps = self.chain.steps[self.first :]
        with np.errstate(divide="ignore", invalid="ignore"):
            values = (
                _three(steps, self.chain.tip, points)
                if self.count == 3
                else _two(steps, self.chain.tip, points)
            )
        for k, step in enumerate(steps):
            values[k] = (values[k] - step.offset[0]) / step.drive[0, self.coordinates[k]]
        return values

    def is_all_after(self, fixed: np.ndarray, coordinates: int) -> bool:
        """Whether these joints are all that is left beside the coordinates ``fixed``."""
        return len(fixed) + self.count == coordinates and not np.isin(self.coordinates, fixed).any()

    def legal(
        self, points: np.ndarray, q: np.ndarray, start: np.ndarray, size: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Configurations q with the joints at their solutions for points, and which of these are solutions in range.

        Turns are told as near to ``start`` as ranges allow. Returns (coordinates, points, 4) and (points, 4).
        """
        chain, count = self.chain, points.shape[1]
        full = np.repeat(q[:, :, None], 4, axis=2)
        for block, values in zip(self.blocks, self.solutions(points), strict=True):
            j = int(block.coordinates[0])
            lower, upper = chain.rules.lower[j], chain.rules.upper[j]
            if block.kind == TURN:
                full[j] = nearest_turn(chain, block, values, start[j])
            else:
                inside = (values >= lower - STILL) & (values <= upper + STILL)
                full[j] = np.where(inside, np.clip(values, lower, upper), np.nan)
        flat = full.reshape(len(full), -1)
        many = np.repeat(points, 4, axis=1)
        real = np.isfinite(flat).all(axis=0)
        miss = np.linalg.norm(chain.tips(np.where(real, flat, 0.0), self.first) - many, axis=0)
        near = np.flatnonzero(real & (miss < _NEAR * size))
        good = np.zeros(len(real), bool)
        if len(near):  # what the forms lose in digits, and a double root
            flat[:, near], left = meet(
                chain, size, many[:, near], flat[:, near], self.first, self.coordinates, damping=1e-9
            )
            good[near] = left < MET
        return flat.reshape(full.shape), good.reshape(count, 4)


def last_links(chain: Serial, blocks: list[Block]) -> LastLinks | None:
    """The joints that are solved for in closed form; None where the last two are tied to others or not hinges or
    slides.
    """
    tied = (chain.rules.A != 0.0).any(axis=0)
    found: list[Block] = []
    for block in blocks[:-4:-1]:
        if block.kind == VECTOR or len(block.coordinates) != 1 or tied[block.coordinates[0]]:
            break
        found.insert(0, block)
    for count in (3, 2):
        if len(found) >= count and (count == 2 or _has_three(chain.steps[-3:], chain.tip)):
            return LastLinks(chain, found[-count:])
    return None


def _has_three(steps: tuple[Step, ...], tip: np.ndarray) -> bool:
    """Whether the three joints leave no freedom: seen from a few points, some row is left for w."""
    points = np.random.default_rng(0).normal(size=(3, 4)) * (1.0 + np.linalg.norm(tip))
    alpha, beta = _undone(steps[0], steps[1], points), _after(steps[2], steps[1], tip)
    least = _ALIKE * max(np.abs(alpha).max(), np.abs(beta).max())
    if np.abs(alpha[:, 1:]).max() <= least or np.abs(beta[:, 1:]).max() <= least:
        return False  # two of the joints do the same
    null = _null(alpha[:, 1:])
    return null is None or bool(np.linalg.norm(null @ beta[:, 1:]) > least)


def _null(matrix: np.ndarray) -> np.ndarray | None:
    """The combination of two rows that vanishes, for all points alike; None where there is none. matrix (2, 2,
    count).
    """
    rows = matrix.reshape(2, -1)
    sizes = np.linalg.norm(rows, axis=1)
    if sizes.min() <= _ALIKE * sizes.max():
        return np.array([1.0, 0.0]) if sizes[0] <= sizes[1] else np.array([0.0, 1.0])
    share = float(rows[0] @ rows[1] / (rows[1] @ rows[1]))
    if np.linalg.norm(rows[0] - share * rows[1]) > _ALIKE * sizes[0]:
        return None
    null = np.array([1.0, -share])
    return null / np.linalg.norm(null)


def _undone(step: Step, middle: Step, points: np.ndarray) -> np.ndarray:
    """α (2, 3, count): what the middle motion leaves as it is, of points with ``step`` undone, by [1, u₁, u₂]."""
    x, y, z = points
    none = np.zeros_like(x)
    if step.kind == TURN:
        parts = [np.stack([none, none, z]), np.stack([x, y, none]), np.stack([y, -x, none])]
    else:
        parts = [points, np.stack([none, none, none - 1.0]), np.stack([none] * 3)]
    parts = [middle.turn.T @ part for part in parts]
    parts[0] = parts[0] - (middle.turn.T @ middle.shift)[:, None]
    return _forms(step.kind, middle.kind, parts)


def _after(step: Step, middle: Step, tip: np.ndarray) -> np.ndarray:
    """β (2, 3): the same of the site after the motion of ``step``."""
    x, y, z = tip
    if step.kind == TURN:
        parts = [np.array([0.0, 0.0, z]), np.array([x, y, 0.0]), np.array([-y, x, 0.0])]
    else:
        parts = [tip, np.array([0.0, 0.0, 1.0]), np.zeros(3)]
    parts = [(step.turn @ part)[:, None] for part in parts]
    parts[0] = parts[0] + step.shift[:, None]
    return _forms(step.kind, middle.kind, parts)[:, :, 0]


def _forms(kind: int, middle: int, parts: list[np.ndarray]) -> np.ndarray:
    """z and |·|² (or x and y) of a₀ + a₁ u₁ + a₂ u₂ as linear forms."""
    a0, a1, a2 = parts
    if middle != TURN:
        return np.stack([np.stack([a[0] for a in parts]), np.stack([a[1] for a in parts])])
    square, cross = (a1**2).sum(axis=0), 2.0 * (a0 * a1).sum(axis=0)
    if kind == TURN:
        forms = np.stack([(a0**2).sum(axis=0) + square, cross, 2.0 * (a0 * a2).sum(axis=0)])
    else:
        forms = np.stack([(a0**2).sum(axis=0), cross, square])
    return np.stack([np.stack([a[2] for a in parts]), forms])


def _three(steps: tuple[Step, ...], tip: np.ndarray, points: np.ndarray) -> np.ndarray:
    first, middle, last = steps
    alpha, beta = _undone(first, middle, points), _after(last, middle, tip)
    null = _null(alpha[:, 1:])
    if null is None:
        a, b, c, d = alpha[0, 1], alpha[0, 2], alpha[1, 1], alpha[1, 2]
        rest = np.repeat(beta[:, :, None], points.shape[1], axis=2)
        rest[:, 0] -= alpha[:, 0]
        det = a * d - b * c
        u1, u2 = (d * rest[0] - b * rest[1]) / det, (a * rest[1] - c * rest[0]) / det
        w = _quartic(first.kind, last.kind, u1, u2)
        one, two = _mono(last.kind, w)
        u = _value(first.kind, u1[0][:, None] + u1[1][:, None] * one + u1[2][:, None] * two,
                   u2[0][:, None] + u2[1][:, None] * one + u2[2][:, None] * two)  # fmt: skip
    else:
        form = np.repeat((null @ beta)[:, None], points.shape[1], axis=1)
        form[0] -= null @ alpha[:, 0]
        w = _quadratic(last.kind, form)
        one, two = _mono(last.kind, w)
        row = int(np.argmax(np.abs(alpha[:, 1:]).max(axis=(1, 2))))
        found = []
        for k in range(2):
            own = alpha[row].copy()
            own[0] -= beta[row, 0] + beta[row, 1] * one[:, k] + beta[row, 2] * two[:, k]
            found.append(_quadratic(first.kind, own))
        u, w = np.concatenate(found, axis=1), np.repeat(w, 2, axis=1)
    return np.stack([u, _between(steps, tip, points, u, w), w])


def _between(
    steps: tuple[Step, ...], tip: np.ndarray, points: np.ndarray, u: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """v of the middle joint; 0 where the point is on its axis."""
    first, middle, last = steps
    y = middle.placed(_moved(first.kind, -u, points[:, :, None]).reshape(3, -1))
    z = last.turn @ _moved(last.kind, w, tip[:, None, None]).reshape(3, -1) + last.shift[:, None]
    v = (
        np.arctan2(z[0] * y[1] - z[1] * y[0], z[0] * y[0] + z[1] * y[1])
        if middle.kind == TURN
        else y[2] - z[2]
    )
    return v.reshape(u.shape)


def _two(steps: tuple[Step, ...], tip: np.ndarray, points: np.ndarray) -> np.ndarray:
    first, last = steps
    alpha = _undone(first, last, points)
    alpha[:, 0] -= _forms(TURN, last.kind, [tip[:, None], np.zeros((3, 1)), np.zeros((3, 1))])[:, 0]
    row = int(np.argmax(np.abs(alpha[:, 1:]).max(axis=(1, 2))))
    u = _quadratic(first.kind, alpha[row])
    y = last.placed(_moved(first.kind, -u, points[:, :, None]).reshape(3, -1))
    x0, x1, x2 = tip
    w = np.arctan2(x0 * y[1] - x1 * y[0], x0 * y[0] + x1 * y[1]) if last.kind == TURN else y[2] - x2
    found = np.stack([u, w.reshape(u.shape)])
    return np.concatenate([found, np.full_like(found, np.nan)], axis=2)


def _moved(kind: int, values: np.ndarray, points: np.ndarray) -> np.ndarray:
    x, y, z = points
    if kind == TURN:
        c, s = np.cos(values), np.sin(values)
        return np.stack([c * x - s * y, s * x + c * y, z + 0.0 * c])
    return np.stack([x + 0.0 * values, y + 0.0 * values, z + values])


def _mono(kind: int, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (np.cos(w), np.sin(w)) if kind == TURN else (w, w**2)


def _value(kind: int, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    return np.arctan2(two, one) if kind == TURN else one


def _quadratic(kind: int, form: np.ndarray) -> np.ndarray:
    """The two roots, (count, 2), of form · [1, u₁, u₂] = 0; a pair that is not real as its common real part."""
    a, b, c = form
    if kind == TURN:
        middle, half = np.arctan2(c, b), np.arccos(np.clip(-a / np.hypot(b, c), -1.0, 1.0))
        return np.stack([middle - half, middle + half], axis=1)
    root = np.sqrt(np.maximum(b**2 - 4.0 * a * c, 0.0))
    far = -0.5 * (b + np.where(b >= 0.0, root, -root))
    return np.stack([np.where(c != 0.0, far / c, np.nan), np.where(far != 0.0, a / far, 0.0)], axis=1)


def _quartic(kind: int, last: int, u1: np.ndarray, u2: np.ndarray) -> np.ndarray:
    """w of u₁² + u₂² = 1 or u₂ = u₁², the u linear forms (3, count) in w; (count, 4), real parts of what is not
    real.
    """
    if last == TURN:  # in e^{iw}: cos = (e + 1/e)/2, sin = (e − 1/e)/2i
        p, q = ((np.stack([0.5 * (f[1] + 1j * f[2]), f[0] + 0j, 0.5 * (f[1] - 1j * f[2])])) for f in (u1, u2))
        one = np.stack([0.0 * q[0], 0.0 * q[0] + 1.0, 0.0 * q[0]])
    else:
        p, q = u1 + 0j, u2 + 0j
        one = np.stack([0.0 * q[0] + 1.0, 0.0 * q[0], 0.0 * q[0]])
    poly = (
        _product(p, p) + _product(q, q) - _product(one, one)
        if kind == TURN
        else _product(p, p) - _product(q, one)
    )
    size = np.abs(poly).max(axis=0)
    companion = np.zeros((poly.shape[1], 4, 4), complex)
    companion[:, [1, 2, 3], [0, 1, 2]] = 1.0
    top = np.where(np.abs(poly[4]) > 1e-14 * size, poly[4], 1e-14 * size)
    companion[:, :, 3] = np.where(np.isfinite(poly[:4] / top), -poly[:4] / top, 0.0).T
    roots = np.linalg.eigvals(companion)
    return np.angle(roots) if last == TURN else roots.real


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Coefficients of the product of two polynomials of second degree, lowest first."""
    found = np.zeros((5, p.shape[1]), complex)
    for j in range(3):
        for k in range(3):
            found[j + k] += p[j] * q[k]
    return found
