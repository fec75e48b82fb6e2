"""How long it takes to read a motion capture file, beside bvhio, in one run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from unittest import mock

import numpy as np

from benchmarks.tables import Requirement, Section, Table
from benchmarks.timing import in_turns
from manikin.formats import numbers, read

COLUMNS = ("read, figure and clip", "size, MB", "frames", "processor, ms", "over Manikin")
MOST_MS = 30.0


def bvh_text(megabytes: float, joints: int = 31) -> str:
    """A body of this many joints, as motion capture writes it: 120 frames a second, four decimals."""
    rng = np.random.default_rng(8)
    lines, depth = ["HIERARCHY"], 0
    for k in range(joints):
        channels = "6 Xposition Yposition Zposition" if k == 0 else "3"
        lines += [
            f"{'JOINT' if k else 'ROOT'} joint_{k}",
            "{",
            " ".join(["OFFSET", *(f"{value:.5f}" for value in rng.normal(size=3))]),
            f"CHANNELS {channels} Zrotation Yrotation Xrotation",
        ]
        depth += 1
        if k % 5 == 4 or k == joints - 1:  # five chains of joints, each with its end
            lines += ["End Site", "{", "OFFSET 0 0 1", "}"]
            closing = depth if k == joints - 1 else min(depth - 1, 5)
            lines += ["}"] * closing
            depth -= closing
    width = 3 * joints + 3
    count = max(int(megabytes * 1e6 / (8.3 * width)), 1)
    angles = np.cumsum(rng.normal(size=(count, width)), axis=0)
    rows = [" ".join(f"{value:.4f}" for value in row) for row in (angles + 180.0) % 360.0 - 180.0]
    return "\n".join([*lines, "MOTION", f"Frames: {count}", "Frame Time: .0083333", *rows, ""])


def run(quick: bool) -> Section:
    """A file of a megabyte, read again and again."""
    size = 0.1 if quick else 1.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        text = bvh_text(size)
        path.write_text(text)
        frames = len(read(path).clips[0].times)
        calls: dict[str, Callable[[], object]] = {
            "Manikin": lambda: read(path),
            "Manikin without Numba loaded": _plain(path),
        }
        if find_spec("bvhio") is not None:
            import bvhio

            calls[f"bvhio {metadata.version('bvhio')}"] = lambda: bvhio.readAsHierarchy(str(path))
        least = in_turns(
            {name: (lambda call=call: _processor_seconds(call)) for name, call in calls.items()},
            2 if quick else 6,
        )
    rows: list[tuple[object, ...]] = [
        (name, len(text) / 1e6, frames, 1e3 * seconds, seconds / least["Manikin"])
        for name, seconds in least.items()
    ]
    what = f"{len(text) / 1e6:.2f} MB of BVH, read, ms"
    value = None if quick else 1e3 * least["Manikin"]
    about = "A clip of 31 joints read from disk, figure and all; processor time, the least of several turns."
    table = Table("A motion capture file", COLUMNS, rows)
    return Section("reading", about, [table], [Requirement(what, value, MOST_MS)])


def _processor_seconds(call: Callable[[], object]) -> float:
    """Seconds of processor time that a call takes, which other work on the machine does not stretch."""
    begin = process_time()
    call()
    return process_time() - begin


def _plain(path: Path) -> Callable[[], object]:
    """The same, with the numbers read by NumPy, as in a process that has not computed anything yet."""

    def call() -> object:
        with mock.patch("manikin.formats.bvh.read.read_numbers", numbers._by_numpy):
            return read(path)

    return call
