"""The recordings of `benchmarks.recordings`; tests that need them skip where the shared data is not there."""

import pytest

from benchmarks import recordings


def at_120_hertz(name):
    """A clip of `bvh/` without its first frame, a T-pose."""
    return _there(recordings.at_120_hertz(name), f"bvh/{name}.bvh")


def from_postures(name, rate=30.0):
    """A recording of which there are postures, as a motion of so many frames a second."""
    return _there(recordings.from_postures(name, rate), "postures/cmu_postures.npz")


def _there(motion, what):
    if motion is None:
        pytest.skip(f"a recording is not there: {what} of ../shared/data")
    return motion
