"""Recognises a limb in a figure's flat tree: a spherical joint, a hinge, a spherical joint, whatever they are called.

Only geometry counts: with the seven axis values at zero, the axes of each spherical joint must meet in a point (or be
one ball joint) and the hinge must keep away from both points. Axis order, frame offsets and signs fall out, because
everything is read off the axes' lines in space.

A limb of six angles, one of its spherical joints with two axes only (a human leg's ankle), is the same limb with a
third axis that stays at zero: virtual, none of the figure's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import atan2, hypot, sqrt
from typing import NoReturn

import numpy as np

from manikin.errors import FigureError
from manikin.figure import kinematics, transforms
from manikin.figure.figure import Figure
from manikin.figure.joints import JointKind
from manikin.figure.pose import Pose
from manikin.kernels.limb import limb as entries, spherical
from manikin.plan.six_axis_spec import NotThisKind

# Lines that miss each other by this part of the limb's length meet.
_MEETS = 1e-9
# Neighbouring axes nearer to parallel than this make no spherical joint.
_PARALLEL = 1e-3
_ORDINALS = {6: "sixth", 7: "seventh"}


@dataclass(frozen=True)
class Limb:
    """What the closed form needs to know about a limb, and which coordinates of the figure it moves."""

    site: str
    dofs: tuple[str, ...]
    places: np.ndarray
    spec: np.ndarray
    carried: bool
    """Whether the limb's own angles move the frame that carries it, as a shoulder girdle's rhythm does."""
    virtual: int
    """Which of the closed form's seven angles is none of the figure's, but stays at zero; −1 where all are."""
    first: int
    """The first motion of the limb in the tree."""


@dataclass
class Chain:
    """The limb's motions in order: for each its kind, first axis value and frame at zero, in the carrier's frame."""

    kinds: list[JointKind]
    axes: list[int]
    frames: list[np.ndarray]
    carrier: np.ndarray
    tip: np.ndarray
    first: int

    @property
    def size(self) -> float:
        """The limb's extent at zero, metres."""
        origins = np.array([frame[:3, 3] for frame in self.frames] + [self.tip[:3, 3]])
        return max(float(np.ptp(origins, axis=0).max()), 1e-6)

    @property
    def values(self) -> list[int]:
        """The axis values of all motions, in order."""
        found: list[int] = []
        for kind, axis in zip(self.kinds, self.axes, strict=True):
            found += range(axis, axis + kind.size)
        return found


def recognise(pose: Pose, site: str, first: str | None = None, middle: str | None = None) -> Limb:
    """The limb that ends at ``site``, the figure's other joints held as in ``pose``.

    first, middle: joints with which the limb must begin and bend, where they are given. A limb of seven angles is
    preferred to one of six.
    """
    reasons = []
    for count in (7, 6):
        try:
            return _recognise(pose, site, first, middle, count)
        except NotThisKind as error:
            if str(error) not in reasons:
                reasons.append(str(error))
    raise FigureError(
        f"figure {pose.figure.name!r}: the limb that ends at {site!r} is not a spherical joint, a hinge and a "
        f"spherical joint: {'; and with six angles, '.join(reasons)}"
    )


def _recognise(pose: Pose, site: str, first: str | None, middle: str | None, count: int) -> Limb:
    figure = pose.figure
    chain = chain_of(pose, site, count)
    dofs, offset, factor = drivers(figure, chain)
    _check_names(figure, chain, first, middle)
    spec = np.zeros(entries.ROW)
    virtual = _write_geometry(figure, chain, spec)
    places = np.array([figure.index(name) for name in dofs])
    ends = np.stack([figure.lower[places], figure.upper[places]]) / factor + offset
    where = [j for j in range(7) if j != virtual]
    for at, values in (
        (entries.OFFSET, offset),
        (entries.FACTOR, factor),
        (entries.LOWER, ends.min(axis=0)),
        (entries.HIGHER, ends.max(axis=0)),
        (entries.BEFORE, figure.rest[places] / factor + offset),
    ):
        spec[[at + j for j in where]] = values
    if virtual >= 0:
        spec[entries.FACTOR + virtual] = 1.0
    spec[entries.VIRTUAL] = virtual
    spec[entries.SIDE] = _side(spec)
    rows = _rows(pose, dofs, where, offset, factor)
    cones = _cones(figure, dofs, where, offset, factor)
    spec[entries.ROWS], spec[entries.CONES] = len(rows), len(cones)
    spec = np.concatenate([spec, *rows, *cones])
    return Limb(site, tuple(dofs), places, spec, _carried(figure, chain.first, places), virtual, chain.first)


