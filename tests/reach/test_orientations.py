"""Goal spaces with orientation."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reach.samples import X, Y, Z, chain

import manikin as mk
from manikin.reach import goal_space
from manikin.reach.orientations import spread_rotations


def test_rotations_are_rotations_and_evenly_spread():
    turns = spread_rotations(500)
    assert np.abs(turns @ np.swapaxes(turns, 1, 2) - np.eye(3)).max() < 1e-12
    assert np.linalg.det(turns) == pytest.approx(np.ones(500))
    assert np.abs(turns.mean(axis=0)).max() < 0.02


def test_a_free_wrist_has_every_orientation_and_a_stiff_one_few():
    loose = [(-3.2, 3.2)] * 3
    arm = chain(
        [Z, Y, Y, X, Y, X], [0.1, 0.4, 0.3, 0.0, 0.0, 0.0], [(-3.2, 3.2), (-2, 2), (-2.5, 2.5), *loose]
    )
    stiff = chain(
        [Z, Y, Y, X, Y, X],
        [0.1, 0.4, 0.3, 0.0, 0.0, 0.0],
        [(-3.2, 3.2), (-2, 2), (-2.5, 2.5), (-1.2, 1.2), (-1.2, 1.2), (-1.2, 1.2)],
    )
    points = [[0.4, 0.2, 0.3], [2.0, 0.0, 0.0]]
    free = goal_space(arm, "tip", points, rotations=40)
    held = goal_space(stiff, "tip", points, rotations=40)
    assert free.share.tolist() == [1.0, 0.0]
    assert 0.0 < held.share[0] < 0.7
    with pytest.raises(mk.SolveError, match="points"):
        goal_space(arm, "tip", [1.0, 2.0])
