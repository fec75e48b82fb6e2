"""Mutated files read, in this process: what comes of each, and what is none of it."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.files import SCENE, URDF, mutated, reshaped, write

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
    text = URDF if kind == "urdf" else SCENE
    outcomes: Counter[str] = Counter()
    findings = []
    for seed in range(first, first + count):
        data = (mutated if seed % 3 == 0 else reshaped)(text, np.random.default_rng(seed))
        path = write(folder, f"fuzzed.{kind}", data)
        begin = time.perf_counter()
        try:
            read(kind, path)
            outcomes["read"] += 1
        except ManikinError as error:
            outcomes[type(error).__name__] += 1
            if path.name not in str(error):
                findings.append({"seed": seed, "found": f"does not name the file: {error}"[:300]})
        except Exception as error:
            findings.append({"seed": seed, "found": f"{type(error).__name__}: {error}"[:300]})
        if time.perf_counter() - begin > LONG:
            findings.append({"seed": seed, "found": "it takes long"})
    return {"format": kind, "files": count, "outcomes": dict(outcomes), "findings": findings}
