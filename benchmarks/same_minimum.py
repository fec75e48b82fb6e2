"""How near coordinates are to OpenSim's, where markers determine them and both programs are in the same minimum.

A coordinate is *determined* in a frame where it is not on an end of its range and its standard error

    σ √diag((JᵀWJ)⁻¹),   σ² = P / (numbers seen − coordinates that are free)

over the free coordinates, J of the markers' places by central differences, is below `SURE`. The *same minimum* is one
where the sums of squares that our descent reaches from our pose and from OpenSim's agree to 1e-6 of it, and all markers
of the two minima to a tenth of a millimetre. A rotation can be written by three angles in two ways (a + π, π − b, c + π
is the same), and ours need not be OpenSim's: so either is compared with what a descent from itself finds.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from manikin import Figure
from manikin.markers import MarkerSet, Tracker
from manikin.markers.places import marker_places

#: Standard errors, in degrees, below which a coordinate is looked at; the first is called determined.
SURE = (5.0, 10.0)
COLUMNS = (
    "standard error below, °",
    "frames in the same minimum",
    "coordinates",
    "of",
    "ours from that minimum, most, °",
    "OpenSim's, median, °",
    "OpenSim's within 0.1°, %",
    "OpenSim's P above it, median",
    "OpenSim's at accuracy 1e-9 from those at 1e-5, most, °",
)


def standard_errors(
    figure: Figure,
    places: MarkerSet,
    weights: np.ndarray,
    measured: np.ndarray,
    q: np.ndarray,
    moving: np.ndarray,
) -> np.ndarray:
    """Of the coordinates ``moving`` at a minimum, radians or metres; infinite on an end, or where nothing tells."""
    free = moving[(q[moving] > figure.lower[moving]) & (q[moving] < figure.upper[moving])]
    step = 1e-5
    ends = np.stack([q + s * step * np.eye(figure.n)[j] for j in free for s in (1.0, -1.0)])
    around = marker_places(figure, ends, places).reshape(len(free), 2, len(places), 3)
    seen = np.isfinite(measured).all(axis=1) & (weights > 0.0)
    J = ((around[:, 0] - around[:, 1]) / (2.0 * step))[:, seen] * np.sqrt(weights[seen])[:, None]
    J = J.reshape(len(free), -1)
    away = (marker_places(figure, q[None], places)[0] - measured)[seen]
    spare = max(3 * int(seen.sum()) - len(free), 1)
    variance = float((weights[seen] * (away**2).sum(axis=1)).sum()) / spare
    values, vectors = np.linalg.eigh(J @ J.T)
    told = np.maximum(values, 1e-12 * values[-1])
    found = np.full(len(moving), np.inf)
    found[np.isin(moving, free)] = np.sqrt(variance * (vectors**2 / told).sum(axis=1))
    return found


def agreement(
    figure: Figure,
    places: MarkerSet,
    weights: np.ndarray,
    measured: np.ndarray,
    ours: np.ndarray,
    theirs: np.ndarray,
    finer: np.ndarray,
) -> Iterator[tuple[object, ...]]:
    """A row for each of `SURE`: ours beside OpenSim's poses at its usual accuracy and at a finer one."""
    moving = np.array([figure.index(name) for name in Tracker(figure, places).variables])
    own_errors: list[np.ndarray] = []
    errors: list[np.ndarray] = []
    own_away: list[np.ndarray] = []
    away: list[np.ndarray] = []
    above: list[float] = []
    for frame, own, other in zip(measured, ours, theirs, strict=True):
        mine, P = _minimum(figure, places, weights, frame, own)
        found, total = _minimum(figure, places, weights, frame, other)
        given, one, two = marker_places(figure, np.stack([other, mine, found]), places)
        if abs(P - total) > 1e-6 * total or np.abs(one - two).max() > 1e-4:
            continue
        own_errors.append(np.degrees(standard_errors(figure, places, weights, frame, mine, moving)))
        errors.append(np.degrees(standard_errors(figure, places, weights, frame, found, moving)))
        own_away.append(np.degrees(np.abs(own - mine)[moving]))
        away.append(np.degrees(np.abs(other - found)[moving]))
        above.append(float(np.nansum(((given - frame) ** 2).sum(axis=1) * weights)) / total - 1.0)
    for bound in SURE:
        chosen = np.array(errors) < bound
        off = np.array(away)[chosen]
        yield (
            bound,
            len(errors),
            int(chosen.sum()),
            chosen.size,
            float(np.array(own_away)[np.array(own_errors) < bound].max()),
            float(np.median(off)),
            100.0 * float((off < 0.1).mean()),
            float(np.median(above)),
            float(np.degrees(np.abs(finer - theirs).max())),
        )


def _minimum(
    figure: Figure, places: MarkerSet, weights: np.ndarray, frame: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, float]:
    """Where our own descent ends from a pose, and its sum of squares; three times over, so that nothing is left."""
    tracker = Tracker(figure, places, weights=dict(zip(places, weights.tolist(), strict=True)))
    tracker.begin(np.clip(q, figure.lower, figure.upper))
    for _ in range(3):
        found = tracker.follow(frame)
    return found.copy(), tracker.error
