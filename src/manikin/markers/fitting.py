"""Segment lengths, marker places and poses that fit a trial, all in one.

    Σ w ‖p − x‖² / σ² + Σ ((s_k − s̄)/σ_s)² + ((s̄ − 1)/σ_a)² + Σ ‖δ_m‖²/σ_δ²

over the poses q of some frames, a factor s_k a group of segments with their mean s̄, and a shift δ_m of every
marker. For fixed joint angles every point is linear in factors and shifts,

    p = R_0 … Σ_i R_i (s_i l_i) + R (s m + δ),

so the two take turns: poses by the tracker, then factors and shifts by one linear least squares with the priors; steps
of the factors are extrapolated by the last two (Anderson 1965, depth one), as they converge slowly by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Figure
from manikin.markers.marker_sets import Marker, MarkerSet
from manikin.markers.markers import Markers
from manikin.markers.places import marker_places, segment_frames
from manikin.markers.resize import resized
from manikin.markers.tracked import Tracked
from manikin.markers.tracker import Tracker

#: Spread of what is measured (m), of factors about their mean and of the mean about 1, of markers about their places
#: (m).
MEASURED, PROPORTION, SIZE, PLACE, FIXED_PLACE = 0.01, 0.04, 0.15, 0.015, 0.002


@dataclass(frozen=True, eq=False)
class Fitted:
    """A figure and its markers that fit a trial.

    figure, markers: resized, and placed anew. factors: of every segment. moved: how far each marker was moved beyond
    its segment's growth, metres. before, after: root mean square of the misses, metres. frames: those that were used.
    rounds: how often poses and sizes took turns. tracked: the frames followed with the result.
    """

    figure: Figure
    markers: MarkerSet
    factors: Mapping[str, float]
    moved: Mapping[str, float]
    before: float
    after: float
    frames: tuple[int, ...]
    rounds: int
    tracked: Tracked

    def summary(self) -> dict[str, Any]:
        """Factors, shifts and misses as JSON can hold it."""
        return {
            "rms_before": self.before,
            "rms_after": self.after,
            "rounds": self.rounds,
            "factors": dict(self.factors),
            "moved": dict(self.moved),
        }


def human_groups(figure: Figure) -> dict[str, tuple[str, ...]]:
    """The segments of a human figure that grow together, left and right alike."""
    spine = [name for name in figure.segments if name[0] in "lt" and name[1:].isdigit()]
    neck = [name for name in figure.segments if name[0] == "c" and name[1:].isdigit()]
    hand = [name for side in ("left", "right") for name in figure.segments if _of_hand(name, side)]
    table = {
        "pelvis": ["pelvis"],
        "trunk": [*spine, *_sides("clavicle"), *_sides("scapula")],
        "head": [*neck, "head", "eyes", *_sides("eye")],
        "upper_arm": _sides("upper_arm"),
        "forearm": [*_sides("forearm"), *_sides("radius")],
        "hand": hand,
        "thigh": _sides("thigh"),
        "shank": _sides("shank"),
        "foot": [*_sides("foot"), *_sides("toes")],
    }
    found = {name: tuple(part for part in parts if part in figure.segments) for name, parts in table.items()}
    return {name: parts for name, parts in found.items() if parts}


def _sides(part: str) -> list[str]:
    return [f"left_{part}", f"right_{part}"]


def _of_hand(name: str, side: str) -> bool:
    words = ("hand", "thumb", "index", "middle", "ring", "little")
    return name.startswith(f"{side}_") and name[len(side) + 1 :].split("_")[0] in words


def fit(
    figure: Figure,
    markers: MarkerSet,
    trial: Markers,
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    frames: int = 30,
    rounds: int = 60,
    rest: float = 1e-4,
    weights: Mapping[str, float] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Fitted:
    """Fit a figure's sizes and its markers' places to a trial, static or moving.

    groups: segments that have one factor; by default those of the human figure, or else every segment that markers or
        other segments hang on, left and right together where their names say so.
    frames: at most this many, spread over the trial, those with most markers seen.
    rest: as of `Tracker`: what decides where markers leave a pose open.
    weights: as of `Tracker`.
    """
    chosen = {k: tuple(v) for k, v in (groups or _default_groups(figure)).items()}
    labels = [label for label in markers if label in trial]
    if len(labels) < 3:
        raise SolveError(
            f"fit: three markers at least must be in the trial, got {', '.join(labels) or 'none'}"
        )
    markers, picked = markers.only(labels), _pick(trial, labels, frames)
    sample = trial.only(labels).frames(picked)
    scale = np.array([(weights or {}).get(label, markers[label].weight) for label in labels])
    names, factors, shifts = list(chosen), np.ones(len(chosen)), np.zeros((len(labels), 3))
    grown = [_grown(figure, markers, segments) for segments in chosen.values()]
    now, placed, q = figure, markers, None
    before: float | None = None
    history: list[tuple[np.ndarray, np.ndarray]] = []
    used = 0
    for used in range(1, rounds + 1):
        tracker = Tracker(now, placed, weights=weights, rest=rest)
        tracked = tracker.track(sample, start=None if q is None else q[0])
        q = tracked.q
        if before is None:
            before = _rms(tracked)
        wanted, shifts = _sizes(figure, markers, grown, sample, q, scale)
        step = wanted - factors
        history.append((factors, step))
        new = factors + step + _extrapolated(history)
        factors = np.clip(new, 0.5, 2.0)
        now, placed = _with(figure, markers, chosen, factors, shifts)
        if progress is not None:
            progress(used, rounds)
        if np.abs(step).max() < 1e-5:
            break
    final = Tracker(now, placed, weights=weights, rest=rest).track(
        sample, start=q[0] if q is not None else None
    )
    every = {part: float(factors[k]) for k, name in enumerate(names) for part in chosen[name]}
    moved = {label: float(np.linalg.norm(shifts[k])) for k, label in enumerate(labels)}
    return Fitted(now, placed, every, moved, before or 0.0, _rms(final), tuple(picked.tolist()), used, final)


def _extrapolated(history: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """What Anderson's mixing of depth one adds to the plain step."""
    if len(history) < 2:
        return np.zeros_like(history[-1][0])
    (x0, f0), (x1, f1) = history[-2:]
    difference = f1 - f0
    square = float(difference @ difference)
    if square == 0.0:
        return np.zeros_like(x1)
    gamma = float(np.clip(f1 @ difference / square, -5.0, 5.0))
    return -gamma * (x1 - x0 + difference)


