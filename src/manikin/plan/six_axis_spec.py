"""Recognises six joints that have a closed form, and prepares for it all that does not depend on the target.

Only the axes' lines at zero count. Pieper's condition is that three neighbouring hinges meet in a point or are
parallel, anywhere in the chain; the other three may turn or slide (`kernels.six_axis.three`). Of six hinges, parallel
axes 2 ∥ 3 ∥ 4 (or 3 ∥ 4 ∥ 5) and axes that meet at an end of the chain have faster formulas of their own
(`kernels.six_axis.parallel`, `wrist`), read from either end.

Directions count as parallel, and lines as meeting, within `ALIGNED` (radians; of the arm's size): what is left of such
a difference is mended by Newton's method, to the true lines. Six joints whose Jacobian is singular in every pose have
no closed form, whatever their axes: a target has no solution, or endlessly many.
"""

from __future__ import annotations

from math import atan2

import numpy as np

from manikin.figure import transforms
from manikin.kernels.six_axis import six_axis as entries

#: Directions this near are parallel, lines that miss each other by this part of the arm's size meet.
ALIGNED = 1e-9
# Directions, or lengths as parts of the arm's size, below this are too small to divide by.
_SMALL = 1e-6
# A Jacobian whose least singular value is below this part of its largest is singular; in so many poses looked at.
_SINGULAR = 1e-7
_POSES = 16
# Lines that miss each other by less than this part of the size are solved as if they met, in rounds: as the general
# case, their branches in pairs are nearer than rounding tells apart.
_MEETING = 3e-5
# What need not be accounted for.
_NOTHING = 1e-12
# A target this part of the arm's size beyond an edge is on it; and rounds that account for a small offset.
_EDGE = 1e-11
_ROUNDS = 8


class NotThisKind(Exception):
    """Why a limb is none that the closed form knows."""


def six_axis_spec(
    axes: np.ndarray,
    points: np.ndarray,
    carrier: np.ndarray,
    tip: np.ndarray,
    tolerance: float = ALIGNED,
    slides: np.ndarray | None = None,
) -> np.ndarray:
    """What the closed form needs to know of a chain, or `NotThisKind` with the reason.

    axes, points: directions (6, 3) and a point (6, 3) of each axis with all joints at zero, in the frame of the
    carrier, a 4×4 in the world. tip: the end's frame there, 4×4. slides: which axes slide (6,), none by default.
    """
    sliding = np.zeros(6, dtype=bool) if slides is None else np.asarray(slides, dtype=bool)
    size = max(float(np.ptp(np.vstack([points, tip[:3, 3]]), axis=0).max()), 1e-6)
    spec = None if sliding.any() else _six_hinges(axes, points, tip, size, tolerance)
    if spec is None:
        spec = _three_hinges(axes, points, tip, size, tolerance, sliding)
    spec[entries.FACTOR : entries.FACTOR + 6] = 1.0
    spec[entries.SLIDES : entries.SLIDES + 6] = sliding
    place_base(spec, carrier)
    return spec


def _six_hinges(
    axes: np.ndarray, points: np.ndarray, tip: np.ndarray, size: float, tolerance: float
) -> np.ndarray | None:
    """The numbers of six hinges of the two kinds that have formulas of their own, or None."""
    for mirrored in (False, True):
        h = -axes[::-1] if mirrored else axes
        o = points[::-1] if mirrored else points
        for kind in (_parallel, _wrist):
            spec = np.zeros(entries.LENGTH)
            spec[entries.SIZE] = size
            try:
                start, end = kind(spec, h, o, size, tolerance)
            except NotThisKind:
                continue
            spec[entries.MIRROR] = mirrored
            _write_chain(spec, h, o, start, end)
            _write_ends(spec, tip, *((end, start) if mirrored else (start, end)))
            return spec
    return None


