"""Makes `src/manikin/figure/human/ansur.json` from the two tables of ANSUR II.

    python tools/anthropometry.py ../shared/data/anthropometry

Of every measure that a body is built from, the logarithm's mean and the covariances of all of them, men and women
apart. Single people are not in it.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np

from manikin.figure.human.ansur import COLUMNS

OUT = Path(__file__).parents[1] / "src" / "manikin" / "figure" / "human" / "ansur.json"


def logarithms(path: Path) -> np.ndarray:
    """The logarithms of the measures in metres and kilograms, a row a person."""
    with path.open(encoding="latin1", newline="") as lines:
        people = list(csv.DictReader(lines))
    values = [[float(person[column]) * scale for column, scale in COLUMNS.values()] for person in people]
    return np.log(np.array(values))


def main(folder: Path) -> None:
    """Write the file."""
    found: dict[str, object] = {"measures": list(COLUMNS)}
    for sex in ("male", "female"):
        rows = logarithms(folder / f"ansur2_{sex}.csv")
        covariance = np.cov(rows.T)
        lower = covariance[np.tril_indices(len(covariance))]
        found[sex] = {
            "people": len(rows),
            "mean": [round(float(value), 6) for value in rows.mean(axis=0)],
            "covariance": [float(f"{value:.5g}") for value in lower],
        }
    OUT.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
