"""Recordings of people from the shared data, as motions: two clips at 120 frames a second, and postures.

Of many more recordings there are postures two a second; the keys of such a clip are half a second apart, and between
them a `Motion` goes along its C² curve.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import manikin as mk

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
#: Recordings by name, and what the people in them do.
POSTURES = {"02_06": "bends over, scoops up, rises", "02_10": "washes", "77_21": "stretches"}


def at_120_hertz(name: str) -> mk.Motion | None:
    """A clip of `bvh/` without its first frame, a T-pose; None where it is not there."""
    path = DATA / "bvh" / f"{name}.bvh"
    if not path.is_file():
        return None
    source = mk.load_motion(path, unit="cmu")
    return source.trim(float(source.times[1]))


def bvh_of_postures(name: str) -> str | None:
    """The text of a BVH file with the postures of a recording, ``"02_06"``, on its own subject's bones."""
    folder = DATA / "postures"
    if not (folder / "cmu_postures.npz").is_file():
        return None
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


def from_postures(name: str, rate: float = 30.0) -> mk.Motion | None:
    """The recording as a motion of so many frames a second; None where it is not there."""
    text = bvh_of_postures(name)
    if text is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"cmu_{name}.bvh"
        path.write_text(text)
        return mk.load_motion(path, unit="cmu").resample(rate)


def clips(quick: bool = False) -> dict[str, mk.Motion]:
    """All of them by name, those that are there."""
    found = {f"CMU {name[4:]}, 120 Hz": at_120_hertz(name) for name in ("cmu_78_11", "cmu_76_07")}
    if not quick:
        found |= {f"CMU {name}, {what}": from_postures(name, 60.0) for name, what in POSTURES.items()}
    return {name: clip for name, clip in found.items() if clip is not None}