def _three_hinges(
    axes: np.ndarray, points: np.ndarray, tip: np.ndarray, size: float, tolerance: float, slides: np.ndarray
) -> np.ndarray:
    """The numbers of six joints of which three neighbouring hinges meet or are parallel, or `NotThisKind`."""
    reasons = []
    for first in range(4):
        three = slice(first, first + 3)
        if slides[three].any():
            reasons.append(f"of axes {first + 1}, {first + 2} and {first + 3} not all turn")
            continue
        spec = np.zeros(entries.LENGTH)
        spec[entries.SIZE], spec[entries.FIRST] = size, first
        try:
            if max(_sine(axes[first], axes[first + 1]), _sine(axes[first], axes[first + 2])) <= tolerance:
                _flat(spec, axes[three], points[three], size)
            else:
                _sphere(spec, axes[three], points[three], size, tolerance)
        except NotThisKind as reason:
            reasons.append(f"axes {first + 1}, {first + 2} and {first + 3} {reason}")
            continue
        if _always_singular(axes, points, tip, size, slides):
            reasons = ["the six joints are singular in every pose"]
            break
        _write_chain(spec, axes, points, np.zeros(3), np.zeros(3))
        _write_ends(spec, tip, np.zeros(3), np.zeros(3))
        return spec
    raise NotThisKind("; ".join(reasons))


def _always_singular(
    axes: np.ndarray, points: np.ndarray, tip: np.ndarray, size: float, slides: np.ndarray
) -> bool:
    """Whether the Jacobian, lengths as parts of the arm's size, has no full rank in any of some poses."""
    rng = np.random.default_rng(0)
    for _ in range(_POSES):
        frame, columns = np.eye(4), []
        for h, o, slide in zip(axes, points, slides, strict=True):
            direction, point = frame[:3, :3] @ h, (frame[:3, :3] @ o + frame[:3, 3]) / size
            columns.append([*direction, 0, 0, 0] if slide else [*np.cross(point, direction), *direction])
            motion = np.eye(4)
            if slide:
                motion[:3, 3] = h * rng.uniform(-size, size)
            else:
                motion[:3, :3] = transforms.exp(h * rng.uniform(-np.pi, np.pi))
                motion[:3, 3] = o - motion[:3, :3] @ o
            frame = frame @ motion
        values = np.linalg.svd(np.array(columns), compute_uv=False)
        if values[-1] > _SINGULAR * values[0]:
            return False
    return True


def _write_chain(spec: np.ndarray, h: np.ndarray, o: np.ndarray, start: np.ndarray, end: np.ndarray) -> None:
    """Write the axes and the ways between their points, from ``start`` and to ``end``."""
    _put(spec, entries.AXES, h)
    _put(spec, entries.WAYS, np.diff(np.vstack([start, o, end]), axis=0))


def _write_ends(spec: np.ndarray, tip: np.ndarray, start: np.ndarray, end: np.ndarray) -> None:
    """Write what the end's frame is for G, whose position is that of ``end`` seen from ``start``."""
    back = transforms.inverse(tip)
    _put(spec, entries.TOOL, back[:3, :3])
    _put(spec, entries.TOOL_POINT, back[:3, :3] @ end + back[:3, 3])
    spec[entries.START : entries.START + 3] = start


def place_base(spec: np.ndarray, carrier: np.ndarray) -> None:
    """Write where the frame that carries the chain is in the world."""
    back = transforms.inverse(carrier)
    _put(spec, entries.BASE, back[:3, :3])
    _put(spec, entries.BASE_POINT, back[:3, 3] - spec[entries.START : entries.START + 3])


def _put(spec: np.ndarray, at: int, values: np.ndarray) -> None:
    spec[at : at + values.size] = values.ravel()


def _sine(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(np.cross(a, b)))


