"""Smoothing of marker paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import PoseError
from manikin.extras import need

if TYPE_CHECKING:
    from manikin.markers.markers import Markers


def butterworth(markers: Markers, cutoff: float = 6.0, order: int = 4) -> Markers:
    """Every stretch in which a marker is seen, through a low pass of Butterworth there and back, without delay.

    cutoff: Hz, at which the amplitude of the whole, both ways, is 1/√2. order: of both ways together, even.
    Stretches of three times the filter's length or less stay as they are; gaps stay gaps.
    """
    from manikin.markers.markers import Markers as Result

    positions = low_pass(markers.positions, markers.times, cutoff, order, f"markers {markers.name!r}")
    return Result(markers.labels, markers.times, positions, markers.name)


def low_pass(values: np.ndarray, times: np.ndarray, cutoff: float, order: int, where: str) -> np.ndarray:
    """values (F, things, numbers) smoothed over time, thing by thing, between their gaps (NaN)."""
    if isinstance(order, bool) or order < 2 or order % 2:
        raise PoseError(f"{where}: the order must be even, 2 or more, got {order!r}")
    rate = (len(times) - 1) / float(times[-1] - times[0]) if len(times) > 1 else 0.0
    if not 0.0 < cutoff < 0.5 * rate:
        raise PoseError(
            f"{where}: the cutoff must be between 0 and half the rate, {0.5 * rate:g} Hz, got {cutoff!r}"
        )
    if np.ptp(np.diff(times)) > 1e-3 / rate:
        raise PoseError(f"{where}: its frames are not evenly spaced in time, so it cannot be filtered")
    # Both ways together are at 1/√2 where one way alone, of half the order, is at 2^(−1/4).
    single = order // 2
    corner = cutoff / (np.sqrt(2.0) - 1.0) ** (0.5 / single)
    if corner >= 0.5 * rate:
        raise PoseError(f"{where}: a cutoff of {cutoff:g} Hz is too near half the rate, {0.5 * rate:g} Hz")
    signal = need("scipy.signal", "a low pass", "markers")
    sections = signal.butter(single, corner, fs=rate, output="sos")
    pad = 3 * (2 * len(sections) + 1)
    result = np.array(values)
    for k in range(result.shape[1]):
        for stretch in _stretches(~np.isnan(result[:, k, 0])):
            if stretch.stop - stretch.start > pad:
                result[stretch, k] = signal.sosfiltfilt(sections, result[stretch, k], axis=0, padlen=pad)
    return result


def _stretches(seen: np.ndarray) -> list[slice]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], seen.astype(np.int8), [0]])))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
