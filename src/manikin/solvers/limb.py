"""Recognises a limb in a figure's flat tree: a spherical joint, a hinge, a spherical joint, whatever they are called.

Only geometry counts: with the seven axis values at zero, the axes of each spherical joint must meet in a point (or be
one ball joint) and the hinge must keep away from both points. Axis order, frame offsets and signs fall out, because
everything is read off the axes' lines in space.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, hypot, sqrt
from typing import NoReturn

import numpy as np

from manikin.errors import FigureError
from manikin.figure import kinematics, transforms
from manikin.figure.figure import Figure
from manikin.figure.pose import Pose
from manikin.figure.tree import ROTATE, SWING_TWIST, TWIST_SWING
from manikin.kernels import limb as entries
from manikin.kernels import spherical

# Lines that miss each other by this part of the limb's length meet.
_MEETS = 1e-9
# Neighbouring axes nearer to parallel than this make no spherical joint.
_PARALLEL = 1e-3


@dataclass(frozen=True)
class Limb:
    """What the closed form needs to know about a limb, and which coordinates of the figure it moves."""

    site: str
    dofs: tuple[str, ...]
    places: np.ndarray
    spec: np.ndarray
    carried: bool
    """Whether the limb's own angles move the frame that carries it, as a shoulder girdle's rhythm does."""


@dataclass
class _Chain:
    """The limb's motions in order: for each its kind, first axis value and frame at zero, in the carrier's frame."""

    kinds: list[int]
    axes: list[int]
    frames: list[np.ndarray]
    carrier: np.ndarray
    tip: np.ndarray
    first: int

    @property
    def values(self) -> list[int]:
        found = []
        for kind, axis in zip(self.kinds, self.axes, strict=True):
            found += [axis] if kind == ROTATE else [axis, axis + 1, axis + 2]
        return found


def recognise(pose: Pose, site: str, first: str | None = None, middle: str | None = None) -> Limb:
    """The limb that ends at ``site``, the figure's other joints held as in ``pose``.

    first, middle: joints with which the limb must begin and bend, where they are given.
    """
    figure = pose.figure
    chain = _chain(pose, site)
    dofs, offset, factor = _drivers(figure, site, chain)
    _check_names(figure, site, chain, first, middle)
    spec = np.zeros(entries.ROW)
    spec[entries.VIRTUAL] = -1.0
    _write_geometry(figure, site, chain, spec)
    spec[entries.OFFSET : entries.OFFSET + 7] = offset
    spec[entries.FACTOR : entries.FACTOR + 7] = factor
    places = np.array([figure.index(name) for name in dofs])
    ends = np.stack([figure.lower[places], figure.upper[places]]) / factor + offset
    spec[entries.LOWER : entries.LOWER + 7] = ends.min(axis=0)
    spec[entries.HIGHER : entries.HIGHER + 7] = ends.max(axis=0)
    spec[entries.BEFORE : entries.BEFORE + 7] = figure.rest[places] / factor + offset
    spec[entries.SIDE] = _side(spec)
    spec = np.concatenate([spec, *_rows(pose, dofs, places, offset, factor)])
    spec[entries.ROWS] = (len(spec) - entries.ROW) // entries.ROW_LENGTH
    return Limb(site, tuple(dofs), places, spec, _carried(figure, chain, places))


def place_carrier(spec: np.ndarray, carrier: np.ndarray) -> None:
    """Write where the frame that carries the limb is in the world."""
    turn = carrier[:3, :3]
    spec[entries.BASE : entries.BASE + 9] = turn.T.ravel()
    spec[entries.BASE_ORIGIN : entries.BASE_ORIGIN + 3] = carrier[:3, 3]
    spec[entries.DOWN : entries.DOWN + 3] = turn.T @ [0.0, 0.0, -1.0]
    spec[entries.AHEAD : entries.AHEAD + 3] = turn.T @ [1.0, 0.0, 0.0]


def carrier_of(pose: Pose, limb: Limb) -> np.ndarray:
    """The frame that carries the limb, in the world, at a pose."""
    return _chain(pose, limb.site).carrier


def _refuse(figure: Figure, site: str, reason: str) -> NoReturn:
    raise FigureError(
        f"figure {figure.name!r}: the limb that ends at {site!r} is not a spherical joint, a hinge and a spherical "
        f"joint: {reason}"
    )


def _chain(pose: Pose, site: str) -> _Chain:
    """The motions above the site that make up seven angles, constant ones folded in."""
    figure, tree = pose.figure, pose.figure.tree
    where = figure.site(site)
    segment = list(figure.segments).index(where.segment)
    motion = int(tree.segment_motion[segment])
    driven = set(tree.drive_axis.tolist())
    path: list[int] = []
    count = 0
    while motion >= 0 and count < 7:
        path.append(motion)
        if tree.axis[motion] in driven:
            count += 1 if tree.kind[motion] == ROTATE else 3
            if tree.kind[motion] not in (ROTATE, SWING_TWIST, TWIST_SWING):
                _refuse(
                    figure,
                    site,
                    f"{_joint_of(figure, int(tree.axis[motion]))!r} is not a hinge or a ball joint",
                )
        motion = int(tree.parent[motion])
    if count != 7:
        _refuse(figure, site, f"it has {count} angles, not 7")
    values = kinematics.axis_values(tree, pose.q)
    carrier = np.eye(4) if motion < 0 else transforms.unpack(pose._frames[motion])
    chain = _Chain([], [], [], carrier, np.eye(4), path[-1])
    frame = np.eye(4)
    for i in reversed(path):
        frame = frame @ transforms.unpack(tree.placement[i])
        axis, kind = int(tree.axis[i]), int(tree.kind[i])
        if axis in driven:
            chain.kinds.append(kind)
            chain.axes.append(axis)
            chain.frames.append(frame)
        else:
            frame = frame @ kinematics._motion(kind, values[axis : axis + 3])
    chain.tip = frame @ transforms.unpack(tree.segment_placement[segment]) @ where.placement
    return chain


def _joint_of(figure: Figure, axis: int) -> str:
    """The name of an axis value."""
    return list(figure._coordinates.axes)[axis]


def _drivers(figure: Figure, site: str, chain: _Chain) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The coordinate of each of the seven axis values, with offset and 1 / coefficient."""
    drives = figure.tree.drives()
    dofs, factors = [], []
    for value in chain.values:
        drivers = np.flatnonzero(drives[value])
        if len(drivers) != 1:
            _refuse(figure, site, f"{_joint_of(figure, value)!r} follows several coordinates")
        dofs.append(figure.dofs[drivers[0]])
        factors.append(1.0 / drives[value, drivers[0]])
    if len(set(dofs)) != 7:
        _refuse(figure, site, f"its angles follow only {len(set(dofs))} coordinates")
    return dofs, figure.tree.axis_offset[chain.values], np.array(factors)