def place_carrier(spec: np.ndarray, carrier: np.ndarray) -> None:
    """Write where the frame that carries the limb is in the world."""
    turn = carrier[:3, :3]
    spec[entries.BASE : entries.BASE + 9] = turn.T.ravel()
    spec[entries.BASE_ORIGIN : entries.BASE_ORIGIN + 3] = carrier[:3, 3]
    spec[entries.DOWN : entries.DOWN + 3] = turn.T @ [0.0, 0.0, -1.0]
    spec[entries.AHEAD : entries.AHEAD + 3] = turn.T @ [1.0, 0.0, 0.0]


def carrier_of(pose: Pose, limb: Limb) -> np.ndarray:
    """The frame that carries the limb, in the world, at a pose."""
    motion = int(pose.figure.tree.parent[limb.first])
    return np.eye(4) if motion < 0 else transforms.unpack(pose.motion_frames[motion])


def rail_of(pose: Pose, limb: Limb) -> np.ndarray:
    """How the limb's own angles move what carries it, as `kernels.limb.carried` wants it; other joints as in the
    pose.
    """
    tree = pose.figure.tree
    drives, values = tree.coefficients, kinematics.axis_values(tree, pose.q)
    moving = drives[:, limb.places]
    path: list[int] = []
    motion, last = int(tree.parent[limb.first]), 0
    while motion >= 0:
        path.append(motion)
        if moving[tree.values_of(motion)].any():
            if not tree.turns[motion] or tree.axis[motion] in tree.curve_axis:
                raise FigureError(
                    f"figure {pose.figure.name!r}: the limb that ends at {limb.site!r} moves what carries it by "
                    f"{_joint_of(pose.figure, int(tree.axis[motion]))!r}, which no sum of angles turns"
                )
            last = len(path)
        motion = int(tree.parent[motion])
    path = path[:last][::-1]
    above = int(tree.parent[path[0]])
    first = np.eye(4) if above < 0 else transforms.unpack(pose.motion_frames[above])
    # The closed form's seven; one that is none of the figure's moves nothing.
    where = [j for j in range(7) if j != limb.virtual]
    numbers = [np.array([float(len(path))]), first[:3, :3].ravel(), first[:3, 3], np.zeros(8)]
    frame, movers = np.eye(4), np.zeros(7, bool)
    for i in path:
        frame = frame @ transforms.unpack(tree.placement[i])
        axis = int(tree.axis[i])
        if not tree.turns[i]:
            frame = frame @ tree.moved(i, values)
            numbers[0] -= 1.0
            continue
        slope = np.zeros(7)
        slope[where] = moving[axis]
        at_zero = values[axis] - moving[axis] @ pose.q[limb.places]
        numbers += [frame[:3, :3].ravel(), frame[:3, 3], np.array([at_zero]), slope]
        movers |= slope != 0.0
        frame = np.eye(4)
    which = np.flatnonzero(movers)
    numbers[3][: len(which) + 1] = len(which), *which
    return np.concatenate(numbers)


def limb_centers(pose: Pose, limb: Limb) -> tuple[tuple[str, np.ndarray], ...]:
    """Shoulder, elbow and wrist, each as ``"motion:"`` and the motion that carries it, and where in its frame.

    The elbow is the hinge's point nearest to the shoulder; it belongs to the upper arm, the wrist to the forearm.
    """
    tree = pose.figure.tree
    chain = chain_of(pose, limb.site, len(limb.dofs))
    _, hinge, _ = _split(pose.figure, chain)
    motions = [int(np.flatnonzero(tree.axis == axis)[0]) for axis in chain.axes]
    shoulder = limb.spec[entries.CENTRE : entries.CENTRE + 3]
    elbow = shoulder + limb.spec[entries.UPPER_ARM : entries.UPPER_ARM + 3]
    wrist = elbow + limb.spec[entries.FOREARM : entries.FOREARM + 3]
    found = []
    for point, k in ((shoulder, 0), (elbow, hinge - 1), (wrist, hinge)):
        local = transforms.inverse(chain.frames[k]) @ np.array([*point, 1.0])
        found.append((f"motion:{motions[k]}", local[:3]))
    return tuple(found)


def _refuse(reason: str) -> NoReturn:
    raise NotThisKind(reason)


