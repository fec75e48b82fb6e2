"""Stretches in which a marker is not seen, and how they are filled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import PoseError
from manikin.markers.rigid import fit_rigid

if TYPE_CHECKING:
    from manikin.markers.markers import Markers


@dataclass(frozen=True)
class Gap:
    """A marker that is not seen in the frames first … last."""

    label: str
    first: int
    last: int

    @property
    def frames(self) -> int:
        """How many frames it lasts."""
        return self.last - self.first + 1


def gaps_of(markers: Markers) -> list[Gap]:
    """All gaps, marker by marker."""
    found = []
    for k, label in enumerate(markers.labels):
        missing = np.concatenate([[False], ~markers.seen[:, k], [False]])
        edges = np.flatnonzero(np.diff(missing.astype(np.int8)))
        found += [
            Gap(label, int(first), int(last) - 1) for first, last in zip(edges[::2], edges[1::2], strict=True)
        ]
    return found


def fill(markers: Markers, longest: float = 0.2, like: Mapping[str, Sequence[str]] | None = None) -> Markers:
    """The markers with gaps of up to `longest` seconds filled; longer ones, and those at either end, stay.

    like: for some markers, three or more others on the same segment: the gap is then filled by the rigid motion of
        those, which is bent so as to meet the marker at both ends. Without, by a cubic through two frames on either
        side.
    """
    from manikin.markers.markers import Markers as Result

    if not longest >= 0.0:
        raise PoseError(f"markers {markers.name!r}: longest must be seconds, got {longest!r}")
    positions = markers.positions.copy()
    like = {label: tuple(others) for label, others in (like or {}).items()}
    for label, others in like.items():
        for name in (label, *others):
            markers.index(name)
        if len(others) < 3:
            raise PoseError(
                f"marker {label!r}: three others or more are needed to fill its gaps, got {len(others)}"
            )
    for gap in markers.gaps():
        before, after = gap.first - 1, gap.last + 1
        if (
            before < 0
            or after >= len(markers)
            or markers.times[after] - markers.times[before] > longest + 1e-9
        ):
            continue
        k, here = markers.index(gap.label), np.arange(gap.first, gap.last + 1)
        filled = None
        if gap.label in like:
            filled = _by_others(markers, k, [markers.index(name) for name in like[gap.label]], before, after)
        positions[here, k] = _by_cubic(markers, k, before, after) if filled is None else filled
    return Result(markers.labels, markers.times, positions, markers.name)


def _by_cubic(markers: Markers, k: int, before: int, after: int) -> np.ndarray:
    """The polynomial through two frames on either side; through those of them that are seen where not all are."""
    times, track = markers.times, markers.positions[:, k]
    near = [
        f
        for f in (before - 1, before, after, after + 1)
        if 0 <= f < len(times) and track[f, 0] == track[f, 0]
    ]
    scale = times[after] - times[before]
    at, wanted = (times[near] - times[before]) / scale, (times[before + 1 : after] - times[before]) / scale
    powers = np.arange(len(near))
    return (wanted[:, None] ** powers) @ np.linalg.solve(at[:, None] ** powers, track[near])


def _by_others(markers: Markers, k: int, others: list[int], before: int, after: int) -> np.ndarray | None:
    """Carried along by others on the same segment; None where fewer than three are seen."""
    cloud = markers.positions[before : after + 1][:, others]
    if np.isnan(cloud).any(axis=(0, 2)).sum() > len(others) - 3:
        return None
    cloud = cloud[:, ~np.isnan(cloud).any(axis=(0, 2))]
    carried = []
    for frame in cloud[1:]:
        turn, shift = fit_rigid(cloud[0], frame)
        carried.append(turn @ markers.positions[before, k] + shift)
    path, times = np.array(carried), markers.times[before : after + 1]
    share = ((times[1:] - times[0]) / (times[-1] - times[0]))[:, None]
    return (path + share * (markers.positions[after, k] - path[-1]))[:-1]
