"""The mirror image of a pose, left for right, across the x–z plane of the figure's location.

Which coordinate takes which value is found from the figure itself. Names pair the sides (``left_elbow`` with
``right_elbow``; a name without a side is its own partner). With every coordinate 0 the figure must be its own mirror
image; the sign of a pair then is the one for which the velocities that the two coordinates give all segments are mirror
images: a point's velocity v ↦ Mv, a turn ω ↦ −Mω, M = diag(1, −1, 1). Two other poses check the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from manikin.errors import PoseError
from manikin.figure import transforms
from manikin.figure.figure import Figure

M = np.diag([1.0, -1.0, 1.0, 1.0])
#: How far a segment may be from its partner's mirror image: metres, or an entry of a rotation matrix.
TOLERANCE = 1e-6
_SIDES = {"left": "right", "right": "left", "l": "r", "r": "l"}
_WORD = re.compile(r"(?<![A-Za-z])(left|right|l|r)(?![A-Za-z0-9])", re.IGNORECASE)


@dataclass(frozen=True)
class Symmetry:
    """q' = sign · q[partner] is the mirror image of q."""

    partner: np.ndarray
    sign: np.ndarray

    def mirrored(self, q: np.ndarray) -> np.ndarray:
        """The mirror image's values."""
        return self.sign * q[self.partner] + 0.0


def partners(names: Iterable[str]) -> dict[str, str]:
    """Each name's counterpart on the other side, itself where there is none."""
    known = list(names)
    inside = set(known)
    found = {}
    for name in known:
        other = _WORD.sub(_swapped, name)
        found[name] = other if other in inside else name
    return found


def _swapped(match: re.Match[str]) -> str:
    word = match.group()
    other = _SIDES[word.lower()]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def symmetry(figure: Figure) -> Symmetry:
    """How the figure's coordinates mirror; a PoseError that names the culprit where it is not symmetric."""
    pairs = partners(figure.dofs)
    partner = np.array([figure.index(pairs[name]) for name in figure.dofs], dtype=np.int64)
    segments = list(figure.segments)
    by_name = partners(segments)
    other = np.array([segments.index(by_name[name]) for name in segments], dtype=np.int64)
    zero = np.zeros(figure.n)
    offsets = _offsets(figure, zero, other)
    sign = _signs(figure, zero, partner, other)
    result = Symmetry(partner, sign)
    _check(figure, result, other, offsets)
    return result


def _frames(figure: Figure, q: np.ndarray) -> np.ndarray:
    """Every segment's frame in the figure's location, (S, 4, 4)."""
    return transforms.inverse(figure.location) @ figure.pose(q).segment_frames


def _offsets(figure: Figure, q: np.ndarray, other: np.ndarray) -> np.ndarray:
    """K in frame = M · partner's frame · M · K, which differs from 1 where frames are not drawn as mirror images."""
    frames = _frames(figure, q)
    images = M @ frames[other] @ M
    offsets = np.linalg.inv(images) @ frames
    for name, offset in zip(figure.segments, offsets, strict=True):
        if np.abs(offset[:3, 3]).max() > TOLERANCE:
            raise PoseError(
                f"figure {figure.name!r} has no mirror image: with every value 0, segment {name!r} is "
                f"{np.linalg.norm(offset[:3, 3]):.3g} m from its counterpart's mirror image"
            )
    return offsets


def _signs(figure: Figure, q: np.ndarray, partner: np.ndarray, other: np.ndarray) -> np.ndarray:
    velocities = _velocities(figure, q)
    images = velocities[other] * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])[:, None]
    sign = np.ones(figure.n)
    for k, name in enumerate(figure.dofs):
        mine, image = velocities[:, :, k], images[:, :, partner[k]]
        same, opposite = np.abs(mine - image).max(), np.abs(mine + image).max()
        sign[k] = 1.0 if same <= opposite else -1.0
        if min(same, opposite) > TOLERANCE:
            raise PoseError(
                f"figure {figure.name!r} has no mirror image: {name!r} and {figure.dofs[partner[k]]!r} do not "
                "move it in mirrored ways"
            )
    return sign


def _velocities(figure: Figure, q: np.ndarray) -> np.ndarray:
    """(S, 6, n): each segment's linear and angular velocity in the figure's location, by each coordinate."""
    turn = figure.location[:3, :3].T
    bare = figure.replace(sites=(), loops=())  # where every segment's name is its own frame's
    result = np.empty((len(figure.segments), 6, figure.n))
    for s, segment in enumerate(figure.segments):
        jacobian = bare.jacobian(q, segment)
        result[s, :3], result[s, 3:] = turn @ jacobian[:3], turn @ jacobian[3:]
    return result


def _check(figure: Figure, found: Symmetry, other: np.ndarray, offsets: np.ndarray) -> None:
    """Two poses away from 0 must land on their mirror images too."""
    rng = np.random.default_rng(5)
    for _ in range(2):
        q = rng.uniform(-0.7, 0.7, figure.n)
        image = M @ _frames(figure, q)[other] @ M @ offsets
        miss = np.abs(image - _frames(figure, found.mirrored(q))).max(axis=(1, 2))
        if miss.max() > TOLERANCE:
            name = list(figure.segments)[int(np.argmax(miss))]
            raise PoseError(
                f"figure {figure.name!r} has no mirror image: segment {name!r} misses it by {miss.max():.3g}"
            )
