"""Mutated files read, in this process: what comes of each, and what is none of it."""

from __future__ import annotations

import resource
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.fuzz.files import SCENE, SMALL_SCENE, URDF, mutated, reshaped, write

from manikin.errors import ManikinError

#: Seconds that no file of this size may take.
LONG = 20.0


def read(kind: str, path: Path) -> None:
    """Read a file as a user would: a robot, or a scene with its figure and goals."""
    if kind == "urdf":
        import manikin as mk

        figure = mk.load(path)
        for segment in figure.segments.values():
            for shape in segment.shapes:
                mesh = shape.mesh
                if (
                    mesh is not None
                    and "://" not in mesh
                    and not Path(mesh).is_relative_to(path.parent.resolve())
                ):
                    raise AssertionError(f"a mesh outside the file's folder: {mesh}")
    else:
        from manikin.formats.scene import read_scene

        read_scene(path)


def fuzz(kind: str, first: int, count: int, folder: Path) -> dict[str, Any]:
    """Read ``count`` mutated files; outcomes counted, and all that is neither a figure nor a ManikinError."""
    write(folder, "lamp.urdf", URDF.encode())
    outcomes: Counter[str] = Counter()
    findings = []
    for seed in range(first, first + count):
        text = URDF if kind == "urdf" else SCENE if seed % 16 == 0 else SMALL_SCENE
        data = (mutated if seed % 3 == 0 else reshaped)(text, np.random.default_rng(seed))
        path = write(folder, f"fuzzed.{kind}", data)
        begin = time.process_time()
        try:
            read(kind, path)
            outcomes["read"] += 1
        except ManikinError as error:
            outcomes[type(error).__name__] += 1
            if path.name not in str(error):
                findings.append({"seed": seed, "found": f"does not name the file: {error}"[:300]})
        except Exception as error:
            findings.append({"seed": seed, "found": f"{type(error).__name__}: {error}"[:300]})
        if time.process_time() - begin > LONG:
            findings.append({"seed": seed, "found": "it takes long"})
    return {"format": kind, "files": count, "outcomes": dict(outcomes), "findings": findings}


#: Files of one seed of the campaign, and what of memory they may take in all, bytes.
FILES, MEMORY = 200, 1 << 30


def run_files(kind: str, seed: int) -> dict[str, Any]:
    """A seed of the campaign: so many files, each read once; as JSON can hold it."""
    begin = time.process_time()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with TemporaryDirectory() as folder:
        told = fuzz(kind, seed * FILES, FILES, Path(folder))
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    found = [f"file {entry['seed']}: {entry['found']}" for entry in told["findings"]]
    if grown > MEMORY:
        found.append(f"{grown >> 20} MB more memory")
    return {
        "seed": seed,
        "files": FILES,
        "solves": 0,
        "statuses": told["outcomes"],
        "found": found,
        "cpu": time.process_time() - begin,
    }
