"""`SixAxis`: robots of six joints in closed form, all branches.

Chains in which three neighbouring hinges meet in a point or are parallel (Pieper 1968, in Korein and Badler 1981) are
solved by this package's own compiled closed form (`kernels.six_axis`); the other three joints may turn or slide. Other
chains of hinges go to EAIK or ssik (the extra ``analytic``). Those packages know a chain by its axes' directions H
(6, 3) and the ways P (7, 3) from point to point along it at zero,

    T = Π [Trans(Pᵢ) Rot(Hᵢ, qᵢ)] Trans(P₇),

which is read off the figure's tree. What they return is checked by this forward kinematics, and mended by Newton's
method where it lost digits; approximate answers for targets beyond reach are left out.
"""

from __future__ import annotations

from importlib import import_module
from itertools import product
from math import ceil, floor, pi
from typing import Any

import numpy as np

from manikin.closed_form.arm_target import coordinates, number, placement
from manikin.closed_form.limb import Chain, chain_of, drivers, moves_its_carrier
from manikin.errors import FigureError, MissingExtraError, SolveError
from manikin.figure import transforms
from manikin.figure.figure import Figure
from manikin.figure.movable import pose_of
from manikin.figure.pose import Pose
from manikin.kernels.six_axis import six_axis as entries
from manikin.kernels.six_axis.solve import six_axis_within
from manikin.plan.six_axis_spec import ALIGNED, NotThisKind, six_axis_spec

COMMAND = 'pip install "manikin[analytic]"'
BACKENDS = ("own", "eaik", "ssik")
# A solution misses its target by less than this, metres and radians, or is none.
_MISS = 1e-10
# One that misses by less needs no mending.
_EXACT = 1e-13
# A value this far beyond its limit is at it.
_SLACK = 1e-9
# The most solutions, whole turns counted, that one call makes.
_MOST_ROWS = 1_000_000


