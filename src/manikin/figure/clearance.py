"""Which pairs of a figure's segments are kept clear of each other, and which are left out, and why.

A pair is left out by the tree, because a joint holds it together, or by name, never by how near it is. Where the
capsules around meshes are too coarse to tell how far apart two segments are at rest, finer ones are taken
(`fine_shapes`). A pair that overlaps there all the same may do so but no deeper (`ClearancePair.rest`), and is told as
one of which the shapes cannot tell whether it touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from manikin.errors import GoalError
from manikin.figure.checks import near
from manikin.figure.figure import Figure
from manikin.figure.fine_shapes import covers_of
from manikin.figure.shapes import capsules_of

#: Why a pair is left out.
RIGID, JOINED, ONE_BETWEEN, TOUCHING, IGNORED = (
    "nothing moves them against each other",
    "a joint joins them",
    "one segment is between them",
    "the figure says that they touch",
    "ignored",
)
#: Metres beyond the margin up to which one capsule around a mesh is not taken at its word: it is up to some centimetres
#: larger than the mesh.
_NEAR = 0.02
#: Metres by which a finer cover must be better.
_BETTER = 1e-4
Pairs = Sequence[tuple[str, str]]


class ClearancePair(NamedTuple):
    """Two segments with shapes; how far apart at rest, metres, below 0 where they overlap there; why they are left out,
    "" where they are kept clear of each other; which covers of the two say so (`fine_shapes.covers_of`), 0 the
    coarsest.
    """

    first: str
    second: str
    rest: float
    left_out: str
    covers: tuple[int, int] = (0, 0)

    @property
    def unsure(self) -> bool:
        """Whether the shapes cannot tell that the two do not touch: they overlap at rest, as enclosing shapes do."""
        return not self.left_out and self.rest < 0.0

    @property
    def kept(self) -> bool:
        """Whether the two are kept clear of each other."""
        return not self.left_out


def clearance_pairs(
    figure: Figure,
    segments: str | Iterable[str] | None = None,
    *,
    include: Pairs = (),
    ignore: Pairs = (),
    who: str = "",
    margin: float = 0.0,
) -> tuple[ClearancePair, ...]:
    """All pairs of segments with shapes, in order; see `Figure.clearance_pairs`. margin: metres up to which distances
    at rest are told by finer shapes."""
    who = who or f"clearance pairs of {figure.name!r}"
    names = _names(figure, segments, who)
    for pair in (*include, *ignore):
        _known(figure, pair, who)
    apart = _steps_apart(figure)
    distances = rest_distances(figure, who)
    touching, wanted, unwanted = (_among(names, pairs) for pairs in (figure.touching, include, ignore))
    found = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            steps = apart[a].get(b, 3)
            why = (RIGID, JOINED, ONE_BETWEEN, "")[steps]
            why = TOUCHING if not why and (a, b) in touching else why
            why = "" if why != RIGID and (a, b) in wanted else why
            why = IGNORED if not why and (a, b) in unwanted else why
            rest, covers = distances[a, b], (0, 0)
            if not why and rest < margin + _NEAR:
                rest, covers = _by_best_covers(figure, a, b, who)
            found.append(ClearancePair(a, b, rest, why, covers))
    return tuple(found)


def _by_best_covers(figure: Figure, a: str, b: str, who: str) -> tuple[float, tuple[int, int]]:
    """The greatest of the least distances of two segments at rest that their covers tell, and which these are; with the
    fewest capsules of equals."""
    kept = figure.__dict__.setdefault("_best_covers", {})
    if (a, b) not in kept:
        frames = figure.pose().matrices()
        ones, twos = (
            [_moved(cover, frames[name]) for cover in covers_of(figure, name, who)] for name in (a, b)
        )
        best = (-np.inf, (0, 0))
        for i, one in enumerate(ones):
            for j, two in enumerate(twos):
                first, second = (k.ravel() for k in np.indices((len(one), len(two))))
                apart = float(_least(one[first], two[second]).min())
                if apart > best[0] + _BETTER:
                    best = apart, (i, j)
        kept[a, b] = best
    apart, (i, j) = kept[a, b]
    return apart, (i, j)


def _moved(capsules: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Capsules (C, 8) of a frame's in the world."""
    ends = [capsules[:, k : k + 3] @ frame[:3, :3].T + frame[:3, 3] for k in (0, 3)]
    return np.column_stack([*ends, capsules[:, 6:]])


def _among(names: Sequence[str], pairs: Iterable[Sequence[str]]) -> set[tuple[str, str]]:
    """Those of these names that are among pairs of names or patterns, either way round."""
    found: set[tuple[str, str]] = set()
    for one, other in pairs:
        seconds = [name for name in names if fnmatchcase(name, other)]
        for a in (name for name in names if fnmatchcase(name, one)):
            for b in seconds:
                found.update(((a, b), (b, a)))
    return found