def _rms(tracked: Tracked) -> float:
    return float(tracked.summary()["rms"])


def _pick(trial: Markers, labels: Sequence[str], most: int) -> np.ndarray:
    """Frames spread over the trial: in every stretch of it the one in which most markers are seen."""
    seen = trial.only(labels).seen.sum(axis=1)
    some = np.flatnonzero(seen >= max(3, int(0.5 * len(labels))))
    if not len(some):
        raise SolveError("fit: in no frame of the trial at least half of the markers are seen")
    parts = np.array_split(some, min(most, len(some)))
    return np.array([part[np.argmax(seen[part])] for part in parts])


def _default_groups(figure: Figure) -> dict[str, tuple[str, ...]]:
    if "left_thigh" in figure.segments and "t1" in figure.segments:
        return human_groups(figure)
    groups: dict[str, list[str]] = {}
    for name in figure.segments:
        if name != figure.root or figure.base != "fixed":
            groups.setdefault(_without_side(name), []).append(name)
    return {name: tuple(parts) for name, parts in groups.items()}


def _without_side(name: str) -> str:
    for word in ("left_", "right_"):
        if name.startswith(word):
            return name[len(word) :]
    return name[:-2] if name.endswith(("_l", "_r", "_L", "_R")) else name


def _with(
    figure: Figure,
    markers: MarkerSet,
    groups: Mapping[str, Sequence[str]],
    factors: np.ndarray,
    shifts: np.ndarray,
) -> tuple[Figure, MarkerSet]:
    by = {part: float(factors[k]) for k, parts in enumerate(groups.values()) for part in parts}
    placed = {
        label: Marker(m.segment, by.get(m.segment, 1.0) * m.position + shifts[k], m.weight, m.fixed)
        for k, (label, m) in enumerate(markers.items())
    }
    return resized(figure, by), MarkerSet(placed, markers.name)


def _grown(figure: Figure, markers: MarkerSet, segments: Sequence[str]) -> tuple[Figure, MarkerSet]:
    """One group twice as large: points are linear in its factor, so a difference is the derivative."""
    larger = {
        label: Marker(m.segment, (2.0 if m.segment in segments else 1.0) * m.position)
        for label, m in markers.items()
    }
    return resized(figure, dict.fromkeys(segments, 2.0)), MarkerSet(larger)


def _sizes(
    figure: Figure,
    markers: MarkerSet,
    grown: Sequence[tuple[Figure, MarkerSet]],
    sample: Markers,
    q: np.ndarray,
    weights: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The factors and shifts that fit best at these joint angles; the root's place is free in every frame."""
    base = marker_places(figure, q, markers)
    slopes = [marker_places(larger, q, placed) - base for larger, placed in grown]
    turns = segment_frames(figure, q, [m.segment for m in markers.values()])[..., :3, :3]
    count, (frames, points, _) = len(grown), base.shape
    first = count + 3 * points
    rows = np.zeros((frames, points, 3, first))
    rows[..., :count] = np.stack(slopes, axis=-1)
    for m in range(points):
        rows[:, m, :, count + 3 * m : count + 3 * m + 3] = turns[:, m]
    seen = ~np.isnan(sample.positions[:, :, 0])
    away = np.where(seen[..., None], sample.positions - base, 0.0) + sum(slopes)
    w = np.where(seen, weights, 0.0)
    share = (w / np.maximum(w.sum(axis=1, keepdims=True), 1e-12))[..., None]
    # With the root's place free, what counts is seen from the weighted mean of each frame's markers.
    rows -= (share[..., None] * rows).sum(axis=1, keepdims=True)
    away = away - (share * away).sum(axis=1, keepdims=True)
    w = np.repeat(w[..., None], 3, axis=2).reshape(-1) / MEASURED**2 / frames
    flat = rows.reshape(-1, first)
    normal, right = flat.T @ (w[:, None] * flat), flat.T @ (w * away.reshape(-1))
    center = np.eye(count) - 1.0 / count
    normal[:count, :count] += center / PROPORTION**2 + 1.0 / (count * SIZE) ** 2
    right[:count] += 1.0 / (count * SIZE**2)
    for m, marker in enumerate(markers.values()):
        spread = FIXED_PLACE if marker.fixed else PLACE
        k = np.arange(count + 3 * m, count + 3 * m + 3)
        normal[k, k] += 1.0 / spread**2
    found = np.linalg.solve(normal, right)
    return found[:count], found[count:].reshape(-1, 3)