def _check_names(figure: Figure, site: str, chain: _Chain, first: str | None, middle: str | None) -> None:
    """Whether the limb begins and bends with the joints that were asked for."""
    for name, value, what in ((first, 0, "begins"), (middle, 3, "bends")):
        if name is None:
            continue
        if name not in figure.joints:
            raise FigureError(f"figure {figure.name!r}: unknown joint {name!r}")
        axis = _joint_of(figure, chain.values[value])
        if axis not in [entry.name for entry in figure.joints[name].axes]:
            _refuse(figure, site, f"it {what} with {axis!r}, not with joint {name!r}")


def _write_geometry(figure: Figure, site: str, chain: _Chain, spec: np.ndarray) -> None:
    shoulder, hinge, wrist = _split(figure, site, chain)
    origins = np.array([frame[:3, 3] for frame in chain.frames] + [chain.tip[:3, 3]])
    size = max(float(np.ptp(origins, axis=0).max()), 1e-6)
    centre = _spherical(figure, site, chain, shoulder, spec, entries.SHOULDER, size)
    end = _spherical(figure, site, chain, wrist, spec, entries.WRIST, size)
    a, point = chain.frames[hinge][:3, 2], chain.frames[hinge][:3, 3]
    elbow = point + a * (a @ (centre - point))
    m, d = elbow - centre, end - elbow
    across = d - a * (a @ d)
    for what, arm in (("first", m), ("second", across)):
        if np.linalg.norm(arm) < 1e-6 * size:
            name = _joint_of(figure, chain.axes[hinge])
            _refuse(figure, site, f"the hinge {name!r} goes through the {what} spherical joint's centre")
    cosine, sine = 2.0 * float(m @ across), 2.0 * float(m @ np.cross(a, d))
    rho, middle = hypot(cosine, sine), float(m @ m + d @ d)
    near = hypot(float(np.linalg.norm(across) - np.linalg.norm(m)), float(d @ a))
    spec[entries.CENTRE : entries.CENTRE + 3] = centre
    spec[entries.UPPER_ARM : entries.UPPER_ARM + 3] = m
    spec[entries.FOREARM : entries.FOREARM + 3] = d
    spec[entries.HINGE : entries.HINGE + 3] = a
    spec[entries.STAR] = atan2(sine, cosine)
    spec[entries.NEAREST], spec[entries.FARTHEST] = near, sqrt(middle + rho)
    spec[entries.TOOL : entries.TOOL + 9] = chain.tip[:3, :3].T.ravel()
    spec[entries.TOOL_WRIST : entries.TOOL_WRIST + 3] = (transforms.inverse(chain.tip) @ [*end, 1.0])[:3]
    place_carrier(spec, chain.carrier)


