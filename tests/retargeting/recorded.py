"""Recordings of people: two clips at 120 frames a second, and postures two a second of many more, as BVH.

The postures of a clip are a BVH of their own, whose keys are half a second apart; between them a `Motion` goes along
its C² curve. Tests that need them skip where the shared data is not there.
"""

from pathlib import Path

import numpy as np
import pytest

import manikin as mk

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def at_120_hertz(name):
    """A clip of `bvh/` without its first frame, a T-pose."""
    path = DATA / "bvh" / f"{name}.bvh"
    if not path.is_file():
        pytest.skip(f"the recorded clips are not here: {path.name} of ../shared/data/bvh")
    source = mk.load_motion(path, unit="cmu")
    return source.trim(source.times[1])


def bvh_of_postures(name):
    """The text of a BVH file with the postures of a recording, ``"02_06"``, on its own subject's bones."""
    folder = DATA / "postures"
    if not (folder / "cmu_postures.npz").is_file():
        pytest.skip("the recorded postures are not here: ../shared/data/postures")
    with np.load(folder / "cmu_postures.npz") as data:
        number = int(np.flatnonzero(data["clip_name"] == name)[0])
        rows = data["clip"] == number
        subject = int(np.flatnonzero(data["subjects"] == data["clip_subject"][number])[0])
        offsets = iter(data["offsets"][subject])
        frames = np.hstack([data["root"][rows], data["centidegrees"][rows] / 100.0])
    lines = []
    for line in (folder / "hierarchy.bvh.txt").read_text().split("MOTION")[0].splitlines():
        if line.strip().startswith("OFFSET"):
            line = "OFFSET " + " ".join(f"{value:.6f}" for value in next(offsets))
        lines.append(line)
    lines += ["MOTION", f"Frames: {len(frames)}", "Frame Time: 0.5"]
    lines += [" ".join(f"{value:.4f}" for value in row) for row in frames]
    return "\n".join(lines) + "\n"


def from_postures(name, folder, rate=30.0):
    """The recording as a motion of so many frames a second."""
    path = Path(folder) / f"cmu_{name}.bvh"
    path.write_text(bvh_of_postures(name))
    return mk.load_motion(path, unit="cmu").resample(rate)
