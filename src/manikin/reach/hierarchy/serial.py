"""A site's chain as a product of elementary motions, for many configurations at once.

    p = P₁ m₁(a₁) P₂ m₂(a₂) … P_K m_K(a_K) t,      a_k = offset_k + drive_k q

P_k is a fixed placement. m_k turns about z, slides along z, or turns by a rotation vector. t is the site's point after
the last motion. Coordinates that may not move are part of the offsets; motions that nothing moves are part of the
placements. A ball joint exp(s)·Rz(t) is two motions. Frame k is that after P_k; frame K is the one that t is given in.
Points are columns, (3, count), and configurations are columns, (coordinates, count).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure, transforms
from manikin.figure.joints import JointKind
from manikin.reach.chain import movers, site_motions
from manikin.reach.hierarchy.rules import Rules

#: The kinds of elementary motions.
TURN, SHIFT, VECTOR = 0, 1, 2
# A site this near to a hinge's axis, in metres, is not moved by it.
_ON_AXIS = 1e-12


@dataclass(frozen=True, eq=False)
class Step:
    """P_k = (turn, shift) and m_k; ``drive`` is (values, coordinates): three values for a rotation vector, else one."""

    kind: int
    turn: np.ndarray
    shift: np.ndarray
    offset: np.ndarray
    drive: np.ndarray

    def values(self, q: np.ndarray) -> np.ndarray:
        """a_k, (values, count)."""
        return self.offset[:, None] + self.drive @ q

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Points seen from behind P_k."""
        return self.turn.T @ (points - self.shift[:, None])