def _split(figure: Figure, site: str, chain: _Chain) -> tuple[list[int], int, list[int]]:
    """Which motions are the shoulder, the hinge and the wrist."""
    count = len(chain.kinds)
    end = count - 1 if chain.kinds[-1] != ROTATE else count - 3
    hinge = end - 1
    start = list(range(hinge))
    good = (
        hinge > 0
        and chain.kinds[hinge] == ROTATE
        and (len(start) == 1) == (chain.kinds[0] != ROTATE)
        and len(start) in (1, 3)
        and all(kind == ROTATE for kind in chain.kinds[1:-1])
    )
    if not good:
        names = [_joint_of(figure, axis) for axis in chain.axes]
        _refuse(
            figure,
            site,
            f"its joints, in order, are {', '.join(names)}, a ball joint among them out of place",
        )
    return start, hinge, list(range(end, count))


def _spherical(
    figure: Figure, site: str, chain: _Chain, motions: list[int], spec: np.ndarray, at: int, size: float
) -> np.ndarray:
    """Write the axes (or the ball's frame) of a spherical joint, its kind and β; return its centre."""
    which = 0 if at == entries.SHOULDER else 1
    if len(motions) == 1:
        frame = chain.frames[motions[0]]
        spec[at : at + 9] = frame[:3, :3].ravel()
        ball = spherical.SWING_TWIST if chain.kinds[motions[0]] == SWING_TWIST else spherical.TWIST_SWING
        spec[entries.SHOULDER_KIND + which] = ball
        return frame[:3, 3]
    axes = np.array([chain.frames[i][:3, 2] for i in motions])
    points = np.array([chain.frames[i][:3, 3] for i in motions])
    names = [_joint_of(figure, chain.axes[i]) for i in motions]
    for k in range(2):
        if np.linalg.norm(np.cross(axes[k], axes[k + 1])) < _PARALLEL:
            _refuse(figure, site, f"{names[k]!r} and {names[k + 1]!r} turn about parallel axes")
    projectors = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    centre = np.linalg.solve(projectors.sum(axis=0), np.einsum("kij,kj->i", projectors, points))
    miss = max(
        float(np.linalg.norm(p @ (centre - point))) for p, point in zip(projectors, points, strict=True)
    )
    if miss > _MEETS * size:
        _refuse(
            figure, site, f"the axes of {', '.join(map(repr, names))} miss one another by {2 * miss:.3g} m"
        )
    spec[at : at + 9] = axes.ravel()
    square = abs(axes[0] @ axes[1]) < 1e-14 and abs(axes[1] @ axes[2]) < 1e-14
    spec[entries.SHOULDER_KIND + which] = spherical.SQUARE if square else spherical.OBLIQUE
    beta = atan2(axes[2] @ np.cross(axes[1], axes[0]), axes[2] @ axes[0])
    spec[entries.SHOULDER_BETA + which] = beta
    return centre


def _side(spec: np.ndarray) -> float:
    """The sign of b's choice where the limb is stretched: that of the middle of the hinge's range."""
    low, high = spec[entries.LOWER + 3], spec[entries.HIGHER + 3]
    if not (np.isfinite(low) and np.isfinite(high)):
        return 1.0
    a, m, d = (spec[k : k + 3] for k in (entries.HINGE, entries.UPPER_ARM, entries.FOREARM))
    turn = transforms.exp(a * 0.5 * (low + high))
    return 1.0 if np.cross(a, m + turn @ d) @ m >= 0.0 else -1.0


def _rows(
    pose: Pose, dofs: list[str], places: np.ndarray, offset: np.ndarray, factor: np.ndarray
) -> list[np.ndarray]:
    """The figure's couplings among the limb's angles, the other coordinates where the pose has them."""
    rows = []
    values = pose.values()
    for coupling in pose.figure.couplings:
        inside = {name: c for name, c in coupling.coefficients.items() if name in dofs}
        if not inside:
            continue
        others = sum(c * values[name] for name, c in coupling.coefficients.items() if name not in inside)
        c = np.array([inside.get(name, 0.0) for name in dofs]) * factor
        rest = float(c @ offset) - others
        rows.append(np.array([*c, coupling.lower + rest, coupling.upper + rest]))
    return rows


def _carried(figure: Figure, chain: _Chain, places: np.ndarray) -> bool:
    """Whether some axis above the limb follows its coordinates."""
    tree = figure.tree
    drives = tree.drives()[:, places]
    motion = int(tree.parent[chain.first])
    while motion >= 0:
        count = 1 if tree.kind[motion] <= 1 else 3
        if drives[tree.axis[motion] : tree.axis[motion] + count].any():
            return True
        motion = int(tree.parent[motion])
    return False
