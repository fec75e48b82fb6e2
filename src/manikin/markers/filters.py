"""Smoothing of marker paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import PoseError

if TYPE_CHECKING:
    from manikin.markers.markers import Markers


def butterworth(markers: Markers, cutoff: float = 6.0, order: int = 4) -> Markers:
    """Every stretch in which a marker is seen, through a low pass of Butterworth there and back, without delay.

    cutoff: Hz, at which the amplitude of the whole, both ways, is 1/√2. order: of both ways together, even. Stretches of
    three times the filter's length or less stay as they are; gaps stay gaps.
    """
    from scipy.signal import butter, sosfiltfilt

    from manikin.markers.markers import Markers as Result

    if isinstance(order, bool) or order < 2 or order % 2:
        raise PoseError(f"markers {markers.name!r}: the order must be even, 2 or more, got {order!r}")
    if len(markers) < 2 or not 0.0 < cutoff < 0.5 * markers.rate:
        raise PoseError(
            f"markers {markers.name!r}: the cutoff must be between 0 and half the rate, {0.5 * markers.rate:g} Hz, "
            f"got {cutoff!r}"
        )
    if np.ptp(np.diff(markers.times)) > 1e-3 / markers.rate:
        raise PoseError(f"markers {markers.name!r}: its frames are not evenly spaced in time, so it cannot be filtered")
    # Two ways at this cutoff together are at 1/√2 where one way alone is at 2^(−1/4).
    single = order // 2
    corner = cutoff / (np.sqrt(2.0) - 1.0) ** (0.5 / single)
    if corner >= 0.5 * markers.rate:
        raise PoseError(f"markers {markers.name!r}: a cutoff of {cutoff:g} Hz is too near half the rate")
    sections = butter(single, corner, fs=markers.rate, output="sos")
    pad = 3 * (2 * len(sections) + 1)
    positions = markers.positions.copy()
    for k in range(len(markers.labels)):
        for stretch in _stretches(markers.seen[:, k]):
            if stretch.stop - stretch.start > pad:
                positions[stretch, k] = sosfiltfilt(sections, positions[stretch, k], axis=0, padlen=pad)
    return Result(markers.labels, markers.times, positions, markers.name)


def _stretches(seen: np.ndarray) -> list[slice]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], seen.astype(np.int8), [0]])))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
