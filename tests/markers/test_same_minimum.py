"""How well markers determine coordinates, as the comparison with OpenSim says it."""

from __future__ import annotations

import numpy as np
from benchmarks.same_minimum import standard_errors

from manikin.markers import Tracker
from manikin.markers.places import marker_places

from .samples import human


def test_standard_errors_are_the_scatter_of_fits_to_noisy_markers():
    body, markers = human()
    weights = np.array([m.weight for m in markers.values()])
    tracker = Tracker(body, markers)
    moving = np.array([body.index(name) for name in tracker.variables])
    wide = np.isinf(body.lower) & np.isinf(body.upper)
    middle = np.where(wide, 0.0, 0.5 * (np.clip(body.lower, -1, 1) + np.clip(body.upper, -1, 1)))
    q = np.clip(middle, body.lower, body.upper)
    clean, rng, noise = marker_places(body, q[None], markers)[0], np.random.default_rng(0), 2e-4
    fits, told = [], []
    for _ in range(150):
        measured = clean + rng.normal(0.0, noise, clean.shape)
        tracker.begin(q)
        fits.append(tracker.follow(measured).copy())
        told.append(standard_errors(body, markers, weights, measured, fits[-1], moving))
    expected = np.sqrt((np.array(told) ** 2).mean(axis=0))
    scatter = np.array(fits)[:, moving].std(axis=0)
    sure = np.isfinite(expected) & (expected < 0.02)
    assert sure.sum() > len(moving) // 2
    ratio = scatter[sure] / expected[sure]
    assert ratio.min() > 0.75 and ratio.max() < 1.25