def _feet(o: np.ndarray, h: np.ndarray, other: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of two lines that are nearest to each other; of parallel ones, o and what is nearest to it."""
    if _sine(h, g) < _SMALL:
        return o, other + g * (g @ (o - other))
    t = np.linalg.lstsq(np.stack([h, -g], axis=1), other - o, rcond=None)[0]
    return o + t[0] * h, other + t[1] * g


def _centre(o: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, float]:
    """The point nearest to lines, and how far they miss it."""
    projectors = np.eye(3) - h[:, :, None] * h[:, None, :]
    right = np.einsum("kij,kj->i", projectors, o)
    centre = np.linalg.lstsq(projectors.sum(axis=0), right, rcond=1e-12)[0]
    return centre, float(np.linalg.norm(np.einsum("kij,kj->ki", projectors, centre - o), axis=1).max())


def _write_turns(
    spec: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Three turns about a, b and c; returns n and m."""
    n = np.cross(b, c)
    n /= np.linalg.norm(n)
    m = np.cross(n, b)
    k, swing, middle = float(np.hypot(a @ n, a @ m)), float(c @ m), float((a @ b) * (b @ c))
    _put(spec, entries.TURNS, np.stack([a, b, c]))
    spec[entries.TURN_MIDDLE], spec[entries.TURN_SWING] = middle, k * swing
    # 1 − cos of the difference, and 1 + cos of the sum, of the angles between a and b and between b and c.
    one, two = atan2(k, a @ b), atan2(swing, b @ c)
    spec[entries.TURN_TOP] = 2.0 * np.sin(0.5 * (one - two)) ** 2
    spec[entries.TURN_BOTTOM] = 2.0 * np.cos(0.5 * (one + two)) ** 2
    spec[entries.TURN_COS], spec[entries.TURN_SIN] = a @ n / k, a @ m / k
    return n, m


def _write_edge(spec: np.ndarray, rough: float) -> None:
    """What is beyond an edge, for a chain that is only so nearly of its kind."""
    spec[entries.EDGE] = _EDGE + (rough if rough > _NOTHING else 0.0)
    spec[entries.ROUNDS] = _ROUNDS if rough > _NOTHING else 1


def _parallel(
    spec: np.ndarray, h: np.ndarray, o: np.ndarray, size: float, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Write three parallel axes 2, 3 and 4; returns A and Z."""
    if max(_sine(h[1], h[2]), _sine(h[1], h[3])) > tolerance:
        raise NotThisKind("the second to the fourth axis are not parallel")
    for i, j in ((0, 1), (3, 4), (4, 5)):
        if _sine(h[i], h[j]) < _SMALL:
            raise NotThisKind(f"axes {i + 1} and {j + 1} are parallel beside three others")
    spec[entries.KIND] = entries.PARALLEL
    up = h[1]
    start = _feet(o[0], h[0], o[1], h[1])[0]
    near, end = _feet(o[4], h[4], o[5], h[5])
    n, m = _write_turns(spec, up, h[4], h[5])
    offset = float((end - near) @ n)
    spec[entries.WAY] = entries.GENERAL if abs(offset) > _MEETING * size else entries.PLAIN
    rough = max(_sine(up, h[2]), _sine(up, h[3]), abs(offset) / size)
    _write_edge(spec, rough if spec[entries.WAY] == entries.PLAIN else 0.0)
    spec[entries.REACH], spec[entries.OFFSET] = up @ (near - start), offset
    spec[entries.SWING], spec[entries.LEAN] = float(h[5] @ m) ** 2, np.hypot(up @ n, up @ m)
    _put(spec, entries.PERPENDICULAR, n)
    _put(spec, entries.OTHER, m)
    upper, fore = o[2] - o[1], o[3] - o[2]
    upper, fore = upper - up * (up @ upper), fore - up * (up @ fore)
    lengths = np.linalg.norm(upper), np.linalg.norm(fore)
    if min(lengths) < _SMALL * size:
        raise NotThisKind("two of the three parallel axes coincide")
    plane = np.stack([upper / lengths[0], np.cross(up, upper / lengths[0])])
    _put(spec, entries.PLANE, plane)
    _put(spec, entries.BEFORE, plane @ (o[1] - start))
    _put(spec, entries.BEHIND, plane @ (near - o[3]))
    spec[entries.UPPER], spec[entries.FORE] = lengths
    spec[entries.BEND] = atan2(plane[1] @ fore, plane[0] @ fore)
    spec[entries.SIGNS], spec[entries.SIGNS + 1] = np.sign(up @ h[2]), np.sign(up @ h[3])
    return start, end


def _wrist(
    spec: np.ndarray, h: np.ndarray, o: np.ndarray, size: float, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Write an arm whose last three axes meet; returns A and Z."""
    for i, j in ((3, 4), (4, 5)):
        if _sine(h[i], h[j]) < _SMALL:
            raise NotThisKind(f"axes {i + 1} and {j + 1} are parallel, so the last three do not make a wrist")
    end, miss = _centre(o[3:], h[3:])
    if miss > tolerance * size:
        raise NotThisKind(f"the last three axes miss one another by {2 * miss:.3g} m")
    spec[entries.KIND] = entries.WRIST
    _write_turns(spec, *h[3:])
    start, second = _feet(o[0], h[0], o[1], h[1])
    upright = _sine(h[0], h[1]) < _SMALL
    n = second - start if upright else np.cross(h[0], h[1])
    if np.linalg.norm(n) < _SMALL * (size if upright else 1.0):
        raise NotThisKind("the first two axes coincide")
    n /= np.linalg.norm(n)
    m = np.cross(h[1], n)
    a = float((second - start) @ n)
    if _sine(h[1], h[2]) <= tolerance:
        way = entries.PLAIN
    elif upright:
        way = entries.UPRIGHT
    else:
        way = entries.GENERAL if abs(a) > _MEETING * size else entries.MEETING
    link, hand = o[2] - second, end - o[2]
    square, along = _forms(h[1], h[2], link, hand)
    if way == entries.PLAIN and upright:
        raise NotThisKind("the first three axes are parallel")
    if way in (entries.PLAIN, entries.MEETING) and np.hypot(*square[1:]) < (_SMALL * size) ** 2:
        raise NotThisKind("the third axis does not change the wrist's distance")
    if np.linalg.norm(np.cross(h[2], hand)) < _SMALL * size:
        raise NotThisKind("the third axis goes through the wrist")
    spec[entries.WAY], spec[entries.ARM] = way, a
    rough = {entries.PLAIN: _sine(h[1], h[2]), entries.MEETING: abs(a) / size}.get(way, 0.0)
    _write_edge(spec, max(rough, miss / size))
    spec[entries.ARM_COS], spec[entries.ARM_SIN] = h[0] @ h[1], h[0] @ m
    for at, value in (
        (entries.ARM_N, n),
        (entries.ARM_M, m),
        (entries.LINK, link),
        (entries.HAND, hand),
        (entries.SQUARE, square),
        (entries.ALONG, along),
    ):
        _put(spec, at, value)
    return start, end


def _sphere(spec: np.ndarray, h: np.ndarray, o: np.ndarray, size: float, tolerance: float) -> None:
    """Write three axes that meet."""
    if min(_sine(h[0], h[1]), _sine(h[1], h[2])) < _SMALL:
        raise NotThisKind("are parallel in part")
    center, miss = _centre(o, h)
    if miss > tolerance * size:
        raise NotThisKind(f"miss one another by {2 * miss:.3g} m and are not parallel")
    spec[entries.KIND] = entries.SPHERE
    _write_turns(spec, *h)
    _write_edge(spec, miss / size)
    _put(spec, entries.CENTER, center)


def _flat(spec: np.ndarray, h: np.ndarray, o: np.ndarray, size: float) -> None:
    """Write three parallel axes."""
    up = h[0]
    upper, fore = (way - up * (up @ way) for way in np.diff(o, axis=0))
    lengths = np.linalg.norm(upper), np.linalg.norm(fore)
    if min(lengths) < _SMALL * size:
        raise NotThisKind("are parallel, and two of them coincide")
    spec[entries.KIND] = entries.FLAT
    _write_edge(spec, max(_sine(up, h[1]), _sine(up, h[2])))
    _put(spec, entries.CENTER, o[0])
    plane = np.stack([upper / lengths[0], np.cross(up, upper / lengths[0])])
    _put(spec, entries.PLANE, plane)
    spec[entries.UPPER], spec[entries.FORE] = lengths
    spec[entries.BEND] = atan2(plane[1] @ fore, plane[0] @ fore)
    spec[entries.SIGNS], spec[entries.SIGNS + 1] = np.sign(up @ h[1]), np.sign(up @ h[2])


def _forms(
    h2: np.ndarray, h3: np.ndarray, link: np.ndarray, hand: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """|v|² and h₂·v of v = link + R₃ hand, as forms of q₃."""
    along = h3 * (h3 @ hand)
    parts = np.stack([along, hand - along, np.cross(h3, hand)])
    square = 2.0 * parts @ link + [link @ link + hand @ hand, 0.0, 0.0]
    return square, parts @ h2 + [h2 @ link, 0.0, 0.0]