def chain_of(pose: Pose, site: str, wanted: int, *, slides: bool = False) -> Chain:
    """The motions above the site that make up so many angles, constant ones folded in; ``slides``: these count too."""
    figure, tree = pose.figure, pose.figure.tree
    where = figure.site(site)
    segment = list(figure.segments).index(where.segment)
    motion = int(tree.segment_motion[segment])
    driven = set(tree.drive_axis.tolist())
    path: list[int] = []
    count = 0
    while motion >= 0 and count < wanted:
        path.append(motion)
        if tree.axis[motion] in driven:
            kind = tree.kinds[motion]
            count += kind.size
            if not (kind.turns or kind.name in spherical.BALLS or (slides and kind.slides)):
                _refuse(f"{_joint_of(figure, int(tree.axis[motion]))!r} is not a hinge or a ball joint")
        motion = int(tree.parent[motion])
    if count < wanted:
        _refuse(f"it has {count} {'joint values' if slides else 'angles'}, not {wanted}")
    if count > wanted:
        name = _joint_of(figure, int(tree.axis[path[-1]]))
        _refuse(f"the {_ORDINALS[wanted]} angle above its end is inside the ball joint of {name!r}")
    values = kinematics.axis_values(tree, pose.q)
    carrier = np.eye(4) if motion < 0 else transforms.unpack(pose.motion_frames[motion])
    chain = Chain([], [], [], carrier, np.eye(4), path[-1])
    frame = np.eye(4)
    for i in reversed(path):
        frame = frame @ transforms.unpack(tree.placement[i])
        axis = int(tree.axis[i])
        if axis in driven:
            chain.kinds.append(tree.kinds[i])
            chain.axes.append(axis)
            chain.frames.append(frame)
        else:
            frame = frame @ tree.moved(i, values)
    chain.tip = frame @ transforms.unpack(tree.segment_placement[segment]) @ where.placement
    return chain


def _joint_of(figure: Figure, axis: int) -> str:
    """The name of an axis value."""
    return list(figure.axes)[axis]