@dataclass(frozen=True, eq=False)
class Serial:
    """The steps of a chain, the site's point t, and the rules that its coordinates obey.

    dofs: the coordinates' indices in the figure, increasing. Some may only be tied to the others by couplings.
    """

    steps: tuple[Step, ...]
    tip: np.ndarray
    dofs: np.ndarray
    rules: Rules

    def seen(self, point: np.ndarray) -> np.ndarray:
        """A point of the world in frame 1, (3, 1)."""
        return self.steps[0].placed(np.asarray(point, dtype=float).reshape(3, 1))

    def tips(self, q: np.ndarray, first: int = 0) -> np.ndarray:
        """Where the site is, (3, count), seen from frame ``first``."""
        return self.moved(q, first, np.zeros(0, int))[:, 0]

    def moved(self, q: np.ndarray, first: int, free: np.ndarray) -> np.ndarray:
        """The site's point and its derivatives by the coordinates ``free``, (3, 1 + free, count), in frame
        ``first``.
        """
        V = np.zeros((3, 1 + len(free), q.shape[1]))
        V[:, 0] = self.tip[:, None]
        for k in range(len(self.steps) - 1, first - 1, -1):
            step = self.steps[k]
            _carry(step.kind, step.values(q), V, step.drive[:, free])
            if k > first:
                V = (step.turn @ V.reshape(3, -1)).reshape(V.shape)
                V[:, 0] += step.shift[:, None]
        return V

    def undone(self, points: np.ndarray, q: np.ndarray, first: int, last: int) -> np.ndarray:
        """Points of frame ``first`` seen from frame ``last``: the motions between are undone."""
        V = points[:, None].copy()
        none = np.zeros(0, int)
        for k in range(first, last):
            step = self.steps[k]
            _carry(step.kind, -step.values(q), V, step.drive[:, none])
            if k + 1 < len(self.steps):
                V[:, 0] = self.steps[k + 1].placed(V[:, 0])
        return V[:, 0]

    def undone_with_slopes(
        self, points: np.ndarray, q: np.ndarray, half: np.ndarray, block: tuple[int, int], free: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points with the motions ``block`` undone, their derivatives by the coordinates ``free``, and a bound of
        bends.

        half: how far each of these coordinates, (free, count), may be from q. Returns V, (3, 1 + free, count); the
        largest second derivative B along any such change; and the largest way that a point can go at all. With W the
        sum of all turns, S that of all slides and R the farthest that the point comes from an axis,

            B = 3/2 R W² + 2 W S:

        a turn's second derivative is at most R (3/2 R of a rotation vector), and that of a turn and a slide at most 1.
        """
        V = np.zeros((3, 1 + len(free), q.shape[1]))
        V[:, 0] = points
        turned, slid, off, R = np.zeros((4, q.shape[1]))
        for k in range(*block):
            step = self.steps[k]
            drive = step.drive[:, free]
            change = np.linalg.norm(np.abs(drive) @ half, axis=0)
            if step.kind == SHIFT:
                slid, off = slid + change, off + change
            else:
                reach = np.linalg.norm(V[: 2 if step.kind == TURN else 3, 0], axis=0) + off
                R = np.maximum(R, reach)
                turned, off = turned + change, off + change * reach
            _carry(step.kind, -step.values(q), V, -drive)
            if k + 1 < len(self.steps):
                V = (self.steps[k + 1].turn.T @ V.reshape(3, -1)).reshape(V.shape)
                V[:, 0] -= (self.steps[k + 1].turn.T @ self.steps[k + 1].shift)[:, None]
        return V, 1.5 * R * turned**2 + 2.0 * turned * slid, off


def _carry(kind: int, values: np.ndarray, V: np.ndarray, drive: np.ndarray) -> None:
    """Apply a motion to the point V[:, 0] and to derivatives V[:, 1:], in place, and add the motion's own
    derivatives.
    """
    if kind == SHIFT:
        V[2, 0] += values[0]
        V[2, 1:] += drive[0][:, None]
        return
    if kind == TURN:
        c, s = np.cos(values[0]), np.sin(values[0])
        x = c * V[0] - s * V[1]
        V[1] = s * V[0] + c * V[1]
        V[0] = x
        if drive.shape[1]:
            V[0, 1:] -= drive[0][:, None] * V[1, 0]
            V[1, 1:] += drive[0][:, None] * V[0, 0]
        return
    angle = np.linalg.norm(values, axis=0)
    a, b, c = _series(angle)
    v = values[:, None]
    V += a * _cross(v, V) + b * _cross(v, _cross(v, V))
    if drive.shape[1]:
        for j in range(3):
            e = np.zeros((3, 1, 1))
            e[j] = 1.0
            axis = e + b * _cross(v, e) + c * _cross(v, _cross(v, e))
            V[:, 1:] += drive[j][:, None] * _cross(axis, V[:, :1])


def _series(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """sin θ / θ, (1 − cos θ) / θ² and (θ − sin θ) / θ³."""
    small = angle < 1e-3
    t = np.where(small, 1.0, angle)
    square = angle**2
    a = np.where(small, 1.0 - square / 6.0, np.sin(t) / t)
    b = np.where(small, 0.5 - square / 24.0, (1.0 - np.cos(t)) / t**2)
    c = np.where(small, 1.0 / 6.0 - square / 120.0, (t - np.sin(t)) / t**3)
    return a, b, c


def _cross(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


def serial_chain(figure: Figure, site: str, q: np.ndarray, free: Iterable[str] | str | None) -> Serial:
    """The chain that carries a site from the world, what is not free standing at q."""
    tree = figure.tree
    moving = movers(figure, site, free)
    if not moving:
        raise FigureError(f"hierarchy of {site!r}: no free degree of freedom moves it")
    dofs = np.array(sorted(_with_tied(figure, moving, free)), dtype=int)
    fixed = q.copy()
    fixed[dofs] = 0.0
    offsets, D = tree.linear(fixed), np.zeros((len(tree.axis_offset), figure.n))
    np.add.at(D, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    D = D[:, dofs]
    for axis, curve in zip(tree.curve_axis, tree.curves, strict=True):
        if D[axis].any():
            name = figure.dofs[dofs[np.flatnonzero(D[axis])[0]]]
            raise FigureError(
                f"hierarchy of {site!r}: a motion follows {name!r} along a curve, which its sets do not know"
            )
        offsets[axis] = curve(offsets[axis])
    steps: list[Step] = []
    pending = np.eye(4)
    for motion in site_motions(figure, site):
        pending = pending @ transforms.unpack(tree.placement[motion])
        for kind, axes in _elementary(tree.kinds[motion], int(tree.axis[motion])):
            offset, drive = offsets[axes], D[axes]
            if kind == VECTOR and len(axes) == 2:
                offset, drive = np.append(offset, 0.0), np.vstack([drive, np.zeros(len(dofs))])
            if drive.any():
                steps.append(Step(kind, pending[:3, :3].copy(), pending[:3, 3].copy(), offset, drive))
                pending = np.eye(4)
            else:
                pending = pending @ _constant(kind, offset)
    place = list(figure.segments).index(figure.site(site).segment)
    pending = pending @ transforms.unpack(tree.segment_placement[place])
    tip = (pending @ figure.site(site).placement)[:3, 3]
    while steps and steps[-1].kind == TURN and np.hypot(tip[0], tip[1]) <= _ON_AXIS:
        step = steps.pop()
        tip = step.turn @ tip + step.shift
    if not steps:
        raise FigureError(f"hierarchy of {site!r}: no free degree of freedom moves it")
    return _without_idle(Serial(tuple(steps), tip, dofs, Rules.of(figure, dofs, q)))


def _without_idle(chain: Serial) -> Serial:
    """The same without coordinates that neither move the site nor are tied to others that do."""
    rules = chain.rules
    use = np.abs(np.concatenate([step.drive for step in chain.steps])).sum(axis=0) > 0.0
    ties = rules.A != 0.0
    for _ in ties:
        use = use | (ties[ties @ use].sum(axis=0) > 0)
    place = {int(old): new for new, old in enumerate(np.flatnonzero(use))}
    rows = rules.A[:, use].any(axis=1)
    cones = tuple(
        cone._replace(first=place[cone.first], second=place[cone.second])
        for cone in rules.cones
        if use[cone.first]
    )
    steps = tuple(replace(step, drive=step.drive[:, use]) for step in chain.steps)
    kept = Rules(
        rules.lower[use], rules.upper[use], rules.A[rows][:, use], rules.low[rows], rules.high[rows], cones
    )
    return Serial(steps, chain.tip, chain.dofs[use], kept)


def _with_tied(figure: Figure, moving: list[int], free: Iterable[str] | str | None) -> set[int]:
    """Coordinates that move the site, and free ones that couplings tie to them."""
    allowed = set(range(figure.n)) if free is None else set(figure.select(free).tolist())
    found, before = set(moving), 0
    while len(found) > before:
        before = len(found)
        for coupling in figure.couplings:
            names = {figure.index(name) for name in coupling.coefficients} & allowed
            if names & found:
                found |= names
    return found


def _elementary(kind: JointKind, first: int) -> list[tuple[int, list[int]]]:
    """A motion of the tree as elementary ones, with the places of their axis values."""
    if kind.turns or kind.slides:
        return [(TURN if kind.turns else SHIFT, [first])]
    if kind.vector == 3:
        return [(VECTOR, [first, first + 1, first + 2])]
    if not kind.swings:
        raise FigureError(f"hierarchy: its sets do not know joints of the kind {kind.name!r}")
    parts = [(VECTOR, [first, first + 1]), (TURN, [first + 2])]
    return parts if kind.word else parts[::-1]


def _constant(kind: int, values: np.ndarray) -> np.ndarray:
    if kind == SHIFT:
        return transforms.translation([0.0, 0.0, float(values[0])])
    return transforms.rotation(
        transforms.turn_z(float(values[0])) if kind == TURN else transforms.exp(values)
    )
