from __future__ import annotations

import numpy as np
import pytest

from manikin.motion.clip_step import System, banded, conjugate


@pytest.mark.parametrize(("frames", "values"), [(4, 2), (5, 3), (6, 1), (31, 4)])
@pytest.mark.parametrize("smoothing", [1e-3, 10.0])
def test_a_clips_step_solves_the_whole_system_and_leaves_what_is_held(frames, values, smoothing):
    random = np.random.default_rng([frames, values])
    root = random.normal(size=(frames, values, values + 2))
    blocks = root @ root.transpose(0, 2, 1)
    c, spans = np.tile([-1.0, 3.0, -3.0, 1.0], (frames - 3, 1)), random.uniform(0.5, 2.0, frames - 3)
    right, at = random.normal(size=(2, frames, values))
    held = random.random((frames, values)) < 0.2
    third = np.zeros((frames - 3, frames))
    for t in range(frames - 3):
        third[t, t : t + 4] = c[t]
    whole = np.kron(smoothing * third.T @ np.diag(spans) @ third, np.eye(values))
    for t in range(frames):
        part = slice(t * values, (t + 1) * values)
        whole[part, part] += blocks[t]
    fixed = held.ravel()
    expected = np.where(fixed, at.ravel(), 0.0)
    force = (right.ravel() - whole @ expected)[~fixed]
    expected[~fixed] = np.linalg.solve(whole[np.ix_(~fixed, ~fixed)], force)
    system = System(blocks, smoothing, c, spans, right, held, at)
    found = banded(system)
    assert (found[held] == at[held]).all()
    assert np.abs(found.ravel() - expected).max() < 1e-9 * max(np.abs(expected).max(), 1.0)
    other = conjugate(system)
    assert np.abs(other.ravel() - expected).max() < 1e-5 * max(np.abs(expected).max(), 1.0)