def drivers(figure: Figure, chain: Chain) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The coordinate of each axis value, with offset and 1 / coefficient."""
    drives = figure.tree.coefficients
    dofs, factors = [], []
    for value in chain.values:
        drivers = np.flatnonzero(drives[value])
        if value in figure.tree.curve_axis:
            _refuse(f"{_joint_of(figure, value)!r} follows a curve")
        if len(drivers) != 1:
            _refuse(f"{_joint_of(figure, value)!r} follows several coordinates")
        dofs.append(figure.dofs[drivers[0]])
        factors.append(1.0 / drives[value, drivers[0]])
    if len(set(dofs)) != len(dofs):
        _refuse(f"its angles follow only {len(set(dofs))} coordinates")
    return dofs, figure.tree.axis_offset[chain.values], np.array(factors)


def _check_names(figure: Figure, chain: Chain, first: str | None, middle: str | None) -> None:
    """Whether the limb begins and bends with the joints that were asked for."""
    _start, hinge, _end = _split(figure, chain)
    for name, motion, what in ((first, 0, "begins"), (middle, hinge, "bends")):
        if name is None:
            continue
        if name not in figure.joints:
            raise FigureError(f"figure {figure.name!r}: unknown joint {name!r}")
        axis = _joint_of(figure, chain.axes[motion])
        if axis not in [entry.name for entry in figure.joints[name].axes]:
            _refuse(f"it {what} with {axis!r}, not with joint {name!r}")


def _write_geometry(figure: Figure, chain: Chain, spec: np.ndarray) -> int:
    """Write the geometry; returns which angle is virtual, or −1."""
    shoulder, hinge, wrist = _split(figure, chain)
    size = chain.size
    centre = _spherical(figure, chain, shoulder, spec, entries.SHOULDER)
    end = _spherical(figure, chain, wrist, spec, entries.WRIST)
    a, point = chain.frames[hinge][:3, 2], chain.frames[hinge][:3, 3]
    elbow = point + a * (a @ (centre - point))
    m, d = elbow - centre, end - elbow
    across = d - a * (a @ d)
    for what, arm in (("first", m), ("second", across)):
        if np.linalg.norm(arm) < 1e-6 * size:
            name = _joint_of(figure, chain.axes[hinge])
            _refuse(f"the hinge {name!r} goes through the {what} spherical joint's centre")
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
    if len(wrist) == 2:
        return 6
    return 0 if len(shoulder) == 2 else -1


def _split(figure: Figure, chain: Chain) -> tuple[list[int], int, list[int]]:
    """Which motions are the shoulder, the hinge and the wrist.

    With six angles the wrist has two axes where the shoulder is a ball joint or its three axes meet; else it has three.
    """
    count = len(chain.kinds)
    balls = [k for k, kind in enumerate(chain.kinds) if not kind.turns]
    shoulder_ball, wrist_ball = 0 in balls, count - 1 in balls
    six = len(chain.values) == 6
    for first, last in ((3, 2), (2, 3)) if six else ((3, 3),):
        if (shoulder_ball and first == 2) or (wrist_ball and last == 2):
            continue
        start = 1 if shoulder_ball else first
        end = 1 if wrist_ball else last
        inner = balls[shoulder_ball : len(balls) - wrist_ball]
        if start + 1 + end != count or inner:
            continue
        if six and first == 3 and not shoulder_ball and not _meet(chain, list(range(3))):
            continue
        return list(range(start)), start, list(range(start + 1, count))
    names = ", ".join(_joint_of(figure, axis) for axis in chain.axes)
    why = (
        "a ball joint among them out of place"
        if balls
        else "the axes of neither the first nor the last three meet"
    )
    return _refuse(f"its joints, in order, are {names}, {why}")


def _meet(chain: Chain, motions: list[int]) -> bool:
    """Whether axes go through one point."""
    return _centre(chain, motions)[1] <= _MEETS * chain.size


def _centre(chain: Chain, motions: list[int]) -> tuple[np.ndarray, float]:
    """The point nearest to the axes of some hinges, and how far the farthest of them misses it."""
    axes = np.array([chain.frames[i][:3, 2] for i in motions])
    points = np.array([chain.frames[i][:3, 3] for i in motions])
    projectors = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    centre = np.linalg.lstsq(projectors.sum(axis=0), np.einsum("kij,kj->i", projectors, points), rcond=1e-12)[
        0
    ]
    return centre, float(np.linalg.norm(np.einsum("kij,kj->ki", projectors, centre - points), axis=1).max())


def _spherical(figure: Figure, chain: Chain, motions: list[int], spec: np.ndarray, at: int) -> np.ndarray:
    """Write the axes (or the ball's frame) of a spherical joint, its kind and β; return its centre."""
    which = 0 if at == entries.SHOULDER else 1
    if len(motions) == 1:
        frame = chain.frames[motions[0]]
        spec[at : at + 9] = frame[:3, :3].ravel()
        ball = spherical.BALLS[chain.kinds[motions[0]].name]
        spec[entries.SHOULDER_KIND + which] = ball
        return frame[:3, 3]
    axes = np.array([chain.frames[i][:3, 2] for i in motions])
    names = [_joint_of(figure, chain.axes[i]) for i in motions]
    for k in range(len(motions) - 1):
        if np.linalg.norm(np.cross(axes[k], axes[k + 1])) < _PARALLEL:
            _refuse(f"{names[k]!r} and {names[k + 1]!r} turn about parallel axes")
    centre, miss = _centre(chain, motions)
    if miss > _MEETS * chain.size:
        _refuse(f"the axes of {', '.join(map(repr, names))} miss one another by {2 * miss:.3g} m")
    if len(motions) == 2:
        # The virtual axis, at right angles to both: outermost, so that the two others stay neighbours.
        third = np.cross(axes[0], axes[1])
        third /= np.linalg.norm(third)
        axes = np.array([third, *axes]) if which == 0 else np.array([*axes, third])
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
    pose: Pose, dofs: list[str], where: list[int], offset: np.ndarray, factor: np.ndarray
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
        row = np.zeros(entries.ROW_LENGTH)
        row[where], row[7:] = c, [coupling.lower + rest, coupling.upper + rest]
        rows.append(row)
    return rows


def _cones(
    figure: Figure, dofs: list[str], where: list[int], offset: np.ndarray, factor: np.ndarray
) -> list[np.ndarray]:
    """The cones and ellipses on the limb's swings, in axis values: two places, two centres, two radii."""
    cones = []
    for first, second, *numbers in figure.cones:
        names = [figure.dofs[int(first)], figure.dofs[int(second)]]
        if names[0] in dofs:
            k = [dofs.index(name) for name in names]
            center, radii = np.reshape(numbers, (2, 2))
            places = [where[i] for i in k]
            cones.append(np.array([*places, *(center / factor[k] + offset[k]), *(radii / np.abs(factor[k]))]))
    return cones


def moves_its_carrier(figure: Figure, first: int, dofs: Iterable[str]) -> bool:
    """Whether some axis above the motion ``first`` follows coordinates of the limb that begins there."""
    return _carried(figure, first, np.array([figure.index(name) for name in dofs]))


def _carried(figure: Figure, first: int, places: np.ndarray) -> bool:
    """Whether some axis above the limb follows its coordinates."""
    tree = figure.tree
    drives = tree.coefficients[:, places]
    motion = int(tree.parent[first])
    while motion >= 0:
        if drives[tree.values_of(motion)].any():
            return True
        motion = int(tree.parent[motion])
    return False
