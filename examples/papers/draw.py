"""What the examples share: a row of pictures, and where they go."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import manikin as mk
from manikin.pictures import picture


def draw(name: str, panels: Sequence[mk.Pose | mk.Solution], captions: Sequence[str], **options) -> Path:
    """Write ``name`` into the folder given on the command line, or into that of the documents."""
    usual = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "papers"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else usual
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"view": (-90.0, 89.9), "ground": False, "size": (340, 340), **options}
    picture(list(panels), folder / name, captions=list(captions), **settings)
    print(f"wrote {folder / name}")
    return folder / name


def along(solution: mk.Solution, count: int = 3) -> list[mk.Pose]:
    """A few poses of the trajectory, the last included."""
    trajectory = solution.details["trajectory"]
    picked = [round((k + 1) * len(trajectory) / count) - 1 for k in range(count)]
    return [mk.Pose(solution.figure, trajectory[k]) for k in picked]
