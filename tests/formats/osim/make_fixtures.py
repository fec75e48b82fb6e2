"""Writes data/forward.json, what OpenSim computes for the models beside it; run with -m from the tests' folder."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from .peers import DATA, opensim

MODELS = ("every_joint", "version_3", "four_bar")


def main() -> None:
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            out = Path(folder) / f"{name}.npz"
            opensim("forward", DATA / f"{name}.osim", "-", out, 4, 1)
            table = np.load(out)
            found[name] = {key: table[key].tolist() for key in ("names", "bodies", "marks")} | {
                key: np.round(table[key], 12).tolist() for key in ("values", "frames", "places", "mass")
            }
    (DATA / "forward.json").write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
