"""Recognises six hinges that have a closed form, and prepares for it all that does not depend on the target.

Only the axes' lines at zero count. The kinds are those of `kernels.six_axis.six_axis`, read from either end: three
neighbouring parallel axes 2 ∥ 3 ∥ 4 (or 3 ∥ 4 ∥ 5), or three axes at an end that meet in a point. Directions count as
parallel, and lines as meeting, within `ALIGNED` (radians; of the arm's size): what is left of such a difference is
mended by Newton's method, to the true lines.
"""

from __future__ import annotations

from math import atan2

import numpy as np

from manikin.closed_form.limb import NotThisKind
from manikin.figure import transforms
from manikin.kernels.six_axis import six_axis as entries

#: Directions this near are parallel, lines that miss each other by this part of the arm's size meet.
ALIGNED = 1e-9
# Directions, or lengths as parts of the arm's size, below this are too small to divide by.
_SMALL = 1e-6
# Lines that miss each other by less than this part of the size are solved as if they met, in rounds: as the general
# case, their branches in pairs are nearer than rounding tells apart.
_MEETING = 3e-5
# What need not be accounted for.
_NOTHING = 1e-12
# A target this part of the arm's size beyond an edge is on it; and rounds that account for a small offset.
_EDGE = 1e-11
_ROUNDS = 8


def six_axis_spec(
    axes: np.ndarray, points: np.ndarray, carrier: np.ndarray, tip: np.ndarray, tolerance: float = ALIGNED
) -> np.ndarray:
    """What the closed form needs to know of a chain, or `NotThisKind` with the reasons.

    axes, points: directions (6, 3) and a point (6, 3) of each axis with all angles at zero, in the frame of the
    carrier, a 4×4 in the world. tip: the end's frame there, 4×4.
    """
    reasons = []
    for mirrored in (False, True):
        h = -axes[::-1] if mirrored else axes
        o = points[::-1] if mirrored else points
        for kind in (_parallel, _wrist):
            spec = np.zeros(entries.LENGTH)
            size = max(float(np.ptp(np.vstack([points, tip[:3, 3]]), axis=0).max()), 1e-6)
            spec[entries.SIZE] = size
            try:
                start, end = kind(spec, h, o, size, tolerance)
            except NotThisKind as reason:
                reasons.append(f"from its {'end' if mirrored else 'beginning'}, {reason}")
                continue
            spec[entries.MIRROR] = mirrored
            _put(spec, entries.AXES, h)
            _put(spec, entries.WAYS, np.diff(np.vstack([start, o, end]), axis=0))
            if mirrored:
                start, end = end, start
            back = transforms.inverse(tip)
            _put(spec, entries.TOOL, back[:3, :3])
            _put(spec, entries.TOOL_POINT, back[:3, :3] @ end + back[:3, 3])
            spec[entries.FACTOR : entries.FACTOR + 6] = 1.0
            spec[entries.START : entries.START + 3] = start
            place_base(spec, carrier)
            return spec
    raise NotThisKind("; ".join(reasons))


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


def _forms(
    h2: np.ndarray, h3: np.ndarray, link: np.ndarray, hand: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """|v|² and h₂·v of v = link + R₃ hand, as forms of q₃."""
    along = h3 * (h3 @ hand)
    parts = np.stack([along, hand - along, np.cross(h3, hand)])
    square = 2.0 * parts @ link + [link @ link + hand @ hand, 0.0, 0.0]
    return square, parts @ h2 + [h2 @ link, 0.0, 0.0]