class SixAxis:
    """Six joints above a site whose inverse kinematics has a closed form: three hinges that meet, or three in parallel.

    The three are neighbours anywhere in the chain; the others turn or slide, as the third joint of the Stanford arm.

    figure: a Figure, the rest of it held at its rest values, or a Pose, held as there.
    site: the frame that targets are for.
    backend: ``"own"`` for the closed form of this package; ``"eaik"`` or ``"ssik"`` for those packages, which know
        hinges only. By default the first that knows the robot and is installed.
    alignment: how parallel, in radians, and how near to meeting, as a part of the robot's size, axes must be for
        ``"own"``. Up to 1e-5 makes sense, for files that say 1.5708 for a quarter turn: solutions are as exact, but
        some within such a distance of an edge of the reach may be missing.

    A FigureError says why a robot is not of this kind; a MissingExtraError gives the command that installs a package.
    """

    def __init__(
        self, figure: Figure | Pose, site: str, *, backend: str | None = None, alignment: float = ALIGNED
    ) -> None:
        if not number(alignment, "alignment", "six axes") >= 0.0:
            raise SolveError(f"six axes: alignment must not be negative, got {alignment!r}")
        self._pose = pose_of(figure, "six axes")
        self.site = site
        try:
            chain = chain_of(self._pose, site, 6, slides=True)
            names, self._offset, self._factor = drivers(self.figure, chain)
        except NotThisKind as reason:
            raise FigureError(
                f"figure {self.figure.name!r}: {site!r} does not end six hinges or slides: {reason}"
            ) from None
        if not all(kind.turns or kind.slides for kind in chain.kinds):
            raise FigureError(
                f"figure {self.figure.name!r}: {site!r} does not end six hinges or slides: one is a ball joint"
            )
        if moves_its_carrier(self.figure, chain.first, names):
            raise FigureError(
                f"figure {self.figure.name!r}: the six joints above {site!r} move what carries them"
            )
        self.joints = tuple(names)
        """The names of the six degrees of freedom, in the order of the solutions' columns."""
        self._places = np.array([self.figure.index(name) for name in names])
        self._low, self._high = self.figure.lower[self._places], self.figure.upper[self._places]
        self._concerned = [
            c for c in self.figure.couplings if any(name in c.coefficients for name in self.joints)
        ]
        self._carrier = chain.carrier
        self._tool = chain.tip[:3, :3]
        self._h = np.array([frame[:3, 2] for frame in chain.frames])
        points = np.array([np.zeros(3), *(frame[:3, 3] for frame in chain.frames), chain.tip[:3, 3]])
        self._p = np.diff(points, axis=0)
        self._skew = np.array([transforms.skew(h) for h in self._h])
        self.backend, self._own = "own", None
        self._solve: Any = None
        why = ""
        if backend in (None, "own"):
            try:
                near = self._pose.q[self._places]
                self._own = _Own(chain, self._offset, self._factor, near, alignment)
            except NotThisKind as reason:
                why = str(reason)
        if self._own is None and backend != "own" and any(kind.slides for kind in chain.kinds):
            if backend is not None:
                _known(backend)
                why = f"the package {backend} knows hinges only"
            backend = "own"
        if self._own is None:
            self.backend, self._solve = _connect(backend, self._h, self._p, self.figure.name, site, why)

    @property
    def figure(self) -> Figure:
        """The figure whose joints these are."""
        return self._pose.figure

    @property
    def lower(self) -> np.ndarray:
        """The six lower limits, rad, of slides metres."""
        return self._low.copy()

    @property
    def upper(self) -> np.ndarray:
        """The six upper limits, rad, of slides metres."""
        return self._high.copy()

    def pose(self, q: Any) -> Pose:
        """The figure's pose with these six values, the others as they are held."""
        whole = self._pose.q.copy()
        whole[self._places] = coordinates(q, 6, "six axes")
        return Pose(self.figure, whole)

    def solve(self, target: Any) -> np.ndarray:
        """All solutions (k, 6) within limits and couplings that bring the site to `target`, a 4×4 in the world.

        A solution some whole turns further is another one where the limits have room for it; an angle without limits is
        taken once, in (−π, π]. Where two axes have come to one line and only their sum counts, the own closed form
        keeps one of them as the pose has it.
        """
        if self._own is not None:
            rows = self._own.solve(placement(target, "six axes"), self._low, self._high)
            return rows[[self._coupled(row) for row in rows]] if self._concerned and len(rows) else rows
        goal = transforms.inverse(self._carrier) @ placement(target, "six axes")
        goal[:3, :3] = goal[:3, :3] @ self._tool.T
        given = np.array(self._solve(goal), dtype=np.float64).reshape(-1, 6)
        branches: list[np.ndarray] = []
        for values, error, jacobian in zip(given, *self._errors(given, goal), strict=True):
            good = values if np.abs(error).max() < _EXACT else self._mended(values, error, jacobian, goal)
            if good is not None and not any(_same(good, other) for other in branches):
                branches.append(good)
        found = [row for values in branches for row in self._turns(values) if self._coupled(row)]
        return np.array(found).reshape(-1, 6)

    def _mended(
        self, values: np.ndarray, error: np.ndarray, jacobian: np.ndarray, goal: np.ndarray
    ) -> np.ndarray | None:
        """Axis values brought to the goal to the last digits by Newton's method; None where they are not near it."""
        best, least = None, np.inf
        for _ in range(4):
            miss = float(np.abs(error).max())
            if miss >= least or miss > 1e-2:
                break
            best, least = values, miss
            values = values + np.linalg.lstsq(jacobian, error, rcond=1e-9)[0]
            errors, jacobians = self._errors(values[None], goal)
            error, jacobian = errors[0], jacobians[0]
        return best if least < _MISS else None

    def _errors(self, rows: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What axis values (k, 6) miss of the goal, a way and a turn (k, 6), and its derivatives (k, 6, 6)."""
        sine, cosine = np.sin(rows)[..., None, None], np.cos(rows)[..., None, None]
        turns = np.eye(3) + sine * self._skew + (1.0 - cosine) * (self._skew @ self._skew)
        turn, at = np.broadcast_to(np.eye(3), (len(rows), 3, 3)), np.zeros((len(rows), 3))
        axes, points = np.empty((len(rows), 6, 3)), np.empty((len(rows), 6, 3))
        for j in range(6):
            at = at + turn @ self._p[j]
            axes[:, j], points[:, j] = turn @ self._h[j], at
            turn = turn @ turns[:, j]
        at = at + turn @ self._p[6]
        left = goal[:3, :3] @ np.swapaxes(turn, 1, 2)
        away = 0.5 * np.stack(
            [left[:, 2, 1] - left[:, 1, 2], left[:, 0, 2] - left[:, 2, 0], left[:, 1, 0] - left[:, 0, 1]],
            axis=1,
        )
        # The sine of the turn tells nothing where it is more than a quarter.
        away[np.trace(left, axis1=1, axis2=2) < 1.0] = pi
        ways = np.cross(axes, at[:, None] - points)
        return np.hstack([goal[:3, 3] - at, away]), np.swapaxes(np.concatenate([ways, axes], axis=2), 1, 2)

    def _turns(self, values: np.ndarray) -> list[np.ndarray]:
        """The coordinates of axis values, by all whole turns that the limits allow."""
        options = []
        for j, value in enumerate((values - self._offset) * self._factor):
            whole, low, high = 2.0 * pi * abs(self._factor[j]), self._low[j], self._high[j]
            if not (np.isfinite(low) and np.isfinite(high)):
                x = value - whole * ceil((value - 0.5 * whole) / whole)
                inside = [x] if low - _SLACK <= x <= high + _SLACK else []
                if not inside and np.isfinite(low):
                    inside = [value + whole * ceil((low - _SLACK - value) / whole)]
                elif not inside:
                    inside = [value + whole * floor((high + _SLACK - value) / whole)]
            else:
                first, last = ceil((low - _SLACK - value) / whole), floor((high + _SLACK - value) / whole)
                _room_for(float(last - first + 1))
                inside = [value + whole * k for k in range(first, last + 1)]
            options.append([min(max(x, low), high) for x in inside])
        _room_for(float(np.prod([float(len(choices)) for choices in options])))
        return [np.array(row) for row in product(*options)]

    def _coupled(self, row: np.ndarray) -> bool:
        """Whether the couplings that have to do with these joints hold."""
        if not self._concerned:
            return True
        values = self.pose(row).values()
        return all(c.lower - _SLACK <= c.value(values) <= c.upper + _SLACK for c in self._concerned)


class _Own:
    """The closed form of this package for one chain."""

    def __init__(
        self, chain: Chain, offset: np.ndarray, factor: np.ndarray, near: np.ndarray, tolerance: float
    ) -> None:
        axes, points = (np.array([frame[:3, k] for frame in chain.frames]) for k in (2, 3))
        slides = np.array([kind.slides for kind in chain.kinds])
        self.spec = six_axis_spec(axes, points, chain.carrier, chain.tip, tolerance, slides)
        self.spec[entries.SHIFT : entries.SHIFT + 6] = offset
        self.spec[entries.FACTOR : entries.FACTOR + 6] = factor
        self.near = np.array(near, dtype=np.float64)
        self._room = 64

    def solve(self, target: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """All solutions within limits (k, 6), by all their whole turns."""
        for _ in range(2):
            out = np.empty((self._room, 6))
            total = six_axis_within(self.spec, target, self.near, lower, upper, out)
            if total <= len(out):
                break
            self._room = _room_for(total)
        return out[: int(total)]


def _room_for(total: float) -> int:
    """How many rows to make room for, or a SolveError where whole turns make more solutions than anyone wants."""
    if total > _MOST_ROWS:
        raise SolveError(
            f"six axes: the limits have room for {total:.3g} solutions by whole turns; narrow them, or give joints "
            "that turn without end no limits, and they are taken once"
        )
    return int(total)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether axis values are the same but for whole turns."""
    away = one - other
    return bool(np.abs(away - 2.0 * pi * np.round(away / (2.0 * pi))).max() < 1e-8)


def _known(backend: str | None) -> None:
    """Refuse a backend that there is not."""
    if backend is not None and backend not in BACKENDS:
        raise SolveError(f"six axes: unknown backend {backend!r}; expected one of: {', '.join(BACKENDS)}")


def _connect(
    backend: str | None, h: np.ndarray, p: np.ndarray, name: str, site: str, reason: str
) -> tuple[str, Any]:
    """The package that solves a chain, and a function from a 4×4 to its solutions; ``reason``: why not this one."""
    _known(backend)
    if backend == "own":
        raise FigureError(f"figure {name!r}: no closed form for the six joints above {site!r}: {reason}")
    for choice in BACKENDS[1:] if backend is None else (backend,):
        try:
            module = import_module("eaik.IK_HP" if choice == "eaik" else "ssik")
        except ImportError:
            continue
        through = _through_eaik if choice == "eaik" else _through_ssik
        return choice, through(module, h, p, name, site, f"; {reason}" if reason else "")
    package = "EAIK or ssik" if backend is None else {"eaik": "EAIK", "ssik": "ssik"}[backend]
    why = f" ({reason})" if reason else ""
    raise MissingExtraError(
        f"figure {name!r}: the closed form of the six hinges above {site!r}{why} needs the package {package}: {COMMAND}"
    )


def _through_eaik(module: Any, h: np.ndarray, p: np.ndarray, name: str, site: str, why: str) -> Any:
    robot = module.HPRobot(h, p)
    if not robot.hasKnownDecomposition():
        raise FigureError(
            f"figure {name!r}: EAIK knows no closed form for the six hinges above {site!r} "
            f"({robot.getKinematicFamily()}){why}"
        )
    return lambda goal: robot.IK(goal).Q


def _through_ssik(module: Any, h: np.ndarray, p: np.ndarray, name: str, site: str, why: str) -> Any:
    try:
        robot = module.Manipulator.from_axes(h, p)
    except (ValueError, NotImplementedError) as reason:
        raise FigureError(
            f"figure {name!r}: ssik has no solver for the six hinges above {site!r}: {reason}{why}"
        ) from reason
    return lambda goal: [solution.q for solution in robot.solve(goal, respect_limits=False)]
