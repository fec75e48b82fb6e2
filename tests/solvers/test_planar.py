"""Planar chains: forward kinematics back, both bends, the edges of reach."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin import three_links, two_links


def _end(lengths: tuple[float, ...], angles: np.ndarray) -> np.ndarray:
    heading = np.cumsum(angles)
    return np.array([np.sum(lengths * np.cos(heading)), np.sum(lengths * np.sin(heading))])


def test_two_links_come_back_with_both_bends():
    rng = np.random.default_rng(0)
    for _ in range(300):
        lengths, angles = rng.uniform(0.1, 1.0, 2), rng.uniform(-3.1, 3.1, 2)
        target = _end(lengths, angles)
        found = two_links(*lengths, tuple(target))
        assert len(found) == 2
        assert np.abs(found - angles).max(axis=1).min() < 1e-9
        for row in found:
            assert np.abs(_end(lengths, row) - target).max() < 1e-13


@pytest.mark.parametrize("bend", [0.0, 1e-12, 1e-8, np.pi, np.pi - 1e-9])
def test_stretched_and_folded_lose_no_digits(bend):
    for lengths in ((0.5, 0.3), (0.4, 0.4)):
        target = _end(lengths, np.array([0.7, bend]))
        found = two_links(*lengths, tuple(target))
        assert len(found) in (1, 2)
        for row in found:
            assert np.abs(_end(lengths, row) - target).max() < 1e-13


def test_three_links_keep_their_heading_and_limits():
    rng = np.random.default_rng(1)
    for _ in range(300):
        lengths, angles = tuple(rng.uniform(0.1, 1.0, 3)), rng.uniform(-3.1, 3.1, 3)
        target, heading = _end(lengths, angles), float(angles.sum())
        found = three_links(lengths, tuple(target), heading)
        assert np.abs(found - angles).max(axis=1).min() < 1e-8
        for row in found:
            assert np.abs(_end(lengths, row) - target).max() < 1e-13
            assert abs(np.exp(1j * row.sum()) - np.exp(1j * heading)) < 1e-13
        limits = [(a - 0.01, a + 0.01) for a in angles]
        kept = three_links(lengths, tuple(target), heading, limits)
        assert len(kept) >= 1 and np.abs(kept - angles).max() <= 0.01 + 1e-12


def test_beyond_reach_there_is_nothing_and_bad_lengths_are_refused():
    assert two_links(0.5, 0.3, (0.9, 0.0)).shape == (0, 2)
    assert two_links(0.5, 0.3, (0.1, 0.0)).shape == (0, 2)
    assert three_links((0.5, 0.3, 0.1), (2.0, 0.0), 0.0).shape == (0, 3)
    with pytest.raises(mk.SolveError, match="must be positive"):
        two_links(0.5, -0.3, (0.1, 0.0))