def _names(figure: Figure, segments: str | Iterable[str] | None, who: str) -> list[str]:
    """The segments with shapes that are meant, in the figure's order."""
    shaped = [name for name, segment in figure.segments.items() if segment.shapes]
    if segments is None:
        return shaped
    wanted: set[str] = set()
    for pattern in [segments] if isinstance(segments, str) else segments:
        wanted.update(_matched(figure, pattern, who))
    return [name for name in shaped if name in wanted]


def _matched(figure: Figure, pattern: str, who: str) -> list[str]:
    matched = [name for name in figure.segments if name == pattern or fnmatchcase(name, pattern)]
    if not matched:
        raise GoalError(
            f"{who}: figure {figure.name!r} has no segment {pattern!r}; {near(pattern, figure.segments)}"
        )
    return matched


def _known(figure: Figure, pair: Sequence[str], who: str) -> None:
    for pattern in pair:
        _matched(figure, pattern, who)


def _steps_apart(figure: Figure) -> dict[str, dict[str, int]]:
    """How many joints that move are between two segments, where fewer than three are: 0, 1 or 2."""
    motion = np.asarray(figure.tree.segment_motion).tolist()
    group = dict(zip(figure.segments, motion, strict=True))
    beside: dict[int, set[int]] = {g: set() for g in motion}
    for joint in figure.joints.values():
        if joint.parent in group and joint.child in group and group[joint.parent] != group[joint.child]:
            beside[group[joint.parent]].add(group[joint.child])
            beside[group[joint.child]].add(group[joint.parent])
    steps = {}
    for g, near_by in beside.items():
        two = {far for middle in near_by for far in beside[middle]}
        steps[g] = {**dict.fromkeys(two, 2), **dict.fromkeys(near_by, 1), g: 0}
    return {
        a: {b: steps[group[a]][group[b]] for b in figure.segments if group[b] in steps[group[a]]}
        for a in figure.segments
    }


def rest_distances(figure: Figure, who: str) -> dict[tuple[str, str], float]:
    """The least distance between the capsules of each two segments with shapes, in the rest pose, in metres.

    The distance to a tapered capsule is convex, so along the axis of another, whose radius changes evenly, it has one
    minimum: golden section finds it, for all pairs of capsules at once.
    """
    kept = figure.__dict__.get("_rest_distances")
    if kept is not None:
        return kept
    frames = figure.pose().matrices()
    names = [name for name, segment in figure.segments.items() if segment.shapes]
    rows: list[np.ndarray] = []
    owner: list[int] = []
    for index, name in enumerate(names):
        rows.append(_moved(capsules_of(figure, name, who), frames[name]))
        owner += [index] * len(rows[-1])
    capsules = np.concatenate(rows) if rows else np.zeros((0, 8))
    own = np.array(owner, dtype=int)
    first, second = np.triu_indices(len(capsules), 1)
    apart = own[first] != own[second]
    first, second = first[apart], second[apart]
    least = np.full((len(names), len(names)), np.inf)
    np.minimum.at(least, (own[first], own[second]), _least(capsules[first], capsules[second]))
    found = {
        (a, b): float(least[i, j]) for i, a in enumerate(names) for j, b in enumerate(names[i + 1 :], i + 1)
    }
    figure.__dict__["_rest_distances"] = found
    return found


def _least(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The distances (N,) between tapered capsules a and b, (N, 8) each."""
    ratio = 0.6180339887498949
    low, high = np.zeros(len(a)), np.ones(len(a))
    best = np.minimum(_gap(a, b, low), _gap(a, b, high))
    for _ in range(60):
        one, two = high - ratio * (high - low), low + ratio * (high - low)
        left, right = _gap(a, b, one), _gap(a, b, two)
        best = np.minimum(best, np.minimum(left, right))
        smaller = left < right
        low, high = np.where(smaller, low, one), np.where(smaller, two, high)
    return best


def _gap(a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The distance of the ball at the share t of each capsule of a from the capsule of b."""
    x = a[:, :3] + t[:, None] * (a[:, 3:6] - a[:, :3])
    d = b[:, 3:6] - b[:, :3]
    length = np.linalg.norm(d, axis=1)
    safe = np.maximum(length, 1e-300)
    u = d / safe[:, None]
    off = x - b[:, :3]
    along = (off * u).sum(axis=1)
    height = np.linalg.norm(off - along[:, None] * u, axis=1)
    k = np.where(length > 0.0, (b[:, 7] - b[:, 6]) / safe, 0.0)
    flat = np.abs(k) >= 1.0 - 1e-12
    slant = np.sqrt(np.maximum(1.0 - k * k, 1e-24))
    s = np.clip(along + k * height / slant, 0.0, length)
    s = np.where(flat, np.where(k > 0.0, length, 0.0), s)
    radius = np.where(length > 0.0, b[:, 6] + s * k, np.maximum(b[:, 6], b[:, 7]))
    return np.hypot(height, along - s) - radius - (a[:, 6] + t * (a[:, 7] - a[:, 6]))
