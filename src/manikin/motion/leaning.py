"""Series of swings as a cone off centre sees them, back to the swings themselves (see `figure.lean`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.figure import transforms
from manikin.motion import series


def leaning_series(center: Sequence[float], seen: np.ndarray) -> np.ndarray:
    """s with d(s) = exp([c1, c2, 0]) d(σ), of a series σ, (4, samples, 2)."""
    square = series.product(seen[..., 0], seen[..., 0]) + series.product(seen[..., 1], seen[..., 1])
    cosine, sine = series.waves(square)
    direction = np.stack(
        [series.product(sine, seen[..., 1]), -series.product(sine, seen[..., 0]), cosine], axis=-1
    )
    turn = transforms.exp([float(center[0]), float(center[1]), 0.0])
    d = direction @ turn.T
    across = series.product(d[..., 0], d[..., 0]) + series.product(d[..., 1], d[..., 1])
    factor = series.angle_over_sine(across, d[..., 2])
    return np.stack([-series.product(factor, d[..., 1]), series.product(factor, d[..., 0])], axis=-1)
